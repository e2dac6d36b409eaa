# ===- _compile.py - sources to packages ----------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""`compile` and `transform`."""

from __future__ import annotations

import ctypes
import dataclasses
import warnings
from collections.abc import Iterable, Sequence
from ctypes import c_void_p
from pathlib import Path
from typing import Any, Callable, Optional, Union

from . import _compiler as api
from ._checks import MOST_32, check_callback, check_integer, check_path, check_texts
from ._cuda import find_toolkit
from ._interrupts import CallGuard
from ._library import encode
from ._symbols import find_symbols
from .errors import CompileError, Diagnostic, InvalidArgumentError
from .package import Package

CUBINS = {"auto": 0, "never": 1, "required": 2}
EMIT = ("ptx", "cubin", "cuda")


class CompileWarning(UserWarning):
    """A request that isn't honoured, or what is slow: docs/WhyNotPipelined.md."""


def find_device_chip() -> str:
    from .device import Context

    try:
        capability = Context.get(0).device.compute_capability
    except Exception as error:  # whatever the reason, there is no device to ask
        raise InvalidArgumentError(f"expected chips, such as chips='sm_90a', as there is no device to ask: {error}") from None
    return f"sm_{capability}a" if capability >= 90 else f"sm_{capability}"


# By a part of an error's message.
ADVICE = {"libdevice": "install NVIDIA's wheels (pip install 'carousel[cuda]'), or name a CUDA toolkit in cuda_root",
          "carousel.grid.ticket": "in Python, carousel.draw_ticket makes a carousel.grid.ticket"}


def add_advice(diagnostic: Diagnostic) -> Diagnostic:
    """Says where a toolkit comes from, at an error that it is missing, and what an op is called in Python."""
    notes = [Diagnostic("note", text, "", 0, 0, "") for part, text in ADVICE.items()
             if diagnostic.severity == "error" and part in diagnostic.message
             and (part == "libdevice" or diagnostic.file.endswith(".py"))]
    return dataclasses.replace(diagnostic, notes=(*diagnostic.notes, *notes)) if notes else diagnostic


def choose(value: str, known: dict[str, int], what: str) -> int:
    if value not in known:
        raise InvalidArgumentError(f"{what}: expected {', '.join(known)}, got '{value}'")
    return known[value]


def compile(  # noqa: A001 - the name that users expect
    source: object,
    *,
    chips: Union[str, Iterable[str], None] = None,
    gpus: Union[str, Iterable[str]] = (),
    shapes: Union[str, Sequence[str], None] = None,
    inputs: Optional[Sequence[object]] = None,
    framework: Optional[str] = None,
    name: Optional[str] = None,
    emit: Union[str, Iterable[str]] = ("ptx", "cubin"),
    cubins: str = "auto",
    cuda_root: Union[str, Path, None] = None,
    opt_level: int = 2,
    index_bitwidth: int = 64,
    ptx_version: Optional[int] = None,
    debug_waits: Optional[int] = None,
    debug_assertions: bool = False,
    first_variant: bool = False,
    accumulate: str = "f32",
    products: str = "exact",
    libraries: bool = True,
    streams: bool = True,
    line_directives: bool = False,
    werror: Iterable[str] = (),
    warn: bool = True,
    progress: Optional[Callable[[int, int, str, str], None]] = None,
) -> Package:
    """Compiles kernels and graphs to a package.

    `source` is MLIR: a path, text, bytecode, or a module of MLIR's Python bindings; a kernel made by
    `carousel.kernel`, or a list of such kernels; or a function of JAX or PyTorch, or a torch.nn.Module, with `shapes`
    ("f32[b,64],bf16[64]") or `inputs` (arrays like those of a launch). `chips` are those to compile
    for, by default that of the first GPU. `cuda_root` is a CUDA toolkit, by default the one that
    is found. The other options are those of carousel-compile (docs/Package.md).

    Raises CompileError if the compiler refuses the source. Its warnings become CompileWarnings.
    """
    if callable(source) and not hasattr(source, "mlir"):
        from ._import import import_function

        name = name or getattr(source, "__name__", None)
        source = import_function(source, shapes, inputs, framework)
    elif shapes is not None or inputs is not None or framework is not None:
        raise InvalidArgumentError("expected shapes, inputs and framework with a function of JAX or PyTorch, got "
                                   f"{type(source).__name__}")
    given, symbols = api.read_source(source, name), find_symbols(source)
    library = api.library()
    options = api.CompileOptions()
    library.carousel_compile_source_options_init(ctypes.byref(options), ctypes.sizeof(options))
    options.chips, options.chip_count = api.text_list(find_device_chip() if chips is None else chips, "chips")
    options.gpus, options.gpu_count = api.text_list(gpus, "gpus")
    options.werror, options.werror_count = api.text_list(werror, "werror")
    root = find_toolkit() if cuda_root is None else check_path(cuda_root, "cuda_root")
    options.cuda_root = encode(root or "", "cuda_root")
    options.accumulate, options.products = encode(accumulate, "accumulate"), encode(products, "products")
    for key, number in (("ptx_version", ptx_version or 0), ("debug_waits", debug_waits or 0), ("opt_level", opt_level),
                        ("index_bitwidth", index_bitwidth)):
        setattr(options, key, check_integer(number, key, 0, MOST_32))
    kinds = check_texts(emit, "emit")
    for kind in kinds:
        if kind not in EMIT:
            raise InvalidArgumentError(f"emit: expected {', '.join(EMIT)}, got '{kind}'")
    options.ptx, options.cuda = "ptx" in kinds or "cubin" in kinds, "cuda" in kinds
    options.cubins = choose(cubins, CUBINS, "cubins") if "cubin" in kinds else CUBINS["never"]
    options.first_variant, options.libraries, options.streams = first_variant, libraries, streams
    options.line_directives, options.warnings = line_directives, warn
    options.debug_assertions = debug_assertions
    guard = CallGuard()
    if progress is not None:
        report = progress
        check_callback(report, "progress")
        options.progress = api.Progress(guard.protect(lambda _data, number, count, module, chip: report(
            number, count, api.decode(module), api.decode(chip))))
    options.is_cancelled = api.IsCancelled(guard.is_cancelled)
    handle = c_void_p()
    with guard, api.COMPILERS.borrow() as compiler:
        status = library.carousel_compile_source(compiler, ctypes.byref(given), ctypes.byref(options), ctypes.byref(handle))
        result = api.Result(handle)
    try:
        api.finish(status, result)
    except CompileError as error:
        raise CompileError(tuple(map(add_advice, error.diagnostics))) from None
    package = Package(result, symbols=symbols)
    for each in package.diagnostics:
        if each.severity == "warning":
            warnings.warn(str(each), CompileWarning, stacklevel=2)
    return package


def transform(source: object, pipeline: str, *, name: Optional[str] = None) -> str:
    """The module after passes, as carousel-opt --pass-pipeline prints it: "builtin.module(carousel-lower{chip=sm_90a})".

    Raises CompileError if the source or a pass fails."""
    return api.run_passes(api.read_source(source, name), pipeline)
