"""Writes a program of all C++ examples of some pages: extract_examples.py OUTPUT PAGE...

Each ```cpp block becomes a namespace of its own, named by its page and number. A block with a main is run as it is; any
other is the body of a function, with a pilum::Runtime around it. `n` and `iterations` are given, as on README's first page.
A block after a line <!-- not compiled --> is left out.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"(<!-- not compiled -->\n+)?^```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r"^#include .*\n", re.MULTILINE)


def examples_of(page, before=0):
    """(name, line, code) of each; `before`: how many pages of this name had."""
    text = page.read_text()
    for number, match in enumerate((m for m in BLOCK.finditer(text) if not m[1]), start=before + 1):
        line = text.count("\n", 0, match.start(2)) + 1
        yield f"{page.stem.lower().replace('-', '_')}_{number}", line, match[2]


def main():
    output, pages = pathlib.Path(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]]
    includes, parts, table, counts = ["#include <pilum/pilum.h>\n"], [], [], {}
    for page in pages:
        for name, line, code in examples_of(page, counts.get(page.stem, 0)):
            counts[page.stem] = counts.get(page.stem, 0) + 1
            includes += INCLUDE.findall(code)
            code = INCLUDE.sub("\n", code)  # keeps the page's line numbers
            where = f'#line {line} "{page}"\n'
            whole = re.search(r"^int main\(", code, re.MULTILINE)
            if whole:
                program = "static int program([[maybe_unused]] int argc, [[maybe_unused]] char** argv)"
                code = re.sub(r"^int main\([^)]*\)", program, code, flags=re.MULTILINE)
                at = code.index("\n}\n", code.index(program))  # where main may end without a return
                body = where + code[:at] + "\nreturn 0;" + code[at:] + "void run(int argc, char** argv) { program(argc, argv); }\n"
            else:
                body = ("namespace np = pilum::numeric;\nusing np::all, np::slice, np::newaxis, np::ellipsis;\n"
                        "void run(int argc, char** argv) {\n  pilum::Runtime runtime(argc, argv);\n" + where + code + "}\n")
            parts.append(f"namespace {name} {{\n{body}}}  // namespace {name}\n")
            table.append(f'  {{"{name}", {name}::run}},\n')
    common = ["#include <cstdint>\n", "#include <cstdio>\n", "#include <cstring>\n", "#include <iostream>\n", "#include <utility>\n",
              "#include <vector>\n", "#include <algorithm>\n"]
    output.write_text(
        "// Written by extract_examples.py from the documentation.\n" + "".join(dict.fromkeys(common + includes)) +
        "constexpr std::int64_t n = 100;\nconstexpr int iterations = 10;\n" + "".join(parts) +
        f'#line 1 "{output.name}"\n'
        "struct Example {\n  const char* name;\n  void (*run)(int, char**);\n};\n"
        "constexpr Example kExamples[] = {\n" + "".join(table) + "};\n"
        "// All examples in turn, or those named.\n"
        "int main(int argc, char** argv) {\n"
        "  for (const Example& example : kExamples) {\n"
        "    bool wanted = argc < 2;\n"
        "    for (int i = 1; i < argc; ++i) wanted |= std::strcmp(argv[i], example.name) == 0;\n"
        "    if (!wanted) continue;\n"
        '    std::printf("== %s\\n", example.name);\n'
        "    std::fflush(stdout);\n"
        "    example.run(1, argv);\n"
        "  }\n"
        "}\n")


if __name__ == "__main__":
    main()
