"""Surfaces from contour lines and triangles, and what the lines themselves show."""
