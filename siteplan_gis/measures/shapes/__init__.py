"""Areas, distances and neighbours of drawn shapes."""
