# ===- _runtime.py - the runtime's C interface by ctypes --------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""The structs and functions of carousel_runtime.h that launches need."""

from __future__ import annotations

import ctypes
import functools
import os
import weakref
from ctypes import POINTER, Structure, c_char, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

from ._library import load_library
from .errors import CarouselError, DeviceError, InvalidArgumentError, NotFoundError, PackageError

VERSION = 7
MAX_RANK = 8
DYNAMIC = -(1 << 63)
TENSOR, SCALAR = 1, 2
ACCESSES = {1: "in", 2: "out", 3: "inout"}
ELEMENTS = ("", "i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "index")
ERRORS = {1: InvalidArgumentError, 2: PackageError, 3: PackageError, 4: NotFoundError, 5: InvalidArgumentError,
          10: PackageError}


class Argument(Structure):
    _fields_ = [("kind", c_int32), ("element", c_int32), ("rank", c_uint32), ("reserved", c_uint32), ("data", c_uint64),
                ("extents", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("value", c_uint64)]


class ContextOptions(Structure):
    _fields_ = [("size", c_size_t), ("device", c_int32), ("blocking", c_int32), ("driver", c_char_p), ("nvrtc", c_char_p),
                ("nvjitlink", c_char_p), ("cache_directory", c_char_p), ("cache_bytes", c_uint64),
                ("trust_symmetric", c_int32), ("reserved", c_int32)]


class DeviceInfoStruct(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char * 256), ("ordinal", c_int32), ("compute_capability", c_int32),
                ("multiprocessors", c_int32), ("driver_version", c_int32), ("max_shared_per_block", c_uint32),
                ("l2_bytes", c_uint64)]


class ArgumentInfoStruct(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("kind", c_int32), ("access", c_int32), ("element", c_int32),
                ("rank", c_uint32), ("contiguous", c_int32), ("extents", c_int64 * MAX_RANK),
                ("strides", c_int64 * MAX_RANK), ("sharing", c_int32), ("reserved", c_int32)]


HANDLE = c_void_p
USE_FILE = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_void_p, c_uint64)
ARGUMENTS: list[Any] = [HANDLE, POINTER(Argument), c_size_t]
STATUS_FUNCTIONS: dict[str, list[Any]] = {
    "context_create": [POINTER(ContextOptions), POINTER(HANDLE)],
    "context_device": [HANDLE, POINTER(DeviceInfoStruct)],
    "context_synchronize": [HANDLE, c_void_p],
    "package_open": [c_char_p, POINTER(HANDLE)],
    "package_files": [HANDLE, USE_FILE, c_void_p],
    "package_read_constants": [HANDLE, c_void_p, c_uint64],
    "package_kernel_count": [HANDLE, POINTER(c_size_t)],
    "package_kernel_name": [HANDLE, c_size_t, POINTER(c_char_p)],
    "package_argument_count": [HANDLE, c_size_t, POINTER(c_size_t)],
    "package_argument": [HANDLE, c_size_t, c_size_t, POINTER(ArgumentInfoStruct)],
    "package_program_count": [HANDLE, POINTER(c_size_t)],
    "package_program_name": [HANDLE, c_size_t, POINTER(c_char_p)],
    "package_program_argument_count": [HANDLE, c_size_t, POINTER(c_size_t)],
    "package_program_argument": [HANDLE, c_size_t, c_size_t, POINTER(ArgumentInfoStruct)],
    "kernel_get": [HANDLE, HANDLE, c_char_p, POINTER(HANDLE)],
    "kernel_load_all": [HANDLE],
    "kernel_launch": [*ARGUMENTS, c_void_p],
    "kernel_explain": [*ARGUMENTS, POINTER(c_char_p)],
    "program_get": [HANDLE, HANDLE, c_char_p, POINTER(HANDLE)],
    "program_load_all": [HANDLE],
    "program_launch": [*ARGUMENTS, c_void_p],
    "program_load_parameters": [*ARGUMENTS, c_void_p],
}
FREE_FUNCTIONS = ("context_destroy", "package_close", "kernel_release", "program_release")


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    loaded = load_library("libcarousel_runtime.so.2", "carousel_runtime_version", VERSION)
    for name, types in STATUS_FUNCTIONS.items():
        function = getattr(loaded, f"carousel_{name}")
        function.restype, function.argtypes = c_int32, types
    for name in FREE_FUNCTIONS:
        function = getattr(loaded, f"carousel_{name}")
        function.restype, function.argtypes = None, [HANDLE]
    loaded.carousel_context_options_init.restype = None
    loaded.carousel_context_options_init.argtypes = [POINTER(ContextOptions), c_size_t]
    loaded.carousel_last_error.restype = c_char_p
    return loaded


def check(status: int) -> None:
    if status != 0:
        message = (library().carousel_last_error() or b"").decode("utf-8", "replace")
        error: type[CarouselError] = ERRORS.get(status, DeviceError)
        raise error(message)


def call(name: str, *arguments: Any) -> None:
    check(getattr(library(), f"carousel_{name}")(*arguments))


class Handle:
    """A handle of the runtime. It is freed with the object, in the process that made it."""

    def __init__(self, value: c_void_p, free: str):
        self.value, self.process = value, os.getpid()
        process, function = self.process, getattr(library(), f"carousel_{free}")

        def release() -> None:
            if os.getpid() == process:
                function(value)

        self._finalizer = weakref.finalize(self, release)
        self._finalizer.atexit = False
