"""From a job definition to the file of a block of runs."""
