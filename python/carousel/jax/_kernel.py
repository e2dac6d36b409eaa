# ===- _kernel.py - kernels of Python as calls --------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""`kernel`, which makes a function of arrays of a kernel that `carousel.kernel` has traced."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

import jax
import jax.numpy as jnp
from jax.extend import core
from jax.interpreters import batching, mlir

from .._arrays import ELEMENTS, NAMES
from .._cache import Entry
from .._program import Refused, build
from .._report import GraphReport, PartReport
from ..device import Parameter, convert_number
from ..errors import CarouselError, InvalidArgumentError
from ..package import Package
from ._call import make_aval, vary_alike
from ._ffi import Target, lower_launch, lower_simulation
from ._options import Options
from ._report import LOG, set_source


@dataclass(frozen=True)
class KernelCall:
    """A launch but for its arrays."""

    source: Any  # a TracedKernel
    options: Options
    operands: tuple[int, ...]  # of each parameter, the number of the buffer, operands before results; -1: a scalar
    bits: tuple[int, ...]  # of each parameter, those of the number: -0.0 is another one than 0.0
    results: tuple[tuple[tuple[int, ...], str], ...]  # extents and types
    aliases: tuple[tuple[int, int], ...]
    scalars: tuple[Any, ...] = field(compare=False)  # of each parameter, the number or None

    def __repr__(self) -> str:
        return str(self.source.name)

    def find_target(self) -> Target:
        package = find_package(self.source, self.options, self.options.find_chip())
        return Target(package, "kernel", self.source.name, self.operands, self.bits, self.aliases)


def describe(parameter: Any) -> Parameter:
    name, access, element, extents = parameter
    fixed = tuple(extent if isinstance(extent, int) else None for extent in extents or ())
    return Parameter(name, extents is not None, access, element, fixed, True)


@functools.lru_cache(maxsize=None)
def find_package(source: Any, options: Options, chip: str) -> Package:
    entry = Entry("jax", source.mlir, chip, "exact", options.libraries)
    part = PartReport(source.name, Counter({"kernel": 1}), fallback=LOG.fallback)
    LOG.add(GraphReport("kernel", source, parts=[part], fallback=LOG.fallback))
    try:
        return build(lambda: str(source.mlir), entry, part)[0]
    except Refused as failure:
        part.reason = str(failure)
        raise CarouselError(f"{source.name}: {failure}") from None


# ===------------------------------------------------------------------------===#
# The primitive
# ===------------------------------------------------------------------------===#

kernel_p = core.Primitive("carousel_kernel")
kernel_p.multiple_results = True


@kernel_p.def_abstract_eval
def find_results(*values: Any, call: KernelCall) -> list[Any]:
    return [make_aval(jax.ShapeDtypeStruct(extents, dtype), values) for extents, dtype in call.results]


def batch(values: Any, dims: Any, *, call: KernelCall) -> Any:
    """One launch after the other."""
    moved = [value if dim is None else jnp.moveaxis(value, dim, 0) for value, dim in zip(values, dims)]
    scanned = [value for value, dim in zip(moved, dims) if dim is not None]

    def run(own: Any) -> Any:
        own = iter(own)
        return kernel_p.bind(*(value if dim is None else next(own) for value, dim in zip(moved, dims)), call=call)

    results = jax.lax.map(run, scanned)
    return results, [0] * len(results)


def refuse_gradient(*_: Any, call: KernelCall) -> Any:
    raise InvalidArgumentError(f"{call}: expected a kernel whose gradient jax.custom_vjp gives, got one without")


def lower_cpu(context: Any, *operands: Any, call: KernelCall) -> Any:
    if call.options.cpu != "simulate":
        raise InvalidArgumentError(f"{call}: expected arrays on a CUDA device, or cpu='simulate', got arrays on the CPU")
    names = [name for name, _, _, _ in call.source.parameters]
    numbers = {name: value for name, value in zip(names, call.scalars) if value is not None}
    target = Target(None, "kernel", call.source.name, call.operands, (), call.aliases)  # type: ignore[arg-type]
    return lower_simulation(context, operands, call.source, names, target, numbers)


@functools.lru_cache(maxsize=1024)
def compile_call(call: KernelCall) -> Any:
    """Outside of jax.jit, so that XLA compiles equal calls once."""
    return jax.jit(lambda *values: kernel_p.bind(*values, call=call))


kernel_p.def_impl(lambda *values, call: compile_call(call)(*values))
batching.primitive_batchers[kernel_p] = batch
jax.interpreters.ad.primitive_jvps[kernel_p] = refuse_gradient
mlir.register_lowering(kernel_p, lambda context, *operands, call: lower_launch(context, operands, call.find_target()),
                       platform="cuda")
mlir.register_lowering(kernel_p, lower_cpu, platform="cpu")


# ===------------------------------------------------------------------------===#
# Calls
# ===------------------------------------------------------------------------===#

def collect(source: Any, values: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """The values of parameters that aren't results, by their names."""
    wanted = [name for name, access, _, _ in source.parameters if access != "out"]
    given = dict(zip(wanted, values))
    for name in named:
        if name not in wanted or name in given:
            raise InvalidArgumentError(f"{source.name}: expected a value of each of {', '.join(wanted)}, once, got '{name}'")
    given.update(named)
    if len(values) > len(wanted) or len(given) < len(wanted):
        raise InvalidArgumentError(f"{source.name}: expected {len(wanted)} values ({', '.join(wanted)}), got "
                                   f"{len(values) + len(named)}")
    return given


def kernel(source: Any, *, extents: Optional[Mapping[str, int]] = None, chip: Optional[str] = None,
           cpu: str = "xla") -> Callable[..., Any]:
    """A function of what the kernel reads, which returns what it writes: its `out` and `inout` arguments in their order, one
    or a tuple. Scalars are numbers of Python. `extents` has numbers for names that only results have."""
    if not hasattr(source, "parameters") or not hasattr(source, "mlir"):
        raise InvalidArgumentError(f"expected a kernel of Python, made by carousel.kernel, got {type(source).__name__}")
    options = Options(chip, cpu)

    @functools.wraps(source.function)
    def run(*values: Any, **named: Any) -> Any:
        given = collect(source, values, named)
        known = dict(extents or {})
        arrays: list[Any] = []
        results: list[tuple[tuple[int, ...], str]] = []
        aliases: list[tuple[int, int]] = []
        for name, access, element, shape in source.parameters:
            if shape is not None and access != "out":
                arrays.append(check_array(source.name, name, element, shape, given[name], known))
        operands, scalars, bits, place = [], [], [], 0
        for parameter in source.parameters:
            name, access, element, shape = parameter
            scalars.append(None if shape is not None else check_scalar(source.name, name, given[name]))
            bits.append(0 if shape is not None else convert_number(scalars[-1], describe(parameter)))
            if shape is None:
                operands.append(-1)
            elif access == "in":
                operands.append(place)
            else:
                dtype = NAMES[element]
                if access == "inout":
                    aliases.append((place, len(results)))
                    dtype = str(arrays[place].dtype)
                operands.append(len(arrays) + len(results))
                results.append((find_extents(source.name, name, shape, known), dtype))
            place += shape is not None and access != "out"
        call = KernelCall(source, options, tuple(operands), tuple(bits), tuple(results), tuple(aliases), tuple(scalars))
        made = kernel_p.bind(*vary_alike(arrays), call=call)
        return made[0] if len(made) == 1 else tuple(made)

    set_source(run, source)
    return run


def check_array(kernel: str, name: str, element: str, shape: Sequence[Any], value: Any, known: dict[str, int]) -> Any:
    array = jnp.asarray(value)
    if ELEMENTS.get(str(array.dtype)) != element or array.ndim != len(shape):
        raise InvalidArgumentError(f"{kernel}: expected {name} as {element} of rank {len(shape)}, got {array.dtype} of rank "
                                   f"{array.ndim}")
    for dim, (wanted, extent) in enumerate(zip(shape, array.shape)):
        expected = known.setdefault(wanted, extent) if isinstance(wanted, str) else wanted
        if extent != expected:
            raise InvalidArgumentError(f"{kernel}: expected extent {expected} in dimension {dim} of {name}, got {extent}")
    return array


def check_scalar(kernel: str, name: str, value: Any) -> Any:
    if isinstance(value, jax.core.Tracer) or not isinstance(value, (bool, int, float)):
        raise InvalidArgumentError(f"{kernel}: expected a number of Python as {name}, which is a scalar, got "
                                   f"{type(value).__name__}; make it a static argument")
    return value


def find_extents(kernel: str, name: str, shape: Sequence[Any], known: Mapping[str, int]) -> tuple[int, ...]:
    for extent in shape:
        if isinstance(extent, str) and extent not in known:
            raise InvalidArgumentError(f"{kernel}: expected extents={{'{extent}': ...}} for the result {name}, as no argument "
                                       "has it, got none")
    return tuple(known[extent] if isinstance(extent, str) else extent for extent in shape)
