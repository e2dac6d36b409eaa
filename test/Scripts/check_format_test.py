# ===- check_format_test.py - tests of scripts/checks/check-format ---------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Plants a badly formatted file and expects the check to refuse it."""

import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts/checks/check-format"
GOOD, BAD = "int one() { return 1; }\n", "int  one( ){return 1;}\n"


class CheckFormat(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write(".clang-format", "BasedOnStyle: LLVM\n")
        self.write("lib/Good.cpp", GOOD)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_check(self, *arguments):
        return subprocess.run([SCRIPT, *arguments, self.root], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_good_tree(self):
        run = self.run_check()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("1 files are well formatted", run.stdout)

    def test_bad_file(self):
        self.write("include/Bad.h", BAD)
        run = self.run_check()
        self.assertEqual(run.returncode, 1)
        self.assertIn("include/Bad.h:1:", run.stderr)

    def test_fix(self):
        self.write("include/Bad.h", BAD)
        self.assertEqual(self.run_check("--fix").returncode, 0)
        self.assertEqual((self.root / "include/Bad.h").read_text(encoding="utf-8"), GOOD)
        self.assertEqual(self.run_check().returncode, 0)

    def test_git_decides_what_is_checked(self):
        subprocess.run(["git", "init", "--quiet", self.root], check=True)
        self.write(".gitignore", "/lib/Ignored.cpp\n")
        self.write("lib/Ignored.cpp", BAD)
        self.assertEqual(self.run_check().returncode, 0)
        self.write("lib/Untracked.cpp", BAD)
        self.assertEqual(self.run_check().returncode, 1)

    def test_empty_tree_is_an_error(self):
        (self.root / "lib/Good.cpp").unlink()
        self.assertEqual(self.run_check().returncode, 2)


if __name__ == "__main__":
    unittest.main()
