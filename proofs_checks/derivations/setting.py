r"""The setting of the derivations: the model, its values, and a learner's run.

**The run is one sequence of decisions** n = 0, 1, 2, …, through all episodes: at decision n the learner is
in state ``X(n)``, in episode ``ep(n)`` (counted from 0), with remaining time ``rem(n)``, and commits to
``act(n)``.  The holding time is exponential; ``spent(n)`` is the part of it within the horizon; ``jump(n)``
is 1 if a jump ends it and 0 if the horizon does; then the next decision is the first of the next episode
(``new(n + 1) = 1``).  In which state that begins is not said: one initial state, drawn ones, and any others
are covered.  F(n) is what is known when decision n is made.  The paper's double sums over episodes k and
decisions m are sums over n, with :math:`(H - t_m^k)^+` = ``rem(n)`` (terms with :math:`t_m^k > H` are 0):
nothing is conditioned on the future, and every sum is finite until the last step.

``N``, ``T``, ``M`` are the counts of observed jumps, the times spent and the counts of jumps to a state, up
to decision n; ``Nf``, ``Tf``, ``Mf`` the same when the episode began, which is what the learner uses.

Symbols whose names begin with g are generic: they stand for every function of their kind.  (``g`` alone is a
variable, a real number: in the bounds what is at least all partial sums of Σ √P(Z > m).)

**Settings extend each other**, and what is derived in one holds in those that extend it: ``ANY``, the model
and a run, whatever decides, pairs of rate 0 included; ``POSITIVE``, with :math:`\lambda_{\min} > 0`;
``POLICIES``, a learner with the paper's estimates and radii that plays one policy per episode; ``LEARNS``,
both; ``PAPER``, CT-UCBVI itself, its bonus and its value iteration; ``HALVED``, the same with half of the
bonus; ``LUMP``, with a lump sum of the remaining time in the place of the bonus; ``RAISED``, with estimates
of the rates that are at least a known :math:`\lambda_{\min}`.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations import setting_confidence, setting_counts, setting_planning
from verify.kernel.language import Fact, Setting
from verify.kernel.terms import Symbol


def operator(action: str, values: str, state: str = "x", time: str = "t") -> str:
    """T^a u(x, t) of the model; ``values`` is a pattern of y and s, for example ``V(n, {y}, {s})``."""
    pair = f"{state}, {action}"
    return _operator(f"lam({pair})", f"p({pair}, y)", f"r({pair})", values, time)


def estimated(action: str, values: str, state: str = "x", time: str = "t") -> str:
    """T^{a,k} u(x, t) of the generic estimates, with the bonus."""
    pair = f"{state}, {action}"
    return _operator(f"glam({pair})", f"gp({pair}, y)", f"(r({pair}) + gbon({pair}))", values, time)


def learned(action: str, values: str, plan: str = "n", rate: str = "lh", time: str = "t") -> str:
    """T^{a,k} u(x, t) of the learner's estimates, with its bonus; ``plan`` is the decision of their data."""
    pair = f"x, {action}"
    paid = f"(r({pair}) + bo(n, {pair}))"
    return _operator(f"{rate}({plan}, {pair})", f"ph({plan}, {pair}, y)", paid, values, time)


def raised(action: str, values: str, plan: str = "n") -> str:
    """The same with rates that are raised to a known λmin."""
    return learned(action, values, plan, "lt")


def lumped(action: str, values: str, plan: str = "n") -> str:
    """The same without a bonus, and B(t) of lem:optimism/lump-sum added."""
    pair, data = f"x, {action}", f"{plan}, x, {action}"
    rate = f"lh({data})"
    lump = f"Min(t**2/2*be({data}), t) + Min(al({data}), 2)/2*(t - Int(s, t, exp(-{rate}*s)))"
    return f"{_operator(rate, f'ph({data}, y)', f'r({pair})', values, 't')} + {lump}"


def _operator(rate: str, row: str, paid: str, values: str, time: str) -> str:
    at = values.format(y="y", s=f"{time} - s")
    jumps = f"{rate}*exp(-{rate}*s)*SumOver(y, {row}*{at})"
    return f"{paid}*Int(s, {time}, exp(-{rate}*s)) + Int(s, {time}, {jumps})"


Image = Callable[[str, str, str], str]
"""What is maximised: of an action, a pattern of values, and the decision whose data are used."""

_SA = ("State", "Action")
_SAY = ("State", "Action", "State")
_SR = ("State", "Real")

VARIABLES = {
    "State": "x y z",
    "Action": "a b",
    "Nat": "n m i k l",
    "Real": "s t u v w c d e g q h",
}

MODEL = [
    *(Symbol(name, _SA, "Real") for name in ("lam", "r")),
    Symbol("p", _SAY, "Real"),
    *(Symbol(name, (), "Real") for name in ("lmax", "H", "delta", "L", "C")),
    *(Symbol(name, (), "Nat") for name in ("K", "S", "A")),
    Symbol("x0", (), "State"),
    Symbol("eps", ("Nat",), "Real"),
    Symbol("V", ("Nat", *_SR), "Real"),
    Symbol("Vs", _SR, "Real"),
]

MODEL_FACTS = {
    "rate": Fact("0 <= lam(x, a)", "rates", "model"),
    "rate-high": Fact("lam(x, a) <= lmax", "Assumption 1", "model"),
    "lmax": Fact("0 < lmax", "a bound on rates", "model"),
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
        "V*, as the limit of value iteration",
        "existence",
        "lem:optimism/value-bound/iterates",
        "eq:Qa/optimality",
    ),
}

LEAST = [Symbol("lmin", (), "Real")]

POSITIVE_FACTS = {
    "lmin": Fact("0 < lmin", "Assumption 1: rates are positive", "model"),
    "rate-low": Fact("lmin <= lam(x, a)", "Assumption 1", "model"),
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
    "start": Fact("And(rem(0) == H, ep(0) == 0, new(0) == 1)", "the first episode begins"),
    "jump": Fact("jump(n) <= 1", "an indicator", "law"),
    "spent-low": Fact("0 < spent(n)", "holding times are positive", "law"),
    "spent-high": Fact("spent(n) <= rem(n)", "the horizon ends a sojourn", "law"),
    "stays-rem": Fact("Imp(jump(n) == 1, rem(n + 1) == rem(n) - spent(n))", "the episode goes on"),
    "stays-ep": Fact("Imp(jump(n) == 1, ep(n + 1) == ep(n))", "the episode goes on"),
    "ends-spent": Fact("Imp(jump(n) == 0, spent(n) == rem(n))", "the horizon is reached", "law"),
    "ends-rem": Fact("Imp(jump(n) == 0, rem(n + 1) == H)", "the next episode begins"),
    "ends-ep": Fact("Imp(jump(n) == 0, ep(n + 1) == ep(n) + 1)", "the next episode begins"),
    "new": Fact("new(n + 1) == 1 - jump(n)", "whether decision n + 1 is the first of an episode"),
    "law": Fact(
        f"E(jump(n)*glaw(n, spent(n), X(n + 1)), n) == Int(s, rem(n), {_RATE}*exp(-{_RATE}*s)"
        "*SumOver(y, p(X(n), act(n), y)*glaw(n, s, y)))",
        "the holding time is exponential, the jump independent of it, both independent of the past given the "
        "pair. That such a run exists for every learner: Ionescu-Tulcea (Kallenberg, Foundations of Modern "
        "Probability, 3rd ed., Theorem 8.24)",
        "law",
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

ESTIMATES = [
    *(Symbol(name, ("Nat", *_SA), "Real", "_1") for name in ("lh", "al", "be")),
    Symbol("ph", ("Nat", *_SAY), "Real", "_1"),
    Symbol("pol", ("Nat", *_SR), "Action", "_1"),
    Symbol("Vp", ("Nat", "Nat", *_SR), "Real", "_1"),
    Symbol("Vpi", ("Nat", *_SR), "Real", "_1"),
]

ITERATION = [
    Symbol("Vh", ("Nat", "Nat", *_SR), "Real", "_1"),
    Symbol("nk", ("Nat",), "Nat", "_1"),
]

LEARNER = [Symbol("bo", ("Nat", *_SA), "Real", "_1"), *ITERATION]
RAISED_RATE = Symbol("lt", ("Nat", *_SA), "Real", "_1")

_RETURNED = "Vh(n, nk(n) + 1, {y}, {s})"

ESTIMATES_FACTS = {
    "lh": Fact(
        "lh(n, x, a) == Min(Nf(n, x, a)/Tf(n, x, a), lmax)", "eq:rate-est; 0 without data, as 0/0 is 0"
    ),
    "ph": Fact("ph(n, x, a, y) == Mf(n, x, a, y)/Nf(n, x, a)", "eq:empirical-P; 0 without data"),
    "al": Fact(
        "al(n, x, a) == sqrt(2*(S*log(2) + log(S*A*H*K**2/delta))/Max(1, Nf(n, x, a)))", "α of lem:CI-p"
    ),
    "be": Fact("be(n, x, a) == sqrt(lmax*L/Max(Tf(n, x, a), L/lmax))", "eq:beta-k"),
    "acts": Fact("act(n) == pol(n, X(n), rem(n))", "a learner executes its policy", "model"),
    "Vp-0": Fact("Vp(n, 0, x, t) == 0", "the value of a policy, by iteration"),
    "Vp-step": Fact(
        f"Vp(n, m + 1, x, t) == {operator('pol(n, x, t)', 'Vp(n, m, {y}, {s})')}",
        "sec:simulation, V^π = T^π V^π",
    ),
    "Vpi": Fact(
        "Vpi(n, x, t) == Sup(m, Vp(n, m, x, t))",
        "V^π of the policy of the episode of decision n",
        "existence",
        "eq:FH-control2/bounds",
    ),
    "frozen-pol": Fact(
        "Imp(jump(n) == 1, pol(n + 1, x, t) == pol(n, x, t))", "the policy of an episode stays", "model"
    ),
}


def iteration(image: Image, plan: str = "n", stops: str = "alg:VI/stops") -> dict[str, Fact]:
    """alg:VI with the data of the plan, and the policy that it gives; the image is what is maximised.

    ``stops`` is the claim that it stops.
    """
    return {
        "Vh-0": Fact("Vh(n, 0, x, t) == 0", "alg:VI begins with 0"),
        "Vh-step": Fact(
            f"Vh(n, m + 1, x, t) == Min(t, MaxOver(a, {image('a', 'Vh(n, m, {y}, {s})', plan)}))", "eq:m-VI"
        ),
        "stop": Fact(
            f"Imp(And(0 <= t, t <= H), Abs(Vh(n, nk(n) + 1, x, t) - Vh(n, nk(n), x, t)) <= eps(ep({plan})))",
            "alg:VI stops, and Vh(n, nk(n) + 1, ...) is what it returns",
            "existence",
            stops,
        ),
        "greedy": Fact(
            f"Imp(And(0 <= t, t <= H), "
            f"{image('pol(n, x, t)', _RETURNED, plan)} == MaxOver(a, {image('a', _RETURNED, plan)}))",
            "eq:pi-k: the first action, in some order, that maximises; it is measurable in t",
            "existence",
        ),
        "frozen-nk": Fact("Imp(jump(n) == 1, nk(n + 1) == nk(n))", "it iterates once an episode", "model"),
    }


def bonus_facts(plan: str = "n") -> dict[str, Fact]:
    """The bonus of the paper and alg:VI with it."""
    bonus = f"bo(n, x, a) == C*(H**2*be({plan}, x, a) + H*al({plan}, x, a))"
    return {"bo": Fact(bonus, "eq:bonus-k"), **iteration(learned, plan)}


def halved_facts(plan: str = "n") -> dict[str, Fact]:
    """The same with half of it."""
    whole = bonus_facts(plan)
    return {**whole, "bo": Fact(f"{whole['bo'].says}/2", "half of eq:bonus-k")}


def raised_facts(plan: str = "n") -> dict[str, Fact]:
    """The bonus of the paper, and rates that are raised to a known λmin."""
    why = "eq:rate-est, truncated from below at λmin as well"
    rate = Fact("lt(n, x, a) == Max(lh(n, x, a), lmin)", why)
    return {**bonus_facts(plan), "lt": rate, **iteration(raised, plan)}


def lump_facts(plan: str = "n") -> dict[str, Fact]:
    """alg:VI with a lump sum in the place of the bonus."""
    return iteration(lumped, plan, "alg:VI/stops/lump-sum")


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
    Symbol("gok", ("Nat",), "Nat", "_1", True),
]

_BLOCKS = (setting_planning, setting_confidence, setting_counts)

ANY = Setting.of(
    "any learner",
    f"State Action {setting_confidence.SORT}",
    {**VARIABLES, **setting_confidence.VARIABLES},
    [*MODEL, *RUN, *GENERIC, *(symbol for block in _BLOCKS for symbol in block.SYMBOLS)],
    {**MODEL_FACTS, **RUN_FACTS, **{name: fact for block in _BLOCKS for name, fact in block.FACTS.items()}},
)

POSITIVE = ANY.extended("positive rates", LEAST, POSITIVE_FACTS)

POLICIES = ANY.extended("estimates and policies", ESTIMATES, ESTIMATES_FACTS)

LEARNS = POLICIES.extended("estimates, policies and positive rates", LEAST, POSITIVE_FACTS)

PAPER = LEARNS.extended("paper", LEARNER, bonus_facts())

HALVED = LEARNS.extended("half of the bonus", LEARNER, halved_facts())

LUMP = LEARNS.extended("lump sum", ITERATION, lump_facts())

RAISED = LEARNS.extended("known least rate", [RAISED_RATE, *LEARNER], raised_facts())
