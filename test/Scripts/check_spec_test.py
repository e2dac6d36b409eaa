# ===- check_spec_test.py - tests of scripts/checks/check-spec -------------------- py -===#
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

SCRIPT = Path(__file__).parents[2] / "scripts/checks/check-spec"
TREE = {
    "docs/Spec.md": "| C1 | a rule |\n| C2 | another one |\n",
    "lib/Rules.cpp": "// C1, C2: rules\n",
    "include/Ops.td": "needs it (C1, C2)\n",
    "lit-tests/invalid.mlir": "// C1\n// expected-error @below {{one}}\n// C2: another one\n"
                              "op // expected-error {{two}}\n",
}


class CheckSpec(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "passes").mkdir()
        for path, text in TREE.items():
            (self.root / path).parent.mkdir(exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")

    def check(self, path=None, old="", new=""):
        if path:
            (self.root / path).write_text(TREE[path].replace(old, new), encoding="utf-8")
        return subprocess.run([sys.executable, SCRIPT, self.root], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def expect_fault(self, fault, *change):
        run = self.check(*change)
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn(fault, run.stderr.splitlines())

    def test_good_tree(self):
        self.assertEqual(self.check().returncode, 0)

    def test_page_without_rows(self):
        self.assertEqual(self.check("docs/Spec.md", "|", "").returncode, 2)

    def test_number_without_a_row(self):
        self.expect_fault("lib/Rules.cpp:1: C2 isn't in docs/Spec.md", "docs/Spec.md", "| C2 |", "| D2 |")

    def test_number_without_code(self):
        self.expect_fault("docs/Spec.md:2: C2 isn't in the code", "lib/Rules.cpp", "C1, C2", "C1")

    def test_number_without_a_test(self):
        self.expect_fault("docs/Spec.md:2: C2 isn't in the lit tests", "lit-tests/invalid.mlir", "C2", "this is")

    def test_label_without_a_diagnostic(self):
        fault = "lit-tests/invalid.mlir:{}: expected a diagnostic that is C{}'s, got none"
        self.expect_fault(fault.format(3, 2), "lit-tests/invalid.mlir", "// expected-error {{two}}", "")
        self.expect_fault(fault.format(1, 1), "lit-tests/invalid.mlir", "// expected-error @below {{one}}\n", "")

    def test_number_of_a_description(self):
        self.expect_fault("include/Ops.td:1: C3 isn't in docs/Spec.md", "include/Ops.td", "C2", "C3")


if __name__ == "__main__":
    unittest.main()
