"""A function of the suite: what it is called with, and what NumPy says of it."""
from dataclasses import dataclass
from typing import Callable, Optional

import numpy as np

from draw import Array, Draw


def values_of(arguments):
    """The arguments as NumPy takes them."""
    return [value.view() if isinstance(value, Array) else
            [entry.view() for entry in value] if isinstance(value, list) and any(isinstance(e, Array) for e in value)
            else tuple(value) if isinstance(value, list) else value for value in arguments]


@dataclass
class Function:
    name: str
    draw: Callable          # a Draw to the call's arguments
    reference: Callable     # the arguments to NumPy's result, or a tuple of them
    bounds: Optional[Callable] = None  # (results, *arguments) to the least and largest cells of each; None: exact
    view: bool = False      # what the result shares with the first argument is looked at

    def draw_case(self, random):
        """Arguments, the results' bounds (None: NumPy raises), the first one's base once the result is 1.
        None: nothing that can be compared."""
        draw = Draw(random)
        arguments = self.draw(draw)
        before = [value.base.copy() if isinstance(value, Array) else None for value in arguments]
        try:
            results = self.reference(*values_of(arguments))
        except (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError):
            for value, base in zip(arguments, before):
                if base is not None:
                    np.copyto(value.base, base)
            return arguments, None, None
        after = None
        if self.view and isinstance(results, np.ndarray) and isinstance(arguments[0], Array):
            kept = results.copy()
            if results.flags.writeable:
                results[...] = 1
            after = arguments[0].base.copy()
            results = kept
        for value, base in zip(arguments, before):
            if base is not None:
                np.copyto(value.base, base)
        results = [np.asarray(x) for x in (results if isinstance(results, (tuple, list)) else (results,))]
        bounds = self.bounds(results, *values_of(arguments)) if self.bounds else None
        if isinstance(bounds, str):
            return None
        if bounds is None:
            bounds = [(x, x) for x in results]
        return arguments, [(np.asarray(low).astype(x.dtype).reshape(x.shape), np.asarray(high).astype(x.dtype)
                            .reshape(x.shape)) for (low, high), x in zip(bounds, results)], after
