"""Writes the bytes of a CUtensorMap of 5x12 f32, without an address, with boxes of 4x4; `unknown` sets a bit that is no field."""

import struct
import sys

word = (2 - 1) << 68 | 7 << 71 | (12 * 4 // 16) << 96 | (12 - 1) << 256 | (5 - 1) << 288 | (4 - 1) << 440 | (4 - 1) << 448
word |= 4 * 4 * 4 << 512 | 16 << 576
word |= (sys.argv[2:] == ["unknown"]) << 1000
header = "{'descr': '|u1', 'fortran_order': False, 'shape': (128,), }"
header += " " * (-(len(header) + 11) % 64) + "\n"
with open(sys.argv[1], "wb") as out:
    out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + word.to_bytes(128, "little"))
