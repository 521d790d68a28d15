"""How the noise of an observation grows with its age (Mauduit25b, eq. 8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class NoiseGrowth:
    """Variance sigma^2 (1 + lag^alpha). ValueError unless alpha >= 0 and sigma^2 > 0.

    noise_variance: sigma^2, of a fresh observation, in squared reward units.
    """

    noise_variance: float
    alpha: float

    def __post_init__(self) -> None:
        if not self.alpha >= 0:
            raise ValueError(f"ageing: alpha is {self.alpha}; expected 0 or more")
        if not self.noise_variance > 0:
            raise ValueError(f"ageing: noise variance is {self.noise_variance}; expected more than 0")

    def variance(self, lags: np.ndarray) -> np.ndarray:
        """Noise variance at lags in rounds, real and at least 0, any shape."""
        aged = self.noise_variance * (1.0 + lags**self.alpha)
        # lag 0 has sigma^2 even for alpha = 0
        return np.where(lags > 0, aged, self.noise_variance)
