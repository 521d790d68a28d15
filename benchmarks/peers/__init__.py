"""Other implementations of the posterior, with the interface of `tvgp.posterior` engines."""
