# ===- _models.py - what was taken of a model ------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""`report`, which needs the framework of the model only when it's called."""

from __future__ import annotations

from typing import Any

from .errors import MissingPackageError


def report(model: Any = None) -> Any:
    """What became of a model that `torch.compile(model, backend="carousel")` has compiled, or of all models in this process: the
    programs with their operators, bytes and times, the operators that stay with PyTorch and why, and the kernels that take
    longest beside their bounds. A carousel.torch.Report: its `str` is for people."""
    try:
        from .torch import report as report_torch
    except ModuleNotFoundError as error:
        raise MissingPackageError(f"expected the Python package 'torch', which models are of, got none: {error}") from None
    return report_torch(model)
