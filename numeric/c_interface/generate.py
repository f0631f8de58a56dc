#!/usr/bin/env python3
"""Writes the header, the C++ and the Fortran that follow from functions.txt. `--check` writes nothing, and exits with 1
where what is there is not what would be written."""
import re
import sys
from pathlib import Path

import generate_fortran

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ORIGIN = "Written by numeric/c_interface/generate.py from functions.txt."

# Of a parameter: its C type, how a macro passes what the user wrote, and how the C++ reads it.
TYPES = {
    "array": ("pilum_array", "({0})", 'call.array("{0}", {0}_)'),
    "operand": ("pilum_operand", "PILUM_OPERAND({0})", 'call.operand("{0}", {0}_)'),
    "number": ("pilum_operand", "PILUM_OPERAND({0})", 'call.operand("{0}", {0}_)'),
    "shape": ("pilum_shape", "({0})", "call.shape({0}_)"),
    "axes": ("pilum_axes", "({0})", "call.axes({0}_)"),
    "dtype": ("pilum_dtype", "({0})", "call.dtype({0}_)"),
    "real": ("double", "({0})", "{0}_"),
    "count": ("int64_t", "({0})", "{0}_"),
    "flag": ("bool", "({0})", "{0}_"),
}
WIDTH = 116


class Parameter:
    def __init__(self, text):
        words = re.fullmatch(r"(\w+) (\w+)(?: = (\w+))?", text.strip())
        if not words or words[1] not in TYPES:
            raise ValueError(f"a parameter is `type name` or `type name = value`, with a type of {list(TYPES)}: {text}")
        self.type, self.name, self.default = words.groups()


class Function:
    def __init__(self, text):
        parts = re.fullmatch(r"(array|none) (\w+)(?:\[(\S+)\])?\((.*?)\) = (.*?) \| (.*)", text)
        if not parts:
            raise ValueError(f"a function is `result name(parameters) = expression | what it does`: {text}")
        self.result, self.name, self.operator, parameters, self.expression, self.says = parts.groups()
        self.parameters = [Parameter(one) for one in parameters.split(",")]
        self.returns = self.result == "array"


def read_table():
    """Sections: a title, and its functions."""
    sections = []
    for number, line in enumerate((HERE / "functions.txt").read_text().splitlines(), 1):
        try:
            if line.startswith("## "):
                sections.append((line[3:], []))
            elif line and not line.startswith("#"):
                sections[-1][1].append(Function(line))
        except (ValueError, IndexError) as error:
            sys.exit(f"functions.txt:{number}: {error}")
    return sections


def wrap(words, width, indent):
    lines, line = [], ""
    for word in words:
        if line and len(line) + len(word) + 1 > width:
            lines.append(line)
            line = indent + word
        else:
            line += " " * bool(line) + word
    return lines + [line]


def comment(text):
    return "\n".join(wrap(("/* " + text + " */").split(" "), WIDTH, " * ")) + "\n"


def joined(start, parts, end, indent):
    """Parts stay whole where lines are broken."""
    words = (start + ",\0".join(parts) + end).split("\0")
    return "\n".join(wrap(words, WIDTH, indent))


def declaration(function, suffix=""):
    parts = [f"{TYPES[p.type][0]} {p.name}{suffix}" for p in function.parameters]
    parts += [f"pilum_array* out{suffix}"] * function.returns + [f"pilum_place place{suffix}"]
    return joined(f"pilum_status pilum_{function.name}_at(", parts, ")", "    ")


def macro(function):
    names = [p.name for p in function.parameters] + ["out"] * function.returns
    given = [TYPES[p.type][1].format(p.name) for p in function.parameters] + ["(out)"] * function.returns
    call = f"  pilum_{function.name}_at({', '.join(given)}, PILUM_HERE)"
    return f"#define pilum_{function.name}({', '.join(names)}) \\\n{call}"


def header(sections):
    text = f"/* {ORIGIN} */\n#ifndef PILUM_C_FUNCTIONS_H\n#define PILUM_C_FUNCTIONS_H\n\n"
    text += '#include "pilum/c_types.h"\n\n#ifdef __cplusplus\nextern "C" {\n#endif\n#pragma GCC visibility push(default)\n\n'
    text += comment("Of each the macro is what programs call: it takes arrays and numbers alike, and the line it is "
                    "written on. The functions, with _at, are what other languages bind to. `*out` gets a new handle, "
                    "or NULL where there is an error; release it with pilum_release. docs/c_interface.md says more.")
    for title, functions in sections:
        text += f"\n/* ---- {title} ---- */\n"
        for function in functions:
            text += "\n" + comment(function.says) + declaration(function) + ";\n" + macro(function) + "\n"
    return text + '\n#pragma GCC visibility pop\n#ifdef __cplusplus\n}  /* extern "C" */\n#endif\n\n#endif\n'


def definition(function):
    reads = "".join(f"    const auto {p.name} = {TYPES[p.type][2].format(p.name)};\n" for p in function.parameters)
    at = "    const auto at = call.where();\n" if re.search(r"\bat\b", function.expression) else ""
    returns = "return " if function.returns else ""
    out = ", out_" if function.returns else ""
    verb = "make_array" if function.returns else "run"
    return (f"{declaration(function, '_')} {{\n"
            f"  return {verb}(\"{function.name}\", place_{out}, [&](const Caller& call) {{\n{reads}{at}"
            f"    {returns}{function.expression};\n  }});\n}}\n")


def source(sections):
    text = f"// {ORIGIN}\n#include \"pilum/c_functions.h\"\n\n#include \"numeric/c_interface/caller.h\"\n"
    headers = "bins creation fft functions linalg linear_algebra math sets".split()
    text += "".join(f'#include "pilum/{name}.h"\n' for name in headers) + "\n"
    text += "namespace np = pilum::numeric;\n"
    text += "using pilum::c_interface::Caller, pilum::c_interface::make_array, pilum::c_interface::run,\n    pilum::c_interface::turned;\n"
    return text + "".join("\n" + definition(f) for _, functions in sections for f in functions)


def main():
    sections = read_table()
    functions = [function for _, of_section in sections for function in of_section]
    written = {
        ROOT / "include/pilum/c_functions.h": header(sections),
        HERE / "functions.cc": source(sections),
        HERE / "fortran/functions_declared.inc": generate_fortran.declarations(functions, ORIGIN),
        HERE / "fortran/functions_defined.inc": generate_fortran.definitions(functions, ORIGIN),
        HERE / "fortran/points_declared.inc": generate_fortran.points_declared(ORIGIN),
        HERE / "fortran/points_defined.inc": generate_fortran.points_defined(ORIGIN),
        HERE / "fortran/memory.inc": generate_fortran.memory(ORIGIN),
    }
    stale = [file for file, text in written.items() if not file.exists() or file.read_text() != text]
    if "--check" in sys.argv[1:]:
        for file in stale:
            print(f"{file.relative_to(ROOT)} is not what functions.txt says: "
                  "run python3 numeric/c_interface/generate.py")
        sys.exit(1 if stale else 0)
    for file in stale:
        file.write_text(written[file])


if __name__ == "__main__":
    main()
