"""What people write beside a plan: manifest, overrides, permit, soil loss, earlier reviews."""
