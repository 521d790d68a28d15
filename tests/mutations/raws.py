"""Cases of raw files: a subject, a mutation of it, and the field that should come of it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.mutations import arena, rawmutations
from tvgp.study import datasets
from tvgp.study.data import field


@dataclass
class Case:
    """One mutation of one subject's file."""

    number: int
    subject: rawmutations.Subject
    mutation: rawmutations.Mutation
    expected: tuple  # field of the untouched files
    family: str = "raw"

    @property
    def kind(self):
        return f"raw: {self.mutation.kind}"

    @property
    def oracle(self):
        return self.mutation.oracle

    @property
    def place(self):
        return self.mutation.place

    @property
    def names(self):
        return list(self.subject.files)

    @property
    def about(self):
        return f"{self.subject.name}, {self.mutation.kind} ({self.mutation.told}), {self.oracle}"

    def prepare(self, project: Path):
        """Write the raw files; returns the work of the child."""
        folder = project / self.subject.settings["raw"]
        folder.mkdir(parents=True)
        for name, content in self.subject.files.items():
            (folder / name).write_bytes(content)
        (folder / self.subject.target).write_bytes(self.mutation.content)
        settings = dict(self.subject.settings)
        return lambda: arena.raw_to_parts(self.subject.dataset, settings)

    def compare(self, project: Path) -> str:
        """What is wrong with the field in the project; nothing when it is right."""
        result = read(project, self.subject.dataset)
        if self.oracle == rawmutations.SAME:
            return difference(result, self.expected)
        folder, settings = project / self.subject.settings["raw"], self.subject.settings
        return difference(result, self.subject.reader(folder, settings))


def cases(folder: Path, shared: Path, seed: int):
    """A function from a number to its case; subjects take turns."""
    folder.mkdir(parents=True)
    subjects = rawmutations.subjects(folder, shared)
    fields = {}
    for subject in subjects:
        fields[subject.name] = untouched(subject, folder / "untouched" / subject.name)

    def case(number: int) -> Case:
        subject = subjects[number % len(subjects)]
        rng = np.random.default_rng([seed, number])
        start = np.random.default_rng([seed, number % len(subjects), 77]).integers(1000)
        turn = int(start) + number // len(subjects)
        mutation = rawmutations.drawn(subject, rng, folder, turn)
        return Case(number, subject, mutation, fields[subject.name])

    return case


def untouched(subject, folder: Path) -> tuple:
    """The field of the untouched files, which the simple reader must give as well."""
    raw = folder / "raw"
    raw.mkdir(parents=True)
    for name, content in subject.files.items():
        (raw / name).write_bytes(content)
    loader = datasets.configured(subject.settings)
    result = plain(loader.load(sorted(raw.iterdir()))[0])
    wrong = difference(result, subject.reader(raw, subject.settings))
    if wrong:
        raise AssertionError(f"{subject.name}: reader and simple reader differ, {wrong}")
    return result


def read(project: Path, dataset: str) -> tuple:
    return plain(field.read_field(project / "resources" / dataset / "field.nc"))


def plain(result) -> tuple:
    """Times as text, sites, values, positions."""
    form = "datetime64[m]" if result.time.dtype == "<M8[m]" else "datetime64[D]"
    times = [str(time).replace("T", " ") for time in result.time.astype(form)]
    places = np.column_stack([result.lat, result.lon])
    return times, [str(site) for site in result.site], np.asarray(result.value), places


def difference(one: tuple, other: tuple) -> str:
    """How two fields differ, empty where they do not."""
    for label, ours, theirs in zip(("times", "sites"), one[:2], other[:2], strict=True):
        if list(ours) != list(theirs):
            extra = [x for x in ours if x not in set(theirs)][:2]
            lacking = [x for x in theirs if x not in set(ours)][:2]
            return f"other {label}: {len(ours)} for {len(theirs)}, more {extra}, less {lacking}"
    if one[2].shape != other[2].shape:
        return f"shape {one[2].shape} for {other[2].shape}"
    close = np.isclose(one[2], other[2], rtol=1e-6, atol=1e-9, equal_nan=True)
    if not close.all():
        t, s = np.argwhere(~close)[0]
        return f"{(~close).sum()} numbers differ, the first {one[2][t, s]} for {other[2][t, s]}"
    if len(other) > 3 and not np.allclose(one[3], other[3], atol=1e-9, equal_nan=True):
        return "other positions"
    return ""
