# ===- check_chip_test.py - tests of scripts/checks/check-chip -------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Puts numbers into a small tree and expects the check to find those of a chip."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts/checks/check-chip"


class CheckChip(unittest.TestCase):
    def check(self, text, path="lib/Analysis/Plan.cpp"):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / path
            file.parent.mkdir(parents=True)
            file.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, SCRIPT, folder], text=True, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_numbers_of_a_chip(self):
        for text in ("constexpr int64_t kTile = 128, kMultiprocessors = n;\nint64_t programs = 132;\n",
                     "\nstatic constexpr double kBytesPerMicrosecond = 42;\n", "\nreturn {38e6, 1};\n",
                     "\nconstexpr int64_t kLaunch = 3;\n", "\nint64_t width = 65536 / 4;\n",
                     "// A comment\nconstexpr double kShuffleLatency = 24;\n"):
            run = self.check(text)
            self.assertEqual(run.returncode, 1, text)
            self.assertIn("lib/Analysis/Plan.cpp:2: ", run.stderr)

    def test_other_numbers(self):
        run = self.check("// An H200 has 132 SMs.\nconstexpr int64_t kMostElements = 32; /* 264 */\n"
                         'f("108", 1320, x.132, 1e-6);\nconstexpr unsigned kScopedSM = 90;\n')
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_the_model_itself(self):
        self.assertEqual(self.check("int64_t sms = 132;\n", "lib/Target/ChipModel.cpp").returncode, 2)

    def test_no_files(self):
        self.assertEqual(self.check("", "lib/README.md").returncode, 2)


if __name__ == "__main__":
    unittest.main()
