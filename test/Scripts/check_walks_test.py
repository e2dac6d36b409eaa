# ===- check_walks_test.py - tests of scripts/checks/check-walks ------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Puts functions into a small tree and expects the check to find those that call themselves for operands."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts/checks/check-walks"


class CheckWalks(unittest.TestCase):
    def check(self, text, path="lib/Analysis/Plan.cpp", other=""):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in ((path, text), *(((path.replace("Plan", "Other"), other),) if other else ())):
                file = Path(folder) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content, encoding="utf-8")
            return subprocess.run([sys.executable, SCRIPT, folder], text=True, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_recursions(self):
        for text in ("static bool isFixed(Value value, int depth = 0) {\n  Operation *op = value.getDefiningOp();\n"
                     "  return !op || llvm::all_of(op->getOperands(), [&](Value operand) {\n"
                     "    return isFixed(operand, depth);\n  });\n}\n",
                     "std::optional<int> Finder::find(Value value) const {\n  return findOfOp(value.getDefiningOp());\n}\n"
                     "std::optional<int> Finder::findOfOp(Operation *op) const {\n  return this->find(op->getOperand(0));\n}\n",
                     "void run(Value root) {\n  std::function<void(Value)> visit = [&](Value value) {\n"
                     "    if (auto add = value.getDefiningOp<arith::AddIOp>())\n      visit(add.getLhs());\n  };\n}\n",
                     "void run(Value root) {\n  auto visit = [&](auto &&self, Value value) -> void {\n"
                     "    if (auto add = value.getDefiningOp<arith::AddIOp>())\n      self(self, add.getLhs());\n  };\n}\n"):
            run = self.check(text)
            self.assertEqual(run.returncode, 1, text)
            self.assertIn("lib/Analysis/Plan.cpp:", run.stderr)

    def test_uses(self):
        run = self.check("bool isRead(Value value) {\n  return llvm::all_of(value.getUsers(), [](Operation *user) {\n"
                         "    return isRead(user->getResult(0));\n  });\n}\n")
        self.assertEqual(run.returncode, 1)

    def test_two_files(self):
        first = "bool isFirst(Value value) { return isOther(value.getDefiningOp()); }\n"
        other = "bool isOther(Operation *op) { return isFirst(op->getOperand(0)); }\n"
        run = self.check(first, other=other)
        self.assertEqual(run.returncode, 1)
        self.assertIn("a recursion of isFirst, isOther", run.stderr)
        # Two functions of the name: the check doesn't know which one is called.
        self.assertEqual(self.check(first + other.replace("isFirst", "isLast"), other=other).returncode, 0)

    def test_others(self):
        run = self.check("bool isFixed(Value value) {\n  return known.get(value, enters, [&](Value inner) {\n"
                         "    return isFixed(inner.getDefiningOp()->getOperand(0));\n  });\n}\n"
                         "int size(Expr expr) { return 1 + size(expr.getLhs()); }\n"
                         "bool isAdd(Value value, bool is) { return is && value.getDefiningOp<arith::AddIOp>(); }\n"
                         "bool isAdd(Value value) { return isAdd(value, true); }\n"
                         "bool isLeaf(Value value) { return !value.getDefiningOp() && other.isLeaf(value); }\n"
                         "// bool f(Value v) { return f(v.getDefiningOp()); }\n")
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_no_files(self):
        self.assertEqual(self.check("", "lib/README.md").returncode, 2)


if __name__ == "__main__":
    unittest.main()
