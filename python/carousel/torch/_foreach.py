# ===- _foreach.py - operators on lists of tensors ------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Decomposes operators on lists of tensors, which optimizers are written in, into operators on their elements: what becomes of
one tensor is a kernel."""

from __future__ import annotations

from typing import Any, Callable

import torch

PREFIX = "_foreach_"
# Bounds that are numbers have other operators than bounds that are tensors.
OF_NUMBERS = {"maximum": "clamp_min", "minimum": "clamp_max"}


def find_operator(name: str, overload: str) -> Any:
    """What an operator on lists does with each element."""
    aten = torch.ops.aten
    if name == "norm":
        return aten.linalg_vector_norm
    if name == "zero":
        return aten.zeros_like
    if overload in ("Scalar", "ScalarList"):
        name = OF_NUMBERS.get(name, name)
    return getattr(aten, name, None)


def is_list(argument: Any) -> bool:
    return isinstance(argument.type, torch.ListType)


def make_decomposition(function: Any, schema: Any) -> Callable[..., Any]:
    lists = [is_list(argument) for argument in schema.arguments]

    def decompose(*values: Any, **named: Any) -> list[Any]:
        count = next(len(value) for value, has_list in zip(values, lists) if has_list)
        # Factors of products of three are named there.
        is_named = schema.name.endswith(("addcmul", "addcdiv")) and len(values) == 4
        results = []
        for number in range(count):
            own = [value[number] if has_list else value for value, has_list in zip(values, lists)]
            if is_named:
                results.append(function(*own[:3], value=own[3], **named))
            else:
                results.append(function(*own, **named))
        return results

    return decompose


def get_decompositions() -> dict[Any, Callable[..., Any]]:
    """Of functional operators. Those whose numbers are a tensor, and others without an operator on elements, stay whole."""
    aten, table = torch.ops.aten, {}
    for full in sorted({name.rstrip("_") for name in dir(torch._C._VariableFunctions) if name.startswith(PREFIX)}):
        packet = getattr(aten, full)
        for overload in packet.overloads():
            schema = getattr(packet, overload)._schema
            function = find_operator(full.removeprefix(PREFIX), overload)
            is_plain = not schema.is_mutable and len(schema.returns) == 1 and any(map(is_list, schema.arguments))
            if function is not None and is_plain and not (overload == "Tensor" and full.endswith(("addcmul", "addcdiv"))):
                table[getattr(packet, overload)] = make_decomposition(function, schema)
    return table
