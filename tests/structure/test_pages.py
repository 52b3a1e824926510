"""The pages that a reader follows, followed: what they show is what one gets, and what they name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pages import (
    FOLLOWED,
    ROOT,
    long_commands,
    mentions,
    parse,
    renewed,
    run_long_commands,
    same,
    shortened,
    unknown,
)

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "tests" / "README.md"])
CODE = re.compile(r"^    .*?$|^```.*?^```$|`[^`\n]*`|\$[^$\n]*\$", flags=re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<!\\)\]\(([^)\s#]+)(?:#[^)\s]*)?\)|^\[[^\]]+\]: (\S+)$", flags=re.MULTILINE)


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CTUCBVI_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("page", FOLLOWED)
def test_a_page_shows_what_one_gets(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert renewed(text) == text  # python -m tests.pages PAGE writes what is printed now


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_names_commands_and_files_that_exist(page):
    text = page.read_text(encoding="utf-8")
    for command in long_commands(text):
        if command.startswith("ctucbvi "):
            parse(command)
    assert [wrong for command in mentions(text) for wrong in unknown(command)] == []
    for found in LINK.finditer(CODE.sub("", text)):
        target = found[1] or found[2]
        if "://" not in target:
            assert (page.parent / target).exists(), target


MANY = ("docs/study/README.md",)  # commands: about a minute
UNFOLLOWED = [
    pytest.param(name, marks=pytest.mark.thorough if name in MANY else ())
    for name in (str(page.relative_to(ROOT)) for page in PAGES)
    if name not in FOLLOWED and long_commands((ROOT / name).read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("page", UNFOLLOWED)
def test_the_commands_of_a_page_end_well(page):
    run_long_commands((ROOT / page).read_text(encoding="utf-8"))


SHOWN = """\
# Page

```python
# mine.py
CLAIMS = []
```

```console
$ ctucbvi models nobody
ctucbvi: ...
$ echo $?
2
```

```python
answer = 6 * 7
```

```python
assert answer == 42
print("It is", answer)
```

```text
It is 42
```
"""


def test_a_page_is_followed_in_order():
    assert renewed(SHOWN) == SHOWN
    assert Path("mine.py").read_text(encoding="utf-8") == "# mine.py\nCLAIMS = []\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ctucbvi: ...", "somebody: ..."),
        ("ctucbvi: ...", "ctucbvi: ...\n\nand more"),
        ("\n2\n", "\n0\n"),
        ("is 42", "is 43"),
    ],
)
def test_a_page_that_shows_something_else_is_noticed(old, new):
    wrong = SHOWN.replace(old, new)
    assert renewed(wrong) != wrong


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("6 * 7", "6 * 8"),
        ("$ echo $?\n2\n", ""),
        ("$ ctucbvi models", "$ rm models"),
        ("$ ctu", "first\n$ ctu"),
    ],
)
def test_a_page_that_cannot_be_followed_is_noticed(old, new):
    with pytest.raises(AssertionError):
        renewed(SHOWN.replace(old, new))


LONG = "ctucbvi regret x --episodes 1000000 --runs 30 --out study --cluster tcp://host:8786"


def test_long_commands_are_run_with_less():
    assert shortened(LONG) == "ctucbvi regret x --episodes 300 --runs 2 --out study"
    few = "--claims few.py"
    assert shortened("ctucbvi verify --json > run.json") == f"ctucbvi verify {few} --json > run.json"
    assert shortened("ctucbvi verify --cluster tcp://host:8786") == f"ctucbvi verify {few}"
    assert shortened("ctucbvi report DIR") == f"ctucbvi report {few} DIR"
    for same_effort in (
        "ctucbvi verify coverage optimism --seed 1",
        "ctucbvi verify --claims mine.py --coq d",
    ):
        assert shortened(same_effort) == same_effort


@pytest.mark.parametrize("command", ["ctucbvi plan queue > plan.txt", "make verify  # all", "sudo rm -r x"])
def test_commands_that_end_well_pass(command):
    run_long_commands(f"```sh\n{command}\n```\n")


@pytest.mark.parametrize(
    "command",
    [
        "ctucbvi plan nobody",
        "ctucbvi verify coverage --examples 20",
        "python -c 'raise SystemExit(3)'",
        "make nothing-of-the-kind",
        "rm -r x",
        "ctucbvi models queue > queue.toml\nctucbvi plan quue.toml",
    ],
)
def test_a_command_that_ends_otherwise_is_noticed(command):
    with pytest.raises(AssertionError):
        run_long_commands(f"```sh\n{command}\n```\n")


@pytest.mark.parametrize("wrong", ["ctucbvi plann x", "ctucbvi plan x --digit-s 3", "ctucbvi verify --x=1"])
def test_a_command_that_does_not_exist_is_noticed(wrong, capsys):
    (named,) = mentions(f"Write `{wrong}`.")
    assert len(unknown(named)) == 1
    (found,) = long_commands(f"```sh\n{wrong}\n```\n")
    with pytest.raises(SystemExit):
        parse(found)
    assert capsys.readouterr().err.startswith("ctucbvi")


def test_a_link_is_seen():
    found = LINK.findall("[a](here.md#there), [b](https://example.org)\n\n[c]: over.md\n")
    assert [one or other for one, other in found] == ["here.md", "https://example.org", "over.md"]


def test_what_is_compared():
    assert same("a  proved  1.00\n", "a  proved  2.50\n")
    assert same("a  tested  0.5  1.00\n", "a  tested  gap 1e+03  2.50\n")
    assert same("error 1.2e-10\n", "error 3.4e-11\n")
    assert same("first\n...\nlast\n", "first\nmore\nmore\nlast\n")
    assert same("first ... last\n", "first of all, last\n")
    assert not same("a  proved  0.5  1.00\n", "a  proved  0.6  1.00\n")
    assert not same("error 12\n", "error 1.2e-10\n")
    assert not same("first\n...\nlast\n", "first\nmore\n")
    assert not same("first ... last\n", "first\nlast\n")
    assert not same("", "first\n")
