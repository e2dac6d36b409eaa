# ===- _options.py - what callers choose ----------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Options of `carousel.jax.jit` and `carousel.jax.kernel`, and of the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable, Optional

import jax

from ..errors import InvalidArgumentError

CHIP_VARIABLE = "CAROUSEL_JAX_CHIP"
CPU = ("xla", "simulate", "compile")


@dataclass(frozen=True)
class Options:
    chip: Optional[str] = None
    """The chip to compile for, such as "sm_90a"; by default $CAROUSEL_JAX_CHIP, else that of JAX's first GPU."""
    cpu: str = "xla"
    """How calls on the CPU run: by "xla", on the simulated machine ("simulate"), or by XLA once they are compiled into the
    cache ("compile")."""
    libraries: bool = True
    """Whether programs may call cuBLASLt."""
    policy: Optional[Callable[..., Any]] = jax.checkpoint_policies.dots_with_no_batch_dims_saveable
    """What the forward pass saves for the backward pass, as for jax.checkpoint; None: all that the backward pass reads."""

    def __post_init__(self) -> None:
        if self.cpu not in CPU:
            raise InvalidArgumentError(f"cpu: expected {', '.join(CPU)}, got '{self.cpu}'")

    def find_chip(self) -> str:
        if chip := self.chip or os.environ.get(CHIP_VARIABLE):
            return chip
        try:
            capability = str(jax.devices("cuda")[0].compute_capability)
        except RuntimeError:  # JAX has no CUDA
            raise InvalidArgumentError(f"expected a chip or {CHIP_VARIABLE}, such as sm_90a, to compile without a GPU, got "
                                       "neither") from None
        major, minor = map(int, capability.split("."))
        return f"sm_{major}{minor}{'a' if major >= 9 else ''}"
