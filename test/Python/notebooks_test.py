# ===- notebooks_test.py - the scripts of examples/notebooks ----------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs each notebook by scripts/pages/notebook, as scripts/docs does. Those that need a package which isn't installed are
left out."""

import importlib.util
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from examples import ROOT

SCRIPT = ROOT / "scripts/pages/notebook"
NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.py"))
PACKAGES = ("jax", "numpy", "torch")


def render(file):
    return subprocess.run([sys.executable, str(SCRIPT), str(file)], capture_output=True, text=True, check=False)


class NotebooksTest(unittest.TestCase):
    def test_each_runs(self):
        self.assertGreaterEqual(len(NOTEBOOKS), 4)
        for file in NOTEBOOKS:
            text = file.read_text(encoding="utf-8")
            missing = [name for name in PACKAGES if re.search(rf"^import {name}\b", text, re.MULTILINE)
                       and not importlib.util.find_spec(name)]
            with self.subTest(file=file.name):
                if missing:
                    self.skipTest(f"{missing[0]} isn't installed")
                done = render(file)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout.startswith("# "))
                self.assertRegex(done.stdout, '<div class="shown">\n<(svg|p|table)')

    def test_cells(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "n.py"
            file.write_text("# %% [markdown]\n# # Title\n#\n# Text\n\n# %%\nx = 3\nprint('```')\nx + 1\n# %%\nclass A:\n"
                            "    def _repr_html_(self):\n        return '<p>a</p>\\n\\n<p>b</p>'\nA()\n# %%\nNone\n")
            done = render(file)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("# Title\n\nText\n", done.stdout)
            self.assertIn("````text\n```\n````\n", done.stdout)
            self.assertIn("```text\n4\n```\n", done.stdout)
            self.assertIn('<div class="shown">\n<p>a</p>\n&nbsp;\n<p>b</p>\n</div>', done.stdout)
            file.write_text("# %%\n\n1 / 0\n")
            done = render(file)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("n.py\", line 3", done.stderr)
            self.assertIn("notebook: error: a cell of", done.stderr)


if __name__ == "__main__":
    unittest.main()
