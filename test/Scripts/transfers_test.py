# ===- transfers_test.py - how the ranks of transfers.py meet ---------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""benchmarks/gpu/transfers.py without a GPU: a stand-in for PyTorch notes where each rank would meet the others."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TRANSFERS = Path(__file__).parents[2] / "benchmarks/gpu/transfers.py"

TORCH = """
class cuda:
    device_count = staticmethod(lambda: 2)
    set_device = staticmethod(lambda gpu: None)
def zeros(*words, **named): pass
def __getattr__(name): return name
"""
DISTRIBUTED = """
import json, os, sys
from pathlib import Path
def is_nccl_available(): return True
def init_process_group(backend, init_method, rank, world_size):
    kind, _, path = init_method.partition("://")
    Path(os.environ["MEETINGS"], str(rank)).write_text(json.dumps(
        {"kind": kind, "path": path, "is_there": Path(path).exists(), "has_folder": Path(path).parent.is_dir(),
         "mode": Path(path).parent.stat().st_mode & 0o777, "ranks": world_size}))
    sys.exit(0)
"""


class Transfers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "torch").mkdir()
        (self.root / "torch/__init__.py").write_text(TORCH, encoding="utf-8")
        (self.root / "torch/distributed.py").write_text(DISTRIBUTED, encoding="utf-8")

    def meet(self, name):
        """What the ranks of a run note."""
        notes = self.root / name
        notes.mkdir()
        environment = {**os.environ, "PYTHONPATH": str(self.root), "MEETINGS": str(notes)}
        done = subprocess.run([sys.executable, TRANSFERS, "run", self.root], text=True, check=False, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout)
        return [json.loads((notes / str(rank)).read_text(encoding="utf-8")) for rank in range(2)]

    def test_ranks_meet_at_a_file_of_their_own(self):
        first, second = self.meet("first"), self.meet("second")
        for notes in (first, second):
            self.assertEqual(notes[0]["path"], notes[1]["path"])
            for note in notes:
                # A port that is free can be taken before its server listens.
                self.assertEqual(note["kind"], "file")
                self.assertEqual((note["has_folder"], note["mode"], note["ranks"]), (True, 0o700, 2))
            self.assertFalse(notes[0]["is_there"])
            # The group's session is the folder's name.
            self.assertRegex(Path(notes[0]["path"]).parent.name, re.compile(r"^[A-Za-z0-9._-]{1,64}$"))
            self.assertFalse(Path(notes[0]["path"]).parent.exists())
        self.assertNotEqual(first[0]["path"], second[0]["path"])


if __name__ == "__main__":
    unittest.main()
