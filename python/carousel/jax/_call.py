# ===- _call.py - a traced function as a primitive of JAX ------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""`Call`, a function that JAX has traced, and the primitive that calls one. Transformations of a call are calls of the
transformed function."""

from __future__ import annotations

import contextlib
import functools
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Optional, Union

import jax
from jax._src import core as own_core
from jax._src.interpreters import partial_eval
from jax.extend import core
from jax.interpreters import ad, batching, mlir

from .. import _compiler as api
from .._arrays import ELEMENTS
from .._cache import Entry
from .._import import CLEAN, load_tool
from .._program import Refused, build, summarize
from .._report import GraphReport, PartReport, Step
from ..errors import CarouselError
from ..package import Package
from ._divide import Division
from ._ffi import Target, lower_launch, lower_simulation
from ._options import Options
from ._report import LOG


class Program:
    """A function as a program: the package, and the graph for the simulated machine."""

    def __init__(self, package: Package, graph: str, count: int, steps: Sequence[Step]):
        self.graph, self.steps = graph, steps
        self.names = [parameter.name for parameter in package.program("main").parameters]
        self.target = Target(package, "program", "main", tuple(range(count)))


class Call:
    """A function of flat arrays. Constants are among its arguments."""

    def __init__(self, name: str, kind: str, jaxpr: core.ClosedJaxpr, options: Options, source: Any = None):
        self.name, self.kind, self.jaxpr, self.options, self.source = name, kind, jaxpr, options, source
        self.function = core.jaxpr_as_fun(jaxpr)
        self._lock = threading.Lock()
        self._program: Union[Program, Division, None] = None
        self._is_known = False
        self._batched: dict[Any, Traced] = {}
        self.run_compiled = jax.jit(self.bind)
        """Outside of jax.jit."""

    def __repr__(self) -> str:
        return self.name

    def bind(self, *operands: Any) -> list[Any]:
        return list(call_p.bind(*operands, call=self))

    def set_program(self, program: Union[Program, Division, None]) -> None:
        self._program, self._is_known = program, True

    def find_program(self) -> Union[Program, Division, None]:
        """None if XLA runs the function."""
        with self._lock:
            if not self._is_known:
                self.set_program(make_program(self))
            return self._program

    def find_batched(self, dims: Sequence[Optional[int]], size: int) -> Traced:
        key = (tuple(dims), size)
        if key not in self._batched:
            function = jax.vmap(lambda *values: self.function(*values), in_axes=tuple(dims), out_axes=0, axis_size=size)
            values = [value if dim is None else value.update(shape=(*value.shape[:dim], size, *value.shape[dim:]))
                      for value, dim in zip(self.jaxpr.in_avals, dims)]
            self._batched[key] = Traced(self.name, self.kind, function, values, self.options, self.source)
        return self._batched[key]


class Traced:
    """A function as a call and what needs none: results that are arguments, and results that are others."""

    def __init__(self, name: str, kind: str, function: Callable[..., Any], values: Sequence[Any], options: Options,
                 source: Any = None):
        examples = [jax.ShapeDtypeStruct(value.shape, value.dtype, weak_type=getattr(value, "weak_type", False))
                    for value in values]
        closed = jax.make_jaxpr(function)(*examples)
        self.constants = list(closed.consts)
        jaxpr = partial_eval.convert_constvars_jaxpr(closed.jaxpr)
        places = {variable: number for number, variable in enumerate(jaxpr.invars)}
        computed: list[Any] = []
        self._results: list[tuple[bool, int]] = []
        """Of each result, whether the call computes it, and the number of the call's result or argument."""
        for variable in jaxpr.outvars:
            if isinstance(variable, core.Literal):
                computed.append(variable)
                self._results.append((True, len(computed) - 1))
            elif variable in places:
                self._results.append((False, places[variable]))
            else:
                if variable not in computed:
                    computed.append(variable)
                self._results.append((True, computed.index(variable)))
        jaxpr = jaxpr.replace(outvars=computed, debug_info=jaxpr.debug_info.with_unknown_names())
        self.call = Call(name, kind, core.ClosedJaxpr(jaxpr, ()), options, source)
        self.avals = [(self.call.jaxpr.out_avals if is_computed else self.call.jaxpr.in_avals)[number]
                      for is_computed, number in self._results]

    def __call__(self, *values: Any) -> list[Any]:
        return self.place(values, self.call.bind)

    def place(self, values: Sequence[Any], run: Callable[..., Sequence[Any]]) -> list[Any]:
        """The results, of which `run` makes those that are computed from constants and values."""
        operands = vary_alike([*self.constants, *values])
        made = run(*operands) if self.call.jaxpr.out_avals else []
        return [(made if is_computed else operands)[number] for is_computed, number in self._results]


# ===------------------------------------------------------------------------===#
# Programs
# ===------------------------------------------------------------------------===#

_importing = threading.local()
_programs: dict[str, Program] = {}


@contextlib.contextmanager
def importing() -> Iterator[None]:
    """Calls in a function that is imported become part of it."""
    before, _importing.on = getattr(_importing, "on", False), True
    try:
        yield
    finally:
        _importing.on = before


def check_values(jaxpr: core.ClosedJaxpr) -> None:
    for value in (*jaxpr.in_avals, *jaxpr.out_avals):
        if str(value.dtype) not in ELEMENTS:
            raise Refused(f"expected elements that kernels have, got {value.dtype}")
        if 0 in value.shape:
            raise Refused("expected arrays with elements, got one without")


def find_products(text: str) -> str:
    """How products of f32 may be computed: XLA rounds factors to tf32 where no op asks for a higher precision."""
    return "exact" if "HIGHEST" in text or "HIGH]" in text or "HIGH," in text or "algorithm = <" in text else "tf32"


def import_text(text: str, cleans: bool = True) -> str:
    with load_tool() as tool:
        try:
            graph = tool.lower_stablehlo(text)
        except (tool.Failure, tool.Refusal) as failure:
            raise Refused(str(failure)) from None
    return api.run_passes(api.make_source("<part>", graph.encode()), CLEAN) if cleans else graph


def export(call: Call) -> tuple[str, str]:
    """StableHLO, with the places of ops and without them."""
    examples = [jax.ShapeDtypeStruct(value.shape, value.dtype) for value in call.jaxpr.in_avals]
    with load_tool() as tool, importing():
        try:
            text = tool.export_stablehlo(call.function, examples)
            return text, tool.drop_places(text)
        except (tool.Failure, tool.Refusal) as failure:
            raise Refused(str(failure)) from None


def count_operators(jaxpr: Any) -> Counter[str]:
    """With functions that are called inside."""
    found: Counter[str] = Counter()
    for equation in jaxpr.eqns:
        inner = [getattr(value, "jaxpr", value) for value in equation.params.values()]
        inner = [value for value in inner if hasattr(value, "eqns")]
        for each in inner:
            found += count_operators(each)
        if not inner:
            found[equation.primitive.name] += 1
    return found


def make_part(call: Call) -> tuple[Optional[Program], PartReport, bool]:
    """The program, or None with a reason, and whether it is the function that is refused."""
    part = PartReport(call.name, count_operators(call.jaxpr.jaxpr), fallback=LOG.fallback)
    start = time.perf_counter()
    program, is_refused = None, False
    try:
        check_values(call.jaxpr)
        text, bare = export(call)
        entry = Entry("jax", bare, call.options.find_chip(), find_products(bare), call.options.libraries)
        program = _programs.get(entry.key)
        if program is not None:
            part.key, part.origin, part.steps = entry.key, "process", list(program.steps)
        else:
            package, graph = build(lambda: import_text(text), entry, part)
            count = len(call.jaxpr.in_avals) + len(call.jaxpr.out_avals)
            program = _programs.setdefault(entry.key, Program(package, graph, count, part.steps))
    except Refused as failure:
        part.reason, is_refused = summarize(failure), True
    except CarouselError as failure:
        part.reason = summarize(failure)
    except Exception as error:  # of the importer: the function is right without a program
        part.reason = f"{type(error).__name__}: {summarize(error)}, at {traceback.extract_tb(error.__traceback__)[-1].name}"
    part.seconds = time.perf_counter() - start
    return program, part, is_refused


@functools.lru_cache(maxsize=4096)
def refuse_text(text: str, jaxpr: Any) -> str:
    try:
        check_values(jaxpr.value)
        import_text(export(Call("", "", jaxpr.value, Options()))[0], cleans=False)
    except Refused as failure:
        return summarize(failure)
    return ""


class Unhashed:
    """A value that isn't part of a key."""

    def __init__(self, value: Any):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unhashed)

    def __hash__(self) -> int:
        return 0


def refuse(jaxpr: core.ClosedJaxpr) -> str:
    """Why the importer refuses a function; empty if it doesn't."""
    return refuse_text(str(jaxpr), Unhashed(jaxpr))


def make_program(call: Call) -> Union[Program, Division, None]:
    """The program, or several with what stays with XLA between them; None if XLA runs the function, for a reason that the report
    has."""
    program, part, is_refused = make_part(call)
    report = GraphReport(call.kind, call.source, parts=[part], fallback=LOG.fallback)
    result: Union[Program, Division, None] = program
    if is_refused:
        division = Division(call.jaxpr, refuse)
        if parts := division.parts:
            report.parts, report.left = [], division.left
            for step, jaxpr in parts:
                own = Call(f"{call.name}_part_{len(report.parts)}", call.kind, jaxpr, call.options, call.source)
                made = make_part(own)
                own.set_program(made[0])
                report.parts.append(made[1])
                if made[0] is not None:
                    step.run, result = own.bind, division
    LOG.add(report)
    for each in report.parts:
        if each.reason:
            LOG.warn_of_part(f"{each.name}: {each.reason}")
    return result


# ===------------------------------------------------------------------------===#
# The primitive
# ===------------------------------------------------------------------------===#

call_p = core.Primitive("carousel_call")
call_p.multiple_results = True


@call_p.def_abstract_eval
def find_results(*values: Any, call: Call) -> list[Any]:
    return [make_aval(value, values) for value in call.jaxpr.out_avals]


def make_aval(value: Any, operands: Sequence[Any]) -> Any:
    """In a shard_map, a result varies over the axes that operands vary over."""
    like = {} if not operands else {"sharding": own_core.get_cur_mesh_sharding()}
    for name in ("manual_axis_type", "vma"):  # of JAX 0.10, and of older ones
        if operands and hasattr(operands[0], name):
            like[name] = getattr(operands[0], name)
            break
    return jax.core.ShapedArray(value.shape, value.dtype, weak_type=getattr(value, "weak_type", False), **like)


def vary_alike(operands: Sequence[Any]) -> Sequence[Any]:
    """In a shard_map, makes all operands vary over the same axes."""
    insert: Any = getattr(own_core, "auto_insert_reshard", None) or own_core.standard_insert_pvary
    return list(insert(*operands))


def run_by_xla(*values: Any, call: Call) -> Any:
    return call.function(*values)


def differentiate(primals: Any, tangents: Any, *, call: Call) -> Any:
    """Forward derivatives are XLA's."""
    tangents = [ad.instantiate_zeros(tangent) for tangent in tangents]
    return jax.jvp(lambda *values: call.function(*values), primals, tangents)


def batch(values: Any, dims: Any, *, call: Call) -> Any:
    (size,) = {value.shape[dim] for value, dim in zip(values, dims) if dim is not None}
    results = call.find_batched(dims, size)(*values)
    return results, [0] * len(results)


lower_inline = mlir.lower_fun(run_by_xla, multiple_results=True)


def lower(context: Any, *operands: Any, call: Call, run: Callable[..., Any]) -> Any:
    """`run`: lowers the call of a program."""
    program = None if getattr(_importing, "on", False) else call.find_program()
    if isinstance(program, Division):
        return mlir.lower_fun(program, multiple_results=True)(context, *operands)
    return run(context, operands, program) if program else lower_inline(context, *operands, call=call)


def lower_cuda(context: Any, *operands: Any, call: Call) -> Any:
    return lower(context, *operands, call=call, run=lambda context, operands, program: lower_launch(context, operands, program.target))


def lower_cpu(context: Any, *operands: Any, call: Call) -> Any:
    def run(context: Any, operands: Any, program: Program) -> Any:
        if call.options.cpu == "compile":
            return lower_inline(context, *operands, call=call)
        return lower_simulation(context, operands, program.graph, program.names, program.target)

    return lower_inline(context, *operands, call=call) if call.options.cpu == "xla" else lower(context, *operands, call=call, run=run)


call_p.def_impl(lambda *values, call: call.run_compiled(*values))
ad.primitive_jvps[call_p] = differentiate
batching.primitive_batchers[call_p] = batch
mlir.register_lowering(call_p, lower_inline)
mlir.register_lowering(call_p, lower_cuda, platform="cuda")
mlir.register_lowering(call_p, lower_cpu, platform="cpu")
