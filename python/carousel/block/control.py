# ===- control.py - loops and branches of kernels --------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""`range`, `while_loop` and `cond`. A loop's body is traced once: `range` sees which of the caller's variables the body
changes, and carries these."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any, Callable, Optional, Union

from .._numbers import INTEGERS
from .memory import describe_operand
from .trace import Node, Op, Region, Trace, TraceError, Type, find_place
from .values import BOOL, INDEX, Operand, Value, as_value, type_name


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
            raise TraceError(f"expected {name} to keep its type in the loop, got {new.type} after {old.type}; "
                             "give what is only of the body another name")
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


def make_bounds(bounds: Sequence[Operand]) -> list[Value]:
    """Indices, unless one is a value of another type of integers."""
    given = [bound.type for bound in bounds if isinstance(bound, Value)]
    type = given[0] if given else INDEX
    if type.is_vector or type.element not in INTEGERS or type.element == BOOL:
        raise TraceError(f"range: expected bounds that are integers, got {type}; convert them with .to('index')")
    for each in given:
        if each != type:
            raise TraceError(f"range: expected bounds of one type, got {type} and {each}; convert them with .to('{type}')")
    return [as_value(bound, type) for bound in bounds]


def spell_pipeline(pipeline: Union[bool, str]) -> str:
    return f"{{carousel.pipeline = #carousel.pipeline<{pipeline if isinstance(pipeline, str) else ''}>}}"


def range(start: Operand, stop: Optional[Operand] = None, step: Operand = 1, *,  # noqa: A001 - Python's name
          pipeline: Union[bool, str] = True) -> Iterator[Value]:
    """A loop of the kernel: `for i in carousel.range(0, n, 64):`. Variables that the body changes are carried from one
    iteration to the next. Bounds are indices, or all of another type of integers.

    With `pipeline`, the compiler loads tiles ahead; a text gives options of `#carousel.pipeline` (docs/Rings.md)."""
    trace, frame = Trace.get(), sys._getframe(1)
    if stop is None:
        start, stop = 0, start
    bounds = make_bounds((start, stop, step))
    type = bounds[0].type
    outer, place = trace.region, find_place()
    body = Region(outer)
    index = Node(type, "i", body)
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
    text = "scf.for {index} = {0} to {1} step {2}" + (f" iter_args({{starts}}) -> ({types})" if results else "")
    op = Op(text + ("" if type == INDEX else f" : {type}"), operands, results, place, regions=[body], carried=len(carried))
    if pipeline:
        op.attributes = f" {spell_pipeline(pipeline)}"
    trace.add_op(op)
    body.is_open = False
    for name, result in zip(carried, results):
        # The variable stands for the loop's result from here on.
        after[name].node, after[name].linear = result, None


def list_values(what: str, made: Any, types: Optional[Sequence[Type]] = None) -> list[Value]:
    """What a function of a branch or a loop returns. With `types`, numbers of Python become values of these."""
    given = made if isinstance(made, tuple) else () if made is None else (made,)
    if types is not None and len(given) == len(types):
        given = tuple(as_value(each, type) for each, type in zip(given, types))
    if not all(isinstance(value, Value) for value in given):
        raise TraceError(f"{what}: expected functions that return values of the kernel, got {made!r}")
    Trace.get().check_operands(value.node for value in given)
    return list(given)


def spell_types(types: Sequence[Type]) -> str:
    return ", ".join(map(str, types))


def is_condition(value: object) -> bool:
    return isinstance(value, Value) and str(value.type) == BOOL


def device_assert(condition: Value, message: str) -> None:
    """States what holds in the kernel, as `carousel.device_assert(begin <= end, "expected offsets that ascend")`: of a vector, all
    elements. The simulated machine reports where it doesn't hold, with the numbers that are compared. A GPU does for kernels
    that are compiled with `debug_assertions`; without, the assertion costs nothing."""
    if not isinstance(condition, Value) or condition.dtype != BOOL:
        raise TraceError("device_assert: expected a condition (an i1, or a vector of them), got "
                         f"{condition.type if isinstance(condition, Value) else type_name(condition)}")
    if not isinstance(message, str):
        raise TraceError(f"device_assert: expected a text as message, got {type_name(message)}")
    whole = condition.all() if condition.type.is_vector else condition
    spelt = "".join(c if c.isprintable() and c not in '"\\' else "".join(f"\\{byte:02X}" for byte in c.encode()) for c in message)
    Trace.get().add(f'cf.assert {{0}}, "{spelt.replace("{", "{{").replace("}", "}}")}"', [whole.node], None, "", has_effects=True)


def while_loop(condition: Callable[..., Any], body: Callable[..., Any], *starts: Value,
               pipeline: Union[bool, str] = False) -> Any:
    """Runs `body` as long as `condition` holds. Both take as many values as there are `starts`; `condition` returns an i1, and
    `body` the next values, of the same types. The last ones are the result: one value, or a tuple.

        first = carousel.while_loop(lambda i: x[i] == 0.0, lambda i: i + 1, i)

    `pipeline` is as for `carousel.range`, and is off by default."""
    trace = Trace.get()
    for each in starts:
        if not isinstance(each, Value):
            raise TraceError(f"while_loop: expected values of the kernel to begin with, got {type_name(each)}; begin with "
                             "carousel.full or carousel.zeros")
    types = [value.type for value in starts]
    outer, place = trace.region, find_place()

    def check() -> None:
        holds = condition(*map(Value, before.arguments))
        if not is_condition(holds):
            raise TraceError(f"while_loop: expected a condition that returns one i1, got {describe_operand(holds)}")
        trace.check_operands([holds.node])
        before.results = [holds.node, *before.arguments]

    def step() -> None:
        following = list_values("while_loop", body(*map(Value, after.arguments)), types)
        if [value.type for value in following] != types:
            raise TraceError("while_loop: expected a body that returns values of the types that it takes, "
                             f"{spell_types(types) or 'none'}, got {spell_types([value.type for value in following]) or 'none'}")
        after.results = [value.node for value in following]

    before, after = Region(outer, terminator="scf.condition"), Region(outer, header="do")
    for region, function in ((before, check), (after, step)):
        region.arguments = [Node(value.type, value.node.name, region) for value in starts]
        trace.run(region, function)
    results = [Node(value.type, value.node.name, outer) for value in starts]
    passed = f"({spell_types(types)})" if len(types) != 1 else spell_types(types)
    text = (" ({starts})" if types else "") + f" : ({spell_types(types)}) -> {passed}"
    op = Op("scf.while" + text, [value.node for value in starts], results, place, has_effects=True, regions=[before, after],
            carried=len(starts))
    if pipeline:
        op.attributes = f" attributes {spell_pipeline(pipeline)}"
    trace.add_op(op)
    made = tuple(map(Value, results))
    return made if len(made) > 1 else made[0] if made else None


def cond(condition: Value, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """Runs one of two functions without arguments, by a condition of the whole program. They return a value, or a tuple of
    values of the same types."""
    trace = Trace.get()
    if not is_condition(condition):
        raise TraceError(f"cond: expected a condition that is one i1, got {describe_operand(condition)}")
    place = find_place()
    regions = [Region(trace.region), Region(trace.region, header="else")]
    returned = []
    for region, function in zip(regions, (then, otherwise)):

        def branch() -> Any:
            made = function()
            values = list_values("cond", made)
            region.results = [value.node for value in values]
            returned.append([value.type for value in values])
            return made

        made = trace.run(region, branch)
    if returned[0] != returned[1]:
        types = [spell_types(each) or "nothing" for each in returned]
        raise TraceError(f"cond: expected both functions to return values of the same types, got {types[0]} and {types[1]}")
    results = [Node(type, "chosen", trace.region) for type in returned[0]]
    arrow = f" -> ({spell_types(returned[0])})" if results else ""
    trace.add_op(Op(f"scf.if {{0}}{arrow}", [condition.node], results, place, regions=regions))
    values = tuple(map(Value, results))
    return values if isinstance(made, tuple) else values[0] if values else None
