"""Fields of measurements: raw files, splits, regions."""
