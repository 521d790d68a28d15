"""Seeded mutations of raw files and configurations: refused in one line, or read correctly."""
