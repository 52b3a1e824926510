"""Arrays that a kernel borrows from its caller, and does not count.

Numba counts who refers to an array; each time that one is taken out of a tuple, or put away, the count is
changed in a way that other processors may look at: some hundred times in an episode of a learner, which takes
as long as a twentieth of a plan, and beside a small model a good part of its march.  Whoever calls a kernel
keeps the arrays until it returns, so that the count may rest.
"""

from __future__ import annotations

from typing import Any, TypeVar

from numba.core.cgutils import get_null_value
from numba.core.types import Array
from numba.core.types.containers import BaseTuple
from numba.extending import intrinsic, overload

_Arrays = TypeVar("_Arrays")  # an array, or a tuple of such and of tuples


def borrowed(arrays: _Arrays) -> _Arrays:
    """The same array, or tuples of arrays, not counted: for a kernel that gives none of them away."""
    return arrays


def _uncounted(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """An array that has no count, or a tuple of such."""
    if isinstance(kind, BaseTuple):
        for n, part in enumerate(kind):
            found = _uncounted(context, builder, part, builder.extract_value(value, n))
            value = builder.insert_value(value, found, n)
    elif isinstance(kind, Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo, array.parent = (get_null_value(one.type) for one in (array.meminfo, array.parent))
        return array._getvalue()
    return value


@intrinsic
def _borrowed(_: Any, arrays: Any) -> Any:
    return arrays(arrays), lambda context, builder, _, args: _uncounted(context, builder, arrays, *args)


overload(borrowed)(lambda arrays: lambda arrays: _borrowed(arrays))  # noqa: ARG005 # only its type matters
