# ===- _donate.py - arguments whose memory results have --------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Finds results of parts that a graph copies to arguments at its end, as AOTAutograd writes the update of a parameter or a buffer.
The program can write them there itself (docs/GraphPhase.md, Donated arguments)."""

from __future__ import annotations

import operator

import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true

from ._part import find_order
from ._support import COPY, is_view


def find_aliases(node: torch.fx.Node) -> set[torch.fx.Node]:
    """What may have memory of it: views of all kinds, and itself."""
    found, waiting = {node}, [node]
    while waiting:
        for user in waiting.pop().users:
            is_alias = user.target is operator.getitem or is_view(user) or (
                isinstance(user.target, torch._ops.OpOverload) and any(each.alias_info for each in user.target._schema.returns))
            if is_alias and user.target != COPY and user not in found:
                found.add(user)
                waiting.append(user)
    return found


def find_sources(node: torch.fx.Node) -> set[torch.fx.Node]:
    """What has to run before it."""
    found: set[torch.fx.Node] = set()
    waiting = [node]
    while waiting:
        for source in waiting.pop().all_input_nodes:
            if source not in found:
                found.add(source)
                waiting.append(source)
    return found


def is_alike(result: torch.Tensor, argument: torch.Tensor) -> bool:
    """Whether the argument's memory can have the result: it has no gaps."""
    return find_order(argument) is not None and result.dtype == argument.dtype and result.dim() == argument.dim() and all(
        statically_known_true(own == other) for own, other in zip(result.shape, argument.shape))


def find_donated(module: torch.fx.GraphModule, name: str) -> dict[int, tuple[int, torch.fx.Node]]:
    """Of results of a part: the number of the argument whose memory each may have, and the copy that isn't needed then. Such an
    argument becomes one of the part, if it isn't yet. No one reads its old elements after the part, in any order of the graph."""
    (call,) = module.graph.find_nodes(op="call_module", target=name)
    sources, donated = find_sources(call), {}
    for copy in module.graph.find_nodes(op="call_function", target=COPY):
        target, value = copy.args[:2]
        if target.op != "placeholder" or value.target is not operator.getitem or value.args[0] is not call or len(value.users) > 1:
            continue
        # The program itself knows that it reads the argument, but not that it reads a view of it.
        aliases = find_aliases(target)
        is_read_after = any(not (user in aliases or user is copy or user.op == "output" or user in sources
                                 or (user is call and alias is target)) for alias in aliases for user in alias.users)
        if is_read_after or any(user.op != "output" for user in copy.users) or not is_alike(value.meta["val"], target.meta["val"]):
            continue
        if target not in call.args:
            part = getattr(module, name)
            with part.graph.inserting_after(part.graph.find_nodes(op="placeholder")[-1]):
                part.graph.placeholder(target.name).meta["val"] = target.meta["val"]
            part.recompile()
            call.args = (*call.args, target)
        donated[int(value.args[1])] = call.args.index(target), copy
    return donated
