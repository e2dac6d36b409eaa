# ===- _backend.py - the back end of torch.compile ------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""`backend`, which torch.compile calls with each graph that Dynamo traces."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping
from typing import Any, Callable, Optional

import torch
from torch._decomp import core_aten_decompositions, get_decompositions
from torch._dynamo.backends.common import aot_autograd
from torch.utils._python_dispatch import _disable_current_modes

from .._import import load_tool
from .._report import GraphReport
from . import _foreach
from ._attention import replace_attention, restore_attention
from ._decompositions import get_decompositions as get_own_decompositions
from ._donate import find_donated
from ._options import Options
from ._part import Program, make_part
from ._recompute import PRODUCTS, factor_bytes, partition
from ._report import LOG, Source, find_place, note_time
from ._rest import compile_rest, compile_whole, find_devices
from ._support import COPY, divide, inline, name_operator

# Operators that stay whole in the graph: PyTorch's kernels of them are better than what they are decomposed to, or the importer
# takes them as they are.
WHOLE = ("addmm", "embedding_dense_backward", "gelu", "native_dropout", "index_put", "scatter_add", "index_add",
         "_scaled_dot_product_flash_attention_for_cpu")


@functools.lru_cache(maxsize=None)
def find_decompositions() -> dict[Any, Callable[..., Any]]:
    """Of operators in the graph, the same on each device and each machine: keys of the cache follow from it."""
    aten = torch.ops.aten
    table = {overload: function for overload, function in core_aten_decompositions().items()
             if getattr(overload, "_opname", "") not in WHOLE}
    table.update(get_decompositions([
        aten._softmax, aten._log_softmax, aten.nll_loss_forward, aten._native_batch_norm_legit, aten._native_batch_norm_legit_functional,
        aten.native_group_norm, aten.linalg_vector_norm]))
    table.update(get_own_decompositions())
    with load_tool():
        import torch_decompositions as own

        table.update(own.get_decompositions())
        table[aten.native_layer_norm.default] = own.decompose_layer_norm
        table[aten.slice_scatter.default] = own.decompose_slice_scatter
        table[aten.split_with_sizes.default] = own.decompose_split
        table[aten.nll_loss_backward.default] = own.decompose_label_gradient
    table.update(_foreach.get_decompositions())
    del table[aten.gelu.default]
    return table


class Declined(Exception):
    """The whole graph of Dynamo stays with PyTorch, as the report of it says."""

    def __init__(self, report: GraphReport):
        super().__init__(report.reason)
        self.report = report


def is_widened_product(node: torch.fx.Node) -> bool:
    """Whether it has factors of 16 bits that were widened, as attention of ours has: PyTorch computes it in f32."""
    return node.target in PRODUCTS and factor_bytes(node) < node.args[0].meta["val"].element_size()


class DividedGraph:
    """A graph whose parts are programs. PyTorch runs the rest."""

    def __init__(self, module: torch.fx.GraphModule, options: Options, kind: str, source: Source):
        self._report = report = GraphReport(kind, source)
        with _disable_current_modes():  # the backward pass is compiled when it runs, in modes of the caller
            self._module, names = divide(module, report)
            runners: dict[str, Any] = {}
            taken_copies: set[torch.fx.Node] = set()
            has_slow = False
            for name in names:
                part, donated = getattr(self._module, name), find_donated(self._module, name)
                places = {result: place for result, (place, _) in donated.items()}
                runner, part_report = make_part(name, part, options, places)
                report.parts.append(part_report)
                if isinstance(runner, Program):
                    for _, copy in donated.values():
                        copy.replace_all_uses_with(copy.args[0])
                        self._module.graph.erase_node(copy)
                if runner is not None:
                    runners[name] = runner
                    taken_copies.update(copy for _, copy in donated.values())
                    continue
                if part_report.is_wanted:
                    LOG.warn_of_part(part_report.reason)
                    has_slow = has_slow or any(map(is_widened_product, part.graph.nodes))
                inline(self._module, name)
            # Decline: decomposed operators are slow without a program. The forward pass decides for both.
            if kind != "backward" and (has_slow or report.refused_operators > report.taken_operators):
                reasons = Counter(part.reason for part in report.parts if part.reason and part.is_wanted)
                parts = [part for part in report.parts if part.reason]
                raise Declined(GraphReport("whole", source, reasons.most_common(1)[0][0], parts))
            for copy in set(self._module.graph.find_nodes(op="call_function", target=COPY)) - taken_copies:
                report.left[name_operator(copy), "no program can write there", find_place(copy.meta)] += 1
            compile_rest(self._module, options, report)
            for name, runner in runners.items():
                delattr(self._module, name)
                setattr(self._module, name, runner)
            self._module.graph.set_codegen(torch.fx.graph._BoxedCodeGen())
            self._module.recompile()
        LOG.add(report)

    def __call__(self, values: list[Any]) -> Any:
        """Takes the list over, as AOTAutograd asks, so that what it saved can be freed."""
        with note_time(self._report.times):
            return self._module.forward(values)


def backend(module: torch.fx.GraphModule, inputs: list[Any], *, mode: Optional[str] = None,
            options: Optional[Mapping[str, Any]] = None) -> Callable[..., Any]:
    """Compiles a graph of Dynamo. `options` are those of `Options`."""
    chosen = Options.read(options, mode)
    source = Source(module, inputs)

    def leave(report: GraphReport) -> Callable[..., Any]:
        made = compile_whole(module, inputs, chosen, report)
        LOG.add(report)
        return made

    if chosen.cpu == "torch" and find_devices(module.graph.nodes) == {"cpu"}:
        return leave(GraphReport("whole", source, "expected tensors on a CUDA device, got tensors on the CPU"))
    replace_attention(module)

    def compiler(kind: str) -> Callable[..., Any]:
        def compile_graph(graph: torch.fx.GraphModule, _: Any) -> Any:
            divided = DividedGraph(graph, chosen, kind, source)

            def run(values: list[Any]) -> Any:
                return divided(values)

            run._boxed_call = True  # type: ignore[attr-defined]
            return run

        return compile_graph

    try:
        made: Callable[..., Any] = aot_autograd(
            fw_compiler=compiler("forward"), bw_compiler=compiler("backward"), inference_compiler=compiler("inference"),
            decompositions=find_decompositions(), partition_fn=partition,
            keep_inference_input_mutations=True)(module, inputs)
        return made
    except Declined as declined:
        restore_attention(module)
        return leave(declined.report)
