# ===- math_functions.py - what math functions must give -------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Math functions, their references in f64, the bounds of docs/Accuracy.md, and the inputs of the tests.

An error is |got - exact| in units of the result's type at the exact value. A unit is the distance of neighbours in the
binade of the exact value, and of subnormals below it. Infinity counts as the power of two that is too large."""

import math
import struct
from array import array
from dataclasses import dataclass

KERNEL = """\
#gl = #gpu.address_space<global>
!values = memref<?xTYPE, #gl>
gpu.module @math {{
{kernels}}}
"""
# Each program has a vector; the last one is ragged.
FUNCTION = """\
  gpu.func @{name}_TYPE(
      %x: !values {{carousel.argument = #carousel.argument<"x", in>}},
      %y: !values {{carousel.argument = #carousel.argument<"y", out>}}) kernel attributes {{
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 1024)]>}} {{
    %width = arith.constant 1024 : index
    %pad = arith.constant 1.0 : TYPE
    %block = gpu.block_id x
    %first = arith.muli %block, %width : index
    %v = vector.transfer_read %x[%first], %pad : !values, vector<1024xTYPE>
    %r = math.{name} %v : vector<1024xTYPE>
    vector.transfer_write %r, %y[%first] : vector<1024xTYPE>, !values
    gpu.return
  }}
"""


# ===- Types ------------------------------------------------------------------===#

@dataclass(frozen=True)
class Format:
    """A type of floats; `precision` counts the hidden bit."""
    name: str
    bits: int
    precision: int
    least: int     # exponent of the smallest normal number
    largest: int   # of the largest

    def unit(self, exact):
        """The distance of neighbours at a finite number."""
        exponent = math.frexp(exact)[1] - 1 if exact else self.least
        return math.ldexp(1.0, min(max(exponent, self.least), self.largest) - self.precision + 1)

    def decode(self, bits):
        """The numbers of an array of bits."""
        if self.name == "f16":
            return struct.unpack(f"<{len(bits)}e", bits.tobytes())
        words = array("I", (b << 16 for b in bits)) if self.name == "bf16" else bits
        return struct.unpack(f"<{len(words)}f", words.tobytes())

    def make_inputs(self):
        """All values of 16 bits; of f32 each sign and exponent with 256 mantissas."""
        if self.bits == 16:
            return array("H", range(1 << 16))
        mantissas = [0, 1, 2, 3, 0x3FFFFF, 0x400000, 0x7FFFFE, 0x7FFFFF]
        mantissas += [(i * 0x9E3779B1 >> 7) % (1 << 23) for i in range(248)]
        return array("I", (high << 23 | mantissa for high in range(1 << 9) for mantissa in mantissas))


FORMATS = {"f16": Format("f16", 16, 11, -14, 15), "bf16": Format("bf16", 16, 8, -126, 127),
           "f32": Format("f32", 32, 24, -126, 127)}


# ===- Functions --------------------------------------------------------------===#

def guard(function, poles=None):
    """C's values where Python raises."""
    def call(x):
        if math.isnan(x):
            return math.nan
        if poles and x in poles:
            return poles[x]
        try:
            return function(x)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan
    return call


def reciprocal_root(x):
    return math.copysign(math.inf, x) if x == 0 else 1 / math.sqrt(x)


@dataclass(frozen=True)
class Function:
    name: str
    reference: object
    device: float  # the bound in units of f32 on a GPU, with the rounding
    host: float    # and on the simulated machine

    def bound(self, type_name, target):
        """Of 16-bit types, the result in f32 is rounded once more."""
        wide = self.host if target == "simulator" else self.device
        if type_name == "f32":
            return wide
        return 0.5 + wide * 2.0 ** (FORMATS[type_name].precision - FORMATS["f32"].precision)


LEAST = -math.inf
# The maximum difference from the rounded result that the CUDA C++ Programming Guide and glibc's manual state, and half
# a unit.
FUNCTIONS = [
    Function("cos", guard(math.cos), 2.5, 1.5),
    Function("erf", guard(math.erf), 2.5, 1.5),
    Function("exp", guard(math.exp), 2.5, 1.5),
    Function("exp2", guard(lambda x: math.pow(2.0, x)), 2.5, 1.5),
    Function("expm1", guard(math.expm1), 1.5, 1.5),
    Function("log", guard(math.log, {0.0: LEAST}), 1.5, 1.5),
    Function("log10", guard(math.log10, {0.0: LEAST}), 2.5, 2.5),
    Function("log1p", guard(math.log1p, {-1.0: LEAST}), 1.5, 1.5),
    Function("log2", guard(math.log2, {0.0: LEAST}), 1.5, 1.5),
    Function("rsqrt", guard(reciprocal_root), 2.5, 1.5),
    Function("sin", guard(math.sin), 2.5, 1.5),
    Function("sqrt", guard(math.sqrt), 0.5, 0.5),
    Function("tanh", guard(math.tanh), 2.5, 2.5),
]


def make_kernels(type_name):
    """A module with a kernel @FUNCTION_TYPE for each function, at the block phase."""
    kernels = "\n".join(FUNCTION.format(name=function.name) for function in FUNCTIONS)
    return KERNEL.format(kernels=kernels).replace("TYPE", type_name)


# ===- Comparison -------------------------------------------------------------===#

def measure(form, got, exact):
    """The error in units; infinite if the kind of the number or a zero's sign is wrong."""
    if math.isnan(got) or math.isnan(exact):
        return 0.0 if math.isnan(got) and math.isnan(exact) else math.inf
    if math.isinf(exact) and got == exact:
        return 0.0
    if got == 0 and math.copysign(1, got) != math.copysign(1, exact):
        return math.inf
    too_large = math.ldexp(1.0, form.largest + 1)
    got, exact = (math.copysign(min(abs(v), too_large), v) for v in (got, exact))
    return abs(got - exact) / form.unit(exact)


def find_worst(function, form, inputs, outputs):
    """(error, bits of the input, output) with the largest error."""
    worst = (-1.0, 0, 0.0)
    for bits, x, got in zip(inputs, form.decode(inputs), form.decode(outputs)):
        error = measure(form, got, function.reference(x))
        if error > worst[0]:
            worst = (error, bits, got)
    return worst


def check(function, form, target, inputs, outputs):
    """Prints a line; returns whether the bound holds."""
    error, bits, got = find_worst(function, form, inputs, outputs)
    bound = function.bound(form.name, target)
    line = f"{function.name} {form.name}: {error:.6f} ulp at 0x{bits:0{form.bits // 4}x}, bound {bound:.6f}"
    if error <= bound:
        print(line, flush=True)
        return True
    (x,) = form.decode(array(inputs.typecode, [bits]))
    print(f"{line}: error: expected {function.name}({x!r}) to be {function.reference(x)!r}, got {got!r}", flush=True)
    return False


# ===- Files ------------------------------------------------------------------===#

DESCRIPTIONS = {"f16": "<f2", "bf16": "<u2", "f32": "<f4"}


def write_npy(path, form, bits):
    header = f"{{'descr': '{DESCRIPTIONS[form.name]}', 'fortran_order': False, 'shape': ({len(bits)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bits.tobytes())


def read_npy(path, form):
    data = path.read_bytes()
    size = struct.unpack_from("<H", data, 8)[0]
    return array("H" if form.bits == 16 else "I", data[10 + size:])
