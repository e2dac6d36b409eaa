# ===- _arrays.py - arrays of other packages ------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Reads where an array of another package lies, without importing that package.

Known are tensors of PyTorch, arrays with `__array_interface__` (NumPy), `__cuda_array_interface__` (CuPy, Numba, JAX)
or DLPack, and objects with a buffer. Nothing is copied."""

from __future__ import annotations

import ctypes
import operator
import sys
from collections.abc import Sequence
from ctypes import POINTER, Structure, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint64, c_void_p
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Optional

from ._checks import MOST_64, MOST_U64, check_integer
from .errors import InvalidArgumentError

BITS = {"i1": 8, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64, "f8E4M3FN": 8,
        "f8E5M2": 8, "f8E8M0FNU": 8}
# Names of types in NumPy, ml_dtypes, JAX and PyTorch.
ELEMENTS = {
    "bool": "i1", "bool_": "i1", "int8": "i8", "uint8": "i8", "int16": "i16", "uint16": "i16", "int32": "i32",
    "uint32": "i32", "int64": "i64", "uint64": "i64", "float16": "f16", "bfloat16": "bf16", "float32": "f32",
    "float64": "f64", "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "float8_e8m0fnu": "f8E8M0FNU",
}
# The first name of an element type: a signed one.
NAMES = {element: name for name, element in reversed(ELEMENTS.items()) if name != "bool_"}
CODES = {"b1": "i1", "i1": "i8", "u1": "i8", "i2": "i16", "u2": "i16", "i4": "i32", "u4": "i32", "i8": "i64",
         "u8": "i64", "f2": "f16", "f4": "f32", "f8": "f64"}
FORMATS = {"?": "i1", "b": "i8", "B": "i8", "h": "i16", "H": "i16", "i": "i32", "I": "i32", "q": "i64", "Q": "i64",
           "e": "f16", "f": "f32", "d": "f64"}
if ctypes.sizeof(ctypes.c_long) == 8:
    FORMATS.update(l="i64", L="i64")


@dataclass(frozen=True)
class ArrayView:
    """Where an array lies. Strides are in elements."""

    element: str
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    address: int
    device: Optional[int]  # of CUDA; None is the host
    is_read_only: bool = False
    stream: Optional[int] = None  # on which it was written, if the array says so
    keep: object = None  # what owns the memory


def contiguous_strides(extents: Sequence[int]) -> tuple[int, ...]:
    strides, stride = [], 1
    for extent in reversed(extents):
        strides.append(stride)
        stride *= extent
    return tuple(reversed(strides))


def in_elements(strides: Optional[Sequence[int]], extents: Sequence[int], element: str, name: str) -> tuple[int, ...]:
    """Strides of bytes in elements."""
    if strides is None:
        return contiguous_strides(extents)
    size = BITS[element] // 8
    if any(stride % size for stride in strides):
        raise InvalidArgumentError(f"{name}: expected strides that are multiples of the element's {size} bytes, "
                                   f"got {tuple(strides)}")
    return tuple(stride // size for stride in strides)


def find_element(dtype: object, code: str, name: str) -> str:
    """The element type by the array's own name of its type, or else by the interface's code."""
    called = str(getattr(dtype, "name", dtype)).rpartition(".")[2]
    element = ELEMENTS.get(called) or (CODES.get(code[1:]) if code[:1] in "<|=" else None)
    if element is None or code.startswith(">"):
        got = code if code.startswith(">") else called or code
        raise InvalidArgumentError(f"{name}: expected elements of {', '.join(BITS)}, in the machine's byte order, got {got}")
    return element


def is_torch_tensor(value: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, getattr(torch, "Tensor", ()))


PLAIN_TENSORS: set[type] = set()  # PyTorch's own types, once a value of them was seen


def describe_layouts(values: Sequence[Any], numbers: Sequence[int],
                     seen: Optional[dict[int, Any]] = None) -> tuple[tuple[Any, ...], list[int]]:
    """All that a launch depends on but the addresses, as a key, and the addresses, of the values of these numbers. The
    key has None for arrays that only view_array knows. It may be of arrays that view_array refuses. An interface may
    answer otherwise when it is read again: `seen` receives what view_array has to take for such arrays.

    Each launch calls this, so that a tensor of PyTorch takes the branch without a call of Python's."""
    key: tuple[Any, ...] = ()
    addresses: list[int] = []
    for number in numbers:
        value = values[number]
        if type(value) in PLAIN_TENSORS or is_plain_tensor(value):
            try:
                # The type says whether it can be a lazy conjugate. A sparse tensor has no address.
                key += (value.dtype, value.shape, value.stride(), value.device, value.is_neg())
                addresses.append(value.data_ptr())
                continue
            except RuntimeError:
                layout, address = None, 0
        else:
            layout, address = describe_interface(value)
            if seen is not None and layout is not None:
                seen[number] = freeze_interface(layout, address)
        key += (layout,)
        addresses.append(address)
    return key, addresses


def is_plain_tensor(value: object) -> bool:
    """Subclasses of PyTorch's types may define these methods anew."""
    if is_torch_tensor(value):
        torch = sys.modules["torch"]
        PLAIN_TENSORS.update((torch.Tensor, torch.nn.Parameter))
    return type(value) in PLAIN_TENSORS


def describe_interface(value: Any) -> tuple[Optional[tuple[Any, ...]], int]:
    if is_torch_tensor(value):
        return None, 0
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is None or interface.get("mask") is not None:
        return None, 0
    address, is_read_only = interface["data"]
    if not isinstance(address, int) or not 0 < address <= MOST_U64:
        return None, 0  # view_array says what is wrong, if anything
    return (interface["typestr"], interface["shape"], interface.get("strides"), is_read_only, getattr(value, "dtype", ""),
            find_device(value)), address


def freeze_interface(layout: tuple[Any, ...], address: int) -> SimpleNamespace:
    """An array with the interface that describe_interface has read."""
    typestr, shape, strides, is_read_only, dtype, device = layout
    interface = {"typestr": typestr, "shape": shape, "strides": strides, "data": (address, is_read_only)}
    return SimpleNamespace(__cuda_array_interface__=interface, dtype=dtype, device=SimpleNamespace(id=device))


def view_torch(tensor: Any, name: str) -> ArrayView:
    if str(tensor.layout) != "torch.strided" or tensor.is_quantized or getattr(tensor, "is_nested", False):
        kind = "that is quantized" if tensor.is_quantized else "that is nested" if getattr(tensor, "is_nested", False) else ""
        raise InvalidArgumentError(f"{name}: expected a strided tensor, got one {kind or f'with {tensor.layout}'}")
    if tensor.is_conj() or tensor.is_neg():
        raise InvalidArgumentError(f"{name}: expected a tensor whose memory holds its values, got a lazy conjugate or "
                                   "negative; call .resolve_conj().resolve_neg()")
    kind = tensor.device.type
    if kind not in ("cpu", "cuda"):
        raise InvalidArgumentError(f"{name}: expected a tensor on the CPU or a CUDA device, got one on {tensor.device}")
    return ArrayView(find_element(tensor.dtype, "", name), tuple(tensor.shape), tuple(tensor.stride()), tensor.data_ptr(),
                     tensor.device.index or 0 if kind == "cuda" else None)


def view_interface(array: Any, interface: dict[str, Any], device: Optional[int], name: str) -> ArrayView:
    """`__array_interface__` and `__cuda_array_interface__`."""
    extents = tuple(map(operator.index, interface["shape"]))
    element = find_element(getattr(array, "dtype", ""), interface["typestr"], name)
    if interface.get("mask") is not None or is_masked(array):
        raise InvalidArgumentError(f"{name}: expected an array without a mask, got one with a mask")
    address, is_read_only = interface["data"]
    return ArrayView(element, extents, in_elements(interface.get("strides"), extents, element, name),
                     operator.index(address or 0), device,
                     bool(is_read_only), interface.get("stream"))


def is_masked(array: object) -> bool:
    """NumPy's masked arrays don't have the mask in their interface."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(array, numpy.ma.MaskedArray)


class DLTensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


DLPACK_CPU, DLPACK_CUDA, DLPACK_CUDA_HOST, DLPACK_MANAGED = 1, 2, 3, 13
DLPACK_CODES = {0: "i", 1: "i", 2: "f", 4: "bf", 6: "i", 10: "f8E4M3FN", 12: "f8E5M2", 14: "f8E8M0FNU"}


def view_dlpack(array: Any, name: str) -> ArrayView:
    device, ordinal = map(int, array.__dlpack_device__())
    if device not in (DLPACK_CPU, DLPACK_CUDA, DLPACK_CUDA_HOST, DLPACK_MANAGED):
        raise InvalidArgumentError(f"{name}: expected an array on the CPU or a CUDA device, got DLPack's device {device}")
    # -1: the launch itself is ordered by its stream.
    capsule = array.__dlpack__(stream=-1) if device == DLPACK_CUDA else array.__dlpack__()
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = DLTensor.from_address(get_pointer(capsule, b"dltensor"))
    kind = DLPACK_CODES.get(tensor.code, "")
    element = "i1" if tensor.code == 6 else kind if kind.startswith("f8") else f"{kind}{tensor.bits}"
    if element not in BITS or tensor.lanes != 1:
        raise InvalidArgumentError(f"{name}: expected elements of {', '.join(BITS)}, got DLPack's code {tensor.code} with "
                                   f"{tensor.bits} bits and {tensor.lanes} lanes")
    if tensor.ndim < 0 or (tensor.ndim > 0 and not tensor.shape):
        raise InvalidArgumentError(f"{name}: expected DLPack's extents, got none for {tensor.ndim} dimensions")
    extents = tuple(tensor.shape[: tensor.ndim]) if tensor.ndim else ()
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else contiguous_strides(extents)
    on_device = ordinal if device in (DLPACK_CUDA, DLPACK_MANAGED) else None
    # The capsule, which nobody consumes, gives its view back when it is dropped.
    return ArrayView(element, extents, strides, (tensor.data or 0) + tensor.byte_offset, on_device,
                     on_device is None and is_constant(array), keep=capsule)


def is_constant(array: object) -> bool:
    """Arrays of JAX don't change, and several may share memory of the host. DLPack of the first version doesn't say so."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(array, jax.Array)


class PyBuffer(Structure):
    _fields_ = [("buf", c_void_p), ("obj", ctypes.py_object), ("len", c_size_t), ("itemsize", c_size_t),
                ("readonly", c_int32), ("ndim", c_int32), ("format", ctypes.c_char_p), ("shape", c_void_p),
                ("strides", c_void_p), ("suboffsets", c_void_p), ("internal", c_void_p)]


def view_buffer(value: Any, name: str) -> ArrayView:
    """Of array.array, memoryview, ctypes arrays."""
    memory = memoryview(value)
    element = FORMATS.get(memory.format.lstrip("@=<"))
    if element is None:
        raise InvalidArgumentError(f"{name}: expected elements of {', '.join(BITS)}, got a buffer of '{memory.format}'")
    buffer = PyBuffer()
    api = ctypes.pythonapi
    api.PyObject_GetBuffer.argtypes = [ctypes.py_object, c_void_p, ctypes.c_int]
    api.PyBuffer_Release.argtypes, api.PyBuffer_Release.restype = [c_void_p], None
    api.PyObject_GetBuffer(memory, ctypes.byref(buffer), 0x1C)  # with strides and its format
    address = buffer.buf or 0
    api.PyBuffer_Release(ctypes.byref(buffer))
    extents = tuple(memory.shape or ())
    return ArrayView(element, extents, in_elements(memory.strides, extents, element, name), address, None, memory.readonly,
                     keep=memory)


def view_array(value: object, name: str) -> Optional[ArrayView]:
    """Where `value` lies, or None if it is no array."""
    try:
        view = find_view(value, name)
        if view is not None:
            check_view(view, name)
        return view
    except InvalidArgumentError:
        raise
    except Exception as error:  # by the array's own interface
        raise InvalidArgumentError(f"{name}: expected an array that tells where it lies, got {type(value).__name__}, whose "
                                   f"interface fails: {type(error).__name__}: {error}") from error


def check_view(view: ArrayView, name: str) -> None:
    """An array's own interface may say anything."""
    for extent in view.extents:
        check_integer(extent, f"{name}: extents", 0, MOST_64)
    for stride in view.strides:
        check_integer(stride, f"{name}: strides", -MOST_64 - 1, MOST_64)
    if len(view.strides) != len(view.extents):
        raise InvalidArgumentError(f"{name}: expected {len(view.extents)} strides, as many as extents, got {len(view.strides)}")
    if check_integer(view.address, f"{name}: address", 0, MOST_U64) == 0 and 0 not in view.extents:
        raise InvalidArgumentError(f"{name}: expected memory, got a null pointer")


def find_view(value: object, name: str) -> Optional[ArrayView]:
    if is_torch_tensor(value):
        return view_torch(value, name)
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        return view_interface(value, interface, find_device(value), name)
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__") and not hasattr(value, "__array_interface__"):
        return view_dlpack(value, name)
    interface = getattr(value, "__array_interface__", None)
    if interface is not None:
        return view_interface(value, interface, None, name)
    if isinstance(value, (bool, int, float, str, bytes)):
        return None
    try:
        return view_buffer(value, name)
    except TypeError:
        return None


def find_device(value: Any) -> int:
    """The ordinal of an array's GPU; -1 if it doesn't say it."""
    device = getattr(value, "device", None)
    if callable(device):
        device = device()
    for attribute in ("id", "index"):
        ordinal = getattr(device, attribute, None)
        if isinstance(ordinal, int):
            return ordinal
    if hasattr(value, "__dlpack_device__"):
        return int(value.__dlpack_device__()[1])
    return -1
