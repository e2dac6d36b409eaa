# ===- _recompute.py - what is saved for the backward pass ---------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Divides a joint graph of AOTAutograd: PyTorch's minimum cut, with tensors that it must not save.

The minimum cut never computes products again. Scores of attention have many more elements than their factors, and to compute
them again takes less time than to pass them through memory. So such products, and the elementwise ops on them, are marked;
the backward graph gets them, and its kernels keep them on the chip."""

from __future__ import annotations

from typing import Any

import torch
from torch._functorch.compile_utils import fx_graph_cse
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch.utils.checkpoint import CheckpointPolicy

from ._random import SEED
from ._support import CONVERSIONS, find_packet, follows, is_number, is_view, mark_data_extents

PRODUCTS = (torch.ops.aten.mm.default, torch.ops.aten.bmm.default)
# Multiply-adds in the time that a byte takes, with a factor of two for the kernel that has both: of an H200, for 16 bits on
# tensor cores and for f32.
MULTIPLY_ADDS_PER_BYTE = {2: 64, 4: 16}


def count(value: Any) -> int:
    """Elements; of an extent that isn't known, by its example."""
    total = 1
    for extent in value.shape:
        total *= extent if isinstance(extent, int) else extent.node.hint or 1
    return total


def find_depth(node: torch.fx.Node) -> int:
    extent: Any = node.args[0].meta["val"].shape[-1]
    return extent if isinstance(extent, int) else int(extent.node.hint or 1)


def factor_bytes(node: torch.fx.Node) -> int:
    """Of an element of a factor as it is in memory: 2 for one that is widened."""
    sizes = []
    for factor in node.args[:2]:
        source: Any = factor
        while source.op == "call_function" and (is_view(source) or find_packet(source) in CONVERSIONS):
            source = source.args[0]
        sizes.append(source.meta["val"].element_size())
    return int(max(sizes))


def is_cheap_product(node: torch.fx.Node) -> bool:
    """Whether its result is larger than its factors, and faster to compute than to write and read."""
    if node.target not in PRODUCTS:
        return False
    factors = sum(count(factor.meta["val"]) for factor in node.args[:2])
    result = node.meta["val"]
    rate = MULTIPLY_ADDS_PER_BYTE.get(factor_bytes(node), 0)
    return count(result) > factors and bool(find_depth(node) <= 2 * result.element_size() * rate)


def is_widening(node: torch.fx.Node) -> bool:
    """Whether it converts elements to a larger type: what is converted takes less memory."""
    sources = node.all_input_nodes
    return find_packet(node) in CONVERSIONS and len(sources) == 1 and bool(
        sources[0].meta["val"].element_size() < node.meta["val"].element_size())


def find_cheap(graph: torch.fx.Graph) -> dict[torch.fx.Node, None]:
    """Such products, with what follows from them element by element, widened tensors in any order of elements, and what follows
    from constants and seeds alone, such as masks."""
    found: dict[torch.fx.Node, None] = {}
    widened, fixed = set(), set()
    for node in graph.nodes:
        value = node.meta.get("val")
        if is_number(node):
            fixed.add(node)
        if node.op != "call_function" or not isinstance(value, torch.Tensor):
            continue
        if node.target is SEED or follows(node, fixed):
            fixed.add(node)
            if node.target is not SEED:
                found[node] = None
                widened.add(node)
            continue
        sources = [each for each in node.all_input_nodes if each in found and each not in widened]
        is_elementwise = node.target not in PRODUCTS and any(
            isinstance(each.meta["val"], torch.Tensor) and count(each.meta["val"]) == count(value) for each in sources)
        if is_cheap_product(node) or is_elementwise:
            found[node] = None
        elif is_widening(node) or ((is_view(node) or find_packet(node) in CONVERSIONS) and node.all_input_nodes[0] in widened):
            widened.add(node)
            found[node] = None
    return found


def is_backward(node: torch.fx.Node) -> bool:
    return bool(node.meta.get("partitioner_tag") == "is_backward")


def mark_recomputed(graph: torch.fx.Graph) -> None:
    """Marks what the backward pass computes itself, or reads, directly or by others that are marked. The cut could move the
    former to the forward pass."""
    found, marked = find_cheap(graph), set()
    # Also of a checkpoint, which would restore the generator's state.
    for seed in graph.find_nodes(op="call_function", target=SEED):
        seed.meta["recompute"] = CheckpointPolicy.MUST_SAVE
    for node in reversed(graph.nodes):
        if node in found and (is_backward(node) or any(is_backward(user) or user in marked for user in node.users)):
            node.meta["recompute"] = CheckpointPolicy.MUST_RECOMPUTE
            marked.add(node)


def partition(joint: torch.fx.GraphModule, inputs: Any, **options: Any) -> tuple[torch.fx.GraphModule, torch.fx.GraphModule]:
    joint.graph.eliminate_dead_code()
    # Now, since what is equal in both passes has to be marked once.
    joint.graph = fx_graph_cse(joint.graph)
    mark_recomputed(joint.graph)
    mark_data_extents(joint.graph)
    forward, backward = min_cut_rematerialization_partition(joint, inputs, **options)
    return forward, backward
