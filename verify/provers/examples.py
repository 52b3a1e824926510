"""Hypothesis as an engine: the same examples for the same seed, in every process, leaving nothing behind.

Two habits of Hypothesis are switched off.  It keeps an example database (none is used here), and it mixes
in constants that it reads from whatever modules of the user happen to be loaded, which it also caches in
the user's ``.hypothesis`` directory: with them the examples of a worker process would differ from those of
a serial run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_KNOWN = (6, 170)  # the latest Hypothesis whose habit is known: no public setting turns it off


class Found(Exception):  # noqa: N818 - the search ends with it; it is no error
    """Raised inside an example to end the run."""


@contextmanager
def _no_local_constants() -> Iterator[None]:
    from hypothesis import __version_info__ as version  # slow to load, and many claims need no examples
    from hypothesis.internal.conjecture import providers  # the same

    if not hasattr(providers, "_get_local_constants"):
        if version[:2] > _KNOWN:
            known = ".".join(map(str, _KNOWN))
            raise RuntimeError(
                f"examples of Hypothesis {version} may depend on what is loaded; install {known}"
            )
        yield  # an older one has no such habit
        return
    nothing = type(providers._local_constants)()
    before = providers._get_local_constants
    providers._get_local_constants = lambda: nothing
    providers.CONSTANTS_CACHE.cache.clear()
    try:
        yield
    finally:
        providers._get_local_constants = before
        providers.CONSTANTS_CACHE.cache.clear()


def seed_of(seed: int, *words: str) -> int:
    """A seed from the run's seed and the words that tell this run of examples from others."""
    digest = hashlib.sha256("\0".join([str(seed), *words]).encode()).digest()
    return int.from_bytes(digest[:8], "big")


def run_examples(
    strategy: Any, body: Callable[[Any], None], *, seed: int, examples: int, shrink: bool = False
) -> bool:
    """Call ``body`` on examples until it raises :class:`Found`; with ``shrink`` simpler ones follow.

    Returns whether it was raised.  The last call of ``body`` that raises is the one on the simplest example.
    """
    import hypothesis  # slow to load, and many claims need no examples
    from hypothesis import HealthCheck, Phase, Verbosity, errors  # likewise

    phases = (Phase.generate, Phase.target, Phase.shrink) if shrink else (Phase.generate, Phase.target)
    settings = hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=False,
        phases=phases,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        backend="hypothesis",
    )

    def example(value: Any) -> None:
        body(value)

    given: Any = hypothesis.given(strategy)
    test = hypothesis.seed(seed)(settings(given(example)))
    with _no_local_constants():
        try:
            test()
        except Found:
            return True
        except errors.Unsatisfiable:  # no example could be built: nothing found, and the caller counts none
            return False
    return False
