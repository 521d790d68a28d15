"""Optimisers of other libraries on the unit cube, one file each, with the interface of
`tvgp.contracts.PointPolicy` for batches of one point. None of them but `botorch_time` and `wdbo` sees t.

make(domain, horizon, rng) -> a fresh player of rewards to be maximised.
"""
