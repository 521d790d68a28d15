"""Time-varying Gaussian-process bandits: a library of algorithms on NumPy and SciPy.

`tvgp.policies.make` makes an algorithm, `tvgp.kernels.make` a prior covariance,
`tvgp.environments.make` reward functions; `tvgp.simulate.simulate` plays one on the other. Parts are
imported when they are first used. `tvgp.study` is the study built on the library.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tvgp import (
        acquisition,
        ageing,
        continuous,
        contracts,
        dpp,
        environments,
        fitting,
        kernels,
        plugins,
        policies,
        posterior,
        simulate,
        streams,
        study,
        theory,
    )

    __version__: str

__all__ = [
    "__version__",
    "acquisition",
    "ageing",
    "continuous",
    "contracts",
    "dpp",
    "environments",
    "fitting",
    "kernels",
    "plugins",
    "policies",
    "posterior",
    "simulate",
    "streams",
    "study",
    "theory",
]


if not TYPE_CHECKING:  # checkers know the parts by the imports above, and flag any other name

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            return importlib.metadata.version("tvgp")
        if name in __all__:
            return importlib.import_module(f"tvgp.{name}")
        raise AttributeError(f"module 'tvgp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
