"""Readers of vector formats: one file for each, all yield drawn layers."""
