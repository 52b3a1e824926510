"""What is counted within an episode: its jumps so far, and those of the longest of the first K episodes."""

from __future__ import annotations

from verify.kernel.language import Fact
from verify.kernel.terms import Symbol

SYMBOLS = [Symbol("pos", ("Nat",), "Nat", "_1"), Symbol("top", ("Nat",), "Nat", "_1")]

FACTS = {
    "pos-0": Fact("pos(0) == 0", "no jump of the episode was seen"),
    "pos-step": Fact("pos(n + 1) == jump(n)*(pos(n) + 1)", "jumps of the episode before decision n"),
    "top-0": Fact("top(0) == 0", "no jump was seen"),
    "top-step": Fact(
        "top(n + 1) == Max(top(n), Ind(ep(n) + 1 <= K)*jump(n)*(pos(n) + 1))",
        "J_M so far: the largest number of jumps of an episode among the first K, before decision n",
    ),
}
