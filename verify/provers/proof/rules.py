"""One list of rules, tried in an order: what is cheap first, branch and bound last.

A search deepens step by step, so the shortest proofs come first, and counts the goals it tries.  The first
one has the rules of algebra and calculus that a person would use, and can read; what is quick for polynomials
and roots comes next, then other variables.  Where all of that fails, a second one has those for polynomials
and for several hypotheses, too; a third one all of the list, with a budget of boxes, and ends with a single
search of the whole box; a last one goes by cases, and bounds functions by polynomials.

Integer variables are first taken as real ones (which proves more than is asked); failing that, their first
values are proved one by one and the rest as a real tail.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

import sympy

from verify.claims import Hypothesis, Range, text_of
from verify.provers.expressions import length, longest, modest_signs, put, spending, unwieldy
from verify.provers.goals import Goal, Node, halved
from verify.provers.meter import metered
from verify.provers.proof import (
    algebra,
    bernstein,
    bounds,
    boxes,
    calculus,
    changes,
    combining,
    leaves,
    powers,
    rewriting,
    signs,
    squares,
    units,
)
from verify.provers.proof.later import of_functions, proved_later
from verify.provers.proof.leaves import Work
from verify.provers.proof.state import ProofSearch, Rule, proper

DEPTH = 6  # differentiations and the like on one branch of a proof
GOALS = 120  # goals one search may try
_SHALLOW = 2  # what is tried before the rules for functions
_DEPTH_OF_BOXES = 4  # likewise where boxes are used, too
_BITS = 1024  # of the longest number of a goal for the last rules
_PER_GOAL = 100  # what the computer algebra may cost, for each goal of a search
_METER = 90_000  # what everything may cost, likewise
_PER_BOX = 600  # and for each box
_REACHES = (1, 8, 64, 512, 4096)  # from an end to where a tail may begin
_FEW_BOXES = 64  # before it
_SIMPLE = 4  # rules that only look
_SIGNS = ("positive", "nonnegative", "negative", "nonpositive")
_FIRST_VALUES = (1, 2, 4, 8, 16)  # of an integer variable, before its tail
_MOST_VALUES = 300  # if its range is not larger, all of them are tried


def by_tail(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """One unbounded range: look at it through the reciprocal, or split off a tail."""
    for name in _unbounded(goal) if depth >= 1 else ():
        r = goal.ranges[name]
        if r.upper is not None:
            break
        if (node := _reciprocal(search, goal, name, depth)) is not None:
            return node
        start = r.lower if r.lower is not None else Fraction(0)
        for at in (max(Fraction(1), start + 1), max(Fraction(8), 2 * start), max(Fraction(64), 4 * start)):
            near, far = (goal.on(name, half) for half in halved(r, at))
            tail = search.prove(far, depth - 1)
            head = None if tail is None else search.prove(near, depth - 1)
            if head is not None:
                return {"by": "split", "variable": name, "at": str(at), "parts": [head, tail]}
    return None


def _unbounded(goal: Goal) -> list[str]:
    return [name for name in goal.variables if not goal.ranges[name].bounded]


def _reciprocal(search: ProofSearch, goal: Goal, name: str, depth: int) -> Node | None:
    r, symbol = goal.ranges[name], goal.symbols[name]
    if r.lower is None or r.lower <= 0 or not rewriting.rearrangeable(goal.expression):
        return None
    turned = Range(Fraction(0), 1 / r.lower, True, r.lower_open)
    over = put(goal.expression, {symbol: 1 / symbol})
    for power in range(4) if over is not None else ():
        e = rewriting.neat(over * symbol**power)
        proof = search.prove(goal.leaving(name).on(name, turned).about(e), depth - 1)
        if proof is not None:
            node = {"by": "reciprocal", "variable": name, "power": power}
            return {**node, "expression": text_of(e), "proof": proof}
    return None


FIRST: tuple[Rule, ...] = (
    algebra.by_range,
    algebra.by_zero,
    algebra.by_sturm,
    rewriting.by_outermost,
    algebra.by_given,
    algebra.by_multiply,
    calculus.by_contact,
    calculus.by_monotone,
    calculus.by_minimum,
    calculus.by_split,
    algebra.by_logarithm,
    algebra.by_isolating,
    algebra.by_sum,
    algebra.by_rewriting,
)
RULES: tuple[Rule, ...] = (
    *FIRST[:_SIMPLE],
    bernstein.by_bernstein,
    combining.by_combining,
    squares.by_squares,
    *FIRST[_SIMPLE:],
)
LATE: tuple[Rule, ...] = (
    algebra.by_empty,
    bernstein.by_more_bernstein,
    rewriting.by_removing,
    by_tail,
    boxes.by_boxes,
)
LAST: tuple[Rule, ...] = (bounds.by_bounds, calculus.by_concave)


@dataclass
class Allowance:
    """What one attempt may use, for all its cases together; without boxes only the first rules are tried."""

    depth: int
    goals: int  # of one search
    every: int  # of all of them
    work: Work | None = None
    rules: tuple[Rule, ...] = RULES
    first: int = 0  # depth


def prove(goal: Goal, depth: int = DEPTH, goals: int = GOALS, work: Work | None = None) -> Node | None:
    """A proof tree of the goal, or ``None``; the same one every time."""
    if not proper(goal.expression):
        return None
    with metered(price_of(goals, work)), spending(_PER_GOAL * goals), modest_signs():
        return _proved(goal, depth, goals, work)
    return None  # the meter is empty


def price_of(goals: int, work: Work | None) -> int:
    """What a search of so many goals and boxes may cost, all that it does taken together."""
    return _METER * goals + _PER_BOX * (0 if work is None else work.budget)


def _proved(goal: Goal, depth: int, goals: int, work: Work | None) -> Node | None:
    node = _attempt(goal, Allowance(min(depth, _SHALLOW), goals, 4 * goals, rules=FIRST))
    node = node or _of_functions(goal, goals, work)
    node = node or _attempt(goal, Allowance(depth, goals, 4 * goals, rules=FIRST, first=_SHALLOW + 1))
    node = node or _algebraic(_as_real(goal), goals)
    node = node or _changed(goal, goals, work)
    node = node or _attempt(goal, Allowance(depth, goals, 4 * goals))
    node = node or _algebraic(_as_real(goal), goals, at_length=True)
    if node is None and work is not None and not work.spent and len(_unbounded(goal)) <= 1:
        node = _attempt(goal, Allowance(_DEPTH_OF_BOXES, goals, goals, work))
    if (
        node is None
        and work is not None
        and not unwieldy(goal.expression)
        and longest(goal.expression) <= _BITS
    ):
        node = _last(goal, goals, work)
    return node


def _of_functions(goal: Goal, goals: int, work: Work | None) -> Node | None:
    """What is for functions, before the algebra of long formulas: a few boxes, then ``later``."""
    real, node = _as_real(goal).trimmed(), None
    if work is None or work.spent or unwieldy(goal.expression) or not of_functions(real):
        return None
    if real.expression.has(*rewriting.KINKS):
        node = _searched(real, Allowance(_SHALLOW, goals // 3, goals // 3))
    elif goal.bounded and len(goal.variables) == 1:
        node = _searched(real, Allowance(_SHALLOW, goals // 3, goals // 3, work.part(work.budget // 8)))
    elif len(goal.variables) == 1:
        node = _with_room(real, work.part(work.budget // 8))
    with spending(_PER_GOAL * goals // 4):
        return node or proved_later(real, 3 * goals // 4, work.part(work.budget // 8))


def _with_room(goal: Goal, work: Work) -> Node | None:
    """One variable without a bound on one side, and room between the two sides: its tail is seen at once."""
    (name,) = goal.variables
    r = goal.ranges[name]
    if r.lower is r.upper is None:
        return None
    start, side = (r.lower, 1) if r.lower is not None else (r.upper, -1)
    assert start is not None
    for reach in _REACHES:
        at = start + side * reach
        halves = [goal.on(name, half) for half in halved(r, at)]
        near, far = halves[::side]
        tail = leaves.in_range(far)
        if tail is not None:
            head = boxes.BranchAndBound(near, work, _FEW_BOXES).run()
            parts = [head, tail][::side]
            return head and {"by": "split", "variable": name, "at": str(at), "parts": parts}
    return None


def _algebraic(goal: Goal, goals: int, *, at_length: bool = False) -> Node | None:
    """Polynomials and roots, with a purse of their own."""
    with spending(_PER_GOAL * goals // 3):
        node = units.ordered(goal, at_length=at_length)
        return node if node is not None or at_length else powers.compared(goal)


def _changed(goal: Goal, goals: int, work: Work | None) -> Node | None:
    """In other variables."""
    search = ProofSearch((), 0, 0, Work(0))
    boxes = Work(0) if work is None else work.part(work.budget // 4)
    for change in changes.changes(search, _as_real(goal)):
        with spending(_PER_GOAL * goals // 3):
            rules = (*RULES, calculus.by_concave)
            node = _searched(change.goal, Allowance(DEPTH, goals // 2, goals, rules=rules))
            if node is None and not boxes.spent and len(_unbounded(change.goal)) <= 1:
                node = _searched(change.goal, Allowance(_DEPTH_OF_BOXES, goals // 2, goals, boxes))
        if node is not None:
            return change.around(node)
    return None


def _last(goal: Goal, goals: int, work: Work) -> Node | None:
    """Where the other rules fail: cases by sign, in each of them once more all rules, and bounds."""
    whole, work = _as_real(goal).trimmed(), work.part(work.budget // 2)
    budget = Allowance(_DEPTH_OF_BOXES, goals // 2, goals, work)
    search = ProofSearch((), 0, 0, Work(0))

    def case(part: Goal) -> Node | None:
        node = None
        if part != whole:
            node = _searched(part, Allowance(DEPTH, goals // 2, goals)) or _searched(part, budget)
        return node or _bounded(part, goals // 2, work)

    return signs.by_signs(search, whole, case)


def _bounded(goal: Goal, goals: int, work: Work) -> Node | None:
    """Functions replaced by polynomials."""
    rules = (*RULES[:_SIMPLE], *LAST, *RULES[_SIMPLE:], *LATE)
    search = ProofSearch(rules, goals, 60 + 4 * length(goal.expression), work)
    return next((found for d in (1, 2) if (found := search.prove(goal, d)) is not None), None)


def _attempt(goal: Goal, budget: Allowance) -> Node | None:
    node = _searched(_as_real(goal), budget)
    for name in goal.variables if node is None else ():
        if goal.ranges[name].integer and goal.ranges[name].lower is not None:
            node = node or _by_cases(goal, name, budget)
    return node


def _searched(goal: Goal, budget: Allowance, *, tail: bool = False) -> Node | None:
    """With a share of the budget for a tail, so that many of them can be tried."""
    work, plain = budget.work, unwieldy(goal.expression)
    goals = min(budget.goals // (4 if tail else 1), budget.every)
    rules = budget.rules[:1] if plain else budget.rules
    rules += () if work is None else LATE[-1:] if plain else LATE
    search = ProofSearch(rules, goals, 60 + 4 * length(goal.expression), work or Work(0))
    depths = range(max(budget.first, 1 if work is None else 0), budget.depth + 1)
    node = next((found for d in depths if (found := search.prove(goal, d)) is not None), None)
    if node is None and work is not None and not (tail or plain) and goal.bounded and search.plausible(goal):
        node = boxes.exhausted(search, goal, work.budget)
    if node is None:  # proofs are not counted: a range of many integers may need as many
        budget.every -= goals - search.budget
    return node


def _as_real(goal: Goal) -> Goal:
    """The same goal with its integer variables as real ones: their symbols forget that they are whole."""
    symbols = {}
    for name, symbol in goal.symbols.items():
        facts = {k: True for k in _SIGNS if getattr(symbol, f"is_{k}")}
        symbols[name] = sympy.Symbol(name, real=True, **facts) if symbol.is_integer else symbol
    swap = {goal.symbols[name]: symbols[name] for name in symbols}
    given = [h and Hypothesis(h.left.xreplace(swap), h.relation, h.right.xreplace(swap)) for h in goal.given]
    ranges = {name: replace(r, integer=False) for name, r in goal.ranges.items()}
    return Goal(goal.expression.xreplace(swap), goal.strict, ranges, tuple(given), symbols)


def _by_cases(goal: Goal, name: str, budget: Allowance) -> Node | None:
    """The first values of an integer variable one by one, the rest as a real tail."""
    r = goal.ranges[name]
    assert r.lower is not None
    first = floor(r.lower) + 1 if r.lower_open else ceil(r.lower)
    parts: list[Node] = []
    size = 0 if r.upper is None else int(r.upper - first) + 1
    for count in (*_FIRST_VALUES, *((size,) if size <= _MOST_VALUES else ())):
        while len(parts) < count and Fraction(first + len(parts)) in r:
            case = goal.put(name, sympy.Integer(first + len(parts)))
            part = None if case is None else _attempt(case, budget)
            if part is None:
                return None
            parts.append(part)
        start = Fraction(first + len(parts))
        if start not in r:
            return {"by": "cases", "variable": name, "parts": parts, "tail": None}
        rest = replace(r, lower=start, lower_open=False)
        tail = _searched(_as_real(goal.on(name, rest)), budget, tail=True)
        if tail is not None:
            return {"by": "cases", "variable": name, "parts": parts, "tail": tail}
    return None
