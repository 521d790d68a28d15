"""The configuration: read, checked, and cut into jobs."""
