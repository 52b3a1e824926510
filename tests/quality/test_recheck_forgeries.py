"""Documents that are false and were once accepted: each is refused, and accepted again by the old mistake."""

from __future__ import annotations

import pytest

from tests.unit.test_recheck import RANGE, certificate
from tests.written_documents import document, rises, row, tends
from verify.recheck import documents, functions, identities, putting, reading, recheck, statements, terms
from verify.recheck.algebra import Algebra
from verify.recheck.germs import _Germs, limit
from verify.recheck.intervals import INF, Interval, UnknownError, dyadic
from verify.recheck.reading import read


def cases(name: str, *parts: dict) -> dict:
    return {"by": "cases", "variable": name, "parts": list(parts), "tail": None}


def rewritten(expression: str, proof: dict = RANGE) -> dict:
    return {"by": "rewrite", "expression": expression, "proof": proof}


def to_zero(relation: str, domain: list[str], **more: list[str]) -> dict:
    return certificate(relation, domain, rewritten("0"), **more)


def shown_by_itself(says: str | dict, domain: list[str], **point: str) -> dict:
    proof = {"formula": {"by": "limit" if isinstance(says, dict) else "identity"}}
    return document(row(says, domain, point=point, proof=proof))


def refuted(
    says: str | dict, domain: list[str], relation: str, claimed: list[str] | None = None, **more: object
) -> dict:
    witness = {"relation": relation, "domain": domain} | more
    return document(row(says, claimed or domain, verdict="refuted", witness=witness))


HIDDEN_ZERO = "Abs((x + 1)**2 - x**2 - 2*x - 1)"
WAVES = "Max(-x, 0) + sin(2*y) - 2*sin(y)*cos(y)"
HIDDEN_WAVES = WAVES.replace("2*y", "2*(y + 1)**2 - 2*y**2 - 2*y - 2")
UNIT = ["0 < x <= 1"]
LINE = ["-1 <= x <= 1"]
PLANE = [*LINE, "-1 <= y <= 1"]

FORGERIES = {
    # ((-2)^2)^(1/2) is 2, not -2: a variable exponent may be even
    "a root of a power with a variable exponent": certificate(
        "sqrt((-2)**n) <= -2", ["2 <= n <= 2"], cases("n", RANGE), integers=["n"]
    ),
    "the same of a variable": certificate(
        "sqrt(x**n) <= x", [*LINE, "2 <= n <= 2"], cases("n", RANGE), integers=["n"]
    ),
    # x^n is defined for x < 0 and n = 2, log x is not
    "the logarithm of a power with a variable exponent": to_zero(
        "exp(log(x**n)/n) <= x", ["-1 <= x <= 2", "2 <= n <= 3"], integers=["n"]
    ),
    # neither u > 0 nor u < 0: u is 0, which is no reason to accept anything
    "a kink that is 0 all over": to_zero(
        f"log(2 + x) + 1/10**100 + {HIDDEN_ZERO} <= log(4 + 4*x + x**2)/2", ["0 <= x <= 1"]
    ),
    # Max(x, x) in disguise was a second variable by the name of x, and x - 2x was read as x
    "a maximum of equals in a polynomial": certificate(
        "2*x <= Max(x, (x + 1)**2 - x**2 - x - 1)", ["0 <= x <= 1"], {"by": "bernstein", "halves": [""]}
    ),
    # away from the limit at the integers next to the end, of which there is one
    "a limit refuted at integers": refuted(
        tends("x", "0", "x", "0"), UNIT, "1/2 <= x", parameters={},
        certificate=certificate("1/2 <= x", UNIT, cases("x", RANGE), integers=["x"]),
    ),
    # what it folds to is defined at more points than the claim
    "a witness where the claim is not defined": refuted(
        "sqrt(x)**2 >= 0", LINE, "x >= 0", point={"x": "-1/2"}
    ),
    "a witness where a hypothesis is not defined": refuted(
        "y >= 0", [*PLANE, "y + x <= y"], "y >= 0", [*PLANE, "y + sqrt(x)**2 <= y"],
        point={"x": "-1/2", "y": "-1/2"},
    ),
    "two points where the function is not defined": refuted(
        rises("-sqrt(x)**2"), [*LINE, "-1 <= z <= 1", "x < z"], "-x <= -z", LINE,
        point={"x": "-1/2", "z": "-1/3"},
    ),
    # a variable by the name of a number
    "pi as a variable": certificate("pi <= 3", ["pi <= 3"], RANGE, box=["pi <= 3"], integers=["pi"]),
    "pi at a point": {"relation": "3 <= pi", "domain": ["pi <= 3"], "integers": ["pi"], "point": {"pi": "1"}},
    # defined nowhere, until it is folded
    "an identity of nothing": shown_by_itself("exp(log(x)) == x", ["x < 0"], x="-1"),
    "a limit of nothing": shown_by_itself(tends("sqrt(x)**2/x", "1", "x", "-oo"), ["x < 0"], x="-1"),
    # 1/a has no value at a = 0, and (1 + 1/x)^(1/a) tends to oo there
    "an exponent that is not defined for all parameters": shown_by_itself(
        tends("(1 + 1/x)**(1/a)", "1", "x", "oo"), ["x >= 1", "0 <= a <= 1"], x="1", a="1"
    ),
    # (n - 2)Γ(n - 2) tends to 1, and logΓ(n - 2) - logΓ(2n - 4) to log 2; folded, both are 0 at n = 2
    "gamma at its pole": certificate(
        "(n - 2)*gamma(n - 2) <= 1/2", ["2 <= n <= 2"], cases("n", RANGE), integers=["n"]
    ),
    "the logarithm of gamma at its pole": certificate(
        "loggamma(n - 2) - loggamma(2*n - 4) <= 1/2", ["2 <= n <= 2"], cases("n", RANGE), integers=["n"]
    ),
    "gamma at its pole, combined": certificate(
        "(x - 2)*gamma(x - 2) <= 1/2", ["2 <= x <= 2"], {"by": "combine", "blocks": [{"gram": [["1/2"]]}]}
    ),
    "gamma at its pole as a polynomial": certificate(
        "(x - 2)*gamma(x - 2) <= 1/2", ["2 <= x <= 2"], {"by": "bernstein", "halves": [""]}
    ),
    # beside the kink d is 0: u/d is 1 for those who do not see it, and u is 0 for those who write it out
    "a divisor that is 0 on one side of a kink": certificate(
        "x <= 0", [*LINE, "1 <= y <= 2"],
        rewritten(f"Max(-x, 0) - Max(x, 0)*({WAVES})/({HIDDEN_WAVES})", rewritten("Max(-x, 0)")),
    ),
    # the quotient tends to 1/sin(2x) where y tends to x; with x for y both parts look alike
    "an equation that makes a divisor 0": shown_by_itself(
        "(sin(x)**2 + cos(x)**2 - 1 + x - y)/(sin(x)**2 + cos(y)**2 - 1) == 1",
        ["1/10 <= x <= 1", "1/10 <= y <= 1", "x == y"], x="1", y="1",
    ),
    "a limit along an equation": shown_by_itself(
        tends("y/x", "0", "x", "oo"), ["x >= 1", "y >= 1", "y == x**2"], x="1", y="1"
    ),
    # mpmath rounded the argument, by the last of 320 bits: all of the digits that log has beside 1 are behind
    "a logarithm next to 1": certificate(
        "2**(-170) + 11/3*2**(-320) <= log(x)", ["x == 1 + 2**(-170) + 10/3*2**(-320)"], RANGE
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_refused(name):
    assert recheck(FORGERIES[name])


def test_an_exponent_with_too_many_terms_is_not_cut_off():
    """The first 24 terms of the exponents agree; the others make the quotient tend to oo."""
    low, high, most = (
        "+".join(f"x**({k}/16)" for k in r) for r in (range(1, 21), range(21, 29), range(5, 29))
    )
    f = read(f"(x + (1 + exp({low}))*(1 + exp({high})))/(1 + exp({most}))", ["x"])
    with pytest.raises(UnknownError, match="too many terms"):
        limit(f, "x", False, {"x": Interval(1, INF, False, True)})


# ---------------------------------------------------------------- the mistakes, put back


def _nested(base, e):
    if not base.is_power:
        return None
    b, d = base.args
    if e.whole is not None or d.whole is None:
        return terms.power(b, d * e)
    return terms.power(terms.call("Abs", b), d * e) if d.whole % 2 == 0 else None


NO_GAMMA = (putting, "_POLES", ("log",))
MISTAKES = {
    "gamma at its pole": NO_GAMMA,
    "the logarithm of gamma at its pole": NO_GAMMA,
    "gamma at its pole, combined": NO_GAMMA,
    "gamma at its pole as a polynomial": NO_GAMMA,
    "a divisor that is 0 on one side of a kink": (identities, "generic", lambda *_: True),
    "an equation that makes a divisor 0": (statements, "generic", lambda *_: True),
    "a logarithm next to 1": (functions, "dyadic", lambda x, n, up: dyadic(x, n + 1, up)),
    "a root of a power with a variable exponent": (terms, "_nested", _nested),
    "the same of a variable": (terms, "_nested", _nested),
    "the logarithm of a power with a variable exponent": (Algebra, "sign", lambda self, t: 1),
    "a kink that is 0 all over": (identities, "_vanishes_by_cases", lambda *_: True),
    "a witness where the claim is not defined": (documents.Statement, "refuted_by", lambda self, data: data),
    "two points where the function is not defined": (
        documents.Statement, "refuted_by", lambda self, data: data,
    ),
    "pi as a variable": (reading, "_CONSTANTS", ()),
    "pi at a point": (reading, "_CONSTANTS", ()),
    "an identity of nothing": (documents.Statement, "require_meaning", lambda self: None),
    "a limit of nothing": (documents.Statement, "require_meaning", lambda self: None),
    "an exponent that is not defined for all parameters": (
        _Germs, "of", lambda self, t, of=_Germs.of: self.power(self.of(t.args[0]), t.args[1])
        if t.is_power and "a" in t.args[1].names else of(self, t),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_with_the_mistake_it_is_accepted(name, monkeypatch):
    monkeypatch.setattr(*MISTAKES[name])
    assert recheck(FORGERIES[name]) == []


def test_a_negative_number_to_a_whole_power_is_defined_at_a_witness():
    assert recheck({"relation": "x**(-2) <= 0", "domain": ["x <= 0"], "point": {"x": "-1"}}) == []
    assert recheck({"relation": "x**(-3) >= 0", "domain": ["x <= 0"], "point": {"x": "-1"}}) == []
    assert recheck({"relation": "x**(-1/2) <= 0", "domain": ["x <= 0"], "point": {"x": "-1"}})
