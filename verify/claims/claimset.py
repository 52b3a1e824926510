"""Claims that fit together, and what rests on what among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from verify.claims.claim import Claim
from verify.claims.formulas import ClaimError


class ClaimSet:
    """Claims that fit together: labels are unique, every use resolves, nothing rests on itself."""

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._claims: dict[str, Claim] = {}
        for one in claims:
            if one.label in self._claims:
                first = self._claims[one.label].module or "?"
                raise ClaimError(
                    f"claim {one.label}: the label is used twice ({first} and {one.module or '?'})"
                )
            self._claims[one.label] = one if one.derivation is None else one.one_of(self)
        for one in self._claims.values():
            for used in one.uses:
                if used not in self._claims:
                    raise ClaimError(
                        f"claim {one.label}: uses {used!r}, which is no claim; correct the label"
                    )
            repair = one.finding.repair if one.finding else ""
            if repair and repair not in self._claims:
                raise ClaimError(f"claim {one.label}: repair {repair!r} is no claim; correct the label")
        self._order = self._sorted()

    def _sorted(self) -> list[str]:
        """Labels with what they use before them."""
        done: dict[str, bool] = {}  # False: under way
        order: list[str] = []
        for start in self._claims:
            stack: list[tuple[str, Iterator[str]]] = []
            if start not in done:
                done[start] = False
                stack.append((start, iter(self._claims[start].uses)))
            while stack:
                label, rest = stack[-1]
                used = next(rest, None)
                if used is None:
                    done[label] = True
                    order.append(label)
                    stack.pop()
                elif used not in done:
                    done[used] = False
                    stack.append((used, iter(self._claims[used].uses)))
                elif not done[used]:
                    path = [entry for entry, _ in stack]
                    cycle = " -> ".join([*path[path.index(used) :], used])
                    raise ClaimError(f"claim {used}: rests on itself ({cycle})")
        return order

    def __iter__(self) -> Iterator[Claim]:
        return iter(self._claims.values())

    def __len__(self) -> int:
        return len(self._claims)

    def __contains__(self, label: str) -> bool:
        return label in self._claims

    def __getitem__(self, label: str) -> Claim:
        return self._claims[label]

    @property
    def order(self) -> list[str]:
        """All labels, each after what it uses."""
        return self._order

    def closure(self, labels: Iterable[str]) -> list[str]:
        """The labels and everything they rest on, each after what it uses."""
        wanted: set[str] = set()
        stack = list(labels)
        while stack:
            label = stack.pop()
            if label not in wanted:
                wanted.add(label)
                stack.extend(self._claims[label].uses)
        return [label for label in self._order if label in wanted]
