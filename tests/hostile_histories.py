"""Histories with reports, one thing wrong in each, and what the check has to say about it, known beforehand.

A base history is right in all that it says.  A case changes one number, name, line or byte of it; what must
come out is a first difference (episode, quantity, place), a refusal, or nothing where nothing wrong is said.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from ctucbvi.errors import InputError
from ctucbvi.exact.precision import enclosure
from ctucbvi.learning import Environment, Episode, Settings, load_history
from ctucbvi.learning.exact.learner import ExactLearner, ExactPlan
from ctucbvi.learning.exact.optimistic import OptimisticPlan
from ctucbvi.learning.exact.plan import CertifiedPlan
from ctucbvi.learning.lockstep import Checker
from ctucbvi.model import CTMDP

KINDS = {
    **dict.fromkeys(("time", "n_plus", "rate", "jumps", "probability"), "estimate"),
    **dict.fromkeys(("low", "high", "radius"), "set"),
    "bonus": "bonus",
}
REFUSED, NOTHING = "refused", "nothing"


class Case(NamedTuple):
    """A file, and what is to be said about it: REFUSED, NOTHING, or (episode, kind, where)."""

    what: str
    text: str
    expected: str | tuple[int, str, str]


class Quick(ExactLearner):
    """The exact learner, remembering its plans: most cases need the same ones."""

    plans: dict[Any, CertifiedPlan] = {}  # noqa: RUF012 -- shared on purpose

    def _made(self, bits: int) -> CertifiedPlan:
        seen = self._known
        key = self.settings, bits, seen.episodes, seen.time, seen.jumps
        if key not in self.plans:
            self.plans[key] = super()._made(bits)
        return self.plans[key]


def checker(model: CTMDP, settings: Settings) -> Checker:
    found = Checker(model, settings)
    found.exact = Quick(model, settings)
    return found


def report_of(plan: CertifiedPlan, number: int) -> dict[str, Any]:
    """All that can be said about a plan, in doubles."""
    seen, model = plan.statistics, plan.statistics.model
    pairs = []
    for k, row in enumerate(model.transitions):
        said: dict[str, Any] = {
            "state": row.state,
            "action": row.action,
            "time": float(seen.time[k]),
            "n_plus": seen.n_plus[k],
            "rate": float(seen.rate(k, plan.settings)),
            "jumps": dict(zip(model.states, seen.jumps[k], strict=True)),
            "probability": dict(zip(model.states, map(float, seen.probability(k)), strict=True)),
        }
        if isinstance(plan, ExactPlan):
            said["bonus"] = float(plan.bonus[k].mid)
        if isinstance(plan, OptimisticPlan):
            here = plan.sets[k]
            said |= {"low": float(enclosure(here.low).mid), "high": float(enclosure(here.high).mid)}
            said["radius"] = None if here.radius is None else float(enclosure(here.radius).mid)
        pairs.append(said)
    times = (model.horizon / 3, model.horizon)
    values = [
        [x, float(t), float(plan.value(x, Fraction(float(t))).mid)] for x in model.states for t in times
    ]
    counted = {} if plan.iterations is None else {"iterations": plan.iterations}
    return {"planned": plan.episode == number, **counted, "pairs": pairs, "values": values}


def base(model: CTMDP, settings: Settings, episodes: int, seed: int) -> list[dict[str, Any]]:
    """The lines of a right history; holding times are doubles."""
    learner, world, lines = Quick(model, settings), Environment(model, seed=seed), []
    for number in range(1, episodes + 1):
        said = report_of(learner.plan(), number)
        episode = world.episode(learner.choose)
        visits = [
            [v.state, v.action] + ([] if v.to is None else [float(v.holding), v.to]) for v in episode.visits
        ]
        lines.append({"episode": number, "visits": visits, **said})
        learner.observe(episode)
    return lines


def written(lines: list[Any]) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


Maker = Callable[[Random, CTMDP, list[dict[str, Any]]], Case]
RUBBISH: list[Any] = [
    float("nan"),
    float("inf"),
    -float("inf"),
    "rubbish",
    "",
    "0xzz",
    "1/0",
    True,
    [],
    {},
    "nan",
]


def place(
    random: Random, lines: list[dict[str, Any]]
) -> tuple[int, dict[str, Any], str, dict[str, Any], Any, str]:
    """A number about a pair: episode, pair, quantity, and where it stands: holder, key and its name."""
    number = random.randrange(len(lines))
    pair = random.choice(lines[number]["pairs"])
    what = random.choice([key for key in pair if key in KINDS])
    holder, key, to = pair, what, ""
    if isinstance(pair[what], dict):
        holder, key = pair[what], random.choice(list(pair[what]))
        to = f" to {key}"
    of = "" if what == "bonus" else f" {what}"
    return number + 1, pair, what, holder, key, f"{pair['state']}/{pair['action']}{of}{to}"


def moved(random: Random, number: float) -> float:
    """Another number, clearly and not too far away."""
    return random.choice([number + 0.25, number - 0.25, number * (1 + 1e-4) + 1e-5, -number - 1])


def number_of_a_pair(random: Random, model: CTMDP, lines: list[dict[str, Any]]) -> Case:
    episode, _, what, holder, key, where = place(random, lines)
    if holder[key] is None:
        holder[key] = random.choice([0.0, 0.5, 1.9])
    elif what == "radius" and holder[key] >= 2:  # an l1 set of everything, until it is smaller than that
        holder[key] = random.choice([0.5, 1.5])
    else:
        holder[key] = moved(random, holder[key])
    return Case(f"{what} {holder[key]}", written(lines), (episode, KINDS[what], where))


def rubbish_of_a_pair(random: Random, model: CTMDP, lines: list[dict[str, Any]]) -> Case:
    _, _, what, holder, key, _ = place(random, lines)
    holder[key] = random.choice([*RUBBISH, *([None] if what != "radius" else [])])
    return Case(f"{what} {holder[key]!r}", written(lines), REFUSED)


def left_out_of_a_pair(random: Random, model: CTMDP, lines: list[dict[str, Any]]) -> Case:
    _, pair, what, holder, key, _ = place(random, lines)
    gone = random.choice([*(["state", "action"] if holder is pair else []), key])
    del holder[gone]
    return Case(f"no {gone} ({what})", written(lines), REFUSED if gone in ("state", "action") else NOTHING)


def value(random: Random, model: CTMDP, lines: list[dict[str, Any]]) -> Case:
    line = random.choice(lines)
    row = random.choice(line["values"])
    part = random.randrange(3)
    where = f"{row[0]}@{row[1]:.6g}"
    if part == 0:
        row[0] = random.choice(["moon", None, 7, ["operating"]])
        return Case("value of no state", written(lines), REFUSED)
    if random.random() < 0.5:
        row[part] = random.choice([*RUBBISH, None])
        return Case(f"value {row!r}", written(lines), REFUSED)
    if part == 1:
        row[1] = random.choice([-0.5, float(model.horizon) * 2])
        return Case("value beyond the horizon", written(lines), REFUSED)
    row[2] = moved(random, row[2])
    return Case("value", written(lines), (line["episode"], "value", where))


def scalar(random: Random, model: CTMDP, lines: list[dict[str, Any]]) -> Case:
    line = random.choice(lines)
    key = random.choice([key for key in ("planned", "iterations") if key in line])
    if random.random() < 0.5:
        line[key] = random.choice(["true", 1.5, None, [1], "2", float("nan")])
        return Case(f"{key} {line[key]!r}", written(lines), REFUSED)
    line[key] = (not line[key]) if key == "planned" else line[key] + random.choice([-1, 1, 100])
    kind, where = ("plan", "all pairs") if key == "planned" else ("iterations", "n_k")
    return Case(key, written(lines), (line["episode"], kind, where))


def action(random: Random, model: CTMDP, lines: list[dict[str, Any]]) -> Case:
    """Another action: a difference there and then, unless the exact learner finds them equally good."""
    line = random.choice(lines)
    i = random.randrange(len(line["visits"]))
    visit = line["visits"][i]
    if random.random() < 0.3:
        visit[random.randrange(2)] = random.choice(["fly", None, 3, ["slow"], {}])
        return Case("no such action or state", written(lines), REFUSED)
    remaining = model.horizon - sum(Fraction(v[2]) for v in line["visits"][:i])
    others = [a for a in model.actions_of(visit[0]) if a != visit[1]]
    visit[1] = random.choice(others)
    return Case("action", written(lines), (line["episode"], "action", f"{visit[0]}@{float(remaining):.17g}"))


def holding(random: Random, model: CTMDP, lines: list[dict[str, Any]]) -> Case:
    """A holding time: the times of the next plan are others."""
    found = [(n, i) for n, line in enumerate(lines[:-1]) for i, v in enumerate(line["visits"]) if len(v) == 4]
    n, i = random.choice(found)
    visits = lines[n]["visits"]
    if random.random() < 0.5:
        visits[i][2] = random.choice([*RUBBISH, None, -0.125, float(model.horizon) * 2, "1e999", 1e301])
        return Case(f"holding {visits[i][2]!r}", written(lines), REFUSED)
    same = visits[-1][:2] == visits[i][:2]  # the last visit lasts for what is left
    visits[i][2] *= 1 - 1e-3
    row = {(r.state, r.action): k for k, r in enumerate(model.transitions)}
    first = min(row[tuple(visits[i][:2])], row[tuple(visits[-1][:2])])
    name = f"{model.transitions[first].state}/{model.transitions[first].action}"
    later = next((line["episode"] for line in lines[n + 1 :] if line["planned"]), None)
    unseen = same or later is None
    return Case("holding", written(lines), NOTHING if unseen else (later, "estimate", f"{name} time"))


def shape(random: Random, model: CTMDP, lines: list[dict[str, Any]]) -> Case:
    """States, targets, the order of visits, and what is missing."""
    line = random.choice(lines)
    visits = line["visits"]
    i = random.randrange(len(visits))
    what = random.choice(["target", "short", "long", "empty", "gone", "no visits", "last", "key", "kind"])
    if what == "target" and len(visits[i]) == 4:
        visits[i][3] = random.choice(["moon", None, 3, *(x for x in model.states if x != visits[i][3])])
    elif what == "short":
        visits[i] = visits[i][:1]
    elif what == "long":
        visits[i] = [*visits[i], "more"]
    elif what == "empty":
        line["visits"] = []
    elif what == "gone":
        del line[random.choice(["visits", "episode"])]
    elif what == "no visits":
        line["visits"] = random.choice([None, 3, "visits", {}, [3], [None], [[]]])
    elif what == "last" and len(visits) > 1:
        del visits[-1]
    elif what == "key":
        line[random.choice(["pair", "value", "bonus", ""])] = []
    else:
        line[random.choice(["pairs", "values"])] = random.choice([None, 3, "x", {}, [3], ["x"], [None], [[]]])
    return Case(f"shape: {what}", written(lines), REFUSED)


def order(random: Random, model: CTMDP, lines: list[dict[str, Any]]) -> Case:
    """Lines that are swapped, doubled, lost or numbered otherwise; one more than the settings know."""
    what = random.choice(["swapped", "doubled", "lost", "number", "more", "blank", "array"])
    i = random.randrange(len(lines) - 1)
    if what == "swapped":
        lines[i], lines[i + 1] = lines[i + 1], lines[i]
    elif what == "doubled":
        lines.insert(i, deepcopy(lines[i]))
    elif what == "lost":
        del lines[i]
    elif what == "number":
        lines[i]["episode"] = random.choice([0, -1, "1", None, True, 1.0, float("nan"), 99, [1]])
    elif what == "more":
        more = {"episode": len(lines) + 1, "visits": lines[0]["visits"]}
        lines.append(more)
    else:
        rows = written(lines).splitlines()
        rows[i] = "" if what == "blank" else f"[{rows[i]}]"
        return Case(what, "\n".join(rows) + "\n", REFUSED)
    return Case(what, written(lines), REFUSED)


def bytes_cut(random: Random, model: CTMDP, lines: list[dict[str, Any]]) -> Case:
    text = written(lines)
    at = random.randrange(1, len(text))
    whole = text[at - 1] == "\n" or text[at] == "\n"
    return Case(f"cut at {at}", text[:at], NOTHING if whole else REFUSED)


def untouched(random: Random, model: CTMDP, lines: list[dict[str, Any]]) -> Case:
    """Right in other words: strings for numbers, hexadecimal, fractions, no newline at the end."""
    for line in lines:
        for visit in line["visits"]:
            if len(visit) == 4:
                visit[2] = random.choice([float(visit[2]).hex(), str(Fraction(visit[2])), visit[2]])
        for pair in line["pairs"]:
            pair["time"] = random.choice([repr(pair["time"]), float(pair["time"]).hex()])
    return Case("other words", written(lines).rstrip("\n"), NOTHING)


MAKERS: list[Maker] = [
    *(number_of_a_pair, rubbish_of_a_pair, left_out_of_a_pair, value, scalar),
    *(action, holding, shape, order, bytes_cut, untouched),
]


def harmless(model: CTMDP, settings: Settings, text: str, expected: tuple[int, str, str]) -> bool:
    """Whether an action of a history may be the best one, asked of the exact learner directly."""
    learner = Quick(model, settings)
    for line in map(json.loads, text.splitlines()):
        jumps, rest = [v for v in line["visits"] if len(v) == 4], line["visits"][-1]
        episode = Episode.of(model, [(x, a, Fraction(t), y) for x, a, t, y in jumps], tuple(rest))
        remaining = model.horizon
        for visit in episode.visits:
            if (line["episode"], "action", f"{visit.state}@{float(remaining):.17g}") == expected:
                return visit.action in learner.best(visit.state, remaining)[0]
            remaining -= visit.holding
        learner.observe(episode)
    raise AssertionError(expected)


def said_about(model: CTMDP, settings: Settings, file: Path) -> str | tuple[int, str, str]:
    """What the check says: REFUSED, NOTHING, or the first difference; all else is an error here."""
    try:
        history = load_history(file, (model, settings), whole=True)
        steps = list(checker(model, settings).follow(zip(history.episodes, history.reports, strict=True)))
    except InputError as error:
        return REFUSED if "\n" not in str(error) else str(error)
    for step in steps:
        for d in step.unexplained:
            assert d.gap > d.allowed
            return d.episode, d.kind, d.where
    return NOTHING
