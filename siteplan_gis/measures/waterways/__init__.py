"""Drawn drainage as a network: what lies downstream, and what has no outlet."""
