"""The papers' formulas: widths, schedules, bounds, query counts."""
