"""What the commands about learning share: the model and the settings that the options describe."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ctucbvi import CTMDP, InputError, find_model
from ctucbvi.learning.settings import rescaling
from ctucbvi.numbers import exact
from verify.progress import note_if_slow


def note_never_left(pairs: Sequence[dict[str, Any]]) -> list[str]:
    """What is to be said about pairs of rate 0 that keep the paper's bonus; nothing without any."""
    if not pairs:
        return []
    names = ", ".join(f"{pair['state']}/{pair['action']}" for pair in pairs)
    least = min(pair["bonus_at_least"] for pair in pairs)
    return [
        "",
        f"never left (rate 0): {names}. No jump is ever seen there, so alpha of eq:alpha-k stays what it is "
        f"at first, the paper's bonus above {least:.4g}, and the state counts as worth all there is: unless "
        "that is optimal, the learner goes there for ever and the regret is linear (try --bonus sharp)",
    ]


def told(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of ``Settings.for_model`` that the options give."""
    return {
        "delta": options.delta or "1/20",
        "epsilon": options.epsilon or "1/sqrt(k)",
        "lambda_max": options.lambda_max,
        "lambda_min": options.lambda_min,
        "bonus": options.bonus or "paper",
        "rates": options.rates,
        "jumps": options.jumps,
        "replan": 0 if options.replan is None else options.replan,
    }


_FIXED = ("episodes", "delta", "epsilon", "lambda_max", "lambda_min", "bonus", "rates", "jumps", "replan")


def refuse_settings(options: argparse.Namespace, option: str) -> None:
    """Refuse what a history that is named by ``option`` says itself."""
    given = any(getattr(options, name) is not None for name in (*_FIXED, "seed", "rescale", "save"))
    if given or options.initial:
        raise InputError(f"{option} takes the settings of the history; leave out the others, and --save")


def refuse_another(options: argparse.Namespace, path: str, model: CTMDP) -> None:
    """Refuse a history at ``path`` if its model is not MODEL, whatever its rewards were rescaled by."""
    if options.model is not None and _unscaled(find_model(options.model)) != _unscaled(model):
        raise InputError(f"{path}: a history of another model; leave out MODEL")


def _unscaled(model: CTMDP) -> CTMDP:
    if model.pays_at_moments:
        return model
    plain = model.plain()
    return plain.with_rewards(*rescaling(plain))


def model_of(options: argparse.Namespace) -> CTMDP:
    """The model, with its rewards rescaled if that was asked for."""
    with note_if_slow(f"ctucbvi: reading {options.model}"):
        return rescaled(find_model(options.model), options.rescale)


def rescaled(model: CTMDP, by: str | None) -> CTMDP:
    """The model with rewards as ``--rescale`` says; costs are rewards with a minus sign."""
    if model.pays_at_moments:
        return model  # refused by the learner's settings
    costs, model = model.objective != "max", model.plain()
    if by == "auto":
        return model.with_rewards(*rescaling(model))
    if by is None:
        if costs and not all(0 <= row.reward <= 1 for row in model.transitions):
            scale, shift = rescaling(model)
            raise InputError(
                f"model {model.name!r} minimises costs, and the learner maximises rewards in [0, 1]; rescale "
                f"minus the costs with --rescale={scale},{shift}"
            )
        return model
    parts = by.split(",")
    if len(parts) != 2:
        raise InputError(f"--rescale {by}: write two numbers, for example --rescale=1/20,3/5, or auto")
    scale, shift = (exact(part, "--rescale") for part in parts)
    if scale <= 0:
        raise InputError(f"--rescale {by}: the factor must be positive, or what is best changes")
    return model.with_rewards(scale, shift)


def scale_of(options: argparse.Namespace) -> Fraction | None:
    """The factor of the rewards of :func:`model_of`; None if they are the model's own."""
    if options.rescale == "auto":
        return rescaling(find_model(options.model).plain())[0]
    return None if options.rescale is None else exact(options.rescale.split(",")[0], "--rescale")


def initial_of(model: CTMDP, options: argparse.Namespace) -> dict[str, str] | None:
    """The weights of the initial states, as they were written; ``None`` without any."""
    found: dict[str, str] = {}
    for text in options.initial:
        state, equals, weight = text.rpartition("=")
        if not equals:
            raise InputError(f"--initial: {text!r} is not STATE=P; write for example {model.states[0]}=1/2")
        found[state] = weight
    return found or None
