r""":math:`\delta = 1/(2KH)` belongs to the statement of ``thm:CT-UCB``: with some others the bound is false.

:math:`\delta \in (0,1)` is an input of CT-UCBVI, and the theorem does not name it.  Let two states take
turns, with two actions in each, *good* (:math:`r = 1`) and *bad* (:math:`r = 0`), all rates
:math:`\frac1{10} = \lambda_{\min} = \lambda_{\max}`, :math:`H = 1`, :math:`K = 10^{10}`,
:math:`\ln(1/\delta) = 10^{13}`, :math:`\epsilon_k = 2^{-(k+1)}`.  Then

* :math:`T^k \le K < L(\delta)/\lambda_{\max}`, so :math:`\beta = \lambda_{\max}` throughout, and the bonus is
  :math:`b = C(\frac1{10} + \sqrt{2\Lambda/\max\{1,N\}})` with :math:`C = 1.0508`, :math:`\Lambda \ge
  10^{13}`;
* if :math:`N_{good} \ge 2M`, :math:`M = \max\{1,N_{bad}\}`, in a state, then with :math:`s =
  \sqrt{2\Lambda/M}` and for every remaining time :math:`t \le 1` the good action has the score
  :math:`\mathcal T^{a,k}\hat V \le (1 + b_{good})t + t`, the bad one at least
  :math:`b_{bad}\,w(\lambda_{\max},t) \ge 0.951\,b_{bad}\,t`, which is more for :math:`s \ge 9`; so the bad
  one is played in the whole episode;
* :math:`s \ge 9` unless :math:`M > \Lambda/41 > 2\cdot10^{11}`, far beyond the number of all jumps, which is
  Poisson with mean :math:`10^9`;
* hence :math:`N_{good} \le 2M + J` in each state, :math:`J` the largest number of jumps of an episode,
  :math:`EJ \le 8`; with :math:`E(N_{good}+N_{bad}) = \lambda KH = 10^9` and :math:`EN_{bad} = \lambda
  ET_{bad}` the time in the bad action, which is the regret, is at least :math:`K/3 - 100`.

The right-hand side of ``eq:regret-bound`` is :math:`0.156K`.
"""

from __future__ import annotations

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.theorem import stuck
from verify.claims import Domain, Remark, Section

section = Section(checks=PROOF, expected="proved")

section.repair(
    "thm:CT-UCB/any-delta/scores",
    "0.951 b_bad > 2 + b_good for b_bad = C(1/10 + s), b_good <= C(1/10 + s/√2), s >= 9 and C between 1.05 "
    "and 1.06: the bad action has the larger score.",
    says="951/1000*C*(1/10 + s) > 2 + C*(1/10 + s/sqrt(2))",
    domain=("21/20 <= C <= 53/50", "s >= 9"),
    mutant=Domain.of("21/20 <= C <= 53/50", "s >= 7"),
)

section.step(
    "thm:CT-UCB/any-delta",
    "eq:regret-bound holds for CT-UCBVI with every δ in (0, 1). (Two states that take turns, a good action "
    "with r = 1 and a bad one with r = 0 in each, all rates 1/10, H = 1, K = 10^10, ln(1/δ) = 10^13, ε_k = "
    "2^(-k-1): the bonus never lets go of the bad action, and the regret is at least K/3 - 100 > 0.156 K, "
    "the bound. By hand: the bad action is played wherever N_good >= 2 max(1, N_bad), so that it has a third "
    "of the 10^9 jumps.)",
    uses="thm:CT-UCB/any-delta/scores eq:term1-3",
    checks=stuck(),
    argued="that the regret of this learner is at least K/3 - 100, by the four points of the module: a lower "
    "bound for one model and its numbers, where what is derived are upper bounds for all; the language could "
    "say it, and no derivation of it is written",
    expected="refuted",
    latex=r"\text{eq:regret-bound for every}\ \delta\in(0,1)",
    mutant=stuck(10**8),  # few episodes: the bound is above K
    finding=Remark(
        "statement",
        "δ is a free input of the algorithm and the theorem does not name it.",
        details="With δ so small that the bonus never lets go the regret is linear, K/3, where the bound is "
        "0.156 K (H = 1, K = 10^10): δ = 1/(2KH), which the proof takes, is part of the statement.",
        repair="thm:CT-UCB/repaired",
    ),
)
