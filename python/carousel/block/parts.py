# ===- parts.py - parts of vectors ------------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Takes and sets boxes, rows and elements of vectors: `v[:, 16:32]`, `v.at[i].set(number)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .trace import TraceError, Type
from .values import INDEX, Operand, Value, as_value, make


def count_leading(value: Value, indices: tuple[Any, ...]) -> int:
    """How many indices are numbers. Slices come after them."""
    if len(indices) > len(value.shape):
        raise TraceError(f"expected at most {len(value.shape)} indices of {value.type}, got {len(indices)}")
    leading = 0
    while leading < len(indices) and not isinstance(indices[leading], slice):
        leading += 1
    if any(not isinstance(each, slice) for each in indices[leading:]):
        raise TraceError(f"expected numbers before slices as indices of {value.type}, got {indices}")
    return leading


def find_box(slices: Sequence[slice], extents: Sequence[int]) -> tuple[list[int], list[int]]:
    """Where slices begin, and how many elements they have, in all dimensions."""
    box = []
    for each, extent in zip(slices, extents):
        if any(isinstance(bound, Value) for bound in (each.start, each.stop, each.step)):
            raise TraceError("expected slices of a value with bounds that Python knows, got one that the kernel computes")
        first, last, step = each.indices(extent)
        if step != 1 or last <= first:
            raise TraceError(f"expected slices of at least one element without a step, got {each} of {extent} elements")
        box.append((first, last - first))
    rest = extents[len(box):]
    return [first for first, _ in box] + [0] * len(rest), [size for _, size in box] + list(rest)


def take_part(value: Value, indices: tuple[Any, ...]) -> Value:
    leading = count_leading(value, indices)
    if leading:
        value = take_row(value, indices[:leading])
    offsets, sizes = find_box(indices[leading:], value.shape)
    if tuple(sizes) == value.shape:
        return value
    result = Type(value.dtype, tuple(sizes))
    attributes = f"{{{{offsets = {offsets}, sizes = {sizes}, strides = {[1] * len(sizes)}}}}}"
    return make(f"vector.extract_strided_slice {{0}} {attributes} : {value.type} to {result}", [value], result, "part")


def set_part(value: Value, indices: tuple[Any, ...], part: Operand) -> Value:
    if not value.type.is_vector:
        raise TraceError(f"at: expected a vector to set a part of, got {value.type}")
    leading = count_leading(value, indices)
    offsets, sizes = find_box(indices[leading:], value.shape[leading:])
    wanted = Type(value.dtype, tuple(sizes) or None)
    given = as_value(part, wanted)
    if given.type != wanted:
        raise TraceError(f"at: expected {wanted} for this part, got {given.type}")
    if tuple(sizes) == value.shape:
        return given
    if tuple(sizes) == value.shape[leading:]:
        places, operands = spell_places(value, indices[:leading], 2)
        return make(f"vector.insert {{1}}, {{0}} [{', '.join(places)}] : {wanted} into {value.type}", [value, given, *operands],
                    value.type, "with_part")
    numbers = indices[:leading]
    if any(isinstance(each, Value) for each in numbers):
        raise TraceError("at: expected whole rows at a place that the kernel computes, got slices after it")
    starts = [int(place) for place in spell_places(value, numbers, 2)[0]] + offsets
    attributes = f"{{{{offsets = {starts}, strides = {[1] * len(sizes)}}}}}"
    return make(f"vector.insert_strided_slice {{1}}, {{0}} {attributes} : {wanted} into {value.type}", [value, given], value.type,
                "with_part")


def take_row(value: Value, indices: Sequence[Any]) -> Value:
    """An element, or a row where there are fewer indices than dimensions."""
    spelt, operands = spell_places(value, indices, 1)
    rest = value.shape[len(spelt):]
    result = Type(value.dtype, rest or None)
    return make(f"vector.extract {{0}}[{', '.join(spelt)}] : {result} from {value.type}", [value, *operands], result, "element")


def spell_places(value: Value, indices: Sequence[Any], first: int) -> tuple[list[str], list[Value]]:
    """Indices as an op spells them, whose operands have the numbers from `first` on."""
    spelt: list[str] = []
    operands: list[Value] = []
    for each, extent in zip(indices, value.shape):
        if isinstance(each, Value):
            if each.type != INDEX:
                raise TraceError(f"expected an index of type index, got {each.type}; convert it with .to('index')")
            spelt.append(f"{{{first + len(operands)}}}")
            operands.append(each)
        elif not isinstance(each, int) or not -extent <= each < extent:
            raise TraceError(f"expected an index of {extent} elements, got {each!r}")
        else:
            spelt.append(str(each % extent))
    return spelt, operands
