"""Other ways to the same posterior, with the interface of `tvgp.posterior` engines."""
