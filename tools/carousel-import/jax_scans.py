# ===- jax_scans.py - loops of JAX whose iterations are a scan ---------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Finds loops (lax.scan) that carry sums, products, extrema and linear recurrences, for carousel-import. What they carry is a scan
of linalg, and all else is computed for all iterations at once."""

from dataclasses import dataclass, field
from typing import Any, Callable, Optional

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import Literal

from jax_functions import COMBINERS, scanAlong

# Shorter loops fuse better when they are unrolled.
LEAST_SCANNED = 32


# ===--------------------------------------------------------------------------===#
# Values that loops carry
# ===--------------------------------------------------------------------------===#


@dataclass
class Step:
    """How a carried value follows from the one before: combined with an element, or `factor * before + element`."""
    kind: str  # of COMBINERS, "recurrence", "same", or "delay": the element itself
    sources: list[Any] = field(default_factory=list)  # variables
    # Computes the element of their values, and the factor of a recurrence.
    compute: Callable[..., Any] = lambda *values: values


class Carries:
    """The body of a loop, whose carried values may be found one after the other."""

    def __init__(self, jaxpr, constants, carried):
        self.jaxpr = jaxpr
        self.makers = {variable: equation for equation in jaxpr.eqns for variable in equation.outvars}
        self.before = jaxpr.invars[constants:constants + carried]
        self.scanned = jaxpr.invars[constants + carried:]

    def depends(self, variable, unknown):
        """Whether a value depends on carried ones that aren't known."""
        open_, seen = [variable], set()
        while open_:
            value = open_.pop()
            if isinstance(value, Literal) or value in seen:
                continue
            seen.add(value)
            if value in unknown:
                return True
            if value in self.makers:
                open_ += self.makers[value].invars
        return False

    def match(self, number, unknown) -> Optional[Step]:
        own, result = self.before[number], self.jaxpr.outvars[number]
        if result is own:
            return Step("same")
        dtype = own.aval.dtype
        isNumber = jnp.issubdtype(dtype, jnp.floating) or jnp.issubdtype(dtype, jnp.integer)
        if own.aval.shape != result.aval.shape or dtype != result.aval.dtype or not isNumber:
            return None
        if not self.depends(result, unknown):
            return Step("delay", [result])
        equation = self.makers.get(result)
        if equation is not None and equation.primitive.name in COMBINERS:
            for operand, other in zip(equation.invars, reversed(equation.invars)):
                if operand is own and not self.depends(other, unknown):
                    return Step(equation.primitive.name, [other])
        sources: list[Any] = []
        if jnp.issubdtype(dtype, jnp.unsignedinteger):
            return None
        if self.divide(result, own, unknown, lambda source: sources.append(source) or 1.0) is None:
            return None

        def compute(*values):
            left = iter(values)
            factor, element = self.divide(result, own, unknown, lambda _: next(left))
            return tuple(jnp.broadcast_to(jnp.asarray(part, own.aval.dtype), own.aval.shape) for part in (element, factor))

        return Step("recurrence", sources, compute)

    def divide(self, variable, own, unknown, read):
        """A value as `factor * own + element`; None if it isn't one. `read` gives those that depend on no carried one."""
        if not self.depends(variable, unknown):
            return 0, read(variable)
        if variable is own:
            return 1, 0
        equation = self.makers.get(variable)
        if equation is None or equation.primitive.name not in ("add", "add_any", "sub", "mul", "neg"):
            return None
        parts = [self.divide(operand, own, unknown, read) for operand in equation.invars]
        if None in parts:
            return None
        if equation.primitive.name == "neg":
            return -parts[0][0], -parts[0][1]
        (factor, element), (other, more) = parts
        if equation.primitive.name == "mul":
            moving = [self.depends(operand, unknown) for operand in equation.invars]
            if all(moving):
                return None
            scale, parts = (more, parts[0]) if moving[0] else (element, parts[1])
            # Zero times what isn't finite would be NaN.
            return tuple(0 if isinstance(part, int) and part == 0 else part * scale for part in parts)
        return (factor - other, element - more) if equation.primitive.name == "sub" else (factor + other, element + more)

    def evaluate(self, wanted, known):
        """`known`: values by variable."""
        known = dict(known)

        def read(variable):
            return variable.val if isinstance(variable, Literal) else known[variable]

        needed, open_ = set(), [variable for variable in wanted if not isinstance(variable, Literal)]
        while open_:
            variable = open_.pop()
            equation = None if variable in known else self.makers.get(variable)
            if equation is None or id(equation) in needed:
                continue
            needed.add(id(equation))
            open_ += [operand for operand in equation.invars if not isinstance(operand, Literal)]
        for equation in self.jaxpr.eqns:
            if id(equation) not in needed:
                continue
            made = equation.primitive.bind(*map(read, equation.invars), **equation.primitive.get_bind_params(equation.params))
            for variable, value in zip(equation.outvars, made if equation.primitive.multiple_results else [made]):
                known[variable] = value
        return [jnp.asarray(read(variable), variable.aval.dtype) for variable in wanted]


def pickLast(numbers):
    """As a sum, since programs read no elements on the host."""
    isLast = lax.iota(jnp.int32, len(numbers)) == len(numbers) - 1
    return jnp.sum(jnp.where(isLast, numbers, jnp.zeros((), numbers.dtype)), dtype=numbers.dtype)


def scanLoop(jaxpr, constants, carry, scanned, length, reverse):
    """The results of a loop as scans along dimension 0; None where it is short, or carries something else."""
    if length < LEAST_SCANNED:
        return None
    carries = Carries(jaxpr.jaxpr, len(constants), len(carry))
    unknown = set(carries.before)
    fixed = dict(zip(carries.jaxpr.constvars, jaxpr.consts)) | dict(zip(carries.jaxpr.invars, constants))
    if reverse:
        scanned = [lax.rev(array, (0,)) for array in scanned]
    rows = dict(zip(carries.scanned, scanned))
    last = list(carry)

    def mapOver(wanted, compute=lambda *values: values):
        """Values of all iterations."""
        names, arrays = list(rows), list(rows.values())
        if not arrays:
            return [jnp.broadcast_to(value, (length, *value.shape)) for value in compute(*carries.evaluate(wanted, fixed))]
        return jax.vmap(lambda *values: compute(*carries.evaluate(wanted, fixed | dict(zip(names, values)))), axis_size=length)(*arrays)

    while unknown:
        steps = {number: step for number, own in enumerate(carries.before)
                 if own in unknown and (step := carries.match(number, unknown))}
        if not steps:
            return None
        found = {}
        for number, step in steps.items():
            own, start = carries.before[number], carry[number]
            if step.kind == "same":
                fixed[own] = start
                continue
            # Numbers may stand for all elements.
            shape = (length, *start.shape)
            elements = [jnp.broadcast_to(part.reshape(length, *[1] * (len(shape) - part.ndim), *part.shape[1:]), shape)
                        for part in mapOver(step.sources, step.compute)]
            if step.kind == "delay":
                upTo = elements[0]
                before = lax.concatenate([start[None], lax.slice_in_dim(upTo, 0, length - 1)], 0)
            else:
                before, upTo = scanAlong(step.kind, 0, *elements, start)
            found[own] = before
            last[number] = lax.index_in_dim(upTo, length - 1, keepdims=False) if start.ndim else pickLast(upTo)
        unknown -= {carries.before[number] for number in steps}
        rows |= found
    made = mapOver(carries.jaxpr.outvars[len(carry):]) if len(carries.jaxpr.outvars) > len(carry) else []
    return [*last, *(lax.rev(array, (0,)) if reverse else array for array in made)]
