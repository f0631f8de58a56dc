"""The Fortran of functions.txt: two files that fortran/pilum.f90 includes."""

# Of a parameter: its type in Fortran, its type in the call of C, and how the one becomes the other. {k} is the kind of
# shapes and counts, {a} the name of the function's array, {d} the value of an argument that is left out.
TYPES = {
    "array": ("type(pilum_array), intent(in)", "type(c_ptr)", "{n}%handle"),
    "operand": ("class(*), intent(in)", "type(c_operand)", "to_operand({n})"),
    "number": ("class(*), intent(in)", "type(c_operand)", "to_operand({n})"),
    "shape": ("integer({k}), intent(in)", "type(c_shape)", "to_shape(int({n}, int64))"),
    "axes": ("integer, intent(in)", "type(c_axes)", "to_axes({a}, {n})"),
    "dtype": ("integer, intent(in)", "integer(c_int)", "{n}"),
    "real": ("class(*), intent(in)", "real(c_double)", "to_real({n})"),
    "count": ("integer({k}), intent(in)", "integer(c_int64_t)", "int({n}, c_int64_t)"),
    "flag": ("logical, intent(in)", "logical(c_bool)", "logical({n}, c_bool)"),
}
LISTS = {"shape", "axes"}
# Of reversed axes the product is that of the second by the first.
TURNED = {"matmul", "dot", "outer", "tensordot"}
OPTIONAL = {
    "dtype": "choose_dtype({n}, pilum_{d})",
    "flag": "choose_flag({n}, .{d}.)",
    "number": "choose_number({n}, {d})",
    "axes": "to_axes({a}, {n})",
}
# The numbers that an array may meet on its right, by their names' endings.
NUMBERS = {"logical": "logical", "int32": "integer(int32)", "int64": "integer(int64)", "real32": "real(real32)",
           "real64": "real(real64)"}


def wrapped(text):
    """A statement on as many lines as it needs."""
    indent = " " * (len(text) - len(text.lstrip()) + 4)
    lines, line = [], ""
    for word in text.split(", "):
        start = line + (", " if line else "")
        if line and len(start) + len(word) > 118:
            lines.append(line + ", &\n")
            line = indent + word
        else:
            line = start + word
    return "".join(lines) + line + "\n"


def kinds(function):
    """One procedure for each kind of integers that a shape or a count may have."""
    has_kind = any(p.type in ("shape", "count") for p in function.parameters)
    return {f"{function.name}_of_int32": "int32", f"{function.name}_of_int64": "int64"} if has_kind else {
        f"{function.name}_": ""}


def bound(function):
    """The C function."""
    names = [f"p{k}" for k in range(len(function.parameters))]
    names += ["out"] * function.returns + ["place"]
    text = wrapped(f"    integer(c_int) function bound_{function.name}({', '.join(names)}) &\n"
                   f"        bind(c, name='pilum_{function.name}_at')")
    text += "      import\n"
    for name, parameter in zip(names, function.parameters):
        text += f"      {TYPES[parameter.type][1]}, value :: {name}\n"
    if function.returns:
        text += "      type(c_ptr) :: out\n"
    return text + "      type(c_place), value :: place\n    end function\n"


def operators(function):
    """The procedures of an operator: with an array on the left anything may stand on the right; else a number stands
    on the left."""
    if len(function.parameters) == 1:
        return [(f"{function.name}_operator", [("a", "type(pilum_array), intent(in)")])]
    left = [(f"{function.name}_operator", [("a", "type(pilum_array), intent(in)"), ("b", "class(*), intent(in)")])]
    return left + [(f"{function.name}_{name}", [("a", f"{kind}, intent(in)"), ("b", "type(pilum_array), intent(in)")])
                   for name, kind in NUMBERS.items()]


def declarations(functions, origin):
    text = f"  ! {origin}\n"
    for function in functions:
        text += f"  public :: pilum_{function.name}\n"
        text += f"  interface pilum_{function.name}\n"
        text += f"    module procedure {', '.join(kinds(function))}\n  end interface\n"
    text += "\n"
    signs = dict.fromkeys(one.operator for one in functions if one.operator)
    text += "".join(f"  public :: operator({sign})\n" for sign in signs)
    for function in (one for one in functions if one.operator):
        text += f"  interface operator({function.operator})\n"
        text += wrapped(f"    module procedure {', '.join(name for name, _ in operators(function))}")
        text += "  end interface\n"
    return text + "\n  interface\n" + "".join(bound(function) for function in functions) + "  end interface\n"


def convert(parameter, array):
    form = OPTIONAL[parameter.type] if parameter.default else TYPES[parameter.type][2]
    default = "null" if parameter.default == "all" else parameter.default
    return form.format(n=parameter.name, a=array, d=default)


def procedure(function, name, kind):
    arrays = [p.name for p in function.parameters if p.type == "array"]
    head = "function" if function.returns else "subroutine"
    end = " result(out)" if function.returns else ""
    text = f"\n  ! {function.says}\n" if len(function.says) < 120 else f"\n  ! {function.says.split('. ')[0]}.\n"
    text += wrapped(f"  {head} {name}({', '.join([p.name for p in function.parameters] + ['ierr'])}){end}")
    for p in function.parameters:
        dimension = "(:)" if p.type in LISTS else ""
        optional = ", optional" if p.default else ""
        text += f"    {TYPES[p.type][0].format(k=kind)}{optional} :: {p.name}{dimension}\n"
    text += "    integer, intent(out), optional :: ierr\n"
    if function.returns:
        text += "    type(pilum_array) :: out\n"
    given = [convert(p, arrays[0] if arrays else "") for p in function.parameters] + ["out%handle"] * function.returns
    if function.name in TURNED:
        given[:2] = reversed(given[:2])
    text += wrapped(f"    call finish(bound_{function.name}({', '.join(given + ['here'])}), ierr)")
    if function.returns:
        text += "    out%is_temporary = .true.\n"
    for p in function.parameters:
        if p.type in ("array", "operand", "number"):
            only = "if (present({0})) ".format(p.name) if p.default else ""
            text += f"    {only}call drop({p.name})\n"
    return text + f"  end {head}\n"


def operator(function, name, parameters):
    names = [name for name, _ in parameters]
    text = f"\n  function {name}({', '.join(names)}) result(out)\n"
    text += "".join(f"    {kind} :: {of}\n" for of, kind in parameters)
    text += "    type(pilum_array) :: out\n"
    given = ", ".join(f"to_operand({of})" for of in names)
    text += f"    call finish(bound_{function.name}({given}, out%handle, here))\n    out%is_temporary = .true.\n"
    return text + "".join(f"    call drop({of})\n" for of in names) + "  end function\n"


def definitions(functions, origin):
    text = f"  ! {origin}\n"
    for function in functions:
        text += "".join(procedure(function, name, kind) for name, kind in kinds(function).items())
    for function in (one for one in functions if one.operator):
        text += "".join(operator(function, name, parameters) for name, parameters in operators(function))
    return text


# What a program has in memory: of any rank, and without gaps (the compiler makes a copy of what has some).
CELLS = {"bool": ("logical(c_bool)", "bool"), "int32": ("integer(c_int32_t)", "int32"),
         "int64": ("integer(c_int64_t)", "int64"), "real32": ("real(c_float)", "float32"),
         "real64": ("real(c_double)", "float64")}

MEMORY = """
  ! An array of these cells and this shape.
  function from_{name}(cells, ierr) result(out)
    {type}, intent(in), contiguous, target :: cells(..)
    integer, intent(out), optional :: ierr
    type(pilum_array) :: out
    call finish(bound_from_memory(c_loc(cells), pilum_{dtype}, to_shape(shape(cells, int64)), out%handle, here), ierr)
    out%is_temporary = .true.
  end function

  ! All cells of the array, to as many of the caller's. Waits for the value; on every rank.
  subroutine to_{name}(array, cells, ierr)
    type(pilum_array), intent(in) :: array
    {type}, intent(inout), contiguous, target :: cells(..)
    integer, intent(out), optional :: ierr
    call finish(bound_to_memory(array%handle, pilum_{dtype}, c_loc(cells), size(cells, kind=c_size_t), here), ierr)
    call drop(array)
  end subroutine

  ! The only cell of an array of size 1. Waits for the value; on every rank.
  subroutine item_{name}(array, cell, ierr)
    type(pilum_array), intent(in) :: array
    {type}, intent(out), target :: cell
    integer, intent(out), optional :: ierr
    call finish(bound_item(array%handle, pilum_{dtype}, c_loc(cell), here), ierr)
    call drop(array)
  end subroutine
"""


def memory(origin):
    text = f"  ! {origin}\n"
    text += "".join(MEMORY.format(name=name, type=of, dtype=dtype) for name, (of, dtype) in CELLS.items())
    return text + """
  ! The same, for the default kind of logicals.
  subroutine item_logical(array, cell, ierr)
    type(pilum_array), intent(in) :: array
    logical, intent(out) :: cell
    integer, intent(out), optional :: ierr
    logical(c_bool), target :: given
    given = .false.
    call finish(bound_item(array%handle, pilum_bool, c_loc(given), here), ierr)
    cell = given
    call drop(array)
  end subroutine
"""


# Of a task's arrays: a pointer that a body indexes. In C it is the same function for all.
POINTERS = [(f"{name}_{rank}", f"{of}, pointer, intent({{}}) :: pointer({', '.join(':' * rank)})")
            for name, (of, _) in CELLS.items() for rank in range(1, 5)]


def points_declared(origin):
    text = f"  ! {origin}\n  interface pilum_point\n"
    text += wrapped(f"    module procedure {', '.join(f'point_{name}' for name, _ in POINTERS)}") + "  end interface\n"
    text += "  interface\n"
    for name, pointer in POINTERS:
        text += (f"    subroutine bound_point_{name}(cells, pointer) bind(c, name='pilum_fortran_point')\n      import\n"
                 f"      type(pilum_cells), intent(in) :: cells\n      {pointer.format('inout')}\n    end subroutine\n")
    return text + "  end interface\n"


def points_defined(origin):
    text = f"  ! {origin}\n  ! What a body may touch of an array, with the array's own indices.\n"
    for name, pointer in POINTERS:
        text += (f"  subroutine point_{name}(cells, pointer)\n    type(pilum_cells), intent(in) :: cells\n"
                 f"    {pointer.format('out')}\n    nullify (pointer)\n    call bound_point_{name}(cells, pointer)\n"
                 f"  end subroutine\n")
    return text
