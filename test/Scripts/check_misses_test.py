# ===- check_misses_test.py - tests of scripts/checks/check-misses ---------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Takes one thing at a time out of a small tree and expects the check to miss it."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts/checks/check-misses"
TREE = {
    "include/carousel/Support/Misses.def": 'MISS(One, "kind:one", Request,\n     "do "\n     "this")\n'
                                           'MISS(Two, "kind:two", Choice, "do that")\n',
    "docs/WhyNotPipelined.md": "# Why\n\n### kind:one\n\n### kind:two\n",
    "lib/Analysis/Rings/Plan.cpp": "return {Miss::One, text};\nreturn {Miss::Two, text};\n",
}
MISSES, PAGE, PLAN = TREE


class CheckMisses(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for path, text in TREE.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")

    def check(self, path=None, old="", new=""):
        if path:
            self.assertIn(old, TREE[path])
            (self.root / path).write_text(TREE[path].replace(old, new), encoding="utf-8")
        return subprocess.run([sys.executable, SCRIPT, self.root], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def expect_fault(self, fault, *change):
        run = self.check(*change)
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn(fault, run.stderr.splitlines())

    def test_good_tree(self):
        self.assertEqual(self.check().returncode, 0)

    def test_no_reasons(self):
        self.assertEqual(self.check(MISSES, "MISS(", "NONE(").returncode, 2)

    def test_reason_without_an_entry(self):
        self.expect_fault(f"{PAGE}: no entry for kind:two", PAGE, "### kind:two\n")

    def test_reason_without_a_remedy(self):
        self.expect_fault(f"{MISSES}: kind:two has no remedy", MISSES, ', "do that"')

    def test_reason_that_no_planner_gives(self):
        self.expect_fault(f"{MISSES}: no planner gives kind:two", PLAN, "Miss::Two", "Miss::One")

    def test_entry_without_a_reason(self):
        self.expect_fault(f"{PAGE}: kind:three is no reason", PAGE, "### kind:two", "### kind:two\n\n### kind:three")

    def test_id_that_occurs_twice(self):
        self.expect_fault(f"{MISSES}: kind:one occurs twice", MISSES, "kind:two", "kind:one")

    def test_reason_that_cannot_be_read(self):
        self.expect_fault(f"{MISSES}: 1 reasons can't be read", MISSES, "Choice", "Wish")


if __name__ == "__main__":
    unittest.main()
