"""The estimates and radii of CT-UCBVI, its value iteration, and its policies."""

ORDER = ("estimates", "iteration", "policies")
