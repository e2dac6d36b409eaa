# ===- calls.py - functions that kernels call ------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""`@carousel.function`: a function of Python stays a function of the kernel's module. It is traced once for each kind of
arguments, and the compiler inlines its calls. Other functions of Python become part of what calls them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Callable

from .memory import Memory
from .trace import Function, Node, Op, Region, Trace, TraceError, find_place, has_effects
from .values import Value, type_name


def describe(value: object) -> tuple[Any, ...]:
    """What the trace depends on."""
    if isinstance(value, Memory):
        return "memory", *value._key()
    if isinstance(value, Value):
        return "value", value.type
    if isinstance(value, (bool, int, float, str)) or value is None:
        return "constant", type(value), repr(value)
    raise TraceError(f"expected values of the kernel, tensors, numbers and texts as arguments of a function, got {type_name(value)}")


def trace_function(trace: Trace, function: Callable[..., Any], values: Sequence[Any], key: Any) -> Function:
    body = Region(None)
    made = Function(function.__name__, key, body, function.__code__.co_filename, function.__code__.co_firstlineno)
    names = function.__code__.co_varnames
    inside: list[Any] = []
    for number, value in enumerate(values):
        name = names[number] if number < function.__code__.co_argcount else f"argument{number}"
        if isinstance(value, Memory):
            node = Node(value.node.type, name, body)
            inside.append(value._with(node, name=name))
        elif isinstance(value, Value):
            node = Node(value.type, name, body)
            inside.append(Value(node))
        else:
            inside.append(value)
            continue
        body.arguments.append(node)
    outer, trace.region = trace.region, body
    try:
        returned = function(*inside)
    finally:
        trace.region = outer
    results = returned if isinstance(returned, tuple) else () if returned is None else (returned,)
    for each in results:
        if not isinstance(each, Value):
            raise TraceError(f"{made.name}: expected a function that returns values of the kernel, got {type_name(each)}")
    body.results = [each.node for each in results]
    for node in body.results:
        if node.region.root() is not body:
            raise TraceError(f"{made.name}: expected a function that returns what it computes, got {node.name} from outside")
    made.returns_one = isinstance(returned, Value)
    return made


def call(function: Callable[..., Any], values: Sequence[Any]) -> Any:
    trace = Trace.get()
    key = (function, *map(describe, values))
    if key in trace.open_calls:
        raise TraceError(f"{function.__name__}: expected a function that doesn't call itself, got a recursion")
    made = trace.functions.get(key)
    if made is None:
        trace.open_calls.append(key)
        try:
            made = trace.functions[key] = trace_function(trace, function, values, key)
        finally:
            trace.open_calls.pop()
    given = [value for value in values if isinstance(value, (Memory, Value))]
    operands = [value.node for value in given]
    trace.check_operands(operands)
    results = [Node(node.type, node.name, trace.region) for node in made.body.results]
    places = ", ".join(f"{{{number}}}" for number in range(len(operands)))
    types = ", ".join(str(node.type) for node in results)
    text = f"func.call @{{callee}}({places}) : ({', '.join(str(node.type) for node in operands)}) -> "
    text += types if len(results) == 1 else f"({types})"
    trace.region.ops.append(Op(text, operands, results, find_place(), any(map(has_effects, made.body.ops)), callee=made))
    made_values = tuple(map(Value, results))
    return made_values[0] if made.returns_one else made_values if made_values else None


def function(traced: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function of a module of a function of Python. Its arguments are values of the kernel, tensors, and numbers and
    texts of Python, each kind of which makes a function of its own. It returns values, and uses nothing else of the kernel."""

    @functools.wraps(traced)
    def wrapper(*values: Any) -> Any:
        return call(traced, values)

    return wrapper
