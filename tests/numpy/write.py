"""Cases as text, for case.cc to read."""
import struct

import numpy as np

from draw import Array


def _hex(cells):
    return "x" + np.ascontiguousarray(cells).tobytes().hex()


def _ints(numbers):
    return " ".join(map(str, [len(numbers), *numbers]))


def _cells(cells):
    return f"{cells.dtype.name} {_ints(cells.shape)} {_hex(cells)}"


def _step(step):
    if step[0] == "slice":
        return f"slice {step[1]} " + " ".join("-" if bound is None else str(bound) for bound in step[2:])
    return f"{step[0]} {_ints(step[1])}"


def argument(value):
    if value is None:
        return "none"
    if isinstance(value, Array):
        return " ".join([f"array {_cells(value.base)} {len(value.steps)}", *map(_step, value.steps)])
    if isinstance(value, (bool, np.bool_)):
        return f"bool {int(value)}"
    if isinstance(value, (int, np.integer)):
        return f"int {value}"
    if isinstance(value, float):
        return "float " + struct.pack(">d", value).hex()
    if isinstance(value, complex):
        return "complex " + struct.pack(">d", value.real).hex() + " " + struct.pack(">d", value.imag).hex()
    if isinstance(value, np.dtype):
        return f"dtype {value.name}"
    if isinstance(value, str):
        return f"word {value}"
    if isinstance(value, (list, tuple)) and all(isinstance(entry, int) for entry in value):
        return f"ints {_ints(value)}"
    return " ".join([f"list {len(value)}", *map(argument, value)])


def case(number, name, arguments, results, after):
    """`results`: None where NumPy raises, else pairs of the least and the largest cells."""
    parts = [f"case {number} {name} {len(arguments)}", *map(argument, arguments)]
    if results is None:
        return " ".join([*parts, "raises"])
    parts.append(f"gives {len(results)}")
    for low, high in results:
        same = low is high or low.tobytes() == high.tobytes()
        parts.append(f"exact {_cells(low)}" if same else f"between {_cells(low)} {_hex(high)}")
    parts.append("-" if after is None else f"after {_cells(after)}")
    return " ".join(parts)
