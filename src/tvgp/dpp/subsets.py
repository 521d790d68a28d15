"""Random subsets weighted by products, through elementary symmetric polynomials."""

from __future__ import annotations

import math

import numpy as np

from tvgp.dpp.fast import compiled


class WeightedSubsets:
    """Random M-subsets J of r weights, Pr(J) proportional to the product of the weights in J.

    The first phase of an M-DPP (Kulesza & Taskar 2012, Alg. 8), also known as conditional
    Poisson sampling. With weights in descending order, row m of the table holds
    e_m(lambda_1..lambda_n) / (lambda_1 ... lambda_m) for n = m..r: every entry lies in
    [1, C(r, m)], whatever the range of the weights, and is a cumulative sum over row m - 1.
    Where C(r, m) could overflow, the table holds logarithms. Rows are computed when first needed.
    """

    _MOST_BINOMIAL = 1000  # C(1000, 500) = 2.7e299

    def __init__(self, weights: np.ndarray) -> None:
        """weights: (r,), positive. Those that differ by rounding, as eigenvalues on a square grid do, keep
        their order: the form in use and the number of draws before must not decide it."""
        self._order = np.argsort(-np.log(weights).round(9), kind="stable")
        self._weights = weights[self._order]
        self._in_logs = len(weights) > self._MOST_BINOMIAL
        self._table = np.full((1, len(weights) + 1), 0.0 if self._in_logs else 1.0)

    def _extend(self, size: int) -> None:
        start = len(self._table) - 1
        if start >= size:
            return
        # entries left of the diagonal are never read
        table = np.empty((size + 1, self._table.shape[1]))
        table[: start + 1] = self._table
        self._table = table
        fast = compiled()
        if self._in_logs:
            logs = np.log(self._weights)
            for m in range(start, size):
                table[m + 1, m + 1 :] = np.logaddexp.accumulate(logs[m:] - logs[m] + table[m, m:-1])
        elif fast is not None:
            fast.extend(table, self._weights, start, size)
        else:
            ratios = self._weights / self._weights[start:size, None]
            for m in range(start, size):
                ratio = ratios[m - start, m:]
                ratio *= table[m, m:-1]
                np.add.accumulate(ratio, out=table[m + 1, m + 1 :])

    def log_growth(self, size: int) -> float:
        """log (e_size / e_{size-1}) of all weights, for sizes from 1 to their number."""
        self._extend(size)
        whole, before = self._table.item(size, -1), self._table.item(size - 1, -1)
        ratio = whole - before if self._in_logs else math.log(whole / before)
        return ratio + math.log(self._weights.item(size - 1))

    def sample(self, size: int, uniforms: np.ndarray) -> np.ndarray:
        """Indices of one subset; uniforms: (size,)."""
        self._extend(size)
        fast = None if self._in_logs else compiled()
        if fast is not None:
            return self._order[fast.ranks(self._table, size, uniforms)]
        return self._order[self._ranks(size, uniforms)]

    def _ranks(self, size: int, uniforms: np.ndarray) -> list[int]:
        """Ranks of the weights of one subset.

        Among the first n weights with m still to choose, the last one chosen has rank at most
        n' with probability e_m^{n'} / e_m^n: one inverse-CDF look-up per choice instead of one coin
        flip per weight.
        """
        n = len(self._weights)
        draws = uniforms.tolist()
        ranks: list[int] = []
        for m in range(size, 0, -1):
            if n == m:  # all that are left
                ranks.extend(range(m - 1, -1, -1))
                break
            row, u = self._table[m], draws[m - 1]
            whole = row.item(n)
            if self._in_logs:
                target = whole + (math.log(u) if u > 0.0 else -math.inf)
            else:
                target = whole * u
            n = m + int(row[m:n].searchsorted(target)) - 1
            ranks.append(n)
        return ranks
