"""attention_bounds.py DIR: offsets of sequences, and starts and stops of the rows of 410 positions, of which five see no key."""

import struct
import sys
from pathlib import Path

ROWS = 410


def write(file, numbers):
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(numbers)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{len(numbers)}i", *numbers))


folder = Path(sys.argv[1])
write(folder / "offsets.npy", [0, 0, 1, 128, 257, 260, 260, 401])
write(folder / "start.npy", [405 if row >= 405 else max(row - row % 200, row - 149) for row in range(ROWS)])
write(folder / "stop.npy", [min(row + 1, 405) for row in range(ROWS)])
