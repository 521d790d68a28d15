"""Measurements that claims name: one function per kind of claim, one file per topic.

A measurement takes the collected results of one experiment or analysis (or, for a claim judged on
several together, a mapping from their names) and its arguments. It returns the estimate and what
the claim says about it, `tvgp.study.claims.claim.Measured`, or raises `NotComparable` where the
results cannot decide the claim. `tvgp.study.claims.judge` decides the verdict.
"""
