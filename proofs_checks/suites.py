r"""Property suites by name, on random models or on one of the user's.

``contraction``
    :math:`\|\mathcal T u - \mathcal T v\| \le (1-e^{-\lambda_{\max}H})\|u-v\|` for the operators of estimated
    models, for value iteration with its maximum and with its truncation, and the stopping error
    ``eq:error-vi``.
``optimism``
    ``lem:optimism``, with the estimates on the boundary of their confidence sets.
``lipschitz``
    The Lipschitz bounds of :math:`\lambda e^{-\lambda s}` and :math:`\int_0^te^{-\lambda s}ds`, and what
    ``lem:error-model`` makes of them.
``coverage``
    The confidence sets of :math:`\lambda` and :math:`p` that the learners use, of every kind, for all
    episodes and pairs at once, on the data of the learner and of an adversary; and their numbers against the
    formulas.

A suite is a handful of claims, built by the functions that build the paper's claims, with the model in the
place of the strategy that draws one.  Costs are rewards with a minus sign, and rewards outside [0, 1] are
mapped into it; neither changes a choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ctucbvi import InputError, find_model
from ctucbvi.learning.settings import rescaling
from ctucbvi.model import CTMDP
from proofs_checks.checks.common import PROOF, WAIT
from proofs_checks.checks.contraction import contracted, contracted_iterates, stopped_error
from proofs_checks.checks.coverage import (
    DELTA,
    JUMPS,
    KL,
    L1,
    OWN_EPISODES,
    PAPER,
    POISSON,
    RATES,
    WORST_EPISODES,
    World,
    adversary,
    learner,
    two_by_two,
)
from proofs_checks.checks.model_error import HALF, ONE, operator_error, row_error
from proofs_checks.checks.optimism import difference, iterates, values
from proofs_checks.checks.perturbed import EVERY, looks, places
from proofs_checks.checks.set_formulas import agreement
from verify.claims import Check, Claim, Domain, claim, increasing
from verify.provers.search import Search
from verify.provers.statistical import Statistical

_COSTLY = 150  # pairs times λmax H, from which on a second iteration in closed form takes too long


@dataclass(frozen=True)
class Subject:
    """What a suite is about, and how many examples each of its checks may look at."""

    model: CTMDP | None = None
    examples: int | None = None  # None: as many as the check takes by itself

    def __str__(self) -> str:
        if self.model is None:
            return "random models"
        found = self.model
        data = found.digest[:12]  # another model, other results
        load = float(found.max_rate * found.horizon)
        return f"model {found.name!r} (S = {len(found.states)}, λmax H = {load:.4g}, digest {data})"

    def told(self, check: Check) -> Check:
        """The check with this number of examples; on a model of the user's, a part of its own number.

        The cost of an example grows faster than the model: their number falls with the number of states.
        """
        if self.examples is not None and isinstance(check, Search):
            return replace(check, examples=(self.examples, self.examples))
        if self.model and isinstance(check, Search) and check.given is not None and check.examples:
            quick, thorough = check.examples  # for models that are smaller than most people's
            part = max(5, 2 * len(self.model.states))
            return replace(check, examples=(max(10, quick // part), max(10, thorough // part)))
        if self.examples is not None and isinstance(check, Statistical):
            return replace(check, trials=(self.examples, self.examples))
        return check

    def steps(self, most: int) -> int:
        """How many iterations an example may ask for: fewer where one of them costs much."""
        if self.model is None:
            return most
        cost = len(self.model.pairs) * self.model.max_rate * self.model.horizon
        return min(most, 1 + (cost <= _COSTLY) + (cost <= _COSTLY / 3))

    def claim(self, label: str, statement: str, source: str, *checks: Check) -> Claim:
        """A claim about the subject."""
        verdict = "supported" if isinstance(checks[0], Statistical) else "tested"
        text = f"{statement} On {self}."
        return claim(label, text, source=source, checks=[self.told(c) for c in checks], expected=verdict)


def contraction(on: Subject) -> Sequence[Claim]:
    """The maps that value iteration applies contract, and it stops where it should."""
    rho = "(1 - exp(-λmax H))"
    by = f"‖V_(n+1) - V_n‖ <= {rho} ‖V_n - V_(n-1)‖"
    return (
        on.claim(
            "contraction/operator",
            f"‖T^a u - T^a v‖ <= {rho} ‖u - v‖ for estimates on the boundary.",
            "lem:optimism",
            contracted(model=on.model),
        ),
        on.claim(
            "contraction/maximum",
            f"{by} for value iteration.",
            "lem:optimism",
            contracted_iterates(truncate=False, model=on.model),
        ),
        on.claim(
            "contraction/truncated",
            f"{by} with min{{t, ·}} and thrice the rewards.",
            "lem:optimism",
            contracted_iterates(truncate=True, model=on.model),
        ),
        on.claim(
            "contraction/stopping",
            "‖V_∞ - V_n‖ <= ε exp(λmax H) where ‖V_n - V_(n-1)‖ <= ε.",
            "eq:error-vi",
            stopped_error(model=on.model, finest=1 + on.steps(2)),
        ),
    )


def optimism(on: Subject) -> Sequence[Claim]:
    """The computed values are upper bounds, with the estimates on the boundary."""
    where = places(kinds=EVERY, max_steps=on.steps(3), model=on.model)
    return (
        on.claim(
            "optimism/step",
            "T^a V̂_n exceeds T^a V*_n by what eq:diff says.",
            "eq:diff",
            replace(difference(), given=places(max_steps=on.steps(2), model=on.model)),
        ),
        on.claim(
            "optimism/iterates",
            "V*_n <= V̂_n with the bonus of eq:bonus-k.",
            "lem:optimism",
            replace(iterates(ONE), given=where),
        ),
        on.claim(
            "optimism/values",
            "V* <= V̂ + ε exp(λmax H) with the bonus of eq:bonus-k.",
            "lem:optimism",
            replace(values(ONE), given=where),
        ),
    )


def lipschitz(on: Subject) -> Sequence[Claim]:
    """The two Lipschitz bounds, over the rates and times of the subject, and the error of the operator."""
    end = "" if on.model is None else f" <= {on.model.horizon}"
    top = "" if on.model is None else f" <= {on.model.max_rate}"
    times = Domain.of(f"0 <= l{top}" if top else "l >= 0", f"0 <= t{end}" if end else "t >= 0")
    where = looks(model=on.model)
    return (
        claim(
            "lipschitz/density",
            f"|d/dλ λ exp(-λt)| = |(1 - λt) exp(-λt)| <= 1, squared. On {on}.",
            says="((1 - l*t)*exp(-l*t))**2 <= 1",
            domain=times,
            source="lem:error-model",
            checks=[on.told(check) for check in PROOF],
            expected="proved",
        ),
        claim(
            "lipschitz/waiting",
            f"∫_0^t exp(-λs) ds falls by at most t²/2 times the change of λ. On {on}.",
            says=increasing(f"{WAIT} + l*t**2/2", "l", times),
            domain=times,
            source="lem:v-v-continuoustime",
            checks=[on.told(check) for check in PROOF],
            expected="proved",
        ),
        on.claim(
            "lipschitz/rows",
            "|Σ f(y) (p̂(y) - p(y))| <= u ‖p̂ - p‖₁ for 0 <= f <= u.",
            "eq:error2",
            replace(row_error(ONE, EVERY), given=where),
        ),
        on.claim(
            "lipschitz/operator",
            "Estimates change an application of the operator by at most t²β/2 + tα.",
            "lem:error-model",
            replace(operator_error(HALF, ONE), given=where),
        ),
    )


_KINDS = (  # of sets, what they are in the learner, and what says that they cover
    (RATES, "rates, of the bonus", "lem:rateUCB"),
    (JUMPS, "jumps, of the bonus", "lem:CI-p"),
    (PAPER, "rates, --rates paper", "lem:rateUCB"),
    (POISSON, "rates, --rates poisson", "lem:rateUCB/tilts"),
    (L1, "jumps, --jumps l1", "lem:CI-p/uniform"),
    (KL, "jumps, --jumps kl", "lem:CI-p/kl"),
)


def coverage(on: Subject) -> Sequence[Claim]:
    """All confidence sets of all episodes cover at once, with probability at least 1 - δ."""
    world = two_by_two() if on.model is None else World(on.model)
    subject = replace(on, model=world.model)
    found = []
    for kind, words, source in _KINDS:
        text = f"P(the sets of all pairs cover in all episodes) >= {1 - DELTA}: sets of {words},"
        found += [
            subject.claim(
                f"coverage/{kind.name}-learner",
                f"{text} data of the learner, K = {OWN_EPISODES}.",
                source,
                learner(world, kind),
            ),
            subject.claim(
                f"coverage/{kind.name}-adversary",
                f"{text} data of an adversary, K = {WORST_EPISODES}.",
                source,
                adversary(world, kind),
            ),
        ]
    numbers = on.claim(
        "coverage/formulas",
        "The numbers of all sets, in the kernels, in doubles and in balls, are those of their formulas.",
        "eq:beta-k",
        agreement(on.model),
    )
    return (*found, numbers)


_BUILDERS = {
    "contraction": contraction,
    "optimism": optimism,
    "lipschitz": lipschitz,
    "coverage": coverage,
}


def _subject(model: str | None, examples: int | None) -> Subject:
    if model is None:
        return Subject(examples=examples)
    found = find_model(model)
    if any(row.lump for row in found.transitions):
        raise InputError(
            f"model {found.name!r} has lumps at jumps, and the paper has none; where their worth per unit of "
            "time is known, write it as the reward rate"
        )
    if found.pays_choices:
        raise InputError(
            f"model {found.name!r} has rewards for choosing, and the paper has none; leave them out"
        )
    found = found.plain()  # costs are rewards with a minus sign
    if found.pays_at_end:
        raise InputError(f"model {found.name!r} has a terminal reward, and the paper has none; leave it out")
    rewards = [row.reward for row in found.transitions]
    if not 0 <= min(rewards) <= max(rewards) <= 1:
        found = found.with_rewards(*rescaling(found))
    return Subject(found, examples)


def _suite(
    build: Callable[[Subject], Sequence[Claim]],
) -> Callable[[str | None, int | None], Sequence[Claim]]:
    return lambda model, examples: build(_subject(model, examples))


SUITES: Mapping[str, Callable[[str | None, int | None], Sequence[Claim]]] = {
    name: _suite(build) for name, build in _BUILDERS.items()
}
