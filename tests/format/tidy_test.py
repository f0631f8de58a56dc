"""What clang-tidy is asked to look at, and what is taken from its answer."""

import json
import pathlib
import re
import tempfile
import unittest

import tidy


class Units(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        build = pathlib.Path(self.folder.name)
        entries = [self.entry(name, "-O3") for name in ("check", "config", "flush")] + [self.entry("scalar", "-O2")]
        (build / "compile_commands.json").write_text(json.dumps(entries))
        self.commands = tidy.Commands(build)

    def tearDown(self):
        self.folder.cleanup()

    def entry(self, name, flag):
        file = f"{tidy.ROOT}/runtime/base/{name}.cc"
        return {"directory": self.folder.name, "file": file, "command": f"c++ {flag} -o {name}.o -c {file}"}

    def test_sources_that_are_compiled_alike_are_one_unit(self):
        units, absent = tidy.units_of([f"runtime/base/{name}.cc" for name in ("check", "config", "scalar")], self.commands)
        self.assertEqual([(flags[1], len(members)) for flags, members in units], [(("c++", "-O3"), 2), (("c++", "-O2"), 1)])
        self.assertEqual(absent, [])

    def test_a_header_is_compiled_as_what_includes_it(self):
        units, _ = tidy.units_of(["runtime/base/check.h"], self.commands)
        self.assertEqual([members for _, members in units], [["runtime/base/check.h"]])
        units, _ = tidy.units_of(["runtime/base/check.cc", "runtime/base/check.h"], self.commands)
        self.assertEqual([members for _, members in units], [["runtime/base/check.cc"]])

    def expect_members_compiled_as(self, unit, included, flag):
        """Of a unit of the build, a path below its folder, that includes these names."""
        folder = pathlib.Path(self.folder.name)
        source = folder / unit
        source.parent.mkdir()
        source.write_text("\n\n".join(f'#include "{name}"' for name in included))
        entry = {"directory": self.folder.name, "file": str(source), "command": f"c++ {flag} -o unit.o -c {source}"}
        (folder / "compile_commands.json").write_text(json.dumps([entry]))
        names = sorted(name.removeprefix(f"{tidy.ROOT}/") for name in included)
        units, absent = tidy.units_of(names, tidy.Commands(folder))
        self.assertEqual(units, [((self.folder.name, ("c++", flag)), names)])
        self.assertEqual(absent, [])

    def test_sources_that_the_build_includes_in_a_unit_are_compiled_as_it_is(self):
        included = ["tests/memory/pool_test.cc", "tests/memory/pool_random_test.cc"]
        self.expect_members_compiled_as("units/memory_test_0.cc", included, "-O0")

    def test_those_of_a_unity_build_too(self):
        included = [f"{tidy.ROOT}/runtime/base/{name}.cc" for name in ("log", "rect")]
        self.expect_members_compiled_as("Unity/unity_0_cxx.cxx", included, "-O3")

    def test_so_many_units_are_taken_and_the_first_come_first(self):
        names = [f"runtime/base/{name}.cc" for name in ("flush", "check", "scalar", "config")]
        self.assertEqual(tidy.take(names, self.commands, 1), names[:2])
        self.assertEqual(tidy.take(names, self.commands, 2), names)

    def test_what_the_build_leaves_out_is_said(self):
        _, absent = tidy.units_of(["runtime/base/log.cc"], self.commands)
        self.assertEqual(absent, ["runtime/base/log.cc"])


class Choice(unittest.TestCase):
    def test_a_commit_has_its_order_and_another_one_another(self):
        names = [f"runtime/file{n}.cc" for n in range(100)]
        self.assertEqual(tidy.share(names, "commit"), tidy.share(names, "commit"))
        self.assertEqual(sorted(tidy.share(names, "commit")), sorted(names))
        self.assertGreater(len({tidy.share(names, str(commit))[0] for commit in range(100)}), 30)

    def test_each_source_is_chosen_once_and_nothing_else(self):
        history = ["runtime/base/check.cc", "docs/glossary.md", "runtime/base/check.cc", "runtime/base/no_such.cc",
                   "runtime/base/check.h"]
        self.assertEqual(tidy.sources_of(history), ["runtime/base/check.cc", "runtime/base/check.h"])

    def test_sources_that_a_script_writes_and_other_files_are_not_ours(self):
        self.assertFalse(tidy.is_ours("numeric/c_interface/functions.cc"))
        self.assertFalse(tidy.is_ours("README.md"))
        self.assertTrue(tidy.is_ours("numeric/print.cc"))


class Findings(unittest.TestCase):
    text = (
        f"{tidy.ROOT}/runtime/base/check.cc:11:3: warning: this is wrong [bugprone-wrong]\n   11 |  wrong();\n"
        f"{tidy.ROOT}/runtime/base/check.cc:12:3: note: because of this\n"
        "/usr/include/c++/12/vector:7:1: warning: theirs [clang-diagnostic-deprecated]\n    7 | theirs\n"
        f"{tidy.ROOT}/runtime/base/check.h:5:1: error: so is this [misc-this,misc-that]\n"
    )

    def test_a_finding_has_its_text_and_those_in_libraries_are_dropped(self):
        found = tidy.findings_of(self.text)
        self.assertEqual([key[:2] for key in found], [("runtime/base/check.cc", 11), ("runtime/base/check.h", 5)])
        first = next(iter(found.values()))
        self.assertIn("runtime/base/check.cc:11:3: this is wrong [bugprone-wrong]\n   11 |  wrong();\n", first)
        self.assertIn("because of this", first)

    def test_an_error_in_a_library_is_kept(self):
        text = "/usr/include/x.h:1:2: error: no such file [clang-diagnostic-error]\n"
        self.assertEqual(len(tidy.findings_of(text)), 1)

    def test_every_check_that_is_off_has_its_reason(self):
        texts = [(tidy.ROOT / folder / ".clang-tidy").read_text() for folder in (".", "tests")]
        off = [line for text in texts for line in re.findall(r"^  - '-.*$", text, re.MULTILINE)]
        self.assertGreater(len(off), 10)
        self.assertEqual([line for line in off if not re.search(r"'\s+# \S.*", line)], [])


if __name__ == "__main__":
    unittest.main()
