"""Bandits on a box instead of a finite set of arms.

box            named sides (real, integer, category) and their coordinates in the unit cube
optimiser      ask and tell on a box
policies       one algorithm per file, on coordinates
simulate       runs in an environment with a known maximum
sample_paths   draws of a Gaussian process as functions, and their maxima
"""

from tvgp.continuous.box import Box, Category, Integer, Real
from tvgp.continuous.optimiser import Optimiser

__all__ = ["Box", "Category", "Integer", "Optimiser", "Real"]
