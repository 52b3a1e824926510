r"""Eight doubles abreast: one word of the machine in compiled code, or two or four where none is so wide.

What does not know each other can be computed side by side: runs of a study, states of a march, orders of a
polynomial.  Each operation is that of doubles, eight times, so that no bit of one depends on the others.
Words are kept in the rows of arrays, ``(rows, WIDTH)``.

Compilers find such words by themselves only where they can prove that arrays do not overlap, which here they
cannot.  Not compiled, a word is an array of NumPy, and does the same.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.cgutils import alloca_once, gep_inbounds, get_or_insert_function
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin, models, register_model
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

WIDTH = 8
_DOUBLES = ir.VectorType(ir.DoubleType(), WIDTH)
_PLACES = ir.VectorType(ir.IntType(64), WIDTH)
_BITS = ir.VectorType(ir.IntType(1), WIDTH)


class WordType(types.Type):
    """Numba's type of words, and of answers about them."""


_WORD, _ANSWER = WordType("eight doubles"), WordType("eight answers")


@register_model(WordType)
class WordModel(models.PrimitiveModel):  # type: ignore[misc] # numba has no types
    """What they are to LLVM."""

    def __init__(self, manager: Any, kind: WordType) -> None:
        super().__init__(manager, kind, _DOUBLES if kind == _WORD else _BITS)


def words(rows: int) -> Floats:
    """Rows of zeros.  None reaches over the end of a line of the cache, which would cost as much as two."""
    size, line = 8 * WIDTH * rows, 64
    room = np.zeros(size + line, np.uint8)
    begin = -room.ctypes.data % line
    return room[begin : begin + size].view(np.float64).reshape(rows, WIDTH)


def load(array: Floats, row: int | np.int64) -> Floats:
    """The word in a row."""
    return np.array(array[row])


def store(array: Floats, row: int, word: Floats) -> None:
    """Write a word into a row."""
    array[row] = word


def load_from(array: Floats, place: int) -> Floats:
    """The word that begins at a place, counted through all rows."""
    return np.array(array.reshape(-1)[place : place + WIDTH])


def every(number: float) -> Floats:
    """The same number eight times."""
    return np.full(WIDTH, number)


def spread(array: Floats, place: int) -> Floats:
    """The number at a place, counted through all rows, eight times."""
    return np.full(WIDTH, array.flat[place])


def gathered(array: Floats, places: Integers, row: int) -> Floats:
    """The numbers of an array, counted through all rows, at the places in a row."""
    return np.array(array.reshape(-1)[places[row]])


def picked(one: Floats, other: Floats, places: Integers, row: int) -> Floats:
    """The numbers of two words, counted through both, at the places in a row."""
    return np.array(np.concatenate((one, other))[places[row]])


def some(answer: Any) -> bool:
    """Whether the answer is yes anywhere."""
    return bool(np.any(answer))


def where(answer: Any, one: Any, other: Any) -> Any:
    """``one`` where the answer is yes, else ``other``: words or answers."""
    return np.where(answer, one, other)


def magnitude(word: Floats) -> Floats:
    """The absolute value of each."""
    return np.abs(word)


def first_number(word: Floats) -> float:
    """Its first number."""
    return float(word[0])


def added(word: Floats) -> float:
    """The sum of its numbers, in any order."""
    return float(np.sum(word))


def moved_up(word: Floats, after: Floats) -> Floats:
    """Without its first number, and with the first one of ``after`` at its end."""
    return np.append(word[1:], after[0])


# --- the same for the compiler ----------------------------------------------------------------


def _means(function: Any, taken: tuple[Any, ...], given: Any) -> Callable[[Any], Any]:
    """Let ``function`` of such arguments, types or classes of them, be what is decorated makes LLVM do.

    Nothing is compiled for it, as it would be for an :func:`numba.extending.overload`, once for each
    ``fastmath``.
    """

    class Means(AbstractTemplate):  # type: ignore[misc] # numba has no types
        def generic(self, args: Any, kws: Any) -> Any:
            fits = len(args) == len(taken) and not kws
            fits = fits and all(
                isinstance(arg, kind) if isinstance(kind, type) else arg == kind
                for arg, kind in zip(args, taken, strict=True)
            )
            return given(*args) if fits else None

    infer_global(function)(Means)
    decorator: Callable[[Any], Any] = lower_builtin(function, *taken)
    return decorator


def _pointer(context: Any, builder: Any, kinds: Any, array: Any, row: Any, width: int = WIDTH) -> Any:
    """The address of a row that is so wide."""
    data = context.make_array(kinds[0])(context, builder, array).data
    place = context.cast(builder, row, kinds[1], types.intp)
    first = builder.mul(place, ir.Constant(place.type, width))
    return builder.gep(data, [first])


@_means(load, (types.Array, types.Integer), _WORD)
def _load(context: Any, builder: Any, signature: Any, args: Any, width: int = WIDTH) -> Any:
    place = _pointer(context, builder, signature.args, args[0], args[1], width)
    return builder.load(builder.bitcast(place, _DOUBLES.as_pointer()), align=8)


@_means(load_from, (types.Array, types.Integer), _WORD)
def _load_from(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _load(context, builder, signature, args, 1)


@_means(store, (types.Array, types.Integer, _WORD), types.void)
def _store(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    place = _pointer(context, builder, signature.args, *args[:2])
    builder.store(args[2], builder.bitcast(place, _DOUBLES.as_pointer()), align=8)
    return context.get_dummy_value()


@_means(every, (types.Number,), _WORD)
def _every(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _eight_times(builder, context.cast(builder, args[0], signature.args[0], types.float64))


@_means(spread, (types.Array, types.Integer), _WORD)
def _spread(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _eight_times(
        builder, builder.load(_pointer(context, builder, signature.args, args[0], args[1], 1))
    )


def _eight_times(builder: Any, number: Any) -> Any:
    nothing = ir.Constant(_DOUBLES, ir.Undefined)
    places = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    one = builder.insert_element(nothing, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, nothing, places)


@_means(gathered, (types.Array, types.Array, types.Integer), _WORD)
def _gathered(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    data = context.make_array(signature.args[0])(context, builder, args[0]).data
    return _collected(builder, data, _places(context, builder, signature.args[1:], args[1:]))


@_means(picked, (_WORD, _WORD, types.Array, types.Integer), _WORD)
def _picked(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    places = _places(context, builder, signature.args[2:], args[2:])
    if "+avx512f" in context.codegen().magic_tuple()[2]:  # then that is one instruction
        kind = ir.FunctionType(_DOUBLES, [_DOUBLES, _PLACES, _DOUBLES])
        code = get_or_insert_function(builder.module, kind, "llvm.x86.avx512.vpermi2var.pd.512")
        return builder.call(code, [args[0], places, args[1]])
    both = alloca_once(builder, ir.ArrayType(_DOUBLES, 2))
    for n in range(2):
        builder.store(args[n], gep_inbounds(builder, both, 0, n))
    return _collected(builder, builder.bitcast(both, ir.DoubleType().as_pointer()), places)


def _places(context: Any, builder: Any, kinds: Any, args: Any) -> Any:
    """The places in a row, as a word."""
    place = _pointer(context, builder, kinds, *args)
    return builder.load(builder.bitcast(place, _PLACES.as_pointer()), align=8)


def _collected(builder: Any, data: Any, places: Any) -> Any:
    """The numbers after ``data`` at these places."""
    found = ir.Constant(_DOUBLES, ir.Undefined)
    for n in range(WIDTH):
        number = ir.Constant(ir.IntType(32), n)
        at = builder.gep(data, [builder.extract_element(places, number)])
        found = builder.insert_element(found, builder.load(at), number)
    return found


@_means(some, (_ANSWER,), types.boolean)
def _some(_: Any, builder: Any, __: Any, args: Any) -> Any:
    bits = builder.bitcast(args[0], ir.IntType(WIDTH))
    return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))


@_means(where, (_ANSWER, _WORD, _WORD), _WORD)
@_means(where, (_ANSWER, _ANSWER, _ANSWER), _ANSWER)
def _where(_: Any, builder: Any, __: Any, args: Any) -> Any:
    return builder.select(*args)


@_means(magnitude, (_WORD,), _WORD)
def _magnitude(_: Any, builder: Any, __: Any, args: Any) -> Any:
    kind = ir.FunctionType(_DOUBLES, [_DOUBLES])
    return builder.call(get_or_insert_function(builder.module, kind, f"llvm.fabs.v{WIDTH}f64"), args)


@_means(first_number, (_WORD,), types.float64)
def _first_number(_: Any, builder: Any, __: Any, args: Any) -> Any:
    return builder.extract_element(args[0], ir.Constant(ir.IntType(32), 0))


@_means(added, (_WORD,), types.float64)
def _added(_: Any, builder: Any, __: Any, args: Any) -> Any:
    kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType(), _DOUBLES])
    code = get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.fadd.v{WIDTH}f64")
    return builder.call(code, [ir.Constant(ir.DoubleType(), -0.0), *args], fastmath=["reassoc"])


@_means(moved_up, (_WORD, _WORD), _WORD)
def _moved_up(_: Any, builder: Any, __: Any, args: Any) -> Any:
    places = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), list(range(1, WIDTH + 1)))
    return builder.shuffle_vector(*args, places)


def _operation(name: Any, taken: WordType, given: WordType, write: Callable[..., Any]) -> None:
    """Let the operator ``name`` of two words be what ``write`` makes LLVM do."""
    _means(name, (taken, taken), given)(lambda _, builder, __, args: write(builder, *args))


_operation(operator.add, _WORD, _WORD, ir.IRBuilder.fadd)
_operation(operator.sub, _WORD, _WORD, ir.IRBuilder.fsub)
_operation(operator.mul, _WORD, _WORD, ir.IRBuilder.fmul)
_operation(operator.truediv, _WORD, _WORD, ir.IRBuilder.fdiv)
_operation(operator.gt, _WORD, _ANSWER, lambda builder, *words: builder.fcmp_ordered(">", *words))
_operation(operator.le, _WORD, _ANSWER, lambda builder, *words: builder.fcmp_ordered("<=", *words))
_operation(operator.eq, _WORD, _ANSWER, lambda builder, *words: builder.fcmp_ordered("==", *words))
_operation(operator.and_, _ANSWER, _ANSWER, ir.IRBuilder.and_)
_operation(operator.or_, _ANSWER, _ANSWER, ir.IRBuilder.or_)
