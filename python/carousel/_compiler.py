# ===- _compiler.py - the compiler's C interface by ctypes ----------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""The structs and functions of carousel-c/Compiler.h, and the compiler of this process."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import linecache
import os
import weakref
from collections.abc import Iterable, Iterator
from ctypes import POINTER, Structure, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Optional, Union

from ._checks import check_path, check_texts
from ._interrupts import CallGuard
from ._library import encode, load_library
from .errors import CarouselError, CompileError, Diagnostic, InvalidArgumentError, NotFoundError, PackageError

VERSION = 4
OK, INVALID_ARGUMENT, UNSUPPORTED_VERSION, NOT_FOUND, IO_ERROR, OTHER_PROCESS, STOPPED = range(7)
ERRORS = {INVALID_ARGUMENT: InvalidArgumentError, NOT_FOUND: NotFoundError, IO_ERROR: PackageError}
SEVERITIES = {1: "error", 2: "warning", 3: "note", 4: "remark"}
DECISIONS_JSON, DECISIONS, SUMMARY, GRAPHS_SVG, MODULE, TRACE, RECORD, FINDINGS, SHARED_ACCESSES = range(1, 10)

Progress = ctypes.CFUNCTYPE(None, c_void_p, c_size_t, c_size_t, c_char_p, c_char_p)
ScheduleProgress = ctypes.CFUNCTYPE(c_int32, c_void_p, c_uint64, c_uint64)
IsCancelled = ctypes.CFUNCTYPE(c_int32, c_void_p)


class Source(Structure):
    _fields_ = [("name", c_char_p), ("data", c_char_p), ("bytes", c_size_t)]


class DiagnosticStruct(Structure):
    _fields_ = [("size", c_size_t), ("severity", c_int32), ("line", c_uint32), ("column", c_uint32),
                ("reserved", c_uint32), ("file", c_char_p), ("message", c_char_p), ("source", c_char_p)]


class CompileOptions(Structure):
    _fields_ = [("size", c_size_t), ("chips", POINTER(c_char_p)), ("chip_count", c_size_t), ("gpus", POINTER(c_char_p)),
                ("gpu_count", c_size_t), ("werror", POINTER(c_char_p)), ("werror_count", c_size_t),
                ("cuda_root", c_char_p), ("accumulate", c_char_p), ("products", c_char_p), ("ptx_version", c_int32),
                ("index_bitwidth", c_int32), ("opt_level", c_int32), ("debug_waits", c_int32), ("cubins", c_int32),
                ("assembler", c_int32), ("ptx", c_int32), ("cuda", c_int32), ("line_directives", c_int32),
                ("warnings", c_int32), ("first_variant", c_int32), ("libraries", c_int32), ("streams", c_int32),
                ("debug_assertions", c_int32), ("progress", Progress), ("progress_data", c_void_p),
                ("is_cancelled", IsCancelled), ("cancel_data", c_void_p)]


class TransformOptions(Structure):
    _fields_ = [("size", c_size_t), ("pipeline", c_char_p), ("is_cancelled", IsCancelled), ("cancel_data", c_void_p),
                ("locations", c_int32)]


class HostArgument(Structure):
    _fields_ = [("name", c_char_p), ("element", c_char_p), ("rank", c_uint32), ("kind", c_int32), ("contents", c_int32),
                ("is_read_only", c_int32), ("data", c_void_p), ("extents", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("value", c_uint64)]


class SimulateOptions(Structure):
    _fields_ = [("size", c_size_t), ("kernel", c_char_p), ("program", c_char_p), ("pipeline", c_char_p),
                ("policies", POINTER(c_char_p)), ("policy_count", c_size_t), ("seed", c_uint64), ("schedules", c_uint64), ("replay", c_char_p),
                ("replay_bytes", c_size_t), ("grid", c_uint32 * 3), ("block", c_uint32 * 3), ("cluster", c_uint32 * 3),
                ("multiprocessors", c_uint32), ("resident", c_uint32), ("traced_ctas", c_uint32), ("chip", c_char_p),
                ("step_limit", c_uint64), ("finding_limit", c_uint32), ("strict", c_int32), ("trace", c_int32),
                ("record", c_int32), ("bank_conflicts", c_int32), ("reserved", c_int32), ("progress", ScheduleProgress),
                ("progress_data", c_void_p), ("is_cancelled", IsCancelled), ("cancel_data", c_void_p),
                ("ptx", c_void_p), ("parameters", c_char_p), ("starts_in_order", c_int32), ("coresident", c_int32)]


class RunStruct(Structure):
    _fields_ = [("size", c_size_t), ("status", c_int32), ("reserved", c_uint32), ("kernel", c_char_p),
                ("policy", c_char_p), ("seed", c_uint64), ("schedules_run", c_uint64), ("threads", c_uint64),
                ("steps", c_uint64), ("transfers", c_uint64), ("transferred_bytes", c_uint64), ("read_bytes", c_uint64),
                ("written_bytes", c_uint64), ("operand_bytes", c_uint64), ("cycles", c_uint64),
                ("expired_waits", c_uint64)]


class ActorStruct(Structure):
    _fields_ = [("cta", c_uint32), ("thread", c_uint32), ("operation", c_char_p), ("location", c_char_p)]


class FindingStruct(Structure):
    _fields_ = [("size", c_size_t), ("kind", c_char_p), ("message", c_char_p), ("actor", ActorStruct),
                ("has_other", c_int32), ("has_slot", c_int32), ("other", ActorStruct), ("buffer", c_char_p),
                ("slot", c_uint64), ("begin_byte", c_uint64), ("end_byte", c_uint64), ("count", c_uint64),
                ("notes", c_char_p), ("text", c_char_p)]


RESULT = c_void_p
STATUS_FUNCTIONS: dict[str, list[Any]] = {
    "carousel_compiler_create": [POINTER(c_void_p)],
    "carousel_compiler_result_diagnostic": [RESULT, c_size_t, POINTER(DiagnosticStruct)],
    "carousel_compiler_result_file": [RESULT, c_size_t, POINTER(c_char_p), POINTER(c_void_p), POINTER(c_size_t)],
    "carousel_compiler_result_write": [RESULT, c_char_p],
    "carousel_compiler_result_text": [RESULT, c_int32, POINTER(c_void_p), POINTER(c_size_t)],
    "carousel_compiler_result_run": [RESULT, POINTER(RunStruct)],
    "carousel_compiler_result_finding": [RESULT, c_size_t, POINTER(FindingStruct)],
    "carousel_compile_source": [c_void_p, POINTER(Source), POINTER(CompileOptions), POINTER(c_void_p)],
    "carousel_transform_source": [c_void_p, POINTER(Source), POINTER(TransformOptions), POINTER(c_void_p)],
    "carousel_simulate_source": [c_void_p, POINTER(Source), POINTER(SimulateOptions), POINTER(HostArgument), c_size_t,
                                 POINTER(c_void_p)],
}


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    loaded = load_library("libCarouselCompiler.so.1", "carousel_compiler_version", VERSION)
    for name, types in STATUS_FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = c_int32, types
    for name in ("diagnostic", "file", "finding"):
        function = getattr(loaded, f"carousel_compiler_result_{name}_count")
        function.restype, function.argtypes = c_size_t, [RESULT]
    loaded.carousel_compiler_result_succeeded.restype = c_int32
    loaded.carousel_compiler_result_succeeded.argtypes = [RESULT]
    for name in ("last_error", "release", "llvm_release"):
        getattr(loaded, f"carousel_compiler_{name}").restype = c_char_p
    loaded.carousel_compiler_is_usable.argtypes, loaded.carousel_compiler_is_usable.restype = [c_void_p], c_int32
    loaded.carousel_compiler_destroy.argtypes, loaded.carousel_compiler_destroy.restype = [c_void_p], None
    loaded.carousel_compiler_result_free.argtypes = [RESULT]
    loaded.carousel_compiler_result_free.restype = None
    for kind in ("compile", "transform", "simulate"):
        init = getattr(loaded, f"carousel_{kind}_source_options_init")
        init.restype, init.argtypes = None, [c_void_p, c_size_t]
    return loaded


def decode(text: Optional[bytes]) -> str:
    return (text or b"").decode("utf-8", "replace")


def check(status: int) -> None:
    if status != OK:
        raise ERRORS.get(status, CarouselError)(decode(library().carousel_compiler_last_error()))


class Compilers:
    """The compilers of this process. Each call has one of its own, so that none waits for another: not one in a callback, nor
    one in a thread that the callback waits for. A forked child must not use its parent's."""

    KEPT = 4  # those that wait for the next call

    def __init__(self) -> None:
        self._idle: list[c_void_p] = []  # its methods are atomic
        self._process = os.getpid()

    @contextlib.contextmanager
    def borrow(self) -> Iterator[c_void_p]:
        try:
            handle = self._idle.pop()
        except IndexError:
            handle = c_void_p()
            check(library().carousel_compiler_create(ctypes.byref(handle)))
        process = self._process
        try:
            yield handle
        finally:
            if process == self._process:
                if len(self._idle) < self.KEPT and library().carousel_compiler_is_usable(handle):
                    self._idle.append(handle)
                else:
                    library().carousel_compiler_destroy(handle)

    def forget(self) -> None:
        """In a child."""
        self._idle, self._process = [], os.getpid()


COMPILERS = Compilers()
os.register_at_fork(after_in_child=COMPILERS.forget)


class Result:
    """A result of the library, freed with the object. A call makes it within its CallGuard: Ctrl-C raises at the guard's end.
    The handle is null after a call that failed."""

    def __init__(self, handle: c_void_p):
        self._handle = handle
        self._free = weakref.finalize(self, library().carousel_compiler_result_free, handle)
        self._free.atexit = False

    @property
    def succeeded(self) -> bool:
        return bool(library().carousel_compiler_result_succeeded(self._handle))

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        found: list[Diagnostic] = []
        for number in range(library().carousel_compiler_result_diagnostic_count(self._handle)):
            struct = DiagnosticStruct(size=ctypes.sizeof(DiagnosticStruct))
            check(library().carousel_compiler_result_diagnostic(self._handle, number, ctypes.byref(struct)))
            severity = SEVERITIES.get(struct.severity, "error")
            file, line, source = decode(struct.file), struct.line, decode(struct.source)
            if not source and line and file.endswith(".py"):  # of a kernel that Python traced
                source = linecache.getline(file, line).rstrip("\n")
            each = Diagnostic(severity, decode(struct.message), file, line, struct.column, source)
            if severity == "note" and found:
                last = found[-1]
                found[-1] = Diagnostic(last.severity, last.message, last.file, last.line, last.column, last.source,
                                       (*last.notes, each))
            else:
                found.append(each)
        return tuple(found)

    def text(self, kind: int) -> str:
        """A text, or "" where the result has none of the kind."""
        data, size = c_void_p(), c_size_t()
        status = library().carousel_compiler_result_text(self._handle, kind, ctypes.byref(data), ctypes.byref(size))
        if status == NOT_FOUND:
            return ""
        check(status)
        return ctypes.string_at(data, size.value).decode("utf-8", "replace") if data.value else ""

    def files(self) -> dict[str, bytes]:
        found = {}
        for number in range(library().carousel_compiler_result_file_count(self._handle)):
            name, data, size = c_char_p(), c_void_p(), c_size_t()
            check(library().carousel_compiler_result_file(self._handle, number, ctypes.byref(name), ctypes.byref(data),
                                                          ctypes.byref(size)))
            found[decode(name.value)] = ctypes.string_at(data, size.value) if data.value else b""
        return found

    def write(self, directory: Union[str, Path]) -> None:
        check(library().carousel_compiler_result_write(self._handle, encode(check_path(directory, "directory"), "directory")))

    def run(self) -> RunStruct:
        struct = RunStruct(size=ctypes.sizeof(RunStruct))
        check(library().carousel_compiler_result_run(self._handle, ctypes.byref(struct)))
        return struct

    def findings(self) -> Iterable[FindingStruct]:
        for number in range(library().carousel_compiler_result_finding_count(self._handle)):
            struct = FindingStruct(size=ctypes.sizeof(FindingStruct))
            check(library().carousel_compiler_result_finding(self._handle, number, ctypes.byref(struct)))
            yield struct


def make_source(name: str, data: bytes) -> Source:
    return Source(encode(name, "name"), data, len(data))


def finish(status: int, result: Result) -> Result:
    """The result of a call. Raises what is wrong with the call or the module."""
    check(status)
    if not result.succeeded:
        raise CompileError(result.diagnostics())
    return result


def text_list(texts: Iterable[str], what: str) -> tuple[Any, int]:
    """An array of texts for C."""
    encoded = [encode(each, what) for each in check_texts(texts, what)]
    return (c_char_p * max(len(encoded), 1))(*encoded), len(encoded)


def run_passes(source: Source, pipeline: str, has_locations: bool = False) -> str:
    handle, options, guard = c_void_p(), TransformOptions(), CallGuard()
    library().carousel_transform_source_options_init(ctypes.byref(options), ctypes.sizeof(options))
    options.pipeline, options.locations = encode(pipeline, "pipeline"), has_locations
    options.is_cancelled = IsCancelled(guard.is_cancelled)
    with guard, COMPILERS.borrow() as compiler:
        status = library().carousel_transform_source(compiler, ctypes.byref(source), ctypes.byref(options), ctypes.byref(handle))
        result = Result(handle)
    return finish(status, result).text(MODULE)


def read_source(source: object, name: Optional[str]) -> Source:
    """A path (a Path, or a str that ends in .mlir or .mlirbc), text or bytecode, or a module of MLIR's bindings."""
    if isinstance(source, str) and "\n" not in source and source.endswith((".mlir", ".mlirbc")):
        source = Path(source)
    if isinstance(source, Path):
        try:
            return make_source(name or str(source), source.read_bytes())
        except OSError as error:
            raise NotFoundError(f"expected a file of MLIR, got '{source}': {error.strerror}") from None
    if isinstance(source, (bytes, bytearray)):
        return make_source(name or "<module>", bytes(source))
    if isinstance(source, str):
        return make_source(name or "<module>", source.encode("utf-8", "surrogateescape"))
    if hasattr(source, "mlir"):  # a kernel that Python traced
        text = getattr(source, "mlir_with_places", source.mlir)
        return make_source(name or "<kernel>", str(text).encode())
    if isinstance(source, (list, tuple)) and source and all(hasattr(each, "mlir_with_places") for each in source):
        from .block.kernel import print_kernels

        return make_source(name or "<kernels>", print_kernels(source, has_places=True).encode())
    if hasattr(source, "operation"):
        return make_source(name or "<module>", str(source.operation).encode())
    raise TypeError("expected MLIR as a path, text, bytecode or module, or a function of JAX or PyTorch, got "
                    f"{type(source).__name__}")
