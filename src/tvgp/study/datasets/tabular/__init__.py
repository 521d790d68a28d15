"""Parts of the loader `table`: times and their steps, readings from CSV and NetCDF, positions of sites,
and guesses of a file's layout."""
