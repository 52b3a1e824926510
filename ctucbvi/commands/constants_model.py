"""What the bounds of ``ctucbvi constants MODEL`` say about this very model, and what about others like it."""

from __future__ import annotations

import shlex
import textwrap
from typing import Any

from ctucbvi.bounds import Parameters
from ctucbvi.bounds.catalogue import BOUNDS, CONSEQUENCES, KEPT_PLANS
from ctucbvi.bounds.conditions import LAMBDA_MIN
from ctucbvi.bounds.versions import versions_of
from ctucbvi.errors import InputError
from ctucbvi.learning.settings import Schedule, rescaling
from ctucbvi.model import CTMDP

_MOST_NAMED = 4
_CLASS = (
    "a lower bound is about the class: whatever the learner, some model with these S, A, H and lambda_max "
    "has at least that regret; this model may have less"
)


def about(model: CTMDP, p: Parameters) -> dict[str, Any]:
    """What the bounds do not know of the model, pairs that are never left, and the units, as JSON."""
    idle = [row for row in model.transitions if row.rate == 0]
    slowest = min((row.rate for row in model.transitions if row.rate), default=p.lambda_max)
    return {
        "never_left": [
            {"state": row.state, "action": row.action, "only_action": len(model.actions_of(row.state)) == 1}
            for row in idle
        ],
        "lambda_min_with_self_jumps": str(slowest) if idle else None,
        "objective": model.objective.value,
        "rescaling": _rescaling(model),
        "terminal_reward": model.pays_at_end,
        "lumps": [{"state": row.state, "action": row.action} for row in model.transitions if row.lump],
        "choices": [{"state": row.state, "action": row.action} for row in model.transitions if row.choice],
    }


def _rescaling(model: CTMDP) -> list[str] | None:
    """Scale and shift of the rewards (minus the costs) that the bounds are about; None: they are as they are.

    Costs in [0, 1] keep their unit: the regret of 1 - c is the excess cost.
    """
    if model.pays_at_moments:
        return None  # no bound, no unit
    plain = model.plain()
    rewards = [row.reward for row in plain.transitions]
    if 0 <= min(rewards) <= max(rewards) <= 1:
        return None
    within = -1 <= min(rewards) <= max(rewards) <= 0
    found = (1, 1) if within and plain is not model else rescaling(plain)
    return [str(number) for number in found]


# --- what no bound is about -----------------------------------------------------------------------


def unknown(found: dict[str, Any] | None) -> list[str]:
    """What the model has, if there is one, and no bound of the regret knows, as conditions that fail."""
    if found is None:
        return []
    told = {"no terminal reward": found["terminal_reward"], "no lumps at jumps": found["lumps"]}
    told["no rewards for choosing"] = found["choices"]
    return [condition for condition, there in told.items() if there]


def refuse_unknown(model: CTMDP, p: Parameters) -> None:
    """Refuse a model of which there is no bound to draw."""
    if conditions := unknown(about(model, p)):
        raise InputError(
            f"model {model.name!r}: every bound of the regret needs {' and '.join(conditions)}; leave them "
            "out, or write --S, --A, --H and --lambda-max for models of this size"
        )


def withhold(document: dict[str, Any], found: dict[str, Any]) -> None:
    """Take from the document every bound of the regret, if none is about the model."""
    failing = [{"condition": condition, "holds": False} for condition in unknown(found)]
    if not failing:
        return
    upper = document["upper_bound"]
    regret = {constant.name for constant in (*BOUNDS, *CONSEQUENCES, *KEPT_PLANS)}
    constants = [entry for entry in document["constants"] if entry["name"] in regret]
    for entry in (*constants, upper, *upper["versions"]):
        kept = {
            key: entry[key]
            for key in ("name", "label", "title", "expression", "learner", "delta")
            if key in entry
        }
        conditions = [*entry["conditions"], *failing]
        versions = {"versions": entry["versions"]} if "versions" in entry else {}
        entry.update(dict.fromkeys(entry), **kept, conditions=conditions, **versions)
        if "vacuous_until_missing" in entry:
            entry["vacuous_until_missing"] = "needs " + " and ".join(unknown(found))
    document.update(dict.fromkeys(("ratio", "ratio_sharp", "ratio_optimistic")))


# --- for a reader ---------------------------------------------------------------------------------


def lines(found: dict[str, Any], p: Parameters, *, lower: bool, width: int) -> list[str]:
    """The same for a reader: which versions say nothing about the model, why, and what helps."""
    texts = [*_unknown(found), *_idle(found, p), *_units(found), *([_CLASS] if lower else [])]
    return [line for text in texts for line in textwrap.wrap(text, width, subsequent_indent="  ")]


def _idle(found: dict[str, Any], p: Parameters) -> list[str]:
    pairs = found["never_left"]
    if not pairs or p.lambda_min:
        return []
    without = [
        version.name
        for version in versions_of(p)
        if LAMBDA_MIN in version.conditions and (p.delta is not None or not version.own_delta)
    ]
    idle = f"lambda_min is 0: {_named(pairs)} {'is' if len(pairs) == 1 else 'are'} never left (rate 0)"
    if unknown(found):
        return [idle]
    texts = [
        f"{idle}. {', '.join(without)} need lambda_min > 0 and say nothing about this model; the versions of "
        "the optimistic learner need no lambda_min and hold for it"
    ]
    alone = [pair for pair in pairs if pair["only_action"]]
    if len(alone) == len(pairs):
        sizes = {"--S": p.states, "--A": p.actions, "--H": p.horizon, "--K": p.episodes}
        rates = {"--lambda-max": p.lambda_max, "--lambda-min": found["lambda_min_with_self_jumps"]}
        more = {
            "--delta": p.delta,
            "--replan": p.replan,
            "--epsilon": None if p.epsilon == Schedule() else p.epsilon,
        }
        told = [
            word
            for name, value in {**sizes, **rates, **more}.items()
            if value is not None
            for word in (name, str(value))
        ]
        state = pairs[0]["state"]
        jump = f'rate = "{p.lambda_max}", to = {{ {state} = "1" }}'
        texts.append(
            f"what helps: such a state has no other action, so that a jump back to itself ({jump}) is the "
            f"same problem; lambda_min is then {rates['--lambda-min']}, and its bounds are those of "
            f"ctucbvi constants {shlex.join(told)}"
        )
    else:
        texts.append(
            "what helps: a jump back to itself in the place of rate 0; where the state offers other actions "
            "that is another problem, in which each such jump is a new decision"
        )
    return texts


def _units(found: dict[str, Any]) -> list[str]:
    if found["rescaling"] is None:
        return []
    scale, shift = found["rescaling"]
    costs = found["objective"] == "min"
    what = "costs c" if costs else "others"
    image = (
        (f"{scale} * (-c) + {shift}" if scale != "1" else f"{shift} - c")
        if costs
        else f"{scale} * r + {shift}"
    )
    regret = "excess cost" if costs else "regret"
    size = f"the {regret} of the model" if scale == "1" else f"{scale} times its {regret}"
    return [
        f"the bounds are for rewards in [0, 1], and this model has {what}: they hold for {image} "
        f"(--rescale={scale},{shift} of learn and regret), whose regret is {size}"
    ]


def _unknown(found: dict[str, Any]) -> list[str]:
    texts = []
    if found["terminal_reward"]:
        texts.append(
            "no bound of the regret is about this model: it has a terminal reward, and the paper knows none. "
            "What helps: leave it out; the radii and what is about rates and jumps alone hold all the same"
        )
    if found["lumps"]:
        texts.append(
            f"no bound of the regret is about this model: {_named(found['lumps'])} earn lumps at jumps, "
            "whose worth per unit of time depends on rates and jumps, which the learner does not know. What "
            "helps: where that worth is known, write it as the reward rate, in the place of the lump"
        )
    if found["choices"]:
        texts.append(
            f"no bound of the regret is about this model: choosing {_named(found['choices'])} is rewarded, "
            "and the paper knows rewards per unit of time only. What helps: leave that out"
        )
    return texts


def _named(pairs: list[dict[str, Any]]) -> str:
    named = ", ".join(f"{pair['state']}/{pair['action']}" for pair in pairs[:_MOST_NAMED])
    return named + (f" and {len(pairs) - _MOST_NAMED} more" if len(pairs) > _MOST_NAMED else "")
