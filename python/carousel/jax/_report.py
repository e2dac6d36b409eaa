# ===- _report.py - the report of functions of JAX ------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""The functions that were compiled, or left to XLA."""

from __future__ import annotations

import inspect
from typing import Any

from .._report import Log, Report
from ..errors import InvalidArgumentError

LOG = Log("XLA")
reset = LOG.reset
SOURCE = "_carousel_source"


def set_source(function: Any, source: Any) -> None:
    """Makes reports of the source those of the function, and of others around it that have a `__wrapped__`."""
    setattr(function, SOURCE, source)


def find_source(function: Any) -> Any:
    """None if neither `jit` nor `kernel` gave the function."""
    return getattr(inspect.unwrap(function, stop=lambda each: hasattr(each, SOURCE)), SOURCE, None)


def is_compiled(function: Any) -> bool:
    """Whether `jit` or `kernel` gave the function, or one that it wraps."""
    return find_source(function) is not None


def report(function: Any = None) -> Report:
    """What became of a function that `jit` or `kernel` gave, or of all in this process, and why not the rest."""
    if function is None:
        return Report(LOG.graphs)
    source = find_source(function)
    if source is None:
        raise InvalidArgumentError(f"expected a function of carousel.jax.jit or carousel.jax.kernel, got {type(function).__name__}")
    return Report([graph for graph in LOG.graphs if graph.source is source])
