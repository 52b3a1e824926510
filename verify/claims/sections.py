"""Claims filed together: what they share is said once, and nobody keeps a list of them."""

from __future__ import annotations

from typing import Unpack

from verify.claims.claim import Claim, ClaimFields, Kind, claim


class Section:
    """Claims that belong together, in the order in which they are made; what they share is said once.

    >>> section = Section(domain="x >= 0", expected="proved")
    >>> tangent = section.step("tangent", "exp is above its tangent", says="1 + x <= exp(x)")

    A module that holds a section is a module of claims.  Where no source is said it is the label, up to the
    first slash.  Shared checks are for claims with a formula.
    """

    def __init__(self, **shared: Unpack[ClaimFields]) -> None:
        self._shared = shared
        self.claims: list[Claim] = []

    def claim(self, label: str, statement: str, **fields: Unpack[ClaimFields]) -> Claim:
        """One more claim, with what is shared where it says nothing else."""
        given: ClaimFields = {"source": str(label).partition("/")[0], **self._shared, **fields}
        given["symbols"] = {**self._shared.get("symbols", {}), **fields.get("symbols", {})}
        if "says" not in given and "checks" not in fields:
            given["checks"] = None
        self.claims.append(claim(label, statement, **given))
        return self.claims[-1]

    def step(self, label: str, statement: str, **fields: Unpack[ClaimFields]) -> Claim:
        """A step of a proof."""
        fields["kind"] = Kind.STEP
        return self.claim(label, statement, **fields)

    def repair(self, label: str, statement: str, **fields: Unpack[ClaimFields]) -> Claim:
        """What holds in the place of something that does not."""
        fields["kind"] = Kind.REPAIR
        return self.claim(label, statement, **fields)

    def cited(self, label: str, statement: str, **fields: Unpack[ClaimFields]) -> Claim:
        """What somebody else has proved."""
        fields["kind"] = Kind.CITED
        return self.claim(label, statement, **fields)
