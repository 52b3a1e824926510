"""Rules about second derivatives: above a chord, and above a point where everything vanishes.

*Hessian.*  On the way from the contact c to a point x, phi(t) = f(c + t (x - c)) is 0 at t = 0 with its
slope, and its second derivative is a quadratic form in x - c, with the matrix of f at a point of the box;
that this is not negative is shown for all points of the box.
"""

from __future__ import annotations

from fractions import Fraction

from verify.coq.along import Prove
from verify.coq.sequents import Lines, Node, Sequent, block, ends_of, field, put_in, rewriting
from verify.coq.text import NotExportedError, expanded, folded, rational_text, variable_name
from verify.recheck.derivatives import derivative
from verify.recheck.identities import without_kinks
from verify.recheck.intervals import Interval
from verify.recheck.reading import rational
from verify.recheck.terms import Term, number, put, variable


def concave(node: Node, goal: Sequent, prove: Prove) -> Lines:
    """Above the chord between the ends of the range, by the sign of the curve."""
    name = str(field(node, "variable"))
    x, shown, rest = goal.box[name], variable_name(name), {n: r for n, r in goal.box.items() if n != name}
    if not x.bounded or x.single:
        raise NotExportedError("a chord without two ends")
    f = without_kinks(goal.f, goal.box)
    slope = expanded(derivative(f, name), goal.box)
    curve = expanded(derivative(slope, name), goal.box)
    curved = goal.strict and node.get("strict_by") == "curve"
    lines = [
        *(rewriting(goal.about(f)) if f != goal.f else []),
        f"apply (concave{'_curved' if curved else goal.mode} (fun {shown} => {folded(f)})",
        f"  (fun {shown} => {folded(slope)}) (fun {shown} => {folded(curve)})",
        f"  ({rational_text(Fraction(x.low)).text}) ({rational_text(Fraction(x.high)).text}) {shown}).",
        *["{ lra. }"] * 2,
        *[f"{{ follow {shown}. derive. }}"] * 2,
        f"{{ follow {shown}. continuous. }}",
    ]
    for key, end, is_open in (("lower", x.low, x.low_open), ("upper", x.high, x.high_open)):
        at = expanded(put(f, {name: number(Fraction(end))}), rest)
        there = Sequent(at, goal.strict and not (curved and is_open), rest, goal.given, goal.gaps)
        placed = ["cbv beta.", *put_in(f, name, Fraction(end), rest), *rewriting(there, at)]
        shown_end = block([*placed, *prove(field(node, key), there)])
        if curved:
            lines += ["{ intros; exfalso; lra. }"] if is_open else block(["intros _.", *shown_end])
            lines += block(["apply Rlt_le.", *shown_end]) if not is_open else shown_end
        else:
            lines += shown_end
    way = goal.on(name, x.inner()).about(-curve, curved)
    return [*lines, *block([f"follow {shown}.", *rewriting(way), *prove(field(node, "curve"), way)])]


def hessian(node: Node, goal: Sequent) -> Lines:
    """From a place where the function and its gradient vanish, by the matrix of second derivatives."""
    names = sorted(goal.f.names)
    if not 1 <= len(names) <= 2 or goal.strict or not all(goal.box[n].bounded for n in names):
        raise NotExportedError("a matrix of second derivatives with more than two rows, or on a half-line")
    at = {n: rational(field(node, "at").get(n)) for n in names}
    t = next(n for n in ("t", "s", "r", "q") if n not in goal.box)
    f = without_kinks(goal.f, goal.box)
    steps = {n: variable(n) - number(at[n]) for n in names}
    ways = {n: number(at[n]) + variable(t) * step for n, step in steps.items()}
    phi = [expanded(put(f, ways), {})]
    for _ in range(2):
        phi.append(expanded(derivative(phi[-1], t), {}))
    there = [line for k, n in enumerate(names) for line in _between(k, ways[n], at[n], n, t, goal.box[n])]
    functions = " ".join(f"(fun {t} => {folded(g)})" for g in phi)
    form, last = _form(f, names, steps, ways, goal)
    derives = block([f"intros {t} Way. cbv beta.", *there, "derive."])
    return [
        *(rewriting(goal.about(f)) if f != goal.f else []),
        *form,
        f"apply (rewriting _ ((fun {t} => {folded(phi[0])}) 1)).",
        *block(["cbv beta.", *put_in(phi[0], t, Fraction(1), {}), "same."]),
        f"apply (convex_contact {functions}).",
        *derives,
        *derives,
        *(line for g in phi[:2] for line in block(["cbv beta.", *put_in(g, t, Fraction(0), {}), "same."])),
        *block([f"intros {t} Way. cbv beta.", *there, *last]),
    ]


def _between(k: int, way: Term, at: Fraction, name: str, t: str, x: Interval) -> Lines:
    """That a place on the way is in the range."""
    low, high, c = (rational_text(Fraction(end)).within(1) for end in (x.low, x.high, at))
    seen = " ".join(["ltac:(lra)"] * 3)
    return [
        f"assert (Way{k} := on_the_way_low ({low}) ({c}) {variable_name(name)} {t} {seen}).",
        f"assert (Way{k}' := on_the_way_high ({high}) ({c}) {variable_name(name)} {t} {seen}).",
        f"replace ({c} + {t} * ({variable_name(name)} - {c})) with ({folded(way)}) in * by ring.",
    ]


def _form(
    f: Term, names: list[str], steps: dict[str, Term], ways: dict[str, Term], goal: Sequent
) -> tuple[Lines, Lines]:
    """That the matrix is not negative anywhere, and what follows from it at a place on the way."""
    shown = " ".join(map(variable_name, names))
    closed = {n: Interval(goal.box[n].low, goal.box[n].high) for n in names}
    ends = "".join(f"{end} -> " for n in names for end in ends_of(n, closed[n]))
    first, last = names[0], names[-1]
    pairs = ((first, first), (first, last), (last, last)) if first != last else ((first, first),)
    a, *more = (folded(expanded(derivative(derivative(f, i), j), goal.box)) for i, j in pairs)
    says = f"0 <= {a}" + (f" /\\ 0 <= {more[1]} /\\ ({more[0]}) ^ 2 <= ({a}) * ({more[1]})" if more else "")
    bisect = ", ".join(f"i_bisect {variable_name(n)}" for n in names)
    found = [
        f"assert (Form : forall {shown}, {ends}{says}).",
        *block(
            [
                *(f"clear dependent {variable_name(n)}." for n in names),
                "intros. repeat split; solve [ range | interval with (" + bisect + ", i_prec 60) ].",
            ]
        ),
    ]
    places = " ".join(f"({folded(ways[n])})" for n in names)
    u, v = (f"({folded(steps[n])})" for n in (first, last))
    at = [f"(fun {shown} => {g}) {places}" for g in (a, *more)]
    total = f"{at[0]} * {u} ^ 2"
    if more:
        total += f" + 2 * {at[1]} * {u} * {v} + {at[2]} * {v} ^ 2"
    end = (
        "apply form_nonneg; assumption." if more else "apply Rmult_le_pos; [ assumption | apply pow2_ge_0 ]."
    )
    return found, [
        f"assert (Here := Form {places} {' '.join(f'Way{k} Way{k}{chr(39)}' for k in range(len(names)))}).",
        "repeat match goal with H : _ /\\ _ |- _ => destruct H end.",
        f"apply (rewriting _ ({total})); cbv beta.",
        "{ same. }",
        end,
    ]
