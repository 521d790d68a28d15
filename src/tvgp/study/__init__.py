"""The study above the library: configuration, data, fits, runs, results, claims, report."""
