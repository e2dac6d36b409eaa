# ===- _report.py - what was taken, and why not --------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""A record of the graphs that the back end got in this process: their parts, and the operators that stay with PyTorch."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import Optional

from .._compile import CompileWarning

MOST_LINES = 20  # of operators that a graph's text names


@dataclass
class PartReport:
    """A part of a graph that became a program, or why it didn't."""

    name: str
    operators: Counter[str]
    """How often each operator is in it."""
    key: str = ""
    """Of its entry in the cache."""
    origin: str = ""
    """"compiled", or "cache", of a refusal, too; empty if neither was asked."""
    seconds: float = 0
    """That it took to compile it, or to find it."""
    reason: str = ""
    """Why it stays with PyTorch."""
    is_wanted: bool = True
    """Whether the options ask for a program."""

    @property
    def is_taken(self) -> bool:
        return not self.reason

    def __str__(self) -> str:
        count = sum(self.operators.values())
        if self.is_taken:
            return f"  {self.name}: {count} operators, {self.origin} in {self.seconds:.2f} s, {self.key[:12]}"
        return f"  {self.name}: {count} operators stay with PyTorch: {self.reason}"


@dataclass
class RestReport:
    """Operators that stay with PyTorch, and that Inductor could fuse: a run of them between programs, or a whole graph."""

    name: str
    operators: Counter[str]
    compiler: str = "eager"
    """"inductor", or "eager": PyTorch runs one after the other."""
    seconds: float = 0
    """That Inductor took."""
    reason: str = ""
    """Why Inductor didn't get it, although the options ask for that."""

    def __str__(self) -> str:
        count = sum(self.operators.values())
        if self.compiler == "inductor":
            return f"  {self.name}: {count} operators by Inductor in {self.seconds:.2f} s"
        return f"  {self.name}: {count} operators one by one{f': {self.reason}' if self.reason else ''}"


@dataclass
class GraphReport:
    kind: str
    """"inference", "forward" or "backward"; "whole" of a graph that stays with PyTorch as Dynamo has traced it."""
    reason: str = ""
    """Why it stays there."""
    parts: list[PartReport] = field(default_factory=list)
    rest: list[RestReport] = field(default_factory=list)
    left: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """How often an operator stays with PyTorch, by its name, the reason, and its place in the model."""

    @property
    def refused_operators(self) -> int:
        """Of parts that are no programs although the options ask for them."""
        return sum(sum(part.operators.values()) for part in self.parts if part.reason and part.is_wanted)

    @property
    def taken_operators(self) -> int:
        return sum(sum(part.operators.values()) for part in self.parts if part.is_taken)

    @property
    def left_operators(self) -> int:
        if self.kind == "whole":
            return sum(sum(each.operators.values()) for each in self.rest)
        return sum(self.left.values()) + sum(sum(part.operators.values()) for part in self.parts if not part.is_taken)

    def __str__(self) -> str:
        taken = f"{self.taken_operators} operators in {sum(part.is_taken for part in self.parts)} programs, "
        head = f"{self.kind}: {taken if self.kind != 'whole' else ''}{self.left_operators} with PyTorch"
        lines = [head + (f": {self.reason}" if self.reason else ""), *map(str, self.parts), *map(str, self.rest)]
        for (name, reason, place), count in self.left.most_common(MOST_LINES):
            lines.append(f"  {name}{f' x {count}' if count > 1 else ''}{f' at {place}' if place else ''}: {reason}")
        if len(self.left) > MOST_LINES:
            lines.append(f"  ... and {len(self.left) - MOST_LINES} others")
        return "\n".join(lines)


class Report:
    """Of graphs, the first compiled first."""

    def __init__(self, graphs: list[GraphReport]):
        self.graphs = graphs

    @property
    def parts(self) -> list[PartReport]:
        return [part for graph in self.graphs for part in graph.parts]

    def __str__(self) -> str:
        return "\n".join(map(str, self.graphs)) or "no graph was compiled"

    __repr__ = __str__


_lock = threading.Lock()
_graphs: list[GraphReport] = []
_warned: set[str] = set()


def add(graph: GraphReport) -> None:
    with _lock:
        _graphs.append(graph)


def report() -> Report:
    """What the back end has taken in this process, and why not the rest."""
    with _lock:
        return Report(list(_graphs))


def reset() -> None:
    """Forgets the graphs so far."""
    with _lock:
        _graphs.clear()
        _warned.clear()


def warn_once(message: str) -> None:
    """Of what the options ask for and don't get."""
    with _lock:
        is_new = message not in _warned
        _warned.add(message)
    if is_new:
        warnings.warn(message, CompileWarning, stacklevel=2)


def summarize(error: BaseException) -> str:
    """The first line of its message."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def find_place(stack: Optional[str]) -> str:
    """The line of the model, "model.py:31", in the stack that Dynamo keeps for a node."""
    frames = [line.strip() for line in (stack or "").splitlines() if line.strip().startswith('File "')]
    if not frames:
        return ""
    file, _, rest = frames[-1].removeprefix('File "').partition('", line ')
    return f"{file.rpartition('/')[2]}:{rest.partition(',')[0]}"
