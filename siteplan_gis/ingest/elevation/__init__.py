"""Elevation rasters: one file or tiles, their unit, what they leave out."""
