"""exported.py LIBRARY HEADERS: the functions and classes that LIBRARY shows are those marked PILUM_API in HEADERS."""
import pathlib
import re
import subprocess
import sys

library, headers = sys.argv[1:]
declared, classes = set(), set()
for header in pathlib.Path(headers).rglob("*.h"):
    text = re.sub(r"//[^\n]*", "", header.read_text())
    macro = r"(?m)^[ \t]*#define (\w+)\((\w+)[^)\n]*\)((?:[^\n]*\\\n)*[^\n]*)"
    for name, parameter, body in re.findall(macro, text):  # functions that a macro declares, by its arguments
        if re.search(rf"PILUM_API[^;(]*\b{parameter}\(", body):
            declared.update(re.findall(rf"(?m)^[ \t]*{name}\((\w+)", text))
    text = re.sub(macro, "", text)
    for what in re.findall(r"(?<!define )PILUM_API\s+([^;{]*)", text):
        function = re.search(r"(operator\s*[^\s(\w]+|~?\w+)\s*\(", what)
        if match := re.match(r"(\w+)\s*(:(?!:)|$)", what.strip()):
            classes.add(match[1])
        elif function:
            declared.add(function[1].replace(" ", ""))

# The interface for C is all that its headers declare; the Fortran module has two functions more.
in_c = {"pilum_fortran_drop", "pilum_fortran_keep_file"}
for header in pathlib.Path(headers).glob("c*.h"):
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
    text = re.sub(r"(?m)^#.*(\\\n.*)*$", "", text)
    in_c.update(re.findall(r"\b(pilum_\w+)\s*\(", text))

symbols = subprocess.run(["nm", "-DC", "--defined-only", library], check=True, capture_output=True, text=True).stdout
shown, strange = set(), []
for line in symbols.splitlines():
    name = line.split(" ", 2)[2]
    if match := re.match(r"(?:typeinfo for|typeinfo name for|vtable for) pilum::(\w+)$", name):
        if match[1] not in classes:
            strange.append(name)
    elif name in in_c:
        shown.add(name)
    elif match := re.match(r"pilum::(?:\w+::)*(operator[^\s(\w]+|~?\w+)(?:\[abi:\w+\])?\(", name):
        owner = name[:name.index("(")].split("::")[-2]
        if match[1] in declared:
            shown.add(match[1])
        elif owner not in classes:  # a class that is shown has members that no header marks
            strange.append(name)
    else:
        strange.append(name)
missing = declared - shown
print(f"{len(declared)} names of functions are declared, {len(symbols.splitlines())} symbols shown")
if strange or missing or len(declared) < 50:
    sys.exit("\n".join([f"shown, and not declared: {name}" for name in strange] +
                       [f"declared, and not shown: {name}" for name in sorted(missing)]))
