# ===- carousel - compile, check and launch GPU kernels ---------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Carousel compiles kernels and graphs in MLIR for NVIDIA GPUs, checks them without one, and launches them.

    package = carousel.compile("softmax.mlir", chips="sm_90a")
    print(package.explain())
    carousel.simulate("softmax.mlir", {"x": x, "y": y}, kernel="softmax", lower=True).check()
    package.kernel("softmax")(x, y)

docs/Python.md has a quick start. Importing the package loads no library; the first call does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import (CarouselError, CompileError, DeviceError, Diagnostic, InvalidArgumentError, MissingPackageError,
                     NotFoundError, PackageError)

if TYPE_CHECKING:
    from ._compile import CompileWarning, compile, transform
    from ._models import report
    from .block import (Argument, Memory, SharedTile, TraceError, TracedKernel, Value, abs, accumulate, associative_scan, ceil, ceildiv,
                        cluster_barrier, cluster_gather, cluster_rank, cluster_size, column, cond, cos, deinterleave,
                        device_assert, divide, dot, draw_ticket, erf, exp, exp2, floor, floor_divide, fma, full, function,
                        gather, greater, interleave, iota, isnan, kernel, less, log, log2, mask, maximum, minimum,
                        multiply_extended, num_programs, program_id, range, remainder, round_tf32, rsqrt, scatter, serialize,
                        shared, shift_right, sigmoid, signal, sin, sort, sqrt, tanh, top_k, wait_signal, where, while_loop, zeros)
    from .device import Context, Kernel, Program
    from .explanation import Decision, Explanation
    from .package import Package, open
    from .simulator import Actor, Finding, Simulation, SimulationError, simulate
    from .timeline import Timeline
    from .tuner import TunedVariant, Tuning, tune

__version__: str  # of the compiler's library

# What is imported at its first use.
_PLACES = {
    "CompileWarning": "_compile", "compile": "_compile", "transform": "_compile", "report": "_models",
    "Context": "device", "Kernel": "device", "Program": "device",
    "Decision": "explanation", "Explanation": "explanation", "Package": "package", "open": "package",
    "Actor": "simulator", "Finding": "simulator", "Simulation": "simulator", "SimulationError": "simulator",
    "simulate": "simulator", "Timeline": "timeline",
    "TunedVariant": "tuner", "Tuning": "tuner", "tune": "tuner",
    **dict.fromkeys((
        "Argument", "Memory", "SharedTile", "TraceError", "TracedKernel", "Value", "abs", "accumulate", "associative_scan",
        "ceil", "ceildiv", "cluster_barrier", "cluster_gather", "cluster_rank", "cluster_size", "column", "cond", "cos", "deinterleave",
        "device_assert", "divide", "dot", "draw_ticket", "erf", "exp", "exp2", "floor", "floor_divide", "fma", "full",
        "function", "gather", "greater", "interleave", "iota", "isnan", "kernel", "less", "log", "log2", "mask", "maximum",
        "minimum", "multiply_extended", "num_programs", "program_id", "range", "remainder", "round_tf32", "rsqrt", "scatter",
        "serialize", "shared", "shift_right", "sigmoid", "signal", "sin", "sort", "sqrt", "tanh", "top_k", "wait_signal", "where", "while_loop",
        "zeros"), "block"),
}

__all__ = [
    "Actor", "Argument", "CarouselError", "CompileError", "CompileWarning", "Context", "Decision", "DeviceError", "Diagnostic",
    "Explanation", "Finding", "InvalidArgumentError", "Kernel", "Memory", "MissingPackageError", "NotFoundError", "Package",
    "PackageError", "Program", "SharedTile", "Simulation", "SimulationError", "Timeline", "TraceError", "TracedKernel",
    "TunedVariant", "Tuning", "Value", "abs", "accumulate", "associative_scan", "ceil", "ceildiv", "cluster_barrier",
    "cluster_gather", "cluster_rank", "cluster_size", "column", "compile", "cond", "cos", "deinterleave", "device_assert", "divide", "dot",
    "draw_ticket", "erf", "exp", "exp2", "floor", "floor_divide", "fma", "full", "function", "gather", "greater", "interleave",
    "iota", "isnan", "kernel", "less", "log", "log2", "mask", "maximum", "minimum", "multiply_extended", "num_programs", "open",
    "program_id", "range", "remainder", "report", "round_tf32", "rsqrt", "scatter", "serialize", "shared", "shift_right", "sigmoid",
    "signal", "simulate", "sin", "sort", "sqrt", "tanh", "top_k", "transform", "tune", "wait_signal", "where", "while_loop", "zeros",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ._compiler import decode, library

        return decode(library().carousel_compiler_release())
    if name not in _PLACES:
        known = ", ".join(each for each in __all__ if each[0].islower())
        raise AttributeError(f"module 'carousel' has no attribute '{name}'" + ("" if name[0] == "_" else f"; it has {known}"))
    import importlib

    value = getattr(importlib.import_module(f".{_PLACES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
