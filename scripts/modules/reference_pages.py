# ===- reference_pages.py - pages of TableGen's definitions ----------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Makes the reference pages of the dialect and its passes with mlir-tblgen."""

import re
import subprocess
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "include"
IR = INCLUDE / "carousel/Dialect/IR"


def make_page(tblgen, file, *arguments):
    """The Markdown that mlir-tblgen makes of a file below include/carousel."""
    include = [f"-I{INCLUDE}", f"-I{Path(tblgen).resolve().parents[1] / 'include'}"]
    return subprocess.run([tblgen, *arguments, str(INCLUDE / "carousel" / file), *include],
                          check=True, capture_output=True, text=True).stdout


def make_dialect_pages(tblgen):
    """The pages of all ops, attributes and types. Files of ops that CarouselOps.td doesn't include,
    itself or by another one, have a page each."""
    pages = [make_page(tblgen, "Dialect/IR/CarouselOps.td", "-gen-dialect-doc", "-dialect=carousel")]
    included = {name for path in IR.rglob("*.td")
                for name in re.findall(r'include "carousel/Dialect/IR/([\w/]+\.td)"', path.read_text(encoding="utf-8"))}
    for path in sorted((IR / "Ops").glob("*.td")):
        if path.relative_to(IR).as_posix() not in included:
            pages.append(make_page(tblgen, path.relative_to(INCLUDE / "carousel"), "-gen-op-doc"))
    return pages
