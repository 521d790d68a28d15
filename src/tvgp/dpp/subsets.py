"""Random subsets weighted by products, through elementary symmetric polynomials."""

from __future__ import annotations

import math

import numpy as np


class WeightedSubsets:
    """Random M-subsets J of r weights, Pr(J) proportional to the product of the weights in J.

    The first phase of an M-DPP (Kulesza & Taskar 2012, Alg. 8), also known as conditional
    Poisson sampling. With weights in descending order, row m of the table holds
    e_m(lambda_1..lambda_n) / (lambda_1 ... lambda_m) for n = m..r: every entry lies in
    [1, C(r, m)], whatever the range of the weights, and is a cumulative sum over row m - 1.
    Weights are given by their logarithms; where C(r, m) could overflow, the table holds logarithms
    too. Rows are computed when first needed.
    """

    _MOST_BINOMIAL = 1000  # C(1000, 500) = 2.7e299

    def __init__(self, log_weights: np.ndarray) -> None:
        self._order = np.argsort(-log_weights, kind="stable")
        self._log = log_weights[self._order]
        self._in_logs = len(log_weights) > self._MOST_BINOMIAL
        self._last = np.full(len(log_weights) + 1, 0.0 if self._in_logs else 1.0)
        self._rows = [self._last]

    def _extend(self, size: int) -> None:
        start = len(self._rows) - 1
        if start >= size:
            return
        ratios = self._log - self._log[start:size, None]
        if not self._in_logs:
            # entries left of the diagonal are never read
            ratios = np.exp(np.minimum(ratios, 0.0, out=ratios), out=ratios)
        last, accumulate = self._last, np.add.accumulate
        for m in range(start, size):
            ratio = ratios[m - start, m:]
            if self._in_logs:
                last = np.logaddexp.accumulate(ratio + last[:-1])
            else:
                ratio *= last[:-1]
                last = accumulate(ratio)
            self._rows.append(last)
        self._last = last

    def log_growth(self, size: int) -> float:
        """log (e_size / e_{size-1}) of all weights, for sizes from 1 to their number."""
        self._extend(size)
        whole, before = float(self._rows[size][-1]), float(self._rows[size - 1][-1])
        ratio = whole - before if self._in_logs else math.log(whole / before)
        return ratio + float(self._log[size - 1])

    def sample(self, size: int, uniforms: np.ndarray) -> np.ndarray:
        """Indices of one subset.

        Among the first n weights with m still to choose, the last one chosen has rank at most
        n' with probability e_m^{n'} / e_m^n: one inverse-CDF look-up per choice instead of one coin
        flip per weight.
        """
        self._extend(size)
        n = len(self._log)
        draws = uniforms.tolist()
        ranks: list[int] = []
        for m in range(size, 0, -1):
            if n == m:  # all that are left
                ranks.extend(range(m - 1, -1, -1))
                break
            row, u = self._rows[m], draws[m - 1]
            whole = row.item(n - m)
            if self._in_logs:
                target = whole + (math.log(u) if u > 0.0 else -math.inf)
            else:
                target = whole * u
            n = m + int(row[: n - m].searchsorted(target)) - 1
            ranks.append(n)
        return self._order[ranks]
