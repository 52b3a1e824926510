"""What the bounds of ``ctucbvi constants MODEL`` say about this very model, and what about others like it."""

from __future__ import annotations

import shlex
import textwrap
from typing import Any

from ctucbvi.bounds import Parameters
from ctucbvi.bounds.versions import GIVEN
from ctucbvi.learning.settings import rescaling
from ctucbvi.model import CTMDP

_MOST_NAMED = 4
_CLASS = (
    "a lower bound is about the class: whatever the learner, some model with these S, A, H and lambda_max "
    "has at least that regret; this model may have less"
)


def about(model: CTMDP, p: Parameters) -> dict[str, Any]:
    """The pairs that are never left, what to do about them, and the units of the bounds, as JSON."""
    idle = [row for row in model.transitions if row.rate == 0]
    slowest = min((row.rate for row in model.transitions if row.rate), default=p.lambda_max)
    rewards = [row.reward for row in model.transitions]
    outside = not 0 <= min(rewards) <= max(rewards) <= 1
    return {
        "never_left": [
            {"state": row.state, "action": row.action, "only_action": len(model.actions_of(row.state)) == 1}
            for row in idle
        ],
        "lambda_min_with_self_jumps": str(slowest) if idle else None,
        "rescaling": [str(number) for number in rescaling(model)] if outside else None,
        "terminal_reward": any(model.terminal),
    }


def lines(
    found: dict[str, Any], p: Parameters, versions: list[dict[str, Any]], *, lower: bool, width: int
) -> list[str]:
    """The same for a reader: which versions say nothing about the model, why, and what helps."""
    texts = [*_idle(found, p, versions), *_units(found), *([_CLASS] if lower else [])]
    return [line for text in texts for line in textwrap.wrap(text, width, subsequent_indent="  ")]


def _idle(found: dict[str, Any], p: Parameters, versions: list[dict[str, Any]]) -> list[str]:
    pairs = found["never_left"]
    if not pairs or p.lambda_min:
        return []
    asked = [v for v in versions if p.delta is not None or v["delta"] != GIVEN]
    without = [v["name"] for v in asked if v["value"] is None and "lambda_min" in str(v["conditions"])]
    named = ", ".join(f"{pair['state']}/{pair['action']}" for pair in pairs[:_MOST_NAMED])
    more = f" and {len(pairs) - _MOST_NAMED} more" if len(pairs) > _MOST_NAMED else ""
    texts = [
        f"lambda_min is 0: {named}{more} {'is' if len(pairs) == 1 else 'are'} never left (rate 0). "
        f"{', '.join(without)} need lambda_min > 0 and say nothing about this model; the versions of the "
        "optimistic learner need no lambda_min and hold for it"
    ]
    alone = [pair for pair in pairs if pair["only_action"]]
    if len(alone) == len(pairs):
        sizes = {"--S": p.states, "--A": p.actions, "--H": p.horizon, "--K": p.episodes}
        rates = {"--lambda-max": p.lambda_max, "--lambda-min": found["lambda_min_with_self_jumps"]}
        told = [word for name, value in {**sizes, **rates}.items() for word in (name, str(value))]
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
    texts = []
    if found["rescaling"] is not None:
        scale, shift = found["rescaling"]
        texts.append(
            "the bounds are for rewards in [0, 1], and this model has others: they hold for "
            f"{scale} * r + {shift} (--rescale={scale},{shift}), whose regret is {scale} times the model's"
        )
    if found["terminal_reward"]:
        texts.append("the paper knows no terminal reward, and this model has one: no bound here is about it")
    return texts
