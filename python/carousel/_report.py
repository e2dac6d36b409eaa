# ===- _report.py - what was taken, and why not ------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""A record of the graphs that a back end of PyTorch or JAX got in this process: their parts, and the operators that stay with
PyTorch or XLA."""

from __future__ import annotations

import re
import statistics
import threading
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._compile import CompileWarning

MOST_LINES = 20  # of operators that a graph's text names
MOST_STEPS = 10  # of kernels that a report's text names
LINE = re.compile(r"\bpart:(\d+)(?::\d+)?")


@dataclass(frozen=True)
class Step:
    """A kernel of a program, or a call of a library, as the compiler predicts it on the chip."""

    name: str
    operations: str
    """What it computes, with places in the model: "matmul at block.py:31 self.wide"."""
    megabytes: float
    bound: float
    """The time that its bytes and products need at least, in us."""
    predicted: float
    """The time that it is predicted to take, in us."""


def name_places(text: str, places: Sequence[str]) -> str:
    """The text with places in the model instead of a part's lines, of which there are none if `places` is empty."""
    return LINE.sub(lambda line: places[int(line[1]) - 1] or line[0], text) if places else text


def count_operations(text: str) -> str:
    """"sum at a, exp at a, exp at a, matmul at b" as "sum, exp x 2 at a, matmul at b"."""
    found: dict[str, Counter[str]] = {}
    for each in text.split(", "):
        kind, _, place = re.sub(r" #\d+$", "", each).partition(" at ")
        # Operations that no node of the part has, such as changes of layouts, have no place in the model, and none of JAX has.
        found.setdefault("" if place.startswith("<") else place, Counter())[kind] += 1
    texts = (", ".join(f"{kind} x {count}" if count > 1 else kind for kind, count in kinds.items()) for kinds in found.values())
    return ", ".join(f"{text} at {place}" if place else text for place, text in zip(found, texts))


def read_steps(decisions: Sequence[Mapping[str, Any]], places: Sequence[str]) -> list[Step]:
    """Those of a program, in their order. `decisions`: of its graph, whose lines are at `places` in the model."""
    groups = {each["Kernel"]: each["Ops"] for each in decisions if each["name"] == "Group"}
    return [Step(each["Step"], count_operations(name_places(groups.get(each["Step"]) or f"product at {each.get('place', '')}", places)),
                 float(each["Megabytes"]), float(each["Bound"]), float(each["Predicted"]))
            for each in decisions if each["name"] == "Time" and not re.match(r"\d+ steps", each["Step"])]


@dataclass
class PartReport:
    """A part of a graph that became a program, or why it didn't."""

    name: str
    operators: Counter[str]
    """How often each operator is in it."""
    key: str = ""
    """Of its entry in the cache."""
    origin: str = ""
    """"compiled", or "cache", of a refusal, too, or "process", of an equal part before; empty if none was asked."""
    seconds: float = 0
    """That it took to compile it, or to find it."""
    reason: str = ""
    """Why it is no program."""
    is_wanted: bool = True
    """Whether the options ask for a program."""
    steps: list[Step] = field(default_factory=list)
    """Of the program."""
    donated: int = 0
    """How many arguments the program updates in their memory."""
    times: list[float] = field(default_factory=list)
    """What its launches took in `measure`, in us."""
    fallback: str = "PyTorch"
    """The one that runs it if it is no program: "XLA" in JAX."""

    @property
    def is_taken(self) -> bool:
        return not self.reason

    def __str__(self) -> str:
        count = sum(self.operators.values())
        if self.is_taken:
            head = f"  {self.name}: {count} operators, {self.origin} in {self.seconds:.2f} s, {self.key[:12]}"
            if not self.steps:  # of a kernel of Python, which isn't predicted
                return head
            bound, predicted = (sum(getattr(step, key) for step in self.steps) for key in ("bound", "predicted"))
            figures = f"{len(self.steps)} kernels, {sum(step.megabytes for step in self.steps):.1f} MB"
            figures += f", {self.donated} arguments updated in place" if self.donated else ""
            time = f"{statistics.median(self.times):.1f} us, " if self.times else ""
            return f"{head}\n    {figures}, {time}predicted {predicted:.1f} us, at least {bound:.1f}"
        return f"  {self.name}: {count} operators stay with {self.fallback}: {self.reason}"


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
    """"inference", "forward" or "backward"; "whole" of a graph that stays with PyTorch as Dynamo has traced it; in JAX "function"
    or "kernel", too."""
    source: Any
    """The model or the function that it comes from, as the back end tells one from another."""
    reason: str = ""
    """Why a whole graph stays with PyTorch."""
    parts: list[PartReport] = field(default_factory=list)
    rest: list[RestReport] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    """What its runs took in `measure`, in us."""
    left: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """How often an operator is in no program, by its name, the reason, and its place in the model."""
    fallback: str = "PyTorch"
    """The one that runs these."""

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
        head = f"{self.kind}: {taken if self.kind != 'whole' else ''}{self.left_operators} with {self.fallback}"
        head += f": {self.reason}" if self.reason else f", {statistics.median(self.times):.1f} us" if self.times else ""
        lines = [head, *map(str, self.parts), *map(str, self.rest)]
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

    @property
    def steps(self) -> list[tuple[GraphReport, PartReport, Step]]:
        """Kernels of all programs, the one with the longest predicted time first."""
        found = [(graph, part, step) for graph in self.graphs for part in graph.parts for step in part.steps]
        return sorted(found, key=lambda each: -each[2].predicted)

    def __str__(self) -> str:
        lines = [*map(str, self.graphs)] or ["no graph was compiled"]
        if steps := self.steps:
            lines.append(f"{'kernels that take longest':44} {'predicted us':>12} {'at least us':>12}  operations")
            for graph, part, step in steps[:MOST_STEPS]:
                name = f"{graph.kind} {part.name} {step.name}"
                lines.append(f"  {name:42} {step.predicted:12.1f} {step.bound:12.1f}  {step.operations}")
        return "\n".join(lines)

    __repr__ = __str__


class Log:
    """The graphs of this process. `fallback` runs what is in no program."""

    def __init__(self, fallback: str):
        self.fallback = fallback
        self._lock = threading.Lock()
        self._graphs: list[GraphReport] = []
        self._warned: set[str] = set()

    @property
    def graphs(self) -> list[GraphReport]:
        with self._lock:
            return list(self._graphs)

    def add(self, graph: GraphReport) -> None:
        with self._lock:
            self._graphs.append(graph)

    def reset(self) -> None:
        """Forgets the graphs so far."""
        with self._lock:
            self._graphs.clear()
            self._warned.clear()

    def warn_once(self, message: str) -> None:
        """Of what the options ask for and don't get."""
        with self._lock:
            is_new = message not in self._warned
            self._warned.add(message)
        if is_new:
            warnings.warn(message, CompileWarning, stacklevel=2)

    def warn_of_part(self, reason: str) -> None:
        """Of one that isn't a program."""
        self.warn_once(f"a part of a model stays with {self.fallback}: {reason}")
