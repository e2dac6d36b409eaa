# ===- numbers.py - random elements of a type --------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Bits of random elements: hostile ones, small integers whose sums are exact, and fractions from [-1, 1)."""

import struct
from functools import cache

# Bits of a sign, an exponent and a fraction.
FLOATS = {"f64": (11, 52), "f32": (8, 23), "tf32": (8, 23), "f16": (5, 10), "bf16": (8, 7), "e4m3": (4, 3), "e5m2": (5, 2)}
BITS = {"f64": 64, "f32": 32, "tf32": 32, "f16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4,
        "b1": 1, "u16": 16, "s32": 32, "u32": 32, "b32": 32, "b64": 64, "u64": 64, "s64": 64, "b16": 16}


def encode(value, kind):
    """The bits of a number, rounded toward zero to the digits of a float."""
    if kind not in FLOATS:
        return value & ((1 << BITS[kind]) - 1)
    wide = struct.unpack("<Q", struct.pack("<d", value))[0]
    if kind == "f64":
        return wide
    exponent_bits, fraction_bits = FLOATS[kind]
    bias = (1 << (exponent_bits - 1)) - 1
    exponent, sign = (wide >> 52 & 0x7ff) - 1023 + bias, wide >> 63 << (exponent_bits + fraction_bits)
    if exponent <= 0:
        return sign  # as zero
    return sign | exponent << fraction_bits | wide >> (52 - fraction_bits) & ((1 << fraction_bits) - 1)


@cache
def integers(kind):
    """Small integers: e5m2 has those up to 8 only, and sums of f16 are exact up to 2048."""
    least = 0 if kind in ("u8", "u4", "b1") else -4
    return [encode(value, kind) for value in range(least, 2 if kind == "b1" else 5)]


def integer(random, kind):
    return random.choice(integers(kind))


def fraction(random, kind):
    """Any bits of integers; floats from [-1, 1)."""
    if kind not in FLOATS:
        return random.getrandbits(BITS[kind])
    return encode(random.uniform(-1, 1), kind)


def hostile(random, kind):
    """Any bits, and of floats often small integers, zeros, subnormal numbers, infinities and numbers of like exponents."""
    width = BITS[kind]
    if kind not in FLOATS:
        return random.getrandbits(width) if random.random() < 0.7 else random.choice([0, 1, -1, 1 << (width - 1),
                                                                                   (1 << (width - 1)) - 1]) & ((1 << width) - 1)
    exponent_bits, fraction_bits = FLOATS[kind]
    sign = random.getrandbits(1) << (width - 1)
    fraction_of = random.getrandbits(fraction_bits)
    choice = random.randrange(6)
    if choice == 0:
        return sign | random.getrandbits(width - 1)
    if choice == 1:
        return encode(float(random.randint(-9, 9)), kind)
    if choice == 2:
        return sign | fraction_of  # subnormal
    if choice == 3:
        return sign | random.choice([0, ((1 << exponent_bits) - 1) << fraction_bits, 1 << fraction_bits,
                                     (((1 << exponent_bits) - 1) << fraction_bits) - 1])
    return sign | ((1 << (exponent_bits - 1)) - 1 + random.randint(-2, 2)) << fraction_bits | fraction_of


def make_values(make, random, kind, count):
    if make is integer:
        return random.choices(integers(kind), k=count)
    return [make(random, kind) for _ in range(count)]


def words_of(make, random, kind, count):
    """`count` words of elements of a kind: two words for each of 64 bits."""
    width = BITS[kind]
    if make is fraction and kind not in FLOATS:
        return [random.getrandbits(32) for _ in range(count)]
    each = max(width, 32) // 32
    values = make_values(make, random, kind, -(-count // each) * max(32 // width, 1))
    if width == 64:
        return [word for value in values for word in (value & 0xffffffff, value >> 32)][:count]
    if width == 32:
        return values
    parts = 32 // width
    return [sum(value << width * i for i, value in enumerate(values[at:at + parts])) for at in range(0, len(values), parts)]
