"""Space-filling designs over the arms."""

from __future__ import annotations

import numpy as np


class FarthestPoints:
    """Designs in which every point is the farthest from those before it (Gonzalez 1985).

    A design is a prefix of an order that depends on its first point only; orders of all points are
    cached.
    """

    def __init__(self, points: np.ndarray) -> None:
        self._points = points
        self._everywhere = np.arange(len(points))
        self._orders: dict[int, np.ndarray] = {}

    def draw(self, size: int, rng: np.random.Generator, candidates: np.ndarray | None = None) -> np.ndarray:
        """`size` of the candidates (None: all points) from a random start, ascending."""
        among = self._everywhere if candidates is None else candidates
        if size >= len(among):
            return among
        start = int(among[rng.integers(len(among))])
        if candidates is not None:
            return np.sort(_farthest_order(self._points, among, start, size))
        order = self._orders.get(start)
        if order is None or len(order) < size:
            order = _farthest_order(self._points, among, start, min(2 * size, len(among)))
            self._orders[start] = order
        return np.sort(order[:size])


def _farthest_order(points: np.ndarray, candidates: np.ndarray, start: int, size: int) -> np.ndarray:
    """`size` of the candidates in the order of choice, beginning with `start`."""
    chosen = [start]
    coordinates = points[candidates]
    distance = ((coordinates - points[start]) ** 2).sum(axis=1)
    distance[candidates == start] = -1.0  # no candidate is chosen twice, even if points coincide
    while len(chosen) < size:
        far = int(distance.argmax())
        chosen.append(int(candidates[far]))
        np.minimum(distance, ((coordinates - coordinates[far]) ** 2).sum(axis=1), out=distance)
        distance[far] = -1.0
    return np.asarray(chosen)
