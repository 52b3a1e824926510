"""The lower bound, its repaired proof, and how its assumptions can be read."""

ORDER = ("theorem", "repaired", "run", "readings", "sizes")
