# ===- _decompositions.py - operators in terms of others ------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Decompositions of the back end, of operators that PyTorch leaves whole, or decomposes to operators that aren't taken. Each
takes as many operations as PyTorch's kernel does, up to a factor."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Callable, Optional

import torch
from torch import Tensor

aten = torch.ops.aten

# Operators that PyTorch decomposes, if asked.
OF_PYTORCH = (aten.linalg_vector_norm, aten.elu, aten.addmv, aten.tril_indices, aten.triu_indices, aten._adaptive_avg_pool2d,
              aten._batch_norm_with_update_functional, aten.grid_sampler_2d)


def choose_number(first: Tensor, second: Tensor, choose: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """A number rather than NaN."""
    return torch.where(first.isnan(), second, torch.where(second.isnan(), first, choose(first, second)))


def decompose_fmax(values: Tensor, other: Tensor) -> Tensor:
    return choose_number(values, other, torch.maximum)


def decompose_fmin(values: Tensor, other: Tensor) -> Tensor:
    return choose_number(values, other, torch.minimum)


def decompose_hypot(values: Tensor, other: Tensor) -> Tensor:
    """Without squares that overflow."""
    first, second = values.abs(), other.abs()
    large, small = torch.maximum(first, second), torch.minimum(first, second)
    ratio = torch.where(large == small, 1.0, small / large)
    result = torch.where(large == 0, large, large * torch.sqrt(1 + ratio * ratio))
    is_infinite = (first == math.inf) | (second == math.inf)
    return torch.where(is_infinite, math.inf, result).to(result.dtype)


def decompose_ldexp(values: Tensor, other: Tensor) -> Tensor:
    return torch.mul(values, torch.pow(2.0, other))


def decompose_dist(values: Tensor, other: Tensor, p: float = 2) -> Tensor:
    return torch.linalg.vector_norm(values - other, p)


def decompose_distances(values: Tensor, other: Tensor, p: float, compute_mode: Optional[int] = None) -> Tensor:
    return torch.linalg.vector_norm(values.unsqueeze(-2) - other.unsqueeze(-3), p, -1)


def decompose_angle(values: Tensor) -> Any:
    if values.is_complex():
        return NotImplemented
    wide = values if values.is_floating_point() else values.to(torch.get_default_dtype())
    return torch.where(wide.isnan(), wide, torch.where(wide < 0, math.pi, 0.0).to(wide.dtype))


def decompose_extremum(find_value: Any, find_index: Any, values: Tensor, dim: int, keepdim: bool = False) -> Any:
    if values.dtype == torch.bool or values.is_floating_point():  # whose index may be that of NaN
        return NotImplemented
    if not values.dim():
        return values.clone(), torch.zeros_like(values, dtype=torch.int64)
    return find_value(values, dim, keepdim), find_index(values, dim, keepdim)


def decompose_copy(values: Tensor, src: Tensor, non_blocking: bool = False) -> Any:
    """A tensor of its own: it may be a result beside its source."""
    if src.device != values.device or (src.is_complex() and not values.is_complex()):
        return NotImplemented
    return src.to(values.dtype).expand(values.shape).clone()


def decompose_empty_permuted(size: Any, physical_layout: Any, **options: Any) -> Tensor:
    order = list(physical_layout)
    return torch.empty([size[dim] for dim in order], **options).permute([order.index(dim) for dim in range(len(order))])


def decompose_diagonal(values: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """A slice of the elements in a row: those of a diagonal have equal distances."""
    moved = values.movedim((dim1, dim2), (-2, -1))
    rows, columns = moved.shape[-2:]
    if not all(isinstance(extent, int) for extent in values.shape):
        return NotImplemented
    count = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    first = offset if offset >= 0 else -offset * columns
    if not count:
        return moved[..., 0, :0] if rows else moved.flatten(-2)
    last = first + (count - 1) * (columns + 1)
    return moved.reshape(*moved.shape[:-2], rows * columns)[..., first:last + 1:columns + 1]


def decompose_unfold(values: Tensor, dimension: int, size: int, step: int) -> Any:
    if not values.dim() or not isinstance(values.shape[dimension], int):
        return NotImplemented
    dim = dimension % values.dim()
    count = (values.shape[dim] - size) // step + 1
    windows = torch.arange(count, device=values.device).unsqueeze(1) * step + torch.arange(size, device=values.device)
    return values.index_select(dim, windows.flatten()).unflatten(dim, (count, size)).movedim(dim + 1, -1)


def decompose_addbmm(values: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """As one product, whose depth is that of all."""
    left = batch1.transpose(0, 1).flatten(1)
    product = torch.mm(left, batch2.flatten(0, 1))
    product = product if alpha == 1 else product * alpha
    return product if beta == 0 else product + (values if beta == 1 else values * beta)


def copy_of(view: Any) -> Callable[..., Any]:
    """Of an operator that copies a view."""
    def decompose(*arguments: Any, **options: Any) -> Any:
        return torch.utils._pytree.tree_map(lambda each: each.clone(), view(*arguments, **options))

    return decompose


def decompose_convolution_gradients(gradient: Tensor, values: Tensor, weight: Tensor, bias_sizes: Any, stride: Any, padding: Any,
                                    dilation: Any, transposed: bool, output_padding: Any, groups: int, output_mask: Any) -> Any:
    """As convolutions: of the gradient, transposed, and of arguments whose batch is the depth."""
    extents, rank = (*values.shape, *weight.shape, *gradient.shape), values.dim() - 2
    if transposed or not all(isinstance(extent, int) and extent for extent in extents):
        return NotImplemented
    # torch-mlir lacks groups of volumes, and gradients of groups of one channel.
    if groups > 1 and (rank == 3 or 1 in (weight.shape[1], weight.shape[0] // groups)):
        return NotImplemented
    stride, padding, dilation = (list(each) * (rank if len(each) == 1 else 1) for each in (stride, padding, dilation))
    kernel, inner, outer = weight.shape[2:], values.shape[2:], gradient.shape[2:]
    of_values = of_weight = of_bias = None
    if output_mask[0]:
        # More padding than a kernel is wide is cut off.
        own = [min(padding[at], dilation[at] * (kernel[at] - 1)) for at in range(rank)]
        rest = [inner[at] - ((outer[at] - 1) * stride[at] - 2 * padding[at] + dilation[at] * (kernel[at] - 1) + 1)
                for at in range(rank)]
        of_values = aten.convolution(gradient, weight, None, stride, own, dilation, True, rest, groups)
        for at in range(rank):
            of_values = of_values.narrow(2 + at, padding[at] - own[at], inner[at])
    if output_mask[1]:
        left = values.unflatten(1, (groups, -1)).movedim(2, 0).transpose(1, 2).flatten(1, 2)
        of_weight = aten.convolution(left, gradient.transpose(0, 1), None, dilation, padding, stride, False, [0] * rank, groups)
        for at in range(rank):
            of_weight = of_weight.narrow(2 + at, 0, kernel[at])
        of_weight = of_weight.transpose(0, 1)
    if output_mask[2]:
        of_bias = gradient.sum([0, *range(2, 2 + rank)])
    return of_values, of_weight, of_bias


def get_decompositions() -> dict[Any, Callable[..., Any]]:
    """By the overload of an operator."""
    from torch._decomp import get_decompositions as get_own

    return {
        **get_own(list(OF_PYTORCH)),
        aten.fmax.default: decompose_fmax, aten.fmin.default: decompose_fmin, aten.hypot.default: decompose_hypot,
        aten.ldexp.Tensor: decompose_ldexp, aten.dist.default: decompose_dist, aten._cdist_forward.default: decompose_distances,
        aten.angle.default: decompose_angle, aten.max.dim: partial(decompose_extremum, torch.amax, torch.argmax),
        aten.min.dim: partial(decompose_extremum, torch.amin, torch.argmin),
        aten.copy.default: decompose_copy, aten.empty_permuted.default: decompose_empty_permuted,
        aten.diagonal.default: decompose_diagonal, aten.unfold.default: decompose_unfold, aten.addbmm.default: decompose_addbmm,
        aten.narrow_copy.default: copy_of(torch.narrow), aten.view_copy.default: copy_of(aten.view.default),
        aten.permute_copy.default: copy_of(torch.permute), aten.diagonal_copy.default: copy_of(torch.diagonal),
        aten.unfold_copy.default: copy_of(aten.unfold.default), aten.unbind_copy.int: copy_of(torch.unbind),
        aten.convolution_backward.default: decompose_convolution_gradients,
    }
