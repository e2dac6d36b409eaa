# ===- __init__.py - Carousel as a back end of torch.compile -------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Carousel as a back end of torch.compile:

    model = torch.compile(model, backend="carousel")
    loss(model(x)).backward()
    print(carousel.report(model))

docs/Torch.md says what is taken, what is left to PyTorch, and what the options are. A tree without the wheel has no entry
point: there, pass `backend=carousel.torch.backend`."""

from .._report import GraphReport, PartReport, Report, RestReport, Step
from ._backend import backend
from ._operator import Operator, operator
from ._options import Options
from ._report import measure, report, reset

__all__ = ["GraphReport", "Operator", "Options", "PartReport", "Report", "RestReport", "Step", "backend", "measure", "operator", "report", "reset"]
