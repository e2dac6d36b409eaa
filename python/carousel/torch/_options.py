# ===- _options.py - what callers choose ---------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Options of `torch.compile(model, backend="carousel", options={...})`, and of the environment."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional

import torch

from ..errors import InvalidArgumentError

CHIP_VARIABLE = "CAROUSEL_TORCH_CHIP"
CPU = ("torch", "simulate", "compile")
REST = ("auto", "inductor", "eager")


@dataclass(frozen=True)
class Options:
    chip: Optional[str] = None
    """The chip to compile for, such as "sm_90a"; by default $CAROUSEL_TORCH_CHIP, else that of the tensors' GPU."""
    cpu: str = "torch"
    """How parts of tensors on the CPU run: by "torch", on the simulated machine ("simulate"), or by torch once they are
    compiled into the cache ("compile"). The last is also for fake tensors of a GPU on a machine without one, whose graphs may
    differ from the GPU's own."""
    rest: str = "auto"
    """Who gets what stays with PyTorch: "inductor", where it pays; PyTorch, one by one ("eager"); or Inductor on GPUs and PyTorch
    on the CPU ("auto")."""
    libraries: bool = True
    """Whether programs may call cuBLASLt."""

    @classmethod
    def read(cls, given: Optional[Mapping[str, Any]], mode: Optional[str]) -> Options:
        if mode not in (None, "default"):
            raise InvalidArgumentError(f"mode: expected none, as the back end has no modes, got '{mode}'")
        known = {field.name for field in dataclasses.fields(cls)}
        for name in given or {}:
            if name not in known:
                raise InvalidArgumentError(f"options: expected {', '.join(sorted(known))}, got '{name}'")
        options = cls(**(given or {}))
        for name, known_values in (("cpu", CPU), ("rest", REST)):
            if getattr(options, name) not in known_values:
                raise InvalidArgumentError(f"options: {name}: expected {', '.join(known_values)}, got '{getattr(options, name)}'")
        return options

    def find_chip(self, device: torch.device) -> str:
        chip = self.chip or os.environ.get(CHIP_VARIABLE)
        if chip:
            return chip
        if device.type != "cuda":
            raise InvalidArgumentError(f"expected options={{'chip': ...}} or {CHIP_VARIABLE}, such as sm_90a, to compile for tensors "
                                       f"on {device}, got neither")
        major, minor = torch.cuda.get_device_capability(device)
        return f"sm_{major}{minor}{'a' if major >= 9 else ''}"


def find_products() -> str:
    """How products of f32 may be computed, as PyTorch's own flags say (torch.set_float32_matmul_precision)."""
    own = getattr(torch.backends.cuda.matmul, "fp32_precision", "none")  # PyTorch 2.9 and later
    if own != "none":
        return "tf32" if own == "tf32" else "exact"
    return "exact" if torch.get_float32_matmul_precision() == "highest" else "tf32"
