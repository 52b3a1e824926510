"""Models from elsewhere: from arrays, lists, generators and tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, Unpack

from ctucbvi.errors import ModelError
from ctucbvi.model.kinds import Objective
from ctucbvi.model.rationals import Reader
from ctucbvi.model.reaching import Asked
from ctucbvi.model.rows import Number, choices
from ctucbvi.numbers import exact

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ctucbvi.model.arrays import ArrayOptions, TableOptions
    from ctucbvi.model.sparse import Sparse


_ASKED = tuple(Asked.__annotations__)


class FromElsewhere:
    """What makes a model of other people's data; a part of :class:`ctucbvi.model.CTMDP`."""

    if TYPE_CHECKING:

        @classmethod
        def _built(cls, name: str, **told: Any) -> Self: ...

        @classmethod
        def lazily(cls, found: Sparse, **told: Any) -> Self:
            """A model whose transitions are made of arrays."""

        def _once_more(self, **asked: Any) -> Self: ...

    @classmethod
    def from_arrays(
        cls,
        rates: ArrayLike,
        rewards: ArrayLike,
        probabilities: ArrayLike,
        *,
        horizon: Number,
        lumps: ArrayLike | None = None,
        available: ArrayLike | None = None,
        normalize: bool = False,
        rationalize: Number | None = None,
        **options: Unpack[ArrayOptions],
    ) -> Self:
        """Build a model from arrays ``rates[x,a]``, ``rewards[x,a]``, ``probabilities[x,a,y]``.

        A float means the shortest decimal that prints as it: 0.85 is 17/20, not the nearest double.
        Rows must then sum to exactly 1; ``normalize=True`` divides each row by its exact sum instead.
        With ``rationalize=1e-12`` a float means the simplest fraction within this share of it (a third is
        1/3), rows sum to 1, and no number moves farther (:mod:`ctucbvi.model.rationals`).

        ``lumps[x,a]`` or ``lumps[x,a,y]`` are earned at the jump.  ``available[x,a]`` is False where ``x``
        does not offer ``a``.  Further options: ``choice[x,a]``, earned when ``a`` is chosen;
        ``terminal[x]``, or ``pair_terminal[x,a]``; ``initial`` (an index, or probabilities), ``states``,
        ``actions``, ``name``, ``objective``; ``discount``, ``goal`` and ``avoid`` (names) as in ``of``.
        """
        from ctucbvi.model.arrays import array_rows  # NumPy is slow to load, and most models come from files

        reader = Reader(rationalize, normalize=normalize)
        rows, rest = array_rows(rates, rewards, probabilities, lumps, available, reader, options)
        return cls._told(options, "arrays", horizon=horizon, transitions=rows, **rest)

    @classmethod
    def from_sparse(
        cls,
        pairs: tuple[ArrayLike, ArrayLike],
        rates: ArrayLike,
        rewards: ArrayLike,
        jumps: tuple[ArrayLike, ArrayLike],
        probabilities: ArrayLike,
        *,
        horizon: Number,
        lumps: ArrayLike | None = None,
        normalize: bool = False,
        rationalize: Number | None = None,
        **options: Unpack[ArrayOptions],
    ) -> Self:
        """Build a model from lists: ``pairs`` of states and actions, and ``jumps`` from pairs to states.

        ``pairs = (state, action)`` are indices, with a rate and a reward for each; ``jumps = (pair, target)``
        likewise, ``pair`` being the place in ``pairs``, with a probability (and a lump) for each.  Numbers as
        in :meth:`from_arrays`, or exactly: a tuple ``(numerators, denominators)`` of lists of whole numbers.
        Whole numbers with ``normalize=True`` are weights.  Fractions are made when somebody asks for them,
        which the fast planner does not.  Options as in :meth:`from_arrays`, ``choice`` and
        ``pair_terminal`` as lists with a number for each pair.
        """
        from ctucbvi.model.arrays import sparse_model  # NumPy, as above

        reader = Reader(rationalize, normalize=normalize)
        numbers = rates, rewards, probabilities, lumps
        found, rest = sparse_model(pairs, jumps, numbers, reader, options)
        cls._check_options(options)
        given = {"name": options.get("name", "sparse"), "objective": options.get("objective", Objective.MAX)}
        model = cls.lazily(found, horizon=exact(horizon, "horizon"), **given, **rest)
        asked = {key: value for key, value in options.items() if key in _ASKED}
        return model._once_more(**asked) if asked else model

    @classmethod
    def from_generator(
        cls,
        generators: Mapping[str, ArrayLike] | ArrayLike,
        rewards: ArrayLike,
        *,
        horizon: Number,
        lumps: ArrayLike | None = None,
        available: ArrayLike | None = None,
        rationalize: Number | None = None,
        **options: Unpack[ArrayOptions],
    ) -> Self:
        """Build a model from generators, one for every action: ``{action: Q[x,y]}`` or ``Q[a,x,y]``.

        Off the diagonal stand rates of jumps from x to y; the diagonal is minus their sum, which is checked
        (of doubles: up to rounding, 1e-9 of the rate; it is not used).  ``rewards[x,a]`` as in
        :meth:`from_arrays`, as all else.  A row of NaN is an action that the state does not offer.
        """
        from ctucbvi.model.arrays import generator_rows  # NumPy, as above

        matrices: Any = generators
        if isinstance(generators, Mapping):
            options = {**options, "actions": tuple(generators)}
            matrices = list(generators.values())
        rows, rest = generator_rows(matrices, rewards, lumps, available, Reader(rationalize), options)
        return cls._told(options, "generator", horizon=horizon, transitions=rows, **rest)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        horizon: Number,
        normalize: bool = False,
        rationalize: Number | None = None,
        **options: Unpack[TableOptions],
    ) -> Self:
        """Build a model from a pandas frame with the columns of :meth:`to_frame`, in any order.

        ``to`` and ``probability`` are empty where a pair never jumps, ``terminal`` where it is the state's;
        ``lump``, ``choice`` and ``terminal`` may be missing.  Numbers as in :meth:`from_arrays`, options as
        in :meth:`of`.
        """
        from ctucbvi.model.arrays import table_rows  # NumPy, as above

        if not hasattr(frame, "to_dict"):
            raise ModelError(f"frame: {type(frame).__name__} is not a pandas frame; use from_arrays or of")
        rows = table_rows(frame.to_dict("records"), Reader(rationalize, normalize=normalize))
        named = {key: options.get(key) for key in ("states", "actions", "initial", "terminal")}
        return cls._told(options, "frame", horizon=horizon, transitions=rows, **named)

    @staticmethod
    def _check_options(options: Mapping[str, Any], *, arrays: bool = True) -> None:
        known = {"terminal", "initial", "states", "actions", "name", "objective", *_ASKED}
        known |= {"choice", "pair_terminal"} if arrays else set()
        for key in set(options) - known:
            raise ModelError(f"option {key!r} is unknown; {choices(sorted(known))}")

    @classmethod
    def _told(cls, options: Mapping[str, Any], name: str, **rest: Any) -> Self:
        cls._check_options(options, arrays=name != "frame")
        more = {key: options[key] for key in ("objective", *_ASKED) if key in options}
        return cls._built(options.get("name", name), **more, **rest)
