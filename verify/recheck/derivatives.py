"""Derivatives of formulas: sums, products, powers and the chain rule over a table of functions."""

from __future__ import annotations

from verify.recheck.intervals import UnknownError
from verify.recheck.terms import HALF, ONE, PI, ZERO, Term, add, call, mul


def _outer(name: str, u: Term) -> Term:
    """The derivative of a function of one variable."""
    match name:
        case "exp" | "sinh" | "cosh":
            return call({"exp": "exp", "sinh": "cosh", "cosh": "sinh"}[name], u)
        case "log":
            return 1 / u
        case "sin" | "cos":
            return call("cos", u) if name == "sin" else -call("sin", u)
        case "tanh":
            return 1 - call("tanh", u) ** 2
        case "atan":
            return 1 / (1 + u**2)
        case "erf":
            return 2 * call("exp", -(u**2)) / PI**HALF
        case "gamma":
            return call("gamma", u) * call("polygamma", ZERO, u)
        case "loggamma":
            return call("polygamma", ZERO, u)
        case "expm1r":
            return (call("exp", u) - call("expm1r", u)) / u
        case "log1pr":
            return (1 / (1 + u) - call("log1pr", u)) / u
    raise UnknownError(f"{name} has no derivative here")


def derivative(t: Term, name: str) -> Term:
    """The derivative in a variable; where a part of Abs, Max or Min depends on it there is none."""
    if name not in t.names:
        return ZERO
    if t.name:
        return ONE
    if t.is_sum:
        return add(*(derivative(a, name) for a in t.args))
    if t.is_product:
        rest = [(k, a) for k, a in enumerate(t.args) if name in a.names]
        return add(*(mul(*t.args[:k], derivative(a, name), *t.args[k + 1 :]) for k, a in rest))
    if t.is_power:
        b, e = t.args
        if name not in e.names:
            return e * b ** (e - 1) * derivative(b, name)
        return t * (derivative(e, name) * call("log", b) + e * derivative(b, name) / b)
    u = t.args[-1]
    if t.op == "polygamma":
        return call("polygamma", t.args[0] + 1, u) * derivative(u, name)
    return _outer(t.op, u) * derivative(u, name)
