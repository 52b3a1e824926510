r"""The setting of the derivations: the model, its values, and a learner's run.

**The run is one sequence of decisions** n = 0, 1, 2, …, through all episodes: at decision n the learner is
in state ``X(n)``, in episode ``ep(n)`` (counted from 0), with remaining time ``rem(n)``, and commits to
``act(n)``.  The holding time is exponential; ``spent(n)`` is the part of it within the horizon; ``jump(n)``
is 1 if a jump ends it and 0 if the horizon does; then the next decision is the first of the next episode
(``new(n + 1) = 1``).  F(n) is what is known when decision n is made.  The paper's double sums over episodes k
and decisions m are sums over n, with :math:`(H - t_m^k)^+` = ``rem(n)`` (terms with :math:`t_m^k > H` are 0):
nothing is conditioned on the future, and every sum is finite until the last step.

``N``, ``T``, ``M`` are the counts of observed jumps, the times spent and the counts of jumps to a state, up
to decision n; ``Nf``, ``Tf``, ``Mf`` the same when the episode began, which is what the learner uses.

Symbols whose names begin with g are generic: they stand for every function of their kind.
"""

from __future__ import annotations

from proofs_checks.derivations import setting_confidence, setting_counts, setting_planning
from verify.kernel.language import Fact, Setting
from verify.kernel.terms import Symbol


def operator(action: str, values: str, state: str = "x", time: str = "t") -> str:
    """T^a u(x, t) of the model; ``values`` is a pattern of y and s, for example ``V(n, {y}, {s})``."""
    return _operator("lam", "p", "r", action, values, state, time)


def estimated(action: str, values: str, state: str = "x", time: str = "t") -> str:
    """T^{a,k} u(x, t) of the generic estimates, with the bonus."""
    reward = f"(r({state}, {action}) + gbon({state}, {action}))"
    return _operator("glam", "gp", reward, action, values, state, time)


def learned(action: str, values: str, state: str = "x", time: str = "t") -> str:
    """T^{a,k} u(x, t) of the learner's estimates at decision n."""
    rate, at = f"lh(n, {state}, {action})", values.format(y="y", s=f"{time} - s")
    reward = f"(r({state}, {action}) + bo(n, {state}, {action}))"
    jumps = f"{rate}*exp(-{rate}*s)*SumOver(y, ph(n, {state}, {action}, y)*{at})"
    return f"{reward}*Int(s, {time}, exp(-{rate}*s)) + Int(s, {time}, {jumps})"


def _operator(rates: str, jumps: str, reward: str, action: str, values: str, state: str, time: str) -> str:
    rate = f"{rates}({state}, {action})"
    paid = reward if "(" in reward else f"{reward}({state}, {action})"
    at = values.format(y="y", s=f"{time} - s")
    inner = f"{rate}*exp(-{rate}*s)*SumOver(y, {jumps}({state}, {action}, y)*{at})"
    return f"{paid}*Int(s, {time}, exp(-{rate}*s)) + Int(s, {time}, {inner})"


_SA = ("State", "Action")
_SAY = ("State", "Action", "State")
_SR = ("State", "Real")

VARIABLES = {
    "State": "x y z",
    "Action": "a b",
    "Nat": "n m i k l",
    "Real": "s t u v w c d e q h",
}

MODEL = [
    *(Symbol(name, _SA, "Real") for name in ("lam", "r")),
    Symbol("p", _SAY, "Real"),
    *(Symbol(name, (), "Real") for name in ("lmin", "lmax", "H", "delta", "L", "C")),
    *(Symbol(name, (), "Nat") for name in ("K", "S", "A")),
    Symbol("x0", (), "State"),
    Symbol("eps", ("Nat",), "Real"),
    Symbol("V", ("Nat", *_SR), "Real"),
    Symbol("Vs", _SR, "Real"),
]

MODEL_FACTS = {
    "lmin": Fact("0 < lmin", "Assumption 1: rates are positive", "model"),
    "rate-low": Fact("lmin <= lam(x, a)", "Assumption 1", "model"),
    "rate-high": Fact("lam(x, a) <= lmax", "Assumption 1", "model"),
    "jump-low": Fact("0 <= p(x, a, y)", "probabilities", "model"),
    "jump-sum": Fact("SumOver(y, p(x, a, y)) == 1", "probabilities", "model"),
    "reward-low": Fact("0 <= r(x, a)", "Assumption 1: rewards in [0, 1]", "model"),
    "reward-high": Fact("r(x, a) <= 1", "Assumption 1", "model"),
    "horizon": Fact("0 < H", "the horizon", "model"),
    "episodes": Fact("1 <= K", "at least one episode", "model"),
    "states": Fact("SumOver(x, 1) == S", "S is the number of states"),
    "actions": Fact("SumOver(a, 1) == A", "A is the number of actions"),
    "states-some": Fact("1 <= S", "there is a state", "model"),
    "actions-some": Fact("1 <= A", "there is an action", "model"),
    "delta": Fact("And(0 < delta, delta < 1)", "a probability of failure", "model"),
    "L": Fact("L == 4*log(2*S*A*K/delta)", "L(δ), before eq:beta-k"),
    "C": Fact("C == Max(lmax/(1 - exp(-lmax*H)), 1)", "eq:bonus-k"),
    "accuracy": Fact("0 < eps(k)", "the accuracies of alg:VI", "model"),
    "V-0": Fact("V(0, x, t) == 0", "value iteration begins with 0"),
    "V-step": Fact(
        f"V(n + 1, x, t) == MaxOver(a, {operator('a', 'V(n, {y}, {s})')})", "value iteration, V_{n+1} = G V_n"
    ),
    "Vs": Fact(
        "Vs(x, t) == Sup(n, V(n, x, t))",
        "V*, as the limit of value iteration; eq:Qa/optimality: the optimal value",
    ),
}

RUN = [
    Symbol("X", ("Nat",), "State", "_1"),
    Symbol("act", ("Nat",), "Action", "_1"),
    Symbol("rem", ("Nat",), "Real", "_1"),
    Symbol("ep", ("Nat",), "Nat", "_1"),
    Symbol("new", ("Nat",), "Nat", "_1"),
    Symbol("jump", ("Nat",), "Nat", "_1 + 1"),
    Symbol("spent", ("Nat",), "Real", "_1 + 1"),
    *(Symbol(name, ("Nat", *_SA), "Nat", "_1") for name in ("N", "Nf")),
    *(Symbol(name, ("Nat", *_SA), "Real", "_1") for name in ("T", "Tf")),
    *(Symbol(name, ("Nat", *_SAY), "Nat", "_1") for name in ("M", "Mf")),
]

_HERE = "Ind(X(n) == x)*Ind(act(n) == a)"
_RATE = "lam(X(n), act(n))"

RUN_FACTS = {
    "start": Fact("And(X(0) == x0, rem(0) == H, ep(0) == 0, new(0) == 1)", "the first episode begins"),
    "jump": Fact("jump(n) <= 1", "an indicator"),
    "spent-low": Fact("0 < spent(n)", "holding times are positive"),
    "spent-high": Fact("spent(n) <= rem(n)", "the horizon ends a sojourn"),
    "stays-rem": Fact("Imp(jump(n) == 1, rem(n + 1) == rem(n) - spent(n))", "the episode goes on"),
    "stays-ep": Fact("Imp(jump(n) == 1, ep(n + 1) == ep(n))", "the episode goes on"),
    "ends-spent": Fact("Imp(jump(n) == 0, spent(n) == rem(n))", "the horizon is reached"),
    "ends-rem": Fact("Imp(jump(n) == 0, rem(n + 1) == H)", "the next episode begins"),
    "ends-ep": Fact("Imp(jump(n) == 0, ep(n + 1) == ep(n) + 1)", "the next episode begins"),
    "ends-X": Fact("Imp(jump(n) == 0, X(n + 1) == x0)", "the next episode begins"),
    "new": Fact("new(n + 1) == 1 - jump(n)", "whether decision n + 1 is the first of an episode"),
    "law": Fact(
        f"E(jump(n)*glaw(n, spent(n), X(n + 1)), n) == Int(s, rem(n), {_RATE}*exp(-{_RATE}*s)"
        "*SumOver(y, p(X(n), act(n), y)*glaw(n, s, y)))",
        "the holding time is exponential, the jump independent of it, both independent of the past given the "
        "pair. That such a run exists for every learner: Ionescu-Tulcea (Kallenberg, Foundations of Modern "
        "Probability, 3rd ed., Theorem 8.24)",
        "axiom",
    ),
    "N-0": Fact("N(0, x, a) == 0", "no jump was seen"),
    "N-step": Fact(f"N(n + 1, x, a) == N(n, x, a) + {_HERE}*jump(n)", "eq:Nkplus: jumps that were seen"),
    "T-0": Fact("T(0, x, a) == 0", "no time was spent"),
    "T-step": Fact(f"T(n + 1, x, a) == T(n, x, a) + {_HERE}*spent(n)", "the time spent in the pair"),
    "M-0": Fact("M(0, x, a, y) == 0", "no jump was seen"),
    "M-step": Fact(
        f"M(n + 1, x, a, y) == M(n, x, a, y) + {_HERE}*jump(n)*Ind(X(n + 1) == y)",
        "jumps to y that were seen",
    ),
    **{
        f"{name}f-0": Fact(f"{name}f(0, x, a{more}) == 0", "what was known when the first episode began")
        for name, more in (("N", ""), ("T", ""), ("M", ", y"))
    },
    **{
        f"{name}f-step": Fact(
            f"{name}f(n + 1, x, a{more}) == "
            f"jump(n)*{name}f(n, x, a{more}) + (1 - jump(n))*{name}(n + 1, x, a{more})",
            "what was known when the episode began",
        )
        for name, more in (("N", ""), ("T", ""), ("M", ", y"))
    },
}

LEARNER = [
    *(Symbol(name, ("Nat", *_SA), "Real", "_1") for name in ("lh", "al", "be", "bo")),
    Symbol("ph", ("Nat", *_SAY), "Real", "_1"),
    Symbol("Vh", ("Nat", "Nat", *_SR), "Real", "_1"),
    Symbol("nk", ("Nat",), "Nat", "_1"),
    Symbol("pol", ("Nat", *_SR), "Action", "_1"),
    Symbol("Vp", ("Nat", "Nat", *_SR), "Real", "_1"),
    Symbol("Vpi", ("Nat", *_SR), "Real", "_1"),
]

_RETURNED = "Vh(n, nk(n) + 1, {y}, {s})"

LEARNER_FACTS = {
    "lh": Fact(
        "lh(n, x, a) == Min(Nf(n, x, a)/Tf(n, x, a), lmax)", "eq:rate-est; 0 without data, as 0/0 is 0"
    ),
    "ph": Fact("ph(n, x, a, y) == Mf(n, x, a, y)/Nf(n, x, a)", "eq:empirical-P; 0 without data"),
    "al": Fact(
        "al(n, x, a) == sqrt(2*(S*log(2) + log(S*A*H*K**2/delta))/Max(1, Nf(n, x, a)))", "α of lem:CI-p"
    ),
    "be": Fact("be(n, x, a) == sqrt(lmax*L/Max(Tf(n, x, a), L/lmax))", "eq:beta-k"),
    "bo": Fact("bo(n, x, a) == C*(H**2*be(n, x, a) + H*al(n, x, a))", "eq:bonus-k"),
    "Vh-0": Fact("Vh(n, 0, x, t) == 0", "alg:VI begins with 0"),
    "Vh-step": Fact(
        f"Vh(n, m + 1, x, t) == Min(t, MaxOver(a, {learned('a', 'Vh(n, m, {y}, {s})')}))",
        "eq:m-VI, with the bonus",
    ),
    "stop": Fact(
        "Imp(And(0 <= t, t <= H), Abs(Vh(n, nk(n) + 1, x, t) - Vh(n, nk(n), x, t)) <= eps(ep(n)))",
        "alg:VI stops (alg:VI/stops), and Vh(n, nk(n) + 1, ...) is what it returns",
    ),
    "greedy": Fact(
        f"Imp(And(0 <= t, t <= H), "
        f"{learned('pol(n, x, t)', _RETURNED)} == MaxOver(a, {learned('a', _RETURNED)}))",
        "eq:pi-k",
    ),
    "acts": Fact("act(n) == pol(n, X(n), rem(n))", "CT-UCBVI executes its policy"),
    "Vp-0": Fact("Vp(n, 0, x, t) == 0", "the value of a policy, by iteration"),
    "Vp-step": Fact(
        f"Vp(n, m + 1, x, t) == {operator('pol(n, x, t)', 'Vp(n, m, {y}, {s})')}",
        "sec:simulation, V^π = T^π V^π",
    ),
    "Vpi": Fact("Vpi(n, x, t) == Sup(m, Vp(n, m, x, t))", "V^π of the policy of the episode of decision n"),
    "frozen-pol": Fact(
        "Imp(jump(n) == 1, pol(n + 1, x, t) == pol(n, x, t))", "the policy of an episode stays"
    ),
    "frozen-nk": Fact("Imp(jump(n) == 1, nk(n + 1) == nk(n))", "likewise"),
}

GENERIC = [
    *(Symbol(name, _SR, "Real", "any", True) for name in ("gu", "gv", "gw")),
    *(Symbol(name, ("Nat", *_SR), "Real", "any", True) for name in ("gq", "gr")),
    Symbol("gpi", _SR, "Action", "any", True),
    *(Symbol(name, _SA, "Real", "any", True) for name in ("glam", "gbon", "gal", "gbe")),
    Symbol("gp", _SAY, "Real", "any", True),
    Symbol("glaw", ("Nat", "Real", "State"), "Real", "_1", True),
    *(Symbol(name, ("Real",), "Real", "any", True) for name in ("gf", "gg", "gh")),
    Symbol("gs", ("Nat", "Real"), "Real", "any", True),
    *(Symbol(name, ("Nat",), "Real", "any", True) for name in ("gx", "gy")),
    *(Symbol(name, ("Nat",), "Nat", "any", True) for name in ("gz",)),
    Symbol("gM", ("Nat",), "Real", "_1", True),
    Symbol("gN", ("Nat", "Nat"), "Real", "any", True),
]

_BLOCKS = (setting_planning, setting_confidence, setting_counts)

PAPER = Setting.of(
    "paper",
    f"State Action {setting_confidence.SORT}",
    {**VARIABLES, **setting_confidence.VARIABLES},
    [*MODEL, *RUN, *LEARNER, *GENERIC, *(symbol for block in _BLOCKS for symbol in block.SYMBOLS)],
    {
        **MODEL_FACTS,
        **RUN_FACTS,
        **LEARNER_FACTS,
        **{name: fact for block in _BLOCKS for name, fact in block.FACTS.items()},
    },
)
