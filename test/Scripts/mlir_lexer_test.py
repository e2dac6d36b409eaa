# ===- mlir_lexer_test.py - tests of the site's lexer of MLIR -------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Expects Pygments to find the lexer by its name, and the lexer to know each character of the examples."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts/modules"))

try:
    from pygments.lexers import get_lexer_by_name
    from pygments.token import Error

    import mlir_lexer
except ImportError:
    mlir_lexer = None


@unittest.skipIf(mlir_lexer is None, "no Pygments, which comes with what builds the site")
class MLIRLexer(unittest.TestCase):
    def setUp(self):
        mlir_lexer.on_startup(command="build", dirty=False)
        self.lexer = get_lexer_by_name("mlir")

    def test_kinds(self):
        text = "%v = memref.load %x[%i] : memref<?x4xf32, #gl> // first"
        kinds = {word: str(kind).removeprefix("Token.") for kind, word in self.lexer.get_tokens(text)}
        self.assertEqual({word: kinds[word] for word in ("%v", "memref.load", "memref", "4", "f32", "#gl", "// first")},
                         {"%v": "Name.Variable", "memref.load": "Keyword", "memref": "Keyword.Type",
                          "4": "Literal.Number.Integer", "f32": "Keyword.Type", "#gl": "Name.Decorator",
                          "// first": "Comment.Single"})

    def test_examples(self):
        files = sorted((ROOT / "examples").rglob("*.mlir"))
        self.assertGreater(len(files), 50)
        for file in files:
            unknown = [word for kind, word in self.lexer.get_tokens(file.read_text(encoding="utf-8")) if kind is Error]
            self.assertEqual(unknown, [], file.name)


if __name__ == "__main__":
    unittest.main()
