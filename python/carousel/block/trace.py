# ===- trace.py - ops that Python records ---------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Ops and regions of a kernel that is traced, and their text. A node is what one op computes; values.py has what kernels
see of it."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any, Callable, Optional

from ..errors import InvalidArgumentError

PACKAGE = str(Path(__file__).resolve().parent)


class TraceError(InvalidArgumentError):
    """A kernel in Python does what can't be traced."""


class MissingNameError(TraceError, AttributeError):
    """A kernel in Python uses a name that a value hasn't."""


class Listed:
    """What says the names that it has where it hasn't one."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what Python and NumPy ask of all objects
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        known = ", ".join(each for each in dir(type(self)) if not each.startswith("_"))
        raise MissingNameError(f"{type(self).__name__}: expected one of {known}, got '{name}'")


@dataclass(frozen=True)
class Type:
    """An element type with extents: a scalar has none, and is no vector."""

    element: str
    extents: Optional[tuple[int, ...]] = None

    @property
    def is_vector(self) -> bool:
        return self.extents is not None

    @property
    def is_float(self) -> bool:
        return self.element.startswith(("f", "bf"))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.extents or ()

    def with_element(self, element: str) -> Type:
        return Type(element, self.extents)

    def __str__(self) -> str:
        if self.extents is None:
            return self.element
        return f"vector<{''.join(f'{extent}x' for extent in self.extents)}{self.element}>"


class Node:
    """What an op computes, or a region's argument."""

    def __init__(self, type: Type, name: str, region: Region):
        self.type, self.name, self.region = type, name, region


@dataclass
class Place:
    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        escaped = self.file.replace("\\", "\\\\").replace('"', '\\"')
        return f' loc("{escaped}":{self.line}:{self.column})'


@dataclass
class Op:
    """`text` has %0, %1... as {0}, {1}..., and regions as lines after it."""

    text: str
    operands: list[Node]
    results: list[Node]
    place: Optional[Place]
    has_effects: bool = False
    regions: list[Region] = field(default_factory=list)
    attributes: str = ""
    callee: Optional[Function] = None
    carried: int = 0  # how many operands, the last ones, the first region's last arguments begin with


class Region:
    def __init__(self, parent: Optional[Region], *, terminator: str = "scf.yield", header: str = ""):
        self.parent, self.terminator = parent, terminator
        self.header = header  # what begins a region that isn't the first one
        self.arguments: list[Node] = []
        self.ops: list[Op] = []
        self.results: list[Node] = []
        self.is_open = True

    def walk(self) -> Iterator[Op]:
        for op in self.ops:
            yield op
            for region in op.regions:
                yield from region.walk()

    def root(self) -> Region:
        """The body of the kernel or the function that it is in."""
        region = self
        while region.parent is not None:
            region = region.parent
        return region

    def contains(self, region: Optional[Region]) -> bool:
        while region is not None:
            if region is self:
                return True
            region = region.parent
        return False

    def replace(self, old: Node, new: Node) -> None:
        """In all uses inside."""
        self.results = [new if node is old else node for node in self.results]
        for op in self.walk():
            op.operands = [new if node is old else node for node in op.operands]
            for region in op.regions:
                region.results = [new if node is old else node for node in region.results]


class Function:
    """A function that kernels call. `key` tells it apart from others of this name."""

    def __init__(self, name: str, key: object, body: Region, file: str, line: int):
        self.name, self.key, self.body, self.place = name, key, body, Place(file, line)
        self.returns_one = False


class Trace:
    """The kernel that a thread traces."""

    _local = threading.local()

    def __init__(self) -> None:
        self.body = Region(None)
        self.region = self.body
        self.failure = ""  # what can't be raised where it happens
        self.constants: dict[tuple[Type, str], list[Node]] = {}
        self.functions: dict[object, Function] = {}
        self.open_calls: list[object] = []

    @classmethod
    def get(cls) -> Trace:
        trace: Optional[Trace] = getattr(cls._local, "trace", None)
        if trace is None:
            raise TraceError("expected a call within a function with @carousel.kernel, got one outside")
        return trace

    def __enter__(self) -> Trace:
        if getattr(self._local, "trace", None) is not None:
            raise TraceError("expected one kernel at a time, got a kernel that traces another one; call a plain function")
        Trace._local.trace = self
        return self

    def __exit__(self, *_: object) -> None:
        Trace._local.trace = None

    def add(self, text: str, operands: Iterable[Node], type: Optional[Type], name: str, *, has_effects: bool = False) -> Node:
        """Records an op. Without a type it has no result; the node is then only a handle."""
        if self.failure:
            raise TraceError(self.failure)
        given = list(operands)
        self.check_operands(given)
        result = Node(type or Type(""), name, self.region)
        self.region.ops.append(Op(text, given, [result] if type else [], find_place(), has_effects))
        return result

    def add_op(self, op: Op) -> None:
        """Records an op with several results, or with regions."""
        if self.failure:
            raise TraceError(self.failure)
        self.check_operands(op.operands)
        self.region.ops.append(op)

    def run(self, region: Region, function: Callable[..., Any], *values: object) -> Any:
        """Traces a region's body."""
        outer, self.region = self.region, region
        try:
            return function(*values)
        finally:
            self.region, region.is_open = outer, False

    def check_operands(self, operands: Iterable[Node]) -> None:
        for node in operands:
            if not node.region.is_open:
                raise TraceError(f"expected a value of this place, got one ({node.name}) that a loop's body computes; give its "
                                 "variable a value before the loop")
            if node.region.root() is not self.region.root():
                raise TraceError(f"expected a function that uses its arguments only, got {node.name} from outside; pass it")


@functools.lru_cache(maxsize=256)
def list_columns(code: CodeType) -> tuple[Optional[int], ...]:
    """Of each instruction; Python knows them from 3.11 on."""
    return tuple(place[2] for place in getattr(code, "co_positions", tuple)())


def find_place() -> Optional[Place]:
    """The expression of the user's code that runs."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    columns, at = list_columns(frame.f_code), frame.f_lasti // 2
    column = columns[at] if at < len(columns) else None
    return Place(frame.f_code.co_filename, frame.f_lineno, 1 + (column or 0))


def drop_dead(body: Region) -> None:
    """Removes ops whose results nothing uses."""
    while True:
        used = {id(node) for op in body.walk() for node in op.operands}
        used |= {id(node) for op in body.walk() for region in op.regions for node in region.results}
        used |= {id(node) for node in body.results}
        if not prune(body, used):
            return


def has_effects(op: Op) -> bool:
    return op.has_effects or any(has_effects(inner) for region in op.regions for inner in region.ops)


def prune(region: Region, used: set[int]) -> bool:
    kept = [op for op in region.ops if has_effects(op) or any(id(result) in used for result in op.results)]
    changed = len(kept) != len(region.ops)
    region.ops = kept
    for op in kept:
        for inner in op.regions:
            changed |= prune(inner, used)
    return changed


class Printer:
    """The text of a body. Names are those of the ops, with numbers where they come twice."""

    def __init__(self, has_places: bool, callees: Mapping[object, str]):
        self.has_places, self.callees = has_places, callees
        self.names: dict[int, str] = {}
        self.taken: set[str] = set()
        self.lines: list[str] = []

    def name(self, node: Node) -> str:
        if id(node) not in self.names:
            name, number = node.name, 1
            while name in self.taken:
                name, number = f"{node.name}_{number}", number + 1
            self.taken.add(name)
            self.names[id(node)] = name
        return f"%{self.names[id(node)]}"

    def place(self, op: Op) -> str:
        return str(op.place) if self.has_places and op.place else ""

    def region(self, region: Region, indent: str) -> None:
        for op in region.ops:
            self.op(op, indent)

    def op(self, op: Op, indent: str) -> None:
        # An op's several results are %r#0, %r#1...
        body = op.regions[0].arguments if op.regions else []
        starts = zip(body[len(body) - op.carried:], op.operands[len(op.operands) - op.carried:])
        callee = self.callees[op.callee.key] if op.callee else ""
        text = op.text.format(*map(self.name, op.operands), callee=callee, arguments=", ".join(map(self.name, body)),
                              index=self.name(body[0]) if body else "",
                              starts=", ".join(f"{self.name(node)} = {self.name(start)}" for node, start in starts))
        if len(op.results) == 1:
            text = f"{self.name(op.results[0])} = {text}"
        elif op.results:
            first = self.name(op.results[0])
            for number, result in enumerate(op.results):
                self.names[id(result)] = f"{first[1:]}#{number}"
            text = f"{first}:{len(op.results)} = {text}"
        if not op.regions:
            self.lines.append(indent + text + self.place(op))
            return
        for number, region in enumerate(op.regions):
            self.lines.append(f"{indent}{text} {{" if number == 0 else f"{indent}}} {region.header} {{")
            if region.arguments and (number or region.terminator == "gpu.yield"):
                arguments = ", ".join(f"{self.name(node)}: {node.type}" for node in region.arguments)
                self.lines.append(f"{indent}^bb0({arguments}):")
            self.region(region, indent + "  ")
            self.terminator(region, indent + "  ", self.place(op))
        self.lines.append(f"{indent}}}{op.attributes}{self.place(op)}")

    def terminator(self, region: Region, indent: str, place: str) -> None:
        names, passed = [*map(self.name, region.results)], region.results
        text = region.terminator
        if text == "scf.condition":  # its first operand says whether the loop goes on
            text, names, passed = f"{text}({names[0]})", names[1:], passed[1:]
        if passed:
            text += f" {', '.join(names)} : {', '.join(str(node.type) for node in passed)}"
        if region.results or region.header == "do":
            self.lines.append(indent + text + place)
