# ===- arrays.py - files of numbers -------------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Writes and reads files of NumPy without it."""

import struct


def to_bf16(number):
    """The nearest one, even of two."""
    bits = struct.unpack("<I", struct.pack("<f", number))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def from_bf16(bits):
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def write_bf16(file, shape, numbers):
    header = f"{{'descr': '<u2', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{len(numbers)}H", *map(to_bf16, numbers)))


def read(file, code, count):
    """The last numbers of a file."""
    data = file.read_bytes()
    return list(struct.unpack(f"<{count}{code}", data[-count * struct.calcsize(code):]))
