"""What is said about arguments that cannot be meant, and what a shell is told about those that can."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from ctucbvi.cli import build_parser, main, offers
from verify.commands.completion import script


def complaint(capsys, *arguments: str) -> str:
    """The one line of an error, whoever raises it."""
    try:
        status = main(list(arguments))
    except SystemExit as left:
        status = left.code
    found = capsys.readouterr()
    assert (status, found.out) == (2, "")
    assert found.err.count("\n") == 1
    return found.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["plam", "queue"], "invalid choice: 'plam'; did you mean plan"),
        (["zzz"], "choose from verify, claims, "),
        (
            ["plan", "queue", "--digts", "3"],
            "ctucbvi plan: unrecognized argument --digts; did you mean --digits?",
        ),
        (["plan", "queue", "--digit", "3"], "unrecognized argument --digit; did you mean --digits?"),
        (["plan", "queue", "--sem=both"], "unrecognized argument --sem=both; did you mean --semantics?"),
        (["regret", "queue", "--ep", "9", "--episodes", "9"], "did you mean --episodes or --epsilon?"),
        (["plan", "queue", "--semantics", "comitted"], "did you mean committed?"),
        (["plan", "queue", "more"], "ctucbvi plan: unrecognized argument more; see"),
        (["verify", "contracton"], "did you mean contraction"),
    ],
)
def test_what_may_have_been_meant_is_said(capsys, arguments, says):
    assert says in complaint(capsys, *arguments)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["plan", "queue", "--latex"], "--latex: belongs to --symbolic"),
        (["plan", "queue", "--symbolic", "2", "--plot", "x.svg"], "--plot: changes nothing with --symbolic"),
        (["plan", "queue", "--symbolic", "2", "--at", "0@1", "--seconds", "1"], "--at, --seconds: changes"),
        (
            ["plan", "queue", "--symbolic", "2", "--engine", "certified"],
            "--engine certified: changes nothing",
        ),
        (["crosscheck", "queue", "--seed", "4"], "--seed: no random models are asked for"),
        (["crosscheck", "queue", "--values", "x.csv", "--peers"], "--peers: belongs to the comparison"),
        (["crosscheck", "queue", "--values", "x.csv", "--failing", "y.toml"], "--failing: belongs"),
        (["claims", "--profile", "thorough"], "--profile: a list has no verdicts"),
        (["claims", "lem:*", "--seed", "3", "--json"], "--seed: a list has no verdicts"),
        (["claims", "thm:CT-UCB", "--derivation", "--seed", "3"], "--seed: a derivation has none"),
        (
            ["learn", "queue", "--check", "{file}", "--episodes", "9", "--seed", "4"],
            "--seed: nothing is drawn",
        ),
        (["learn", "queue", "--check", "{file}", "--initial", "0=1"], "--initial: nothing is drawn"),
        (["regret", "queue", "--episodes", "9", "--runs", "1", "--confidence", "0.9"], "a single run has no"),
        (["learn", "--replay", "x", "--seed", "4"], "--replay takes the settings of the history"),
        (["regret", "queue", "--episodes", "9", "--cluster", "a", "--workers", "2"], "done by the cluster"),
    ],
)
def test_an_option_that_would_change_nothing_is_refused(capsys, tmp_path, arguments, says):
    (tmp_path / "history.jsonl").write_text('{"visits": []}\n')
    file = str(tmp_path / "history.jsonl")
    assert says in complaint(capsys, *(word.format(file=file) for word in arguments))


def test_what_is_swept_over_need_not_be_given(capsys):
    sizes = {"--S": "4", "--A": "2", "--H": "3", "--lambda-max": "4", "--K": "1e9"}
    for swept in sizes:
        others = [word for name, value in sizes.items() if name != swept for word in (name, value)]
        assert main(["constants", *others, "--sweep", f"{swept[2:]}=2..5:4", "--json"]) == 0
        assert len(json.loads(capsys.readouterr().out)["bounds"]["trivial"]) == 4


def test_whole_numbers_are_written_as_people_write_them(capsys):
    read = build_parser().parse_args
    assert read(["regret", "queue", "--episodes", "1e3", "--runs", "2E1"]).episodes == 1000
    assert read(["verify", "--seed", "1e2"]).seed == 100
    assert read(["plan", "queue", "--digits", "12"]).digits == 12
    for text in ("2.5", "many", "inf", "nan", "1e999999999", ""):
        assert "invalid int value" in complaint(capsys, "regret", "queue", "--episodes", text)


# --- a certificate for another model --------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    file = tmp_path_factory.mktemp("certificate") / "c.json"
    assert main(["plan", "machine-repair", "--engine", "numeric", "--certificate", str(file)]) == 0
    return file


def test_a_certificate_for_another_model_says_which(certificate, capsys):
    text = complaint(capsys, "certify", "queue", str(certificate))
    assert "does not fit model 'queue': the file says that it is about model 'machine-repair'" in text
    assert "shape" not in text


def test_a_certificate_for_another_version_of_a_model_says_what_differs(certificate, capsys, tmp_path):
    document = json.loads(certificate.read_text())
    document["model"] = "queue"
    (tmp_path / "c.json").write_text(json.dumps(document))
    text = complaint(capsys, "certify", "queue", str(tmp_path / "c.json"))
    assert "is about a model of 2 states, and 'queue' has 7; name the model that it was made for" in text


def test_a_certificate_that_fits_and_proves_nothing_tells_its_model_too(certificate, capsys):
    assert main(["certify", "machine-repair", str(certificate)]) == 0
    assert "the file says" not in capsys.readouterr().out
    assert main(["certify", "machine-repair-raw", str(certificate)]) == 1
    assert "the file says that it is about model 'machine-repair'" in capsys.readouterr().out


# --- completion ---------------------------------------------------------------------------------


def completed(words: list[str]) -> list[str]:
    """What bash offers for the last word."""
    asked = " ".join(f"'{word}'" for word in words)
    lines = [
        script(build_parser(), "bash", offers()),
        f"COMP_WORDS=({asked})",
        f"COMP_CWORD={len(words) - 1}",
        "COMPREPLY=()",
        "_ctucbvi",
        'printf "%s\\n" "${COMPREPLY[@]}"',
    ]
    done = subprocess.run(["bash", "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_commands_options_and_choices():
    assert completed(["ctucbvi", "pl"]) == ["plan"]
    assert completed(["ctucbvi", "plan", "queue", "--dig"]) == ["--digits"]
    assert completed(["ctucbvi", "plan", "queue", "--semantics", "a"]) == ["adjustable"]
    assert completed(["ctucbvi", "plan", "queue", "--plot", "x"]) == []  # a file: left to the shell


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_words_by_their_place():
    assert completed(["ctucbvi", "plan", "machine-repair-"]) == ["machine-repair-raw"]
    assert completed(["ctucbvi", "plan", "--semantics", "both", "que"]) == ["queue"]
    assert completed(["ctucbvi", "plan", "my-mod"]) == []  # a file: left to the shell
    assert completed(["ctucbvi", "verify", "--model", "que"]) == ["queue"]
    assert completed(["ctucbvi", "verify", "con"]) == ["contraction"]
    assert completed(["ctucbvi", "completion", "z"]) == ["zsh"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_option_is_there_and_the_shell_reads_the_script(shell, tmp_path, capsys):
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert text == script(build_parser(), shell, offers())
    for word in ("plan", "verify", "completion", "committed", "machine-repair-raw", "contraction"):
        assert word in text
    assert ("-l certificate" if shell == "fish" else "--certificate") in text
    if shutil.which(shell):
        (tmp_path / "script").write_text(text)
        subprocess.run([shell, "-n", str(tmp_path / "script")], check=True)
