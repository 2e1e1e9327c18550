"""Sheets of a plan: PDF and pictures."""
