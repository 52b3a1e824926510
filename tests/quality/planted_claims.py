"""Formulas whose truth is known: planted false ones that must never be proved, hard true ones that must be.

Each entry: name, formula, domain, integer variables, and why it is a trap.
"""

from __future__ import annotations

from typing import NamedTuple

from verify.claims import Claim, Domain, claim


class Planted(NamedTuple):
    name: str
    says: str
    domain: tuple[str, ...]
    trap: str
    integers: str = ""
    reals: str = ""

    def claim(self, label: str | None = None) -> Claim:
        area = Domain.of(*self.domain, integers=self.integers, reals=self.reals)
        return claim(label or self.name, self.trap, says=self.says, domain=area)


FALSE = [
    # reversed, or a constant slightly off
    Planted("reversed-exp", "exp(x) <= 1 + x", ("x >= 0",), "reversed; equality at 0"),
    Planted("reversed-log", "log(1 + x) >= x", ("0 <= x <= 1",), "reversed; equality at 0"),
    Planted("sine-constant", "sin(x) >= 0.64*x", ("0 <= x <= 1.5707963",), "2/π is 0.6366"),
    Planted("xexp-constant", "x*exp(-x) <= 0.364", ("x >= 0",), "the maximum is 1/e = 0.3679, 1% more"),
    Planted("xexp-close", "x*exp(-x) <= 0.367879441", ("x >= 0",), "1/e is 0.36787944117…"),
    Planted("entropy-constant", "-x*log(x) <= 0.3678", ("0 < x <= 1",), "the maximum is 1/e"),
    Planted(
        "pinsker-constant",
        "p*log(p/q) + (1-p)*log((1-p)/(1-q)) >= 2.02*(p-q)**2",
        ("0 < p < 1", "0 < q < 1"),
        "Pinsker's constant is 2",
    ),
    Planted("amgm-constant", "x + y >= 2.02*sqrt(x*y)", ("x > 0", "y > 0"), "fails at x = y only"),
    Planted(
        "ratio-constant", "x/(1 - exp(-rate*x)) <= x + 0.99/rate", ("x >= 0", "rate > 0"), "fails near x = 0"
    ),
    Planted("bernstein-constant", "(1+u)*log(1+u) - u >= u**2/(2 + 0.6*u)", ("u >= 0",), "2/3 is needed"),
    Planted(
        "hoeffding-constant",
        "log(1-p+p*exp(s)) - p*s <= 0.12*s**2",
        ("0 <= p <= 1", "-1 <= s <= 1"),
        "1/8 is needed, near s = 0",
    ),
    Planted("harmonic-log", "log(n) + 0.57 >= 1 + log(n) - 1/(2*n)", ("n >= 1",), "false for n >= 2", "n"),
    Planted("tanh-cubic", "tanh(x) <= x - 0.34*x**3", ("0 <= x <= 1",), "1/3 x³ minus a fifth-order term"),
    # true except on a tiny set
    Planted(
        "bump",
        "1000000*(x - 0.123456)**2 + 1e-7*x**2 >= 1e-8",
        ("0 <= x <= 1",),
        "false only on a set of about 1e-7",
    ),
    Planted(
        "narrow-dip",
        "1 - 1.01*exp(-(x - 0.7310585)**2*1e12) >= 0",
        ("0 <= x <= 1",),
        "false on a set of 2e-7",
    ),
    Planted(
        "two-dips",
        "(x - 1/3)**2 + (y - 1/7)**2 >= 1e-13",
        ("0 <= x <= 1", "0 <= y <= 1"),
        "false on a disc of area 3e-13",
    ),
    Planted("quartic-dip", "(x**2 - 2)**2 >= 1e-12", ("0 <= x <= 3",), "false near the irrational √2"),
    Planted("sine-dip", "1 - sin(x) >= 1e-14", ("0 <= x <= 3",), "false near π/2"),
    # the edge
    Planted("edge-closed", "x*(1 - x) > 0", ("0 <= x <= 1",), "false at both ends only"),
    Planted("edge-sqrt", "sqrt(1 - x) > 0", ("0 <= x <= 1",), "false at the upper end only"),
    Planted("edge-corner", "x + y < 2", ("0 <= x <= 1", "0 <= y <= 1"), "false in one corner only"),
    Planted("edge-exp", "exp(-x) < 1", ("x >= 0",), "equality at 0"),
    Planted("edge-integer", "n*(n-1)*(n-2) > 0", ("n >= 2",), "equality at n = 2 only", "n"),
    Planted("edge-log", "log(x) > -1e9*(1-x)", ("0 < x <= 1",), "equality at 1"),
    # one integer only
    Planted("power-two", "2**n >= n**2", ("n >= 1",), "false for n = 3 only", "n"),
    Planted("euler-prime-like", "(n - 17)**2 >= 1", ("n >= 0",), "false for n = 17 only", "n"),
    Planted("integer-far", "(n - 1000)**2 > 0", ("n >= 1",), "false for n = 1000 only", "n"),
    Planted("factorial", "factorial(n) >= 2.49**n/1.5", ("1 <= n <= 12",), "false for small n", "n"),
    Planted(
        "integer-pair", "(n - m - 3)**2 >= 1", ("0 <= n <= 9", "0 <= m <= 9"), "false on one diagonal", "n m"
    ),
    # infinity
    Planted("tail-log", "log(x) <= 50", ("x >= 1",), "false only above e^50"),
    Planted("tail-poly", "x**3 <= 1e30 + x**2", ("x >= 0",), "false only far out"),
    Planted("tail-exp", "exp(x/1000) <= 1e9 + x**4", ("x >= 0",), "false only far out"),
    Planted("tail-limit", "x/(1 + x) <= 0.999999", ("x >= 0",), "false from a million on"),
    Planted("minus-infinity", "exp(x) >= 1e-300", ("x <= 0",), "false only far out to the left"),
    # cancellation, overflow, underflow
    Planted(
        "cancellation", "(1 - cos(x)) >= 0.50001*x**2 - x**4", ("0 <= x <= 0.01",), "all digits cancel near 0"
    ),
    Planted("cancellation-exp", "exp(x) - 1 - x <= x**2/2", ("0 <= x <= 1e-6",), "wrong by a cubic term"),
    Planted("overflow", "exp(x) - exp(x - 1e-9) <= 0.999999999e-9*exp(x)", ("1000 <= x <= 2000",), "e^large"),
    Planted(
        "underflow",
        "log(exp(-1000*x)*exp(-1000*y)) >= -1999.9",
        ("0 <= x <= 1", "0 <= y <= 1"),
        "the product underflows in doubles",
    ),
    Planted(
        "product-log", "log(exp(-x) + exp(-2000)) <= -x", ("0 <= x <= 3000",), "false by e^-2000 relative"
    ),
    # kinks, hypotheses, undefined points
    Planted("kink", "Abs(x - 0.3) + Abs(x + 0.2) > 0.5", ("-1 <= x <= 1",), "equality between the kinks"),
    Planted(
        "max", "Max(x, y) <= (x + y)/2 + 0.49*Abs(x - y)", ("0 <= x <= 1", "0 <= y <= 1"), "1/2 is needed"
    ),
    Planted(
        "hypothesis",
        "exp(-a) - exp(-b) <= 0.99*(b - a)",
        ("0 <= a", "a <= b", "b <= 5"),
        "fails near a = b = 0",
    ),
    Planted("hypothesis-edge", "a < b", ("a <= b", "0 <= a <= 1", "0 <= b <= 1"), "equality is allowed"),
    Planted("pole", "1/x >= 1", ("-1 <= x <= 1",), "negative left of the pole"),
    Planted(
        "pole-square", "1/(x - 1/2) >= -1000000000", ("0 <= x <= 1",), "unbounded below next to the pole"
    ),
    Planted("identity", "sqrt(x**2) == x", ("-1 <= x <= 1",), "|x|"),
    Planted("identity-log", "log(x**2) == 2*log(x) + 1e-30", ("x > 0",), "off by 1e-30"),
    Planted(
        "identity-exp", "exp(a)*exp(b) == exp(a*b + 1)", ("0 <= a", "0 <= b"), "true where (a-1)(b-1) = 0"
    ),
]

TRUE = [
    Planted(
        "named-cubic", "log(1 + x) <= x - x**2/2 + x**3/3", ("0.01 <= x <= 3",), "all but cancels at 0.01"
    ),
    Planted(
        "named-ratio", "x/(1 - exp(-rate*x)) <= x + 1/rate", ("x >= 0", "rate > 0"), "removable singularity"
    ),
    Planted("exp-tangent", "exp(x) >= 1 + x", ("-10 <= x <= 10",), "equality at an inner point"),
    Planted("exp-tangent-all", "exp(x) >= 1 + x", (), "equality at an inner point, all reals", reals="x"),
    Planted("log-tangent", "log(x) <= x - 1", ("x > 0",), "equality at 1, singular at 0"),
    Planted("exp-quadratic", "exp(x) >= 1 + x + x**2/2", ("x >= 0",), "third-order contact"),
    Planted("exp-upper", "exp(-x) <= 1 - x + x**2/2", ("x >= 0",), "third-order contact"),
    Planted("sine-cubic", "sin(x) >= x - x**3/6", ("0 <= x <= 4",), "fifth-order contact"),
    Planted("cosine", "cos(x) >= 1 - x**2/2", ("-4 <= x <= 4",), "fourth-order contact inside"),
    Planted("jordan", "sin(x) >= 2*x/pi", ("0 <= x <= 1.5707",), "nearly equality at both ends"),
    Planted("tanh", "tanh(x) <= x", ("x >= 0",), "third-order contact, unbounded"),
    Planted(
        "pinsker",
        "p*log(p/q) + (1-p)*log((1-p)/(1-q)) >= 2*(p-q)**2",
        ("0.01 <= p <= 0.99", "0.01 <= q <= 0.99"),
        "equality along a diagonal",
    ),
    Planted("amgm", "x + y >= 2*sqrt(x*y)", ("x > 0", "y > 0"), "equality along a diagonal"),
    Planted("amgm-box", "x + y >= 2*sqrt(x*y)", ("1 <= x <= 9", "1 <= y <= 9"), "equality along a diagonal"),
    Planted(
        "cauchy",
        "(a*c + b*d)**2 <= (a**2 + b**2)*(c**2 + d**2)",
        ("-3 <= a <= 3", "-3 <= b <= 3", "-3 <= c <= 3", "-3 <= d <= 3"),
        "four variables, equality on a surface",
    ),
    Planted(
        "bernstein", "(1+u)*log(1+u) - u >= u**2/(2 + 2*u/3)", ("u >= 0",), "third-order contact, unbounded"
    ),
    Planted("bennett", "(1+u)*log(1+u) - u >= u**2/(2*(1+u))", ("u >= 0",), "unbounded"),
    Planted("chernoff", "exp(-u)*(1+u) <= 1", ("u >= 0",), "equality at 0"),
    Planted("poisson-lower", "(1-u)*log(1-u) + u >= u**2/2", ("0 <= u < 1",), "log singular at the open end"),
    Planted(
        "hoeffding",
        "log(1-p+p*exp(s)) - p*s <= s**2/8",
        ("0.05 <= p <= 0.95", "0 <= s <= 2"),
        "second-order contact; equality to third order at p = 1/2",
    ),
    Planted(
        "lipschitz-exp", "exp(-a*x) - exp(-b*x) <= (b - a)*x", ("0 <= a", "a <= b", "x >= 0"), "hypothesis"
    ),
    Planted("root-sum", "1/sqrt(k) <= 2*sqrt(k) - 2*sqrt(k - 1)", ("k >= 1",), "integers, all of them", "k"),
    Planted("bernoulli", "(1 + x)**n >= 1 + n*x", ("x >= 0", "1 <= n <= 8"), "integer powers", "n"),
    Planted("power-two-from-4", "2**n >= n**2", ("n >= 4",), "equality at n = 4", "n"),
    Planted("euler-number", "(1 - 1/n)**n <= exp(-1)", ("n >= 1",), "limit is equality", "n"),
    Planted("factorial-stirling", "factorial(n) >= (n/E)**n", ("1 <= n <= 60",), "enormous numbers", "n"),
    Planted("harmonic-step", "log(1 + 1/n) <= 1/n", ("n >= 1",), "limit is equality", "n"),
    Planted("harmonic-step-lower", "log(1 + 1/n) >= 1/(n + 1)", ("n >= 1",), "limit is equality", "n"),
    Planted(
        "cancellation-true", "exp(x) - 1 - x - x**2/2 <= x**3/5", ("0 <= x <= 1/2",), "cancellation near 0"
    ),
    Planted("cancellation-cos", "1 - cos(x) <= x**2/2", ("-0.001 <= x <= 0.001",), "cancellation near 0"),
    Planted("overflow-true", "exp(x) <= exp(x + 1e-12)", ("0 <= x <= 100000",), "e^100000"),
    Planted(
        "underflow-true",
        "log(exp(-1000*x)*exp(-1000*y)) >= -2000",
        ("0 <= x <= 1", "0 <= y <= 1"),
        "the product underflows; equality in a corner",
    ),
    Planted("product-log-true", "log(exp(-x) + exp(-2000)) >= -x", ("0 <= x <= 3000",), "margin e^-2000"),
    Planted(
        "logsumexp",
        "log(exp(x) + exp(y)) <= Max(x, y) + log(2)",
        ("-5 <= x <= 5", "-5 <= y <= 5"),
        "kink, equality on it",
    ),
    Planted(
        "triangle",
        "Abs(x + y) <= Abs(x) + Abs(y)",
        ("-1 <= x <= 1", "-1 <= y <= 1"),
        "equality on half the box",
    ),
    Planted(
        "two-exponentials",
        "exp(-a*x)*(1 + a*x + a**2*x**2/2) <= 1",
        ("0 <= a <= 5", "0 <= x <= 5"),
        "equality on two faces, third order",
    ),
    Planted(
        "two-exponentials-gap",
        "exp(-a*x) + exp(-a*y) <= 1 + exp(-a*(x+y))",
        ("0 <= a <= 3", "0 <= x <= 2", "0 <= y <= 2"),
        "equality on three faces",
    ),
    Planted(
        "convolution",
        "(exp(-a*x) - exp(-b*x))*(b - a) >= 0",
        ("0 <= a <= 4", "0 <= b <= 4", "0 <= x <= 2"),
        "equality on the diagonal and a face",
    ),
    Planted("small-margin", "x*exp(-x) <= 0.3678794412", ("0 <= x <= 20",), "margin 3e-11"),
    Planted("small-margin-tail", "x*exp(-x) <= 0.36787944118", ("x >= 0",), "margin 1e-11, unbounded"),
    Planted("polynomial", "x**5 - x + 0.535 >= 0", ("0 <= x <= 1",), "margin 8e-6"),
    Planted(
        "motzkin",
        "x**4*y**2 + x**2*y**4 - 3*x**2*y**2 + 1 >= 0",
        ("-2 <= x <= 2", "-2 <= y <= 2"),
        "not a sum of squares; four isolated zeros",
    ),
    Planted(
        "contraction",
        "1 - exp(-rate*t) <= 1 - exp(-rate*H)",
        ("rate > 0", "t >= 0", "H > 0", "t <= H"),
        "hypothesis, unbounded",
    ),
    Planted("erlang", "1 - exp(-z)*(1 + z) <= z**2/2", ("z >= 0",), "contact at 0, unbounded"),
    Planted("identity-true", "(exp(a) - exp(-a))/2 == sinh(a)", (), "identity", reals="a"),
    Planted("identity-fraction", "1/(1-exp(-x)) == exp(x)/(exp(x)-1)", ("x > 0",), "identity"),
]

# True as well, but the provers do not get there: they must not say otherwise.
_UNREACHED = {"product-log-true", "logsumexp", "convolution", "motzkin"}
BEYOND = [planted for planted in TRUE if planted.name in _UNREACHED]
TRUE = [planted for planted in TRUE if planted.name not in _UNREACHED]
