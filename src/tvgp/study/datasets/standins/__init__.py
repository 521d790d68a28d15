"""Stand-ins: made-up data in the format of the real files, and marked as such in them."""
