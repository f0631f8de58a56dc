"""The checks of the documentation find what they are for."""
import pathlib
import tempfile
import unittest

import check_glossary
import check_links
import check_outputs
import extract_examples

SOURCES = check_glossary.words_in("class MemoryPool;  // the halos of a piece\nint plan_cache = 0;")


class Glossary(unittest.TestCase):
    def faults(self, text):
        return check_glossary.faults_of(text, SOURCES)

    def test_words_of_identifiers_and_comments_are_in_use(self):
        self.assertEqual(self.faults("# Glossary\n\n- **halo**: cells of others\n- **memory pool**: a pool\n- **plan cache**: plans\n"), [])

    def test_a_word_that_is_used_nowhere_is_a_fault(self):
        self.assertEqual(self.faults("- **halo**: cells of others\n- **flummery**: nothing\n"),
                         ["'flummery' (line 2) is used in no source: use it, or leave it out"])

    def test_a_part_of_a_word_is_not_the_word(self):
        self.assertEqual(len(self.faults("- **memo**: something\n")), 1)

    def test_a_second_line_is_a_fault(self):
        self.assertEqual(self.faults("- **halo**: cells of\n  others\n"), ["line 2 belongs to no word: one line each"])

    def test_a_word_that_stands_there_twice_is_a_fault(self):
        self.assertEqual(self.faults("- **halo**: cells\n- **halo**: more\n"), ["'halo' stands there twice"])

    def test_an_empty_glossary_is_a_fault(self):
        self.assertEqual(self.faults("# Glossary\n"), ["there is no word in it"])


class Links(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        (self.root / "b.md").write_text("# B\n\n## What is `fused`, and how\n\n```\n## no heading\n```\n")

    def faults(self, text):
        page = self.root / "a.md"
        page.write_text(text)
        return check_links.faults_of(page, self.root)

    def test_good_links_pass(self):
        self.assertEqual(self.faults("# A\n[b](b.md), [its heading](b.md#what-is-fused-and-how), [web](https://x.y/z), [own](#a)"), [])

    def test_a_file_that_is_not_there_is_a_fault(self):
        self.assertEqual(self.faults("[b](c.md)"), ["a.md: c.md: there is no such file"])

    def test_a_heading_that_is_not_there_is_a_fault(self):
        self.assertEqual(self.faults("[b](b.md#no-heading)"), ["a.md: b.md#no-heading: there is no such heading"])

    def test_code_has_no_links(self):
        self.assertEqual(self.faults("`a[0](1)`\n\n```cpp\nx[i](j);\n```\n"), [])


class Examples(unittest.TestCase):
    def test_every_block_of_cpp_is_taken_but_those_marked(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "a-page.md"
            page.write_text("```cpp\none;\n```\n```sh\nno\n```\n<!-- not compiled -->\n```cpp\ntwo;\n```\n```cpp\nthree;\n```\n")
            self.assertEqual([(name, line, code) for name, line, code in extract_examples.examples_of(page)],
                             [("a_page_1", 2, "one;\n"), ("a_page_2", 12, "three;\n")])


class Outputs(unittest.TestCase):
    def test_blocks_of_tasks_belong_to_the_example_above(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text("```cpp\na;\n```\n```cpp\nb;\n```\n```\n$ PILUM_PRINT=tasks ./program\nwindow 0: 1 task\n  add  # program.cc:2\n```\n"
                            "```\nwindow 0: 9 tasks\n```\n")
            self.assertEqual(list(check_outputs.shown_below(page)), [("page_2", 5, "tasks", ["window 0: 1 task", "  add"])])

    def test_blocks_of_groups_are_of_another_stage(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text("```cpp\na;\n```\n```\nwindow 0: 2 groups, 8 B moved\n  program.cc:1 add\n```\n")
            self.assertEqual(list(check_outputs.shown_below(page)),
                             [("page_1", 2, "fusion", ["window 0: 2 groups, 8 B moved", "  program.cc:1 add"])])

    def test_places_are_counted_from_the_example(self):
        self.assertEqual(check_outputs.as_program("page.md:7 add (page.md:12) other.h:7", "page.md", 7),
                         "program.cc:1 add (program.cc:6) other.h:7")

    def test_lines_come_in_order_with_others_between(self):
        printed = ["window 0: 2 tasks", "  add", "    writes s0", "  sum"]
        self.assertIsNone(check_outputs.first_missing(["window 0: 2 tasks", "  add", "  sum"], printed))
        self.assertEqual(check_outputs.first_missing(["  sum", "  add"], printed), "  add")
        self.assertEqual(check_outputs.first_missing(["window 0: 1 task"], printed), "window 0: 1 task")


if __name__ == "__main__":
    unittest.main()
