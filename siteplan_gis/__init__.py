"""Checks a construction site's erosion-control site map against a village's ordinance, and shows the answer on a map."""

__version__ = "0.1.0"
