"""Whatever a document holds, the checker answers with complaints of one line: thousands of damaged ones."""

from __future__ import annotations

import random

import pytest

from tests.quality.hostile.malformed import DEEP, found, written
from tests.unit.test_recheck import ACCEPTED
from verify.recheck import certificates, documents, recheck
from verify.recheck.__main__ import main


def test_a_damaged_document_is_a_complaint():
    assert next(found(0, 700), None) is None


@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(1, 11))
def test_thousands_of_damaged_documents_are_complaints(seed):
    assert next(found(seed, 2000), None) is None


def test_a_file_that_is_damaged_is_a_line_and_no_success(tmp_path, capsys):
    rng, file = random.Random(3), tmp_path / "document.json"
    codes = set()
    for _ in range(60):
        file.write_text(written(rng), encoding="utf-8", errors="surrogatepass")
        codes.add(main([str(file)]))
    told = capsys.readouterr()
    assert codes == {0, 1, 2}  # most changes are inside a word, and some of no consequence
    assert "Traceback" not in told.out + told.err


@pytest.mark.parametrize("deep", DEEP, ids=lambda data: type(data).__name__)
@pytest.mark.parametrize("key", ["relation", "domain", "box", "proof"])
def test_what_is_too_deep_to_be_shown_is_a_complaint(key, deep):
    assert recheck(ACCEPTED["range"] | {key: deep})


def test_without_the_guard_one_is_found(monkeypatch):
    monkeypatch.setattr(certificates, "FAILURES", ())
    monkeypatch.setattr(documents, "_BEYOND", ())
    assert next(found(0, 700), None) is not None
