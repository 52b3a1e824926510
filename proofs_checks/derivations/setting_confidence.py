"""Subsets of the states, and the generic symbols of the derivations about confidence sets."""

from __future__ import annotations

from verify.kernel.language import Fact
from verify.kernel.terms import Symbol

SORT, VARIABLES = "Subset", {"Subset": "B"}

SYMBOLS = [
    Symbol("inB", ("Subset", "State"), "Nat"),
    Symbol("gset", ("State",), "Nat", "any", True),
    Symbol("gd", ("State",), "Real", "any", True),
    Symbol("gmiss", ("Nat", "State", "Action"), "Nat", "any", True),
    Symbol("gG", ("Nat",), "Real", "_1", True),
    Symbol("gJ", ("Nat", "State"), "Real", "_1", True),
    *(Symbol(name, ("Nat",), "Real", None, True) for name in ("gtilt", "glevel")),
    *(Symbol(name, (), "Nat", "any", True) for name in ("gone", "gtwo")),
    *(
        Symbol(f"{name}{sort}", (*before, sort), "Nat", "any", True)
        for name, before in (("gsome", ()), ("gever", ("Nat",)))
        for sort in ("State", "Action", "Subset", "Nat")
    ),
]

FACTS = {
    "member": Fact("inB(B, y) <= 1", "whether y is in B", "existence"),
    "subset": Fact(
        "Imp(All(y, gset(y) <= 1), SumOver(B, Ind(All(y, inB(B, y) == gset(y)))) == 1)",
        "Subset is the set of all sets of states: one of them has these members",
        "existence",
    ),
    "subsets": Fact("SumOver(B, 1) == 2**S", "a set of S elements has 2^S subsets", "existence"),
}
