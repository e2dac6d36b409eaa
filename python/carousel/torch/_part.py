# ===- _part.py - a part of a graph as a program -------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Makes a program of a part: a graph of ATen's operators with fake tensors at its nodes."""

from __future__ import annotations

import operator
import re
import time
import traceback
from collections import Counter
from collections.abc import Mapping
from typing import Any, Optional

import sympy
import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true
from torch.utils._sympy.functions import FloorDiv

from .. import _compiler as api
from .._cache import Entry
from .._import import CLEAN, load_tool
from .._program import Refused, build, summarize
from .._report import PartReport
from ..errors import CarouselError
from ..package import Package
from ..simulator import simulate
from ._options import Options, find_products
from ._report import find_place, note_time
from ._support import name_operator


OPERATORS = {sympy.Add: operator.add, sympy.Mul: operator.mul, FloorDiv: operator.floordiv}


# ===------------------------------------------------------------------------===#
# Normal form
# ===------------------------------------------------------------------------===#


def express(extent: Any) -> Any:
    """A number, or an expression of SymPy."""
    return extent.node.expr if isinstance(extent, torch.SymInt) else extent


def find_order(value: torch.Tensor) -> Optional[list[int]]:
    """The dimensions in the order that makes the tensor contiguous; None if none does."""
    strides = [extent if isinstance(extent, int) else extent.node.hint or 0 for extent in value.stride()]
    sizes = [extent if isinstance(extent, int) else extent.node.hint or 0 for extent in value.shape]
    order = sorted(range(value.dim()), key=lambda dim: (-strides[dim], sizes[dim] == 1))
    expected: Any = 1
    for dim in reversed(order):
        extent = value.shape[dim]
        if isinstance(extent, int) and extent == 1:
            continue
        if not statically_known_true(value.stride(dim) == expected):
            return None
        expected = expected * extent
    return order


def invert(order: list[int]) -> list[int]:
    return [order.index(dim) for dim in range(len(order))]


class NormalGraph:
    """A part whose arguments and results are contiguous tensors: those in another order of dimensions are permuted."""

    def __init__(self, module: torch.fx.GraphModule, donated: Mapping[int, int]):
        graph = torch.fx.Graph()
        known: dict[Any, torch.fx.Node] = {}
        self.inputs: list[tuple[int, Optional[list[int]]]] = []
        """Of each tensor, the number of the argument and the order of dimensions that the program takes."""
        self.outputs: list[tuple[tuple[Any, ...], torch.dtype, Optional[list[int]]]] = []
        """Of each result as the program writes it: the extents, the type, and the order that PyTorch expects."""
        self.donated: dict[int, int] = {}
        """Of results, the numbers in `inputs` of the arguments that have their elements after a launch."""
        numbers: list[tuple[int, torch.fx.Node]] = []
        for place, node in enumerate(module.graph.find_nodes(op="placeholder")):
            value = node.meta["val"]
            if isinstance(value, torch.Tensor):
                known[node] = self._add_input(graph, node, place)
            else:
                numbers.append((place, node))
        if not self.inputs:
            raise Refused("expected a tensor as an argument, got none")
        self.device = graph.find_nodes(op="placeholder")[0].meta["val"].device
        for result, place in donated.items():
            self.donated[result] = next(number for number, (own, _) in enumerate(self.inputs) if own == place)
        self._add_carriers(graph, numbers)
        self.tensors = [node.meta["val"] for node in graph.find_nodes(op="placeholder")]
        self._symbols = {symbol: (graph.find_nodes(op="placeholder")[number], dim) for symbol, (number, dim) in self.places().items()}
        for _, node in numbers:
            known[node] = self._compute(graph, express(node.meta["val"]))
        for node in module.graph.nodes:
            if node.op == "output":
                graph.output(tuple(self._add_output(graph, known[each], result) for result, each in enumerate(node.args[0])))
            elif node.op == "call_function":
                known[node] = graph.node_copy(node, lambda each: known[each])
            elif node.op != "placeholder":
                raise Refused(f"expected calls of operators, got {node.op} of {node.target}")
        graph.eliminate_dead_code()
        self.module = torch.fx.GraphModule({}, graph)
        self.model_places = [find_place(node.meta) for node in graph.nodes]
        """Of each line of `spell`, the place in the model. Programs of models that have equal parts are the same, so that these
        have the lines as places."""
        for line, node in enumerate(graph.nodes, 1):
            node.meta["stack_trace"] = f'  File "part", line {line}, in part\n'

    def _add_input(self, graph: torch.fx.Graph, node: torch.fx.Node, place: int) -> torch.fx.Node:
        value = node.meta["val"]
        order = find_order(value)
        # A tensor that has gaps is copied at each launch.
        permuted = value.permute(order) if order else value.contiguous()
        made = graph.placeholder(f"arg{place}")
        made.meta["val"] = permuted
        is_plain = order is None or order == list(range(value.dim()))
        self.inputs.append((place, None if is_plain else order))
        return made if is_plain else self._permute(graph, made, invert(order))  # type: ignore[arg-type]

    def _add_output(self, graph: torch.fx.Graph, node: torch.fx.Node, result: int) -> torch.fx.Node:
        value = node.meta["val"]
        order = self.inputs[self.donated[result]][1] if result in self.donated else find_order(value)
        is_plain = order is None or order == list(range(value.dim()))
        made = node if is_plain else self._permute(graph, node, order)  # type: ignore[arg-type]
        self.outputs.append((tuple(map(express, made.meta["val"].shape)), value.dtype, None if is_plain else invert(order)))  # type: ignore[arg-type]
        return made

    def _permute(self, graph: torch.fx.Graph, node: torch.fx.Node, order: list[int]) -> torch.fx.Node:
        made = graph.call_function(torch.ops.aten.permute.default, (node, order))
        made.meta["val"] = node.meta["val"].permute(order)
        return made

    def _add_carriers(self, graph: torch.fx.Graph, numbers: list[tuple[int, torch.fx.Node]]) -> None:
        """A number that PyTorch passes, and that is no extent of a tensor, becomes the extent of one that nothing reads."""
        self.tensors = [node.meta["val"] for node in graph.find_nodes(op="placeholder")]
        for place, node in numbers:
            symbol = express(node.meta["val"])
            if getattr(symbol, "is_Symbol", False) and symbol not in self.places():
                made = graph.placeholder(f"arg{place}")
                made.meta["val"] = self.tensors[0].new_empty([node.meta["val"]], dtype=torch.int8)
                self.tensors.append(made.meta["val"])
                self.inputs.append((place, None))

    def _compute(self, graph: torch.fx.Graph, wanted: Any) -> Any:
        """A number, or a node for it: an expression of extents of arguments, which PyTorch computes on the host."""
        if isinstance(wanted, int) or wanted.is_Integer:
            return int(wanted)
        if wanted.is_Symbol and wanted in self._symbols:
            source, dim = self._symbols[wanted]
            made = graph.call_function(torch.ops.aten.sym_size.int, (source, dim))
            made.meta["val"] = source.meta["val"].shape[dim]
            return made
        parts, function = wanted.args, OPERATORS.get(type(wanted))
        if wanted.is_Pow and wanted.exp.is_Integer and wanted.exp > 0:
            parts, function = (wanted.base,) * int(wanted.exp), operator.mul
        if function is None:
            raise Refused(f"expected sums, products and quotients of arguments' extents, got {wanted}")
        value = self._compute(graph, parts[0])
        for part in parts[1:]:
            other = self._compute(graph, part)
            made = graph.call_function(function, (value, other))
            made.meta["val"] = function(*(each.meta["val"] if isinstance(each, torch.fx.Node) else each for each in (value, other)))
            value = made
        return value

    def places(self) -> dict[Any, tuple[int, int]]:
        """Where each symbol is an extent: the number of the tensor, and the dimension."""
        found: dict[Any, tuple[int, int]] = {}
        for number, value in enumerate(self.tensors):
            for dim, extent in enumerate(value.shape):
                if isinstance(extent, torch.SymInt) and express(extent).is_Symbol:
                    found.setdefault(express(extent), (number, dim))
        return found

    def check_results(self) -> None:
        known = self.places()
        for extents, _, _ in self.outputs:
            for extent in extents:
                for symbol in getattr(extent, "free_symbols", ()):
                    if symbol not in known:
                        raise Refused(f"expected {symbol} of a result as an extent of an argument, got it in none")

    def spell(self) -> str:
        """A text that says what the part computes. Names of nodes and symbols, and the device, aren't in it."""
        names: dict[torch.fx.Node, str] = {}
        symbols: dict[Any, Any] = {}

        def extent(value: Any) -> str:
            expression = express(value)
            if isinstance(expression, int):
                return str(expression)
            for symbol in sorted(expression.free_symbols, key=str):
                symbols.setdefault(symbol, type(symbol)(f"d{len(symbols)}", integer=True, positive=True))
            return str(expression.xreplace(symbols))

        def argument(value: Any) -> str:
            if isinstance(value, torch.fx.Node):
                return names[value]
            if isinstance(value, (list, tuple)):
                return f"[{', '.join(map(argument, value))}]"
            return repr(value)

        def describe(value: Any) -> str:
            if isinstance(value, torch.Tensor):
                return f"{value.dtype}[{', '.join(map(extent, value.shape))}]"
            if isinstance(value, (list, tuple)):
                return f"({', '.join(map(describe, value))})"
            return extent(value) if isinstance(value, torch.SymInt) else repr(value)

        lines = []
        for node in self.module.graph.nodes:
            names[node] = f"%{len(names)}"
            if node.op == "output":
                shares = [f", result {result} in place of {number}" for result, number in sorted(self.donated.items())]
                lines.append(f"return {argument(node.args[0])}{''.join(shares)}")
            elif node.op == "placeholder":
                lines.append(f"{names[node]}: {describe(node.meta['val'])}")
            else:
                options = [f"{key}={argument(value)}" for key, value in node.kwargs.items() if key not in ("device", "pin_memory")]
                call = ", ".join([*map(argument, node.args), *options])
                lines.append(f"{names[node]} = {name_operator(node)}({call}): {describe(node.meta.get('val'))}")
        return "\n".join(lines) + "\n"


# ===------------------------------------------------------------------------===#
# Programs
# ===------------------------------------------------------------------------===#


DONATED = re.compile(r"%arg(\d+): tensor<[^<>]*> {tf.aliasing_output = (\d+) : i32}")


def mark_donated(text: str, donated: Mapping[int, int]) -> str:
    """The graph, whose results have the memory of arguments of the same type."""
    head = re.search(r"func\.func (?:public )?@main\((.*?)\) -> \(?([^{)]*)", text)
    assert head is not None
    results = re.findall(r"tensor<[^<>]*>", head[2])
    shares = {number: result for result, number in donated.items()}

    def mark(argument: re.Match[str]) -> str:
        result = shares.get(int(argument[1]))
        is_marked = result is not None and results[result] == argument[2]
        return f"{argument[0]} {{tf.aliasing_output = {result} : i32}}" if is_marked else argument[0]

    return text[:head.start(1)] + re.sub(r"%arg(\d+): (tensor<[^<>]*>)", mark, head[1]) + text[head.end(1):]


def import_graph(module: torch.fx.GraphModule) -> str:
    with load_tool() as tool:
        try:
            text = tool.lower_graph(module)
        except (tool.Failure, tool.Refusal) as failure:
            raise Refused(str(failure)) from None
        clean = tool.replace_argument_places
    return str(clean(api.run_passes(api.make_source("<part>", text.encode()), CLEAN, has_locations=True)))


class Program:
    """A part that runs as a program, on a GPU or on the simulated machine."""

    def __init__(self, normal: NormalGraph, package: Package, graph: str, is_simulated: bool, report: PartReport):
        self._inputs, self._device = normal.inputs, normal.device
        self._outputs = [(extents, dtype, order, all(isinstance(extent, int) for extent in extents))
                         for extents, dtype, order in normal.outputs]
        self._places = normal.places()
        self._sizes: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        self._package, self._graph, self._is_simulated = package, graph, is_simulated
        self._donated = normal.donated
        self._in_place = {int(result): int(number) for number, result in DONATED.findall(graph)}
        self._program: Any = None
        self._report = report
        report.donated = len(self._in_place)

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        tensors, copied = [], set()
        for number, (place, order) in enumerate(self._inputs):
            value = values[place]
            if isinstance(value, int):
                value = torch.empty(value, dtype=torch.int8, device=self._device)
            if order is not None:
                value = value.permute(order)
            if not value.is_contiguous():
                value = value.contiguous()
                copied.add(number)
            tensors.append(value)
        results = self.allocate(tensors)
        for result, number in self._donated.items():
            is_in_place = result in self._in_place and number not in copied
            results[result] = tensors[number] if is_in_place else torch.empty_like(tensors[number])
        self.run(tensors, results)
        for result, number in self._donated.items():
            if results[result] is not tensors[number]:
                place, order = self._inputs[number]
                target = values[place].detach()
                (target if order is None else target.permute(order)).copy_(results[result])
        return tuple(result if order is None else result.permute(order)
                     for result, (_, _, order, _) in zip(results, self._outputs))

    def allocate(self, tensors: list[Any]) -> list[Any]:
        """Results, by PyTorch's allocator; None for those of donated arguments."""
        sizes: list[tuple[int, ...]]
        if not self._places:
            sizes = [extents for extents, _, _, _ in self._outputs]
        else:
            key = tuple(tensors[number].shape[dim] for number, dim in self._places.values())
            if key not in self._sizes:
                chosen = dict(zip(self._places, key))
                self._sizes[key] = [tuple(int(extent.subs(chosen)) if hasattr(extent, "subs") else extent for extent in extents)
                                    for extents, _, _, _ in self._outputs]
            sizes = self._sizes[key]
        device = tensors[0].device
        return [None if result in self._donated else torch.empty(size, dtype=dtype, device=device)
                for result, (size, (_, dtype, _, _)) in enumerate(zip(sizes, self._outputs))]

    def run(self, tensors: list[Any], results: list[Any]) -> None:
        if self._is_simulated:
            arguments = {f"arg{number}": each.detach() for number, each in enumerate(tensors)}
            arguments.update((f"result{number}", each.detach()) for number, each in enumerate(results))
            # Results that have the memory of arguments have elements before.
            simulate(self._graph, arguments, program="main", written=[f"result{number}" for number in self._in_place]).check()
            return
        if self._program is None:
            program = self._package.program("main")
            program.load(tensors[0].device.index or 0)  # a stream that is captured later may launch it
            self._program = program
        with note_time(self._report.times):
            self._program(*tensors, *results)


def make_part(name: str, module: torch.fx.GraphModule, options: Options, donated: Mapping[int, int]) -> tuple[Any, PartReport]:
    """What runs a part, and the report of it; None for the former if PyTorch has to. A program writes results to the arguments
    that `donated` has for them."""
    calls = [node for node in module.graph.nodes if node.op == "call_function"]
    report = PartReport(name, Counter(map(name_operator, calls)))
    start = time.perf_counter()
    try:
        normal = NormalGraph(module, donated)
        is_on_cpu = normal.device.type == "cpu"
        if is_on_cpu and options.cpu == "torch":
            report.is_wanted = False
            raise Refused("expected tensors on a CUDA device, got tensors on the CPU")
        if normal.device.type not in ("cpu", "cuda"):
            raise Refused(f"expected tensors on a CUDA device, got tensors on {normal.device}")
        normal.check_results()
        chip, products = options.find_chip(normal.device), find_products()
        entry = Entry("torch", normal.spell(), chip, products, options.libraries)
        package, graph = build(lambda: mark_donated(import_graph(normal.module), normal.donated), entry, report, normal.model_places)
        report.seconds = time.perf_counter() - start
        if options.cpu == "compile" and (is_on_cpu or not torch.cuda.is_available()):
            return module, report
        return Program(normal, package, graph, is_on_cpu, report), report
    except (Refused, CarouselError) as failure:
        report.reason = summarize(failure)
    except Exception as error:  # of PyTorch's tracer, or of the importer: the part is right without a program
        report.reason = f"{type(error).__name__}: {summarize(error)}, at {traceback.extract_tb(error.__traceback__)[-1].name}"
    report.seconds = time.perf_counter() - start
    return None, report
