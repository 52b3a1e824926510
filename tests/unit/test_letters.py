"""Letters that Python reads as others: refused wherever a formula or a name is read."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from verify.claims import ClaimError, Domain, claim
from verify.kernel.language import Setting
from verify.kernel.terms import KernelError
from verify.recheck.derivations.languages import new_name
from verify.recheck.intervals import UnknownError
from verify.recheck.letters import foreign, normal
from verify.recheck.reading import tree_of

# Each was proved, or refuted though it is true: two letters were one variable.
LOOK_ALIKES = [
    ("ϵ <= ε", ("ϵ >= 0", "ε >= 1"), "'ϵ' is read as 'ε'"),
    ("l <= ℓ + 1/2", ("l >= 0", "ℓ >= 0"), "'ℓ' is read as 'l'"),
    ("θ == ϑ", ("θ >= 0", "ϑ >= 0"), "'ϑ' is read as 'θ'"),
    ("x <= 𝑥 + 1", ("x >= 0",), "'𝑥' is read as 'x'"),
    ("ﬁ >= 0", ("fi >= 0",), "'ﬁ' is read as 'fi'"),
    ("x² >= 0", ("x >= 0",), "'²' is read as '2'"),
]


@pytest.mark.parametrize(("says", "domain", "why"), LOOK_ALIKES)
def test_a_claim_with_a_look_alike_is_refused(says, domain, why):
    with pytest.raises(ClaimError, match=why):
        claim("look", "alike", says=says, domain=domain).says  # noqa: B018 - read when it is asked for


def test_names_of_a_domain_and_labels():
    with pytest.raises(ClaimError, match="'ℓ' is read as 'l'"):
        Domain.of("0 <= l <= 3", integers="ℓ")
    with pytest.raises(ClaimError, match="'ϵ' is read as 'ε'"):
        claim("lem:ϵ", "a label", says="x >= 0", domain=("x >= 0",))
    assert set(Domain.of("λ >= 0", "ε > 0", integers="ν").ranges) == {"λ", "ε", "ν"}


def test_the_checker_and_the_kernel_refuse_them_too():
    for read in (tree_of, Setting.of("s", "", {"Real": "x"}, [], {}).formula):
        with pytest.raises((UnknownError, KernelError), match="'ϵ' is read as 'ε'"):
            read("ϵ <= 1")
    with pytest.raises(KernelError, match="cannot be a name here"):
        Setting.of("s", "", {"Real": "ℓ"}, [], {}).read()
    with pytest.raises(UnknownError, match="is not a name"):
        new_name("ℓ", ())


def test_what_passes_is_read_letter_by_letter_as_it_stands():
    """All letters of Unicode: what Python would change is refused, and the message says how it is read."""
    letters = [c for c in map(chr, range(sys.maxunicode + 1)) if c.isidentifier()]
    changed = {c for c in letters if unicodedata.normalize("NFKC", c) != c}
    assert len(changed) > 2000
    assert {c for c in letters if not normal(c)} == changed
    assert all(foreign(c) for c in changed)
    assert foreign("e\u0302 <= 1") == "letters that belong together are written apart; write 'ê <= 1'"
