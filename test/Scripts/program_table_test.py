# ===- program_table_test.py - tests of scripts/modules/program_table.py ---------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Compares rows of programs with a table: what is worse is a failure that names it, what is better isn't."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts/modules"))
import program_table  # noqa: E402

ROW = {"predicted us": 100.0, "launches": 7, "kernels": 6, "multiply-adds": 0, "slow": 0, "spilled bytes": 0}


class ProgramTable(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.table = Path(folder.name) / "table.json"
        self.assertTrue(self.check(ROW, update=True)[0])

    def check(self, row, update=False):
        out = io.StringIO()
        with mock.patch.object(program_table, "measure", lambda graph, chip: (dict(row) if row else None, ["why"])), \
                contextlib.redirect_stdout(out):
            return program_table.check({"model": Path("model.mlir")}, self.table, update), out.getvalue()

    def test_equal(self):
        good, text = self.check({**ROW, "predicted us": 102.9, "spilled bytes": 16})
        self.assertTrue(good, text)
        self.assertNotIn("better", text)

    def test_worse(self):
        for quantity, value in (("predicted us", 104.0), ("launches", 8), ("kernels", 7), ("multiply-adds", 1), ("slow", 1),
                                ("spilled bytes", 4624)):
            good, text = self.check({**ROW, quantity: value})
            self.assertFalse(good, quantity)
            for chip in program_table.CHIPS:
                self.assertIn(f"model, {chip}: worse: {quantity} was {ROW[quantity]}, is {value}\n  why\n", text)

    def test_better(self):
        good, text = self.check({**ROW, "predicted us": 90.0})
        self.assertTrue(good, text)
        self.assertIn("better: predicted us was 100.0, is 90.0", text)
        self.assertIn("--update", text)

    def test_missing(self):
        self.table.write_text("{}", encoding="utf-8")
        self.assertFalse(self.check(ROW)[0])
        good, text = self.check(None)
        self.assertFalse(good)
        self.assertIn("why", text)


if __name__ == "__main__":
    unittest.main()
