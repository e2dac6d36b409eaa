# ===- simulator.py - kernels on the simulated machine --------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs kernels without a GPU, and reports races, deadlocks and other errors as findings (docs/Simulator.md)."""

from __future__ import annotations

import ctypes
import html
import json
import linecache
import struct
from collections.abc import Iterable, Mapping, Sequence
from ctypes import c_int64, c_uint32, c_void_p
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

from . import _compiler as api
from ._arrays import view_array
from ._checks import MOST_U32, MOST_U64, check_callback, check_extents, check_integer, check_texts
from ._interrupts import CallGuard
from ._library import encode
from ._numbers import count_of, is_array, read_scalar
from ._symbols import check_symbols, find_symbols
from .errors import CarouselError, InvalidArgumentError, draw_caret
from .timeline import Timeline

STATUSES = {0: "finished", 1: "deadlock", 2: "step-limit", 3: "aborted"}
BYTECODE = b"ML\xefR"  # at the start of MLIR's bytecode
ARRAY, BITS, INTEGER, DOUBLE, EXACT_INTEGER, EXACT_DOUBLE, UNSIGNED, EXACT_UNSIGNED = range(8)
WRITTEN, UNWRITTEN, AS_DECLARED = range(3)
FIGURES = ("threads", "steps", "transfers", "transferred_bytes", "read_bytes", "written_bytes", "operand_bytes", "cycles",
           "expired_waits")


@dataclass(frozen=True)
class Actor:
    """A thread, or an operation of an engine that it issued."""

    cta: int
    thread: int
    operation: str
    """What the engine does, such as "tensor.load"; empty for the thread itself."""
    location: str
    """A place such as "kernel.mlir:12:5"."""
    source: str = ""
    """The line there, if it is one of the kernel's source."""

    def draw(self) -> list[str]:
        """The line of the source, with a caret below the operation."""
        column = self.location.rpartition(":")[2]
        return draw_caret(self.source, int(column) if column.isdigit() else 1)

    def __str__(self) -> str:
        operation = f" ({self.operation})" if self.operation else ""
        return f"CTA {self.cta}, thread {self.thread}{operation} at {self.location}"


@dataclass(frozen=True)
class Finding:
    """An error in a kernel. docs/Findings.md explains the kinds. `str` of it prints both accesses, with their lines of the
    source; `text` is what carousel-sim prints."""

    kind: str
    """A kind of docs/Findings.md, such as "data-race"."""
    message: str
    actor: Actor
    other: Optional[Actor]
    """The other side of a race."""
    buffer: str
    slot: Optional[int]
    begin_byte: int
    end_byte: int
    count: int
    notes: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        first, *rest = self.text.rstrip("\n").split("\n")
        lines = [first, *self.actor.draw()]
        for line in rest:
            lines.append(line)
            if self.other is not None and self.other.location != self.actor.location and line.startswith("  other: "):
                lines += self.other.draw()
        return "\n".join(lines)


class SimulationError(CarouselError):
    """A simulation has findings, or didn't finish."""

    def __init__(self, simulation: Simulation):
        super().__init__(simulation)
        self.simulation = simulation

    def __str__(self) -> str:
        simulation = self.simulation
        findings = "\n".join(map(str, simulation.findings))
        return (f"{simulation.kernel}: {simulation.status} with {count_of(len(simulation.findings), 'finding')} "
                f"({simulation.schedule})\n{findings}")


class Simulation:
    """What a simulation found. The arrays hold the results of the last schedule, the first with findings."""

    def __init__(self, result: api.Result, source: Optional[api.Source] = None):
        run = result.run()
        lines = Lines(source)
        self.kernel = api.decode(run.kernel)
        self.status = STATUSES[run.status]
        self.policy, self.seed = api.decode(run.policy), int(run.seed)
        self.schedules_run = int(run.schedules_run)
        self.figures: dict[str, int] = {name: int(getattr(run, name)) for name in FIGURES}
        self.findings: tuple[Finding, ...] = tuple(make_finding(each, lines) for each in result.findings())
        self.record = result.text(api.RECORD)
        self.trace = result.text(api.TRACE)
        accesses = result.text(api.SHARED_ACCESSES)
        self.shared_accesses: list[dict[str, Any]] = json.loads(accesses) if accesses else []

    @property
    def is_clean(self) -> bool:
        return self.status == "finished" and not self.findings

    @property
    def schedule(self) -> str:
        return f"policy '{self.policy}', seed {self.seed}" if self.policy else "a replayed schedule"

    def check(self) -> Simulation:
        """Raises SimulationError unless the run finished without findings. Returns the simulation."""
        if not self.is_clean:
            raise SimulationError(self)
        return self

    def timeline(self, cta: int = 0) -> Timeline:
        """What warps and engines of a CTA did over the cycles. Needs `trace=True`."""
        if not self.trace:
            raise InvalidArgumentError("expected a simulation with trace=True, got one without a trace")
        return Timeline(self.trace, cta)

    def _repr_html_(self) -> str:
        findings = "".join(f"<pre>{html.escape(str(finding))}</pre>\n" for finding in self.findings)
        return f"<p>{html.escape(repr(self)[1:-1])}</p>\n{findings}"

    def __repr__(self) -> str:
        return (f"<carousel.Simulation of {self.kernel}: {self.status}, {count_of(len(self.findings), 'finding')} in "
                f"{count_of(self.schedules_run, 'schedule')}, {count_of(self.figures['cycles'], 'cycle')}>")


class Lines:
    """The lines that locations name: of the source, or of the Python that was traced."""

    def __init__(self, source: Optional[api.Source]):
        is_text = source is not None and not source.data.startswith(BYTECODE)
        self._name = api.decode(source.name) if source is not None else ""
        self._lines = api.decode(source.data).split("\n") if source is not None and is_text else []

    def find(self, location: str) -> str:
        parts = location.rsplit(":", 2)
        if len(parts) != 3 or not parts[1].isdigit():
            return ""
        file, number = parts[0], int(parts[1])
        if file.endswith(".py"):
            return linecache.getline(file, number).rstrip("\n")
        # Names are shortened for people.
        is_own = self._name == file or self._name.endswith("/" + file)
        return self._lines[number - 1] if is_own and 0 < number <= len(self._lines) else ""


def make_finding(found: api.FindingStruct, lines: Lines) -> Finding:
    def actor(given: api.ActorStruct) -> Actor:
        location = api.decode(given.location)
        return Actor(given.cta, given.thread, api.decode(given.operation), location, lines.find(location))

    notes = api.decode(found.notes)
    return Finding(api.decode(found.kind), api.decode(found.message), actor(found.actor),
                   actor(found.other) if found.has_other else None, api.decode(found.buffer),
                   int(found.slot) if found.has_slot else None, int(found.begin_byte), int(found.end_byte),
                   int(found.count), tuple(notes.split("\n")) if notes else (), api.decode(found.text))


def make_argument(name: str, value: object, contents: int) -> tuple[api.HostArgument, object]:
    """The argument, and what must live as long as it."""
    argument = api.HostArgument(name=encode(name, "arguments"), contents=contents)
    scalar = None if is_array(value) else read_scalar(value)
    view = view_array(value, name) if scalar is None else None
    if view is not None:
        if view.device is not None:
            raise InvalidArgumentError(f"{name}: expected an array in the host's memory, got one on CUDA device "
                                       f"{view.device}; copy it to the host")
        rank = len(view.extents)
        argument.kind, argument.element, argument.rank = ARRAY, view.element.encode(), rank
        argument.data, argument.is_read_only = view.address, view.is_read_only
        argument.extents = (c_int64 * max(rank, 1))(*view.extents)
        argument.strides = (c_int64 * max(rank, 1))(*view.strides)
        return argument, (value, view)
    if scalar is None:
        raise InvalidArgumentError(f"{name}: expected an array or a number, got {type(value).__name__}")
    number = scalar.number
    if isinstance(number, int):
        if not -(1 << 63) <= number < 1 << 64:
            raise InvalidArgumentError(f"{name}: expected a number of 64 bits, got {number}")
        is_signed, argument.value = number < 1 << 63, number & ((1 << 64) - 1)
        if scalar.type:
            argument.kind = EXACT_INTEGER if is_signed else EXACT_UNSIGNED
        else:
            argument.kind = INTEGER if is_signed else UNSIGNED
    else:
        argument.kind = EXACT_DOUBLE if scalar.type else DOUBLE
        argument.value = struct.unpack("=Q", struct.pack("=d", number))[0]
    return argument, value


def simulate(
    source: object,
    arguments: Mapping[str, object],
    *,
    kernel: Optional[str] = None,
    program: Optional[str] = None,
    shapes: Union[str, Sequence[str], None] = None,
    inputs: Optional[Sequence[object]] = None,
    framework: Optional[str] = None,
    lower: bool = False,
    pipeline: Optional[str] = None,
    debug_assertions: bool = False,
    chip: str = "sm_90a",
    policies: Union[str, Iterable[str], None] = None,
    seed: int = 0,
    schedules: int = 1,
    replay: Optional[str] = None,
    written: Iterable[str] = (),
    grid: Iterable[int] = (),
    block: Iterable[int] = (),
    cluster: Iterable[int] = (),
    multiprocessors: int = 132,
    resident: int = 0,
    parameters: Optional[str] = None,
    starts_in_order: bool = False,
    coresident: bool = False,
    strict: bool = False,
    step_limit: Optional[int] = None,
    finding_limit: int = 64,
    bank_conflicts: bool = False,
    trace: bool = False,
    traced_ctas: int = 8,
    record: bool = False,
    progress: Optional[Callable[[int, int], None]] = None,
    name: Optional[str] = None,
) -> Simulation:
    """Runs a kernel, or a program, on arrays of the host, and writes its results to them.

    `arguments` has an array or a number for each argument by its name. Arrays that the kernel declares `out` start
    unwritten, so that reads of them are findings, unless `written` names them. With `lower`, the kernel is lowered for
    `chip` first, and its synchronisation is checked; `pipeline` gives other passes. With `debug_assertions`, indices that the
    kernel reads from memory are checked, and it keeps its assertions if it is lowered. A graph is run by `program`, the name
    of its function: it becomes kernels at the block phase, or with `lower` at the machine phase. Of a function of JAX or
    PyTorch, with `shapes` or `inputs` as for carousel.compile, this is "main". Each policy has `schedules` seeds,
    from `seed` on; the first schedule with findings is the last. With `parameters`, the source is PTX, whose kernel has
    these; `starts_in_order` and `coresident` say more of it. The other options are those of carousel-sim, too.
    `progress` is called with the number of each schedule and their count. What it raises, and Ctrl-C, end the simulation.

    Raises CompileError if the source is refused, and InvalidArgumentError if the arguments don't fit the kernel."""
    if not isinstance(arguments, Mapping):
        raise TypeError(f"arguments: expected a mapping of names to arrays and numbers, got {type(arguments).__name__}")
    if pipeline is not None and (lower or debug_assertions):
        raise InvalidArgumentError(f"expected {'lower' if lower else 'debug_assertions'} or pipeline, got both")
    if callable(source) and not hasattr(source, "mlir"):
        from ._import import import_function

        name = name or getattr(source, "__name__", None)
        source, program = import_function(source, shapes, inputs, framework), program or "main"
    elif shapes is not None or inputs is not None or framework is not None:
        raise InvalidArgumentError("expected shapes, inputs and framework with a function of JAX or PyTorch, got "
                                   f"{type(source).__name__}")
    if pipeline is None:
        passes = ["carousel-graph-to-block"] if program is not None else []
        if lower:
            passes.append(f"carousel-lower{{chip={chip} debug-assertions={str(bool(debug_assertions)).lower()}}}")
        elif debug_assertions:
            passes.append("gpu.module(carousel-inline-functions,carousel-check-indices)")
        pipeline = f"builtin.module({','.join(passes)})" if passes else None
    given = api.read_source(source, name)
    library = api.library()
    options = api.SimulateOptions()
    library.carousel_simulate_source_options_init(ctypes.byref(options), ctypes.sizeof(options))
    options.kernel = None if kernel is None else encode(kernel, "kernel")
    options.program = None if program is None else encode(program, "program")
    options.pipeline = None if pipeline is None else encode(pipeline, "pipeline")
    options.chip = encode(chip, "chip")
    options.parameters = None if parameters is None else encode(parameters, "parameters")
    options.starts_in_order, options.coresident = starts_in_order, coresident
    if policies is not None:
        options.policies, options.policy_count = api.text_list(policies, "policies")
    if replay is not None:
        encoded = encode(replay, "replay")
        options.replay, options.replay_bytes = encoded, len(encoded)
    for key, number, least, most in (
            ("seed", seed, 0, MOST_U64), ("schedules", schedules, 1, 1 << 32), ("multiprocessors", multiprocessors, 1, MOST_U32),
            ("resident", resident, 0, MOST_U32), ("finding_limit", finding_limit, 1, MOST_U32),
            ("traced_ctas", traced_ctas, 1, MOST_U32)):
        setattr(options, key, check_integer(number, key, least, most))
    for key, shape in (("grid", grid), ("block", block), ("cluster", cluster)):
        if extents := check_extents(shape, key):
            setattr(options, key, (c_uint32 * 3)(*extents, *[1] * (3 - len(extents))))
    if step_limit is not None:
        options.step_limit = check_integer(step_limit, "step_limit", 1, MOST_U64)
    options.strict, options.bank_conflicts, options.trace, options.record = strict, bank_conflicts, trace, record
    known = set(check_texts(written, "written"))
    for symbols in find_symbols(source).values():
        views = {key: view_array(value, key) for key, value in arguments.items()}
        check_symbols(symbols, {key: view.extents for key, view in views.items() if view})
    made = [make_argument(key, value, WRITTEN if key in known else AS_DECLARED) for key, value in arguments.items()]
    if missing := known - set(arguments):
        raise InvalidArgumentError(f"written: expected names of arguments, got '{sorted(missing)[0]}'")
    array = (api.HostArgument * max(len(made), 1))(*[argument for argument, _ in made])
    guard = CallGuard()
    if progress is not None:
        report = progress
        check_callback(report, "progress")
        options.progress = api.ScheduleProgress(guard.protect(lambda _data, schedule, count: report(schedule, count)))
    options.is_cancelled = api.IsCancelled(guard.is_cancelled)
    handle = c_void_p()
    with guard, api.COMPILERS.borrow() as compiler:
        status = library.carousel_simulate_source(compiler, ctypes.byref(given), ctypes.byref(options), array, len(made),
                                                  ctypes.byref(handle))
        result = api.Result(handle)
    return Simulation(api.finish(status, result), given)
