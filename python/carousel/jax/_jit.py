# ===- _jit.py - jit ------------------------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""`jit`, and the derivatives of what it compiles."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Optional

import jax
import jax.numpy as jnp
import numpy

from .._program import summarize
from .._report import GraphReport, PartReport
from ..errors import InvalidArgumentError
from ._call import Call, Traced
from ._options import Options
from ._report import LOG, set_source


@jax.tree_util.register_pytree_node_class
class Saved:
    """What the forward pass leaves to the backward pass."""

    def __init__(self, values: Sequence[Any], gradient: Gradient):
        self.values, self.gradient = values, gradient

    def tree_flatten(self) -> Any:
        return tuple(self.values), self.gradient

    @classmethod
    def tree_unflatten(cls, gradient: Any, values: Any) -> Any:
        return cls(values, gradient)


class Gradient:
    """The forward and the backward pass of a function, for gradients of these arguments."""

    def __init__(self, call: Call, moving: tuple[bool, ...]):
        self._call, self._moving = call, moving
        self._backward: dict[tuple[bool, ...], Callable[..., Any]] = {}
        chosen = [number for number, moves in enumerate(moving) if moves]

        def forward(*values: Any) -> list[Any]:
            def run(*own: Any) -> Any:
                operands = list(values)
                for number, value in zip(chosen, own):
                    operands[number] = value
                return call.function(*operands)

            policy = call.options.policy
            function = jax.checkpoint(run, policy=policy, prevent_cse=False) if policy else run
            results, pullback = jax.vjp(function, *(values[number] for number in chosen))
            saved, self._tree = jax.tree_util.tree_flatten(pullback)
            return [*results, *saved]

        self._forward = Traced(call.name, "forward", forward, call.jaxpr.in_avals, call.options, call.source)
        self._run_forward = make_differentiable(self._forward)
        self._count = len(call.jaxpr.out_avals)

    def run_forward(self, values: Sequence[Any]) -> tuple[list[Any], Saved]:
        results = self._run_forward(*values)
        return results[:self._count], Saved(results[self._count:], self)

    def run_backward(self, saved: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        """`cotangents`: of the results; one of jax.custom_derivatives.SymbolicZero is none."""
        zeros = tuple(isinstance(each, jax.custom_derivatives.SymbolicZero) for each in cotangents)
        if zeros not in self._backward:
            self._backward[zeros] = self._trace_backward(zeros)
        gradients = iter(self._backward[zeros](*saved, *(each for each, is_zero in zip(cotangents, zeros) if not is_zero)))
        return [next(gradients) if moves else None for moves in self._moving]

    def _trace_backward(self, zeros: tuple[bool, ...]) -> Callable[..., Any]:
        results = self._call.jaxpr.out_avals
        saved = self._forward.avals[self._count:]

        def backward(*values: Any) -> list[Any]:
            own = iter(values[len(saved):])
            cotangents = [make_zeros(result) if is_zero else next(own) for result, is_zero in zip(results, zeros)]
            pullback = jax.tree_util.tree_unflatten(self._tree, values[:len(saved)])
            return list(pullback(cotangents))

        given = [result for result, is_zero in zip(results, zeros) if not is_zero]
        return make_differentiable(Traced(self._call.name, "backward", backward, [*saved, *given], self._call.options,
                                          self._call.source))


def make_zeros(value: Any) -> Any:
    if jnp.issubdtype(value.dtype, jnp.inexact):
        return jnp.zeros(value.shape, value.dtype)
    return numpy.zeros(value.shape, jax.dtypes.float0)


def make_differentiable(traced: Traced) -> Callable[..., list[Any]]:
    """The function with gradients that are calls, and have gradients, too."""
    gradients: dict[tuple[bool, ...], Gradient] = {}

    @jax.custom_vjp
    def run(*operands: Any) -> list[Any]:
        return traced.call.bind(*operands)

    def forward(*operands: Any) -> tuple[list[Any], Saved]:
        moving = tuple(bool(each.perturbed) and jnp.issubdtype(each.value.dtype, jnp.inexact) for each in operands)
        if moving not in gradients:
            gradients[moving] = Gradient(traced.call, moving)
        return gradients[moving].run_forward([each.value for each in operands])

    def backward(saved: Saved, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(saved.gradient.run_backward(saved.values, cotangents))

    run.defvjp(forward, backward, symbolic_zeros=True)
    return lambda *values: traced.place(values, run)


def jit(function: Optional[Callable[..., Any]] = None, *, chip: Optional[str] = None, cpu: str = "xla", libraries: bool = True,
        policy: Optional[Callable[..., Any]] = Options.policy, **settings: Any) -> Callable[..., Any]:
    """Compiles a function, as jax.jit does, to a program. `settings` are those of jax.jit: static_argnums, donate_argnums and
    others. The other arguments are those of `Options`.

    A function that can't be a program runs by XLA, as a whole: a CompileWarning says why."""
    if function is None:
        return functools.partial(jit, chip=chip, cpu=cpu, libraries=libraries, policy=policy, **settings)
    if not callable(function):
        raise InvalidArgumentError(f"expected a function, got {type(function).__name__}")
    options, wrapped, source = Options(chip, cpu, libraries, policy), function, object()
    name = getattr(function, "__name__", type(function).__name__)

    @functools.wraps(function)
    def run(*arguments: Any, **named: Any) -> Any:
        leaves, tree = jax.tree_util.tree_flatten((arguments, named))
        # Others are static.
        places = [number for number, leaf in enumerate(leaves) if isinstance(leaf, jax.core.Tracer)]
        trees = []

        def run_flat(*values: Any) -> list[Any]:
            own = list(leaves)
            for number, value in zip(places, values):
                own[number] = value
            given, given_named = jax.tree_util.tree_unflatten(tree, own)
            results, result_tree = jax.tree_util.tree_flatten(wrapped(*given, **given_named))
            trees.append(result_tree)
            return list(results)

        values = [leaves[number] for number in places]
        reason = ""
        try:
            traced = Traced(name, "function", run_flat, [jax.typeof(value) for value in values], options, source)
            if effects := traced.call.jaxpr.effects:
                reason = f"expected a function without side effects, got {', '.join(sorted(map(str, effects)))}"
        except Exception as error:  # of the function, which raises it again, or of what needs the caller's context
            reason = f"{type(error).__name__}: {summarize(error)}"
        if reason:
            result = wrapped(*arguments, **named)
            part = PartReport(name, Counter(), reason=reason, fallback=LOG.fallback)
            LOG.add(GraphReport("function", source, parts=[part], fallback=LOG.fallback))
            LOG.warn_of_part(f"{name}: {reason}")
            return result
        return jax.tree_util.tree_unflatten(trees[-1], make_differentiable(traced)(*values))

    set_source(run, source)
    compiled: Callable[..., Any] = jax.jit(run, **settings)
    return compiled
