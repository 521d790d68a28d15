"""Time-varying Gaussian-process bandits: algorithms, environments and the study."""
