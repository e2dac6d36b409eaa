# ===- __init__.py - Carousel under jax.jit -------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Functions of JAX as programs:

    step = carousel.jax.jit(jax.value_and_grad(loss))
    print(carousel.jax.report())

and kernels of Python as calls: `carousel.jax.kernel(softmax)(x)`. docs/JAX.md says what is taken, what is left to XLA, and
what the options are."""

from .._report import GraphReport, PartReport, Report, Step
from ._jit import jit
from ._kernel import kernel
from ._options import Options
from ._report import is_compiled, report, reset

__all__ = ["GraphReport", "Options", "PartReport", "Report", "Step", "is_compiled", "jit", "kernel", "report", "reset"]
