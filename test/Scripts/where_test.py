# ===- where_test.py - tests of scripts/where ------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Looks for ops and instructions in a small tree and in this one."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).parents[2]
FILES = {
    "include/carousel/Dialect/IR/Ops/CopyOps.td": 'def Carousel_CopyOp : Op<"copy"> {\n}\n'
                                                  'def Carousel_CopyWaitOp\n    : Op<"copy.wait"> {\n',
    "include/carousel/PTX/Opcodes.def": 'CAROUSEL_PTX_OPCODE(Cp, "cp")\nCAROUSEL_PTX_OPCODE(CpWait, "cp.wait")\n',
    "docs/ptx-forms.json": json.dumps({"families": {"copies": {"forms": [
        {"ptx": "cp<hint> [%rd0]", "mlir": "carousel.copy %x"},
        {"ptx": "cp.wait 2", "mlir": ["carousel.copy.wait 2"]}, {"ptx": "cp.none", "mlir": None}]}}}, indent=1),
    "lib/Dialect/IR/Ops/Verifiers.cpp": "LogicalResult CopyOp::verify() {\nLogicalResult CopyWaitOp::verify() {\n",
    "lib/PTX/Forms/Forms.cpp": "cp [hint] ; [S]\ncp.wait ; #\n",
    "lib/Simulator/PTX/Translate.cpp": "case Opcode::Cp:\ncase Opcode::CpWait:\n",
    "passes/MachineToNVVM/CopyToNVVM.cpp": "struct CopyLowering : NVVMLowering<CopyOp> {\n",
    "runtime/device/copy.h": "void copy_wait();\nvoid copy_wait_all();\n",
    "lit-tests/Dialect/ops.mlir": "carousel.copy %x\ncarousel.copy.wait 2\ncarousel.copy.wait 3\n",
}


class Where(unittest.TestCase):
    def find(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                file = Path(folder) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            return self.run_script(*words, "--root", folder)

    def run_script(self, *words):
        return subprocess.run([sys.executable, SOURCE / "scripts/where", *words], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)

    def expect(self, run, rows):
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual([row.strip() for row in run.stdout.splitlines() if row.startswith("  ")], rows, run.stdout)

    def test_op(self):
        run = self.find("carousel.copy.wait")
        self.assertTrue(run.stdout.startswith("carousel.copy.wait, cp.wait\n"), run.stdout)
        self.assertIn("\nmutants: none\n", run.stdout)
        self.expect(run, [
            "include/carousel/Dialect/IR/Ops/CopyOps.td:3: def Carousel_CopyWaitOp",
            'include/carousel/Dialect/IR/Ops/CopyOps.td:4: : Op<"copy.wait"> {',
            "lib/Dialect/IR/Ops/Verifiers.cpp:2: LogicalResult CopyWaitOp::verify() {",
            "runtime/device/copy.h:1: void copy_wait();",
            'include/carousel/PTX/Opcodes.def:2: CAROUSEL_PTX_OPCODE(CpWait, "cp.wait")',
            "lib/PTX/Forms/Forms.cpp:2: cp.wait ; #",
            "lib/Simulator/PTX/Translate.cpp:2: case Opcode::CpWait:",
            'docs/ptx-forms.json:12: "carousel.copy.wait 2"',
            "lit-tests/Dialect/ops.mlir:2 and 1 more"])

    def test_instruction(self):
        run = self.find("cp")
        self.assertTrue(run.stdout.startswith("carousel.copy, cp\n"), run.stdout)
        self.assertIn("passes/MachineToNVVM/CopyToNVVM.cpp:1: struct CopyLowering", run.stdout)
        self.assertNotIn("CopyWaitOp", run.stdout)

    def test_unknown(self):
        for name in ("", "carousel.move", "cpp", "ld"):
            run = self.find(name)
            self.assertEqual(run.returncode, 1, name)
            self.assertIn(f"got '{name}'", run.stderr)

    def test_this_tree(self):
        for name in ("carousel.bulk.load", "mbarrier.init", "cp.async"):
            run = self.run_script(name)
            self.assertEqual(run.returncode, 0, run.stderr)
            for room in ("definition (ODS)", "verifier, folder, effects, chips", "PTX: from the machine phase to NVVM",
                         "CUDA C++: from the machine phase to EmitC", "PTX reader: opcodes, rows of forms, values",
                         "simulator: the op", "simulator: the instruction", "table of PTX forms", "tests: syntax and folds"):
                self.assertIn(f"\n{room}\n", run.stdout, name)


if __name__ == "__main__":
    unittest.main()
