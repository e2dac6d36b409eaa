# ===- mlir_lexer.py - highlight MLIR on the site ----------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""A lexer of MLIR for Pygments, which has none. As a hook of MkDocs it registers itself."""

import sys
from pathlib import Path

from pygments.lexer import RegexLexer, bygroups, words
from pygments.lexers import LEXERS
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

__all__ = ["MLIRLexer"]  # Pygments reads it
ELEMENT = r"(?:[su]?i\d+|bf16|tf32|f\d+(?:E\d+M\d+\w*)?|index|none)\b"
WORD = r"[A-Za-z_][\w$]*"


class MLIRLexer(RegexLexer):
    """Values, symbols, ops with a dialect's prefix, types and attributes of MLIR's assembly format."""

    name = "MLIR"
    aliases = ["mlir"]
    filenames = ["*.mlir"]
    tokens = {
        "root": [
            (r"\s+", Whitespace),
            (r"//.*$", Comment.Single),
            (r'"(?:\\.|[^"\\\n])*"', String.Double),
            (r"%[\w$.-]+(?:[:#]\d+)?", Name.Variable),
            (r'@(?:[\w$.-]+|"[^"\n]*")', Name.Function),
            (r"\^[\w$.-]+", Name.Label),
            (r"![\w$.-]+", Keyword.Type),
            (r"#[\w$.-]+", Name.Decorator),
            # The extents of a type's shape, each with its x.
            (r"(\?|\*|\d+)(x)(?=\?|\*|\d|[A-Za-z!])", bygroups(Number.Integer, Punctuation)),
            (ELEMENT, Keyword.Type),
            (words(("memref", "tensor", "vector", "complex", "tuple"), suffix=r"(?=<)"), Keyword.Type),
            (rf"{WORD}(?:\.[\w$]+)+", Keyword),
            (words(("module", "attributes", "true", "false", "unit", "dense", "affine_map", "affine_set", "loc", "return"),
                   prefix=r"\b", suffix=r"\b"), Keyword.Reserved),
            (r"0x[\da-fA-F]+", Number.Hex),
            (r"-?\d+\.\d*(?:[eE][-+]?\d+)?", Number.Float),
            (r"-?\d+", Number.Integer),
            (WORD, Name),
            (r"->|::|[=+*/?|-]|==|>=|<=", Operator),
            (r"\.\.\.|[(){}\[\]<>,:;.!%]", Punctuation),
        ],
    }


def on_startup(**_):
    """MkDocs calls this: Pygments then finds the lexer by its name, and imports this module."""
    sys.path.insert(0, str(Path(__file__).parent))
    LEXERS["MLIRLexer"] = ("mlir_lexer", MLIRLexer.name, tuple(MLIRLexer.aliases), tuple(MLIRLexer.filenames), ())
