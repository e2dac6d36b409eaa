# ===- manifest.py - kernels of other compilers, and what they should give ---- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""What scripts/cuda/foreign-ptx runs: PTX, the kernel's parameters, its launch, its arguments and the expected results. A module
of this package has the kernels of one origin and runs by the Python that has the origin's compiler. It writes NAME.ptx,
NAME.json and the arrays of each case to a folder. Arrays are NumPy's, or Values where Python has no NumPy."""

import json
import os
import re
import shutil
import struct
import sys
import traceback
from dataclasses import dataclass, field
from pathlib import Path

# Names of element types, of .npy files, and of MLIR's types.
NPY = {"float32": "<f4", "float16": "<f2", "float64": "<f8", "bfloat16": "<u2", "int8": "|i1", "int32": "<i4", "int64": "<i8",
       "uint8": "|u1", "uint32": "<u4", "float8_e4m3fn": "|u1", "float8_e5m2": "|u1"}
MLIR = {"float32": "f32", "float16": "f16", "float64": "f64", "bfloat16": "bf16", "int8": "i8", "int32": "i32", "int64": "i64",
        "uint8": "i8", "uint32": "i32", "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2"}
CODES = {"float32": "f", "float64": "d", "int8": "b", "int32": "i", "int64": "q", "uint8": "B", "uint32": "I", "float16": "e"}
NUMBERS = {"fp32": "f32", "fp64": "f64"}


@dataclass
class NamedType:
    name: str


class Values:
    """An array of plain Python, row by row."""

    def __init__(self, dtype, shape, values):
        self.dtype, self.shape, self.values = NamedType(dtype), tuple(shape), list(values)

    def tobytes(self):
        return struct.pack(f"<{len(self.values)}{CODES[self.dtype.name]}", *self.values)


def write_npy(path, array):
    shape = ", ".join(map(str, array.shape)) + ("," if len(array.shape) == 1 else "")
    header = f"{{'descr': '{NPY[array.dtype.name]}', 'fortran_order': False, 'shape': ({shape}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + array.tobytes())


def memref(array):
    return "memref<" + "".join(f"{extent}x" for extent in array.shape) + MLIR[array.dtype.name] + ">"


@dataclass
class Argument:
    """`kind`: memory, number, map or struct. Memory has `array` before the launch, if it is read, and `want` after it."""
    kind: str
    name: str
    array: object = None
    want: object = None
    type: str = ""
    value: object = None
    box: tuple = ()
    swizzle: str = ""
    members: list = field(default_factory=list)

    def set_box(self, box, swizzle):
        """As Triton describes a map: the box, and the swizzle as the driver numbers it."""
        self.box, self.swizzle = tuple(box), ["", "b32", "b64", "b128"][swizzle]

    def describe(self):
        if self.kind == "struct":
            return f"{self.name}: {{{', '.join(member.describe() for member in self.members)}}}"
        if self.kind == "number":
            return f"{self.name}: {NUMBERS.get(self.type, self.type)}"
        if self.kind == "memory":
            return f"{self.name}: {memref(self.array)}"
        box = "x".join(map(str, self.box))
        swizzle = f", swizzle = {self.swizzle}" if self.swizzle else ""
        return (f"{self.name}_map: !carousel.tensor_map<{box}x{MLIR[self.array.dtype.name]}{swizzle}> of "
                f"{self.name}: {memref(self.array)}")

    def flatten(self):
        if self.kind != "struct":
            return [self]
        return [part for member in self.members for part in member.flatten()]


def memory(name, array):
    return Argument("memory", name, array)


def output(name, want):
    """Memory that nothing has written."""
    return Argument("memory", name, want, want, type="empty")


def updated(name, array, want):
    return Argument("memory", name, array, want)


def number(name, type_, value):
    return Argument("number", name, type=type_, value=value)


def tensor_map(name, array, box, swizzle="", expects=False):
    """A map of an array that isn't a parameter itself."""
    return Argument("map", name, array, array if expects else None, type="empty" if expects else "", box=box, swizzle=swizzle)


def struct_of(name, *members):
    return Argument("struct", name, members=list(members))


@dataclass
class Case:
    ptx: str
    kernel: str
    arguments: list
    grid: object
    block: object
    cluster: object = 1
    shared: int = 0
    rtol: float = 0
    atol: float = 0
    allowed: tuple = ()
    in_order: bool = False  # whether CTAs start in the order of their ids

    def start_in_order(self):
        self.in_order = True
        return self

    def allow(self, *findings):
        """Findings that the compiler's code has, each with its reason where this is called."""
        self.allowed = findings
        return self

    def about(self, rtol=0, atol=0):
        self.rtol, self.atol = rtol, atol
        return self

    def write(self, folder, name):
        (folder / f"{name}.ptx").write_text(self.ptx, encoding="utf-8")
        values, expected = {}, {}
        for argument in [part for whole in self.arguments for part in whole.flatten()]:
            if argument.kind == "number":
                values[argument.name] = str(argument.value)
                continue
            file = f"{name}.{argument.name}"
            shape = "x".join(map(str, argument.array.shape))
            if argument.type == "empty":
                values[argument.name] = f"empty:{shape}"
            else:
                write_npy(folder / f"{file}.npy", argument.array)
                values[argument.name] = f"{file}.npy"
            if argument.want is not None:
                write_npy(folder / f"{file}.want.npy", argument.want)
                expected[argument.name] = f"{file}.want.npy"
        described = {"kernel": self.kernel, "parameters": ", ".join(argument.describe() for argument in self.arguments),
                     "grid": as_list(self.grid), "block": as_list(self.block), "cluster": as_list(self.cluster),
                     "shared": self.shared, "arguments": values, "expected": expected, "rtol": self.rtol, "atol": self.atol,
                     "allowed": self.allowed, "in_order": self.in_order}
        (folder / f"{name}.json").write_text(json.dumps(described, indent=1) + "\n", encoding="utf-8")


def as_list(extents):
    return ",".join(map(str, extents if isinstance(extents, (tuple, list)) else (extents,)))


def find_nvcc():
    root = os.environ.get("CAROUSEL_CUDA_ROOT")
    nvcc = Path(root, "bin/nvcc") if root else shutil.which("nvcc")
    if not nvcc:
        raise RuntimeError("expected nvcc, of CAROUSEL_CUDA_ROOT or on the path, got none")
    return nvcc


CASES = {}


def add_case(name, make):
    CASES[name] = make


def case(make):
    add_case(make.__name__, make)
    return make


def main():
    """FOLDER PATTERN: writes the cases whose names match. A case that can't be made is an error, and the others go on."""
    folder, pattern = Path(sys.argv[1]), re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
    failed = False
    for name, make in CASES.items():
        if not pattern.search(name):
            continue
        try:
            make().write(folder, name)
        except Exception:  # noqa: BLE001: whatever a compiler raises
            failed = True
            print(f"{name}: not made\n{traceback.format_exc()}", file=sys.stderr)
    sys.exit(failed)
