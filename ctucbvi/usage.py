"""What a person may write after ``ctucbvi``: the arguments of each command, and nothing that computes.

The commands themselves are the modules of :mod:`ctucbvi.commands`; the claims' are in :mod:`verify.usage`.
"""

from __future__ import annotations

import argparse
from argparse import ArgumentParser

from verify.console import Commands, add_command

RANDOM = 8  # random models of a cross-check, where no model is named and no number is given
RANGE = "K=1..1e14"  # of a picture of bounds, unless told otherwise

_COMMANDS = "ctucbvi.commands"


def add(commands: Commands) -> None:
    """Describe the arguments of all commands."""
    for command in (_plan, _crosscheck, _certify, _learn, _regret, _constants, _losses, _models):
        command(commands)


# --- planning ---------------------------------------------------------------------------------

_PLAN_EXAMPLES = """examples:
  ctucbvi plan machine-repair --digits 40
  ctucbvi plan my-model.toml --semantics both --at operating@1/2 --plot values.svg
  ctucbvi plan machine-repair --symbolic 2
"""

_CROSSCHECK = """\
Solve models with the exact planner (ball arithmetic), the fast planner (doubles, with a
proved bound) and the second opinion (Taylor series in mpmath), and compare values and
switching times.  Without MODEL: the bundled models, corner cases and random models.
Status 1 if anything is outside its claim.
"""

_CROSSCHECK_EXAMPLES = """examples:
  ctucbvi crosscheck
  ctucbvi crosscheck machine-repair my-model.toml --digits 30
  ctucbvi crosscheck --random 100 --seed 7
  ctucbvi crosscheck machine-repair --values mine.csv --tolerance 1e-6

A table of values is CSV with the header state,t,value or state,t,value,action (t is the
remaining time), or a JSON list of objects with these names.
"""


def _plan(commands: Commands) -> None:
    parser = add_command(
        commands,
        f"{_COMMANDS}.plan",
        help="optimal value, time-dependent policy and switching times, with guaranteed digits",
        description="Solve a model: optimal value, time-dependent policy and switching times. "
        "Times are remaining times.",
        epilog=_PLAN_EXAMPLES,
    )
    parser.add_argument("model", metavar="MODEL", help="a TOML or JSON file, or the name of a bundled model")
    parser.add_argument(
        "--semantics",
        choices=("committed", "adjustable", "both"),
        default="committed",
        help="committed: the action is held until the next jump (default); adjustable: it may change at "
        "any time; both: side by side, with the gap",
    )
    parser.add_argument(
        "--engine",
        choices=("exact", "certified", "numeric"),
        default="exact",
        help="exact: values and policy, precision raised until actions are told apart or proved tied "
        "(default); certified: stop as soon as the values have their digits; numeric: fast, in double "
        "precision, with enclosures from a certificate",
    )
    parser.add_argument(
        "--digits", type=int, metavar="D", help="guaranteed digits (default 15; with --engine numeric 9)"
    )
    parser.add_argument("--truncate", action="store_true", help="cap values at the remaining time: min{t, .}")
    parser.add_argument(
        "--at", action="append", default=[], metavar="STATE@T", help="value at this state and remaining time"
    )
    parser.add_argument(
        "--seconds", type=float, default=600.0, metavar="S", help="time to spend at most (default 600)"
    )
    parser.add_argument("--plot", metavar="FILE", help="draw values and policy (.svg, .png or .pdf)")
    parser.add_argument(
        "--symbolic", type=int, metavar="N", help="print the N-th iterate of value iteration in closed form"
    )
    parser.add_argument(
        "--certificate", metavar="FILE", help="with --engine numeric: write what proves the enclosures"
    )
    parser.add_argument(
        "--no-certificate", action="store_true", help="with --engine numeric: print values without enclosures"
    )
    parser.add_argument("--latex", action="store_true", help="with --symbolic: print LaTeX")
    _json(parser)


def _crosscheck(commands: Commands) -> None:
    parser = add_command(
        commands,
        f"{_COMMANDS}.crosscheck",
        help="solve models by three routes and compare; check a table of values",
        description=_CROSSCHECK,
        epilog=_CROSSCHECK_EXAMPLES,
    )
    parser.add_argument("models", nargs="*", metavar="MODEL", help="bundled name or TOML/JSON file")
    parser.add_argument(
        "--random", type=int, metavar="N", help=f"random models to add (default {RANDOM}; 0 with MODEL)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the random models (default 0)")
    parser.add_argument("--digits", type=int, default=20, metavar="D", help="digits to compare (default 20)")
    parser.add_argument(
        "--tolerance",
        default="1e-9",
        metavar="T",
        help="claimed by the fast planner, or allowed to the table of values (default 1e-9)",
    )
    parser.add_argument(
        "--semantics",
        choices=("committed", "adjustable", "both"),
        help="default both; with --values committed",
    )
    parser.add_argument("--values", metavar="FILE", help="check these values of one MODEL (.csv or .json)")
    parser.add_argument(
        "--failing",
        default="crosscheck-failure.toml",
        metavar="FILE",
        help="where to write the smallest failing model found (default crosscheck-failure.toml)",
    )
    parser.add_argument(
        "--peers", action="store_true", help="ask Storm and QuantEcon too, where they apply (extra 'peers')"
    )
    _json(parser)


def _certify(commands: Commands) -> None:
    parser = add_command(
        commands,
        f"{_COMMANDS}.certify",
        help="check a certificate and say what it proves",
        description="Prove a bound on the error of the polynomials in FILE, from them and the model alone. "
        "The file says which problem it is about; what is printed says so too, and --semantics and "
        "--truncate insist on one.",
        epilog="example: ctucbvi plan queue --engine numeric --certificate queue.json && "
        "ctucbvi certify queue queue.json",
    )
    _model(parser)
    parser.add_argument("file", metavar="FILE", help="a certificate, written by plan --certificate")
    parser.add_argument(
        "--semantics", choices=("committed", "adjustable"), help="refuse a file about the other problem"
    )
    parser.add_argument(
        "--truncate",
        action=argparse.BooleanOptionalAction,
        help="refuse a file about values that are not capped at the remaining time (--no-truncate: that are)",
    )
    _json(parser)


def _models(commands: Commands) -> None:
    text = "list the bundled models, or print one as a file to start from"
    parser = add_command(
        commands,
        f"{_COMMANDS}.models",
        help=text,
        description=text.capitalize() + ".",
        epilog="example: ctucbvi models machine-repair > mine.toml",
    )
    parser.add_argument("name", nargs="?", help="print this model instead of the list")
    _json(parser, "print JSON instead of TOML")


# --- learning ---------------------------------------------------------------------------------

_LEARN_EXAMPLES = """examples:
  ctucbvi learn machine-repair --episodes 300 --seed 1 --lockstep
  ctucbvi learn machine-repair --episodes 50 --save history.jsonl
  ctucbvi learn machine-repair --episodes 50 --bonus sharp
  ctucbvi learn --replay history.jsonl --lockstep --json
  ctucbvi learn machine-repair --episodes 100 --lockstep --compiled 100
  ctucbvi learn queue --episodes 20 --rescale=1/14,4/7 --epsilon "k^-1/2*exp(-lambda_max*H)"
"""

_REGRET = """\
Play CT-UCBVI on MODEL, in independent runs, and report its expected regret after k
episodes: the mean over runs, its standard error, a band that holds at all k together, and
the bound of the paper's theorem.  The values of the optimal policy and of every policy
played are computed with a proved error, not averaged from rewards.

Finished parts are kept in --out DIR: the same command goes on from them after Ctrl-C, a
crash or a kill.  The result depends on the settings only, bit for bit.
"""

_REGRET_EXAMPLES = """examples:
  ctucbvi regret machine-repair --episodes 100000 --runs 10 --figure regret.svg
  ctucbvi regret machine-repair --episodes 10000000 --runs 30 --out study \\
      --result regret.json --figure regret.svg
  ctucbvi regret machine-repair --episodes 20000 --runs 10 --baselines sharp greedy ucbvi@5 ucbvi@20
  ctucbvi regret my-model.toml --episodes 1000000 --runs 30 --out study --cluster tcp://host:8786
"""

_LOSSES = """\
Where is the bound of the paper's theorem lost?  Play CT-UCBVI on MODEL and compute every
sum of the proof along the episodes played: each inequality from the measured regret to the
final bound then has a factor, and their product is the bound over the regret.

The theorem speaks about the learner with delta = 1/(2KH): that is the default here.
Finished parts are kept in --out DIR, as in a regret study: the same command goes on.
"""

_LOSSES_EXAMPLES = """examples:
  ctucbvi losses machine-repair --episodes 1000000 --runs 4 --figure losses.svg
  ctucbvi losses my-model.toml --episodes 100000 --runs 10 --out parts --json
"""


def _learn(commands: Commands) -> None:
    parser = add_command(
        commands,
        f"{_COMMANDS}.learn",
        help="learn a model episode by episode with CT-UCBVI, certified",
        description="Run CT-UCBVI with exact estimates, certified values and certified switching times. "
        "With --lockstep the fast learner runs beside it on the same draws, and every difference is listed.",
        epilog=_LEARN_EXAMPLES,
    )
    parser.add_argument(
        "model", metavar="MODEL", nargs="?", help="a TOML or JSON file, or the name of a bundled model"
    )
    parser.add_argument("--episodes", type=int, metavar="N", help="how many episodes (default 100)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the draws (default 1)")
    _settings(parser)
    parser.add_argument("--no-bonus", action="store_const", const="none", dest="bonus", help="--bonus none")
    parser.add_argument("--lockstep", action="store_true", help="compare with the fast learner at each step")
    parser.add_argument(
        "--compiled",
        type=int,
        metavar="CELLS",
        help="with --lockstep: the compiled learner of the studies leads, on a grid of CELLS",
    )
    parser.add_argument("--save", metavar="FILE", help="write the history as it comes, one line per episode")
    parser.add_argument("--replay", metavar="FILE", help="follow a saved history instead of drawing one")
    _json(parser)


def _regret(commands: Commands) -> None:
    parser = add_command(
        commands,
        f"{_COMMANDS}.regret",
        help="the expected regret of CT-UCBVI, with its bound",
        description=_REGRET,
        epilog=_REGRET_EXAMPLES,
    )
    _study(parser, runs=30, block=250_000)
    parser.add_argument(
        "--baselines",
        nargs="+",
        default=[],
        metavar="NAME",
        help="to compare with: sharp (the smallest bonus that is proved), greedy (no bonus), ucbvi@N "
        "(discrete time, N steps)",
    )
    parser.add_argument("--confidence", default="0.95", metavar="P", help="of the bands (default 0.95)")
    parser.add_argument("--result", metavar="FILE", help="write the result there (JSON)")
    parser.add_argument("--figure", metavar="FILE", help="draw the curves there (.svg, .png or .pdf)")
    _json(parser)


def _losses(commands: Commands) -> None:
    parser = add_command(
        commands,
        f"{_COMMANDS}.losses",
        help="where the bound of the theorem is lost, inequality by inequality",
        description=_LOSSES,
        epilog=_LOSSES_EXAMPLES,
    )
    _study(parser, runs=4, block=100_000, delta="1/(2KH)")
    parser.add_argument("--figure", metavar="FILE", help="draw the waterfall there (.svg, .png or .pdf)")
    _json(parser)


# --- the paper's constants --------------------------------------------------------------------

_CONSTANTS = """\
Compute every constant of the paper with guaranteed digits, for a MODEL or for sizes and
rates: the radii and the bonus, the propositions, the bound of thm:CT-UCB in its factors (as
printed, repaired, with the sharpest constants proved, and for the learners with half of the bonus
and with a lump sum in its place), the number of episodes from which on it says more than the
trivial bound K H, and the lower bounds.  A bound outside its domain has no value; the condition
that fails is named.

The theorem is about the learner with delta = 1/(2KH), and so are its bounds here, whatever --delta
says.  With --delta the radii are those for this delta, and the versions "delta" and
"sharp-delta" are what the same proof gives for it.
"""

_CONSTANTS_EXAMPLES = """examples:
  ctucbvi constants machine-repair --K 1e7 --delta 1/20
  ctucbvi constants --S 9 --A 2 --H 3 --K 1e15 --lambda-max 4 --lambda-min 1/2 --digits 30 --json
  ctucbvi constants machine-repair --plot bounds.svg --study docs/study/machine-repair.json
  ctucbvi constants machine-repair --K 1e9 --sweep H=1/10..10:100 --json
"""


def _constants(commands: Commands) -> None:
    parser = add_command(
        commands,
        f"{_COMMANDS}.constants",
        help="every constant and bound of the paper, with guaranteed digits",
        description=_CONSTANTS,
        epilog=_CONSTANTS_EXAMPLES,
    )
    _model(parser, nargs="?")
    sizes = parser.add_argument_group("parameters (exact: 7, 0.05, 1/20, 1e7)")
    for name, text in (("S", "states"), ("A", "actions"), ("H", "horizon"), ("K", "episodes")):
        sizes.add_argument(f"--{name}", metavar=name, help=text)
    sizes.add_argument("--lambda-max", metavar="L", help="bound on all rates (default: the model's largest)")
    sizes.add_argument("--lambda-min", metavar="L", help="lower bound (default: the model's smallest rate)")
    sizes.add_argument("--delta", metavar="D", help="of the radii and the learner (default 1/(2KH))")
    sizes.add_argument("--epsilon", metavar="E", default="1/sqrt(k)", help=_EPSILON)
    sizes.add_argument("--time", metavar="T", default="0", help="spent at the pair of beta and b (default 0)")
    sizes.add_argument("--jumps", metavar="N", default="0", help="from the pair of alpha and b (default 0)")
    parser.add_argument("--digits", type=int, default=10, metavar="D", help="significant digits (default 10)")
    parser.add_argument("--sweep", metavar="P=A..B[:N]", help="bounds over a parameter (default N: 200)")
    parser.add_argument(
        "--plot", metavar="FILE", help=f"draw the sweep there (.svg, .png or .pdf); default sweep: {RANGE}"
    )
    parser.add_argument(
        "--study", metavar="FILE", help="a result of ctucbvi regret, to draw beside the bounds"
    )
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--latex", action="store_true", help="print the table of constants for a paper")
    _json(kinds)


# --- what several share -----------------------------------------------------------------------

_EPSILON = "accuracies: 1/sqrt(k) (default), k^-A or 'k^-A*exp(-lambda_max*H)'"


def _json(parser: argparse._ActionsContainer, text: str = "print one JSON document") -> None:
    parser.add_argument("--json", action="store_true", help=text)


def _model(parser: ArgumentParser, nargs: str | None = None) -> None:
    parser.add_argument("model", metavar="MODEL", nargs=nargs, help="bundled name or TOML/JSON file")


def _study(parser: ArgumentParser, *, runs: int, block: int, delta: str = "1/20") -> None:
    """Describe the options of a study: what is played, how often, and what the learner is told."""
    _model(parser)
    parser.add_argument("--episodes", type=int, required=True, metavar="K", help="of every run")
    parser.add_argument(
        "--runs", type=int, default=runs, metavar="R", help=f"independent runs (default {runs})"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of all random numbers (default 0)")
    parser.add_argument(
        "--steps",
        type=int,
        metavar="N",
        help="cells of the grid of remaining times (default: 100, or as many as it takes for the grid to "
        "cost less than 1 %% of the regret)",
    )
    parser.add_argument("--workers", type=int, metavar="W", help="processes (default: one per core)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="a dask scheduler that does the work instead")
    parser.add_argument("--out", metavar="DIR", help="folder for finished parts; needed to resume")
    text = f"episodes between two saves of a run (default {block})"
    parser.add_argument("--block", type=int, default=block, metavar="B", help=text)
    _settings(parser, delta)


def _settings(parser: ArgumentParser, delta: str = "1/20") -> None:
    """Describe what a learner is told; what is not given stays ``None``."""
    group = parser.add_argument_group("what the learner is told")
    group.add_argument("--delta", metavar="D", help=f"confidence parameter (default {delta})")
    group.add_argument("--epsilon", metavar="E", help=_EPSILON)
    group.add_argument("--lambda-max", metavar="L", help="bound on all rates (default: the largest)")
    group.add_argument(
        "--lambda-min", metavar="L", help="known lower bound: the variant of the paper's remark"
    )
    group.add_argument(
        "--bonus",
        choices=("paper", "sharp", "none"),
        help="paper (default), sharp: the smallest that is proved, with its stopping rule, or none: greedy",
    )
    group.add_argument("--rescale", metavar="SCALE,SHIFT", help="rewards become SCALE * r + SHIFT")
    group.add_argument(
        "--initial", action="append", default=[], metavar="STATE=P", help="a distribution of initial states"
    )
