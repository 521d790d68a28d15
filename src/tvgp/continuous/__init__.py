"""Bandits on a box instead of a finite set of arms: simulation, sample paths, policies."""
