"""The assertions of the paper as claims, filed as the paper is; the helpers of the checks in ``checks``."""

ORDER = (
    "setting",
    "planning",
    "algorithm",
    "confidence",
    "optimism",
    "model_error",
    "regret",
    "lower_bound",
    "simulation",
)
