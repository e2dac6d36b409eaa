# ===- _updates.py - scatters of few elements ------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Decompositions of operators that change few elements of a tensor, such as scatters: a choice between the elements and the
updates, while the tensor is written. Where one row of an argument changes, it is written in place (docs/GraphPhase.md)."""

from __future__ import annotations

import math
from typing import Any, Callable, Optional

import torch
from torch import Tensor

aten = torch.ops.aten

MOST_UPDATES = 16
"""Of one element, each of which is compared with its place while the tensor is written. PyTorch's kernels do less for more."""
Updates = list[tuple[Tensor, Tensor]]
"""Which elements each one is for, and what it is, of extents that broadcast to the tensor's."""


def are_known(*tensors: Any) -> bool:
    return all(isinstance(extent, int) and extent for each in tensors if isinstance(each, Tensor) for extent in each.shape)


def compare_places(values: Tensor, dim: int, index: Tensor) -> Tensor:
    places = torch.arange(values.shape[dim], device=values.device).reshape([-1] + [1] * (values.dim() - 1 - dim))
    return places == torch.where(index < 0, index + values.shape[dim], index)


def find_updates(values: Tensor, dim: int, index: Tensor, source: Any) -> Optional[Updates]:
    """Along a dimension: the index has the tensor's rank. None if the updates are many, or extents aren't known."""
    if not values.dim() or values.dim() != index.dim() or not are_known(values, index, source):
        return None
    dim %= values.dim()
    others = [extent for at, extent in enumerate(values.shape) if at != dim]
    if others != [extent for at, extent in enumerate(index.shape) if at != dim] or index.shape[dim] > MOST_UPDATES:
        return None
    # The source may have more elements than the index.
    for at, extent in enumerate(index.shape if isinstance(source, Tensor) else ()):
        source = source.narrow(at, 0, extent)
    source = source if isinstance(source, Tensor) else torch.full((), source, dtype=values.dtype, device=values.device).expand(index.shape)
    return [(compare_places(values, dim, index.narrow(dim, at, 1)), source.narrow(dim, at, 1)) for at in range(index.shape[dim])]


def find_row_updates(values: Tensor, dim: int, index: Tensor, source: Any) -> Optional[Updates]:
    """Of all elements at a place of a dimension."""
    if not values.dim() or index.dim() > 1 or index.numel() > MOST_UPDATES or not are_known(values, index, source):
        return None
    dim %= values.dim()
    index = index.reshape(-1)
    if not isinstance(source, Tensor) or not source.dim():
        value = source if isinstance(source, Tensor) else torch.full((), source, dtype=values.dtype, device=values.device)
        return [(compare_places(values, dim, index[at]), value) for at in range(index.shape[0])]
    return [(compare_places(values, dim, index[at]), source.narrow(dim, at, 1)) for at in range(index.shape[0])]


def find_put_updates(values: Tensor, indices: Any, source: Tensor) -> Optional[Updates]:
    """By indices of dimensions that are neighbours."""
    dims = [dim for dim, index in enumerate(indices) if index is not None]
    if not dims or not are_known(values, source, *(indices[dim] for dim in dims)) or dims != list(range(dims[0], dims[-1] + 1)):
        return None
    if len(dims) == 1 and indices[dims[0]].dtype == torch.bool:
        mask = indices[dims[0]]
        return [(mask.reshape([*mask.shape, *[1] * (values.dim() - dims[0] - mask.dim())]), source)] if source.numel() == 1 else None
    own = [indices[dim] for dim in dims]
    if any(each.dtype not in (torch.int64, torch.int32) for each in own):
        return None
    own = list(torch.broadcast_tensors(*own))
    count, rank = own[0].numel(), own[0].dim()
    if count > MOST_UPDATES:
        return None
    behind = values.shape[dims[-1] + 1:]
    source = source.expand([*values.shape[:dims[0]], *own[0].shape, *behind])
    if rank != 1:
        source = source.reshape([*values.shape[:dims[0]], count, *behind])
    updates = []
    for at in range(count):
        is_own = torch.ones((), dtype=torch.bool, device=values.device)
        for dim, index in zip(dims, own):
            is_own = is_own & compare_places(values, dim, index.reshape(-1)[at])
        value = source.narrow(dims[0], at, 1)
        updates.append((is_own, value.reshape([*values.shape[:dims[0]], *[1] * len(dims), *behind])))
    return updates


COMBINATIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "set": lambda _, update: update, "sum": torch.add, "mean": torch.add, "prod": torch.mul, "amax": torch.maximum, "amin": torch.minimum}


def apply_updates(values: Tensor, updates: Optional[Updates], reduce: str = "set", include_self: bool = True) -> Any:
    """The last one wins, or all are combined, in f32 where they add or multiply."""
    if updates is None or (reduce == "mean" and not values.is_floating_point()):
        return NotImplemented
    is_wide = values.is_floating_point() and reduce in ("sum", "mean", "prod")
    wide = torch.promote_types(values.dtype, torch.float32) if is_wide else values.dtype
    result, count = values.to(wide), torch.full((), int(include_self), dtype=torch.int32, device=values.device)
    for is_own, update in updates:
        update = update.to(wide)
        combined = COMBINATIONS[reduce](result, update)
        if not include_self:
            combined = torch.where(count == 0, update, combined)
        result = torch.where(is_own, combined, result)
        if not include_self or reduce == "mean":
            count = torch.where(is_own, count + 1, count)
    if reduce == "mean":
        result = result / torch.clamp(count, min=1)
    return result.to(values.dtype)


def update_by(find: Callable[..., Optional[Updates]], reduce: str = "set") -> Callable[..., Any]:
    """An operator of a tensor, a dimension, an index and a source."""
    def decompose(values: Tensor, dim: int, index: Tensor, src: Any, reduce: str = reduce, *, include_self: bool = True, alpha: Any = 1) -> Any:
        reduce = {"add": "sum", "multiply": "prod"}.get(reduce, reduce)
        src = src if alpha == 1 else src * alpha
        if values.dim():
            return apply_updates(values, find(values, dim, index, src), reduce, include_self)
        src = src.reshape(-1) if isinstance(src, Tensor) else src
        result = apply_updates(values.reshape(1), find(values.reshape(1), 0, index.reshape(-1), src), reduce, include_self)
        return result if result is NotImplemented else result.reshape(())

    return decompose


def decompose_put(values: Tensor, indices: Any, source: Tensor, accumulate: bool = False) -> Any:
    updates = find_put_updates(values, indices, source)
    if updates is None and accumulate:
        return add_rows(values, indices, source)
    return apply_updates(values, updates, "sum" if accumulate else "set")


def add_rows(values: Tensor, indices: Any, source: Tensor) -> Any:
    """By indices of the first dimensions, as gradients of rows that were chosen: these dimensions are one. A place that doesn't
    exist is behind all of them."""
    own = [index for index in indices if index is not None]
    if not own or not are_known(values, source, *own) or any(index.dtype not in (torch.int64, torch.int32) for index in own):
        return NotImplemented
    if any(index is None for index in indices[:len(own)]):
        return NotImplemented
    own, kept = list(torch.broadcast_tensors(*own)), values.shape[len(own):]
    place, exists = torch.zeros((), dtype=torch.int64, device=values.device), torch.ones((), dtype=torch.bool, device=values.device)
    for extent, index in zip(values.shape, own):
        place = place * extent + torch.where(index < 0, index + extent, index)
        exists = exists & (index >= -extent) & (index < extent)
    place = torch.where(exists, place, math.prod(values.shape[:len(own)]))
    rows = source.expand([*own[0].shape, *kept]).reshape(own[0].numel(), math.prod(kept))
    return values.reshape(-1, math.prod(kept)).index_add(0, place.reshape(-1), rows).reshape(values.shape)


def decompose_diagonal_scatter(values: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """As a choice between the elements and those of the row that has the diagonal."""
    if not are_known(values, src):
        return NotImplemented
    dims = [dim1 % values.dim(), dim2 % values.dim()]
    row, column = (torch.arange(values.shape[dim], device=values.device).reshape([-1] + [1] * (values.dim() - 1 - dim)) for dim in dims)
    along, across = dims if offset >= 0 else dims[::-1]
    places = torch.arange(values.shape[along], device=values.device).clamp(max=src.shape[-1] - 1)
    spread = src.index_select(-1, places).unsqueeze(-1).movedim((-2, -1), (along, across))
    return torch.where(column - row == offset, spread, values)


def get_decompositions() -> dict[Any, Callable[..., Any]]:
    """By the overload of an operator."""
    return {
        aten.scatter.src: update_by(find_updates), aten.scatter.value: update_by(find_updates),
        aten.scatter_add.default: update_by(find_updates, "sum"), aten.scatter.reduce: update_by(find_updates),
        aten.scatter.value_reduce: update_by(find_updates), aten.scatter_reduce.two: update_by(find_updates),
        aten.index_copy.default: update_by(find_row_updates), aten.index_add.default: update_by(find_row_updates, "sum"),
        aten.index_reduce.default: update_by(find_row_updates), aten.index_fill.int_Scalar: update_by(find_row_updates),
        aten.index_fill.int_Tensor: update_by(find_row_updates), aten.index_put.default: decompose_put,
        aten.diagonal_scatter.default: decompose_diagonal_scatter,
    }
