# ===- docs_test.py - the blocks of code of docs/Python.md ------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs the page's blocks one after the other. A comment before a block says what it needs: a GPU, or a package. What a
block prints last is compared with the block of output after it, if there is one."""

import contextlib
import importlib.util
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest

import carousel
from examples import ROOT

BLOCK = re.compile(r"(?:^<!-- needs (?:a )?(\w+) -->\n)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Which thread of a race comes first is the schedule's choice.
VARIES = re.compile(r"thread \d+")


class DocsTest(unittest.TestCase):
    def test_blocks(self):
        page = (ROOT / "docs/Python.md").read_text(encoding="utf-8")
        names, printed, ran = {}, "", 0
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                for need, language, text in BLOCK.findall(page):
                    if language == "python" and need != "GPU" and (not need or importlib.util.find_spec(need)):
                        output = io.StringIO()
                        with self.subTest(block=text.splitlines()[0]), contextlib.redirect_stdout(output):
                            exec(compile(text, "docs/Python.md", "exec"), names)
                        printed, ran = output.getvalue(), ran + 1
                    elif language == "":
                        with self.subTest(output=text):
                            self.assertEqual(VARIES.sub("thread", printed), VARIES.sub("thread", text))
            finally:
                os.chdir(before)
        self.assertGreaterEqual(ran, 5)

    def test_the_reference_has_each_name_once(self):
        page = subprocess.run([sys.executable, ROOT / "scripts/pages/python-reference"], capture_output=True, text=True,
                              check=True).stdout
        names = sorted(line.rpartition(".")[2] for line in page.splitlines() if line.startswith("::: "))
        self.assertEqual(names, sorted(carousel.__all__))


if __name__ == "__main__":
    unittest.main()
