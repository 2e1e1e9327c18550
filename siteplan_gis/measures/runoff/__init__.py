"""Where runoff goes over the ground: ground made ready, paths, their doubt, and the ground that drains to a place."""
