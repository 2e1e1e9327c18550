"""Who governs a place: municipalities, their reach, and how overlapping reaches are divided."""
