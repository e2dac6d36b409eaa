# ===- block - kernels of the block phase in Python -------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Traces plain Python into the MLIR text of the block phase. `carousel` has all names of this package."""

from .calls import function
from .cluster import cluster_barrier, cluster_gather, cluster_rank, cluster_size
from .control import cond, range
from .functions import (abs, ceil, ceildiv, column, cos, divide, dot, erf, exp, exp2, floor, fma, full, interleave, iota, isnan,
                        less, log, log2, mask, maximum, minimum, num_programs, program_id, round_tf32, rsqrt, sin, sqrt, tanh,
                        where, zeros)
from .kernel import TracedKernel, kernel
from .memory import Argument, Memory, SharedTile, draw_ticket, gather, scatter, shared
from .trace import TraceError
from .values import Value

__all__ = [
    "Argument", "Memory", "SharedTile", "TraceError", "TracedKernel", "Value", "abs", "ceil", "ceildiv", "cluster_barrier",
    "cluster_gather", "cluster_rank", "cluster_size", "column", "cond", "cos", "divide", "dot", "draw_ticket", "erf", "exp",
    "exp2", "floor", "fma", "full", "function", "gather", "interleave", "iota", "isnan", "kernel", "less", "log", "log2", "mask",
    "maximum", "minimum", "num_programs", "program_id", "range", "round_tf32", "rsqrt", "scatter", "shared", "sin", "sqrt",
    "tanh", "where", "zeros",
]
