"""Named random streams: the same numbers on any number of cores and any block size.

A stream is keyed by names, never by the order of calls. Environment and noise streams depend on
(experiment, alpha, seed) only, so all policies face the same draws; a policy's own stream adds
its name. Observation noise belongs to a (round, arm) pair.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TypedDict, TypeVar

import numpy as np


def seed_sequence(*names: str | int) -> np.random.SeedSequence:
    """SeedSequence keyed by a tuple of names, e.g. ("rkhs_sine", "1", 7, "noise").

    Integers are compared by value: NumPy's and Python's name the same stream.
    """
    kinds = ("int" if isinstance(name, int | np.integer) else "str" for name in names)
    text = "\x1f".join(f"{kind}:{name}" for kind, name in zip(kinds, names, strict=True))
    digest = hashlib.sha256(text.encode()).digest()
    return np.random.SeedSequence(np.frombuffer(digest, dtype="<u4").tolist())


def generator(*names: str | int) -> np.random.Generator:
    """PCG64 generator of the stream with these names."""
    return np.random.Generator(np.random.PCG64(seed_sequence(*names)))


Noise = TypeVar("Noise", float, np.ndarray)


def shaped(z: Noise, law: str) -> Noise:
    """Noise of unit variance from standard normal z: z itself, or uniform on [-sqrt 3, sqrt 3].

    law: gaussian or uniform, by the normal distribution function. ValueError for another law.
    """
    if law == "gaussian":
        return z
    if law == "uniform":
        from scipy.special import ndtr  # slow to import, and few environments have this law

        return np.sqrt(3.0) * (2.0 * ndtr(z) - 1.0)
    raise ValueError(f"noise law is {law!r}, expected gaussian or uniform")


_SLAB = 1 << 16  # numbers drawn at once, and how often these are kept: 64 MiB in all
_KEPT = 128


@lru_cache(_KEPT, typed=True)
def _normal(shape: tuple[int, int], *names: str | int) -> np.ndarray:
    """The first numbers of a stream, which may not be overwritten."""
    numbers = generator(*names).standard_normal(shape)
    numbers.flags.writeable = False
    return numbers


class NoiseField:
    """Standard normal noise indexed by (round, arm), independent of the order of access.

    Rounds are drawn in slabs of about 2^16 numbers. Each slab has its own stream, so that any
    round can be drawn without those before it. The latest slabs are kept, as all policies of an
    experiment meet the same noise.
    """

    def __init__(self, n_arms: int, *names: str | int) -> None:
        self._names = names
        self._n_arms = n_arms
        self._rounds = max(1, _SLAB // n_arms)
        self._latest = (-1, np.empty((0, n_arms)))  # index and numbers of the slab drawn last

    def at(self, t: int) -> np.ndarray:
        """Noise of round t at every arm, (n_arms,), unit variance."""
        slab, row = divmod(t - 1, self._rounds)
        index, numbers = self._latest
        if slab != index:
            draw = _normal if self._n_arms <= _SLAB else _normal.__wrapped__  # not kept
            numbers = draw((self._rounds, self._n_arms), *self._names, "slab", slab)
            self._latest = slab, numbers  # in one step, as threads may share a field
        return numbers[row]


class NoiseFields(TypedDict):
    """The noise of observations and of expert answers, as `tvgp.simulate.simulate` takes them."""

    noise: NoiseField
    expert_noise: NoiseField


def noise_fields(n_arms: int, *names: str | int) -> NoiseFields:
    """The two fields of the run with these names."""
    return {
        "noise": NoiseField(n_arms, *names, "noise"),
        "expert_noise": NoiseField(n_arms, *names, "expert_noise"),
    }
