# ===- sorts.py - sorts along an axis ---------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Elements in their order (docs/BlockPhase.md, Sorts)."""

from __future__ import annotations

from typing import Any, Optional

from .control import spell_types
from .functions import isnan, where
from .memory import describe_operand
from .scans import find_axis
from .trace import Node, Op, Trace, TraceError, Type, find_place
from .values import Value, make

INTEGERS = {"f64": ("i64", 64), "f32": ("i32", 32), "f16": ("i16", 16), "bf16": ("i16", 16)}


def make_key(value: Value, descending: bool, unsigned: bool) -> Value:
    """Signed integers in the order of the elements: NaN is the largest number, and zeros are equal."""
    if value.dtype in INTEGERS:
        kind, width = INTEGERS[value.dtype]
        type = value.type.with_element(kind)
        bits = make(f"arith.bitcast {{0}} : {value.type} to {type}", [value], type, "bits")
        largest = 2**(width - 1) - 1
        key = where(value == 0, 0, bits ^ ((bits >> (width - 1)) & largest))
        key = where(isnan(value), largest, key)
    elif value.dtype == "i1":
        key = value.to("i8", unsigned=True)
    elif value.dtype in ("i8", "i16", "i32", "i64"):
        key = value ^ -2**(int(value.dtype[1:]) - 1) if unsigned else value
    else:
        raise TraceError(f"sort: expected floats of 16 bits or more, or integers, got {value.type}")
    return ~key if descending else key


def sort(value: Value, *others: Value, axis: Optional[int] = None, descending: bool = False, first: Optional[int] = None,
         unsigned: bool = False) -> tuple[Value, ...]:
    """The elements along an axis in their order, where each of them was (i32), and the elements of `others` in this order. Equal
    elements keep their order. NaN is the largest number. With `first`, only so many elements:

        values, places = carousel.sort(x[row, 0:1000])
    """
    for each in (value, *others):
        if not isinstance(each, Value) or not each.type.is_vector:
            raise TraceError(f"sort: expected vectors, got {describe_operand(each)}")
        if each.shape != value.shape:
            raise TraceError(f"sort: expected vectors of one shape, got {spell_types([value.type, each.type])}")
    dim = find_axis("sort", value.type, axis)
    if first is not None and not 1 <= first <= value.shape[dim]:
        raise TraceError(f"sort: expected 1 to {value.shape[dim]} first elements, got {first}")
    shape = tuple(first if first and at == dim else extent for at, extent in enumerate(value.shape))
    trace, place = Trace.get(), find_place()
    operands = [make_key(value, descending, unsigned), value, *others]
    results = [Node(Type(each.dtype, shape), name, trace.region)
               for each, name in zip(operands, ("places", "sorted", *["followed"] * len(others)))]
    results[0] = Node(Type("i32", shape), "places", trace.region)
    sources = ", ".join(f"{{{at}}}" for at in range(len(operands)))
    kind = f" first({first})" if first and first != value.shape[dim] else ""
    trace.add_op(Op(f"carousel.sort {sources} dim({dim}){kind} : {spell_types([each.type for each in operands])}",
                    [each.node for each in operands], results, place))
    places, ordered, *followed = map(Value, results)
    return (ordered, places, *followed)


def top_k(value: Value, count: int, *, axis: Optional[int] = None, unsigned: bool = False) -> Any:
    """The largest elements along an axis, the largest one first, and where they were: of equal ones, the first come first."""
    return sort(value, axis=axis, descending=True, first=count, unsigned=unsigned)
