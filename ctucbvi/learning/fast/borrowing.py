"""Arrays that a kernel borrows from its caller, and does not count.

Numba counts who refers to an array, and each time one is taken out of a tuple or put away that is an operation
which waits for all processors: some hundred of them in an episode, as long as a tenth of a plan.  The caller
keeps the arrays that it gives to a kernel until that returns, so that there the count may rest.
"""

from __future__ import annotations

from typing import Any, TypeVar

from numba.core import types
from numba.core.cgutils import get_null_value
from numba.extending import intrinsic, overload

_Arrays = TypeVar("_Arrays", bound=tuple[Any, ...])


def borrowed(arrays: _Arrays) -> _Arrays:
    """The same named arrays, not counted; only for kernels, which must not give them to anybody."""
    return arrays


@intrinsic
def _borrowed(_: Any, arrays: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        found = args[0]
        for n, kind in enumerate(arrays):
            if isinstance(kind, types.Array):
                array = context.make_array(kind)(context, builder, builder.extract_value(found, n))
                array.meminfo = get_null_value(array.meminfo.type)
                array.parent = get_null_value(array.parent.type)
                found = builder.insert_value(found, array._getvalue(), n)
        return found

    return arrays(arrays), write


# Numba is told of a function by one with its parameters, of which only the types matter.
overload(borrowed)(lambda arrays: lambda arrays: _borrowed(arrays))  # noqa: ARG005
