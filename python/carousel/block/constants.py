# ===- constants.py - numbers as MLIR reads them ----------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Spells numbers. What decimals can't spell exactly is spelt by its bits."""

from __future__ import annotations

import struct

from .._numbers import INTEGERS, Number

FORMATS = {"f64": ("Q", "d", 16), "f32": ("I", "f", 8), "f16": ("H", "e", 4)}
NARROW = {"f8E5M2": (0x7C, 0x7E), "f8E4M3FN": (0x7F, 0x7F)}  # infinity, which the second doesn't have, and NaN


def spell_number(value: Number, element: str) -> str:
    """A number that the type can hold."""
    if element == "i1":
        return "true" if value else "false"
    if element in INTEGERS:
        return str(int(value))
    if value == value and value not in (float("inf"), float("-inf")):
        text = repr(float(value))
        return text.replace("e", ".0e") if "e" in text and "." not in text else text
    if element in NARROW:
        return f"0x{NARROW[element][value != value] | (0x80 if value < 0 else 0):02X}"
    integers, floats, digits = FORMATS["f32" if element == "bf16" else element]
    bits = struct.unpack("=" + integers, struct.pack("=" + floats, value))[0]
    return f"0x{bits >> 16:04X}" if element == "bf16" else f"0x{bits:0{digits}X}"
