# ===- control.py - loops and branches of kernels --------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""`range` and `cond`. A loop's body is traced once: `range` sees which of the caller's variables the body changes, and
carries these."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any, Callable, Optional, Union

from .trace import Node, Op, Region, Trace, TraceError, find_place
from .values import INDEX, Operand, Value, as_value


def find_values(frame: FrameType) -> dict[str, Any]:
    """By variable. What an earlier loop's body has left in one is no value of this place."""
    return {name: value for name, value in dict(frame.f_locals).items()
            if isinstance(value, (bool, int, float)) or isinstance(value, Value) and value.node.region.is_open}


def find_carried(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The variables that the body gives another value. Each must stand for a value of its own."""
    carried = []
    for name, old in before.items():
        new = after.get(name)
        if isinstance(old, Value) and isinstance(new, Value) and new.node is old.node:
            continue
        if not isinstance(old, Value):
            if isinstance(new, Value):
                raise TraceError(f"expected {name} to be a value before the loop that changes it, got the number {old}; begin "
                                 "with carousel.full or carousel.zeros")
            if new != old:
                raise TraceError(f"expected the loop to change values only, got {name}, a number of Python")
            continue
        if not isinstance(new, Value):
            raise TraceError(f"expected the loop to leave a value in {name}, got {type(new).__name__}")
        if new.type != old.type:
            raise TraceError(f"expected {name} to keep its type in the loop, got {new.type} after {old.type}")
        carried.append(name)
    for name in carried:
        old = before[name].node
        others = [other for other, value in before.items() if other != name and isinstance(value, Value) and value.node is old]
        if others:
            raise TraceError(f"expected {name} and {others[0]} to begin with a value each, since the loop changes {name}, got "
                             "the same one for both")
        new = after[name]
        shared = [other for other, value in after.items() if other != name and value is new and other in before]
        if shared:
            raise TraceError(f"expected the loop to leave a value in {name} that is its own, got that of {shared[0]}, too; write "
                             f"{name} = {shared[0]} + 0")
    return carried


def range(start: Operand, stop: Optional[Operand] = None, step: Operand = 1, *,  # noqa: A001 - Python's name
          pipeline: Union[bool, str] = True) -> Iterator[Value]:
    """A loop of the kernel: `for i in carousel.range(0, n, 64):`. Variables that the body changes are carried from one
    iteration to the next.

    With `pipeline`, the compiler loads tiles ahead; a text gives options of `#carousel.pipeline` (docs/Rings.md)."""
    trace, frame = Trace.get(), sys._getframe(1)
    if stop is None:
        start, stop = 0, start
    bounds = [as_value(bound, INDEX) for bound in (start, stop, step)]
    for bound in bounds:
        if bound.type != INDEX:
            raise TraceError(f"expected bounds of type index, got {bound.type}; convert them with .to('index')")
    outer, place = trace.region, find_place()
    body = Region(outer)
    index = Node(INDEX, "i", body)
    body.arguments.append(index)
    before = find_values(frame)
    trace.region = body
    try:
        yield Value(index)
    except GeneratorExit:
        # Python ignores what is raised here.
        trace.failure = "expected a loop that runs to its end, got a break or a return in it; use carousel.where"
        raise
    finally:
        trace.region = outer
    after = find_values(frame)
    carried = find_carried(before, after)
    results = [Node(before[name].type, name, outer) for name in carried]
    body.results = [after[name].node for name in carried]
    for name in carried:
        argument = Node(before[name].type, name, body)
        body.arguments.append(argument)
        body.replace(before[name].node, argument)
    operands = [bound.node for bound in bounds] + [before[name].node for name in carried]
    types = ", ".join(str(node.type) for node in results)
    op = Op("scf.for {index} = {0} to {1} step {2}{carried}" + (f" -> ({types})" if results else ""), operands, results,
            place, regions=[body])
    if pipeline:
        options = pipeline if isinstance(pipeline, str) else ""
        op.attributes = f" {{carousel.pipeline = #carousel.pipeline<{options}>}}"
    outer.ops.append(op)
    body.is_open = False
    for name, result in zip(carried, results):
        # The variable stands for the loop's result from here on.
        after[name].node, after[name].linear = result, None


def cond(condition: Value, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """Runs one of two functions without arguments, by a condition of the whole program. They return a value, or a tuple of
    values of the same types."""
    trace = Trace.get()
    if not isinstance(condition, Value) or str(condition.type) != "i1":
        raise TraceError("cond: expected a condition that is one i1, got "
                         f"{condition.type if isinstance(condition, Value) else type(condition).__name__}")
    outer, place = trace.region, find_place()
    regions, returned = [], []
    for function in (then, otherwise):
        region = Region(outer)
        trace.region = region
        try:
            made = function()
        finally:
            trace.region = outer
        values = made if isinstance(made, tuple) else (made,) if made is not None else ()
        if not all(isinstance(value, Value) for value in values):
            raise TraceError(f"cond: expected functions that return values of the kernel, got {made!r}")
        region.results = [value.node for value in values]
        region.is_open = False
        regions.append(region)
        returned.append((made, [value.type for value in values]))
    if returned[0][1] != returned[1][1]:
        types = [", ".join(map(str, each)) or "nothing" for _, each in returned]
        raise TraceError(f"cond: expected both functions to return values of the same types, got {types[0]} and {types[1]}")
    results = [Node(type, "chosen", outer) for type in returned[0][1]]
    arrow = f" -> ({', '.join(map(str, returned[0][1]))})" if results else ""
    outer.ops.append(Op(f"scf.if {{0}}{arrow}", [condition.node], results, place, regions=regions))
    values = tuple(map(Value, results))
    return values if isinstance(returned[0][0], tuple) else values[0] if values else None
