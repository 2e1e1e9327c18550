"""What every reader of a plan yields: drawn layers, their fields, levels and place."""
