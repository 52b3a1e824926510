"""How often the confidence sets cover, for all episodes and all pairs at once: by experiment.

The experiments are described in :mod:`proofs_checks.checks.coverage`; the sets are those of the compiled
learner.  A radius of a tenth of its size must fail them.
"""

from __future__ import annotations

from proofs_checks.checks.coverage import (
    JUMPS,
    OWN_EPISODES,
    RATES,
    WORST_EPISODES,
    adversary,
    learner,
    two_by_two,
)
from verify.claims import Section

section = Section(expected="supported", latex=r"\mathbb P(\text{all sets cover}) \ge 1-\delta")

_SETTING = "two states, two actions, rates 3, 5, 2, 7, random jumps, H = 1, δ = 1/5"
_OWN = f"CT-UCBVI itself, K = {OWN_EPISODES}"
_WORST = (
    "a policy that pursues the pair nearest to missing and leaves it alone once it has missed, "
    f"K = {WORST_EPISODES}"
)

for _lemma, _sets, _kind in (("lem:rateUCB", "rate sets", RATES), ("lem:CI-p", "jump sets", JUMPS)):
    for _name, _who, _experiment in (("learner", _OWN, learner), ("adversary", _WORST, adversary)):
        section.step(
            f"{_lemma}/coverage-{_name}",
            f"P(the {_sets} of all pairs cover in all episodes) >= 1 - δ for the data of {_who} "
            f"({_SETTING}).",
            checks=_experiment(two_by_two(), _kind),
            mutant=_experiment(two_by_two(), _kind, scale=0.1),
        )
