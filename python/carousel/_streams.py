# ===- _streams.py - streams of other packages ------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Finds the stream that a launch goes into."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Optional

from ._checks import MOST_U64, check_integer
from .errors import InvalidArgumentError


def check_address(stream: Optional[int]) -> Optional[int]:
    """None is the default stream."""
    return check_integer(stream, "stream", 0, MOST_U64) or None if stream is not None else None


def find_stream(stream: object) -> Optional[int]:
    """The address of a stream of another package, or a number."""
    if stream is None or isinstance(stream, int):
        return check_address(stream)
    for attribute in ("cuda_stream", "ptr", "handle"):  # PyTorch, CuPy, Numba and cuda.core
        value = getattr(stream, attribute, None)
        value = getattr(value, "value", value)
        if isinstance(value, int):
            return check_address(value)
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return check_address((protocol() if callable(protocol) else protocol)[1])
    raise InvalidArgumentError("stream: expected a stream of PyTorch, CuPy or Numba, or its address, got "
                               f"{type(stream).__name__}")


def find_torch_stream(torch: Any, device: int) -> Optional[int]:
    # What PyTorch's own generated code calls, as torch.cuda.current_stream makes an object first.
    get_address = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    if get_address is None:
        return torch.cuda.current_stream(device).cuda_stream or None
    return get_address(device) or None


def find_current_stream(values: Sequence[object], device: int) -> Optional[int]:
    """That of the package that the first array is of, or on which the array was written; else the default stream."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    for value in values:
        if torch is not None and isinstance(value, torch.Tensor):
            return find_torch_stream(torch, device)
        if cupy is not None and isinstance(value, cupy.ndarray):
            return check_address(cupy.cuda.get_current_stream().ptr)
        interface = getattr(value, "__cuda_array_interface__", None)
        if interface is not None:
            return check_address(interface.get("stream"))
    return None
