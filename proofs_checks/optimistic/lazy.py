r"""The optimistic learner that plans less often: before an episode if its data have grown enough.

With :math:`\eta \ge 0` it keeps its sets, :math:`\hat Q` and its policy while no pair has more than
:math:`1+\eta` times the jumps, counted from 1 on, or :math:`1+\eta` times the time, counted from :math:`T_0`
on, of the last plan: :math:`N \le (1+\eta)\max\{1,N'\}`, :math:`T \le (1+\eta)\max\{T',T_0\}`, where
:math:`T_0 = L/\lambda_{\max}`, and :math:`3l/\lambda_{\max}` with Poisson tails.  The sets are right at all
times, so those of the last plan are, and a radius by :math:`N' \ge N/(1+\eta)` jumps is at most
:math:`\sqrt{1+\eta}` times that by N.  In the bounds :math:`(1+\eta)a^2` and :math:`(1+\eta)L`, or
:math:`(1+\eta)l`, take the places of :math:`a^2` and L, or l; :math:`a_1` and all else stays, since what is
paid before any data are known does not depend on them.

A learner that plans more often than the rule says, before every episode for one, has these facts too.
"""

from __future__ import annotations

from functools import partial

from proofs_checks.checks.common import PROOF
from proofs_checks.derivations import optimistic_poisson as poisson
from proofs_checks.derivations import optimistic_theorem as derived
from proofs_checks.derivations.optimistic_row_sets import Divergences, Tilts, Uniform
from proofs_checks.derivations.setting_optimistic import (
    LAZY,
    LAZY_KL,
    LAZY_POISSON,
    LAZY_POISSON_KL,
    LAZY_POISSON_TILTED,
    LAZY_TILTED,
)
from verify.claims import Section

UNIFORM, KL, TILTS = Uniform(), Divergences(), Tilts()
_CORE = "thm:CT-UCB/equation eq:error1/equation eq:error2/equation eq:term1-3/tilted"
_PAPER = (
    "prop:rateerror/times lem:rateUCB/repaired thm:CT-UCB/peels eq:FH-control2/bounds prop:rateerror/episodes"
)
_TAILS = (
    "lem:optimism/equation/bounds lem:optimism/equation/slopes prop:rateerror/times prop:rateerror/times/log "
    "lem:rateUCB/tilts lem:rateUCB/tilts/cost lem:rateUCB/tilts/enough"
)
_UNIFORM = "prop:proberror/rows lem:CI-p/uniform"
_KL = "prop:proberror/rows/kl lem:CI-p/kl lem:CI-p/kl/pinsker lem:CI-p/kl/binomial"
_TILTED = "prop:proberror/rows/tilts lem:CI-p/tilts lem:CI-p/tilts/radius"
_LATEX = r"Regret \le \sqrt2H\sqrt{(1+\eta)SAKv}\,(a+2\sqrt L)+SAH\,(a_1\mathbb EJ_M+v)+2\delta KH"
_LATEX_POISSON = (
    r"Regret \le \sqrt2H\sqrt{(1+\eta)SAKv}\,a+3\sqrt3H\sqrt{SAK(1+\eta)l}+SAH\,(\ldots)+2\delta KH"
)

section = Section(checks=PROOF, expected="proved", symbols={"r": "λmax", "b": "1 + η"})

section.repair(
    "thm:CT-UCB/optimistic/lazy",
    "The optimistic learner of thm:CT-UCB/optimistic that plans again before an episode wherever (and "
    "perhaps not only where) a pair has more than 1 + η times the jumps, counted from 1, or more than 1 + η "
    "times the time, counted from L/λmax, that it had at the last plan, η >= 0, and otherwise keeps its "
    "sets and policy: its regret is at most √2 H √((1+η)SAKv)(a + 2√L) + SA H (a1 (ln K + v(e^h - 1))/h + v) "
    "+ 2δKH, for every K >= 1, H > 0, δ in (0, 1), rates in [0, λmax] and h > 0; with δ = 1/(2K) the last "
    "term is H. The radius of a rate by the time of the plan, m = max{T', L/λmax} >= T/b, b = 1 + η, is at "
    "most that by T with bL in the place of L, r = λmax.",
    says="sqrt(r*L/m) <= sqrt(r*(b*L)/T)",
    domain=("r > 0", "L > 0", "b >= 1", "m > 0", "T > 0", "T <= b*m"),
    setting=LAZY,
    uses=f"{_CORE} {_PAPER} {_UNIFORM}",
    theorem=derived.theorem(UNIFORM),
    derivation=partial(derived.optimistic, rows=UNIFORM),
    latex=_LATEX,
    mutant="sqrt(r*L/m) <= sqrt(r*L/T)",
)

section.repair(
    "thm:CT-UCB/optimistic/poisson/lazy",
    "The optimistic learner of thm:CT-UCB/optimistic/poisson that plans again before an episode wherever "
    "(and perhaps not only where) a pair has more than 1 + η times the jumps, counted from 1, or more than "
    "1 + η times the time, counted from 3l/λmax, that it had at the last plan, η >= 0: its regret is at "
    "most the bound there with (1 + η)a² and (1 + η)l in the places of a² and l, √2 H √((1+η)SAKv) a + 3√3 "
    "H √(SAK(1+η)l) + SA H (a1 (ln K + v(e^h - 1))/h + v/2 + (3√3/4)√v + 3(1+η)l(1 + ln(1 + "
    "Kv/(6(1+η)lSA)))) + 2δKH. The price 3lt/m by the time of the plan, m >= T/b, b = 1 + η, is at most "
    "3(bl)t/T.",
    says="3*l*t/m <= 3*(b*l)*t/T",
    domain=("l > 0", "t >= 0", "b >= 1", "m > 0", "T > 0", "T <= b*m"),
    setting=LAZY_POISSON,
    uses=f"{_CORE} {_TAILS} {_UNIFORM}",
    theorem=poisson.theorem(UNIFORM),
    derivation=partial(poisson.poisson, rows=UNIFORM),
    latex=_LATEX_POISSON,
    mutant="3*l*t/m <= 3*l*t/T",
)

section.repair(
    "thm:CT-UCB/optimistic/kl/lazy",
    "The learner of thm:CT-UCB/optimistic/lazy with the rows of lem:CI-p/kl: the same bound "
    "with the a and a1 of thm:CT-UCB/optimistic/kl.",
    setting=LAZY_KL,
    uses=f"{_CORE} {_PAPER} {_KL}",
    theorem=derived.theorem(KL),
    derivation=partial(derived.optimistic, rows=KL),
    latex=_LATEX,
)

section.repair(
    "thm:CT-UCB/optimistic/kl-poisson/lazy",
    "The learner of thm:CT-UCB/optimistic/poisson/lazy with the rows of lem:CI-p/kl: the same bound "
    "with the a and a1 of thm:CT-UCB/optimistic/kl.",
    setting=LAZY_POISSON_KL,
    uses=f"{_CORE} {_TAILS} {_KL}",
    theorem=poisson.theorem(KL),
    derivation=partial(poisson.poisson, rows=KL),
    latex=_LATEX_POISSON,
)

section.repair(
    "thm:CT-UCB/optimistic/tilts/lazy",
    "The learner of thm:CT-UCB/optimistic/lazy with the rows of lem:CI-p/tilts/radius: the same bound "
    "with the a and a1 of thm:CT-UCB/optimistic/tilts.",
    setting=LAZY_TILTED,
    uses=f"{_CORE} {_PAPER} {_TILTED}",
    theorem=derived.theorem(TILTS),
    derivation=partial(derived.optimistic, rows=TILTS),
    latex=_LATEX,
)

section.repair(
    "thm:CT-UCB/optimistic/tilts-poisson/lazy",
    "The learner of thm:CT-UCB/optimistic/poisson/lazy with the rows of lem:CI-p/tilts/radius: the same "
    "bound with the a and a1 of thm:CT-UCB/optimistic/tilts.",
    setting=LAZY_POISSON_TILTED,
    uses=f"{_CORE} {_TAILS} {_TILTED}",
    theorem=poisson.theorem(TILTS),
    derivation=partial(poisson.poisson, rows=TILTS),
    latex=_LATEX_POISSON,
)
