"""Stand-ins: synthetic data in the format of the real files, marked inside the files."""
