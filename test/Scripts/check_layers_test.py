# ===- check_layers_test.py - tests of scripts/checks/check-layers ---------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Plants one violation at a time in a small tree and expects the check to name it."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts/checks/check-layers"


class CheckLayers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("include/carousel/Dialect/IR/Ops.h", '#include "mlir/IR/Builders.h"\n')
        self.write("lib/Target/PTX/Emit.cpp", '#include "carousel/Dialect/IR/Ops.h"\n')
        self.write("passes/RingToMachine/Lower.cpp",
                   '#include "carousel/Passes/Passes.h"\n#include "carousel/Target/EmitPTX.h"\n')

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_check(self):
        return subprocess.run([sys.executable, SCRIPT, self.root], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def expect_clean(self):
        run = self.run_check()
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def expect_violation(self, message):
        run = self.run_check()
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn(message, run.stderr.splitlines())
        self.assertIn("check-layers: error: 1 violations", run.stderr.splitlines())

    def test_clean_tree(self):
        self.assertIn("3 files keep to their layers", self.expect_clean())

    def test_empty_tree_is_an_error(self):
        with tempfile.TemporaryDirectory() as empty:
            self.root = Path(empty)
            self.assertEqual(self.run_check().returncode, 2)

    def test_lower_layer_includes_higher(self):
        cases = {
            "lib/Dialect/IR/Ops.cpp": ("Dialect", "Target"),
            "include/carousel/Analysis/Rings/RingPlan.h": ("Analysis", "Passes"),
            "lib/Simulator/Launch/Machine.cpp": ("Simulator", "Passes"),
            "lib/Target/PTX/Other.cpp": ("Target", "Analysis"),
            "passes/RingToMachine/Other.cpp": ("Passes", "Simulator"),
            "runtime/src/Launch.cpp": ("Runtime", "Dialect"),
        }
        for path, (layer, other) in cases.items():
            with self.subTest(path=path):
                self.write(path, f'// first\n#include "carousel/{other}/X.h"\n')
                self.expect_violation(f"{path}:2: layer {layer} must not include layer {other}")
                (self.root / path).unlink()

    def test_angle_brackets_and_spaces(self):
        self.write("lib/Dialect/IR/Ops.cpp", "  #  include <carousel/Passes/Passes.h>\n")
        self.expect_violation("lib/Dialect/IR/Ops.cpp:1: layer Dialect must not include layer Passes")

    def test_relative_include(self):
        self.write("lib/Dialect/IR/Ops.cpp", '#include "../../Target/PTX/Emit.cpp"\n')
        self.expect_violation("lib/Dialect/IR/Ops.cpp:1: layer Dialect must not include layer Target")

    def test_include_by_search_path(self):
        self.write("runtime/src/Fail.h", "\n")
        self.write("lib/Dialect/IR/Ops.cpp", '#include "Fail.h"\n')
        self.expect_violation("lib/Dialect/IR/Ops.cpp:1: layer Dialect must not include layer Runtime")
        self.write("lib/Dialect/IR/Ops.cpp", '#include "src/Fail.h"\n')
        self.expect_violation("lib/Dialect/IR/Ops.cpp:1: layer Dialect must not include layer Runtime")
        self.write("lib/Dialect/IR/Ops.cpp", '#include "include/Fail.h"\n')
        self.expect_clean()

    def test_private_headers(self):
        self.write("runtime/src/Fail.h", "\n")
        self.write("lib/Target/PTX/Private.h", "\n")
        for line, got in (("Fail.h", "runtime/src/Fail.h"),
                          ("../../runtime/src/Fail.h", "runtime/src/Fail.h"),
                          ("../../lib/Target/PTX/Private.h", "lib/Target/PTX/Private.h")):
            self.write("tools/carousel-run/Run.cpp", f'#include "{line}"\n')
            self.expect_violation("tools/carousel-run/Run.cpp:1: layer Tools must include public headers "
                                  f"of other layers only, got {got}")
        self.write("tools/carousel-run/Run.cpp", '#include "carousel/Runtime/Fail.h"\n')
        self.write("test/Runtime/FailTest.cpp", '#include "Fail.h"\n')
        self.expect_clean()

    def test_tools_share_by_support(self):
        self.write("tools/carousel-run/Npy.h", "\n")
        for line in ("Npy.h", "../carousel-run/Npy.h"):
            self.write("tools/carousel-sim/Sim.cpp", f'#include "{line}"\n')
            self.expect_violation(
                "tools/carousel-sim/Sim.cpp:1: tools/carousel-sim must include nothing of other tools but "
                "tools/support, got tools/carousel-run/Npy.h")
        self.write("tools/support/Table.h", "\n")
        self.write("tools/carousel-run/Run.cpp", '#include "Npy.h"\n')
        self.write("tools/carousel-sim/Sim.cpp", '#include "../support/Table.h"\n')
        self.expect_clean()

    def test_simulator_has_its_own_meaning(self):
        self.write("lib/Simulator/Compile/CloneKernel.cpp", '#include "carousel/Dialect/Transforms/InlineBodies.h"\n')
        self.write("passes/RingToMachine/Other.cpp", '#include "carousel/Dialect/Transforms/ExpandMath.h"\n')
        self.expect_clean()
        self.write("lib/Simulator/Compile/CloneKernel.cpp", '#include "carousel/Dialect/Transforms/ExpandMath.h"\n')
        self.expect_violation("lib/Simulator/Compile/CloneKernel.cpp:1: layer Simulator must have a meaning of its own "
                              "of what the passes rewrite, got include/carousel/Dialect/Transforms/ExpandMath.h")

    def test_plain_support(self):
        self.write("runtime/src/Launch.cpp", '#include "carousel/Support/Limits.h"\n')
        self.write("include/carousel/Support/Limits.h", "#include <cstdint>\n")
        self.expect_clean()
        self.write("include/carousel/Support/Limits.h", '#include "llvm/ADT/ArrayRef.h"\n')
        self.expect_violation(
            "include/carousel/Support/Limits.h:1: layer Support must not include llvm headers")

    def test_table_generator_include(self):
        self.write("include/carousel/Dialect/IR/Ops.td", 'include "carousel/Passes/Passes.td"\n')
        self.expect_violation(
            "include/carousel/Dialect/IR/Ops.td:1: layer Dialect must not include layer Passes")

    def test_reader_of_ptx_stands_alone(self):
        self.write("lib/PTX/Lexer.cpp", '#include "llvm/ADT/ArrayRef.h"\n#include "carousel/Support/Limits.h"\n')
        self.write("include/carousel/Support/Limits.h", "#include <cstdint>\n")
        self.expect_clean()
        self.write("lib/PTX/Lexer.cpp", '#include "mlir/IR/Builders.h"\n')
        self.expect_violation("lib/PTX/Lexer.cpp:1: layer PTX must not include mlir headers")
        self.write("lib/PTX/Lexer.cpp", '#include "carousel/Dialect/IR/Ops.h"\n')
        self.expect_violation("lib/PTX/Lexer.cpp:1: layer PTX must not include layer Dialect")

    def test_runtime_includes_compiler(self):
        self.write("runtime/src/Launch.cpp", '#include "llvm/ADT/ArrayRef.h"\n')
        self.expect_violation("runtime/src/Launch.cpp:1: layer Runtime must not include llvm headers")

    def test_runtime_includes_itself(self):
        self.write("runtime/include/carousel/Runtime/Launch.h", "#pragma once\n")
        self.write("runtime/src/Launch.cpp", '#include "carousel/Runtime/Launch.h"\n')
        self.expect_clean()

    def test_two_files_of_one_name(self):
        self.write("lib/Simulator/Launch/KernelImpl.h", "")
        self.write("runtime/src/Launch/KernelImpl.h", "")
        self.expect_violation("lib/Simulator/Launch/KernelImpl.h: two files must not share a name, got "
                              "runtime/src/Launch/KernelImpl.h")
        (self.root / "runtime/src/Launch/KernelImpl.h").unlink()
        for tool in ("carousel-sim", "carousel-opt"):
            self.write(f"tools/{tool}/main.cpp", "")
        self.expect_clean()

    def test_files_of_a_folder(self):
        for number in range(25):
            self.write(f"passes/Ring/Pass{number}.cpp", "")
        self.expect_clean()
        self.write("passes/Ring/Pass25.h", "")
        self.expect_violation("passes/Ring: at most 25 files a folder, got 26; split it by idea")

    def test_headers_of_a_folder(self):
        for folder, ending in (("include/carousel/Passes", "td"), ("runtime/device/carousel/device", "h")):
            for number in range(25):
                self.write(f"{folder}/File{number}.{ending}", "")
            self.expect_clean()
            self.write(f"{folder}/File25.h", "")
            self.expect_violation(f"{folder}: at most 25 files a folder, got 26; split it by idea")
            (self.root / folder / "File25.h").unlink()

    def test_folders_in_a_stage(self):
        self.write("passes/Graph/Reading/ReadGraph.h", "\n")
        self.write("passes/Graph/Groups/FormGroups.h", "\n")
        self.write("passes/Graph/Groups/FormGroups.cpp", '#include "../Reading/ReadGraph.h"\n')
        self.expect_clean()
        self.write("passes/Graph/Reading/ReadGraph.cpp", '#include "../Groups/FormGroups.h"\n')
        self.expect_violation("passes/Graph/Reading/ReadGraph.cpp:1: folder Reading must not include folder "
                              "Groups, which comes after it")
        self.write("passes/Graph/Reading/ReadGraph.cpp", "")
        self.write("passes/Block/Kernels/VerifyBlock.cpp", '#include "../../Graph/Groups/FormGroups.h"\n')
        self.expect_violation("passes/Block/Kernels/VerifyBlock.cpp:1: folder Block must not include folder "
                              "Graph, which comes after it")

    def test_folders_in_order(self):
        self.write("runtime/src/Bind/Bind.h", "\n")
        self.write("runtime/src/Launch/Launch.cpp", '#include "Bind/Bind.h"\n')
        self.expect_clean()
        for line in ("Launch/Kernel.h", "../Launch/Kernel.h"):
            self.write("runtime/src/Launch/Kernel.h", "\n")
            self.write("runtime/src/Bind/Bind.cpp", f'#include "{line}"\n')
            self.expect_violation("runtime/src/Bind/Bind.cpp:1: folder Bind must not include folder "
                                  "Launch, which comes after it")
        (self.root / "runtime/src/Bind/Bind.cpp").unlink()
        self.write("include/carousel/Analysis/Rings/RingPlan.h", "\n")
        self.write("lib/Analysis/Sync/SyncPlan.cpp", '#include "carousel/Analysis/Rings/RingPlan.h"\n')
        self.expect_violation("lib/Analysis/Sync/SyncPlan.cpp:1: folder Sync must not include folder "
                              "Rings, which comes after it")

    def test_folder_without_place_in_order(self):
        self.write("runtime/src/Bind/Bind.h", "\n")
        self.write("runtime/src/Misc/Helpers.cpp", '#include "Bind/Bind.h"\n')
        self.expect_violation("runtime/src/Misc/Helpers.cpp:1: folder Misc has no place in FOLDER_ORDER "
                              "of scripts/checks/check-layers")

    def test_folder_of_no_layer(self):
        self.write("lib/Misc/Helpers.cpp", "\n")
        self.expect_violation(
            "lib/Misc/Helpers.cpp:1: belongs to no layer; add its folder to scripts/checks/check-layers")

    def test_folder_at_the_top(self):
        self.write("driver/Driver.cpp", "\n")
        self.expect_violation("driver: belongs to no layer; add the folder to ROOTS of scripts/checks/check-layers")
        self.write("driver/CMakeCache.txt", "\n")
        self.expect_clean()

    def test_include_of_no_layer(self):
        self.write("lib/Dialect/IR/Ops.cpp", '#include "carousel/Misc/Helpers.h"\n')
        self.expect_violation("lib/Dialect/IR/Ops.cpp:1: carousel/Misc/Helpers.h belongs to no layer; "
                              "add its folder to scripts/checks/check-layers")

    def test_predicates_with_one_user(self):
        call = "bool b = linalg::isaContractionOpInterface(op);\n"
        self.write("passes/Graph/Reading/ReadConvolution.cpp", call)
        self.expect_clean()
        self.write("passes/Graph/Products/Other.cpp", call)
        self.expect_violation("passes/Graph/Products/Other.cpp:1: ask carousel::isContraction instead of "
                              "isaContractionOpInterface, which only passes/Graph/Reading/ReadConvolution.cpp calls")

    def test_file_length(self):
        self.write("tools/carousel-opt.cpp", "\n" * 1100)
        self.expect_clean()
        self.write("tools/carousel-opt.cpp", "\n" * 1101)
        self.expect_violation("tools/carousel-opt.cpp:1101: at most 1100 lines a file; split it by idea")

    def test_budget_of_a_product(self):
        self.write("lib/Analysis/Graph/Rows.cuh", "\n" * 10000)
        self.expect_clean()
        self.write("passes/Graph/Groups/Rows.cuh", "\n" * 90000)
        run = self.run_check()
        self.assertRegex(run.stderr, "product graph: expected at most [0-9]+ lines, got 100000; ")
        self.assertEqual(run.returncode, 1)

    def test_files_that_nothing_builds(self):
        self.write("CMakeLists.txt", "")
        self.write("lib/CMakeLists.txt", "Target/PTX/Emit.cpp\n")
        self.expect_violation("passes/RingToMachine/Lower.cpp: no CMake file builds it")
        self.write("passes/Passes.cmake", "RingToMachine/Lower.cpp\n")
        self.expect_clean()

    def test_root_cmake_length(self):
        self.write("lib/CMakeLists.txt", "Emit.cpp Lower.cpp")
        self.write("CMakeLists.txt", "\n" * 150)
        self.expect_clean()
        self.write("CMakeLists.txt", "\n" * 151)
        self.expect_violation("CMakeLists.txt:151: at most 150 lines at the root")


if __name__ == "__main__":
    unittest.main()
