# ===- write_rows.py - rows that aren't finite ------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Writes a .npy file of bf16 whose rows are finite but for some, which have NaNs and infinities.

write_rows.py FILE SHAPE FIRST LAST   SHAPE: 2,3,4; rows are those of all matrices, LAST is the one behind
"""

import math
import struct
import sys

path, shape, first, last = sys.argv[1], tuple(map(int, sys.argv[2].split(","))), int(sys.argv[3]), int(sys.argv[4])
rows, columns = math.prod(shape[:-1]), shape[-1]


def value(row, column):
    if first <= row < last:
        return (math.nan, math.inf, -math.inf)[(row + column) % 3]
    return ((7 * row + 3 * column) % 17 - 8) / 8


header = repr({"descr": "<V2", "fortran_order": False, "shape": shape}).encode() + b"\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    for row in range(rows):
        for column in range(columns):
            # The upper half of an f32.
            file.write(struct.pack("<f", value(row, column))[2:])
