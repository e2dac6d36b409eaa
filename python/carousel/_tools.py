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


def start(name: str) -> None:
    program = Path(__file__).resolve().parent / "_bin" / name
    if not program.is_file():
        sys.exit(f"{name}: error: expected the program in {program.parent}, got none; reinstall the package")
    os.execv(program, [name, *sys.argv[1:]])


def run() -> None:
    """carousel-run: lists, runs, compares and times what a package has."""
    start("carousel-run")


def tune() -> None:
    """carousel-tune: measures the variants of a kernel, and stores the times in its package."""
    start("carousel-tune")
