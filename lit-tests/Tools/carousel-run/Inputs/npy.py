# ===- npy.py - .npy files without NumPy ------------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Writes and prints .npy files with code of its own, so that a test doesn't check the tool's writer
with the tool's reader.

npy.py write FILE DESCR SHAPE [--fortran] VALUE...   SHAPE: 2,3; VALUEs in the order of the file
npy.py print FILE                                    descr, fortran_order, shape, values
"""

import ast
import struct
import sys

CODES = {
    "b1": "?", "i1": "b", "u1": "B", "V1": "B", "i2": "h", "u2": "H", "V2": "H", "f2": "e",
    "i4": "i", "u4": "I", "f4": "f", "i8": "q", "u8": "Q", "f8": "d",
}


def write(path, descr, shape, *values):
    fortran = values[:1] == ("--fortran",)
    code = CODES[descr[1:]]
    numbers = [float(v) if code in "efd" else int(v, 0) for v in values[fortran:]]
    shape = tuple(int(extent) for extent in shape.split(",") if extent)
    header = repr({"descr": descr, "fortran_order": fortran, "shape": shape}).encode() + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        file.write(struct.pack(f"<{len(numbers)}{code}", *numbers))


def show(path):
    with open(path, "rb") as file:
        assert file.read(8) == b"\x93NUMPY\x01\x00"
        (length,) = struct.unpack("<H", file.read(2))
        assert (length + 10) % 64 == 0
        header = ast.literal_eval(file.read(length).decode())
        data = file.read()
    code = CODES[header["descr"][1:]]
    values = struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)
    print(header["descr"], header["fortran_order"], header["shape"], *values)


{"write": write, "print": show}[sys.argv[1]](*sys.argv[2:])
