"""``docs/theorem.md``: every step links to a claim that is proved, and its numbers are right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ctucbvi import bundled_model
from ctucbvi.bounds import VERSIONS, Parameters, threshold
from proofs_checks import SOURCE
from verify.running.loading import load_claims

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "theorem.md").read_text(encoding="utf-8")
LINKS = dict(re.findall(r"\[`([^`]+)`\]\((\.\./proofs_checks/[^)]+)\)", PAGE))
PRINTED = "thm:CT-UCB"  # the bound that the page begins with
COLUMNS = ("printed", "sharp", "optimistic", "poisson", "kl", "kl-poisson", "tilts", "tilts-poisson")
_SIZES = {"episodes": 10**7, "delta": None}


def test_every_step_is_a_claim_that_is_proved():
    claims = load_claims(SOURCE)
    assert len(LINKS) > 15
    for label, path in LINKS.items():
        assert label in claims
        assert f'"{label}",' in (ROOT / "docs" / path).read_text(encoding="utf-8")
        assert label == PRINTED or str(claims[label].expects("quick")) == "proved"


@pytest.mark.parametrize(
    ("row", "p"),
    [
        ("machine repair", Parameters.of_model(bundled_model("machine-repair"), **_SIZES)),
        ("queue", Parameters.of_model(bundled_model("queue"), **_SIZES)),
        ("maintenance", Parameters.of_model(bundled_model("maintenance"), **_SIZES)),
        ("tree", Parameters.of(states=9, actions=2, horizon=3, lambda_max=4, **_SIZES)),
        ("S = A = 2", Parameters.of(states=2, actions=2, horizon=1, lambda_max=100, **_SIZES)),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_the_numbers_of_episodes(row, p):
    (line,) = (one for one in PAGE.splitlines() if one.startswith(f"| {row}"))
    cells = [cell.strip() for cell in line.strip("|").split("|")][1:]
    versions = {version.name: version for version in VERSIONS}
    for name, cell in zip(COLUMNS, cells, strict=True):
        found = threshold(versions[name], p).episodes
        assert cell.partition(" ")[0] == ("–" if found is None else f"{found:,}")
