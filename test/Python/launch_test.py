# ===- launch_test.py - launches, with a driver that has no GPU -------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#

import array
import ctypes
import multiprocessing
import os
import struct
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

CACHE = tempfile.TemporaryDirectory()
os.environ["XDG_CACHE_HOME"] = tempfile.tempdir = CACHE.name  # before the runtime reads it

import carousel  # noqa: E402
from carousel._cuda import find_wheel_library  # noqa: E402
from carousel import _runtime as api  # noqa: E402
from carousel import device  # noqa: E402
from carousel._arrays import DLTensor  # noqa: E402
from carousel._streams import find_current_stream, find_stream  # noqa: E402
from carousel.device import convert_number  # noqa: E402
from examples import SAXPY, twice  # noqa: E402

ADDRESS = 0x70000000000
# What depends on the parameter is kept.
KEEPS = """
!values = memref<4xf32, #gpu.address_space<global>>
func.func @main(%w: !values {carousel.argument = #carousel.argument<"w", in>, carousel.parameter},
                %y: !values {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %kept = memref.alloc() : !values
  memref.copy %w, %kept : !values to !values
  memref.copy %kept, %y : !values to !values
  return
}"""


class Device:
    def __init__(self, ordinal):
        self.id = ordinal


class Array:
    """An array of a GPU that isn't there; the driver's stand-in doesn't look."""

    def __init__(self, number, extent=5000, typestr="<f4", device=0, is_read_only=False, strides=None):
        shape = extent if isinstance(extent, tuple) else (extent,)
        self.device = Device(device)
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "strides": strides, "version": 3,
                                         "data": (ADDRESS + (number << 20), is_read_only)}


class TorchDevice:
    def __init__(self, type, index=None):
        self.type, self.index = type, index


GPU = TorchDevice("cuda", 0)


class Tensor:
    """What launches read of a tensor of PyTorch."""

    def __init__(self, address=ADDRESS, dtype="torch.float32", device="cuda", is_negative=False, layout="torch.strided"):
        self.dtype, self.shape, self.layout, self.is_quantized = dtype, (5000,), layout, False
        self.device = GPU if device == "cuda" else TorchDevice(device)
        self._address, self._is_negative = address, is_negative

    def stride(self):
        if self.layout != "torch.strided":
            raise RuntimeError("sparse tensors do not have strides")
        return (1,)

    def is_conj(self):
        return False

    def is_neg(self):
        return self._is_negative

    def data_ptr(self):
        return self._address


class MovedTensor(Tensor):
    def data_ptr(self):
        return self._address + 64


class Parameter(Tensor):
    pass


TORCH = SimpleNamespace(Tensor=Tensor, nn=SimpleNamespace(Parameter=Parameter), cuda=SimpleNamespace(
    current_stream=lambda device: SimpleNamespace(cuda_stream=100 + device)), _C=SimpleNamespace())


def launch_in_child(kernel, values):
    try:
        kernel(*values)
    except carousel.DeviceError as error:
        return str(error)
    return "launched"


def launch_anew():
    try:
        carousel.compile(SAXPY, chips="sm_90a", cuda_root="").kernel()(2.0, *map(Array, range(3)))
    except carousel.DeviceError as error:
        return str(error)
    return "launched"


class LaunchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.package = carousel.compile(SAXPY, chips="sm_90a", cuda_root="", emit="ptx")
        cls.kernel = cls.package.kernel("saxpy")

    def setUp(self):
        self.x, self.y, self.out = map(Array, range(3))

    def refuse(self, message, *values, error=ValueError, **named):
        with self.assertRaisesRegex(error, message):
            self.kernel(*values, **named)

    def test_launches(self):
        self.assertIsNone(self.kernel(2.0, self.x, self.y, self.out))
        self.assertIsNone(self.kernel(2.0, self.x, out=self.out, y=self.y))
        self.kernel(2, Array(3, 17), Array(4, 17), Array(5, 17), stream=12345)
        carousel.Context.get(0).synchronize()
        self.assertIn("saxpy_tma: accepted", self.kernel.explain(2.0, self.x, self.y, self.out))

    def test_the_signature_is_known(self):
        self.assertEqual([str(each) for each in self.kernel.parameters],
                         ["a: f32", "x: ?xf32, in", "y: ?xf32, in", "out: ?xf32, out"])
        self.assertIn("saxpy(a: f32", repr(self.kernel))
        self.assertIs(self.package.kernel(), self.kernel)

    def test_wrong_arguments(self):
        x, y, out = self.x, self.y, self.out
        self.refuse(r"expected 4 arguments \(a: f32, x: .*\), got 5", 2.0, x, y, out, out)
        self.refuse("got none of y", 2.0, x, out=out)
        self.refuse("expected an array for the result out: .xf32, out, whose extents depend on the launch", 2.0, x, y)
        self.refuse("expected arguments of .*, got 'z'", 2.0, x, y, z=out)
        self.refuse("expected x once, got it twice", 2.0, x, y, x=x)
        self.refuse("a: expected a number for f32, got str", "2", x, y, out)
        self.refuse("y: expected an array for y: .xf32, in, got int", 2.0, x, 3, out)
        self.refuse("y: expected an array in the memory of a GPU, got one in the host's memory", 2.0, x,
                    array.array("f", [0]), out)
        self.refuse("out: expected an array on CUDA device 0, as the launch is, got one on device 1", 2.0, x, y,
                    Array(2, device=1))
        self.refuse("out: expected memory that can be written", 2.0, x, y, Array(2, is_read_only=True))
        self.refuse("out: expected elements of type f32, got f16", 2.0, x, y, Array(2, typestr="<f2"))
        self.refuse("out: expected 1 dimension, got 2", 2.0, x, y, Array(2, (50, 100)))
        self.refuse("out: expected .*contiguous", 2.0, x, y, Array(2, strides=(8,)))
        self.refuse("stream: expected a stream of PyTorch", 2.0, x, y, out, stream="first")
        # What is wrong once is wrong again: only good layouts are kept.
        for _ in range(2):
            self.refuse("got f16", 2.0, x, y, Array(2, typestr="<f2"))
        # The layout of one that is good.
        self.kernel(2.0, x, y, out)
        for address, message in ((-5, "address: expected 0 to .*, got -5"), (1 << 65, "address: expected 0 to .*, got 368934"),
                                 (0, "got a null pointer"), (None, "got a null pointer"), ("zz", "interface fails: TypeError")):
            wrong = Array(2)
            wrong.__cuda_array_interface__["data"] = address, False
            self.refuse(f"out: .*{message}", 2.0, x, y, wrong)

    def test_launches_with_equal_layouts(self):
        """Later launches change the addresses, and refuse what the first one would refuse."""
        launches = []

        def launch(handle, arguments, count, stream):
            launches.append(([arguments[number].data for number in range(1, count.value)], stream.value))
            return 0

        with mock.patch.dict(sys.modules, torch=TORCH), mock.patch.object(self.kernel, "_launch", launch):
            for first in (Tensor, Parameter, MovedTensor):
                for number in range(2):
                    self.kernel(2.0, first(ADDRESS + number), Tensor(ADDRESS + 2), Tensor(ADDRESS + 3))
                    address = ADDRESS + number + (64 if first is MovedTensor else 0)
                    self.assertEqual(launches.pop(), ([address, ADDRESS + 2, ADDRESS + 3], 100))
            for wrong, message in ((Tensor(is_negative=True), "x: expected a tensor whose memory holds its values"),
                                   (Tensor(device="cpu"), "x: expected an array in the memory of a GPU"),
                                   (Tensor(dtype="torch.complex64"), "x: expected elements of .*, got complex64"),
                                   (Tensor(layout="torch.sparse_coo"), "x: expected a strided tensor, got one with torch.sp")):
                for _ in range(2):
                    self.refuse(message, 2.0, wrong, Tensor(), Tensor())
            self.assertEqual(launches, [])
            with mock.patch.object(TORCH, "_C", SimpleNamespace(_cuda_getCurrentRawStream=lambda device: 200 + device)):
                self.kernel(2.0, Tensor(), Tensor(), Tensor())
            self.assertEqual(launches.pop()[1], 200)

    def test_devices_that_have_no_hash(self):
        array = Array(0)
        array.device = SimpleNamespace(id=0)
        for _ in range(2):
            self.kernel(2.0, array, self.y, self.out)

    def test_equal_names_are_equal_extents(self):
        @carousel.kernel(grid="ceildiv(n, 64)")
        def copy(x: "f32[n]", y: "out f32[n]"):
            i = carousel.program_id() * 64
            y[i:i + 64] = x[i:i + 64]

        kernel = carousel.compile(copy, chips="sm_90a", emit="ptx").kernel()
        kernel(Array(0, 64), Array(1, 64))
        for _ in range(2):
            with self.assertRaisesRegex(ValueError, "y: expected extent 64 in dimension 0, as n of x is, got 32"):
                kernel(Array(0, 64), Array(1, 32))

    def test_names_of_kernels(self):
        with self.assertRaisesRegex(LookupError, r"expected a kernel of the package \(saxpy\), got 'axpy'"):
            self.package.kernel("axpy")
        with self.assertRaisesRegex(LookupError, r"expected a program of the package \(it has none\), got none"):
            self.package.program()

    def test_parameters_are_loaded(self):
        program = carousel.compile(KEEPS, chips="sm_90a", cuda_root="", emit="ptx").program()

        def allocate(*values):  # memory of the driver's stand-in is the host's
            buffer, address = ctypes.c_void_p(), ctypes.c_uint64()
            library, context = api.library(), carousel.Context.get(0).handle.value
            library["carousel_buffer_allocate"](context, ctypes.c_uint64(16), ctypes.byref(buffer))
            library["carousel_buffer_address"](buffer, ctypes.byref(address))
            memory = (ctypes.c_float * 4).from_address(address.value)
            memory[:] = values
            return memory

        w, other, y = allocate(1, 2, 3, 4), allocate(0, 0, 0, 0), allocate(0, 0, 0, 0)

        def view(memory):
            return SimpleNamespace(device=Device(0), __cuda_array_interface__={
                "shape": (4,), "typestr": "<f4", "version": 3, "data": (ctypes.addressof(memory), False)})

        def launch(weights=w):
            program(view(weights), view(y))
            return list(y)

        self.assertEqual(launch(), [1, 2, 3, 4])
        w[0] = 5
        self.assertEqual(launch(), [5, 2, 3, 4])
        self.assertIsNone(program.load_parameters(view(w), view(y)))
        w[0] = 6
        self.assertEqual(launch(), [5, 2, 3, 4])
        program.load_parameters(w=view(w), y=view(y))
        self.assertEqual(launch(), [6, 2, 3, 4])
        with self.assertRaisesRegex(ValueError, "main: expected the parameters that were loaded in this stream"):
            launch(other)

    def test_streams(self):
        class Stream:
            def __init__(self, **attributes):
                self.__dict__.update(attributes)

        self.assertEqual(find_stream(Stream(cuda_stream=5)), 5)  # PyTorch
        self.assertEqual(find_stream(Stream(ptr=0)), None)  # CuPy's default stream
        self.assertEqual(find_stream(Stream(handle=Stream(value=7))), 7)  # Numba
        self.assertEqual(find_stream(Stream(__cuda_stream__=lambda: (0, 9))), 9)
        written = Array(0)
        written.__cuda_array_interface__["stream"] = 11
        self.assertEqual(find_current_stream([2.0, written, self.x], 0), 11)
        self.assertEqual(find_current_stream([2.0, self.x, written], 0), None)

        for wrong in (-1, 1 << 64, Stream(cuda_stream=-1), Stream(handle=Stream(value=1 << 70)), Stream(__cuda_stream__=(0, 1 << 80))):
            with self.assertRaisesRegex(ValueError, "stream: expected 0 to 18446744073709551615, got"):
                self.kernel(2.0, self.x, self.y, self.out, stream=wrong)
        written.__cuda_array_interface__["stream"] = -1
        self.refuse("stream: expected 0 to 18446744073709551615, got -1", 2.0, written, self.y, self.out)

    def test_memory_is_held_until_the_launch(self):
        """That of an exporter of DLPack ends with its capsule."""
        events, extents = [], (ctypes.c_int64 * 1)(5000)
        tensor = DLTensor(ADDRESS, 2, 0, 1, 2, 32, 1, extents)
        end = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(lambda _: events.append("freed"))
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        exporter = type("Exporter", (), {
            "__dlpack_device__": lambda self: (2, 0),
            "__dlpack__": lambda self, stream=None: make(ctypes.addressof(tensor), b"dltensor", ctypes.cast(end, ctypes.c_void_p))})()

        def launch(*_):
            events.append("launch")
            return 0

        with mock.patch.object(self.kernel, "_launch", launch):
            for _ in range(2):
                self.kernel(2.0, exporter, self.y, self.out)
        self.assertEqual(events, ["launch", "freed"] * 2)

    def test_interfaces_that_change(self):
        """What was checked is kept for the layout that was checked."""
        class Changes(Array):
            answers = 0

            @property
            def __cuda_array_interface__(self):
                self.answers += 1
                return {**self.interface, "shape": (64 if self.answers % 2 else 1 << 40,)}

            @__cuda_array_interface__.setter
            def __cuda_array_interface__(self, value):
                self.interface = value

        extents = []

        def launch(_, arguments, *others):
            extents.append([arguments[number].extents[0] for number in (1, 2, 3)])
            return 0

        with mock.patch.object(self.kernel, "_launch", launch):
            for wrong in (Changes(0), Array(0, 64)):
                self.kernel(2.0, wrong, Array(1, 64), Array(2, 64))
                self.kernel(2.0, Array(0, 64), Array(1, 64), Array(2, 64))
        self.assertEqual(extents[1:], [[64, 64, 64]] * 3)

    def test_numbers(self):
        def convert(value, element):
            return convert_number(value, device.Parameter("a", False, "in", element, (), True))

        self.assertEqual(convert(1.5, "f32"), struct.unpack("=I", struct.pack("=f", 1.5))[0])
        self.assertEqual(convert(-1, "i8"), (1 << 64) - 1)
        self.assertEqual(convert(255, "i8"), 255)
        self.assertEqual(convert(True, "i1"), 1)
        # 1 + 2^-8 is half way between two numbers of bf16; the even one is 1.
        self.assertEqual([convert(value, "bf16") for value in (1, 1 + 2.0**-8, 1 + 3 * 2.0**-8)], [0x3F80, 0x3F80, 0x3F82])
        # Rounded once: by way of f32 and f64, they would be ties.
        self.assertEqual(convert(1 + 2.0**-8 + 2.0**-40, "bf16"), 0x3F81)
        self.assertEqual(convert(2**54 + 2**30 + 1, "f32"), 0x5A800001)
        self.assertEqual(convert(float("nan"), "bf16") & 0x7FC0, 0x7FC0)
        for value, element, message in ((256, "i8", "that i8 can hold, got 256"), (1.5, "i32", "expected an integer"),
                                        (1e39, "f32", "that f32 can hold, got 1e[+]39")):
            with self.assertRaisesRegex(ValueError, message):
                convert(value, element)

    def test_threads(self):
        failures = []

        def launch(number):
            try:
                for _ in range(200):
                    self.kernel(float(number), Array(number), self.y, self.out)
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=launch, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_forks(self):
        self.kernel(2.0, self.x, self.y, self.out)
        with multiprocessing.get_context("fork").Pool(1) as pool:
            self.assertIn("expected a process that made its own CUDA context, got a fork", pool.apply(launch_anew))
        child = os.fork()
        if child == 0:
            said = launch_in_child(self.kernel, (2.0, self.x, self.y, self.out))
            os._exit(0 if "expected a kernel that this process made, got one of process" in said else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_kernels_outlive_their_packages(self):
        kernel = carousel.compile(twice(), chips="sm_90a", cuda_root="", emit="ptx").kernel()
        kernel(Array(0, 8), Array(1, 8))

    def test_libraries_of_wheels_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            libraries = Path(folder) / "nvidia/cu13/lib"
            libraries.mkdir(parents=True)
            nvrtc = libraries / "libnvrtc.so.13"
            nvrtc.write_text("no library")
            sys.path.insert(0, folder)
            try:
                self.assertEqual(find_wheel_library("libnvrtc.so.99", "libnvrtc.so.13"), str(nvrtc))
                with mock.patch.object(carousel.Context, "_known", {}):
                    kernel = carousel.compile(twice(), chips="sm_90a", emit="cuda").kernel()
                    with self.assertRaisesRegex(carousel.DeviceError, str(nvrtc)):
                        kernel(Array(0, 8), Array(1, 8))
            finally:
                sys.path.remove(folder)
        self.assertEqual(find_wheel_library("libnvrtc.so.99"), "")

    def test_opened_packages(self):
        with tempfile.TemporaryDirectory() as folder:
            self.package.save(folder + "/saxpy.pkg")
            carousel.open(folder + "/saxpy.pkg").kernel()(2.0, self.x, self.y, self.out)


if __name__ == "__main__":
    unittest.main()
