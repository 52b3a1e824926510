"""The claims of the paper, each with the checks that decide it."""

from verify.source import Source

SOURCE = Source(
    package="proofs_checks",
    code=("ctucbvi",),
    command="ctucbvi",
    whose="the paper's",
    offers=("contraction", "optimism", "lipschitz", "coverage"),
)
