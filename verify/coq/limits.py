"""Where a formula has no value it means its limit: a theorem about all ways to such a place.

A way is a filter of Coquelicot on any type, with the variables as functions on it: a sequence, a line, all
points around the place.  On it the domain holds, and the conditions under which the formula has a value do.
Then right - left has no negative limit, finite or not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence


def limits(
    name: str, last: str, premises: Sequence[str], relation: str, variables: Mapping[str, Sequence[str]]
) -> list[str]:
    """The theorem ``last``, from the one called ``name`` with these premises; variables by their kind."""
    every = [v for group in variables.values() for v in group]

    def there(text: str) -> str:
        return re.sub(rf"\b({'|'.join(every)})\b", r"(\1 Place)", text)

    left, right = relation.split(" <= ")
    binders = " ".join(f"({' '.join(group)} : Point -> {kind})" for kind, group in variables.items() if group)
    domain = " /\\ ".join(map(there, premises))
    known = [f"Q{k}" for k in range(len(premises))]
    at = " ".join(f"({v} Place)" for v in every)
    return [
        f"Theorem {last} : forall (Point : Type) (Way : (Point -> Prop) -> Prop) (Limit : Rbar)",
        f"  {binders},",
        f"  ProperFilter Way -> Way (fun Place => {domain}) ->",
        f"  filterlim (fun Place => {there(right)} - ({there(left)})) Way (Rbar_locally Limit) ->",
        "  Rbar_le 0 Limit.",
        "Proof.",
        f"  intros Point Way Limit {' '.join(every)} Proper Holds.",
        "  apply limit_not_negative; [exact Proper | ].",
        f"  apply filter_imp with (2 := Holds). intros Place ({' & '.join(known)}).",
        f"  assert (Says := {name} {at} {' '.join(known)}). lra.",
        "Qed.",
        "",
    ]
