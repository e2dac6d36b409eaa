# ===- rows.py - a row of numbers for each GPU ------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
#
# Usage: rows.py PREFIX GPUS WORDS
#
# Writes PREFIX.0.npy, PREFIX.1.npy and so on, each with other numbers of 32 bits; to PREFIX.all.npy
# all of these as rows; and to PREFIX.sum.npy their sum, which wraps around.
#
# ===------------------------------------------------------------------------===#

import random
import struct
import sys


def write(path, shape, values):
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (117 - len(header)) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}I", *values))


prefix, gpus, words = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
generator = random.Random(gpus * 65536 + words)
rows = [[generator.getrandbits(32) for _ in range(words)] for _ in range(gpus)]
for gpu, row in enumerate(rows):
    write(f"{prefix}.{gpu}.npy", (words,), row)
write(f"{prefix}.all.npy", (gpus, words), sum(rows, []))
write(f"{prefix}.sum.npy", (words,), [sum(column) % 2**32 for column in zip(*rows)])
