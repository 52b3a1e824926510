"""Random applications of every rule, right and reckless ones, and the evaluation of what they conclude.

A ``Prover`` has a pool of theorems; each method tries one rule on random premises, of the pool or made for
the rule.  Many tries are wrong on purpose (a variable that is free in the givens, a missing case): the
kernel has to refuse them, and whatever it does conclude is evaluated in random worlds.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.kernel import texts
from tests.kernel.numbers import Undecided
from tests.kernel.texts import NAMES, SETTING, SYMBOLS, Scope, Writer
from tests.kernel.worlds import World, assignments
from verify.kernel import calculus, goals, terms, theorems
from verify.kernel.calculus import Operator
from verify.kernel.goals import Pointwise
from verify.kernel.language import show
from verify.kernel.terms import KernelError, Term, num
from verify.kernel.theorems import Theorem

LONGEST = 500  # characters of a theorem that is used further
# Each is true wherever it is defined, as a claim of the paper's language would be.
CLAIMS = [
    ("x/x == 1", ()),
    ("x*y/y == x", ()),
    ("sqrt(x)**2 == x", ()),
    ("log(x) <= x - 1", ()),
    ("1/(1 + x) <= 1", ("x >= 0",)),
    ("x**(-1)*x == 1", ()),
    ("x**0.5*x**0.5 == x", ()),
    ("log(x/y) == log(x) - log(y)", ()),
    ("1 + x <= exp(x)", ()),
    ("2*x*y <= x**2 + y**2", ()),
    ("max(x, y) <= abs(x) + abs(y)", ()),
    ("sqrt(x*y) <= (x + y)/2", ("x >= 0", "y >= 0")),
]


def refuted(theorem: Theorem, rng: Random, worlds: int = 2, exact: bool = False) -> str | bool:
    """Where it is false; "" if it was true somewhere, False if nothing could be said."""
    given, says = [show(g) for g in theorem.given], show(theorem.says)
    names = sorted({x.parts[0] for t in (theorem.says, *theorem.given) for x in t.free})
    held: str | bool = False
    for _ in range(worlds):
        place = texts.world(rng, exact)
        random = theorem.says.random or any(g.random for g in theorem.given)
        outcomes = rng.sample(place.outcomes, min(6, len(place.outcomes))) if random else place.outcomes[:1]
        for env in assignments(place, names, 4):
            for w in outcomes:
                truth = _truth(place, given, says, env, w)
                if truth is False:
                    return f"{theorem!r} is false at {w}, {env}"
                held = "" if truth else held
    return held


def _truth(
    place: World, given: list[str], says: str, env: dict[str, object], w: tuple[int, ...]
) -> bool | None:
    """Whether it holds there: False if the givens are true and it is false; None if it says nothing."""
    try:
        if not all(place.value(g, env, w) is True for g in given):
            return None
        return place.value(says, env, w) is not False
    except Undecided:
        return None


class Prover:
    """Random rules on random theorems."""

    def __init__(self, rng: Random) -> None:
        self.rng, self.pool = rng, list[Theorem]()
        self.writer = Writer(rng, functions=0.2)

    # --- what rules are tried on ---

    def scope(self) -> Scope:
        return self.writer.scope(self.rng.choice([1, 2, 3]))

    def term(self, sort: str = "Real", depth: int | None = None, scope: Scope | None = None) -> Term:
        depth = self.rng.choice([0, 1, 1, 2]) if depth is None else depth
        return SETTING.term(self.writer.of(sort, depth, self.scope() if scope is None else scope))

    def formula(self, depth: int | None = None, scope: Scope | None = None) -> Term:
        depth = self.rng.choice([1, 1, 2]) if depth is None else depth
        return SETTING.formula(self.writer.formula(depth, self.scope() if scope is None else scope))

    def variable(self, *sorts: str) -> Term:
        return SETTING.variable(self.rng.choice([n for n, s in NAMES.items() if not sorts or s in sorts]))

    def free_variable(self, theorem: Theorem, *sorts: str) -> Term:
        """One that stands in the theorem, if there is one."""
        free = {x for t in (theorem.says, *theorem.given) for x in t.free}
        fitting = sorted((x for x in free if not sorts or x.sort in sorts), key=lambda x: x.parts)
        return self.rng.choice(fitting) if fitting and self.rng.random() < 0.9 else self.variable(*sorts)

    def inequality(self) -> Theorem:
        """Some u <= v, most of them true for every value."""
        match self.rng.choice(["max", "min", "abs", "square", "assume", "pool", "all", "range"]):
            case "max":
                name = self.rng.choice(["max", "max-right", "min", "min-right"])
                return calculus.elementary(SETTING, name, self.term(), self.term())
            case "min":
                return calculus.elementary(SETTING, "min-right", self.term(), self.term(depth=0))
            case "abs":
                return calculus.elementary(SETTING, self.rng.choice(["abs", "abs-"]), self.term())
            case "square":
                return calculus.elementary(SETTING, "square", self.term())
            case "all":
                return self._for_all()
            case "range":
                return self._in_range()
            case "pool":
                found = [t for t in self.pool if t.says.tag in ("<=", "<", "==")]
                if found:
                    return self.rng.choice(found)
        return theorems.assume(
            SETTING, terms.relation(self.rng.choice(["<=", "<", "=="]), self.term(), self.term())
        )

    def _for_all(self) -> Theorem:
        """U(y) <= v(y), given that for all y."""
        y = self.variable("State")
        inside = {**self.scope(), y.parts[0]: y.sort}
        u, v = self.term(scope=inside), self.term(scope=inside)
        if self.rng.random() < 0.5:
            state = terms.app(SETTING.symbols["X"], self._level())
            picked = [
                terms.indicator(terms.relation("==", y, state)),
                terms.app(SETTING.symbols["M"], self._level(), y),
            ]
            u = calculus.expectation(self.rng.choice(picked), self.rng.choice([None, self._level()]))
        return theorems.specialize(theorems.assume(SETTING, terms.forall(y, terms.relation("<=", u, v))), y)

    def _in_range(self) -> Theorem:
        """i u <= n u from i < n and 0 <= u, and the like."""
        x, end = (
            (self.variable("Nat"), self.term("Nat", 1))
            if self.rng.random() < 0.5
            else (
                self.variable("Real"),
                self.term("Real", 0),
            )
        )
        square = calculus.elementary(SETTING, "square", self.term(depth=0))
        factor = square.says.parts[1]
        op = "<" if x.sort == "Nat" else "<="
        if self.rng.random() < 0.3:
            x, end = end, x
        small = theorems.assume(SETTING, terms.relation(op, x, end))
        goal = terms.relation("<=", terms.mul(x, factor), terms.mul(end, factor))
        return calculus.combine(SETTING, goal, [small, square], [(factor, 1), terms.ZERO])

    def any_theorem(self) -> Theorem:
        draw = self.rng.random()
        if self.pool and draw < 0.35:
            return self.rng.choice(self.pool)
        return self.inequality() if draw < 0.85 else theorems.assume(SETTING, self.formula())

    # --- the rules ---

    def rule_assume(self) -> Theorem:
        return theorems.assume(SETTING, self.formula())

    def rule_discharge(self) -> Theorem:
        theorem = self.any_theorem()
        given = sorted(theorem.given, key=show)
        return theorems.discharge(self.rng.choice(given) if given else self.formula(), theorem)

    def rule_mp(self) -> Theorem:
        theorem = self.any_theorem()
        implies = [t for t in self.pool if t.says.tag == "Imp" and t.says.parts[0] is theorem.says]
        made = theorems.assume(SETTING, terms.implication(theorem.says, self.formula()))
        if self.rng.random() < 0.2:
            theorem = self.any_theorem()
        return theorems.mp(self.rng.choice([*implies, made]), theorem)

    def rule_cut(self) -> Theorem:
        theorem = self.rng.choice([self.any_theorem, self.rule_mp])()
        given = sorted(theorem.given, key=show)
        if not given:
            raise KernelError("nothing to cut")
        wanted = self.rng.choice(given)
        proofs = [t for t in self.pool if t.says is wanted]
        both = theorems.assume(SETTING, terms.junction("And", wanted, self.formula()))
        made = theorems.part(both, wanted) if both.says.tag == "And" and wanted in both.says.parts else both
        return theorems.cut(self.rng.choice([*proofs, made]), theorem)

    def rule_generalize(self) -> Theorem:
        theorem = self.any_theorem()
        return theorems.generalize(self.free_variable(theorem), theorem)

    def rule_specialize(self) -> Theorem:
        found = [t for t in self.pool if t.says.tag == "All"]
        theorem = self.rng.choice(found) if found and self.rng.random() < 0.5 else self.rule_generalize()
        if self.rng.random() < 0.5:
            (given,) = self._for_all().given
            theorem = theorems.assume(SETTING, given)
        return theorems.specialize(theorem, self.term(theorem.says.parts[0].sort))

    def rule_sure(self) -> Theorem:
        return theorems.sure(self.any_theorem())

    def rule_unsure(self) -> Theorem:
        found = [t for t in self.pool if t.says.tag == "Sure"]
        made = theorems.assume(SETTING, terms.sure(self.formula()))
        return theorems.unsure(self.rng.choice([*found[:3], made]))

    def rule_both(self) -> Theorem:
        return theorems.both(self.any_theorem(), self.any_theorem())

    def rule_part(self) -> Theorem:
        theorem = self.rule_both()
        parts = [*(theorem.says.parts if theorem.says.tag == "And" else [theorem.says]), self.formula()]
        return theorems.part(theorem, self.rng.choice(parts))

    def rule_cases(self) -> Theorem:
        """Ind(A) u + (1 - Ind(A)) v <= Max(u, v), with the cases now and then the wrong ones."""
        a, u, v = self.formula(), self.term(), self.term()
        other = terms.negation(a) if self.rng.random() < 0.7 else self.formula()
        ind, most = terms.indicator(a), terms.function("Max", u, v)
        goal = terms.relation("<=", terms.add(v, terms.mul(ind, terms.sub(u, v))), most)
        with_a = calculus.combine(
            SETTING,
            goal,
            [calculus.elementary(SETTING, "max", u, v), calculus.holds(SETTING, a)],
            [terms.ONE, terms.sub(u, v)],
        )
        without = calculus.combine(
            SETTING,
            goal,
            [calculus.elementary(SETTING, "max-right", u, v), calculus.fails(SETTING, a)],
            [terms.ONE, terms.sub(u, v)],
        )
        if self.rng.random() < 0.5:
            goal = self.formula()
            with_a, without = (
                theorems.mp(theorems.assume(SETTING, terms.implication(c, goal)), theorems.assume(SETTING, c))
                for c in (a, other)
            )
        return theorems.cases(a, with_a, without)

    def rule_absurd(self) -> Theorem:
        theorem = self.any_theorem()
        wrong = self.rng.choice([terms.negation(theorem.says), self.formula()])
        denial = theorems.assume(SETTING, wrong)
        return theorems.absurd(theorem, denial, self.formula())

    def rule_substitute(self) -> Theorem:
        theorem = self.rng.choice([self.any_theorem, self._for_all])()
        x = self.free_variable(theorem)
        return theorems.substitute(theorem, x, self.term(x.sort))

    def rule_instantiate(self) -> Theorem:
        symbol = self.rng.choice([s for s in SYMBOLS if s.generic])
        using = [t for t in self.pool if symbol in t.says.symbols]
        theorem = self.rng.choice(using) if using and self.rng.random() < 0.4 else self._about(symbol.name)
        params = [self.variable(sort) for sort in symbol.args]
        inside = {**self.scope(), **{x.parts[0]: x.sort for x in params}}
        return theorems.instantiate(theorem, symbol, params, self.term(symbol.value, scope=inside))

    def _about(self, name: str) -> Theorem:
        """An inequality, often between means, in which a generic symbol stands."""
        (sort,) = SETTING.symbols[name].args
        u = terms.app(SETTING.symbols[name], self.term(sort, 0))
        v = terms.mul(u, self.term()) if self.rng.random() < 0.5 else self.term()
        theorem = calculus.elementary(SETTING, "max", v, u)
        if self.rng.random() < 0.3:
            theorem = theorems.assume(
                SETTING, terms.relation("==", calculus.expectation(v, None), terms.mul(u, v))
            )
        if self.rng.random() < 0.6:
            return calculus.monotone(theorem, "E", None, self.rng.choice([None, self._level()]))
        return theorem

    def _level(self) -> Term:
        return SETTING.term(self.writer.level(self.scope()))

    def rule_rewrite(self) -> Theorem:
        sort = self.rng.choice(["Real", "Real", "State"])
        x = self.variable(sort)
        template = self.formula(self.rng.choice([2, 3]), {x.parts[0]: sort, **self.writer.scope(1)})
        if self.rng.random() < 0.4:
            u = (
                terms.function("Max", x, self.term(depth=0))
                if sort == "Real"
                else terms.app(SETTING.symbols["M"], self._level(), x)
            )
            v = calculus.expectation(terms.mul(u, self.term(depth=0)), self.rng.choice([None, self._level()]))
            template = terms.relation("<=", v, self.term())
        equation = theorems.assume(SETTING, terms.relation("==", self.term(sort, 0), self.term(sort, 0)))
        if self.rng.random() < 0.3 and sort == "Real":
            a = self.formula()
            equation = self.rng.choice([calculus.holds, calculus.fails])(SETTING, a)
        before = terms.substitute(template, {x: equation.says.parts[0]})
        return theorems.rewrite(equation, theorems.assume(SETTING, before), x, template)

    def rule_combine(self) -> Theorem:
        premises: list[Theorem] = [self.inequality() for _ in range(self.rng.choice([1, 2, 2, 3]))]
        rows: list[calculus.Multiplier] = []
        total = terms.ZERO
        for theorem in list(premises):
            u, v = theorem.says.parts
            if u.sort not in terms.NUMBERS:
                raise KernelError("no numbers")
            factor, row = self._multiplier(theorem, premises)
            rows.append(row)
            total = terms.add(total, terms.mul(factor, terms.sub(v, u)))
        rows += [terms.ZERO] * (len(premises) - len(rows))
        left = self.term()
        right = terms.add(left, total, num(self.rng.choice([0, 0, 0, 1, -1])))
        goal = terms.relation(self.rng.choice(["<=", "<=", "<", "=="]), left, right)
        return calculus.combine(SETTING, goal, premises, rows)

    def _multiplier(self, theorem: Theorem, premises: list[Theorem]) -> tuple[Term, calculus.Multiplier]:
        draw = self.rng.random()
        if draw < 0.5:
            factor = num(self.rng.choice([0, 1, 1, 2, -1, -2]))
            return factor, factor
        if draw < 0.7:
            factor = self.term(depth=1)
            return factor, factor
        made = self.rng.choice(["square", "exp", "assume"])
        if made == "assume":
            op = self.rng.choice(["<=", "<"])
            sign = theorems.assume(SETTING, terms.relation(op, terms.ZERO, self.term(depth=1)))
        else:
            sign = calculus.elementary(SETTING, made, self.term(depth=0))
        premises.append(sign)
        return sign.says.parts[1], (sign.says.parts[1], len(premises) - 1)

    def rule_monotone(self) -> Theorem:
        return self._monotone(self.rng.choice(["Sum", "SumOver", "MaxOver", "Int"]))

    def rule_monotone_mean(self) -> Theorem:
        return self._monotone("E")

    def _monotone(self, tag: str) -> Theorem:
        theorem = self._in_range() if tag in ("Sum", "Int") and self.rng.random() < 0.5 else self.inequality()
        if tag == "E":
            return calculus.monotone(
                theorem, tag, None, self.rng.choice([None, self._level(), self._level()])
            )
        sorts = {"Sum": ["Nat"], "Int": ["Real"]}.get(tag, ["State", "Action"])
        x = self.free_variable(theorem, *sorts)
        if tag not in ("Sum", "Int"):
            return calculus.monotone(theorem, tag, x)
        ends = [g.parts[1] for g in theorem.given if g.tag in ("<", "<=") and g.parts[0] is x]
        starts = [g.parts[0] for g in theorem.given if g.tag in ("<", "<=") and g.parts[1] is x]
        end = self.rng.choice([*ends, *ends, *starts, self.term("Nat" if tag == "Sum" else "Real", 0)])
        return calculus.monotone(theorem, tag, x, end)

    def operator(self) -> Operator:
        match self.rng.choice(["Sum", "Sum", "SumOver", "Int", "E"]):
            case "Sum":
                return Operator(
                    "Sum", self.variable("Nat"), self.term("Nat", self.rng.choice([0, 1]), dict(NAMES))
                )
            case "SumOver":
                return Operator("SumOver", self.variable("State", "Action"))
            case "Int":
                return Operator(
                    "Int", self.variable("Real"), self.term("Real", self.rng.choice([0, 1]), dict(NAMES))
                )
        return Operator("E", None, self.rng.choice([None, self._level()]))

    def rule_exchange(self) -> Theorem:
        outer, inner = self.operator(), self.operator()
        names = {o.variable.parts[0]: o.variable.sort for o in (outer, inner) if o.variable is not None}
        body = self.term(depth=self.rng.choice([1, 2]), scope={**self.writer.scope(1), **names})
        return calculus.exchange(SETTING, outer, inner, body)

    def rule_most(self) -> Theorem:
        y = self.variable("State", "Action")
        body = self.term(depth=2, scope={y.parts[0]: y.sort, **self.writer.scope(1)})
        return calculus.most(SETTING, y, body, self.term(y.sort))

    def _below(self, x: Term) -> Theorem:
        """U(x) <= v, v now and then with x."""
        free = {} if self.rng.random() < 0.7 else {x.parts[0]: x.sort}
        inside = {x.parts[0]: x.sort, **self.writer.scope(1)}
        u, v = self.term(depth=2, scope=inside), self.term(scope=free)
        return calculus.elementary(SETTING, "min-right", u, v)

    def rule_least(self) -> Theorem:
        y = self.variable("State", "Action")
        return calculus.least(self.rng.choice([self._below(y), self.inequality()]), y)

    def rule_supremum(self) -> Theorem:
        n = self.variable("Nat")
        return calculus.supremum(self.rng.choice([self._below(n), self.inequality()]), n, self.term("Nat"))

    def rule_bounded(self) -> Theorem:
        n = self.variable("Nat")
        return calculus.bounded(self.rng.choice([self._below(n), self.inequality()]), n)

    def rule_primitive(self) -> Theorem:
        s = self.variable("Real")
        parts = [terms.mul(terms.power(s, self.rng.randint(0, 3)), self.term(depth=0)) for _ in range(3)]
        return calculus.primitive(SETTING, s, self.term(depth=self.rng.choice([0, 1])), terms.add(*parts))

    def rule_induction(self) -> Theorem:
        """Sums of an inequality, with steps that are now and then given something of n."""
        n, i = self.variable("Nat"), self.variable("Nat")
        below = self.rng.choice([self._below(i), self._below(i), self.inequality()])
        u, v = below.says.parts
        end = self.rng.choice([n, n, terms.add(n, terms.ONE)])
        sides = [calculus.binder("Sum", i, [end], side) for side in (u, v)]
        sides[0] = terms.add(sides[0], self.rng.choice([terms.ZERO, self.term(depth=0, scope={})]))
        formula = terms.relation("<=", *sides)
        first, after = (terms.substitute(formula, {n: x}) for x in (terms.ZERO, terms.add(n, terms.ONE)))
        before = theorems.assume(SETTING, formula)
        one = theorems.substitute(below, i, end)
        start = self._combined(first, [below, theorems.substitute(below, i, terms.ZERO)])
        return theorems.induction(n, formula, start, self._combined(after, [before, one]))

    def _combined(self, goal: Term, premises: list[Theorem]) -> Theorem:
        for rows in ((0, 0), (0, 1), (1, 1)):
            try:
                return calculus.combine(SETTING, goal, premises, [num(k) for k in rows])
            except KernelError:
                continue
        return theorems.assume(SETTING, goal)

    def rule_archimedes(self) -> Theorem:
        n = self.variable("Nat")
        if self.rng.random() < 0.2:
            return calculus.archimedes(self.inequality(), n)
        free = {} if self.rng.random() < 0.6 else {n.parts[0]: "Nat"}
        square = calculus.elementary(SETTING, "square", self.term(scope=free))
        other = calculus.elementary(SETTING, "square", self.term(scope=free))
        w, v = square.says.parts[1], other.says.parts[1]
        goal = terms.relation("<=", terms.scale(terms.mul(n, w), -1), v)
        whole = calculus.whole(SETTING, n)
        rows: list[calculus.Multiplier] = [(n, 2), terms.ONE, terms.ZERO]
        theorem = calculus.combine(SETTING, goal, [square, other, whole], rows)
        if self.rng.random() < 0.3:
            theorem = theorems.assume(SETTING, terms.relation("<=", terms.mul(n, self.term()), self.term()))
        return calculus.archimedes(theorem, n)

    def rule_holds(self) -> Theorem:
        return calculus.holds(SETTING, self.formula(2))

    def rule_fails(self) -> Theorem:
        return calculus.fails(SETTING, self.formula(2))

    def rule_whole(self) -> Theorem:
        return calculus.whole(SETTING, self.term(self.rng.choice(["Nat", "Nat", "Real"]), 2))

    def rule_known(self) -> Theorem:
        name = self.rng.choice(sorted(calculus._FACTS))
        arity, _ = calculus._FACTS[name]
        if name == "either":
            return calculus.elementary(SETTING, name, self.formula(), self.formula())
        sort = "Nat" if name == "discrete" and self.rng.random() < 0.8 else "Real"
        return calculus.elementary(SETTING, name, *(self.term(sort) for _ in range(arity)))

    def rule_pointwise(self) -> Theorem:
        relation, domain = self.rng.choice(CLAIMS)
        values = {"x": self.term(), "y": self.term()}
        return goals.pointwise(SETTING, Pointwise(relation, domain, (), "true where defined"), values)

    # --- one step ---

    def step(self, rule: str) -> Theorem | None:
        """One try of a rule; None if it does not apply."""
        try:
            theorem: Theorem = RULES[rule](self)
        except KernelError:
            return None
        if len(repr(theorem)) < LONGEST:
            self.pool.append(theorem)
        return theorem


RULES: dict[str, Callable[[Prover], Theorem]] = {
    name.removeprefix("rule_"): method for name, method in vars(Prover).items() if name.startswith("rule_")
}


def search(rule: str, seed: int, cases: int, tries: int) -> tuple[int, str]:
    """Conclusions of one rule that held somewhere, up to that many; and the first that is false."""
    rng = Random(f"{rule} {seed}")
    prover, held = Prover(rng), 0
    for _ in range(tries):
        theorem = prover.step(rule)
        if theorem is None:
            continue
        found = refuted(theorem, rng, exact=rule == "primitive")
        if found:
            return held, found
        held += found == ""
        if held >= cases:
            break
        prover.pool = prover.pool[-20:]
    return held, ""


__all__ = ["RULES", "Prover", "refuted", "search"]
