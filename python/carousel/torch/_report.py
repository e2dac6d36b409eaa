# ===- _report.py - what was taken, and why not --------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""A record of the graphs that the back end got in this process: their parts, and the operators that stay with PyTorch."""

from __future__ import annotations

import contextlib
import dis
import inspect
import re
import statistics
import threading
import warnings
import weakref
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Optional

import torch

from .._compile import CompileWarning

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
    """The text with places in the model instead of a part's lines."""
    return LINE.sub(lambda line: places[int(line[1]) - 1] or line[0], text)


def count_operations(text: str) -> str:
    """"sum at a, exp at a, exp at a, matmul at b" as "sum, exp x 2 at a, matmul at b"."""
    found: dict[str, Counter[str]] = {}
    for each in text.split(", "):
        kind, _, place = re.sub(r" #\d+$", "", each).partition(" at ")
        found.setdefault(place, Counter())[kind] += 1
    texts = (", ".join(f"{kind} x {count}" if count > 1 else kind for kind, count in kinds.items()) for kinds in found.values())
    # Operations that no node of the part has, such as changes of layouts, have no place in the model.
    return ", ".join(text if place.startswith("<") else f"{text} at {place}" for place, text in zip(found, texts))


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
    """"compiled", or "cache", of a refusal, too; empty if neither was asked."""
    seconds: float = 0
    """That it took to compile it, or to find it."""
    reason: str = ""
    """Why it stays with PyTorch."""
    is_wanted: bool = True
    """Whether the options ask for a program."""
    steps: list[Step] = field(default_factory=list)
    """Of the program."""
    donated: int = 0
    """How many arguments the program updates in their memory."""
    times: list[float] = field(default_factory=list)
    """What its launches took in `measure`, in us."""

    @property
    def is_taken(self) -> bool:
        return not self.reason

    def __str__(self) -> str:
        count = sum(self.operators.values())
        if self.is_taken:
            bound, predicted = (sum(getattr(step, key) for step in self.steps) for key in ("bound", "predicted"))
            figures = f"{len(self.steps)} kernels, {sum(step.megabytes for step in self.steps):.1f} MB"
            figures += f", {self.donated} arguments updated in place" if self.donated else ""
            time = f"{statistics.median(self.times):.1f} us, " if self.times else ""
            return (f"  {self.name}: {count} operators, {self.origin} in {self.seconds:.2f} s, {self.key[:12]}\n    {figures}, "
                    f"{time}predicted {predicted:.1f} us, at least {bound:.1f}")
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
    source: Source
    kind: str
    """"inference", "forward" or "backward"; "whole" of a graph that stays with PyTorch as Dynamo has traced it."""
    reason: str = ""
    """Why it stays there."""
    parts: list[PartReport] = field(default_factory=list)
    rest: list[RestReport] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    """What its runs took in `measure`, in us."""
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


_lock = threading.Lock()
_graphs: list[GraphReport] = []
_warned: set[str] = set()


def add(graph: GraphReport) -> None:
    with _lock:
        _graphs.append(graph)


def report(model: Any = None) -> Report:
    """What the back end has taken of a model, or of all in this process, and why not the rest."""
    with _lock:
        graphs = list(_graphs)
    return Report(graphs if model is None else choose_graphs(graphs, model))


Record = list[tuple[list[float], Any, Any]]
_record: Optional[Record] = None


@contextlib.contextmanager
def measure() -> Iterator[None]:
    """Measures the time that graphs and their programs take on a GPU within the context, by events in their stream. Reports have
    the medians. Waits for the GPU at the end. Calls are expected in one context at a time."""
    global _record
    record: Record = []
    _record = record
    try:
        yield
    finally:
        _record = None
        if record:
            torch.cuda.synchronize()
        for times, start, end in record:
            times.append(1e3 * start.elapsed_time(end))


NOTHING = contextlib.nullcontext()


def note_time(times: list[float]) -> contextlib.AbstractContextManager[None]:
    """A context for what is put into the current stream, whose time is noted if `measure` asks for it."""
    return NOTHING if _record is None or not torch.cuda.is_available() else put_events(times, _record)


@contextlib.contextmanager
def put_events(times: list[float], record: Record) -> Iterator[None]:
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    yield
    end.record()
    record.append((times, start, end))


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


# ===------------------------------------------------------------------------===#
# Places in the model
# ===------------------------------------------------------------------------===#

FRAME = re.compile(r'File "([^"]+)", line (\d+)')


def find_frames(meta: Mapping[str, Any]) -> list[tuple[str, int]]:
    """The file and the line of each call of the model that a node follows from, the innermost last."""
    return [(file, int(line)) for file, line in FRAME.findall(meta.get("stack_trace") or "")]


def find_place(meta: Mapping[str, Any]) -> str:
    """Where the model has a node: "block.py:31 self.norm"; empty if nobody knows."""
    frames = find_frames(meta)
    if not frames:
        return ""
    file, line = frames[-1]
    stack = meta.get("nn_module_stack") or meta.get("fwd_nn_module_stack") or {}
    path = next((path for path, _ in reversed(list(stack.values()))), "")
    name = re.sub(r"\['?(\w+)'?\]", r".\1", re.sub(r"L\['(\w+)'\]", r"\1", path)).replace("_modules.", "")
    return f"{file.rpartition('/')[2]}:{line}{f' {name}' if name and name != 'self' else ''}"


def find_codes(model: Any) -> list[CodeType]:
    """Of a function, or of all modules of a model."""
    if isinstance(model, torch.nn.Module):
        functions = [type(each).forward for each in model.modules()]
    else:
        functions = [inspect.unwrap(getattr(model, "__func__", model))]
    return [each.__code__ for each in functions if hasattr(each, "__code__")]


def find_last_line(code: CodeType) -> int:
    return max((line for _, line in dis.findlinestarts(code)), default=code.co_firstlineno)


class Source:
    """Where a graph of Dynamo comes from: its parameters, and its lines in the model."""

    def __init__(self, module: Any, inputs: Sequence[Any]):
        tensors = [*inputs, *module.parameters()]
        self.parameters = [weakref.ref(each) for each in tensors if isinstance(each, torch.nn.Parameter)]
        self._frames = {frame for node in module.graph.nodes for frame in find_frames(node.meta)}

    def has_parameter(self, identities: set[int]) -> bool:
        return any(id(parameter()) in identities for parameter in self.parameters)

    def is_of(self, codes: Sequence[CodeType]) -> bool:
        return any(file == code.co_filename and code.co_firstlineno <= line <= find_last_line(code)
                   for code in codes for file, line in self._frames)


def choose_graphs(graphs: Sequence[GraphReport], model: Any) -> list[GraphReport]:
    """Those of a model: with its parameters, and others of its lines. Dynamo uses a graph for several models of a class, so that
    one with other parameters counts if none has the model's own."""
    model = getattr(model, "_orig_mod", getattr(model, "_torchdynamo_orig_callable", model))
    codes, identities = find_codes(model), set(map(id, model.parameters())) if isinstance(model, torch.nn.Module) else set()
    has_own = any(graph.source.has_parameter(identities) for graph in graphs)
    return [graph for graph in graphs if graph.source.has_parameter(identities)
            or (graph.source.is_of(codes) and not (has_own and graph.source.parameters))]
