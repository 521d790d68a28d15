"""Mutations of raw files and configurations, and tables of many forms: refused in one line or read right."""
