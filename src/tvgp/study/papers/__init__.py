"""What the five papers print: numbers, names of their methods and settings, one file a paper."""
