# ===- scans.py - scans along an axis ---------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Each element combined with those before it (docs/BlockPhase.md, Scans)."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

from .control import list_values, spell_types
from .memory import describe_operand
from .trace import Node, Op, Region, Trace, TraceError, Type, find_place
from .values import Operand, Value, as_value


def find_axis(what: str, type: Type, axis: Optional[int]) -> int:
    rank = len(type.shape)
    if axis is None and rank == 1:
        return 0
    if axis is None or not -rank <= axis < rank:
        raise TraceError(f"{what}: expected an axis of {type}, got {axis}")
    return axis % rank


def associative_scan(combine: Callable[..., Any], values: Union[Value, tuple[Value, ...]], starts: Any, *,
                     axis: Optional[int] = None, exclusive: bool = False, reverse: bool = False) -> tuple[Any, Any]:
    """Combines each element with those before it along an axis, and all with `starts`. Returns the scanned values and the totals,
    which are the starts of a scan that goes on. With `exclusive`, an element is what is before it; with `reverse`, the last one
    comes first. `combine` takes numbers: those of what comes first, then those of what comes next; it is associative, but need
    not commute. With several values, it takes and returns as many:

        (_, h), _ = carousel.associative_scan(lambda a, h, b, x: (a * b, b * h + x), (decay, x), (1.0, 0.0), axis=1)
    """
    trace, place = Trace.get(), find_place()
    given = values if isinstance(values, tuple) else (values,)
    first = starts if isinstance(starts, tuple) else (starts,)
    for value in given:
        if not isinstance(value, Value) or not value.type.is_vector:
            raise TraceError(f"associative_scan: expected vectors, got {describe_operand(value)}")
    if not given or len(given) != len(first):
        raise TraceError(f"associative_scan: expected a start for each value, got {len(first)} for {len(given)}")
    shape = given[0].shape
    if any(value.shape != shape for value in given):
        raise TraceError(f"associative_scan: expected vectors of one shape, got {spell_types([value.type for value in given])}")
    dim = find_axis("associative_scan", given[0].type, axis)
    kept = tuple(extent for at, extent in enumerate(shape) if at != dim) or None
    totals = [Type(value.dtype, kept) for value in given]
    inits = [as_value(start, type) for start, type in zip(first, totals)]
    for init, type in zip(inits, totals):
        if init.type != type:
            raise TraceError(f"associative_scan: expected a start of {type}, got {init.type}")
    elements = [Type(value.dtype) for value in given]
    body = Region(trace.region, terminator="gpu.yield")
    body.arguments = [Node(type, name, body) for name in ("before", "next") for type in elements]

    def run() -> None:
        made = list_values("associative_scan", combine(*map(Value, body.arguments)), elements)
        if [value.type for value in made] != elements:
            raise TraceError(f"associative_scan: expected a function that returns {spell_types(elements)}, got "
                             f"{spell_types([value.type for value in made]) or 'nothing'}")
        body.results = [value.node for value in made]

    trace.run(body, run)
    results = [Node(type, name, trace.region)
               for name, types in (("scanned", [value.type for value in given]), ("total", totals)) for type in types]
    count = len(given)
    sources, begins = (", ".join(f"{{{offset + at}}}" for at in range(count)) for offset in (0, count))
    kind = (" exclusive" if exclusive else "") + (" reverse" if reverse else "")
    trace.add_op(Op(f"carousel.scan {sources} init({begins}) dim({dim}){kind} : {spell_types([value.type for value in given])}",
                    [value.node for value in [*given, *inits]], results, place, regions=[body]))
    scanned, last = tuple(map(Value, results[:count])), tuple(map(Value, results[count:]))
    return (scanned, last) if isinstance(values, tuple) else (scanned[0], last[0])


def cumulate(combine: Callable[[Value, Value], Value], value: Value, start: Operand, axis: Optional[int], exclusive: bool,
             reverse: bool) -> Value:
    scanned, _ = associative_scan(combine, value, start, axis=axis, exclusive=exclusive, reverse=reverse)
    assert isinstance(scanned, Value)
    return scanned
