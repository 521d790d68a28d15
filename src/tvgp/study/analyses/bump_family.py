"""The family of functions behind the lower bounds (Mauduit25b, Fig. 5, after Scarlett et al. 2017).

Centres are 2w apart, so that no point is good for two functions. The paper prints a spacing of w,
at which the midpoint of two neighbours exceeds half the maximum of both.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from tvgp.theory import bump_family

_SHOWN = 6


def run(
    seeds: list[int],
    gap: float = 0.5,
    norm_bound: float = 5.0,
    length_scale: float = 3.0,
    variance: float = 0.5,
) -> xr.Dataset:
    """values (function, x): the first 6 functions at spacing 2w; printed (function, x): at spacing w;
    width: w with |g|_k = norm_bound; published_width: of (36); count: number of functions on the
    whole domain of length 100; norm, published_norm: |g|_k at the two widths. Independent of seeds."""
    width = bump_family.narrowest_width(gap, norm_bound, length_scale, variance)
    published = bump_family.published_width(gap, norm_bound, length_scale, variance)
    family = bump_family.family(gap, width)
    x = np.linspace(-50.0, -50.0 + 2.0 * width * _SHOWN, 601)
    near = bump_family.Family(gap, width, -50.0 + width * (1.0 + np.arange(_SHOWN)))
    norm = (bump_family.bump_norm(gap, w, length_scale, variance) for w in (width, published))
    return xr.Dataset(
        {
            "values": (("function", "x"), family.values(x)[:, :_SHOWN].T),
            "printed": (("function", "x"), near.values(x).T),
            "width": width,
            "published_width": published,
            "count": len(family.centres),
            "norm": next(norm),
            "published_norm": next(norm),
        },
        coords={"x": x},
    )
