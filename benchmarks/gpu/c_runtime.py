# ===- c_runtime.py - the runtime's C interface ------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Kernels and programs of packages in PyTorch's current stream, on tensors and other memory of GPUs."""

import ctypes
import struct
from dataclasses import dataclass

import torch


class Index(int):
    """A scalar of type index; other integers are i64."""


@dataclass
class Memory:
    """A contiguous tensor at an address that isn't a PyTorch tensor's."""

    data: int
    dtype: torch.dtype
    shape: tuple

    def dim(self):
        return len(self.shape)

    def data_ptr(self):
        return self.data


class Argument(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("element", ctypes.c_int32), ("rank", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32), ("data", ctypes.c_uint64), ("extents", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("value", ctypes.c_uint64)]


ELEMENTS = {torch.bool: 1, torch.uint8: 2, torch.int8: 2, torch.int32: 4, torch.int64: 5, torch.float16: 6, torch.bfloat16: 7, torch.float32: 8, torch.float64: 9,
            torch.float8_e4m3fn: 10, torch.float8_e5m2: 11}


def bind(values):
    """Arguments of a launch: tensors, Memory, integers as scalars of type i64, and floats as those of type f32. The result
    must outlive its use."""
    arguments = (Argument * len(values))()
    for argument, value in zip(arguments, values):
        if isinstance(value, int):
            argument.kind, argument.value = 2, value
            argument.element = 13 if isinstance(value, Index) else ELEMENTS[torch.int64]
            continue
        if isinstance(value, float):
            argument.kind, argument.element = 2, ELEMENTS[torch.float32]
            argument.value = struct.unpack("<I", struct.pack("<f", value))[0]
            continue
        extents = (ctypes.c_int64 * max(value.dim(), 1))(*value.shape)
        argument.kind, argument.element, argument.rank = 1, ELEMENTS[value.dtype], value.dim()
        argument.data, argument.extents = value.data_ptr(), extents
    arguments.kept = values
    return arguments


def get_stream():
    return ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)


class Runtime:
    """A context on a GPU, and the calls of the library in `folder`."""

    def __init__(self, folder, device=0):
        self.library = ctypes.CDLL(str(folder / "libcarousel_runtime.so.2"))
        self.library.carousel_last_error.restype = ctypes.c_char_p
        options = (ctypes.c_char * 56)()  # sizeof(carousel_context_options)
        self.call("carousel_context_options_init", options, ctypes.c_size_t(56), direct=True)
        ctypes.c_int32.from_buffer(options, 8).value = device
        self.context = ctypes.c_void_p()
        self.call("carousel_context_create", options, ctypes.byref(self.context))

    def call(self, name, *arguments, direct=False):
        status = getattr(self.library, name)(*arguments)
        if not direct and status != 0:
            raise RuntimeError(self.library.carousel_last_error().decode())


class Program:
    def __init__(self, runtime, path):
        self.runtime = runtime
        package = ctypes.c_void_p()
        runtime.call("carousel_package_open", str(path).encode(), ctypes.byref(package))
        self.handle = ctypes.c_void_p()
        runtime.call("carousel_program_get", runtime.context, package, b"main", ctypes.byref(self.handle))

    bind = staticmethod(bind)

    def load_parameters(self, arguments):
        """Of the current stream: launches in it don't repeat what follows from parameters."""
        self.runtime.call("carousel_program_load_parameters", self.handle, arguments, ctypes.c_size_t(len(arguments)),
                          get_stream())

    def launch(self, arguments):
        self.runtime.call("carousel_program_launch", self.handle, arguments, ctypes.c_size_t(len(arguments)),
                          get_stream())


class Kernel:
    def __init__(self, runtime, path, name):
        self.runtime = runtime
        package = ctypes.c_void_p()
        runtime.call("carousel_package_open", str(path).encode(), ctypes.byref(package))
        self.handle = ctypes.c_void_p()
        runtime.call("carousel_kernel_get", runtime.context, package, name.encode(), ctypes.byref(self.handle))

    bind = staticmethod(bind)

    def launch(self, arguments):
        self.runtime.call("carousel_kernel_launch", self.handle, arguments, ctypes.c_size_t(len(arguments)), get_stream())
