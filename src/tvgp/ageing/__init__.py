"""The papers' observation model of ageing data taken literally: a test bed without drift."""
