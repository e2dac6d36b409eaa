# ===- _attention.py - attention with its gradients ----------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""scaled_dot_product_attention as products and a softmax, forward and backward, which the graph phase makes kernels of.

The backward pass computes scores again from queries and keys. It needs the result and a number of each row besides, so that
no tensor of all scores is saved (docs/GraphPhase.md, Gradients). Products have factors of the arguments' type, and sums in
f32, as PyTorch's kernels for GPUs have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional
from unittest import mock

import torch
from torch.nn import functional

from .._import import load_tool
from ._random import Seeds, drop, is_taken


def widen(value: Any) -> Any:
    return value.to(torch.promote_types(value.dtype, torch.float32))


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, queries: Any, keys: Any, values: Any, mask: Any, is_causal: bool, factor: float, probability: float,
                seed: Any) -> Any:
        with load_tool(), torch.autocast(queries.device.type, enabled=False):
            from torch_decompositions import find_scores

            scores = find_scores(queries, keys, mask, is_causal, factor)
            largest = scores.amax(-1, keepdim=True)
            if mask is not None:  # rows without an element are zero
                largest = largest.masked_fill(largest == -torch.inf, 0)
            weights = torch.exp(scores - largest)
            sums = weights.sum(-1, keepdim=True)
            if mask is not None:
                sums = sums.masked_fill(sums == 0, 1)
            weights = weights / sums
            if seed is not None:
                weights, _ = drop(weights, probability, seed)
            result = torch.matmul(weights.to(values.dtype), values)
            ctx.save_for_backward(queries, keys, values, mask, result, largest + torch.log(sums), seed)
            ctx.is_causal, ctx.factor, ctx.probability = is_causal, factor, probability
            return result

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        queries, keys, values, mask, result, logarithms, seed = ctx.saved_tensors
        with load_tool(), torch.autocast(queries.device.type, enabled=False):
            from torch_decompositions import find_scores

            weights = torch.exp(find_scores(queries, keys, mask, ctx.is_causal, ctx.factor) - logarithms)
            of_weights = torch.matmul(widen(gradient), widen(values).transpose(-1, -2))
            kept = weights
            if seed is not None:
                kept, of_weights = (drop(each, ctx.probability, seed)[0] for each in (weights, of_weights))
            # The sum over a row of weights * of_weights, in another order.
            common = (widen(gradient) * widen(result)).sum(-1, keepdim=True)
            of_scores = weights * (of_weights - common)
            narrow = widen(of_scores.to(queries.dtype))
            of_queries = (torch.matmul(narrow, widen(keys)) * ctx.factor).to(queries.dtype)
            of_keys = (torch.matmul(narrow.transpose(-1, -2), widen(queries)) * ctx.factor).to(keys.dtype)
            of_values = torch.matmul(kept.to(values.dtype).transpose(-1, -2), gradient)
            of_mask = of_scores.sum_to_size(mask.shape).to(mask.dtype) if ctx.needs_input_grad[3] else None
        return of_queries, of_keys, of_values, of_mask, None, None, None, None


def attend(query: Any, key: Any, value: Any, attn_mask: Optional[Any] = None, dropout_p: float = 0.0, is_causal: bool = False,
           scale: Optional[float] = None, enable_gqa: bool = False) -> Any:
    """With the arguments of PyTorch's function."""
    kind = query.device.type
    if torch.is_autocast_enabled(kind):
        dtype = torch.get_autocast_dtype(kind)
        query, key, value = (each.to(dtype) if each.dtype != torch.float64 else each for each in (query, key, value))
    with load_tool():
        from torch_decompositions import decompose_attention, repeat_heads

        if enable_gqa:
            key, value = repeat_heads(query, key, value)
        shape = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2]) + (query.shape[-2], key.shape[-2])
        is_dropped = is_taken(shape, dropout_p)
        if dropout_p and not is_dropped:
            return decompose_attention(query, key, value, attn_mask, dropout_p, is_causal, scale)
    factor = query.shape[-1]**-0.5 if scale is None else scale
    seed = Seeds.make(query.device) if is_dropped else None
    return Attention.apply(query, key, value, attn_mask, is_causal, factor, dropout_p, seed)


def attend_heads(*arguments: Any, **options: Any) -> Any:
    """PyTorch's function, which Dynamo doesn't trace into. It calls the other one by its name."""
    with mock.patch.object(functional, "scaled_dot_product_attention", attend):
        return functional.multi_head_attention_forward(*arguments, **options)


REPLACEMENTS = {functional.scaled_dot_product_attention: attend, functional.multi_head_attention_forward: attend_heads}


def replace_calls(module: torch.fx.GraphModule, table: Mapping[Any, Any]) -> None:
    for each in module.modules():
        if isinstance(each, torch.fx.GraphModule):
            for node in each.graph.nodes:
                if node.op == "call_function" and node.target in table:
                    node.target = table[node.target]
            each.recompile()


def replace_attention(module: torch.fx.GraphModule) -> None:
    """In what Dynamo has traced: PyTorch chooses a kernel by the device, and AOTAutograd would see that kernel."""
    replace_calls(module, REPLACEMENTS)


def restore_attention(module: torch.fx.GraphModule) -> None:
    """Undoes `replace_attention`."""
    replace_calls(module, {own: theirs for theirs, own in REPLACEMENTS.items()})
