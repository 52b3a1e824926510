"""What the checks draw, compute and simulate; the claims are elsewhere."""
