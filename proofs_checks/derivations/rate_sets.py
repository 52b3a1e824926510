"""The confidence sets of the rates."""

from __future__ import annotations

from proofs_checks.derivations.crossings import by_jump
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_RATE = "lam(X(n), act(n))"
MARTINGALE = f"E(exp(d*jump(n) - {_RATE}*(exp(d) - 1)*spent(n)), n) == 1"


def martingale(D: Derivation) -> Theorem:  # noqa: N803
    """One decision multiplies by a factor of mean 1: it ends with a jump, or at the horizon."""
    drift = f"{_RATE}*(exp(d) - 1)"
    parts = by_jump(
        D,
        lambda equations: D.by_value(
            f"exp(d*jump(n) - {drift}*spent(n)) == jump(n)*exp(d - {drift}*spent(n)) + (1 - jump(n))*exp(-{drift}*rem(n))",
            equations,
        ),
    )
    total = D.fact("jump-sum", x="X(n)", a="act(n)")
    law = D.fact("law")
    horizon = D.linear("0 <= rem(n)", D.fact("spent-low"), D.fact("spent-high"))
    weighed = D.valued(D.instantiate(law, "glaw", "n s y", f"exp(d - {drift}*s)"), total)
    plain = D.valued(D.instantiate(law, "glaw", "n s y", "1"), total)
    ends = [
        D.closed(D.primitive("s", "rem(n)", f"-exp(-{_RATE}*{factor}*s)"), horizon)
        for factor in ("exp(d)", "1")
    ]
    return D.linear(
        MARTINGALE,
        D.mean(parts, "n"),
        weighed,
        D.scaled(plain, f"exp(-{drift}*rem(n))"),
        ends[0],
        D.scaled(ends[1], f"exp(-{drift}*rem(n))"),
    )
