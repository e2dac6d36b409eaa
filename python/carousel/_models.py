# ===- _models.py - what was taken of a model ------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""`report`, which needs the framework of the model only when it's called."""

from __future__ import annotations

import sys
from typing import Any

from .errors import MissingPackageError


def report(model: Any = None) -> Any:
    """What became of a model that `torch.compile(model, backend="carousel")` has compiled, of a function of `carousel.jax`, or of
    all of both in this process: the programs with their operators, bytes and times, the operators that stay with PyTorch or XLA
    and why, and the kernels that take longest beside their bounds. A carousel.torch.Report, or carousel.jax.Report, which is the
    same class: its `str` is for people."""
    ends = [end for end in map(sys.modules.get, ("carousel.torch", "carousel.jax")) if end is not None]
    if model is None and ends:
        from ._report import Report

        return Report([graph for end in ends for graph in end.report().graphs])
    jax = sys.modules.get("carousel.jax")
    if jax is not None and jax.is_compiled(model):
        return jax.report(model)
    try:
        from .torch import report as report_torch
    except ModuleNotFoundError as error:
        raise MissingPackageError(f"expected the Python package 'torch', which models are of, got none: {error}") from None
    return report_torch(model)
