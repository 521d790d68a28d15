"""Bandits on a box in place of a finite set of arms: simulation, sample paths, policies."""
