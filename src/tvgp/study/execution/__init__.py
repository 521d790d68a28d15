"""How a job executes and is trusted: files, errors, processes, provenance."""
