# ===- _library.py - loads the shared libraries ---------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Finds and loads the libraries in this package. Nothing of them is visible to other libraries of the process."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from .errors import CarouselError

DIRECTORY_VARIABLE = "CAROUSEL_LIBRARY_DIR"
PREFIX = Path(__file__).resolve().parent  # has lib, bin and include


def find_library(name: str) -> Path:
    """A library of the wheel, or of the directory that the variable names: a build's lib/."""
    given = os.environ.get(DIRECTORY_VARIABLE)
    folder = Path(given) if given else PREFIX / "lib"
    path = folder / name
    if not path.is_file():
        why = f"which {DIRECTORY_VARIABLE} names" if given else "in the package; install its wheel for this platform"
        raise CarouselError(f"expected the library {name} in {folder}, {why}, got none")
    return path


def load_library(name: str, version_function: str, version: int) -> ctypes.CDLL:
    """Loads a library of at least the version that this package calls."""
    path = find_library(name)
    try:
        library = ctypes.CDLL(str(path), mode=os.RTLD_NOW | os.RTLD_LOCAL)
    except OSError as error:
        raise CarouselError(f"can't load {path}: {error}") from None
    get_version = getattr(library, version_function)
    get_version.restype = ctypes.c_uint32
    if get_version() < version:
        raise CarouselError(f"expected version {version} or later of {path}, got {get_version()}; reinstall the package")
    return library


def encode(text: str, what: str) -> bytes:
    """A text for C, which ends at a null."""
    if not isinstance(text, str):
        raise TypeError(f"{what}: expected a str, got {type(text).__name__}")
    if "\0" in text:
        raise ValueError(f"{what}: expected a text without null characters")
    return text.encode("utf-8", "surrogateescape")
