"""Recipes: the job, the code and the inputs behind each file that is made from raw data.

A file stores the digest of its recipe; figures, tables and the report have a record that does. Whoever
reads a file compares it with the digest that the configuration asks for
(`tvgp.study.execution.provenance.require`), so that a file of another configuration is never taken for one
of this study, even where Snakemake has no record of it.
"""

# ruff: noqa: B019 - an instance lives as long as its process

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from tvgp.policies import module_of
from tvgp.study import analyses, datasets
from tvgp.study.config import jobs
from tvgp.study.config.jobs import Drawing
from tvgp.study.execution import files
from tvgp.study.execution.provenance import Recipe, fingerprint, recipe


class Recipes:
    """Recipes of a configuration, each computed once."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.config = config

    @cache
    def raw(self, dataset: str) -> Recipe:
        """Manifest of raw files."""
        code = fingerprint("tvgp.study.data.raw_files", "tvgp.study.datasets.extracts", self._loader(dataset))
        return recipe(jobs.dataset_settings(self.config, dataset), code)

    @cache
    def grid(self, dataset: str) -> Recipe:
        """Field of a dataset."""
        settings = datasets.grid_settings(self.config["datasets"][dataset])
        other = settings.get("extract_as")
        loaders = [self._loader(dataset), *([f"tvgp.study.datasets.{other['loader']}"] if other else [])]
        return recipe(settings, fingerprint(*loaders), self.raw(dataset))

    @cache
    def split(self, dataset: str) -> Recipe:
        """Training and test part of a field."""
        settings = datasets.split_settings(self.config["datasets"][dataset])
        return recipe(settings, fingerprint("tvgp.study.data.splits"), self.grid(dataset))

    @cache
    def fit(self, experiment: str) -> Recipe:
        """Fit of an experiment."""
        code = fingerprint("tvgp.study.fit.training", self.environment(experiment))
        return recipe(asdict(jobs.fit_job(self.config, experiment)), code, *self._data(experiment))

    @cache
    def tune(self, experiment: str, policy: str) -> Recipe:
        """Tuned parameter of a variant."""
        job = asdict(jobs.tune_job(self.config, experiment, policy))
        code = fingerprint("tvgp.study.fit.tuning", self.environment(experiment), self._policy(policy))
        return recipe(job, code, self.fit(experiment))

    @cache
    def run(self, experiment: str, policy: str, alpha: str) -> Recipe:
        """Runs of a variant under one alpha, for any block of seeds."""
        job = asdict(jobs.run_job(self.config, experiment, policy, alpha))
        code = fingerprint("tvgp.study.run.blocks", self.environment(experiment), self._policy(policy))
        tuned = jobs.tuned_parameter(self.config, policy) is not None
        return recipe(job, code, self.fit(experiment), *([self.tune(experiment, policy)] if tuned else []))

    def tuned(self, experiment: str) -> list[Recipe]:
        """Tuned parameters of an experiment's variants."""
        return [self.tune(experiment, policy) for policy in jobs.tuned_variants(self.config, experiment)]

    def runs(self, experiment: str, policies: Sequence[str], alpha: str) -> list[Recipe]:
        """Runs of a job, a recipe per variant."""
        return [self.run(experiment, policy, alpha) for policy in policies]

    def parts(self, analysis: str, parts: Iterable[str]) -> list[Recipe]:
        """Those parts of an analysis."""
        return [self.analysis(analysis, part) for part in parts]

    @cache
    def collect(self, experiment: str) -> Recipe:
        """Collected file of an experiment, and what was checked of it."""
        policies = jobs.variants(self.config, experiment)
        alphas = self.config["experiments"][experiment]["alphas"]
        runs = [made for alpha in alphas for made in self.runs(experiment, policies, alpha)]
        code = fingerprint(
            "tvgp.study.collect.collection",
            "tvgp.study.collect.checks",
            "tvgp.study.collect.card",
            self.environment(experiment),
        )
        return recipe(asdict(jobs.collect_job(self.config, experiment)), code, *runs)

    @cache
    def analysis(self, analysis: str, part: str) -> Recipe:
        """Part of an analysis, for any block of seeds."""
        job = jobs.analysis_job(self.config, analysis, part)
        code = fingerprint("tvgp.study.analyses", *analyses.uses(job.module, job.parameters))
        dataset = job.parameters.get("dataset")
        return recipe(asdict(job), code, *([self.split(dataset)] if dataset else []))

    @cache
    def gather(self, analysis: str) -> Recipe:
        """Gathered file of an analysis."""
        job = jobs.gather_job(self.config, analysis)
        return recipe(asdict(job), fingerprint("tvgp.study.analyses"), *self.parts(analysis, job.parts))

    @cache
    def summary(self) -> Recipe:
        """All checks, and all wall times."""
        collected = [self.collect(name) for name in jobs.selected(self.config, "experiments")]
        return recipe({}, fingerprint("tvgp.study.collect.collection"), *collected)

    def draw(self, drawing: Drawing) -> Recipe:
        """Figures and tables that read the same results."""
        modules = {f"tvgp.study.{product.kind}" for product in drawing.products}
        modules |= {f"tvgp.study.{product.kind}.{product.module}" for product in drawing.products}
        read = {"experiments": self.collect, "analyses": self.gather}
        inputs = [read[what](name) for what, name in drawing.members]
        job = {"products": [asdict(each) for each in drawing.products], "policies": drawing.policies}
        return recipe(job, fingerprint(*sorted(modules)), *inputs)

    @cache
    def live(self, experiment: str) -> Recipe:
        """Files that start what is recommended on the user's own data."""
        alpha = self.config["experiments"][experiment]["alphas"][0]
        variants = jobs.variants(self.config, experiment)
        job = {name: asdict(jobs.run_job(self.config, experiment, name, alpha)) for name in variants}
        return recipe(job, fingerprint("tvgp.study.report.live"), self.collect(experiment))

    @cache
    def report(self, template: str) -> Recipe:
        """Report, which shows everything but measured times."""
        analyses = [a for a in jobs.selected(self.config, "analyses") if not jobs.is_timed(self.config, a)]
        drawings = [d for d in jobs.drawings(self.config) if not jobs.reads_times(self.config, d)]
        inputs = [self.summary(), *map(self.gather, analyses), *map(self.draw, drawings)]
        job = {"config": jobs.of_results(self.config), "template": files.digest(template)}
        return recipe(job, fingerprint("tvgp.study.report.page"), *inputs)

    def environment(self, experiment: str) -> str:
        """The module that the rewards of an experiment come from."""
        environment = self.config["experiments"][experiment].get("environment") or {"name": "field"}
        return f"tvgp.environments.{environment['name']}"

    def _data(self, experiment: str) -> list[Recipe]:
        """Recipe of the dataset's parts; none for a synthetic environment."""
        dataset = self.config["experiments"][experiment].get("dataset")
        return [self.split(dataset)] if dataset else []

    def _loader(self, dataset: str) -> str:
        return f"tvgp.study.datasets.{self.config['datasets'][dataset]['loader']}"

    def _policy(self, policy: str) -> str:
        return module_of(self.config["policies"][policy]["algorithm"])
