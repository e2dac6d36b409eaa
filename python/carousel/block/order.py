# ===- order.py - programs that wait for others ------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Programs that take turns (docs/Ordering.md), and signals between GPUs (docs/Transport.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

from .control import is_condition, list_values, spell_types
from .memory import Memory, SharedTile, describe_operand
from .trace import Node, Op, Region, Trace, TraceError, Type, find_place
from .values import BOOL, INDEX, Operand, Value, as_value


def check_counters(what: str, counters: object, elements: Sequence[str]) -> Memory:
    if not isinstance(counters, Memory) or counters.dtype not in elements or not counters.is_writable:
        raise TraceError(f"{what}: expected counters of {' or '.join(elements)} that the kernel may write, got "
                         f"{describe_operand(counters)}")
    return counters


def make_places(what: str, memory: Memory, places: Sequence[Operand]) -> tuple[list[Node], str]:
    """Indices of an element, and how an op spells them, as operands from 1 on."""
    if len(places) != len(memory.extents):
        raise TraceError(f"{what}: expected a place for each of {len(memory.extents)} dimensions of {memory.name}, got "
                         f"{len(places)}")
    nodes = [memory._index(place).node for place in places]
    return nodes, ", ".join(f"{{{number + 1}}}" for number in range(len(nodes)))


def serialize(turns: Memory, places: Sequence[Operand], turn: Operand, count: Operand, body: Callable[[Value, Value], Any], *,
              is_ordered: bool = True) -> Any:
    """Runs `body` in the programs of a segment one after the other, and returns what it returns. `count` programs name the
    same element of `turns`, each with another `turn` from 0 on. `body` takes two conditions: whether this is the first turn,
    and whether it is the last one. It sees what those of earlier turns did in theirs. `turns` is a workspace of i32.

    Without `is_ordered` no program waits, and both conditions are false."""
    trace = Trace.get()
    counters = check_counters("serialize", turns, ("i32",))
    nodes, spelt = make_places("serialize", counters, places)
    operands = [counters.node, *nodes, as_value(turn, INDEX).node, as_value(count, INDEX).node]
    region, place = Region(trace.region, terminator="carousel.pass_turn"), find_place()
    region.arguments = [Node(Type(BOOL), name, region) for name in ("first", "last")]

    def run() -> Any:
        made = body(*map(Value, region.arguments))
        region.results = [value.node for value in list_values("serialize", made)]
        return made

    made = trace.run(region, run)
    results = [Node(node.type, node.name, trace.region) for node in region.results]
    arrow = f" -> {spell_types([node.type for node in results])}" if results else ""
    order = "" if is_ordered else " order(unordered)"
    trace.add_op(Op(f"carousel.serialize {{0}}[{spelt}] turn {{{len(nodes) + 1}}} of {{{len(nodes) + 2}}}{order} ({{arguments}})",
                    operands, results, place, has_effects=True, regions=[region], attributes=f" : {counters.type}{arrow}"))
    values = tuple(map(Value, results))
    return values if isinstance(made, tuple) else values[0] if values else None


def accumulate(tile: SharedTile, memory: Memory, places: Sequence[Operand], *, first: Operand, last: Optional[Operand] = None,
               kind: str = "add", options: str = "") -> None:
    """Combines a tile with a box of a tensor, within `carousel.serialize`: the tile replaces the box in the `first` turn, and
    is added to it (or `kind`) in the others. In the `last` turn the tile receives the result. `options` are those of
    `carousel.accumulate`, such as "scheme(registers)" or "swizzle(b64)"."""
    if not isinstance(tile, SharedTile):
        raise TraceError(f"accumulate: expected a tile of carousel.shared, got {describe_operand(tile)}")
    if not isinstance(memory, Memory) or not memory.is_writable:
        raise TraceError("accumulate: expected an argument with 'inout', or a workspace, to add to, got "
                         f"{describe_operand(memory)}")
    conditions = [as_value(each, Type(BOOL)) for each in (first, last) if each is not None]
    for each in conditions:
        if not is_condition(each):
            raise TraceError(f"accumulate: expected conditions that are one i1, got {each.type}")
    nodes, _ = make_places("accumulate", memory, places)
    at = ", ".join(f"{{{number + 2}}}" for number in range(len(nodes)))
    number = len(nodes) + 2
    turns = f"first({{{number}}})" + (f" last({{{number + 1}}})" if last is not None else "")
    Trace.get().add(f"carousel.accumulate {{0}} into {{1}}[{at}] reduce<{kind} {memory.dtype}> {turns}{' ' * bool(options)}{options}"
                    f" : {tile.type}, {memory.type}", [tile.node, memory.node, *nodes, *[each.node for each in conditions]], None,
                    "", has_effects=True)


def signal(counters: Memory, places: Sequence[Operand], value: Operand, *, add: bool = False) -> None:
    """Sets a counter in memory that GPUs share to `value`, or adds it, when all that this program did before is complete. A
    program of any GPU that waits for the value sees all of it. Counters are of i32 or i64, with 'peer' or 'symmetric'."""
    made, nodes, spelt = make_signal("signal", counters, places, value)
    Trace.get().add(f"carousel.signal {{0}}[{spelt}] {'add' if add else 'set'} {{{len(nodes) - 1}}} : {made.type}", nodes, None, "",
                    has_effects=True)


def wait_signal(counters: Memory, places: Sequence[Operand], value: Operand, *,
                timeout: Optional[Operand] = None) -> Optional[Value]:
    """Waits until a counter in memory that GPUs share is at least `value`. With a `timeout` in nanoseconds, returns whether
    it has become so."""
    made, nodes, spelt = make_signal("wait_signal", counters, places, value)
    text = f"carousel.wait_signal {{0}}[{spelt}] at_least {{{len(nodes) - 1}}}"
    if timeout is None:
        Trace.get().add(f"{text} : {made.type}", nodes, None, "", has_effects=True)
        return None
    limit = as_value(timeout, Type("i64"))
    if limit.type != Type("i64"):
        raise TraceError(f"wait_signal: expected a timeout of type i64, got {limit.type}")
    return Value(Trace.get().add(f"{text} timeout {{{len(nodes)}}} : {made.type} -> {BOOL}", [*nodes, limit.node], Type(BOOL),
                                 "reached", has_effects=True))


def make_signal(what: str, counters: Memory, places: Sequence[Operand], value: Operand) -> tuple[Memory, list[Node], str]:
    made = check_counters(what, counters, ("i32", "i64"))
    nodes, spelt = make_places(what, made, places)
    wanted = as_value(value, Type(made.dtype))
    if wanted.type != Type(made.dtype):
        raise TraceError(f"{what}: expected a value of the counters' type {made.dtype}, got {wanted.type}")
    return made, [made.node, *nodes, wanted.node], spelt
