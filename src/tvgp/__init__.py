"""Time-varying Gaussian-process bandits: a library of algorithms on NumPy and SciPy.

`tvgp.policies.make` makes an algorithm, `tvgp.kernels.make` a prior covariance and
`tvgp.environments.make` reward functions; `tvgp.simulate.simulate` plays an algorithm on them, and
`tvgp.live.Live` runs one in a live system. Sub-packages are imported on first use. `tvgp.study` is
the study built on the library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tvgp import acquisition as acquisition
    from tvgp import ageing as ageing
    from tvgp import continuous as continuous
    from tvgp import contracts as contracts
    from tvgp import dpp as dpp
    from tvgp import environments as environments
    from tvgp import fitting as fitting
    from tvgp import integrations as integrations
    from tvgp import kernels as kernels
    from tvgp import live as live
    from tvgp import log_scale as log_scale
    from tvgp import plugins as plugins
    from tvgp import policies as policies
    from tvgp import posterior as posterior
    from tvgp import simulate as simulate
    from tvgp import streams as streams
    from tvgp import theory as theory
    from tvgp import value_of_information as value_of_information

    __version__: str
else:  # type checkers use the imports above and flag any other name

    def __getattr__(name: str) -> Any:
        import importlib.metadata

        if name == "__version__":
            return importlib.metadata.version("tvgp")
        try:
            return importlib.import_module(f"tvgp.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"tvgp.{name}":
                raise
            raise AttributeError(f"module 'tvgp' has no attribute {name!r}") from None


def __dir__() -> list[str]:
    import pkgutil

    parts = (part.name for part in pkgutil.iter_modules(__path__))
    return ["__version__", *(name for name in parts if name != "__main__")]
