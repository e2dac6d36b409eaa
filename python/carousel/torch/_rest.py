# ===- _rest.py - what stays with PyTorch ---------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Gives what no program computes to Inductor, where it pays: runs of operators between programs, and whole graphs.

AOTAutograd has decomposed operators, which are slow one by one. Inductor fuses them again. Where it can't be used, PyTorch runs
them as they are, and the report says why."""

from __future__ import annotations

import copy
import operator
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, Callable

import torch
from torch._guards import TracingContext, detect_fake_mode, tracing
from torch.fx.passes.operator_support import OperatorSupportBase

from .._program import summarize
from .._report import GraphReport, RestReport
from ._options import Options
from ._report import LOG
from ._support import fuse, is_draw, is_number, is_view, name_operator

# Random numbers are those that PyTorch's generators give without a compiler, too.
INDUCTOR_OPTIONS = {"fallback_random": True}


def find_devices(nodes: Any) -> set[str]:
    """The kinds of devices of tensors at nodes: of AOTAutograd, and of Dynamo."""
    values = torch.utils._pytree.tree_leaves([node.meta.get("val", node.meta.get("example_value")) for node in nodes])
    return {value.device.type for value in values if isinstance(value, torch.Tensor)}


def find_obstacle(options: Options, devices: set[str]) -> str:
    """Why Inductor can't be used on these devices; empty if it can."""
    if "cuda" in devices and not torch.utils._triton.has_triton():
        return "expected Triton for Inductor, got none that supports the device"
    if "cpu" in devices and options.rest == "inductor":
        from torch._inductor import cpp_builder

        try:
            cpp_builder.get_cpp_compiler()
        except Exception as error:  # of several types
            return f"expected a C++ compiler for Inductor, got none: {summarize(error)}"
    return ""


def is_wanted(options: Options, devices: set[str]) -> bool:
    """Whether the options ask for Inductor on these devices: it's the default on GPUs."""
    return options.rest == "inductor" or (options.rest == "auto" and devices == {"cuda"})


def run_inductor(module: torch.fx.GraphModule, inputs: Sequence[Any], options: Options, report: RestReport,
                 devices: set[str]) -> Any:
    """What Inductor makes of a graph, or None, with the reason in the report."""
    if not is_wanted(options, devices):
        return None
    start = time.perf_counter()
    report.reason = find_obstacle(options, devices)
    made = None
    if not report.reason:
        try:
            from torch._inductor.compile_fx import compile_fx

            # It changes the graph that it gets.
            made = compile_fx(copy.deepcopy(module), list(inputs), config_patches=INDUCTOR_OPTIONS)
            report.compiler = "inductor"
        except Exception as error:  # of Inductor, or of the compilers that it calls
            report.reason = f"Inductor: {type(error).__name__}: {summarize(error)}"
    report.seconds = time.perf_counter() - start
    if report.reason:
        LOG.warn_once(f"Inductor doesn't get a part of a model: {report.reason}")
    return made


# ===------------------------------------------------------------------------===#
# Runs of operators between programs
# ===------------------------------------------------------------------------===#


def can_move(node: torch.fx.Node) -> bool:
    """Whether a node can be in a graph of its own: a functional operator of tensors and numbers. Draws of random numbers keep their
    order, and so stay where they are."""
    if node.target is operator.getitem:
        return can_move(node.args[0])
    if node.op != "call_function" or is_number(node) or not isinstance(node.target, torch._ops.OpOverload):
        return False
    sources = (source.meta.get("val") for source in node.all_input_nodes)
    if node.target._schema.is_mutable or is_draw(node):
        return False
    return all(
        isinstance(value, (torch.Tensor, torch.SymInt, tuple, list)) for value in sources)


class Movable(OperatorSupportBase):
    def is_node_supported(self, submodules: Any, node: torch.fx.Node) -> bool:
        return can_move(node)


def count_fusible(nodes: Any) -> int:
    """Operators that Inductor has code for: others it calls as PyTorch does."""
    from torch._inductor.decomposition import decompositions
    from torch._inductor.lowering import fallbacks, lowerings

    return sum((node.target in decompositions or node.target in lowerings) and node.target not in fallbacks and not is_view(node)
               for node in nodes if node.target is not operator.getitem)


def needs_symbols(module: torch.fx.GraphModule) -> bool:
    """Whether an extent has a symbol that is neither an argument nor an extent of one: the generated code couldn't compute it."""
    known, needed = set(), set()
    for node in module.graph.find_nodes(op="placeholder"):
        value = node.meta["val"]
        for extent in (*value.shape, *value.stride()) if isinstance(value, torch.Tensor) else (value,):
            if isinstance(extent, torch.SymInt):
                needed |= extent.node.expr.free_symbols
                if extent.node.expr.is_Symbol:
                    known.add(extent.node.expr)
    return not needed <= known


def compile_rest(module: torch.fx.GraphModule, options: Options, report: GraphReport) -> None:
    """Replaces runs of operators that are outside of parts by what Inductor makes of them."""
    if not is_wanted(options, {"cuda"}):
        return

    def pays(nodes: dict[torch.fx.Node, Any]) -> bool:
        return is_wanted(options, find_devices(nodes)) and count_fusible(nodes) > 1

    for name in fuse(module, Movable(), pays, "rest_"):
        run = getattr(module, name)
        inputs = [node.meta["val"] for node in run.graph.find_nodes(op="placeholder")]
        calls = [node for node in run.graph.nodes if node.op == "call_function"]
        own = RestReport(name, Counter(map(name_operator, calls)))
        report.rest.append(own)
        if needs_symbols(run):
            own.reason = "expected extents of arguments, got ones that only the host knows"
            continue
        with tracing(TracingContext(detect_fake_mode(inputs))), torch.no_grad():
            made = run_inductor(run, inputs, options, own, find_devices(run.graph.nodes))
        if made is not None:
            delattr(module, name)
            setattr(module, name, made)


# ===------------------------------------------------------------------------===#
# Whole graphs
# ===------------------------------------------------------------------------===#


def compile_whole(module: torch.fx.GraphModule, inputs: Sequence[Any], options: Options, report: GraphReport) -> Callable[..., Any]:
    """A graph of Dynamo, as PyTorch would compile it without this back end, or run it."""
    calls = [node for node in module.graph.nodes if node.op.startswith("call_")]
    own = RestReport("graph", Counter(map(name_operator, calls)))
    report.rest.append(own)
    made = run_inductor(module, inputs, options, own, find_devices(module.graph.nodes))
    return module.forward if made is None else made  # type: ignore[no-any-return]
