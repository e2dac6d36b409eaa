# ===- block - kernels of the block phase in Python -------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Traces plain Python into the MLIR text of the block phase. `carousel` has all names of this package."""

from .control import cond, range
from .functions import (abs, ceil, ceildiv, column, cos, divide, dot, erf, exp, exp2, floor, fma, full, iota, isnan, log, log2, mask,
                        maximum, minimum, num_programs, program_id, round_tf32, rsqrt, sin, sqrt, tanh, where, zeros)
from .kernel import Argument, TracedKernel, kernel
from .trace import TraceError
from .values import Value

__all__ = [
    "Argument", "TraceError", "TracedKernel", "Value", "abs", "ceil", "ceildiv", "column", "cond", "cos", "divide", "dot",
    "erf", "exp", "exp2", "floor", "fma", "full", "iota", "isnan", "kernel", "log", "log2", "mask", "maximum", "minimum",
    "num_programs", "program_id", "range", "round_tf32", "rsqrt", "sin", "sqrt", "tanh", "where", "zeros",
]
