"""A learner that plays the best model of its confidence sets: its sets, its equation, and its regret."""

ORDER = ("sets", "equation", "counts", "theorem", "lazy")
