# ===- _report.py - the report of the back end ----------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""The graphs that Dynamo has handed over, the time that they take on a GPU, and where in the model a node is from."""

from __future__ import annotations

import contextlib
import dis
import inspect
import re
import weakref
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType
from typing import Any, Optional

import torch

from .._report import GraphReport, Log, Report

LOG = Log("PyTorch")
reset = LOG.reset


def report(model: Any = None) -> Report:
    """What the back end has taken of a model, or of all in this process, and why not the rest."""
    return Report(LOG.graphs if model is None else choose_graphs(LOG.graphs, model))


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
