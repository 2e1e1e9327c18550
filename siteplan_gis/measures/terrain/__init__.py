"""Grids of elevations: steep ground under polygons, noise, stairs and seams, cells that a shape covers."""
