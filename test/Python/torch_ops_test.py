# ===- torch_ops_test.py - samples of PyTorch's operators ----------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs scripts/pages/torch-ops for a few operators, of which docs/torch-ops.json must say what happens. Needs torch, torch-mlir and
expecttest."""

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HAS_TORCH = all(importlib.util.find_spec(name) for name in ("torch", "torch_mlir", "expecttest"))


def run(*arguments):
    return subprocess.run([sys.executable, ROOT / "scripts/pages/torch-ops", *arguments], capture_output=True, text=True, check=False)


class PageTest(unittest.TestCase):
    def test_page(self):
        entries = json.loads((ROOT / "docs/torch-ops.json").read_text(encoding="utf-8"))
        page = run("page").stdout
        for name, entry in entries.items():
            self.assertIn(f"\n| {name} |", page)
            self.assertNotIn("wrong", entry.values(), name)


@unittest.skipUnless(HAS_TORCH, "torch, torch-mlir or expecttest isn't installed")
class OperatorsTest(unittest.TestCase):
    def test_sample(self):
        done = run("check", "^(add|fmax|sort|nn.functional.elu)$", "--samples", "1", "--kinds", "f32,strided")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("fmax: f32 right, strided right", done.stdout)
        self.assertIn("sort: f32 torch", done.stdout)

    def test_wrong_table(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "table.json"
            table.write_text('{"fmax": {"f32": "torch"}}', encoding="utf-8")
            done = run("check", "^fmax$", "--samples", "1", "--kinds", "f32", "--table", str(table))
        self.assertEqual(done.returncode, 1)
        self.assertIn("fmax f32: expected what table.json says, torch; got right", done.stdout)

    def test_command_lines(self):
        self.assertIn("expected a pattern that some operator's name matches, got none", run("try", "^no-such$").stderr)
        self.assertIn("expected --kinds of f32, ", run("try", "^add$", "--kinds", "f8").stderr)


if __name__ == "__main__":
    unittest.main()
