# ===- _checks.py - values that callers pass -------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Checks what ctypes would convert silently: it takes the low bits of large and negative numbers."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any, Optional

from .errors import InvalidArgumentError

MOST_32, MOST_U32, MOST_64, MOST_U64 = (1 << 31) - 1, (1 << 32) - 1, (1 << 63) - 1, (1 << 64) - 1


def check_integer(value: Any, what: str, least: int, most: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what}: expected an integer, got {type(value).__name__}") from None
    if not least <= number <= most:
        raise InvalidArgumentError(f"{what}: expected {least} to {most}, got {number}")
    return number


def list_extents(value: Any) -> list[Any]:
    try:
        return [operator.index(value)]
    except TypeError:  # also of NumPy's arrays, all of which have __index__
        if isinstance(value, (str, bytes, Mapping)):
            raise
        return list(value)


def check_extents(value: Any, what: str) -> list[int]:
    """The extents of a grid, a CTA or a cluster: a number, or up to three."""
    try:
        extents = list_extents(value)
    except TypeError:
        raise TypeError(f"{what}: expected integers, got {type(value).__name__}") from None
    if len(extents) > 3:
        raise InvalidArgumentError(f"{what}: expected at most 3 extents, got {len(extents)}")
    return [check_integer(extent, what, 1, MOST_U32) for extent in extents]


def check_texts(value: Any, what: str) -> list[str]:
    """One text or several."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, (bytes, Mapping)) or not isinstance(value, Iterable):
        raise TypeError(f"{what}: expected a str or a list of them, got {type(value).__name__}")
    texts = list(value)
    for each in texts:
        if not isinstance(each, str):
            raise TypeError(f"{what}: expected a list of str, got {type(each).__name__} in it")
    return texts


def check_callback(value: Any, what: str) -> None:
    if value is not None and not callable(value):
        raise TypeError(f"{what}: expected a function, got {type(value).__name__}")


def check_path(value: Any, what: str) -> str:
    """A path as a text. Bytes are none: other messages would quote them."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{what}: expected a path, got {type(value).__name__}")
    path = os.fspath(value)
    if not isinstance(path, str):
        raise TypeError(f"{what}: expected a path of str, got one of {type(path).__name__}")
    if "\0" in path:
        raise InvalidArgumentError(f"{what}: expected a path without null characters")
    return path


def check_device(value: Optional[Any], what: str) -> Optional[int]:
    return None if value is None else check_integer(value, what, 0, MOST_32)
