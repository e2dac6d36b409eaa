# ===- check_ranges_test.py - tests of scripts/checks/check-ranges ---------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Puts loops into a small tree and expects the check to find those over elements of temporaries."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts/checks/check-ranges"


class CheckRanges(unittest.TestCase):
    def check(self, text, path="lib/Analysis/Plan.cpp"):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / path
            file.parent.mkdir(parents=True)
            file.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, SCRIPT, folder], text=True, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_elements_of_temporaries(self):
        for over in ("op.getGroups()[dim]", "cast<Op>(view)\n    .getGroups()[*dim]", "llvm::drop_begin(getGroups()[0])",
                     "findSizes(op).value()", "sizes.lookup(op).at(1)"):
            for loop in ("int64_t of", "auto [x, y]", "int i = 0; int64_t of"):
                run = self.check(f"\nfor ({loop} : {over})\n  use(of);\n")
                self.assertEqual(run.returncode, 1, over)
                self.assertIn("lib/Analysis/Plan.cpp:2: ", run.stderr)

    def test_other_loops(self):
        run = self.check("for (int64_t of : groups[f(dim)]) use(f()[0]);\nfor (auto x : op.getResults().drop_front()) f();\n"
                         "for (int i = b ? f()[0] : g()[0]; i < f()[1]; ++i) f();\nfor (Op &op : *module.getBody()) f();\n"
                         "// for (int64_t of : f()[1])\nfor (const char *text : {\"f()[1]\"}) f();\n")
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_no_files(self):
        self.assertEqual(self.check("", "lib/README.md").returncode, 2)


if __name__ == "__main__":
    unittest.main()
