"""Holes that were found in the kernel, each with what it once made true."""

from __future__ import annotations

import pytest

from verify.kernel import calculus, terms, theorems
from verify.kernel.calculus import Operator
from verify.kernel.language import Fact, Setting, show
from verify.kernel.terms import KernelError, Symbol

SETTING = Setting.of(
    "holes",
    "State",
    {"Nat": "b i n", "Real": "s t", "State": "y"},
    [
        Symbol("f", ("Nat",), "Nat"),
        Symbol("X", ("Nat",), "Real", "_1"),
        Symbol("N", ("Nat",), "Nat", "_1"),
        Symbol("B", ("Real",), "Nat", "0"),
        Symbol("Y", (), "Real", "any"),
    ],
    {},
)


@pytest.mark.parametrize("tag", ["Sum", "Int"])
def test_exchanged_operators_have_two_variables(tag):
    """Sum(i, 1, Sum(i, 2, i)) is 1, Sum(i, 2, Sum(i, 1, i)) is 0: this made 1 == 0 a theorem."""
    x = SETTING.variable("i" if tag == "Sum" else "s")
    operators = [Operator(tag, x, terms.num(k)) for k in (1, 2)]
    with pytest.raises(KernelError, match="exchange: the two operators bind the same variable"):
        calculus.exchange(SETTING, *operators, x)


@pytest.mark.parametrize("inner", ["X(f(i))", "X(f(i) + i)", "X(Max(i, 2))", "E(Y, f(i))"])
def test_nobody_knows_where_a_function_is_largest(inner):
    """With f(0) = 0, f(1) = 5 the sum was taken for known at 0."""
    text = f"E(Sum(i, b, {inner}), f(0))"
    assert show(SETTING.term(text)) != show(SETTING.term(f"Sum(i, b, {inner})"))


@pytest.mark.parametrize("unbounded", ["Sup(n, N(n))", "1/Int(s, 1, B(s))", "log(Int(s, 1, B(s)))"])
def test_infinitely_many_whole_numbers_make_anything(unbounded):
    """N(n) = min(K, n) with K unbounded, B(s) = 1 for s <= U with U near 0: the mean is no sum of means."""
    assert SETTING.term(f"E({unbounded} + Y)").tag == "E"


def test_truths_are_not_compared():
    with pytest.raises(KernelError, match="a side of == is of sort truth, not Real"):
        SETTING.formula("(s <= t) == (t <= s)")


def test_a_random_number_of_summands_under_a_mean():
    """The sum stays whole, as its last term would have a random level."""
    assert show(SETTING.term("Sum(i, N(0) + 1, E(Y, i))")) == "Sum(Nat_0, 1 + N(0), E(Y, Nat_0))"


def test_a_known_term_under_a_mean_need_not_be_bounded():
    """Allowed, and true as the mean is of one beginning only."""
    bound = calculus.elementary(SETTING, "max", terms.ONE, SETTING.term("t*Y"))
    mean = calculus.monotone(bound, "E", None, terms.ZERO)
    t = SETTING.variable("t")
    says = theorems.substitute(mean, t, SETTING.term("1/X(0)")).says
    assert says is SETTING.formula("1 <= E(Max(1, Y*(1/X(0))), 0)")
    with pytest.raises(KernelError, match="cannot be put under a mean"):
        theorems.substitute(mean, t, SETTING.term("X(1)"))


def test_equations_of_a_finite_sort_have_no_direction():
    """Which side comes first depends on which term was made first: both ways are the rule."""
    setting = Setting.of("two", "State", {"State": "x y"}, [Symbol("f", ("State",), "Real")], {})
    equal, zero = theorems.assume(setting, setting.formula("x == y")), setting.formula("f(x) == 0")
    there = theorems.rewrite(
        equal, theorems.assume(setting, zero), setting.variable("x"), setting.formula("f(x) == 0")
    )
    assert show(there.says) == "f(y) == 0"
    back = theorems.rewrite(equal, there, setting.variable("y"), setting.formula("f(y) == 0"))
    assert back.says is zero


@pytest.mark.parametrize("body", ["1/({x} + 2*s)", "1/(3*{x} - s)*f({x})", "s/(2*{x} - 3*t)", "1/({x} - s)"])
def test_bound_variables_have_no_names(body):
    """The factor that comes out of a divisor was one that depends on how the variable is called."""
    assert (
        len(
            {SETTING.term(f"Sum({x}, 2*b, {body.format(x=x)})") for x in "in"}
            | {SETTING.term(f"Sum(Nat_{k}, 2*b, {body.format(x=f'Nat_{k}')})") for k in range(20)}
        )
        == 1
    )


@pytest.mark.parametrize("name", ["E", "Nat_0", "State_1", "#0", "truth", "Sum", "Real", "lambda", "a-b"])
def test_names_that_would_be_read_as_something_else(name):
    with pytest.raises(KernelError, match="cannot be a name here"):
        Setting.of("names", "State", {}, [Symbol(name, (), "Real")], {})
    with pytest.raises(KernelError, match="cannot be a name here"):
        Setting.of("names", "State", {"Real": name}, [], {})
    if "_" not in name:
        with pytest.raises(KernelError, match="cannot be a name here"):
            Setting.of("names", name, {}, [], {})


def test_a_fact_is_read_in_its_own_setting():
    """One that two settings share said in the first what it says in the second."""
    shared = {"one": Fact("c <= 1", "shared")}
    first = Setting.of("first", "", {}, [Symbol("c", (), "Real")], shared)
    Setting.of("second", "", {}, [Symbol("c", (), "Real", "any")], shared)
    assert theorems.fact(first, "one").says is first.formula("c <= 1")


@pytest.mark.parametrize("wrong", [Operator("Sum", SETTING.variable("i")), Operator("Sum"), Operator("Int")])
def test_an_operator_without_its_range_is_no_crash(wrong):
    with pytest.raises(KernelError, match=r"exchange: .* needs its variable and its range"):
        calculus.exchange(SETTING, wrong, Operator("SumOver", SETTING.variable("y")), terms.ONE)


def test_a_number_is_not_written_with_an_exponent():
    """1e999999999 took all memory."""
    with pytest.raises(KernelError, match="has an exponent"):
        SETTING.term("1e999999999")
