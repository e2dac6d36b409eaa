# ===- tensor_map_calls.py - the driver's calls that encode tensor maps ------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, by ctypes. Lists of a map begin with the outermost dimension, as in
MLIR; the driver's begin with the innermost one."""

import ctypes

# Numbers of cuda.h, by the names of !carousel.tensor_map.
ELEMENTS = {"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9, "f32_ftz": 10,
            "tf32": 11, "tf32_ftz": 12, "b4x16": 13, "b4x16_p64": 14, "b6x16_p32": 15}
BYTES = {"u8": 1, "u16": 2, "f16": 2, "bf16": 2, "u64": 8, "s64": 8, "f64": 8}
INTERLEAVES = {"": 0, "b16": 1, "b32": 2}
SWIZZLES = {"": 0, "b32": 1, "b64": 2, "b128": 3, "b128_atom_32b": 4, "b128_atom_32b_flip_8b": 5, "b128_atom_64b": 6}
PROMOTIONS = {"": 0, "b64": 1, "b128": 2, "b256": 3}
FILLS = {"": 0, "nan": 1}


class TensorMap(ctypes.Structure):
    """CUtensorMap, whose address has to be a multiple of 64."""
    _fields_ = [("bytes", ctypes.c_uint8 * 128)]


class AlignedMap:
    def __init__(self):
        self.room = (ctypes.c_uint8 * 192)()
        start = ctypes.addressof(self.room)
        self.value = TensorMap.from_address(start + -start % 64)

    @property
    def data(self):
        return bytes(self.value.bytes)


def array_of(kind, values):
    return (kind * max(len(values), 1))(*values)


def global_strides(fields):
    """In bytes, innermost first, of dimensions 1 to rank-1: those given, or of a contiguous tensor."""
    if "global_strides" in fields:
        return fields["global_strides"][::-1]
    strides, stride = [], BYTES.get(fields["element"], 4)
    for extent in fields["shape"][:0:-1]:
        stride *= extent
        strides.append(stride)
    return strides


def encode(cuda, address, fields):
    """(status, the bytes of the map)."""
    rank, result = len(fields["shape"]), AlignedMap()
    common = [ctypes.byref(result.value), ctypes.c_int(ELEMENTS[fields["element"]]), ctypes.c_uint32(rank),
              ctypes.c_void_p(address), array_of(ctypes.c_uint64, fields["shape"][::-1]),
              array_of(ctypes.c_uint64, global_strides(fields))]
    strides = array_of(ctypes.c_uint32, (fields.get("strides") or [1] * rank)[::-1])
    traits = [strides, ctypes.c_int(INTERLEAVES[fields.get("interleave", "")]),
              ctypes.c_int(SWIZZLES[fields.get("swizzle", "")]), ctypes.c_int(PROMOTIONS[fields.get("promotion", "")]),
              ctypes.c_int(FILLS[fields.get("fill", "")])]
    if fields.get("mode") == "im2col":
        corners = [array_of(ctypes.c_int, fields[key][::-1]) for key in ("lower", "upper")]
        pixels, channels = fields["box"]
        status = cuda.cuTensorMapEncodeIm2col(*common, *corners, ctypes.c_uint32(channels), ctypes.c_uint32(pixels), *traits)
    else:
        status = cuda.cuTensorMapEncodeTiled(*common, array_of(ctypes.c_uint32, fields["box"][::-1]), *traits)
    return status, result.data


def encode_map(driver, address, fields):
    """A kernel's argument."""
    status, data = encode(driver.cuda, address, fields)
    if status != 0:
        raise RuntimeError(f"cuTensorMapEncode: status {status} for {fields}")
    return TensorMap.from_buffer_copy(data)


def driver_version(driver):
    version = ctypes.c_int()
    driver.check("cuDriverGetVersion", ctypes.byref(version))
    return version.value
