# ===- _windows.py - gradients of convolutions and pools, and pools -------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Decompositions of operators that move windows over a tensor."""

from __future__ import annotations

import itertools
import math
from typing import Any, Callable, Optional

import torch
from torch import Tensor

from ._updates import are_known

aten = torch.ops.aten


def decompose_convolution_gradients(gradient: Tensor, values: Tensor, weight: Tensor, bias_sizes: Any, stride: Any, padding: Any,
                                    dilation: Any, transposed: bool, output_padding: Any, groups: int, output_mask: Any) -> Any:
    """As convolutions: of the gradient, transposed, and of arguments whose batch is the depth. Those of a transposed convolution are
    the convolution of the gradient, and the gradient of that one's weights."""
    extents, rank = (*values.shape, *weight.shape, *gradient.shape), values.dim() - 2
    if not all(isinstance(extent, int) and extent for extent in extents):
        return NotImplemented
    if transposed:
        own = decompose_convolution_gradients(values, gradient, weight, None, stride, padding, dilation, False, None, groups,
                                              (False, output_mask[1], False))
        if own is NotImplemented:
            return NotImplemented
        of_values = aten.convolution(gradient, weight, None, stride, padding, dilation, False, [0] * rank, groups) if output_mask[0] else None
        return of_values, own[1], gradient.sum([0, *range(2, 2 + rank)]) if output_mask[2] else None
    stride, padding, dilation = (list(each) * (rank if len(each) == 1 else 1) for each in (stride, padding, dilation))
    if groups > 1 and weight.shape[:2] == (groups, 1):
        return decompose_depthwise_gradients(gradient, values, weight, stride, padding, dilation, output_mask)
    # torch-mlir lacks groups of volumes, and gradients of groups of one channel.
    if groups > 1 and (rank == 3 or 1 in (weight.shape[1], weight.shape[0] // groups)):
        return NotImplemented
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


MOST_TAPS = 4
"""Of a depthwise convolution whose gradient of weights is a sum for each."""


def decompose_depthwise_gradients(gradient: Tensor, values: Tensor, weight: Tensor, stride: Any, padding: Any, dilation: Any,
                                  output_mask: Any) -> Any:
    """Of one channel in each group. That of values is a depthwise convolution by the weights from behind; PyTorch computes that of
    many weights, on which no other gradient waits."""
    kernel, groups, rank = weight.shape[2:], weight.shape[0], values.dim() - 2
    own = [apart * (size - 1) - around for size, apart, around in zip(kernel, dilation, padding)]
    is_known = rank < 3 and stride == [1] * rank and min(own) >= 0
    has_few = is_known and math.prod(kernel) <= MOST_TAPS
    if not is_known or not (output_mask[0] or has_few):
        return NotImplemented
    of_values = of_weight = of_bias = None
    places = [0, *range(2, 2 + rank)]
    if output_mask[0]:
        of_values = aten.convolution(gradient, weight.flip(places[1:]), None, stride, own, dilation, False, [0] * rank, groups)
    if output_mask[1] and not has_few:
        of_weight = aten.convolution_backward(gradient, values, weight, None, stride, padding, dilation, False, [0] * rank, groups,
                                              (False, True, False))[1]
    elif output_mask[1]:
        wide = torch.promote_types(values.dtype, torch.float32)
        padded = torch.constant_pad_nd(values, [around for each in reversed(padding) for around in (each, each)])
        sums = []
        for tap in itertools.product(*map(range, kernel)):
            part = padded
            for at in range(rank):
                part = part.narrow(2 + at, tap[at] * dilation[at], gradient.shape[2 + at])
            sums.append((part.to(wide) * gradient.to(wide)).sum(places))
        of_weight = torch.stack(sums, 1).reshape(weight.shape).to(weight.dtype)
    if output_mask[2]:
        of_bias = gradient.sum(places)
    return of_values, of_weight, of_bias


MOST_WINDOWS = 16
"""That an element of a pooled tensor is in."""


def decompose_pool_gradient(gradient: Tensor, values: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool,
                            indices: Tensor) -> Any:
    """Of max_pool2d: each element adds up the gradients of those windows around it whose largest element it is."""
    kernel, stride, padding, dilation = (list(each) * (2 if len(each) == 1 else 1) for each in (kernel, stride or kernel, padding, dilation))
    windows = find_windows(gradient, values, kernel, stride, padding, dilation)
    if windows is None:
        return NotImplemented
    height, width = values.shape[-2:]
    places = torch.arange(height * width, device=values.device).reshape(height, width)

    def choose(rows: Tensor, columns: Tensor) -> Tensor:
        own, largest = (each.index_select(-2, rows).index_select(-1, columns) for each in (gradient, indices))
        return torch.where(largest == places, own, torch.zeros((), dtype=own.dtype, device=own.device))

    return sum_windows(gradient, windows, choose)


Windows = list[list[tuple[Tensor, Tensor]]]
"""Along each of two dimensions, of each element: the numbers of windows around it, and whether they are some."""


def find_windows(gradient: Tensor, values: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any) -> Optional[Windows]:
    counts = [-(-((size - 1) * apart + 1) // step) for size, apart, step in zip(kernel, dilation, stride)]
    if math.prod(counts) > MOST_WINDOWS or not are_known(values, gradient):
        return None
    found: Windows = []
    for dim, count in enumerate(counts):
        places = torch.arange(values.shape[dim - 2], device=values.device) + padding[dim]
        first, most = torch.div(places, stride[dim], rounding_mode="floor"), gradient.shape[dim - 2] - 1
        found.append([((first - at).clamp(0, most), (first - at >= 0) & (first - at <= most) & (places - (first - at) * stride[dim]
                       <= (kernel[dim] - 1) * dilation[dim])) for at in range(count)])
    return found


def sum_windows(gradient: Tensor, windows: Windows, choose: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """What windows, by their rows and columns, add to each element."""
    result = torch.zeros((), dtype=torch.promote_types(gradient.dtype, torch.float32), device=gradient.device)
    for row, is_row in windows[0]:
        for column, is_column in windows[1]:
            own = choose(row, column)
            result = result + torch.where(is_row.unsqueeze(1) & is_column, own, torch.zeros((), dtype=own.dtype, device=own.device))
    return result.to(gradient.dtype)


def decompose_mean_gradient(gradient: Tensor, values: Tensor, kernel: Any, stride: Any, padding: Any, ceil_mode: bool,
                            count_include_pad: bool, divisor_override: Optional[int]) -> Any:
    """Of avg_pool2d: each element adds up its parts of the windows around it."""
    kernel, stride, padding = (list(each) * (2 if len(each) == 1 else 1) for each in (kernel, stride or kernel, padding))
    windows = find_windows(gradient, values, kernel, stride, padding, [1, 1])
    if windows is None:
        return NotImplemented
    parts = gradient.to(torch.promote_types(gradient.dtype, torch.float32))
    if divisor_override:
        parts = parts / divisor_override
    for dim in () if divisor_override else (0, 1):
        extent, around = values.shape[dim - 2], padding[dim]
        first = torch.arange(gradient.shape[dim - 2], device=values.device) * stride[dim] - around
        end = (first + kernel[dim]).clamp(max=extent + around)
        length = end - first if count_include_pad else end.clamp(max=extent) - first.clamp(min=0)
        parts = parts / length.reshape([-1, 1] if dim == 0 else [-1])
    return sum_windows(parts, windows, lambda rows, columns: parts.index_select(-2, rows).index_select(-1, columns)).to(gradient.dtype)


def decompose_adaptive_mean_gradient(gradient: Tensor, values: Tensor) -> Any:
    sizes = find_pooling(values, gradient.shape[-2:])
    if sizes is None or not are_known(gradient):
        return NotImplemented
    apart = gradient.unsqueeze(-2).unsqueeze(-1) / math.prod(sizes)
    return apart.expand(*gradient.shape[:-1], sizes[0], gradient.shape[-1], sizes[1]).reshape(values.shape)


def find_pooling(values: Tensor, wanted: Any) -> Any:
    """The sizes of windows that are equal, and don't overlap; None where they aren't."""
    extents = values.shape[values.dim() - len(wanted):]
    if not are_known(values) or any(extent % count for extent, count in zip(extents, wanted)):
        return None
    return [extent // count for extent, count in zip(extents, wanted)]


def decompose_adaptive_maximum(values: Tensor, output_size: Any) -> Any:
    sizes = find_pooling(values, output_size)
    return NotImplemented if sizes is None else aten.max_pool2d_with_indices(values, sizes, sizes)


def decompose_adaptive_mean(values: Tensor, output_size: Any) -> Any:
    sizes = find_pooling(values, output_size)
    if sizes is None:
        return NotImplemented
    divided = [extent for pair in zip(output_size, sizes) for extent in pair]
    return values.reshape(*values.shape[:values.dim() - len(sizes)], *divided).mean([-5, -3, -1])


def get_decompositions() -> dict[Any, Callable[..., Any]]:
    """By the overload of an operator."""
    return {
        aten.convolution_backward.default: decompose_convolution_gradients,
        aten.max_pool2d_with_indices_backward.default: decompose_pool_gradient,
        aten.avg_pool2d_backward.default: decompose_mean_gradient,
        aten._adaptive_avg_pool2d_backward.default: decompose_adaptive_mean_gradient,
        aten.adaptive_max_pool2d.default: decompose_adaptive_maximum, aten._adaptive_avg_pool3d.default: decompose_adaptive_mean,
    }
