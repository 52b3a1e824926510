"""What a person may write after ``ctucbvi``: the arguments of each command, and nothing that computes.

The commands themselves are the modules of :mod:`ctucbvi.commands`; the claims' are in :mod:`verify.usage`.
"""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction

from verify.console import Commands, add_command, take

NUMERIC_DIGITS = 12  # at most, of the fast planner
RANDOM = 8  # random models of a cross-check, where no model is named and no number is given
RANGE = "K=1..1e14"  # of a picture of bounds, unless told otherwise

_SEMANTICS = ("committed", "adjustable", "both")
_EPSILON = "accuracies: 1/sqrt(k) (default), k^-A, 'k^-A*exp(-lambda_max*H)', or 0: the limit"
_MODEL = "bundled name or TOML/JSON file"
_JSON = "print one JSON document"


def add(commands: Commands) -> None:
    """Describe the arguments of all commands."""
    for command in (_plan, _crosscheck, _certify, _learn, _regret, _study, _constants, _losses, _models):
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
        "ctucbvi.commands.plan",
        "optimal value, time-dependent policy and switching times, with guaranteed digits",
        "Solve a model: optimal value, time-dependent policy and switching times. Times are remaining times.",
        _PLAN_EXAMPLES,
    )
    take(parser, "model MODEL", "a TOML or JSON file, or the name of a bundled model")
    semantics = "committed: the action is held until the next jump (default); adjustable: it may change at "
    semantics += "any time; both: side by side, with the gap"
    take(parser, "--semantics", semantics, choices=_SEMANTICS, default="committed")
    engines = "exact: values and policy, precision raised until actions are told apart or proved tied "
    engines += "(default); certified: stop as soon as the values have their digits; numeric: fast, in double "
    engines += "precision, with enclosures from a certificate"
    take(parser, "--engine", engines, choices=("exact", "certified", "numeric"), default="exact")
    take(parser, "--digits D", "guaranteed digits (default 15; with --engine numeric 9)", type=int)
    take(parser, "--truncate", "cap values at the remaining time: min{t, .}")
    take(
        parser,
        "--at STATE@T",
        "value at this state and remaining time, and the policy of this state alone",
        action="append",
        default=[],
    )
    take(parser, "--seconds S", "time to spend at most, from reading the model on (default 600)", type=float)
    take(parser, "--plot FILE", "draw values and policy (.svg, .png or .pdf)")
    take(parser, "--symbolic N", "print the N-th iterate of value iteration in closed form", span=(0, None))
    take(parser, "--certificate FILE", "with --engine numeric: write what proves the enclosures")
    take(parser, "--no-certificate", "with --engine numeric: print values without enclosures")
    take(parser, "--latex", "with --symbolic: print LaTeX")
    take(parser, "--json", _JSON)


def _crosscheck(commands: Commands) -> None:
    parser = add_command(
        commands,
        "ctucbvi.commands.crosscheck",
        "solve models by three routes and compare; check a table of values",
        _CROSSCHECK,
        _CROSSCHECK_EXAMPLES,
    )
    take(parser, "models MODEL", _MODEL, nargs="*")
    take(parser, "--random N", f"random models to add (default {RANDOM}; 0 with MODEL)", span=(0, 10**6))
    take(parser, "--seed S", "of the random models (default 0)", type=int)
    take(parser, "--digits D", "digits to compare (default 20)", default=20, span=(5, 200))
    tolerance = "claimed by the fast planner, or allowed to the table of values (default 1e-9)"
    take(parser, "--tolerance T", tolerance, default="1e-9")
    take(parser, "--semantics", "default both; with --values committed", choices=_SEMANTICS)
    take(parser, "--values FILE", "check these values of one MODEL (.csv or .json)")
    failing = "where to write the smallest failing model found (default crosscheck-failure.toml)"
    take(parser, "--failing FILE", failing)
    take(parser, "--peers", "ask Storm and QuantEcon too, where they apply (extra 'peers')")
    take(parser, "--json", _JSON)


def _certify(commands: Commands) -> None:
    parser = add_command(
        commands,
        "ctucbvi.commands.certify",
        "check a certificate and say what it proves",
        "Prove a bound on the error of the polynomials in FILE, from them and the model alone. The file "
        "says which problem it is about; what is printed says so too, and --semantics and --truncate insist "
        "on one.",
        "example: ctucbvi plan queue --engine numeric --certificate queue.json && "
        "ctucbvi certify queue queue.json",
    )
    take(parser, "model MODEL", _MODEL)
    take(parser, "file FILE", "a certificate, written by plan --certificate")
    take(parser, "--semantics", "refuse a file about the other problem", choices=_SEMANTICS[:2])
    capped = "refuse a file about values that are not capped at the remaining time (--no-truncate: that are)"
    take(parser, "--truncate", capped, action=BooleanOptionalAction)
    take(parser, "--json", _JSON)


def _models(commands: Commands) -> None:
    text = "list the bundled models, or print one, or one of Storm or PRISM, as a file to start from"
    example = "examples:\n  ctucbvi models machine-repair > mine.toml\n"
    example += "  ctucbvi models polling.ma --constants N=2 --horizon 1 --goal done > polling.toml\n"
    example += (
        "  ctucbvi models ftwc.jani --constants N=4,TIME_BOUND=5 --property PmaxReachBound > ftwc.toml\n"
    )
    example += "  ctucbvi models large.toml --out large.npz\n"
    parser = add_command(commands, "ctucbvi.commands.models", text, text.capitalize() + ".", example)
    name = "print this model instead of the list: a bundled one, Storm's explicit format (.drn), or (with "
    take(
        parser,
        "name name",
        name + "the extra 'peers') PRISM's language or JANI (.prism, .ma, .jani)",
        nargs="?",
    )
    group = parser.add_argument_group("for a file of Storm or PRISM")
    take(group, "--horizon H", "the horizon, which such files do not have")
    take(group, "--constants C", "values of the constants, as in N=3,p=1/10")
    take(group, "--property P", "of the JANI file, or a formula: it says horizon, goal and objective")
    take(group, "--reward NAME", "the reward model that counts (default: the only one)")
    take(group, "--goal LABEL", "earn 1 if a state with this label is reached within the horizon")
    take(group, "--avoid LABEL", "with --goal: only if no state with this label was met before (until)")
    take(group, "--objective", "max (default) or min", choices=("max", "min"))
    take(
        group,
        "--rationalize T",
        "decimals are the simplest fractions within this share of them (1e-5 for .drn)",
    )
    take(parser, "--json", "print JSON instead of TOML")
    out = "write it there instead, in the format of its ending, .toml, .json, or .npz for a large one; then a"
    take(parser, "--out FILE", f"{out} model may be in a file of these formats as well")


# --- learning ---------------------------------------------------------------------------------

_LEARN_EXAMPLES = """examples:
  ctucbvi learn machine-repair --episodes 300 --seed 1 --lockstep
  ctucbvi learn machine-repair --episodes 50 --save history.jsonl
  ctucbvi learn machine-repair --episodes 50 --bonus sharp
  ctucbvi learn --replay history.jsonl --lockstep --json
  ctucbvi learn machine-repair --check mine.jsonl --episodes 1000
  ctucbvi learn machine-repair --episodes 100 --lockstep --compiled 100
  ctucbvi learn machine-repair --episodes 100 --bonus optimistic --replan 1/10 --lockstep --compiled 100
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
  ctucbvi regret machine-repair --episodes 2000 --runs 10 --learner mine.py
  ctucbvi regret machine-repair --episodes 10000000 --runs 30 --bonus optimistic --replan 1/100
  ctucbvi regret my-model.toml --episodes 1000000 --runs 30 --out study --cluster tcp://host:8786
"""

_STUDY = """\
Run many regret studies that one file describes: a grid of models, their parameters, learners
and what these are told, each with its runs.  All runs of all configurations share one queue, the
longest first, and the table says what each configuration came to after its last episode.

The file is TOML.  Its keys are those of ctucbvi regret (model, learner, episodes, runs, seed,
steps, delta, epsilon, lambda-max, lambda-min, bonus, rates, jumps, replan, rescale, initial),
horizon, and parameters = { ... } of a bundled model; a list is an axis of the grid.  Several
[[grid]] may follow what holds for all.  With --out DIR the same command goes on, and
DIR has a folder for each configuration, with its result.json.
"""

_STUDY_EXAMPLES = """examples:
  ctucbvi study grid.toml --out results --csv results.csv
  ctucbvi study grid.toml --out results --cluster tcp://host:8786 --json

a file:
  runs = 30
  episodes = [1000, 10000]

  [[grid]]
  model = "machine-repair"
  learner = ["ct-ucbvi", "sharp", "ucbvi@10", "mine.py"]

  [[grid]]
  model = "queue"
  parameters = { capacity = [2, 4, 6] }
  rescale = "auto"
  bonus = "optimistic"
  replan = [0, "1/100"]
"""

_LOSSES = """\
Where is the bound of the paper's theorem lost?  Play CT-UCBVI on MODEL and compute every
sum of the proof along the episodes played: each inequality from the measured regret to the
final bound then has a factor, and their product is the bound over the regret.

The theorem speaks about the learner with delta = 1/(2KH): that is the default here.
With --bonus optimistic (--rates paper or poisson) it is the optimistic learner, its
theorem thm:CT-UCB/optimistic (.../poisson) and the proof in docs/theorem.md; delta = 1/(2K).
Finished parts are kept in --out DIR, as in a regret study: the same command goes on.
"""

_LOSSES_EXAMPLES = """examples:
  ctucbvi losses machine-repair --episodes 1000000 --runs 4 --figure losses.svg
  ctucbvi losses my-model.toml --episodes 100000 --runs 10 --out parts --json
  ctucbvi losses machine-repair --episodes 100000 --bonus optimistic --rates poisson
"""


def _learn(commands: Commands) -> None:
    parser = add_command(
        commands,
        "ctucbvi.commands.learn",
        "learn a model episode by episode with CT-UCBVI, certified",
        "Run CT-UCBVI with exact estimates, certified values and certified switching times. With --lockstep "
        "the fast learner runs beside it on the same draws, and every difference is listed. With --check "
        "your own learner is compared with it, on the history that yours wrote: status 1 if it differs.",
        _LEARN_EXAMPLES,
    )
    take(parser, "model MODEL", "a TOML or JSON file, or the name of a bundled model", nargs="?")
    take(parser, "--episodes N", "how many episodes (default 100)", type=int)
    take(parser, "--seed S", "of the draws (default 1)", type=int)
    _add_settings(parser)
    take(parser, "--no-bonus", "--bonus none", action="store_const", const="none", dest="bonus")
    take(parser, "--lockstep", "compare with the fast learner at each step")
    compiled = "with --lockstep: the compiled learner of the studies leads, on a grid of CELLS"
    take(parser, "--compiled CELLS", compiled, span=(1, 10**6))
    take(parser, "--save FILE", "write the history as it comes, one line per episode")
    take(parser, "--replay FILE", "follow a saved history instead of drawing one")
    check = "compare your learner with the exact one: its history, one episode per line, or a Python file "
    check += "with a class Learner; --episodes is the K that it is told"
    take(parser, "--check FILE", check)
    take(parser, "--tolerance T", "with --check: how far off numbers may be (default 1e-9)")
    take(parser, "--json", _JSON)


def _regret(commands: Commands) -> None:
    summary = "the expected regret of CT-UCBVI, with its bound"
    parser = add_command(commands, "ctucbvi.commands.regret", summary, _REGRET, _REGRET_EXAMPLES)
    _add_study(parser, runs=30)
    baselines = "to compare with: sharp (the smallest bonus that is proved), greedy (no bonus), ucbvi@N "
    baselines += "(discrete time, N steps), optimistic, optimistic-poisson, optimistic-kl, "
    baselines += "optimistic-poisson-kl (no bonus, the best model in confidence sets)"
    take(parser, "--baselines NAME", baselines, nargs="+", default=[])
    take(parser, "--learner FILE", "your own: Python files with a class Learner", nargs="+", default=[])
    take(parser, "--confidence P", "of the bands (default 0.95)")
    take(parser, "--result FILE", "write the result there (JSON)")
    take(parser, "--figure FILE", "draw the curves there (.svg, .png or .pdf)")
    take(parser, "--json", _JSON)


def _study(commands: Commands) -> None:
    summary = "many regret studies at once: a grid of models and learners in one file"
    parser = add_command(commands, "ctucbvi.commands.study", summary, _STUDY, _STUDY_EXAMPLES)
    take(parser, "file FILE.toml", "the configurations")
    _add_work(parser)
    take(parser, "--csv FILE", "write the table there")
    take(parser, "--json", _JSON)


def _losses(commands: Commands) -> None:
    summary = "where the bound of the theorem is lost, inequality by inequality"
    parser = add_command(commands, "ctucbvi.commands.losses", summary, _LOSSES, _LOSSES_EXAMPLES)
    _add_study(parser, runs=4, block=100_000, delta="1/(2KH), optimistic: 1/(2K)")
    take(parser, "--figure FILE", "draw the waterfall there (.svg, .png or .pdf)")
    take(parser, "--json", _JSON)


def _add_study(parser: ArgumentParser, *, runs: int, block: int | None = None, delta: str = "1/20") -> None:
    """Describe the options of a study: what is played, how often, and what the learner is told."""
    take(parser, "model MODEL", _MODEL)
    take(parser, "--episodes K", "of every run", type=int, required=True)
    take(parser, "--runs R", f"independent runs (default {runs})", default=runs)
    take(parser, "--seed S", "of all random numbers (default 0)", default=0)
    steps = "cells of the grid of remaining times (default: 100, or as many as it takes for the grid to cost "
    take(parser, "--steps N", steps + "less than 1 %% of the regret)", type=int)
    _add_work(parser, block)
    _add_settings(parser, delta)


def _add_work(parser: ArgumentParser, block: int | None = None) -> None:
    """Describe who does the work of a study, and where it is kept."""
    take(parser, "--workers W", "processes (default: one per core)", span=(1, None))
    take(parser, "--cluster ADDRESS", "a dask scheduler that does the work instead")
    take(parser, "--out DIR", "folder for finished parts; needed to resume")
    usual = "as many as take some seconds" if block is None else block
    text = f"episodes between two saves of a run (default: {usual})"
    take(parser, "--block B", text, type=int, default=block)


def _add_settings(parser: ArgumentParser, delta: str = "1/20") -> None:
    """Describe what a learner is told; what is not given stays ``None``."""
    group = parser.add_argument_group("what the learner is told")
    take(group, "--delta D", f"confidence parameter (default {delta})")
    take(group, "--epsilon E", _EPSILON)
    take(group, "--lambda-max L", "bound on all rates (default: the largest)")
    take(group, "--lambda-min L", "known lower bound: the variant of the paper's remark")
    bonus = "paper (default), sharp: the smallest that is proved, with its stopping rule, none: greedy, or "
    bonus += "optimistic: no bonus, the best model in the confidence sets"
    take(group, "--bonus", bonus, choices=("paper", "sharp", "none", "optimistic"))
    rates = "with --bonus optimistic, intervals for the rates: of the paper (default) or from Poisson tails"
    take(group, "--rates", rates, choices=("paper", "poisson"))
    jumps = "with --bonus optimistic, sets for the jumps: within a distance in l1 (default) or a divergence"
    take(group, "--jumps", jumps, choices=("l1", "kl"))
    replan = "plan again only when a count has grown by more than the factor 1 + ETA (default 0: always)"
    take(group, "--replan ETA", replan)
    take(group, "--rescale SCALE,SHIFT", "rewards become SCALE * r + SHIFT; auto: into [0, 1]")
    take(group, "--initial STATE=P", "a distribution of initial states", action="append", default=[])


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

With --replan ETA there are also the bounds of the learners that keep a plan while no pair has more
than 1 + ETA times its jumps and its time, nor, for a learner with a bonus, the number of the episode
grown by more: the versions with "lazy" in their names.
"""

_CONSTANTS_EXAMPLES = """examples:
  ctucbvi constants machine-repair --K 1e7 --delta 1/20
  ctucbvi constants machine-repair --K 1e7 --replan 1/100
  ctucbvi constants --S 9 --A 2 --H 3 --K 1e15 --lambda-max 4 --lambda-min 1/2 --digits 30 --json
  ctucbvi constants machine-repair --plot bounds.svg --study docs/study/machine-repair.json
  ctucbvi constants machine-repair --K 1e9 --sweep H=1/10..10:100 --json
"""


def _constants(commands: Commands) -> None:
    summary = "every constant and bound of the paper, with guaranteed digits"
    parser = add_command(commands, "ctucbvi.commands.constants", summary, _CONSTANTS, _CONSTANTS_EXAMPLES)
    take(parser, "model MODEL", _MODEL, nargs="?")
    sizes = parser.add_argument_group("parameters (exact: 7, 0.05, 1/20, 1e7)")
    for name, text in (("S", "states"), ("A", "actions"), ("H", "horizon"), ("K", "episodes")):
        take(sizes, f"--{name} {name}", text)
    take(sizes, "--lambda-max L", "bound on all rates (default: the model's largest)")
    take(sizes, "--lambda-min L", "lower bound (default: the model's smallest rate)")
    take(sizes, "--delta D", "of the radii and the learner (default 1/(2KH))")
    take(sizes, "--epsilon E", _EPSILON, default="1/sqrt(k)")
    take(sizes, "--time T", "spent at the pair of beta and b (default 0)")
    take(sizes, "--jumps N", "from the pair of alpha and b (default 0)")
    take(sizes, "--replan ETA", "plans kept while data grow by at most 1 + ETA (default: none kept)")
    take(parser, "--digits D", "significant digits (default 10)", span=(1, 1000))
    take(parser, "--sweep P=A..B[:N]", "bounds over a parameter (default N: 200)")
    take(parser, "--plot FILE", f"draw the sweep there (.svg, .png or .pdf); default sweep: {RANGE}")
    take(parser, "--study FILE", "a result of ctucbvi regret, to draw beside the bounds")
    kinds = parser.add_mutually_exclusive_group()
    take(kinds, "--latex", "print the table of constants for a paper")
    take(kinds, "--json", _JSON)
