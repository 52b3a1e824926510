"""Putting terms in for variables and symbols.

A theorem holds for all *values* of a variable.  Inside E(...) a random term is no value: from
``E(Y*x) == x*E(Y)`` for all x does not follow ``E(Y*Y) == Y*E(Y)``.  So a random term may stand inside
``E(u, n)`` only where it is known at n (there it is a value, given the beginning), and nowhere inside
``E(u)`` or ``Sure(A)``, or in a level.
"""

from __future__ import annotations

from verify.recheck.derivations.languages import Sign
from verify.recheck.derivations.sight import Sight
from verify.recheck.derivations.trees import BINDERS, Nameless, changed, lifted, opened, replaced, var
from verify.recheck.intervals import UnknownError


def put(t: Nameless, variable: Nameless, value: Nameless, sight: Sight) -> Nameless:
    """The free variable replaced, or a complaint."""
    if sight.random(value):
        _require_places(t, variable, value, sight)
    return replaced(t, {variable: value})


def put_bound(body: Nameless, value: Nameless, sight: Sight) -> Nameless:
    """The same for the body of a binder."""
    if not sight.random(value):
        return opened(body, value)
    from_outside = var(f"#{max(body.fresh, value.fresh) + 1}", value.sort)
    return put(opened(body, from_outside), from_outside, value, sight)


def _require_places(t: Nameless, variable: Nameless, value: Nameless, sight: Sight) -> None:
    """Complain about a place at which a random value does not count as one."""
    if variable not in t.free or t == variable:
        return
    if t.op in ("E", "Sure"):
        raise UnknownError(f"{value} is random, and {variable} stands inside {t}")
    if t.op == "En":
        level = t.args[0]
        if variable in level.free:
            raise UnknownError(f"{value} is random, and {variable} stands in the level {level}")
        if not sight.known(value, level):
            raise UnknownError(
                f"{value} is not seen to be known at {level}, and {variable} stands inside {t}"
            )
    for k, part in enumerate(t.args):
        inner = t.op in BINDERS and k == len(t.args) - 1
        _require_places(part, variable, lifted(value, 1) if inner else value, sight)


def put_function(
    t: Nameless, sign: Sign, params: tuple[Nameless, ...], body: Nameless, sight: Sight
) -> Nameless:
    """The symbol replaced by the function of its arguments that the body is."""

    def leaf(node: Nameless, depth: int) -> Nameless | None:
        if node.op != "sym" or node.value != sign.name:
            return None
        args = [changed(a, leaf, depth) for a in node.args]
        found = body
        # One after the other, under names that nobody else uses, is at once.
        near = max([body.fresh, *(a.fresh for a in args)])
        own = [var(f"#{near + 1 + k}", p.sort) for k, p in enumerate(params)]
        found = replaced(found, dict(zip(params, own, strict=True)))
        for variable, param, value in zip(own, params, args, strict=True):
            try:
                found = put(found, variable, value, sight)
            except UnknownError as error:
                raise UnknownError(f"{node}, where {param} is {variable}: {error}") from None
        return found

    return changed(t, leaf)
