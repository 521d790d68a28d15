"""Collected files: all runs of an experiment in one file, verified."""
