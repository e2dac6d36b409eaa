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

from . import _random, _special_functions, _updates, _windows
from ._updates import MOST_UPDATES, are_known

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
    if values.dtype == torch.bool:
        return NotImplemented
    if not values.dim():
        return values.clone(), torch.zeros_like(values, dtype=torch.int64)
    return find_value(values, dim, keepdim), find_index(values, dim, keepdim)


def decompose_copy(values: Tensor, src: Tensor, non_blocking: bool = False) -> Any:
    """A tensor of its own: it may be a result beside its source."""
    if src.is_complex() and not values.is_complex():
        return NotImplemented
    if src.dim() == 0 and src.device.type == "cpu" != values.device.type:
        return torch.where(torch.ones_like(values, dtype=torch.bool), src.to(values.dtype), values)
    if src.device != values.device:
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
    if not values.dim():
        return values.reshape(1).narrow(0, 0, size).clone()
    if not isinstance(values.shape[dimension], int):
        return NotImplemented
    dim = dimension % values.dim()
    count = (values.shape[dim] - size) // step + 1
    windows = torch.arange(count, device=values.device).unsqueeze(1) * step + torch.arange(size, device=values.device)
    return values.index_select(dim, windows.flatten()).unflatten(dim, (count, size)).movedim(dim + 1, -1)


def decompose_roll(values: Tensor, shifts: Any, dims: Any = ()) -> Any:
    """As slices, which joins them with what reads them."""
    if not all(isinstance(extent, int) for extent in values.shape):
        return NotImplemented
    if not dims:
        return decompose_roll(values.flatten(), shifts[:1], [0]).reshape(values.shape)
    result = values
    for shift, dim in zip(shifts, dims):
        extent = values.shape[dim]
        if first := shift % extent if extent else 0:
            result = torch.cat([result.narrow(dim, extent - first, first), result.narrow(dim, 0, extent - first)], dim)
    return result.clone() if result is values else result


def decompose_gather(values: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Any:
    """Of a number, which torch-mlir doesn't take."""
    return NotImplemented if values.dim() else values.expand(index.shape).clone()


def decompose_product(values: Tensor, dim: int, keepdim: bool = False, *, dtype: Optional[torch.dtype] = None) -> Any:
    """Of few elements; others are a reduction that torch-mlir lacks."""
    own = dtype or (values.dtype if values.is_floating_point() else torch.int64)
    if not values.dim():
        return values.to(own, copy=True)
    if not are_known(values) or values.shape[dim] > MOST_UPDATES:
        return NotImplemented
    wide = values.to(torch.promote_types(own, torch.float32) if own.is_floating_point else own)
    result = wide.narrow(dim, 0, 1)
    for at in range(1, values.shape[dim]):
        result = result * wide.narrow(dim, at, 1)
    return (result if keepdim else result.squeeze(dim)).to(own, copy=True)


def decompose_bucketize(values: Tensor, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Any:
    """By comparing with each of few boundaries."""
    count = boundaries.shape[0]
    if not isinstance(count, int) or not 0 < count <= 4 * MOST_UPDATES:
        return NotImplemented
    left = values.unsqueeze(-1)
    # Not a number is behind all others.
    is_behind = (boundaries > left).logical_not() if right else (boundaries >= left).logical_not()
    return is_behind.sum(-1, dtype=torch.int32).to(torch.int32 if out_int32 else torch.int64)


def decompose_addbmm(values: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """As one product, whose depth is that of all."""
    if not values.is_floating_point():
        beta, alpha = int(beta), int(alpha)
    left = batch1.transpose(0, 1).flatten(1)
    product = torch.mm(left, batch2.flatten(0, 1))
    product = product if alpha == 1 else product * alpha
    return product if beta == 0 else product + (values if beta == 1 else values * beta)


def decompose_batch_norm(values: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], running_mean: Tensor, running_var: Tensor,
                         momentum: float, eps: float) -> Any:
    """By one reciprocal root, as PyTorch's kernels for GPUs have it, and not a root and a quotient."""
    wide = torch.promote_types(values.dtype, torch.float32)

    def spread(each: Tensor) -> Tensor:
        return each.to(wide).reshape([-1] + [1] * (values.dim() - 2))

    deviation = torch.rsqrt(running_var.to(wide) + eps)
    result = (values.to(wide) - spread(running_mean)) * spread(deviation)
    result = result if weight is None else result * spread(weight)
    result = result if bias is None else result + spread(bias)
    saved = (running_mean.to(wide), deviation) if values.device.type != "cpu" else (values.new_zeros(0), values.new_zeros(0))
    return result.to(values.dtype), *saved


def decompose_strided_scatter(values: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Any:
    """Where all elements are replaced, as in gradients of pools: of a tensor of the same strides, or of a row of them all."""
    order = sorted((dim for dim, extent in enumerate(size) if extent != 1), key=lambda dim: -stride[dim])
    expected = 1
    for dim in reversed(order):
        if stride[dim] != expected:
            return NotImplemented
        expected *= size[dim]
    if expected != values.numel() or storage_offset:
        return NotImplemented
    if values.dim() == 1 and values.is_contiguous():
        return src.permute([dim for dim in range(src.dim()) if dim not in order] + order).reshape(-1).clone()
    is_same = list(size) == list(values.shape) and all(stride[dim] == values.stride(dim) for dim in order)
    return src.clone() if is_same else NotImplemented


def is_shift(values: Tensor, bits: Any) -> bool:
    """Whether a constant shift leaves bits of a signed integer."""
    dtype = values.dtype
    return isinstance(bits, int) and dtype.is_signed and not dtype.is_floating_point and 0 <= bits < 8 * values.element_size() - 1


def decompose_right_shift(values: Tensor, bits: Any) -> Any:
    if not is_shift(values, bits):
        return NotImplemented
    return aten.bitwise_right_shift.Tensor(values, torch.full((), bits, dtype=values.dtype, device=values.device))


def decompose_left_shift(values: Tensor, bits: Any) -> Any:
    return values * (1 << bits) if is_shift(values, bits) else NotImplemented


def copy_of(view: Any) -> Callable[..., Any]:
    """Of an operator that copies a view."""
    def decompose(*arguments: Any, **options: Any) -> Any:
        return torch.utils._pytree.tree_map(lambda each: each.clone(), view(*arguments, **options))

    return decompose


def decompose_weight_norm_gradient(gradient: Tensor, values: Tensor, lengths: Tensor, norms: Tensor, dim: int) -> Any:
    others = [each for each in range(values.dim()) if each != dim]
    along = (gradient * values).sum(others, keepdim=True) / norms
    return lengths / norms * (gradient - values * (along / norms)), along.to(lengths.dtype)


def get_decompositions() -> dict[Any, Callable[..., Any]]:
    """By the overload of an operator."""
    from torch._decomp import get_decompositions as get_own

    return {
        **get_own(list(OF_PYTORCH)),
        aten.fmax.default: decompose_fmax, aten.fmin.default: decompose_fmin, aten.hypot.default: decompose_hypot,
        aten.ldexp.Tensor: decompose_ldexp, aten.dist.default: decompose_dist, aten._cdist_forward.default: decompose_distances,
        aten.angle.default: decompose_angle, aten.max.dim: partial(decompose_extremum, torch.amax, torch.argmax),
        aten.min.dim: partial(decompose_extremum, torch.amin, torch.argmin),
        **dict.fromkeys((aten.__rshift__.Scalar, aten.bitwise_right_shift.Tensor_Scalar), decompose_right_shift),
        **dict.fromkeys((aten.__lshift__.Scalar, aten.bitwise_left_shift.Tensor_Scalar), decompose_left_shift),
        aten._native_batch_norm_legit_no_training.default: decompose_batch_norm,
        aten.as_strided_scatter.default: decompose_strided_scatter,
        aten.copy.default: decompose_copy, aten.empty_permuted.default: decompose_empty_permuted,
        aten.diagonal.default: decompose_diagonal, aten.unfold.default: decompose_unfold, aten.addbmm.default: decompose_addbmm,
        aten.narrow_copy.default: copy_of(torch.narrow), aten.view_copy.default: copy_of(aten.view.default),
        aten.permute_copy.default: copy_of(torch.permute), aten.diagonal_copy.default: copy_of(torch.diagonal),
        aten.unfold_copy.default: copy_of(aten.unfold.default), aten.unbind_copy.int: copy_of(torch.unbind),
        aten._weight_norm_interface_backward.default: decompose_weight_norm_gradient, aten.roll.default: decompose_roll,
        aten.gather.default: decompose_gather, aten.bucketize.Tensor: decompose_bucketize, aten.prod.dim_int: decompose_product,
        **_random.get_decompositions(), **_updates.get_decompositions(), **_special_functions.get_decompositions(), **_windows.get_decompositions(),
    }
