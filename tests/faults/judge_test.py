#!/usr/bin/env python3
"""What faults.py takes for a good end of a job, and what not."""
import unittest

import faults

SAME = ["a", "a"]
TEXT = ("pilum: rank 0: [Runtime] ranks recorded different calls: number 24 is [-=] at ../tests/faults/run.cc:193 on rank 0, and "
        "[to_vector] at ../tests/faults/run.cc:213 on rank 1.")
MUTATION = {"kind": "extra", "first": "-=", "second": "to_vector", "lines": [193, 213]}


def outcome(errors="", status=1, seconds=1.0, texts=SAME, killed=False, mutation=MUTATION, kind="extra", rank=1):
    run = faults.Run(status, seconds, errors, "", texts, killed)
    return faults.judge(run, faults.Run(0, 0.5, "", "", SAME, False), mutation, rank, kind)


class Judge(unittest.TestCase):
    def test_number_calls_and_lines_in_time_are_told(self):
        self.assertEqual(outcome(TEXT), "told")
        self.assertEqual(outcome(TEXT, rank=0, mutation={**MUTATION, "lines": [213, 193]}), "told")

    def test_lines_of_other_calls_are_told_later(self):
        self.assertEqual(outcome(TEXT, mutation={**MUTATION, "lines": [190, 213]}), "told_later")
        self.assertEqual(outcome(TEXT, rank=0), "told_later")  # the two lines the wrong way round

    def test_the_end_of_a_program_has_no_line(self):
        end = TEXT.replace("[to_vector] at ../tests/faults/run.cc:213", "the end of the program")
        self.assertEqual(outcome(end), "told")
        self.assertEqual(outcome(TEXT.replace("run.cc:213", "elsewhere")), "incomplete")

    def test_what_lacks_the_number_is_incomplete(self):
        self.assertEqual(outcome(TEXT.replace("number 24", "one call")), "incomplete")

    def test_time_counts(self):
        self.assertEqual(outcome(TEXT, seconds=5.1), "late")
        self.assertEqual(outcome(TEXT, killed=True, status=137), "hang")

    def test_a_stall_is_told_though_it_lasts(self):
        text = "rank 1 has recorded no operation for 21 s; its last call is [-=] at run.cc:193"
        self.assertEqual(outcome(text, kind="stop", killed=True, status=137), "stall_told")
        self.assertEqual(outcome(text, kind="stop", killed=True, status=137, rank=0), "hang")
        self.assertEqual(outcome("", kind="endless", killed=True, status=137), "hang")

    def test_success_is_judged_by_values_and_calls(self):
        self.assertEqual(outcome(status=0), "unnoticed")
        self.assertEqual(outcome(status=0, texts=["a", "b"]), "silent_wrong")
        self.assertEqual(outcome(status=0, mutation={"kind": "delay"}, kind="delay"), "no_effect")
        self.assertEqual(outcome(TEXT, mutation={"kind": "delay"}, kind="delay"), "false_alarm")

    def test_sizes_without_lines(self):
        self.assertEqual(outcome("rank 0: [receive] message 4 from rank 1 has 32 bytes where 29576 were expected"), "sizes")

    def test_a_mistake_is_the_changed_rank_s_own(self):
        text = "pilum: rank 1: uncaught exception: [-=] shapes (3,) and (4,). Called at ../tests/faults/run.cc:193"
        self.assertEqual(outcome(text), "own_error")
        self.assertEqual(outcome(text, rank=0), "other")

    def test_endings_name_the_rank(self):
        text = "plaunch: rank 1 of 2 on vm ended with exit status 3; the other ranks were ended"
        self.assertEqual(outcome(text, kind="exit"), "named")
        self.assertEqual(outcome(text, kind="exit", rank=0), "other")

    def test_settings_are_named_with_the_rank(self):
        mutation = {"kind": "setting", "setting": "PILUM_WINDOW"}
        self.assertEqual(outcome("PILUM_WINDOW is 7 on rank 1 and 3 on rank 0", mutation=mutation, kind="setting"), "told")
        self.assertEqual(outcome("the window is 7 on rank 1", mutation=mutation, kind="setting"), "other")


if __name__ == "__main__":
    unittest.main()
