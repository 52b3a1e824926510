"""Eight doubles abreast: numbers at places are found, by the instruction for that and where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np

from ctucbvi.abreast import WIDTH, gathered, load, picked, store, words
from ctucbvi.kernels import compiled
from ctucbvi.numeric.arrays import Floats, Integers


@compiled()
def look_up(values: Floats, places: Integers, row: int, found: Floats) -> None:
    """Numbers of all rows, and of the first two."""
    store(found, 0, gathered(values, places, row))
    store(found, 1, picked(load(values, 0), load(values, 1), places, row + 1))


def wrong(look: Callable[..., None] = look_up) -> int:
    """How many numbers are not those at their places."""
    draw, count = np.random.default_rng(1), 0
    for _ in range(200):
        values, found = words(draw.integers(2, 6)), words(2)
        values[:] = draw.random(values.shape)
        places = draw.integers(0, values.size, (4, WIDTH))
        places[1::2] %= 2 * WIDTH
        row = 2 * int(draw.integers(2))
        look(values, places, row, found)
        count += (found != values.reshape(-1)[places[row : row + 2]]).sum()
    return int(count)


def test_numbers_at_places_are_found():
    assert wrong() == 0
    assert wrong(look_up.py_func) == 0


def test_a_place_of_another_row_is_found_out():
    assert wrong(lambda values, places, row, found: look_up(values, np.roll(places, 2, 0), row, found)) > 1000


def test_numbers_at_places_are_found_without_the_instruction(tmp_path):
    plain = {
        **os.environ,
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        "NUMBA_CACHE_DIR": str(tmp_path),
    }
    asked = "from tests.unit.test_abreast import wrong; print(wrong())"
    ran = subprocess.run([sys.executable, "-c", asked], env=plain, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["0"]
