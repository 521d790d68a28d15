"""Base classes and data structures that policies share."""
