# ===- _tools.py - programs that the wheel has ------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""The commands of an installed wheel, carousel-opt and so on: the programs themselves are in this package's bin."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from ._cuda import find_toolkit, find_wheel_library
from ._library import DIRECTORY_VARIABLE, PREFIX
from .errors import CarouselError

TOOLKIT_OPTION = "--cuda-root"


def find_tool(name: str) -> Path:
    """A program of the wheel, or of the build whose libraries are used."""
    libraries = os.environ.get(DIRECTORY_VARIABLE)
    folder = Path(libraries).parent / "bin" if libraries else PREFIX / "bin"
    if not (folder / name).is_file():
        raise CarouselError(f"expected the program {name} in {folder}, got none; reinstall the package")
    return folder / name


def make_environment() -> dict[str, str]:
    """With NVRTC of NVIDIA's wheels, for kernels in CUDA C++."""
    environment = dict(os.environ)
    if library := find_wheel_library("libnvrtc.so.13", "libnvrtc.so.12"):
        folders = [environment.get("LD_LIBRARY_PATH", ""), str(Path(library).parent)]
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, folders))
    return environment


def start(name: str, arguments: Sequence[str]) -> NoReturn:
    """Becomes the program. carousel-compile gets the toolkit that is found, unless the arguments name one."""
    given = list(arguments)
    try:
        program = find_tool(name)
    except CarouselError as error:
        sys.exit(f"{name}: error: {error}")
    is_named = any(each.lstrip("-").split("=")[0] == TOOLKIT_OPTION.lstrip("-") for each in given if each.startswith("-"))
    if name == "carousel-compile" and not is_named and (toolkit := find_toolkit()):
        given.insert(0, f"{TOOLKIT_OPTION}={toolkit}")
    try:
        os.execve(program, [name, *given], make_environment())
    except OSError as error:
        sys.exit(f"{name}: error: can't run {program}: {error.strerror}")


def opt() -> None:
    """carousel-opt: runs passes."""
    start("carousel-opt", sys.argv[1:])


def compile() -> None:  # noqa: A001 - the command's name
    """carousel-compile: makes packages."""
    start("carousel-compile", sys.argv[1:])


def simulate() -> None:
    """carousel-sim: runs kernels on the simulated machine."""
    start("carousel-sim", sys.argv[1:])


def mutate() -> None:
    """carousel-mutate: makes mutants of kernels."""
    start("carousel-mutate", sys.argv[1:])


def run() -> None:
    """carousel-run: lists, runs, compares and times what a package has."""
    start("carousel-run", sys.argv[1:])


def tune() -> None:
    """carousel-tune: measures the variants of a kernel, and stores the times in its package."""
    start("carousel-tune", sys.argv[1:])
