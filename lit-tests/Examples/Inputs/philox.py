# ===- philox.py - which elements a dropout keeps ----------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""philox.py FILE.npy ROWS COLUMNS P SEED OFFSET: whether zeros of a result in bf16 are where examples/block/dropout.mlir says.

Philox4x32-10 is checked by numbers that its authors publish (Random123, tests/kat_vectors)."""

import struct
import sys

MASK = 0xFFFFFFFF


def philox(counter, key):
    a, b, c, d = counter
    k0, k1 = key
    for _ in range(10):
        first, second = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = second >> 32 ^ b ^ k0, second & MASK, first >> 32 ^ d ^ k1, first & MASK
        k0, k1 = k0 + 0x9E3779B9 & MASK, k1 + 0xBB67AE85 & MASK
    return a, b, c, d


def check_known_answers():
    for word, answer in ((0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
                         (MASK, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD))):
        assert philox([word] * 4, [word] * 2) == answer


def is_kept(i, j, p, seed, offset):
    words = philox((j // 2, i // 16 * 8 + i % 8, offset & MASK, offset >> 32), (seed & MASK, seed >> 32))
    return words[i // 8 % 2 * 2 + j % 2] >= p * 2**32


def main():
    rows, columns = map(int, sys.argv[2:4])
    p, seed, offset = float(sys.argv[4]), int(sys.argv[5]), int(sys.argv[6])
    check_known_answers()
    with open(sys.argv[1], "rb") as file:
        numbers = struct.unpack(f"<{rows * columns}H", file.read()[-2 * rows * columns:])
    wrong = sum((number & 0x7FFF != 0) != is_kept(at // columns, at % columns, p, seed, offset)
                for at, number in enumerate(numbers))
    print(f"{wrong} of {len(numbers)} elements are wrong")
    return wrong != 0


sys.exit(main())
