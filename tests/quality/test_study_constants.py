"""Constants that are slightly wrong, planted in the package: what looks at their meaning notices each."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import pytest

from ctucbvi.bounds import optimistic, rows, versions
from ctucbvi.learning import radii, settings
from ctucbvi.study import blocks, cells, evaluation, optimum, plan, summary
from tests.changed_code import planted
from tests.unit.test_bounds_thresholds import GROWING, growths_too_small
from tests.unit.test_learning_sharp import check_the_stopping_rule
from tests.unit.test_study_bounds import CHECKS

# By module: what a check is called, what stands there, and what is planted in its place.
PLANTED = {
    summary: [
        ("the_guaranteed_band", "+ 7.0 * k", "+ 3.0 * k"),
        ("the_guaranteed_band", "log(4.0 * len", "log(2.0 * len"),
        ("the_guaranteed_band", "log(4.0 * len(self.checkpoints) /", "log(4.0 /"),
        ("the_guaranteed_band", "sqrt(2.0 * float(v)", "sqrt(float(v)"),
        ("the_guaranteed_band", "(3.0 * (count - 1))", "(3.0 * count)"),
        ("the_guaranteed_band", "7.0 * k * widest", "7.0 * widest"),
        ("the_guaranteed_band", "float(self.losses[1] - self.losses[0])", "float(self.losses[1])"),
        ("the_guaranteed_band", "/ (count - 1) for m", "/ count for m"),
        ("the_band_of_student", "sqrt(v / len(self.regrets))", "sqrt(v) / len(self.regrets)"),
        (
            "the_band_of_student",
            "float((1 - self.confidence) / len(self.checkpoints))",
            "float(1 - self.confidence)",
        ),
        (
            "the_band_of_student",
            "student_quantile(share, len(self.regrets) - 1)",
            "student_quantile(share, len(self.regrets))",
        ),
        ("the_band_of_student", "/ (count - 1) for m", "/ count for m"),
        ("the_error_of_a_curve", "error + UNITS / 2 + optimal.radius", "error + optimal.radius"),
        ("the_error_of_a_curve", "error + UNITS / 2 + optimal.radius", "error + UNITS / 2"),
        ("the_error_of_a_curve", "error + UNITS / 2 + optimal.radius", "UNITS / 2 + optimal.radius"),
        ("the_error_of_a_curve", "k * optimal.mid", "k * optimal.lower"),
        ("the_error_of_a_curve", "float(mean) - radius - k * error", "float(mean) - radius - error"),
        ("the_error_of_a_curve", "float(mean) + radius + k * error", "float(mean) + radius"),
        ("the_error_of_a_curve", "max(ends[0], k * low)", "max(ends[0], low)"),
    ],
    evaluation: [
        ("the_cut_off", "_SMALL = 2.0**-60", "_SMALL = 2.0**-44"),
        ("the_cut_off", "_SMALL = 2.0**-60", "_SMALL = 2.0**-52"),
        ("the_cut_off", "while weight > _SMALL:", "while k < 12:"),
        ("the_cut_off", "weight *= length / k", "weight *= length / (k + 1)"),
        (
            "the_cut_off",
            "new[i] = z[i] + share[i] * (inflow - z[i]) + gain[i]",
            "new[i] = z[i] + share[i] * (inflow - z[i])",
        ),
        ("the_number_of_terms", "_SMALL = 2.0**-60", "_SMALL = 2.0**-70"),
        ("the_number_of_terms", "_TERMS = 20", "_TERMS = 12"),
        ("the_sum_of_the_errors", "(entries + 10)", "entries"),
        ("the_sum_of_the_errors", "+ 18.0)", ")"),
        ("the_sum_of_the_errors", "(2.0 * _TERMS + 6.0)", "_TERMS"),
        ("the_sum_of_the_errors", "2.0**-57 * (scale + rho)", "2.0**-60 * (scale + rho)"),
        ("the_sum_of_the_errors", "(steps + load + 2.0) *", "(steps + 1.0) *"),
        ("the_sum_of_the_errors", "return 2.0 * (flow + stretches)", "return 1.0 * (flow + stretches)"),
        ("the_sum_of_the_errors", "+ stretches) + _VANISHED", "+ stretches)"),
        ("the_sum_of_the_errors", "+ float(np.abs(arrays.terminal).max())", ""),
        ("the_sum_of_the_errors", "size = scale + _TERMS * rho", "size = scale"),
        ("the_sum_of_the_errors", "from ctucbvi.numbers import UNIT\n", "UNIT = 2.0**-54\n"),
        (
            "the_clock",
            "np.nextafter(float(max(model.max_rate, 1 / model.horizon)), np.inf)",
            "0.99 * max(model.max_rate, 1 / model.horizon)",
        ),
        ("rounding_to_units", "[round(v) for v", "[int(v) for v"),
        ("rounding_to_units", "[round(v) for v", "[int(v + 0.5) for v"),
        ("rounding_to_units", "[round(v) for v", "[int(v // 1) for v"),
        ("rounding_to_units", "values * 2.0**60", "values * 2.0**52"),
    ],
    blocks: [
        ("rounding_of_what_is_earned", "[round(earned / UNITS)", "[int(earned / UNITS)"),
        ("rounding_of_what_is_earned", "[round(earned / UNITS)", "[round(float(earned / UNITS))"),
    ],
    optimum: [
        ("possible_losses", "least = optimal.lower - best.upper", "least = optimal.upper - best.upper"),
        ("possible_losses", "least = optimal.lower - best.upper", "least = optimal.lower - best.lower"),
        (
            "possible_losses",
            "else Fraction(0)\n    return least",
            "else best.lower - best.upper\n    return least",
        ),
        ("possible_losses", "optimal.upper - worst.lower", "optimal.lower - worst.lower"),
        ("possible_losses", "optimal.upper - worst.lower", "optimal.upper - worst.upper"),
        ("possible_losses", "with_rewards(-1), semantics)", "with_rewards(-1), Semantics.COMMITTED)"),
        ("possible_losses", "Semantics.ADJUSTABLE if", "Semantics.COMMITTED if"),
        ("possible_losses", "return optimal.lower - horizon", "return optimal.upper - horizon"),
        ("possible_losses", "optimal.upper - horizon * min", "optimal.lower - horizon * min"),
        ("possible_losses", "horizon * max(rewards)", "horizon * min(rewards)"),
        ("mixing_of_values", "(p * v.lower for", "(p * v.upper for"),
        ("mixing_of_values", "(p * v.upper for", "(p * v.lower for"),
        ("mixing_of_values", "(len(model.states) + 4) * model.value_scale", "Fraction(0)"),
    ],
    cells: [
        ("the_loss_of_the_grid", "(study).upper - value +", "(study).lower - value +"),
        ("the_loss_of_the_grid", "- value + value_error", "- value - value_error"),
        ("the_loss_of_the_grid", "+ value_error(study, contestant)", ""),
        ("the_loss_of_the_grid", ", Fraction(0))\n\n\ndef enough", ", Fraction(-1))\n\n\ndef enough"),
    ],
    import_module("ctucbvi.learning.never_left"): [
        ("who_keeps_a_bonus", "float(row.reward) + kept >= 1", "float(row.reward) + kept > 2"),
        ("who_keeps_a_bonus", "float(row.reward) + kept >= 1", "kept >= 1"),
        ("who_keeps_a_bonus", "radii.factor * radii.horizon * radii", "radii.horizon * radii"),
        ("who_keeps_a_bonus", "jump_radius(0.0", "jump_radius(2.0"),
    ],
    radii: [
        ("logarithms_of_large_numbers", "+ doublings * math.log(2)", "- doublings * math.log(2)"),
        ("logarithms_of_large_numbers", "- math.log(value.denominator)", "+ math.log(value.denominator)"),
        ("logarithms_of_large_numbers", "value * 2**doublings, 0", "value * 2**doublings, 1"),
    ],
    plan: [
        *(
            ("what_a_study_is", line, "")
            for line in (
                '            "model_sha256": _digest(self.model),\n',
                '            "settings": self.settings.to_json(),\n',
                '            "seed": self.seed,\n',
                '            "initial": {x: str(p) for x, p in self.initial},\n',
                '            "learner": contestant.name,\n',
                '            "steps": contestant.steps,\n',
                '            "sampled": contestant.sampled,\n',
                "            **dict(contestant.options),\n",
                '            "versions": dict(versions()),\n',
                '            "code": digest(),\n',
            )
        ),
        ("what_a_study_is", "{x: str(p) for x, p in self.initial}", "[x for x, p in self.initial]"),
        ("what_a_study_is", 'replace(model, source="", shows="")', "model"),
    ],
}
CASES = [(module, *case) for module, cases in PLANTED.items() for case in cases]


def notices(check: Callable[[], None], module: object, old: str, new: str) -> bool:
    with planted(module, old, new):
        try:
            check()
        except AssertionError:
            return True
    return False


@pytest.mark.parametrize(
    ("module", "name", "old", "new"), CASES, ids=lambda thing: getattr(thing, "__name__", None)
)
def test_it_is_noticed(module, name, old, new):
    assert notices(CHECKS[name], module, old, new)


def test_every_check_can_fail():
    assert {name for _, name, *_ in CASES} == set(CHECKS)


@pytest.mark.parametrize(
    ("module", "which", "old", "new"),
    [
        (
            optimistic,
            "steps",
            "falls + numbers.number(Fraction(1, 3))",
            "falls + numbers.number(Fraction(0))",
        ),
        (
            optimistic,
            "steps",
            "falls + numbers.number(Fraction(1, 3))",
            "falls + numbers.number(Fraction(1, 4))",
        ),
        (optimistic, "steps", "Fraction(1, 4) + moving", "Fraction(0) + moving"),
        (optimistic, "tilts", "Fraction(1, 4) + moving", "Fraction(0) + moving"),
        (optimistic, "tilts", "Fraction(1, 4) + moving", "Fraction(1, 4)"),
        (optimistic, "tilts", "falls / 2, falls", "falls / 4, falls"),
        (optimistic, "rates", "2 + 2 * moving", "2 + moving"),
        (optimistic, "rates", "2 + 2 * moving", "1 + 2 * moving"),
        (versions, "jump radii", "powers = 6 if", "powers = 5 if"),
        (versions, "jump radii", "Fraction(powers, 2)", "Fraction(powers, 3)"),
        (versions, "rate radii", "Fraction(powers - 2)", "Fraction(powers - 3)"),
        (versions, "rate radii", "else 4\n", "else 3\n"),
        (rows, "uniform, mean", "_ONE * (2 + moving)", "_ONE * (1 + moving)"),
        (rows, "uniform, mean", "_ONE * (2 + moving)", "_ONE * 2"),
        (rows, "kl, mean", "p.states - 1 + moving", "p.states - 1"),
        (rows, "kl, mean", "numbers.number(_ONE / 2) - rest", "numbers.number(_ONE / 4) - rest"),
        (rows, "kl, mean", "numbers.number(_ONE * moving)) / square", "numbers.number(_ONE * 0)) / square"),
        (rows, "tilted, mean", "_ONE / 8 + _ONE / 2 * moving", "_ONE / 2 * moving"),
        (rows, "tilted, mean", "_ONE / 8 + _ONE / 2 * moving", "_ONE / 8 + _ONE / 4 * moving"),
    ],
)
def test_a_growth_that_is_said_too_small_is_noticed(module, which, old, new):
    assert growths_too_small(which, range(300)) == 0
    with planted(module, old, new):
        assert growths_too_small(which, range(300)) > 0


@pytest.mark.parametrize("which", list(GROWING))
def test_a_growth_that_is_taken_for_three_quarters_of_itself_is_noticed(monkeypatch, which):
    size, growth = GROWING[which]
    monkeypatch.setitem(GROWING, which, (size, lambda p, c: growth(p, c) * 3 / 4))
    assert growths_too_small(which, range(300)) > 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('self.lambda_max * horizon if self.bonus == "sharp"', 'self.lambda_max if self.bonus == "sharp"'),
        ('self.lambda_max * horizon if self.bonus == "sharp"', 'horizon if self.bonus == "sharp"'),
        ('self.lambda_max * horizon if self.bonus == "sharp"', 'Fraction(1) if self.bonus == "sharp"'),
    ],
)
def test_another_stopping_rule_is_noticed(old, new):
    assert notices(check_the_stopping_rule, settings, old, new)
