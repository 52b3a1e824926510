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
from numba.extending import intrinsic, models, overload, register_model
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


def _pointer(
    context: Any, builder: Any, kinds: Any, array: Any, row: Any, kind: Any = _DOUBLES, width: int = WIDTH
) -> Any:
    """The address of what begins in a row that is so wide."""
    data = context.make_array(kinds[0])(context, builder, array).data
    place = context.cast(builder, row, kinds[1], types.intp)
    first = builder.mul(place, ir.Constant(place.type, width))
    return builder.bitcast(builder.gep(data, [first]), kind.as_pointer())


@intrinsic
def _load(_: Any, array: Any, row: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_pointer(context, builder, signature.args, *args), align=8)

    return _WORD(array, row), write


@intrinsic
def _load_from(_: Any, array: Any, place: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_pointer(context, builder, signature.args, args[0], args[1], width=1), align=8)

    return _WORD(array, place), write


@intrinsic
def _store(_: Any, array: Any, row: Any, word: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _pointer(context, builder, signature.args, *args[:2]), align=8)
        return context.get_dummy_value()

    return types.void(array, row, word), write


@intrinsic
def _every(_: Any, number: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        nothing = ir.Constant(_DOUBLES, ir.Undefined)
        places = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
        number = context.cast(builder, args[0], signature.args[0], types.float64)
        one = builder.insert_element(nothing, number, ir.Constant(ir.IntType(32), 0))
        return builder.shuffle_vector(one, nothing, places)

    return _WORD(number), write


@intrinsic
def _at(_: Any, array: Any, place: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        at = context.cast(builder, args[1], signature.args[1], types.intp)
        return builder.load(builder.gep(data, [at]))

    return types.float64(array, place), write


def _collected(context: Any, builder: Any, kinds: Any, data: Any, places: Any, row: Any) -> Any:
    """The numbers after ``data`` at the places in a row."""
    word = builder.load(_pointer(context, builder, kinds, places, row, _PLACES), align=8)
    found = ir.Constant(_DOUBLES, ir.Undefined)
    for n in range(WIDTH):
        number = ir.Constant(ir.IntType(32), n)
        at = builder.gep(data, [builder.extract_element(word, number)])
        found = builder.insert_element(found, builder.load(at), number)
    return found


@intrinsic
def _gathered(_: Any, array: Any, places: Any, row: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return _collected(context, builder, signature.args[1:], data, *args[1:])

    return _WORD(array, places, row), write


@intrinsic
def _picked(_: Any, one: Any, other: Any, places: Any, row: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args[2:]
        if "+avx512f" in context.codegen().magic_tuple()[2]:  # then that is one instruction
            word = builder.load(_pointer(context, builder, kinds, args[2], args[3], _PLACES), align=8)
            kind = ir.FunctionType(_DOUBLES, [_DOUBLES, _PLACES, _DOUBLES])
            code = get_or_insert_function(builder.module, kind, "llvm.x86.avx512.vpermi2var.pd.512")
            return builder.call(code, [args[0], word, args[1]])
        both = alloca_once(builder, ir.ArrayType(_DOUBLES, 2))
        for n in range(2):
            builder.store(args[n], gep_inbounds(builder, both, 0, n))
        data = builder.bitcast(both, ir.DoubleType().as_pointer())
        return _collected(context, builder, kinds, data, *args[2:])

    return _WORD(one, other, places, row), write


@intrinsic
def _some(_: Any, answer: Any) -> Any:
    def write(_: Any, builder: Any, __: Any, args: Any) -> Any:
        bits = builder.bitcast(args[0], ir.IntType(WIDTH))
        return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

    return types.boolean(answer), write


@intrinsic
def _where(_: Any, answer: Any, one: Any, other: Any) -> Any:
    return one(answer, one, other), lambda context, builder, signature, args: builder.select(*args)


@intrinsic
def _magnitude(_: Any, word: Any) -> Any:
    def write(_: Any, builder: Any, __: Any, args: Any) -> Any:
        kind = ir.FunctionType(_DOUBLES, [_DOUBLES])
        return builder.call(get_or_insert_function(builder.module, kind, f"llvm.fabs.v{WIDTH}f64"), args)

    return word(word), write


@intrinsic
def _first_number(_: Any, word: Any) -> Any:
    zero = ir.Constant(ir.IntType(32), 0)
    return types.float64(word), lambda _, builder, __, args: builder.extract_element(args[0], zero)


@intrinsic
def _added(_: Any, word: Any) -> Any:
    def write(_: Any, builder: Any, __: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType(), _DOUBLES])
        code = get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.fadd.v{WIDTH}f64")
        return builder.call(code, [ir.Constant(ir.DoubleType(), -0.0), *args], fastmath=["reassoc"])

    return types.float64(word), write


@intrinsic
def _moved_up(_: Any, word: Any, after: Any) -> Any:
    places = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), list(range(1, WIDTH + 1)))
    return word(word, after), lambda _, builder, __, args: builder.shuffle_vector(*args, places)


# What numba is told of a function has its parameters, of which only the types would matter.
# ruff: noqa: ARG005
overload(load)(lambda array, row: lambda array, row: _load(array, row))
overload(load_from)(lambda array, place: lambda array, place: _load_from(array, place))
overload(store)(lambda array, row, word: lambda array, row, word: _store(array, row, word))
overload(every)(lambda number: lambda number: _every(number))
overload(spread)(lambda array, place: lambda array, place: _every(_at(array, place)))
overload(gathered)(lambda array, places, row: lambda array, places, row: _gathered(array, places, row))
overload(picked)(
    lambda one, other, places, row: lambda one, other, places, row: _picked(one, other, places, row)
)
overload(some)(lambda answer: lambda answer: _some(answer))
overload(magnitude)(lambda word: lambda word: _magnitude(word))
overload(first_number)(lambda word: lambda word: _first_number(word))
overload(added)(lambda word: lambda word: _added(word))
overload(moved_up)(lambda word, after: lambda word, after: _moved_up(word, after))
overload(where)(lambda answer, one, other: lambda answer, one, other: _where(answer, one, other))


def _operation(name: Any, taken: WordType, given: WordType, write: Callable[..., Any]) -> None:
    """Let the operator ``name`` of two words be what ``write`` makes LLVM do."""

    @intrinsic
    def code(_: Any, one: Any, other: Any) -> Any:
        return given(one, other), lambda context, builder, signature, args: write(builder, *args)

    overload(name)(
        lambda one, other: (lambda one, other: code(one, other)) if one == other == taken else None
    )


_operation(operator.add, _WORD, _WORD, ir.IRBuilder.fadd)
_operation(operator.sub, _WORD, _WORD, ir.IRBuilder.fsub)
_operation(operator.mul, _WORD, _WORD, ir.IRBuilder.fmul)
_operation(operator.truediv, _WORD, _WORD, ir.IRBuilder.fdiv)
_operation(operator.gt, _WORD, _ANSWER, lambda builder, *words: builder.fcmp_ordered(">", *words))
_operation(operator.le, _WORD, _ANSWER, lambda builder, *words: builder.fcmp_ordered("<=", *words))
_operation(operator.eq, _WORD, _ANSWER, lambda builder, *words: builder.fcmp_ordered("==", *words))
_operation(operator.and_, _ANSWER, _ANSWER, ir.IRBuilder.and_)
_operation(operator.or_, _ANSWER, _ANSWER, ir.IRBuilder.or_)
