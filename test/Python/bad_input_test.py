# ===- bad_input_test.py - calls that are wrong, or end early ---------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Each wrong value is an exception that names the rule and the value found. Ctrl-C, forks and two copies of the package in
one process do no harm."""

import array
import gc
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import carousel
from carousel import _compile, _compiler, _library, simulator
from carousel._interrupts import CallGuard
from examples import ROOT, SAXPY, twice

NO_TOOLKIT = {"chips": "sm_90a", "cuda_root": "", "emit": "ptx"}
ENDLESS = """
gpu.module @m {
  gpu.func @k(%y: memref<?xf32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"y", inout>})
      kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %many = arith.constant 1000000000 : index
    scf.for %i = %c0 to %many step %c1 {
      %t = gpu.thread_id x
      %v = memref.load %y[%t] : memref<?xf32, #gpu.address_space<global>>
      memref.store %v, %y[%t] : memref<?xf32, #gpu.address_space<global>>
    }
    gpu.return
  }
}
"""


class Interface:
    def __init__(self, **interface):
        self.__array_interface__ = {"shape": (8,), "typestr": "<f4", "data": (4096, False), "version": 3, **interface}


class List:
    """As arrays of NumPy are: there is an __index__, but of single integers only."""

    def __init__(self, *values):
        self.values = values

    def __index__(self):
        raise TypeError("only integer scalar arrays can be converted to a scalar index")

    def __iter__(self):
        return iter(self.values)


class NoCapsule:
    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        return 3


class NoInterface:
    __array_interface__ = 3


class Fails:
    def __dlpack_device__(self):
        raise RuntimeError("the array was donated")

    def __dlpack__(self, **_):
        return None


def released():
    memory = memoryview(array.array("f", [0] * 8))
    memory.release()
    return memory


class BadInputTest(unittest.TestCase):
    def setUp(self):
        self.arguments = {"x": array.array("f", range(8)), "y": array.array("f", [0] * 8)}

    def refuse(self, error, message, call, *arguments, **options):
        with self.subTest(message=message), self.assertRaisesRegex(error, message):
            call(*arguments, **options)

    def test_numbers_of_simulations(self):
        for options, error, message in (
                ({"schedules": -1}, ValueError, r"schedules: expected 1 to 4294967296, got -1"),
                ({"schedules": (1 << 64) + 1}, ValueError, "schedules: expected 1 to 4294967296, got 18446744073709551617"),
                ({"schedules": 1.5}, TypeError, "schedules: expected an integer, got float"),
                ({"seed": -1}, ValueError, "seed: expected 0 to 18446744073709551615, got -1"),
                ({"multiprocessors": -1}, ValueError, "multiprocessors: expected 1 to 4294967295, got -1"),
                ({"step_limit": 0}, ValueError, "step_limit: expected 1 to 18446744073709551615, got 0"),
                ({"finding_limit": 1 << 32}, ValueError, "finding_limit: expected 1 to 4294967295, got 4294967296"),
                ({"traced_ctas": "8"}, TypeError, "traced_ctas: expected an integer, got str"),
                ({"grid": 1 << 40}, ValueError, "grid: expected 1 to 4294967295, got 1099511627776"),
                ({"grid": (1, 0)}, ValueError, "grid: expected 1 to 4294967295, got 0"),
                ({"grid": b"ab"}, TypeError, "grid: expected integers, got bytes"),
                ({"grid": {}}, TypeError, "grid: expected integers, got dict"),
                ({"grid": ["a"]}, TypeError, "grid: expected an integer, got str"),
                ({"block": "ab"}, TypeError, "block: expected integers, got str"),
                ({"cluster": 1.5}, TypeError, "cluster: expected integers, got float"),
                ({"grid": None}, TypeError, "grid: expected integers, got NoneType")):
            self.refuse(error, message, carousel.simulate, twice(), self.arguments, **options)

    def test_other_options_of_simulations(self):
        for options, message in (
                ({"policies": 3}, "policies: expected a str or a list of them, got int"),
                ({"written": b"y"}, "written: expected a str or a list of them, got bytes"),
                ({"policies": ["random", 3]}, "policies: expected a list of str, got int in it"),
                ({"kernel": 3}, "kernel: expected a str, got int"),
                ({"replay": b"x"}, "replay: expected a str, got bytes"),
                ({"progress": 3}, "progress: expected a function, got int")):
            self.refuse(TypeError, message, carousel.simulate, twice(), self.arguments, **options)
        self.refuse(TypeError, "arguments: expected a mapping of names .*, got list", carousel.simulate, twice(), [1, 2])
        self.refuse(TypeError, "arguments: expected a str, got int", carousel.simulate, twice(), {1: 2})
        carousel.simulate(twice(), self.arguments, grid=List(1)).check()
        # One text isn't its letters.
        carousel.simulate(twice(), self.arguments, written="y")

    def test_arrays(self):
        for wrong, message in (
                (Interface(shape=(-8,)), "x: extents: expected 0 to 9223372036854775807, got -8"),
                (Interface(shape=(1 << 70,)), "x: extents: expected 0 to 9223372036854775807, got 1180591620717411303424"),
                (Interface(shape=(1 << 62, 1 << 62, 1 << 62)), "x: strides: expected -9223372036854775808 to .*, got 212676"),
                (Interface(strides=(1 << 70,)), "x: strides: expected .* to 9223372036854775807, got 295147905179352825856"),
                (Interface(strides=(4, 4)), "x: expected 1 strides, as many as extents, got 2"),
                (Interface(data=(-5, False)), "x: address: expected 0 to 18446744073709551615, got -5"),
                (Interface(data=(1 << 65, False)), "x: address: expected 0 to 18446744073709551615, got 36893488147419103232"),
                (Interface(data=(0, False)), "x: expected memory, got a null pointer"),
                (Interface(data=("zz", False)), "x: expected an array that tells where it lies, got Interface, .*TypeError"),
                (Interface(shape=("a",)), "x: expected an array that tells where it lies, got Interface, .*TypeError"),
                (Interface(data=None), "x: expected an array that tells where it lies, got Interface, .*TypeError"),
                (Interface(shape=(1 << 62, 1 << 62)), "x: expected rank 1, got 2"),
                (Interface(strides=(-4,)), "x: expected extents and strides that aren't negative"),
                (Interface(strides=(6,)), r"x: expected strides that are multiples of the element's 4 bytes, got \(6,\)"),
                (NoInterface(), "x: expected an array that tells where it lies, got NoInterface"),
                (NoCapsule(), "x: expected an array that tells where it lies, got NoCapsule, .*PyCapsule"),
                (Fails(), "RuntimeError: the array was donated"),
                (released(), "x: expected an array that tells where it lies, got memoryview, .*released"),
                ([0.0] * 8, "x: expected an array or a number, got list"),
                (None, "x: expected an array or a number, got NoneType"),
                (memoryview(bytes(33))[1:].cast("f"), "expected argument x to be aligned to 4 bytes")):
            self.refuse(carousel.InvalidArgumentError, message, carousel.simulate, twice(), {**self.arguments, "x": wrong})

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy isn't installed")
    def test_arrays_of_numpy(self):
        import numpy

        x, y = numpy.arange(8, dtype=numpy.float32), numpy.zeros(8, numpy.float32)
        for wrong, message in ((x[::-1], "aren't negative"), (numpy.broadcast_to(x[:1], (8,)), "expected stride 1"),
                               (x.astype(object), "got object"), (x.astype("M8[s]"), r"got datetime64\[s\]"),
                               (numpy.ma.array(x, mask=x > 3), "x: expected an array without a mask, got one with a mask"),
                               (numpy.zeros(8, [("a", "f4"), ("b", "i2")]), "got void48"), (x.reshape(2, 4), "expected rank 1")):
            self.refuse(ValueError, message, carousel.simulate, twice(), {"x": wrong, "y": y})
        carousel.simulate(twice(), {"x": x, "y": y}, grid=numpy.array([1]), block=numpy.array(8)).check()
        self.refuse(TypeError, "grid: expected an integer, got float64", carousel.simulate, twice(), {"x": x, "y": y},
                    grid=numpy.array([1.5]))
        self.refuse(TypeError, "grid: expected integers, got ndarray", carousel.simulate, twice(), {"x": x, "y": y},
                    grid=numpy.array(1.5))
        y[:] = 0
        y.setflags(write=False)
        self.refuse(ValueError, "y: expected memory that can be written", carousel.simulate, twice(), {"x": x, "y": y})
        self.assertEqual(y.tolist(), [0] * 8)

    def test_compilations(self):
        for options, error, message in (
                ({"chips": 90}, TypeError, "chips: expected a str or a list of them, got int"),
                ({"chips": b"sm_90a"}, TypeError, "chips: expected a str or a list of them, got bytes"),
                ({"chips": []}, carousel.CompileError, "expected at least one chip, got none"),
                ({"opt_level": (1 << 32) + 2}, ValueError, "opt_level: expected 0 to 2147483647, got 4294967298"),
                ({"index_bitwidth": 64.0}, TypeError, "index_bitwidth: expected an integer, got float"),
                ({"debug_waits": -1}, ValueError, "debug_waits: expected 0 to 2147483647, got -1"),
                ({"emit": None}, TypeError, "emit: expected a str or a list of them, got NoneType"),
                ({"emit": []}, ValueError, "expected one of ptx and cuda, got neither"),
                ({"cuda_root": 3}, TypeError, "cuda_root: expected a path, got int"),
                ({"cuda_root": "a\0b"}, ValueError, "cuda_root: expected a path without null characters"),
                ({"progress": 3}, TypeError, "progress: expected a function, got int"),
                ({"name": 3}, TypeError, "name: expected a str, got int")):
            self.refuse(error, message, carousel.compile, twice(), **{**NO_TOOLKIT, **options})
        self.refuse(TypeError, "pipeline: expected a str, got int", carousel.transform, twice(), 3)
        self.refuse(carousel.CompileError, "unexpected character", carousel.compile, "\udc80", **NO_TOOLKIT)

    def test_packages(self):
        package = carousel.compile(twice(), **NO_TOOLKIT)
        for wrong in (3, None, b"x"):
            self.refuse(TypeError, "directory: expected a path", package.save, wrong)
            self.refuse(TypeError, "directory: expected a path", carousel.open, wrong)
        self.refuse(TypeError, "device: expected an integer, got str", package.kernel, device="cuda")
        self.refuse(ValueError, "device: expected 0 to 2147483647, got -1", package.kernel, device=-1)
        with tempfile.TemporaryDirectory() as folder:
            package.save(folder + "/package")
            opened = carousel.open(folder + "/package")
        # Its directory is gone.
        self.refuse(carousel.NotFoundError, "expected a package directory, got .*, which isn't there", opened.kernel)

    def test_manifests_of_other_hands(self):
        """The runtime reads packages, for launches and for carousel.open."""
        def open_manifest(decisions, **kernel):
            changed = json.loads(manifest)
            changed["kernels"][0]["variants"][0]["decisions"] = decisions
            changed["kernels"][0].update(kernel)
            Path(folder, "manifest.json").write_text(json.dumps(changed))
            return carousel.open(folder)

        with tempfile.TemporaryDirectory() as parent:
            folder = parent + "/twice.pkg"
            carousel.compile(twice(), **NO_TOOLKIT).save(folder)
            manifest = Path(folder, "manifest.json").read_text()
            self.assertEqual(len(open_manifest({"notes": [{"key": "a", "value": "b"}]}).explain()), 1)
            self.refuse(carousel.PackageError, "whose decisions can't be read: no member 'location'",
                        open_manifest({"rings": [], "misses": [{"subject": "a", "reason": "b", "id": "c"}]}).explain)
            for decisions, message in (({"rings": [3]}, "rings.0.: expected an object"), ({"misses": 3}, "misses: expected a list"),
                                       ([], "decisions: expected an object")):
                self.refuse(carousel.PackageError, message, open_manifest, decisions)
            self.refuse(carousel.PackageError, "variants: expected a list", open_manifest, {}, variants=None)
            self.refuse(carousel.PackageError, "name: expected a string", open_manifest, {}, name=3)
            for text, message in (('{"modules": []}', "expected"), ("[" * 200000, "expected"), ("{", "expected")):
                Path(folder, "manifest.json").write_text(text)
                self.refuse(carousel.PackageError, message, carousel.open, folder)

    def test_files_that_are_none(self):
        """Nothing follows a link out of a package, waits for a pipe, or takes bytes that the manifest doesn't say."""
        with tempfile.TemporaryDirectory() as parent:
            folder, secret = Path(parent, "twice.pkg"), Path(parent, "secret")
            carousel.compile(twice(), **NO_TOOLKIT).save(folder)
            (image,) = folder.glob("*.ptx")
            for file in (image, folder / "manifest.json"):
                kept = file.rename(secret)
                for make, drop in ((lambda: file.symlink_to(secret), file.unlink), (lambda: os.mkfifo(file), file.unlink),  # noqa: B023
                                   (lambda: file.symlink_to("/dev/zero"), file.unlink), (file.mkdir, file.rmdir)):  # noqa: B023
                    make()
                    self.refuse(carousel.PackageError, "expected a regular file, got something else", carousel.open, folder)
                    drop()
                kept.rename(file)
            image.write_bytes(text := image.read_bytes().replace(b"ret;", b"trap"))
            self.refuse(carousel.PackageError, "expected contents with the hash", carousel.open, folder)
            image.write_bytes(text[:-1])
            self.refuse(carousel.PackageError, "expected .* bytes, got", carousel.open, folder)

    def test_calls_that_outlive_their_package(self):
        kernel = carousel.compile(SAXPY, **NO_TOOLKIT).kernel()
        folder = Path(kernel.package._on_disk())
        self.assertTrue(folder.is_dir())
        del kernel
        gc.collect()
        self.assertFalse(folder.exists())


class InterruptTest(unittest.TestCase):
    """Ctrl-C while C runs, which calls back now and then."""

    def interrupt(self, call, after=0.5):
        timer = threading.Timer(after, os.kill, [os.getpid(), signal.SIGINT])
        timer.start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            call()
        timer.join()
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        return time.monotonic() - begin

    def test_a_simulation_ends(self):
        arguments = {"y": array.array("f", [0] * 32)}
        self.assertLess(self.interrupt(lambda: carousel.simulate(ENDLESS, arguments)), 20)
        # The compiler isn't broken by it.
        carousel.simulate(ENDLESS.replace("1000000000", "1"), arguments).check()

    def test_short_schedules_end(self):
        arguments = {"y": array.array("f", [0] * 32)}
        short = ENDLESS.replace("1000000000", "1")
        self.assertLess(self.interrupt(lambda: carousel.simulate(short, arguments, schedules=10**6)), 10)

    def test_a_compilation_ends(self):
        steps = []

        def step(*_):  # before the work that Ctrl-C has to stop
            steps.append(1)
            os.kill(os.getpid(), signal.SIGINT)

        options = {**NO_TOOLKIT, "chips": ["sm_80", "sm_90a", "sm_100a"]}
        with self.assertRaises(KeyboardInterrupt):
            carousel.compile(SAXPY, **options, progress=step)
        self.assertEqual(steps, [1])
        self.assertEqual(len(carousel.compile(SAXPY, **options).ptx), 3)

    def test_a_pass_without_end_is_left(self):
        """It goes on until the process ends, and neither the next call nor the end of the process waits for it."""
        functions = ["func.func private @f0(%x: i32) -> i32 {\n %y = arith.addi %x, %x : i32\n return %y : i32\n}"]
        for number in range(1, 60):
            functions.append(f"func.func private @f{number}(%x: i32) -> i32 {{\n %y = call @f{number - 1}(%x) : (i32) -> i32\n"
                             f" %z = call @f{number - 1}(%y) : (i32) -> i32\n return %z : i32\n}}")
        functions.append("func.func @main(%x: i32) -> i32 {\n %y = call @f59(%x) : (i32) -> i32\n return %y : i32\n}")
        script = f"""
import os, signal, threading, time
import carousel

small = "func.func @f() {{\\n return\\n}}\\n"
carousel.transform(small, "builtin.module(canonicalize)")
threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
begin = time.monotonic()
try:
    carousel.transform({chr(10).join(functions)!r}, "builtin.module(inline)")
except KeyboardInterrupt:
    print("ended", round(time.monotonic() - begin - 0.5, 1))
print(len(carousel.transform(small, "builtin.module(canonicalize)")) > 0)
"""
        begin = time.monotonic()
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        took, went_on = done.stdout.splitlines()
        self.assertEqual(went_on, "True")
        self.assertLess(float(took.split()[1]), 5)  # a second where nothing else runs
        self.assertLess(time.monotonic() - begin, 40)

    def test_other_signals(self):
        """What a handler of any signal raises ends the call; one that returns doesn't."""
        arguments, seen = {"y": array.array("f", [0] * 32)}, []

        def end(*_):
            raise TimeoutError("too long")

        before = signal.signal(signal.SIGALRM, end)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with self.assertRaisesRegex(TimeoutError, "too long"):
            carousel.simulate(ENDLESS, arguments)
        self.assertIs(signal.getsignal(signal.SIGALRM), end)
        signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        timer = threading.Timer(1, os.kill, [os.getpid(), signal.SIGINT])
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            carousel.simulate(ENDLESS, arguments)
        self.assertEqual(seen, [1])

    def test_a_long_pipeline_ends(self):
        """A second of passes and LLVM between two callbacks, of which the last one is left after some tenths."""
        source = ROOT / "examples/block/products.mlir"
        carousel.compile(source, **NO_TOOLKIT, warn=False)  # what is loaded once takes no time later
        begin = time.monotonic()
        carousel.compile(source, **NO_TOOLKIT, warn=False)
        whole = time.monotonic() - begin
        took = self.interrupt(lambda: carousel.compile(source, **NO_TOOLKIT, warn=False), after=0.2 * whole)
        self.assertLess(took, 0.8 * whole)
        lowering = "builtin.module(carousel-lower{chip=sm_90a})"
        begin = time.monotonic()
        carousel.transform(source, lowering)
        whole = time.monotonic() - begin
        took = self.interrupt(lambda: carousel.transform(source, lowering), after=0.2 * whole)
        self.assertLess(took, 0.8 * whole)

    def test_results_that_come_too_late_are_freed(self):
        """Ctrl-C after C asked for the last time, so that there is a result."""

        class LateGuard(CallGuard):
            def __exit__(self, *error):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.01)  # Python's handler takes its note
                return super().__exit__(*error)

        arguments = {"x": array.array("f", range(8)), "y": array.array("f", [0] * 8)}
        for module, call in ((simulator, lambda: carousel.simulate(twice(), arguments)),
                             (_compile, lambda: carousel.compile(twice(), **NO_TOOLKIT)),
                             (_compiler, lambda: carousel.transform(twice(), "builtin.module(cse)"))):
            library = _compiler.library()
            with self.subTest(module=module.__name__), mock.patch.object(module, "CallGuard", LateGuard), \
                    mock.patch.object(library, "carousel_compiler_result_free", wraps=library.carousel_compiler_result_free) as free:
                with self.assertRaises(KeyboardInterrupt):
                    call()
                gc.collect()
                self.assertTrue(free.call_args and free.call_args[0][0])

    def test_other_handlers_are_called(self):
        caught = []
        before = signal.signal(signal.SIGINT, lambda *_: caught.append(1))
        try:
            threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
            with self.assertRaisesRegex(carousel.CarouselError, "stopped"):
                carousel.simulate(ENDLESS, {"y": array.array("f", [0] * 32)})
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(caught, [1])

    def test_other_threads_go_on(self):
        """Handlers run on the main thread, which isn't in a call here."""
        results = []
        thread = threading.Thread(target=lambda: results.append(carousel.simulate(
            ENDLESS.replace("1000000000", "20000"), {"y": array.array("f", [0] * 32)}).status))
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            thread.join()
        thread.join()
        self.assertEqual(results, ["finished"])


class CallbackTest(unittest.TestCase):
    def test_a_callback_may_call_the_compiler(self):
        """Itself, and in a thread that it waits for. In a process of its own, which would wait for itself."""
        code = textwrap.dedent(f"""
            import array
            import threading
            import carousel
            done = []
            def simulate(*_, **options):
                arguments = {{"x": array.array("f", range(8)), "y": array.array("f", [0] * 8)}}
                done.append(carousel.simulate({twice()!r}, arguments, **options).check())
            def compile(*_, **options):
                done.append(carousel.compile({twice()!r}, chips="sm_90a", cuda_root="", emit="ptx", **options))
            def transform(*_):
                done.append(carousel.transform({twice()!r}, "builtin.module(cse)"))
            for outer in (simulate, compile):
                for inner in (simulate, compile, transform):
                    def elsewhere(*_):
                        thread = threading.Thread(target=inner)
                        thread.start()
                        thread.join()
                    for callback in (inner, elsewhere):
                        done.clear()
                        outer(progress=callback)
                        assert len(done) == 2, done
        """)
        subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


class TwoCopiesTest(unittest.TestCase):
    """Two wheels in one process: the second under another name, with libraries of its own."""

    def test_both_work(self):
        libraries = Path(os.environ.get(_library.DIRECTORY_VARIABLE, _library.PREFIX / "lib"))
        with tempfile.TemporaryDirectory() as folder:
            other = Path(folder) / "vendored"
            shutil.copytree(_library.PREFIX, other, ignore=shutil.ignore_patterns("lib", "bin", "include", "__pycache__"))
            (other / "lib").mkdir()
            for library in ("libCarouselCompiler.so.1", "libcarousel_runtime.so.2"):
                shutil.copy(libraries / library, other / "lib")
            code = textwrap.dedent(f"""
                import array, os, sys
                sys.path[:0] = [{str(_library.PREFIX.parent)!r}, {folder!r}]
                import carousel
                carousel.__version__
                os.environ.pop({_library.DIRECTORY_VARIABLE!r}, None)
                import vendored
                for each in (vendored, carousel, vendored):
                    x, y = array.array("f", range(8)), array.array("f", [0] * 8)
                    each.simulate({twice()!r}, {{"x": x, "y": y}}, lower=True).check()
                    assert list(y) == [2.0 * i for i in range(8)]
                    each.compile({twice()!r}, chips="sm_90a", cuda_root="", emit="ptx")
                    try:
                        each.compile("module", chips="sm_90a")
                    except each.CompileError:
                        pass
                loaded = {{line.split()[-1] for line in open("/proc/self/maps") if "libCarouselCompiler" in line}}
                assert len(loaded) == 2, loaded
                assert not issubclass(vendored.CompileError, carousel.CompileError)
            """)
            subprocess.run([sys.executable, "-c", code], check=True)

    def test_report_without_torch(self):
        missing = {name: None for name in ("torch", "carousel.torch")}
        with mock.patch.dict(sys.modules, missing):
            self.assertRaisesRegex(carousel.MissingPackageError, "expected the Python package 'torch', which models are of, got none",
                                   carousel.report)

    def test_a_library_that_is_too_old(self):
        with mock.patch("carousel._library.ctypes.CDLL") as load:
            load.return_value.carousel_compiler_version.return_value = 1
            with mock.patch.object(_library, "find_library", lambda name: Path("/old") / name):
                self.assertRaisesRegex(carousel.CarouselError, "expected version 2 or later of /old/libCarouselCompiler.so.1, got 1",
                                       _library.load_library, "libCarouselCompiler.so.1", "carousel_compiler_version", 2)


if __name__ == "__main__":
    unittest.main()
