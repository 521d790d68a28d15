"""Code shared by analyses."""
