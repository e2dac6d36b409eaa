# ===- tune_test.py - measures variants, with a driver that has no GPU -------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#

import array
import contextlib
import json
import os
import signal
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

CACHE = tempfile.TemporaryDirectory()
os.environ["XDG_CACHE_HOME"] = tempfile.tempdir = CACHE.name  # before the runtime reads it

import carousel  # noqa: E402
from carousel import tuner  # noqa: E402
from carousel.device import Parameter  # noqa: E402
from examples import SAXPY  # noqa: E402

STAND_IN = """#!{python}
import json, signal, sys, time
def end(*_):
    open({ended!r}, "w").write("interrupted")
    sys.exit(130)
signal.signal(signal.SIGINT, end)
print('{{a note of a library}}', file=sys.stderr)
print('{{"function":"f","done":0,"total":6}}', file=sys.stderr, flush=True)
{rest}
"""


class Array:
    """An array of a GPU that isn't there."""

    def __init__(self, *shape, typestr="<u2", strides=None, device=0):
        self.dtype = SimpleNamespace(name="bfloat16" if typestr == "<u2" else "other")
        self.device = SimpleNamespace(id=device)
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "strides": strides, "version": 3,
                                         "data": (0x70000000000, False)}


@carousel.kernel(grid="ceildiv(n, 64)")
def double(x: "bf16[n]", y: "out bf16[n]"):
    i = carousel.program_id() * 64
    y[i:i + 64] = x[i:i + 64] + x[i:i + 64]


def compile_with_costs():
    """A small package. Only products have costs, and many variants, so that this one gets some."""
    package = carousel.compile(double, chips="sm_90a", emit="ptx")
    manifest = Path(package._on_disk()) / "manifest.json"
    loaded = json.loads(manifest.read_text())
    for number, variant in enumerate(loaded["kernels"][0]["variants"]):
        variant["cost"] = 5000 - number
    manifest.write_text(json.dumps(loaded))
    return package


class TuneTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.package = compile_with_costs()
        cls.arrays = [Array(256), Array(256)]

    def tune(self, package=None, **options):
        return carousel.tune(package or self.package, "double", *self.arrays, seconds=0.001, **options)

    @contextlib.contextmanager
    def tool(self, rest):
        """A program that stands in for carousel-tune; yields the file that it writes if it is interrupted."""
        with tempfile.TemporaryDirectory() as folder:
            program, ended = Path(folder) / "carousel-tune", Path(folder) / "ended"
            program.write_text(STAND_IN.format(python=sys.executable, ended=str(ended), rest=rest))
            program.chmod(0o755)
            with mock.patch.object(tuner, "find_tool", lambda name: program):
                yield ended

    def test_times_are_stored(self):
        package = compile_with_costs()
        before = package.kernel()
        steps = []
        tuning = self.tune(package, progress=lambda done, total: steps.append((done, total)))
        self.assertTrue(tuning.is_stored)
        self.assertEqual((tuning.kernel, tuning.device), ("double", "Fake GPU"))
        self.assertEqual(tuning.values, (256, 256))
        total = 3 * len(tuning.variants)
        self.assertEqual(total, 6)
        self.assertEqual(steps, [(done, total) for done in range(total + 1)])
        # The stand-in takes 10 us for each launch, so that the first variant is the fastest.
        self.assertEqual(tuning.chosen, tuning.variants[0])
        self.assertRegex(str(tuning.chosen), r"double.*: predicted [0-9.]+ us, measured 10.00 us, chosen")
        (tuned,) = package.manifest["kernels"][0]["tuned"]
        self.assertEqual([each["function"] for each in tuned["times"]], [each.function for each in tuning.variants])
        # Kernels that are got now choose by the times.
        self.assertIn("chosen by measurement", package.kernel().explain(*self.arrays))
        self.assertNotIn("chosen by measurement", before.explain(*self.arrays))
        with tempfile.TemporaryDirectory() as folder:
            package.save(folder + "/double.pkg")
            self.assertEqual(os.listdir(folder), ["double.pkg"])
            opened = carousel.open(folder + "/double.pkg")
            self.assertEqual(opened.manifest, package.manifest)
            # One of a directory has them there.
            self.arrays = [Array(128), Array(128)]
            self.tune(opened)
            self.assertEqual(len(carousel.open(folder + "/double.pkg").manifest["kernels"][0]["tuned"]), 2)

    def test_without_storing(self):
        self.assertFalse(self.tune(store=False).is_stored)
        self.assertNotIn("tuned", self.package.manifest["kernels"][0])

    def test_wrong_arguments(self):
        x, y = self.arrays
        for values, options, message in (
                ((x,), {}, "expected a value of each argument .*, got none of y"),
                ((x, memoryview(array.array("f", [0] * 256))), {}, "y: expected elements of type bf16, got f32"),
                ((x, 3), {}, "y: expected an array for y: .*, got int"),
                ((x, Array(256, device=1)), {}, "y: expected an array on CUDA device 0, as another one is, got one"),
                ((x, Array(32)), {}, "y: expected extent 256 in dimension 0, as n of x is, got 32"),
                ((x, y), {"seconds": 0}, "seconds: expected a positive number, got 0"),
                ((x, y), {"device": 1}, "device: expected that of the arrays, 0, got 1"),
                ((x, y), {"z": 1}, "expected arguments of .*, got 'z'"),
                (("random:ten", y), {}, "x: expected a shape like .*, got 'ten'")):
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message):
                carousel.tune(self.package, "double", *values, **{"seconds": 0.001, **options})
        with self.assertRaisesRegex(TypeError, "package: expected a carousel.Package, got TracedKernel"):
            carousel.tune(double)
        saxpy = carousel.compile(SAXPY, chips="sm_90a", cuda_root="", emit="ptx")
        x = array.array("f", [0] * 16)
        with self.assertRaisesRegex(ValueError, "expected variants of 'saxpy' with a cost to choose from, got none"):
            carousel.tune(saxpy, None, 2.0, x, x, out=x)

    def test_values(self):
        def parameter(element, access="in", extents=(None, None), is_tensor=True):
            return Parameter("x", is_tensor, access, element, extents, False)

        def format_one(given, value):
            return tuner.format_values([given], [value], {}, "")[0][0]

        bf16 = parameter("bf16")
        self.assertEqual(format_one(bf16, Array(8, 16)), "x=random:8x16")
        self.assertEqual(format_one(bf16, Array(8, 16, strides=(64, 2))), "x=random:8x16@32x1")
        self.assertEqual(format_one(bf16, Array()), "x=random:[]")
        self.assertEqual(format_one(parameter("bf16", "out", (8, 16)), None), "x=empty:8x16")
        self.assertEqual(format_one(parameter("i32"), memoryview(array.array("i", [7]))), "x=zeros:1")
        self.assertEqual(format_one(parameter("i8"), bytearray(4)), "x=random:4")
        self.assertEqual(format_one(parameter("f32", is_tensor=False), 1.5), "x=1.5")
        self.assertEqual(format_one(parameter("i1", is_tensor=False), True), "x=1")

    def test_failures_are_exceptions(self):
        for rest, error, message in (
                ("print('carousel-tune: error: no NVIDIA driver', file=sys.stderr); sys.exit(3)", carousel.DeviceError,
                 "^no NVIDIA driver$"),
                ("print('{}'); print('carousel-tune: error: m: cannot write', file=sys.stderr); sys.exit(3)",
                 carousel.PackageError, "^m: cannot write$"),
                ("import os; os.abort()", carousel.DeviceError, "^carousel-tune ended with status -6: {a note of a library}$")):
            with self.subTest(message=message), self.tool(rest), self.assertRaisesRegex(error, message):
                self.tune(progress=False)
        with mock.patch.object(tuner, "find_tool", lambda name: "/dev/null"):
            with self.assertRaisesRegex(carousel.DeviceError, "can't run /dev/null: Permission denied"):
                self.tune()

    def test_interruptions(self):
        def fail(done, total):
            raise RuntimeError("enough")

        with self.tool("time.sleep(60)") as ended:
            with self.assertRaisesRegex(RuntimeError, "enough"):
                self.tune(progress=fail)
            self.assertEqual(ended.read_text(), "interrupted")
            ended.unlink()
            begin = time.monotonic()
            threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
            with self.assertRaises(KeyboardInterrupt):
                self.tune(progress=False)
            self.assertLess(time.monotonic() - begin, 20)
        with self.tool("signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(60)"):
            with mock.patch.object(tuner, "SECONDS_TO_STOP", 0.1), self.assertRaisesRegex(RuntimeError, "enough"):
                self.tune(progress=lambda done, total: time.sleep(0.5) or fail(done, total))

    def test_bars(self):
        shown = []

        class Bar:
            def __init__(self, **options):
                self.n, self.total = 0, options["total"]

            def update(self, count):
                self.n += count
                shown.append(self.n)

            def close(self):
                shown.append("closed")

        result = {"kernel": "double", "device": "GPU", "values": [], "variants": [], "stored": None}
        with mock.patch.dict(sys.modules, tqdm=SimpleNamespace(tqdm=Bar)):
            with self.tool(f"print({json.dumps(json.dumps(result))})"):
                self.tune(store=False)
        self.assertEqual(shown, [0, 6, "closed"])


if __name__ == "__main__":
    unittest.main()
