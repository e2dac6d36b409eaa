# ===- nothing_to_check_test.py - scripts that have nothing to do ----------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""A script that checks nothing, since a name is wrong or a folder is empty, fails and says so."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).parents[2]
ANY_LIBRARY = "libc.so.6"  # in place of NVRTC, which isn't called


class NothingToCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def expect(self, status, text, script, *words, source=SOURCE):
        done = subprocess.run([sys.executable, source / "scripts" / script, *words], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        self.assertEqual(done.returncode, status, done.stdout)
        self.assertIn(text, done.stdout)

    def copy_tree(self, *folders):
        for folder in folders:
            shutil.copytree(SOURCE / folder, self.root / folder)
        return self.root

    def test_no_kernels(self):
        self.expect(1, "expected kernels in the files, got none", "cuda/compare-sync", "--nvrtc", ANY_LIBRARY, self.root)

    def test_no_forms(self):
        self.expect(2, "no family 'none'", "cuda/header-coverage", "--family", "none")
        forms = json.loads((SOURCE / "docs/ptx-forms.json").read_text(encoding="utf-8"))
        file = self.root / "forms.json"
        for name, empty in (("families", {}), ("chips", [])):
            file.write_text(json.dumps({**forms, name: empty}), encoding="utf-8")
            tools = self.root / "tools"
            tools.mkdir(exist_ok=True)
            for tool in ("carousel-opt", "carousel-translate"):
                (tools / tool).touch(mode=0o755)
            self.expect(2, "expected forms and chips", "cuda/ptx-coverage", "--all", "--forms", file, "--carousel-bin",
                        tools, "--ptxas", sys.executable)

    def test_no_headers(self):
        tree = self.copy_tree("scripts", "docs")
        self.expect(2, "expected headers in", "cuda/header-compile", "--nvrtc", ANY_LIBRARY, source=tree)

    def test_no_cases(self):
        self.expect(1, "expected cases to pack, got none", "device/device-random", "pack", self.root / "packed",
                    "--count", "2", "--with", "nothing")
        self.expect(1, "expected --filter with a part of a kernel's name", "device/device-examples", "bench", self.root,
                    "--filter", "nothing")
        self.expect(2, "expected 1 or more for --rounds, got 0", "device/compile-times", "run", self.root, "--rounds", "0")

    def test_no_output(self):
        (self.root / "pack.py").write_text(
            f"import sys; sys.path.insert(0, '{SOURCE / 'scripts/modules'}')\n"
            "from pathlib import Path; from device_cases import Case, pack\n"
            "pack([Case(Path('k.mlir'), 'k', ['x=iota:4'])], Path(sys.argv[1]))\n", encoding="utf-8")
        self.expect(1, "expected an output of k in k.mlir to compare, got none", self.root / "pack.py",
                    self.root / "packed")

    def test_refused_for_every_chip(self):
        (self.root / "k.mlir").touch()
        translate = self.root / "translate"
        translate.write_text("#!/bin/sh\necho \"k.mlir:1:1: error: 'carousel.x' op needs sm_90 and PTX 8.0\" >&2\n"
                             "exit 1\n", encoding="utf-8")
        translate.chmod(0o755)
        for chips in (["--chip", "sm_80", "--chip", "sm_86"], ["--chip", "sm_100a"]):
            self.expect(1, "0 kernels alike, 1 problems", "cuda/compare-sync", "--nvrtc", ANY_LIBRARY, "--skip-refused",
                        "--translate", translate, *chips, self.root)

    def test_new_example(self):
        tree = self.copy_tree("scripts", "examples")
        shutil.copy(tree / "examples/tile/saxpy.mlir", tree / "examples/tile/new.mlir")
        self.expect(1, "device-examples: error: new: expected a case of saxpy, got none", "device/device-examples", "list",
                    source=tree)

    def test_unknown_call(self):
        (self.root / "call.py").write_text(
            f"import sys; sys.path.insert(0, '{SOURCE / 'scripts/modules'}')\n"
            "from header_calls import call_text; call_text('carousel.unheard_of %x[%c0] : t')\n", encoding="utf-8")
        self.expect(1, "expected a family for the calls of unheard_of", self.root / "call.py")


if __name__ == "__main__":
    unittest.main()
