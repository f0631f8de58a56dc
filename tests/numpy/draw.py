"""What calls are drawn from: shapes, cells, views of odd strides, operands that broadcast."""
import numpy as np

DTYPES = ["bool", "int32", "int64", "float16", "float32", "float64"]  # of operands
RESULTS = [*DTYPES, "int8", "int16", "uint8", "uint16", "uint32", "uint64"]
INTEGERS = [name for name in DTYPES if "int" in name]
FLOATS = [name for name in DTYPES if name.startswith("float")]
COMPLEX = ["complex64", "complex128"]
SPECIAL = [0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, 1e-300, -1e-300, 1e300, 5e-324, 1e-40,
           3.0e38, -3.0e38, 1e16, 0.1, 88.0, 709.0, -745.0]


class Array:
    """An array as a case keeps it: a base, and the steps that make a view of it."""

    def __init__(self, base, steps=()):
        self.base, self.steps = base, list(steps)

    def view(self):
        view = self.base
        for step in self.steps:
            if step[0] == "slice":
                index = [slice(None)] * view.ndim
                index[step[1]] = slice(*step[2:])
                view = view[tuple(index)]
            elif step[0] == "transpose":
                view = view.transpose(step[1])
            else:
                view = np.broadcast_to(view, step[1])
        return view


class Draw:
    """Draws from one case's own random numbers."""

    def __init__(self, random):
        self.random = random
        self.mood = random.choice(["plain", "plain", "whole", "special", "wide"])

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def one_of(self, values):
        return self.random.choice(values)

    def between(self, low, high):
        return self.random.randint(low, high)

    def uniform(self):
        return self.random.uniform(-10, 10)

    def shape(self, axes=None, cells=60):
        """Up to four axes; extents of 0 and 1 more often than by chance."""
        count = self.one_of([0, 1, 1, 1, 2, 2, 2, 3, 4]) if axes is None else axes
        shape, left = [], cells
        for _ in range(count):
            extent = self.one_of([1, 1, 2, 3, 4, 5, 7, 11, 0 if self.chance(40) else 6])
            extent = min(extent, max(left, 1))
            left //= max(extent, 1)
            shape.append(extent)
        return tuple(shape)

    def cells(self, shape, dtype, values=None):
        kind, r = np.dtype(dtype).kind, self.random
        count = int(np.prod(shape, dtype=int))
        if values is not None:
            whole = [value for value in values if value == value and abs(value) < 2**63 and value == int(value)]
            cells = [complex(r.choice(values), r.choice(values)) if kind == "c" else
                     r.choice(values if kind == "f" else whole) for _ in range(count)]
        elif kind == "b":
            cells = [r.random() < 0.5 for _ in range(count)]
        elif kind == "f":
            cells = [self.floating() for _ in range(count)]
        elif kind == "c":
            cells = [complex(self.floating(), self.floating()) for _ in range(count)]
        else:
            info = np.iinfo(dtype)
            ends = [info.min, info.max, info.min + 1, info.max - 1, 0, 1]
            wide = self.mood in ("special", "wide")
            low = 0 if kind == "u" else -9
            cells = [r.choice(ends) if wide and r.random() < 0.3 else
                     r.randint(info.min, info.max) if wide and r.random() < 0.3 else r.randint(low, 9)
                     for _ in range(count)]
        with np.errstate(all="ignore"):
            return np.array(cells, dtype=dtype).reshape(shape)

    def floating(self):
        r = self.random
        if self.mood == "whole":
            return float(r.randint(-5, 5))
        if self.mood == "special" and r.random() < 0.7:
            return r.choice(SPECIAL)
        if self.mood == "wide":
            return r.choice([-1, 1]) * r.random() * 10.0 ** r.randint(-30, 30)
        return r.uniform(-10, 10)

    def array(self, shape=None, dtype=None, dtypes=None, values=None):
        """An array of this shape, seen through odd strides more often than not."""
        shape = self.shape() if shape is None else tuple(shape)
        dtype = dtype or self.one_of(dtypes or DTYPES)
        if self.chance(40):
            return Array(self.cells(shape, dtype, values))
        order = list(range(len(shape)))
        if self.chance(50):
            self.random.shuffle(order)
        base_shape, steps = [0] * len(shape), []
        for axis, extent in enumerate(shape):
            step = self.one_of([1, 1, 1, 2, 3, -1, -1, -2]) if extent else 1
            before, after = self.one_of([0, 0, 1, 2]), self.one_of([0, 0, 1])
            length = (extent - 1) * abs(step) + 1 if extent else 0
            base_shape[axis] = before + length + after
            if step > 0:
                stop = before + length
                stop = None if not after and self.chance(50) else stop
                steps.append(("slice", axis, before, stop, step))
            else:
                start, stop = before + length - 1, before - 1
                steps.append(("slice", axis, start - base_shape[axis] if self.chance(50) else start,
                              None if stop < 0 else stop, step))
        steps = [step for step in steps if step[2:] != (0, None, 1)]
        # The steps make `shape`; the array is to be asked for with its axes in another order.
        inverse = [order.index(axis) for axis in range(len(order))]
        base_shape = [base_shape[axis] for axis in order]
        steps = [("slice", inverse[step[1]], *step[2:]) for step in steps]
        if order != sorted(order):
            steps.append(("transpose", inverse))
        return Array(self.cells(base_shape, dtype, values), steps)

    def number(self, dtypes=None):
        """A number as Python has it: weak beside arrays."""
        kinds = {np.dtype(name).kind for name in dtypes or DTYPES}
        kind = self.one_of([k for k in "bif" if k in kinds])
        if kind == "b":
            return self.chance(50)
        if kind == "i":
            return self.one_of([0, 1, 2, 3, -1, -2, 7, 100, 2**31 - 1, 2**31, -(2**40)] if self.chance(20)
                               else [0, 1, 2, 3, -1, -2, 7])
        return self.one_of(SPECIAL[:12]) if self.chance(50) else self.random.uniform(-5, 5)

    def operands(self, count, dtypes=None, values=None, numbers=True):
        """Arrays that broadcast (hardly ever: do not), one of them a number now and then."""
        shape = self.shape()
        lone = self.random.randrange(count) if numbers and self.chance(25) else -1
        operands = []
        for place in range(count):
            if place == lone:
                operands.append(self.one_of(values) if values else self.number(dtypes))
                continue
            part = shape[self.between(0, len(shape)):] if self.chance(30) else shape
            part = tuple(1 if self.chance(20) else extent for extent in part)
            if self.chance(2) and part:
                part = part[:-1] + (part[-1] + 2,)
            operands.append(self.array(part, dtypes=dtypes, values=values))
        return operands

    def axis(self, rank, wrong=4):
        """One of an array's axes, counted from either end; now and then one that there is not."""
        if self.chance(wrong) or rank == 0:
            return self.one_of([rank, -rank - 1, 0, -1])
        return self.between(-rank, rank - 1)

    def axes(self, rank):
        """None, an axis, or a list of some."""
        if self.chance(30):
            return None
        if rank == 0 or self.chance(50):
            return self.axis(rank)
        chosen = self.random.sample(range(rank), self.between(1, rank))
        chosen = [axis - rank if self.chance(40) else axis for axis in chosen]
        if self.chance(4):
            chosen.append(self.axis(rank))
        return chosen

    def dtype(self):
        return np.dtype(self.one_of(DTYPES))
