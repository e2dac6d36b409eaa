# ===- _symbols.py - names of extents in kernels of Python ------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Equal names in the annotations of a kernel are equal extents. MLIR has no place for that, so that calls check it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .errors import InvalidArgumentError

# By name, the arguments and dimensions that have it.
Symbols = Mapping[str, Sequence[tuple[str, int]]]


def find_symbols(source: object) -> dict[str, Symbols]:
    """Of each kernel that Python traced, by its name."""
    kernels: Sequence[Any] = source if isinstance(source, (list, tuple)) else [source]
    return {each.name: each.symbols for each in kernels if hasattr(each, "symbols") and hasattr(each, "mlir_with_places")}


def check_symbols(symbols: Symbols, extents: Mapping[str, Sequence[int]]) -> None:
    """`extents` has those of each array by its argument's name."""
    for symbol, places in symbols.items():
        known = [(name, dim, extents[name][dim]) for name, dim in places if name in extents and dim < len(extents[name])]
        for name, dim, extent in known[1:]:
            if extent != known[0][2]:
                raise InvalidArgumentError(f"{name}: expected extent {known[0][2]} in dimension {dim}, as {symbol} of "
                                           f"{known[0][0]} is, got {extent}")
