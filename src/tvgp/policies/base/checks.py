"""Checks of the arguments of a policy's public methods: each returns a valid value or raises ValueError."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tvgp.plugins.types import plain

# Rounds are exact as float64 up to here.
LAST_ROUND = 2**53

# Squares of larger rewards overflow within a few operations.
LARGEST_REWARD = 1e100


def check_model(policy: str, kernel: object, noise_variance: object) -> float:
    """The noise variance as a Python number: positive and finite, beside a kernel."""
    if not (callable(kernel) and callable(getattr(kernel, "diagonal", None))):
        raise ValueError(f"policy {policy}: kernel is {kernel!r}, expected one as of tvgp.kernels.make")
    number = plain(noise_variance)
    if not (isinstance(number, int | float) and number is not True and 0 < number < math.inf):
        raise ValueError(f"policy {policy}: noise variance is {number!r}, expected a positive number")
    return number


def check_round(t: int, earliest: int) -> int:
    """t as an int of 1 or more, and not before `earliest`."""
    if type(t) is not int:
        if not _whole(t):
            raise ValueError(f"round {t!r}: t is {_described(t)}, expected an integer of 1 or more")
        t = int(t)
    if not 1 <= t <= LAST_ROUND:
        raise ValueError(f"round {t}: expected t from 1 to 2**53")
    if t < earliest:
        raise ValueError(f"round {t}: time is at round {earliest} already and does not go back")
    return t


def check_arm(t: int, arm: int, n_arms: int) -> int:
    """An arm as an int from 0 to n_arms - 1."""
    if type(arm) is not int:
        if not _whole(arm):
            raise ValueError(f"round {t}: arm is {_described(arm)}, expected an integer")
        arm = int(arm)
    if not 0 <= arm < n_arms:
        raise ValueError(f"round {t}: there is no arm {arm}, expected 0 to {n_arms - 1}")
    return arm


def check_reward(t: int, arm: int, reward: float) -> float:
    """A reward as a float of at most 1e100 in size."""
    return check_value(t, reward, "the reward of arm", arm)


def check_value(t: int, value: float, *what: str | int) -> float:
    """A number as a float of at most 1e100 in size; what: words for it in messages."""
    if type(value) is not float:
        kind = np.asarray(value)
        if kind.ndim or kind.dtype.kind not in "fiub":
            raise ValueError(f"round {t}: {_words(what)} is {_described(value)}, expected one number")
    value = float(value)
    if not math.isfinite(value):
        raise ValueError(f"round {t}: {_words(what)} is {value}, expected a finite number")
    if abs(value) > LARGEST_REWARD:
        raise ValueError(
            f"round {t}: {_words(what)} is {value}, expected at most {LARGEST_REWARD:g} in size;"
            " use a larger unit"
        )
    return value


def check_noise(t: int, arm: int, noise_variance: float | None, least: float) -> float | None:
    """None, or a variance as a positive float of at least `least`."""
    if noise_variance is None:
        return None
    variance = check_value(t, noise_variance, "the noise variance of arm", arm)
    if not 0 < variance:
        raise ValueError(
            f"round {t}: the noise variance of arm {arm} is {noise_variance}, expected a positive number"
        )
    if variance < least:
        raise ValueError(
            f"round {t}: the noise variance of arm {arm} is {noise_variance}, expected at least {least:.3g},"
            " or float64 has no posterior"
        )
    return variance


def check_noises(
    t: int, arms: np.ndarray, noise_variances: Sequence[float | None] | np.ndarray | None, least: float
) -> list[float | None]:
    """One per arm, each as of `check_noise`."""
    if noise_variances is None:
        return [None] * len(arms)
    own = isinstance(noise_variances, list)  # some of which may be None
    filled = [1.0 if each is None else each for each in noise_variances] if own else noise_variances
    numbers = check_answers(t, arms, np.asarray(filled), "noise variance").tolist()
    return [
        None if given is None else check_noise(t, arm, number, least)
        for arm, given, number in zip(arms.tolist(), noise_variances, numbers, strict=True)
    ]


def check_available(t: int, available: np.ndarray | None, n_arms: int) -> np.ndarray | None:
    """None, or a boolean mask (n_arms,) with at least one True."""
    if available is None:
        return None
    mask = isinstance(available, np.ndarray) and available.dtype == bool
    if not mask or available.shape != (n_arms,):
        raise ValueError(
            f"round {t}: available is {_described(available)}, expected a boolean array of shape"
            f" ({n_arms},), True for the arms that can be played"
        )
    check_array(t, available, "entries of available")
    if not available.any():
        raise ValueError(f"round {t}: no arm is available, expected at least one True in the mask")
    return available


def check_generator(t: int, rng: np.random.Generator) -> np.random.Generator:
    """A NumPy generator."""
    if not isinstance(rng, np.random.Generator):
        raise ValueError(
            f"round {t}: rng is {_described(rng)}, expected a generator as of numpy.random.default_rng"
        )
    return rng


def check_arms(t: int, arms: np.ndarray, n_arms: int) -> np.ndarray:
    """Arms (m,) as indices."""
    index = check_array(t, arms, "arms")
    if index.ndim != 1 or (len(index) and index.dtype.kind not in "iu"):
        raise ValueError(f"round {t}: the arms asked are {_described(arms)}, expected integers of shape (m,)")
    index = index.astype(np.intp, copy=False)
    for end in (index.argmin(), index.argmax()) if len(index) else ():
        check_arm(t, index.item(end), n_arms)
    return index


def check_answers(t: int, arms: np.ndarray, values: np.ndarray, what: str = "reward") -> np.ndarray:
    """As many values of at most 1e100 in size as valid arms (m,); what: word for one of them in messages."""
    numbers = check_array(t, values, f"{what}s")
    if numbers.shape != arms.shape or (len(arms) and numbers.dtype.kind not in "fiub"):
        raise ValueError(
            f"round {t}: the {what}s are {_described(values)}, expected numbers of shape {arms.shape},"
            " one per arm"
        )
    numbers = numbers.astype(float, copy=False)
    good = np.abs(numbers) <= LARGEST_REWARD
    if not good.all():
        first = int(good.argmin())
        check_value(t, numbers[first], f"the {what} of arm", int(arms[first]))
    return numbers


def check_array(t: int, values: object, what: str) -> np.ndarray:
    """Numbers as an array. ValueError for lists of several lengths in one, and for a masked array that misses
    entries: what is under the mask is not data. what: word for the numbers in messages."""
    if np.ma.is_masked(values):
        raise ValueError(f"round {t}: some {what} are masked, expected all; leave those out that are missing")
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(
            f"round {t}: the {what} are lists of several lengths, expected a number, or a list of one per arm"
        ) from None


def _words(what: tuple[str | int, ...]) -> str:
    return " ".join(map(str, what))


def _whole(value: object) -> bool:
    # np.timedelta64 is an np.integer too
    return isinstance(value, np.integer) and not isinstance(value, np.timedelta64)


def _described(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    return f"{value!r:.40}" if np.ndim(value) == 0 else f"a {type(value).__name__}"  # type: ignore[arg-type]
