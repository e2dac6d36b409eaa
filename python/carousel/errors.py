# ===- errors.py - exceptions and diagnostics ------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Exceptions of the package. Each is a CarouselError, and of the built-in kind that callers expect."""

from __future__ import annotations

from dataclasses import dataclass


def draw_caret(source: str, column: int) -> list[str]:
    """A line of the source, and a caret below a column, from 1 on. Nothing where the line isn't known."""
    if not source:
        return []
    # Places in models of PyTorch have no column. Tabs stay, so that the caret is below its character.
    start = max(column - 1, len(source) - len(source.lstrip()))
    indent = "".join("\t" if character == "\t" else " " for character in source[:start])
    return [source, indent + "^"]


@dataclass(frozen=True)
class Diagnostic:
    """A message of the compiler about a place in the source. `line` and `column` count from 1; 0 is none."""

    severity: str
    """One of "error", "warning", "note" and "remark"."""
    message: str
    file: str
    line: int
    column: int
    source: str
    """The line of the source; empty if it isn't known."""
    notes: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        column = f":{self.column}" if self.column else ""
        place = f"{self.file}:{self.line}{column}: " if self.line else ""
        return "\n".join([f"{place}{self.severity}: {self.message}", *draw_caret(self.source, self.column),
                          *map(str, self.notes)])


class CarouselError(Exception):
    """Any error of this package."""


class InvalidArgumentError(CarouselError, ValueError):
    """An argument of a call is wrong; the message has the rule and the value found."""


class NotFoundError(CarouselError, LookupError):
    """No such kernel, file or entry."""


class MissingPackageError(CarouselError, ImportError):
    """A Python package or a library isn't installed; the message says what to install."""


class PackageError(CarouselError, OSError):
    """A package can't be read or written."""


class CompileError(CarouselError):
    """The compiler refuses a module. `diagnostics` has what it says, with the places."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]):
        super().__init__(diagnostics)
        self.diagnostics = diagnostics

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(each for each in self.diagnostics if each.severity == "error")

    def __str__(self) -> str:
        # Ops of one line of Python may all say the same.
        return "\n".join(dict.fromkeys(map(str, self.errors or self.diagnostics)))


class DeviceError(CarouselError, RuntimeError):
    """The driver, the device or a launch failed."""
