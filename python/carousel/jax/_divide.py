# ===- _divide.py - what of a function can be programs ------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Divides a function that the importer refuses: into equations that it refuses, which stay with XLA, and parts of others.

An equation belongs to the part whose number is how many refused equations are before it, on the longest path. So part n needs
nothing of refused equations but of those that need parts before n."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Optional

import jax
from jax._src import source_info_util
from jax.extend import core

Run = Callable[[Any, Sequence[Any]], Sequence[Any]]

# Primitives that call a function, and the parameter that has it.
CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr", "custom_jvp_call": "call_jaxpr",
         "custom_vjp_call": "call_jaxpr", "custom_vjp_call_jaxpr": "fun_jaxpr", "remat2": "jaxpr", "checkpoint": "jaxpr"}
# Each reader may have its own: they move nothing, or are part of what reads them.
VIEWS = frozenset("broadcast_in_dim reshape transpose squeeze expand_dims iota copy copy_p convert_element_type slice".split())


def find_inner(equation: Any) -> Any:
    """The function that an equation calls, and its constants; None if it calls none."""
    name = equation.primitive.name
    if name == "carousel_call":
        return equation.params["call"].jaxpr.jaxpr, ()
    inner = equation.params.get(CALLS.get(name, ""))
    return None if inner is None else (getattr(inner, "jaxpr", inner), getattr(inner, "consts", ()))


def bind(equation: Any, values: Sequence[Any]) -> Sequence[Any]:
    """The results of an equation, with its place in the caller's function."""
    stack = source_info_util.current_name_stack() + equation.source_info.name_stack
    with source_info_util.user_context(equation.source_info.traceback, name_stack=stack), equation.ctx.manager:
        results = equation.primitive.bind(*values, **equation.primitive.get_bind_params(equation.params))
    return list(results) if equation.primitive.multiple_results else [results]


def evaluate(jaxpr: Any, constants: Sequence[Any], values: Sequence[Any], run: Run) -> list[Any]:
    known = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*constants, *values]))

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, core.Literal) else known[atom]

    for equation in jaxpr.eqns:
        known.update(zip(equation.outvars, run(equation, [read(atom) for atom in equation.invars])))
    return [read(atom) for atom in jaxpr.outvars]


def flatten(jaxpr: core.ClosedJaxpr) -> core.ClosedJaxpr:
    """The function without calls of functions."""
    def run(equation: Any, values: Sequence[Any]) -> Sequence[Any]:
        inner = find_inner(equation)
        return evaluate(inner[0], inner[1], values, run) if inner else bind(equation, values)

    examples = [jax.ShapeDtypeStruct(value.shape, value.dtype) for value in jaxpr.in_avals]
    return jax.make_jaxpr(lambda *values: evaluate(jaxpr.jaxpr, jaxpr.consts, values, run))(*examples)


def find_place(equation: Any) -> str:
    """The line of the caller's function, "model.py:31"."""
    file, _, rest = source_info_util.summarize(equation.source_info).partition(":")
    line = rest.partition(":")[0].partition(" ")[0]
    return f"{file.rpartition('/')[2]}:{line}" if line.isdigit() else ""


def is_drop(variable: Any) -> bool:
    return type(variable).__name__ == "DropVar"


def is_view(equation: Any) -> bool:
    return equation.primitive.name in VIEWS


@dataclass
class Step:
    """A part, or an equation that stays with XLA."""

    equations: list[Any]
    inputs: list[Any]
    outputs: list[Any]
    is_part: bool
    run: Optional[Callable[..., Sequence[Any]]] = None

    def make_jaxpr(self, like: Any) -> core.ClosedJaxpr:
        jaxpr = like.replace(constvars=[], invars=self.inputs, outvars=self.outputs, eqns=self.equations,
                             debug_info=like.debug_info.with_unknown_names())
        return core.ClosedJaxpr(jaxpr, ())


class Division:
    """A function as steps. `refuse` says why an equation, as a step, can't be in a part; empty if it can."""

    def __init__(self, closed: core.ClosedJaxpr, refuse: Callable[[core.ClosedJaxpr], str]):
        flat = flatten(closed)
        self._jaxpr, self._constants = flat.jaxpr, list(flat.consts)
        self._makers = {variable: equation for equation in self._jaxpr.eqns for variable in equation.outvars}
        self.left: Counter[tuple[str, str, str]] = Counter()
        refused = set()
        for equation in self._jaxpr.eqns:
            step = self._make_step([equation], set(equation.outvars), False)
            if step.outputs and (reason := refuse(step.make_jaxpr(self._jaxpr))):
                refused.add(id(equation))
                self.left[equation.primitive.name, reason, find_place(equation)] += 1
        self.steps = self._divide(refused) if refused else []

    @property
    def parts(self) -> list[tuple[Step, core.ClosedJaxpr]]:
        return [(step, step.make_jaxpr(self._jaxpr)) for step in self.steps if step.is_part]

    def _variables(self, equation: Any) -> list[Any]:
        return [atom for atom in equation.invars if not isinstance(atom, core.Literal)]

    def _make_step(self, equations: list[Any], needed: set[Any], is_part: bool) -> Step:
        made = {variable for equation in equations for variable in equation.outvars}
        inputs = dict.fromkeys(variable for equation in equations for variable in self._variables(equation) if variable not in made)
        outputs = [variable for equation in equations for variable in equation.outvars
                   if variable in needed and not is_drop(variable)]
        return Step(equations, list(inputs), outputs, is_part)

    def _divide(self, refused: set[int]) -> list[Step]:
        levels: dict[Any, int] = {}
        groups: dict[int, list[Any]] = {}
        for equation in self._jaxpr.eqns:
            level = max((levels.get(variable, 0) for variable in self._variables(equation)), default=0)
            groups.setdefault(2 * level + (id(equation) in refused), []).append(equation)
            levels.update(dict.fromkeys(equation.outvars, level + (id(equation) in refused)))
        chosen = []
        for number in sorted(groups):
            # A view is made again by each group that reads it, of what is in memory.
            equations = self._add_views(groups[number], refused)
            is_part = number % 2 == 0 and not all(map(is_view, groups[number]))
            chosen.append((equations, is_part))
        needed = {atom for atom in self._jaxpr.outvars if not isinstance(atom, core.Literal)}
        steps: list[Step] = []
        for equations, is_part in reversed(chosen):
            groups_of = [equations] if is_part else [[equation] for equation in reversed(equations)]
            for each in groups_of:
                step = self._make_step(each, needed, is_part)
                if step.outputs:
                    # Earlier groups needn't give what this one makes again.
                    needed = (needed - set(step.outputs)) | set(step.inputs)
                    steps.append(step)
        return steps[::-1]

    def _add_views(self, equations: list[Any], refused: set[int]) -> list[Any]:
        own = {id(equation) for equation in equations}
        added: dict[int, Any] = {}

        def visit(equation: Any) -> None:
            for variable in self._variables(equation):
                maker = self._makers.get(variable)
                if maker is not None and id(maker) not in own and id(maker) not in added and is_view(maker) and id(maker) not in refused:
                    added[id(maker)] = maker
                    visit(maker)

        for equation in equations:
            visit(equation)
        keep = own | set(added)
        return [equation for equation in self._jaxpr.eqns if id(equation) in keep]

    def __call__(self, *values: Any) -> list[Any]:
        known = dict(zip([*self._jaxpr.constvars, *self._jaxpr.invars], [*self._constants, *values]))

        def read(atom: Any) -> Any:
            return atom.val if isinstance(atom, core.Literal) else known[atom]

        for step in self.steps:
            given = [known[variable] for variable in step.inputs]
            if step.run is not None:
                known.update(zip(step.outputs, step.run(*given)))
            else:
                for equation in step.equations:
                    known.update(zip(equation.outvars, bind(equation, [read(atom) for atom in equation.invars])))
        return [read(atom) for atom in self._jaxpr.outvars]
