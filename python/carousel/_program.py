# ===- _program.py - a part of a model as a program --------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""How the back ends of PyTorch and JAX compile a part, or find it in the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ._cache import Entry
from ._compile import compile as compile_source
from ._report import PartReport, name_places, read_steps
from .errors import CompileError
from .package import Package
from .package import open as open_package


class Refused(Exception):
    """Why a part can't be a program, in a line."""


def summarize(error: BaseException) -> str:
    """The first line of its message."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def build(import_part: Callable[[], str], entry: Entry, report: PartReport, places: Sequence[str] = ()) -> tuple[Package, str]:
    """The package and the graph, from the cache or the compiler. The report gets the key, the origin and the steps. `places`: in the
    model, of the part's lines."""
    report.key = entry.key
    if entry.is_known():
        report.origin = "cache"
        if entry.refusal:
            raise Refused(name_places(entry.refusal, places))
        assert entry.package is not None
        report.steps = read_steps(entry.decisions, places)
        return open_package(entry.package), entry.graph
    report.origin = "compiled"
    graph = ""
    try:
        graph = import_part()
        package = compile_source(graph, chips=entry.chip, products=entry.products, libraries=entry.libraries, name="<part>",
                                 warn=False)
    except (Refused, CompileError) as failure:
        reason = summarize(failure)
        if not any(word in reason for word in ("Python package", "libdevice")):  # which may be installed later
            entry.store(graph, None, reason)
        raise Refused(name_places(reason, places)) from None
    decisions = package.decisions.get("graphs", [])
    report.steps = read_steps(decisions, places)
    entry.store(graph, Path(package._on_disk()), "", decisions)
    return package, graph
