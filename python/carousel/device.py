# ===- device.py - launches on a GPU ----------------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Kernels and programs of a package as callables, on the runtime's C interface (docs/Runtime.md)."""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import sys
import threading
from collections.abc import Sequence
from ctypes import c_char_p, c_int32, c_int64, c_size_t, c_void_p
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from . import _runtime as api
from ._arrays import ArrayView, describe_layouts, is_torch_tensor, view_array
from ._cuda import find_wheel_library
from ._library import encode
from ._numbers import INTEGERS, check_number, read_scalar, round_once
from ._streams import find_current_stream, find_stream
from ._symbols import check_symbols
from .errors import DeviceError, InvalidArgumentError

if TYPE_CHECKING:
    from .package import Package

FLOAT_FORMATS = {"f16": "e", "f32": "f", "f64": "d"}
F32 = struct.Struct("=f")
PRELOADED: dict[str, ctypes.CDLL] = {}
MOST_LAYOUTS = 64  # that a thread keeps for one function


@dataclass(frozen=True)
class Device:
    """A GPU, as the driver describes it."""

    name: str
    ordinal: int
    compute_capability: int  # 90 is 9.0
    multiprocessors: int
    driver_version: int
    l2_bytes: int


@dataclass(frozen=True)
class Parameter:
    """An argument that callers pass. None in `extents` and `strides` is known at the launch only."""

    name: str
    is_tensor: bool
    access: str  # "in", "out" or "inout"
    element: str
    extents: tuple[Optional[int], ...]
    is_contiguous: bool

    def __str__(self) -> str:
        if not self.is_tensor:
            return f"{self.name}: {self.element}"
        extents = "x".join("?" if extent is None else str(extent) for extent in self.extents)
        return f"{self.name}: {extents + 'x' if extents else ''}{self.element}, {self.access}"


class Context:
    """A GPU that kernels are loaded onto: the device's primary context. Use Context.get."""

    _known: dict[tuple[int, int], Context] = {}
    _lock = threading.Lock()

    def __init__(self, device: int = 0, *, driver: Optional[str] = None, blocking: bool = False):
        options = api.ContextOptions()
        api.library().carousel_context_options_init(ctypes.byref(options), ctypes.sizeof(options))
        options.device, options.blocking = device, blocking
        if driver is not None:
            options.driver = encode(driver, "driver")
        for name, files in (("nvrtc", ("libnvrtc.so.13", "libnvrtc.so.12")),
                            ("nvjitlink", ("libnvJitLink.so.13", "libnvJitLink.so.12"))):
            if path := find_wheel_library(*files):
                setattr(options, name, encode(path, name))
        handle = c_void_p()
        api.call("context_create", ctypes.byref(options), ctypes.byref(handle))
        self.handle = api.Handle(handle, "context_destroy")
        info = api.DeviceInfoStruct(size=ctypes.sizeof(api.DeviceInfoStruct))
        api.call("context_device", handle, ctypes.byref(info))
        self.device = Device(info.name.decode(), info.ordinal, info.compute_capability, info.multiprocessors,
                             info.driver_version, info.l2_bytes)

    @classmethod
    def get(cls, device: int) -> Context:
        """The process's context of a device. CUDA doesn't survive a fork, so that a child can't make one after its
        parent."""
        with cls._lock:
            for process, _ in cls._known:
                if process != os.getpid():
                    raise DeviceError(f"expected a process that made its own CUDA context, got a fork of process {process}; "
                                      "start children with multiprocessing's method 'spawn'")
            key = (os.getpid(), device)
            if key not in cls._known:
                cls._known[key] = cls(device)
            return cls._known[key]

    @classmethod
    def _renew_lock(cls) -> None:
        cls._lock = threading.Lock()

    def synchronize(self, stream: object = None) -> None:
        """Waits for a stream. Raises DeviceError if an earlier launch failed."""
        api.call("context_synchronize", self.handle.value, find_stream(stream))


class Process:
    """The number of this process, without a system call at each launch."""

    def __init__(self) -> None:
        self.id = os.getpid()

    def update(self) -> None:
        self.id = os.getpid()


PROCESS = Process()
os.register_at_fork(after_in_child=Context._renew_lock)
os.register_at_fork(after_in_child=PROCESS.update)


def convert_number(value: object, parameter: Parameter) -> int:
    """The bits of a scalar argument."""
    name, element = parameter.name, parameter.element
    if type(value) is float and element == "f32":
        try:
            return int.from_bytes(F32.pack(value), "little")
        except OverflowError:
            raise InvalidArgumentError(f"{name}: expected a number that {element} can hold, got {value}") from None
    scalar = read_scalar(value)
    if scalar is None:
        raise InvalidArgumentError(f"{name}: expected a number for {element}, got {type(value).__name__}")
    number = check_number(scalar, element, name)
    if element in INTEGERS:
        # The runtime takes integers with their sign.
        return int(number) & ((1 << 64) - 1)
    number = round_once(number, element)
    if element in FLOAT_FORMATS:
        return int.from_bytes(struct.pack("=" + FLOAT_FORMATS[element], number), "little")
    if element == "bf16":
        word = int.from_bytes(struct.pack("=f", number), "little") >> 16
        return word | 0x40 if number != number else word
    raise InvalidArgumentError(f"{name}: expected a scalar of another type than {element}, which Python has no numbers for")


class ThreadLayouts(threading.local):
    """What this thread has launched."""

    def __init__(self) -> None:
        self.layouts: dict[tuple[Any, ...], LaunchArguments] = {}


class LaunchArguments:
    """The arguments of launches with equal layouts, of one thread. Later launches change addresses and numbers only."""

    def __init__(self, parameters: tuple[Parameter, ...], views: Sequence[Optional[ArrayView]], device: int):
        self.device = device
        self.array = (api.Argument * max(len(parameters), 1))()
        # An access to an element of the array makes a new object.
        items = list(self.array)[: len(parameters)]
        self.tensors = [item for item, view in zip(items, views) if view]
        self.scalars = [(number, item, parameter) for number, (item, view, parameter)
                        in enumerate(zip(items, views, parameters)) if not view]
        self.keep: list[Any] = []
        for argument, parameter, view in zip(items, parameters, views):
            argument.element = api.ELEMENTS.index(view.element if view else parameter.element)
            argument.kind = api.TENSOR if view else api.SCALAR
            if view:
                rank = len(view.extents)
                argument.rank = rank
                extents, strides = (c_int64 * max(rank, 1))(*view.extents), (c_int64 * max(rank, 1))(*view.strides)
                argument.extents, argument.strides = extents, strides
                # Memory of an exporter of DLPack is held until the launch is in its stream.
                self.keep += [extents, strides, view.keep]


class Function:
    """What kernels and programs share."""

    _kind = ""

    def __init__(self, package: Package, name: str, device: Optional[int]):
        self.package, self.name = package, name
        self._symbols = package._symbols.get(name, {})
        self._device = device
        self._process = os.getpid()
        handle = c_void_p()
        api.call("package_open", encode(package._on_disk(), "directory"), ctypes.byref(handle))
        self._package = api.Handle(handle, "package_close")
        self.parameters = self._read_parameters()
        self._tensors = [number for number, parameter in enumerate(self.parameters) if parameter.is_tensor]
        self._loaded: dict[int, tuple[Context, api.Handle]] = {}
        self._lock = threading.Lock()
        self._local = ThreadLayouts()
        # A function object of its own without types of arguments: its callers pass objects of ctypes, which need no
        # conversion.
        self._launch = self._get_function("launch")
        self._count = c_size_t(len(self.parameters))

    def _get_function(self, name: str) -> Any:
        function = api.library()[f"carousel_{self._kind}_{name}"]
        function.restype = c_int32
        return function

    def _read_parameters(self) -> tuple[Parameter, ...]:
        prefix = "package_program_argument" if self._kind == "program" else "package_argument"
        names = self.package.programs if self._kind == "program" else self.package.kernels
        number, count = names.index(self.name), c_size_t()
        api.call(f"{prefix}_count", self._package.value, number, ctypes.byref(count))
        parameters = []
        for each in range(count.value):
            info = api.ArgumentInfoStruct(size=ctypes.sizeof(api.ArgumentInfoStruct))
            api.call(prefix, self._package.value, number, each, ctypes.byref(info))
            extents = tuple(None if extent == api.DYNAMIC else int(extent) for extent in info.extents[: info.rank])
            parameters.append(Parameter(info.name.decode(), info.kind == api.TENSOR, api.ACCESSES[info.access],
                                        api.ELEMENTS[info.element], extents, bool(info.contiguous)))
        return tuple(parameters)

    def _load(self, device: int) -> tuple[Context, api.Handle]:
        with self._lock:
            if device not in self._loaded:
                context, handle = Context.get(device), c_void_p()
                api.call(f"{self._kind}_get", context.handle.value, self._package.value, encode(self.name, "name"),
                         ctypes.byref(handle))
                self._loaded[device] = context, api.Handle(handle, f"{self._kind}_release")
            return self._loaded[device]

    def load(self, device: int = 0) -> None:
        """Compiles and loads all variants. Required before a launch into a stream that is being captured."""
        api.call(f"{self._kind}_load_all", self._load(device)[1].value)

    def _place(self, values: tuple[object, ...], named: dict[str, object]) -> list[object]:
        """The values in the parameters' order, and None where there is none."""
        parameters = self.parameters
        if len(values) > len(parameters):
            raise InvalidArgumentError(f"{self.name}: expected {len(parameters)} arguments ({self.signature}), "
                                       f"got {len(values)}")
        collected: list[object] = [*values, *[None] * (len(parameters) - len(values))]
        places = {parameter.name: number for number, parameter in enumerate(parameters)}
        for name, value in named.items():
            if name not in places:
                raise InvalidArgumentError(f"{self.name}: expected arguments of {self.signature}, got '{name}'")
            if places[name] < len(values):
                raise InvalidArgumentError(f"{self.name}: expected {name} once, got it twice")
            collected[places[name]] = value
        return collected

    def _collect(self, values: tuple[object, ...], named: dict[str, object]) -> Sequence[object]:
        """The values in the parameters' order, with results that are allocated."""
        if not named and len(values) == len(self.parameters):
            return values
        collected = self._place(values, named)
        for number, parameter in enumerate(self.parameters):
            if collected[number] is None:
                collected[number] = self._allocate(parameter, collected)
        return collected

    def _allocate(self, parameter: Parameter, values: list[object]) -> object:
        """A result of known extents, by the package that the other arrays are of."""
        if not parameter.is_tensor or parameter.access != "out":
            raise InvalidArgumentError(f"{self.name}: expected a value of each argument ({self.signature}), got none of "
                                       f"{parameter.name}")
        if None in parameter.extents:
            raise InvalidArgumentError(f"{self.name}: expected an array for the result {parameter}, whose extents depend on "
                                       "the launch, got none")
        like: Any
        for like in values:
            if is_torch_tensor(like):
                torch = sys.modules["torch"]
                types = {"i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "f16": "float16",
                         "bf16": "bfloat16", "f32": "float32", "f64": "float64", "f8E4M3FN": "float8_e4m3fn",
                         "f8E5M2": "float8_e5m2", "f8E8M0FNU": "float8_e8m0fnu"}
                return torch.empty(parameter.extents, dtype=getattr(torch, types[parameter.element]), device=like.device)
        raise InvalidArgumentError(f"{self.name}: expected an array for the result {parameter}, as no argument is a tensor "
                                   "of PyTorch to make one like, got none")

    @property
    def signature(self) -> str:
        return ", ".join(map(str, self.parameters))

    def _check(self, values: Sequence[object]) -> tuple[list[Optional[ArrayView]], int]:
        """Where the arrays lie, and the device that all of them are on."""
        views: list[Optional[ArrayView]] = []
        device = self._device
        for parameter, value in zip(self.parameters, values):
            view = view_array(value, parameter.name) if parameter.is_tensor else None
            views.append(view)
            if not parameter.is_tensor:
                continue
            if view is None:
                raise InvalidArgumentError(f"{parameter.name}: expected an array for {parameter}, got {type(value).__name__}")
            if view.device is None:
                raise InvalidArgumentError(f"{parameter.name}: expected an array in the memory of a GPU, got one in the "
                                           "host's memory; copy it to the device")
            if view.is_read_only and parameter.access != "in":
                raise InvalidArgumentError(f"{parameter.name}: expected memory that can be written, got read-only memory")
            if view.device >= 0 and device is None:
                device = view.device
            elif view.device >= 0 and view.device != device:
                raise InvalidArgumentError(f"{parameter.name}: expected an array on CUDA device {device}, as the launch is, "
                                           f"got one on device {view.device}")
        check_symbols(self._symbols, {parameter.name: view.extents for parameter, view in zip(self.parameters, views) if view})
        return views, device or 0

    def _prepare(self, values: Sequence[object]) -> LaunchArguments:
        """The arguments for C. What was checked for one launch isn't checked again for equal layouts."""
        if self._process != PROCESS.id:
            raise DeviceError(f"expected a {self._kind} that this process made, got one of process {self._process} from "
                              "before a fork; start children with multiprocessing's method 'spawn'")
        layouts = self._local.layouts
        key, addresses = describe_layouts(values, self._tensors)
        try:
            arguments = layouts.get(key)
        except TypeError:  # a part of an interface that has no hash
            arguments = None
        if arguments is None:
            seen: dict[int, Any] = {}
            key, addresses = describe_layouts(values, self._tensors, seen)
            views, device = self._check([seen.get(number, value) for number, value in enumerate(values)])
            arguments = LaunchArguments(self.parameters, views, device)
            addresses = [view.address for view in views if view]
            if None not in key:
                if len(layouts) >= MOST_LAYOUTS:
                    layouts.clear()
                with contextlib.suppress(TypeError):
                    layouts[key] = arguments
        for argument, address in zip(arguments.tensors, addresses):
            argument.data = address
        for number, argument, parameter in arguments.scalars:
            argument.value = convert_number(values[number], parameter)
        return arguments

    def __call__(self, *values: object, stream: object = None, **named: object) -> object:
        """Launches on arrays of one device, in the current stream of their package, and doesn't wait.

        Arguments may be given by name. Results that are not given are allocated if their extents are fixed. Returns the
        allocated results: one, or a tuple of several; None if there are none."""
        return self._start(self._launch, values, stream, named)

    def _start(self, function: Any, values: tuple[object, ...], stream: object, named: dict[str, object]) -> object:
        given = len(values)
        is_whole = given == len(self.parameters) and not named
        collected = values if is_whole else self._collect(values, named)
        arguments = self._prepare(collected)
        device = arguments.device
        loaded = self._loaded.get(device) or self._load(device)
        address = find_current_stream(collected, device) if stream is None else find_stream(stream)
        status = function(loaded[1].value, arguments.array, self._count, c_void_p(address) if address else None)
        if status:
            api.check(status)
        if is_whole:
            return None
        made = [value for number, (parameter, value) in enumerate(zip(self.parameters, collected))
                if number >= given and parameter.name not in named]
        return made[0] if len(made) == 1 else tuple(made) if made else None

    def __repr__(self) -> str:
        return f"<carousel.{type(self).__name__} {self.name}({self.signature})>"


class Kernel(Function):
    """A kernel of a package: `kernel(x, y)` launches it."""

    _kind = "kernel"

    def explain(self, *values: object, **named: object) -> str:
        """A line for each variant: whether it accepts the arguments, or why not."""
        collected = self._collect(values, named)
        arguments = self._prepare(collected)
        text = c_char_p()
        api.call("kernel_explain", self._load(arguments.device)[1].value, arguments.array, len(self.parameters),
                 ctypes.byref(text))
        return (text.value or b"").decode()


class Program(Function):
    """A program of a package, several kernels in one stream: `program(*inputs)` launches it."""

    _kind = "program"

    def _load(self, device: int) -> tuple[Context, api.Handle]:
        (own,) = (each for each in self.package.manifest["programs"] if each["name"] == self.name)
        if any("matmul" in step["kind"] for step in own["steps"]):
            # The runtime finds it by its name, once it is in the process.
            path = find_wheel_library("libcublasLt.so.13", "libcublasLt.so.12")
            if path and path not in PRELOADED:
                PRELOADED[path] = ctypes.CDLL(path)
        return super()._load(device)

    def load_parameters(self, *values: object, stream: object = None, **named: object) -> None:
        """Does what a launch with these arguments does with parameters and constants alone, such as to lay out weights anew.
        Later launches in the same stream don't repeat it: call it again once a parameter's elements have changed. They
        have to get the same parameters, in the same memory."""
        self._start(self._get_function("load_parameters"), values, stream, named)
