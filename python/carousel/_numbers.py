# ===- _numbers.py - numbers of Python and of other packages ---------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""What types of MLIR can hold. Python's numbers have no type of theirs, and are rounded. Scalars of NumPy and others have
one: they are numbers of another type only where this holds them exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Optional, Union

from .errors import InvalidArgumentError

Number = Union[bool, int, float]
INTEGERS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


@dataclass(frozen=True)
class Format:
    """A type of floats: its bits, those of its significands, the exponent of its least number, and its largest number."""

    bits: int
    precision: int
    least: int
    most: float
    has_infinity: bool = True

    @property
    def limit(self) -> float:
        """From here on, numbers are rounded to what the type doesn't have."""
        return self.most + math.ldexp(1.0, math.frexp(self.most)[1] - self.precision - 1)


FLOATS = {
    "f64": Format(64, 53, -1074, math.ldexp(2 - 2**-52, 1023)), "f32": Format(32, 24, -149, math.ldexp(2 - 2**-23, 127)),
    "f16": Format(16, 11, -24, 65504.0), "bf16": Format(16, 8, -133, math.ldexp(2 - 2**-7, 127)),
    "f8E4M3FN": Format(8, 4, -9, 448.0, has_infinity=False), "f8E5M2": Format(8, 3, -16, 57344.0),
}


@dataclass(frozen=True)
class Scalar:
    """A number, and the name of the type that another package has given it."""

    number: Number
    type: str = ""


def read_scalar(value: Any) -> Optional[Scalar]:
    """A number of Python, or of a package whose scalars and arrays without dimensions have an `item`. None: it is none."""
    if type(value) in (int, float, bool):
        return Scalar(value)
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        return Scalar(value) if isinstance(value, (int, float)) else None
    if not hasattr(value, "item") or tuple(getattr(value, "shape", (1,))) != () or getattr(dtype, "kind", "f") in "mMcOSU":
        return None
    number = value.item()
    return Scalar(number, str(dtype)) if isinstance(number, (bool, int, float)) else None


def is_array(value: object) -> bool:
    """Whether it may be an array without dimensions, which has a place for its number, and no scalar."""
    return hasattr(value, "__setitem__")


def holds(element: str, number: Number) -> bool:
    """Whether the type has this number, exactly."""
    format = FLOATS[element]
    if math.isinf(number) or number != number:
        return format.has_infinity or number != number
    numerator, denominator = number.as_integer_ratio()
    if numerator == 0:
        return True
    zeros = (numerator & -numerator).bit_length() - 1
    lowest = zeros - (denominator.bit_length() - 1)
    return abs(number) <= format.most and abs(numerator).bit_length() - zeros <= format.precision and lowest >= format.least


def check_number(scalar: Scalar, element: str, what: str, error: type[InvalidArgumentError] = InvalidArgumentError) -> Number:
    """The number, if the type can hold it: rounded if it is a float of Python."""
    number, prefix = scalar.number, what + ": " if what else ""
    if element in INTEGERS:
        if not isinstance(number, int):
            raise error(f"{prefix}expected an integer for {element}, got {scalar.type or type(number).__name__} {number}")
        bits = INTEGERS[element]
        if not (-(1 << (bits - 1)) if bits > 1 else 0) <= number < 1 << bits:
            raise error(f"{prefix}expected a number that {element} can hold, got {number}")
        return number
    format = FLOATS.get(element)
    if format is None:
        raise error(f"{prefix}expected a scalar of another type than {element}, which Python has no numbers for")
    try:
        size = abs(float(number))
    except OverflowError:
        bits = int(number).bit_length()
        raise error(f"{prefix}expected a number that {element} can hold, got an integer of {bits} bits") from None
    if size >= format.limit and (not math.isinf(size) or not format.has_infinity):
        raise error(f"{prefix}expected a number that {element} can hold, got {number}")
    if scalar.type and not holds(element, number):
        raise error(f"{prefix}expected a number that {element} holds exactly, got the {scalar.type} {number}; convert it with "
                    f"{'float' if isinstance(number, float) else 'int'}() to round it")
    return number


def round_once(number: Number, element: str) -> float:
    """The nearest number of a type of floats, by ties to even. Python's conversions of integers, and those of other floats to
    bf16, go by a type between, and round twice."""
    if isinstance(number, float) and (element != "bf16" or not math.isfinite(number)):
        return number
    format = FLOATS.get(element)
    if not number or format is None:
        return float(number)
    exact = Fraction(number)
    exponent = abs(exact.numerator).bit_length() - exact.denominator.bit_length()
    if abs(exact) < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - format.precision + 1, format.least)
    return float(round(exact / unit) * unit)


def count_of(number: int, noun: str) -> str:
    """A number of things as text: "1 finding"."""
    return f"{number} {noun}{'s' * (number != 1)}"
