"""The upper bound: one episode, the two propositions, the theorem, and what follows from it."""

ORDER = (
    "episode",
    "probabilities",
    "number_of_jumps",
    "rates",
    "theorem",
    "any_delta",
    "repaired",
    "every_horizon",
    "smaller_bonus",
    "corollary",
    "lambda_min",
    "lazy",
)
