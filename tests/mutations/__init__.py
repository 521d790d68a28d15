"""Mutations of raw files and configurations: each is refused in one line or read correctly."""
