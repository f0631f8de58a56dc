"""Every function of the table is called by the test programs in C and in Fortran, and every one of c.h by one in C."""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
tests = root / "tests/c_interface"
c = "".join((tests / file).read_text() for file in ("every_function.c", "elementwise.h", "errors.c", "tasks.c", "check.h"))
fortran = (tests / "every_function.F90").read_text()
table = re.findall(r"^(?:array|none) (\w+)", (root / "numeric/c_interface/functions.txt").read_text(), re.MULTILINE)
by_hand = re.findall(r"^#define pilum_(\w+)\(", (root / "include/pilum/c.h").read_text(), re.MULTILINE)
assert len(table) > 30 and len(by_hand) > 15, "the tables were not found"
missing = [f"{name} in C" for name in table + by_hand if f"pilum_{name}(" not in c]
missing += [f"{name} in Fortran" for name in table if f"pilum_{name}(" not in fortran]
print("\n".join(missing))
sys.exit(1 if missing else 0)
