"""Writes a text of hexadecimal bf16 as a .npy file of their bits: as_npy.py TEXT NPY EXTENT..."""
import struct
import sys

text, npy, *extents = sys.argv[1:]
with open(text, encoding="utf-8") as stream:
    words = [word for line in stream if not line.startswith("#") for word in line.split()]
header = f"{{'descr': '<u2', 'fortran_order': False, 'shape': ({', '.join(extents)},)}}".ljust(117) + "\n"
with open(npy, "wb") as stream:
    stream.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    stream.write(struct.pack(f"<{len(words)}H", *(int(word, 16) for word in words)))
