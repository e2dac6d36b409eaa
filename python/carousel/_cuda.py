# ===- _cuda.py - finds a CUDA toolkit ------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Finds a CUDA toolkit: libdevice, which kernels with math functions need, and ptxas, which makes cubins. Finds libraries
of NVIDIA's wheels, too, which the loader doesn't look for."""

from __future__ import annotations

import functools
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

LIBDEVICE = Path("nvvm/libdevice/libdevice.10.bc")


def candidates() -> Iterator[Path]:
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            yield Path(os.environ[variable])
    # NVIDIA's wheels: carousel[cuda].
    for folder in map(Path, sys.path):
        if (folder / "nvidia").is_dir():
            yield from sorted(folder.glob("nvidia/cu[0-9]*"), reverse=True)
            yield folder / "nvidia/cuda_nvcc"
    yield Path("/usr/local/cuda")
    if program := shutil.which("ptxas"):
        yield Path(program).resolve().parent.parent


@functools.lru_cache(maxsize=None)
def find_toolkit() -> str:
    """The first that has libdevice, or ""."""
    return next((str(folder) for folder in candidates() if (folder / LIBDEVICE).is_file()), "")


def find_wheel_library(*names: str) -> str:
    """The path of a library of NVIDIA's wheels, or ""."""
    folders = [libraries for folder in map(Path, sys.path)
               for libraries in sorted(folder.glob("nvidia/cu[0-9]*/lib"), reverse=True)]
    return next((str(folder / name) for name in names for folder in folders if (folder / name).is_file()), "")
