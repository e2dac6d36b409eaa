"""Writes x.npy, words of i32, and y.npy, those that begin `shift` bytes later: shift_words.py DIR WORDS SHIFT"""

import random
import struct
import sys
from pathlib import Path


def write(path, data):
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(data) // 4},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


folder, words, shift = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
data = random.Random(words).randbytes(4 * words + 16)
folder.mkdir(parents=True, exist_ok=True)
write(folder / "x.npy", data)
write(folder / "y.npy", data[shift:shift + 4 * words])
