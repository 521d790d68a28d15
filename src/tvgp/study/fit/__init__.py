"""Fitting and tuning on training data."""
