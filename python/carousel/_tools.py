# ===- _tools.py - programs that the wheel has ------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""The commands carousel-run and carousel-tune of an installed wheel: the programs themselves are beside this file."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ._library import DIRECTORY_VARIABLE
from .errors import CarouselError


def find_tool(name: str) -> Path:
    """A program of the wheel, or of the build whose libraries are used."""
    libraries = os.environ.get(DIRECTORY_VARIABLE)
    folder = Path(libraries).parent / "bin" if libraries else Path(__file__).resolve().parent / "_bin"
    if not (folder / name).is_file():
        raise CarouselError(f"expected the program {name} in {folder}, got none; reinstall the package")
    return folder / name


def start(name: str) -> None:
    try:
        program = find_tool(name)
    except CarouselError as error:
        sys.exit(f"{name}: error: {error}")
    os.execv(program, [name, *sys.argv[1:]])


def run() -> None:
    """carousel-run: lists, runs, compares and times what a package has."""
    start("carousel-run")


def tune() -> None:
    """carousel-tune: measures the variants of a kernel, and stores the times in its package."""
    start("carousel-tune")
