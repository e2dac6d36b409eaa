# ===- tuner.py - measures the variants of a kernel -------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Measures the variants of a kernel on a GPU, and stores their times in its package, by carousel-tune (docs/Package.md).

The program is another process, so that a variant that fails doesn't end this one."""

from __future__ import annotations

import importlib
import json
import math
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

from ._arrays import ArrayView, contiguous_strides, view_array
from ._symbols import Symbols, check_symbols
from ._tools import find_tool, make_environment
from .errors import CarouselError, DeviceError, InvalidArgumentError, PackageError
from .package import Package

if TYPE_CHECKING:
    from .device import Parameter

TOOL = "carousel-tune"
WRONG_COMMAND, FAILED = 2, 3  # exit statuses
SECONDS_TO_STOP = 5
INDEX_ELEMENTS = ("i1", "i16", "i32", "i64", "index")
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class TunedVariant:
    """A variant that accepts the arguments. Times are in microseconds."""

    function: str
    predicted: Optional[float]
    """The time that the compiler's model predicts."""
    measured: float
    is_chosen: bool

    def __str__(self) -> str:
        predicted = "" if self.predicted is None else f"predicted {self.predicted:.2f} us, "
        return f"{self.function}: {predicted}measured {self.measured:.2f} us{', chosen' if self.is_chosen else ''}"


@dataclass(frozen=True)
class Tuning:
    """What was measured. `str` of it has a line for each variant."""

    kernel: str
    device: str
    values: tuple[int, ...]
    """Values of the arguments for which launches use the times."""
    variants: tuple[TunedVariant, ...]
    is_stored: bool

    @property
    def chosen(self) -> TunedVariant:
        """The fastest, which launches take."""
        return next(variant for variant in self.variants if variant.is_chosen)

    def __str__(self) -> str:
        return "\n".join(map(str, self.variants))


def format_value(parameter: Parameter, value: object, view: Optional[ArrayView]) -> str:
    """A value of the program's option --arg."""
    if isinstance(value, str):
        return value
    if not parameter.is_tensor:
        number = value.item() if hasattr(value, "item") else value
        if not isinstance(number, (int, float)):
            raise InvalidArgumentError(f"{parameter.name}: expected a number for {parameter.element}, got "
                                       f"{type(value).__name__}")
        return repr(int(number)) if isinstance(number, bool) else repr(number)
    if view is None:
        raise InvalidArgumentError(f"{parameter.name}: expected an array for {parameter}, got {type(value).__name__}")
    if view.element != parameter.element:
        raise InvalidArgumentError(f"{parameter.name}: expected elements of type {parameter.element}, got {view.element}")
    return choose_contents(parameter) + format_shape(view.extents, view.strides)


def choose_contents(parameter: Parameter) -> str:
    if parameter.access == "out":
        return "empty:"
    # Random indices would be out of bounds.
    return "zeros:" if parameter.element in INDEX_ELEMENTS else "random:"


def format_shape(extents: Sequence[int], strides: Sequence[int]) -> str:
    if not extents:
        return "[]"
    shape = "x".join(map(str, extents))
    return shape if tuple(strides) == contiguous_strides(extents) else f"{shape}@{'x'.join(map(str, strides))}"


def format_values(parameters: Sequence[Parameter], values: Sequence[object], symbols: Symbols,
                  signature: str) -> tuple[list[str], Optional[int]]:
    """The values of all --arg, and the device of the arrays."""
    texts: list[str] = []
    device: Optional[int] = None
    extents_by_name: dict[str, tuple[int, ...]] = {}
    for parameter, value in zip(parameters, values):
        if value is None:
            if not parameter.is_tensor or parameter.access != "out" or None in parameter.extents:
                raise InvalidArgumentError(f"expected a value of each argument ({signature}), got none of {parameter.name}")
            extents = [extent or 0 for extent in parameter.extents]
            texts.append(f"{parameter.name}=empty:{format_shape(extents, contiguous_strides(extents))}")
            continue
        view = view_array(value, parameter.name) if parameter.is_tensor else None
        texts.append(f"{parameter.name}={format_value(parameter, value, view)}")
        if view is None:
            continue
        extents_by_name[parameter.name] = view.extents
        if view.device is None or view.device < 0:
            continue
        if device is not None and device != view.device:
            raise InvalidArgumentError(f"{parameter.name}: expected an array on CUDA device {device}, as another one is, "
                                       f"got one on device {view.device}")
        device = view.device
    check_symbols(symbols, extents_by_name)
    return texts, device


def stop(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.wait(SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def run_tool(command: Sequence[str], progress: Progress) -> dict[str, Any]:
    """The program's JSON. What `progress` raises, and Ctrl-C, end the program."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        # Ctrl-C of a terminal reaches this process only.
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True,
                                   encoding="utf-8", errors="replace", env=make_environment(), start_new_session=True)
        said, total = [], 1
        try:
            assert process.stderr is not None
            for line in process.stderr:
                if line.startswith('{"function":'):
                    step = json.loads(line)
                    total = step["total"]
                    progress(step["done"], total)
                else:
                    said.append(line.strip())
            status = process.wait()
        except BaseException:
            stop(process)
            raise
        finally:
            if process.stderr is not None:
                process.stderr.close()
        output.seek(0)
        text = output.read()
    if status == 0:
        result: dict[str, Any] = json.loads(text)
        progress(total, total)
        return result
    prefix = f"{TOOL}: error: "
    message = " ".join(line[len(prefix):] for line in said if line.startswith(prefix))
    if not message:
        message = f"{TOOL} ended with status {status}" + (f": {' '.join(said)}" if said else "")
    if status == WRONG_COMMAND:
        raise InvalidArgumentError(message)
    # Times were measured, but not stored.
    raise PackageError(message) if text else DeviceError(message)


class Bar:
    """A bar of tqdm, if it is installed."""

    def __init__(self, name: str):
        self._name = name
        self._bar: Any = None
        self._type: Any = None
        try:
            self._type = importlib.import_module("tqdm").tqdm
        except ImportError:
            pass

    def __call__(self, done: int, total: int) -> None:
        if self._type is None:
            return
        if self._bar is None:
            self._bar = self._type(total=total, desc=f"tuning {self._name}", unit="measurement", leave=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def tune(package: Package, kernel: Optional[str] = None, *inputs: object, seconds: float = 0.2, store: bool = True,
         device: Optional[int] = None, progress: Union[bool, Progress] = True, **named: object) -> Tuning:
    """Measures the variants of a kernel that have a cost and accept the arguments, for `seconds` each, and stores their
    times in the package, unless `store` is False. Launches with such arguments on such a device take the fastest one then.

    Of arrays, only types, extents and strides count: the measured kernel has random numbers of its own, and zeros where
    the elements are integers of more or less than 8 bits, which may be indices. A text is a value of carousel-tune's
    option --arg: "random:4096x4096", "x.npy". Results of known extents may be left out.

    The times go into the package's directory, or into what `save` writes later. Kernels that were got from the package
    before don't know them. `progress` is called with the number of measurements that are done and their count; True shows
    a bar of tqdm, if that is installed. What it raises, and Ctrl-C, end the measurement, and nothing is stored.

    Raises InvalidArgumentError if an argument is wrong or no variant has a cost, and DeviceError if no variant accepts
    the arguments, or the driver or a launch fails."""
    if not isinstance(package, Package):
        raise TypeError(f"package: expected a carousel.Package, got {type(package).__name__}; compile it")
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
        raise InvalidArgumentError(f"seconds: expected a positive number, got {seconds!r}")
    function = package.kernel(kernel)
    values = function._place(inputs, named)
    texts, found = format_values(function.parameters, values, function._symbols, function.signature)
    if device is not None and found is not None and device != found:
        raise InvalidArgumentError(f"device: expected that of the arrays, {found}, got {device}")
    directory = package._on_disk()
    command = [str(find_tool(TOOL)), directory, function.name, "--seconds", repr(float(seconds)), "--json",
               "--json-progress", "--device", str(device if device is not None else found or 0)]
    for text in texts:
        command += ["--arg", text]
    if not store:
        command.append("--dry-run")
    bar = Bar(function.name)
    try:
        result = run_tool(command, progress if callable(progress) else bar if progress else lambda done, total: None)
    except OSError as error:
        if isinstance(error, CarouselError):
            raise
        raise DeviceError(f"can't run {command[0]}: {error.strerror}") from None
    finally:
        bar.close()
    if store:
        package._reload()
    variants = tuple(TunedVariant(each["function"], each["predicted_us"], each["measured_us"], each["chosen"])
                     for each in result["variants"])
    return Tuning(result["kernel"], result["device"], tuple(result["values"]), variants, result["stored"] is not None)
