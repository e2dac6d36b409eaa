# ===- _ffi.py - calls of XLA's foreign function interface ----------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Calls of packages from programs of XLA: the runtime's handlers (carousel_xla.h), and the simulated machine on the CPU."""

from __future__ import annotations

import ctypes
import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

import jax
import numpy
from jax.interpreters import mlir

from .. import _runtime
from .._cuda import find_wheel_library
from ..package import Package
from ..simulator import simulate

LAUNCH, RECORDED = "carousel_launch", "carousel_launch_recorded"


@dataclass(frozen=True)
class Target:
    """A function of a package, and which buffers its arguments are: operands of the call before results."""

    package: Package
    kind: str  # "program" or "kernel"
    name: str
    operands: tuple[int, ...]  # -1: a scalar
    scalars: tuple[int, ...] = ()  # the bits of each argument that is one
    aliases: tuple[tuple[int, int], ...] = ()  # operands that results share memory with

    @property
    def attributes(self) -> dict[str, Any]:
        return {"package": self.package._on_disk(), "kind": self.kind, "name": self.name,
                "operands": numpy.array(self.operands, numpy.int64),
                "scalars": numpy.array(self.scalars or (0,) * len(self.operands), numpy.uint64).view(numpy.int64)}

    def is_recordable(self) -> bool:
        """Whether launches have no memory of their own, which graphs that run at the same time would share."""
        manifest = json.loads(self.package.files["manifest.json"])
        kernels = {kernel["name"]: kernel for kernel in manifest["kernels"]}
        if self.kind == "kernel":
            return not has_workspace(kernels[self.name])
        (own,) = (program for program in manifest["programs"] if program["name"] == self.name)
        return not has_workspace(own) and all(step["kind"] == "launch" and not has_workspace(kernels[step["kernel"]])
                                              for step in own["steps"])


def has_workspace(signature: dict[str, Any]) -> bool:
    return any(argument["kind"] == "workspace" for argument in signature["arguments"])


@functools.lru_cache(maxsize=None)
def register(platform: str) -> None:
    """Makes the handlers known to XLA, once. Steps that call cuBLASLt find it by its name."""
    if path := find_wheel_library("libcublasLt.so.13", "libcublasLt.so.12"):
        LIBRARIES.append(ctypes.CDLL(path))
    loaded = _runtime.library()
    for name in (LAUNCH, RECORDED):
        handlers = {"initialize": loaded.carousel_xla_load, "execute": getattr(loaded, name.replace("carousel", "carousel_xla"))}
        jax.ffi.register_ffi_target(name, {stage: jax.ffi.pycapsule(handler) for stage, handler in handlers.items()},
                                    platform=platform)


LIBRARIES: list[ctypes.CDLL] = []


def lower_launch(context: Any, operands: Sequence[Any], target: Target, platform: str = "CUDA") -> Any:
    """The custom call of a lowering rule."""
    register(platform)
    name = RECORDED if target.is_recordable() else LAUNCH
    rule = jax.ffi.ffi_lowering(name, operand_output_aliases=dict(target.aliases))
    return rule(context, *operands, **target.attributes)


def lower_simulation(context: Any, operands: Sequence[Any], source: Any, names: Sequence[str], target: Target,
                     chosen: Optional[dict[str, Any]] = None) -> Any:
    """A call of Python that runs the function on the simulated machine. `names`: of the arguments that are buffers, by
    their numbers; `chosen`: the scalars."""
    results = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in context.avals_out]
    shared = {result: operand for operand, result in target.aliases}

    def run(*values: Any) -> tuple[Any, ...]:
        given = [numpy.asarray(value) for value in values]
        made = [numpy.array(given[shared[number]]) if number in shared else numpy.empty(result.shape, result.dtype)
                for number, result in enumerate(results)]
        arrays = [*given, *made]
        arguments = {name: arrays[number] for name, number in zip(names, target.operands) if number >= 0}
        names_of = {target.kind: target.name}
        simulate(source, {**arguments, **(chosen or {})}, kernel=names_of.get("kernel"), program=names_of.get("program")).check()
        return tuple(made)

    def call(*values: Any) -> Any:
        return jax.pure_callback(run, tuple(results), *values)

    return mlir.lower_fun(call, multiple_results=True)(context, *operands)
