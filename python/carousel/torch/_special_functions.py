# ===- _special_functions.py - the gamma and the error function ------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Decompositions of special functions, in f64: sums of terms of other magnitudes."""

from __future__ import annotations

import math
from typing import Any, Callable

import torch
from torch import Tensor

aten = torch.ops.aten


def widen_values(values: Tensor) -> tuple[Tensor, torch.dtype]:
    dtype = values.dtype if values.is_floating_point() else torch.get_default_dtype()
    return values.double(), dtype


def decompose_erfinv(values: Tensor) -> Any:
    """Steps of Halley's method from Winitzki's approximation."""
    y, dtype = widen_values(values)
    a = 0.147
    log = torch.log((1 - y) * (1 + y))
    first = 2 / (math.pi * a) + log / 2
    x = torch.where(y < 0, -1.0, 1.0) * torch.sqrt((torch.sqrt(first * first - log / a) - first).clamp(min=0))
    for _ in range(2):
        error = (torch.erf(x) - y) / (2 / math.sqrt(math.pi) * torch.exp(-x * x))
        x = x - error / (1 + x * error)
    x = torch.where(y.abs() == 1, y * math.inf, x)
    return torch.where(y.abs() > 1, math.nan, x).to(dtype)


def find_tail(x: Tensor) -> Tensor:
    """erfc(x) exp(x^2) from 2 on, as a continued fraction."""
    far, result = torch.clamp(x, min=2), torch.zeros_like(x)
    for at in range(40, 0, -1):
        result = at / 2 / (far + result)
    return 1 / ((far + result) * math.sqrt(math.pi))


def decompose_erfc(values: Tensor) -> Any:
    x, dtype = widen_values(values)
    return torch.where(x < 2, 1 - torch.erf(x), torch.exp(-x * x) * find_tail(x)).to(dtype)


def decompose_erfcx(values: Tensor) -> Any:
    x, dtype = widen_values(values)
    return torch.where(x < 2, torch.exp(x * x) * (1 - torch.erf(x)), find_tail(x)).to(dtype)


SHIFT = 8
# Those of 1/x, 1/x^3, ... in the logarithm of the gamma function: B(2k) / (2k (2k - 1)).
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
# Those of 1/x^2, 1/x^4, ... in its derivative: B(2k) / 2k.
DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
# Those of 1/x^3, 1/x^5, ... in that one's: B(2k).
TRIGAMMA = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def sum_series(coefficients: Any, x: Tensor) -> Tensor:
    """Of powers of x, from the first on."""
    result = torch.zeros_like(x)
    for coefficient in reversed(coefficients):
        result = (result + coefficient) * x
    return result


def reflect(x: Tensor) -> tuple[Tensor, Tensor]:
    """Whether the function at 1 - x is known, and there."""
    is_low = x < 0.5
    return is_low, torch.where(is_low, 1 - x, x)


def decompose_lgamma(values: Tensor) -> Any:
    x, dtype = widen_values(values)
    is_low, y = reflect(x)
    product = torch.ones_like(y)
    for at in range(SHIFT):
        product = product * torch.where(y < SHIFT, y + at, 1.0)
    z = torch.where(y < SHIFT, y + SHIFT, y)
    own = (z - 0.5) * torch.log(z) - z + 0.5 * math.log(2 * math.pi) + sum_series(STIRLING, 1 / (z * z)) * z - torch.log(product)
    own = torch.where(y == math.inf, math.inf, own)
    sine = torch.sin(math.pi * (x - torch.floor(x))).abs()
    # A pole at each integer that isn't positive.
    reflected = torch.where(x == torch.floor(x), math.inf, math.log(math.pi) - torch.log(sine) - own)
    result = torch.where(is_low, reflected, own)
    return torch.where(x == -math.inf, math.inf, result).to(dtype)


def find_tangent(x: Tensor) -> tuple[Tensor, Tensor]:
    """The sine and the cosine of pi x, of the part behind the point."""
    part = math.pi * (x - torch.round(x))
    return torch.sin(part), torch.cos(part)


def decompose_digamma(values: Tensor) -> Any:
    x, dtype = widen_values(values)
    is_low, y = reflect(x)
    before = torch.zeros_like(y)
    for at in range(SHIFT):
        before = before + torch.where(y < SHIFT, 1 / (y + at), 0.0)
    z = torch.where(y < SHIFT, y + SHIFT, y)
    own = torch.log(z) - 0.5 / z - sum_series(DIGAMMA, 1 / (z * z)) - before
    sine, cosine = find_tangent(x)
    result = torch.where(is_low, own - math.pi * cosine / sine, own)
    result = torch.where((x < 0) & (x == torch.floor(x)), math.nan, result)
    return torch.where(x == 0, -1 / x, result).to(dtype)


def decompose_polygamma(n: int, values: Tensor) -> Any:
    if n == 0:
        return decompose_digamma(values)
    if n != 1:
        return NotImplemented
    x, dtype = widen_values(values)
    is_low, y = reflect(x)
    before = torch.zeros_like(y)
    for at in range(SHIFT):
        before = before + torch.where(y < SHIFT, 1 / ((y + at) * (y + at)), 0.0)
    z = torch.where(y < SHIFT, y + SHIFT, y)
    own = before + 1 / z + 0.5 / (z * z) + sum_series(TRIGAMMA, 1 / (z * z)) / z
    sine, _ = find_tangent(x)
    ratio = math.pi / sine
    return torch.where(is_low, ratio * ratio - own, own).to(dtype)


def get_decompositions() -> dict[Any, Callable[..., Any]]:
    """By the overload of an operator."""
    return {
        aten.erfinv.default: decompose_erfinv, aten.erfc.default: decompose_erfc, aten.special_erfcx.default: decompose_erfcx,
        aten.lgamma.default: decompose_lgamma, aten.digamma.default: decompose_digamma, aten.polygamma.default: decompose_polygamma,
    }
