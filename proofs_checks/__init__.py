"""The assertions of the paper as claims, filed as the paper is; the helpers of the checks in ``checks``."""

from verify.source import Source

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
    "optimistic",
)

SOURCE = Source(
    package="proofs_checks",
    code=("ctucbvi",),
    command="ctucbvi",
    whose="the paper's",
    offers=("contraction", "optimism", "lipschitz", "coverage"),
    supplement="ctucbvi.commands.report",
)
