# ===- arrays_test.py - arrays of other packages ----------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#

import array
import ctypes
import importlib.util
import unittest

import carousel
from carousel import _arrays
from carousel._arrays import view_array
from examples import twice


def needs(package):
    return unittest.skipUnless(importlib.util.find_spec(package), f"{package} isn't installed")


class DLPack:
    """An array that only DLPack reads: its tensor lies in memory of ctypes."""

    def __init__(self, code, bits, extents, strides=None, device=(1, 0), address=4096):
        rank = len(extents)
        self.device, self.deleted = device, 0
        self.shape = (ctypes.c_int64 * max(rank, 1))(*extents)
        self.steps = None if strides is None else (ctypes.c_int64 * max(rank, 1))(*strides)
        self.tensor = _arrays.DLTensor(address, *device, rank, code, bits, 1, self.shape, self.steps, 16)

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, stream=None):
        self.stream = stream
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.tensor), b"dltensor", None)


class Interface:
    def __init__(self, kind, **interface):
        setattr(self, kind, {"shape": (2, 3), "typestr": "<f4", "data": (4096, False), "version": 3, **interface})


class ArraysTest(unittest.TestCase):
    def test_buffers(self):
        data = array.array("f", range(6))
        view = view_array(data, "x")
        self.assertEqual((view.element, view.extents, view.strides, view.device), ("f32", (6,), (1,), None))
        self.assertEqual(view.address, data.buffer_info()[0])
        matrix = memoryview(data).cast("B").cast("f", (2, 3))
        self.assertEqual(view_array(matrix, "x").strides, (3, 1))
        self.assertEqual(view_array(memoryview(data)[::2], "x").strides, (2,))
        self.assertTrue(view_array(memoryview(data).toreadonly(), "x").is_read_only)
        self.assertIsNone(view_array(3.0, "x"))
        self.assertIsNone(view_array(object(), "x"))
        with self.assertRaisesRegex(ValueError, "x: expected elements of i1.*got a buffer of '<P'"):
            view_array((ctypes.c_void_p * 2)(), "x")

    def test_interfaces(self):
        view = view_array(Interface("__array_interface__", strides=(24, 8), typestr="<i8"), "x")
        self.assertEqual((view.element, view.extents, view.strides, view.device), ("i64", (2, 3), (3, 1), None))
        view = view_array(Interface("__cuda_array_interface__", stream=7), "x")
        self.assertEqual((view.strides, view.device, view.stream), ((3, 1), -1, 7))
        for wrong, message in (
            ({"typestr": ">f4"}, "in the machine's byte order, got >f4"),
            ({"typestr": "<c8"}, "expected elements of .*got <c8"),
            ({"strides": (12, 2)}, r"expected strides that are multiples of the element's 4 bytes, got \(12, 2\)"),
            ({"mask": object()}, "expected an array without a mask"),
        ):
            with self.assertRaisesRegex(ValueError, "x: .*" + message):
                view_array(Interface("__cuda_array_interface__", **wrong), "x")

    def test_dlpack(self):
        view = view_array(DLPack(4, 16, (4, 2), (2, 1)), "x")
        self.assertEqual((view.element, view.extents, view.strides, view.device), ("bf16", (4, 2), (2, 1), None))
        self.assertEqual(view.address, 4096 + 16)
        given = DLPack(2, 32, (4,), device=(2, 1))
        self.assertEqual((view_array(given, "x").device, given.stream), (1, -1))
        self.assertEqual(view_array(DLPack(6, 8, (4,)), "x").element, "i1")
        self.assertEqual(view_array(DLPack(0, 64, (4, 5)), "x").strides, (5, 1))
        with self.assertRaisesRegex(ValueError, "got DLPack's code 5 with 64 bits"):
            view_array(DLPack(5, 64, (4,)), "x")
        with self.assertRaisesRegex(ValueError, "got DLPack's device 10"):
            view_array(DLPack(2, 32, (4,), device=(10, 0)), "x")
        for rank, shape in ((1, None), (-1, (4,))):
            wrong = DLPack(2, 32, (4,))
            wrong.tensor.ndim = rank
            wrong.tensor.shape = wrong.shape if shape else None
            with self.assertRaisesRegex(ValueError, f"x: expected DLPack's extents, got none for {rank} dimensions"):
                view_array(wrong, "x")

    @needs("numpy")
    def test_numpy(self):
        import numpy

        x, y = numpy.arange(8, dtype=numpy.float32), numpy.zeros(16, numpy.float32)[::2]
        with self.assertRaisesRegex(ValueError, "stride 1"):
            carousel.simulate(twice(), {"x": x, "y": y})
        y = numpy.zeros(8, numpy.float32)
        carousel.simulate(twice(), {"x": x, "y": y}).check()
        self.assertEqual(y.tolist(), (2 * x).tolist())
        with self.assertRaisesRegex(ValueError, "got >f4"):
            carousel.simulate(twice(), {"x": x.astype(">f4"), "y": y})

    @needs("ml_dtypes")
    def test_bfloat16(self):
        import ml_dtypes
        import numpy

        x, y = numpy.arange(8).astype(ml_dtypes.bfloat16), numpy.zeros(8, ml_dtypes.bfloat16)
        carousel.simulate(twice("bf16"), {"x": x, "y": y}).check()
        self.assertEqual(y.tolist(), (2 * x).tolist())

    @needs("torch")
    def test_torch(self):
        import torch

        x, y = torch.arange(8.0).bfloat16(), torch.zeros(8, dtype=torch.bfloat16)
        carousel.simulate(twice("bf16"), {"x": x, "y": y}).check()
        self.assertTrue(torch.equal(y, 2 * x))
        with self.assertRaisesRegex(ValueError, "expected a strided tensor"):
            view_array(torch.eye(3).to_sparse(), "x")

    @needs("jax")
    def test_jax(self):
        import jax.numpy

        y = array.array("f", [0] * 8)
        carousel.simulate(twice(), {"x": jax.numpy.arange(8.0), "y": y}).check()
        self.assertEqual(list(y), [2.0 * i for i in range(8)])
        with self.assertRaisesRegex(ValueError, "y: expected memory that can be written, got read-only memory"):
            carousel.simulate(twice(), {"x": y, "y": jax.numpy.zeros(8)})


if __name__ == "__main__":
    unittest.main()
