"""Measurements that claims name: one function per kind of claim, one file per topic.

A measurement takes the collected results of one experiment or analysis (or, for a claim judged on
several together, a mapping from their names) and its arguments, and returns what was measured with
what the claim says of it, `tvgp.study.claims.claim.Measured`. `NotComparable` says why results
say nothing of a claim. The verdict is decided in `tvgp.study.claims.judge`.
"""
