# ===- block - kernels of the block phase in Python -------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Traces plain Python into the MLIR text of the block phase. `carousel` has all names of this package."""

from .calls import function
from .cluster import cluster_barrier, cluster_gather, cluster_rank, cluster_size
from .control import cond, device_assert, range, while_loop
from .functions import (abs, ceil, ceildiv, column, cos, deinterleave, divide, dot, erf, exp, exp2, floor, floor_divide, fma,
                        full, greater, interleave, iota, isnan, less, log, log2, mask, maximum, minimum, multiply_extended,
                        num_programs, program_id, remainder, round_tf32, rsqrt, shift_right, sigmoid, sin, sqrt, tanh,
                        where, zeros)
from .kernel import TracedKernel, kernel
from .memory import Argument, Memory, SharedTile, draw_ticket, gather, scatter, shared
from .order import accumulate, serialize, signal, wait_signal
from .scans import associative_scan
from .sorts import sort, top_k
from .trace import TraceError
from .values import Value

__all__ = [
    "Argument", "Memory", "SharedTile", "TraceError", "TracedKernel", "Value", "abs", "accumulate", "associative_scan", "ceil", "ceildiv",
    "cluster_barrier", "cluster_gather", "cluster_rank", "cluster_size", "column", "cond", "cos", "deinterleave",
    "device_assert", "divide", "dot", "draw_ticket", "erf", "exp", "exp2", "floor", "floor_divide", "fma", "full", "function",
    "gather", "greater", "interleave", "iota", "isnan", "kernel", "less", "log", "log2", "mask", "maximum", "minimum",
    "multiply_extended", "num_programs", "program_id", "range", "remainder", "round_tf32", "rsqrt", "scatter", "serialize",
    "shared", "shift_right", "sigmoid", "signal", "sin", "sort", "sqrt", "tanh", "top_k", "wait_signal", "where", "while_loop", "zeros",
]
