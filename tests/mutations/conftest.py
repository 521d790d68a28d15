"""Few, fixed mutations in `make test`; many, by seed, in `make mutations`."""

from hypothesis import HealthCheck, settings

common = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck), "print_blob": True}
settings.register_profile("fixed", derandomize=True, max_examples=4, **common)
settings.register_profile("mutations", max_examples=50, **common)
settings.load_profile("fixed")
