r"""Steps of the printed proof: data processing, and the sum of the visits.

A likelihood exp(l) that is bounded (as that of finitely many seen jumps is) has log u <= -l - 1 + exp(l) u; with
u = E Z/E_j Z where Z counts and v = (1 - E Z)/(1 - E_j Z) where 1 - Z does, the mean is the inequality.
"""

from __future__ import annotations

from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_BOUNDED = "And(0 <= gZ, gZ <= 1)"
_P, _Q = "E(gZ)", "E(exp(gl)*gZ)"
_PROPER = f"And(E(exp(gl)) == 1, 0 < {_P}, {_P} < 1, 0 < {_Q}, {_Q} < 1)"
_KL = f"{_P}*log({_P}/{_Q}) + (1 - {_P})*log((1 - {_P})/(1 - {_Q}))"
DATA_PROCESSING = f"Imp(Sure({_BOUNDED}), Imp({_PROPER}, {_KL} <= E(-gl)))"


def data_processing(D: Derivation) -> Theorem:  # noqa: N803
    """kl(E Z, E_j Z) <= E(-l)."""
    parts = [theorems.part(D.surely(_BOUNDED), D.formula(f)) for f in ("0 <= gZ", "gZ <= 1")]
    proper = D.assume(_PROPER)
    one, *signs = (theorems.part(proper, D.formula(f)) for f in (
        "E(exp(gl)) == 1", f"0 < {_P}", f"{_P} < 1", f"0 < {_Q}", f"{_Q} < 1",
    ))  # fmt: skip
    shares = []
    for weight, p, q in (("gZ", _P, _Q), ("(1 - gZ)", f"(1 - {_P})", f"(1 - {_Q})")):
        top, bottom = D.linear(f"0 < {p}", *signs), D.linear(f"0 < {q}", *signs)
        ratio = product(D, top, D.positive("inverse-positive", q, bottom))
        tangent = D.closed(D.pointwise("log(u) <= w - 1 + exp(-w)*u", "u > 0", u=f"{p}/{q}", w="-gl"), ratio)
        shares.append(D.times(tangent, D.linear(f"0 <= {weight}", *parts)))
        shares.append(D.scaled(D.positive("inverse", q, bottom), p))
    first, unit, second, other = shares
    total = D.linear(
        f"gZ*log({_P}/{_Q}) + (1 - gZ)*log((1 - {_P})/(1 - {_Q})) <= -gl - 1 + "
        f"exp(gl)*(gZ*{_P}/{_Q} + (1 - gZ)*(1 - {_P})/(1 - {_Q}))", first, second,
    )  # fmt: skip
    rest = D.scaled(one, f"(1 - {_P})/(1 - {_Q})")
    return D.imply(
        D.linear(f"{_KL} <= E(-gl)", D.mean(total), unit, other, rest), f"Sure({_BOUNDED})", _PROPER
    )


from proofs_checks.derivations.lower_visits import product  # noqa: E402
