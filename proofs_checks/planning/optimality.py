r"""``eq:Qa``: the operators, and that the fixed point of :math:`G` is the optimal value.

A policy chooses an action when a state is entered and holds it until the next jump. Its value satisfies
:math:`V^\pi = \mathcal T^\pi V^\pi \le G V^\pi`; :math:`G` is monotone and a contraction, so :math:`V^\pi`
is at most the fixed point of :math:`G`, and a policy that maximises :math:`\mathcal T^a V^*` earns that.
The steps are claims; the conclusion is tested on drawn models and policies with certified values.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.optimality import (
    ADJUSTABLE,
    COMMITTED,
    attained,
    dominated,
    images,
    ordered,
    two_forms,
)
from proofs_checks.derivations import functions, operators, optimality
from proofs_checks.derivations.setting import ANY
from verify.claims import Domain, Section

section = Section(checks=PROOF, expected="proved", setting=ANY, symbols={"l": "λ", "rho": "ρ", "r": "r(x,a)"})

section.claim(
    "eq:Qa",
    "The two forms of T^a agree: E[min(t,τ)] = ∫exp(-λs)ds for τ exponential with rate λ, and for u(y,w) "
    "= 1 - exp(-cw), every c > 0, the expectation of u(Y,(t-τ)⁺) is the integral up to t. (Exponentials "
    "tell two measures on [0,t] apart. Without u(·,0) = 0 the expectation has exp(-λt)u(Y,0) more.)",
    checks=two_forms(),
    mutant=two_forms(at_zero=1),  # functions that do not vanish at 0
)

section.claim(
    "eq:Qa/into",
    "T^a and G map 𝕄 into 𝕄: for 0 <= u <= m, T^a u is at least 0 (each term is), 0 at t = 0, and at most t "
    "+ m; a maximum of finitely many such functions is one.",
    says="r*(1 - exp(-l*t))/l + m*(1 - exp(-l*t)) <= t + m",
    domain=("l > 0", "t >= 0", "0 <= r <= 1", "m >= 0"),
    theorem=functions.INTO,
    derivation=functions.into,
    checks=(images(), *PROOF),
    mutant=images(Fraction(-1)),
)

section.step(
    "eq:Qa/into/lower",
    "T^a u >= 0 for u >= 0 and r >= 0 (with m >= 0 a value of Σ_y u(y,·)p(y) in the mean).",
    elementary=True,
    says="0 <= r*(1 - exp(-l*t))/l + m*(1 - exp(-l*t))",
    domain=("l > 0", "t >= 0", "0 <= r <= 1", "m >= 0"),
    mutant=Domain.of("l > 0", "t >= 0", "-1 <= r <= 1", "m >= 0"),  # rewards of either sign
)

section.claim(
    "eq:Qa/monotone",
    "T^a is monotone: u <= v on [0,t] gives T^a u <= T^a v at t, since under the integral u and v have the "
    "same weight λexp(-λs)p(y) >= 0. So are G and the truncated map, with any rates λ >= 0, rows p >= 0 and "
    "bonus.",
    says="l*exp(-l*s)*p*u <= l*exp(-l*s)*p*v",
    domain=("l > 0", "s >= 0", "0 <= p <= 1", "u >= 0", "u <= v"),
    theorem=operators.MONOTONE,
    derivation=operators.monotone,
    checks=(ordered(), *PROOF),
    mutant="l*exp(-l*s)*p*v <= l*exp(-l*s)*p*u",
)

section.step(
    "eq:Qa/optimality/unique",
    "V = GV has at most one bounded solution on [0,H]: the distance d of two solutions satisfies d <= ρd "
    "with ρ < 1 (n times: d <= ρⁿd, for every n).",
    says="d <= 0",
    domain=("d >= 0", "0 <= rho < 1", "d <= rho*d"),
    theorem=optimality.UNIQUE,
    derivation=optimality.unique,
    mutant=Domain.of("d >= 0", "0 <= rho <= 1", "d <= rho*d"),  # a map that is only non-expansive
)

section.claim(
    "eq:Qa/optimality",
    "V*, the limit of V*_{n+1} = G V*_n from 0, is the only bounded solution of V = GV on [0,H]; no policy "
    "earns more, and one that maximises T^a V* earns as much. (T^π u <= Gu, so the values of a policy up to "
    "its n-th jump are at most V*_n.)",
    uses="eq:Qa/monotone eq:Qa/optimality/unique lem:optimism/value-bound lem:optimism/value-bound/iterates",
    theorem=optimality.OPTIMALITY,
    derivation=optimality.optimality,
    checks=(dominated(COMMITTED), attained(COMMITTED)),
    latex="V^* = GV^*",
    mutant=dominated(ADJUSTABLE, by=COMMITTED),
)

section.claim(
    "eq:Qa/verification",
    "A policy that takes an action maximising T^a V*(x,t), for 0 <= t <= H, earns V*.",
    uses="eq:Qa/monotone eq:Qa/optimality lem:optimism/value-bound",
    theorem=optimality.VERIFICATION,
    derivation=optimality.verification,
    checks=attained(COMMITTED),
    mutant=attained(COMMITTED, taken_from=ADJUSTABLE),
)
