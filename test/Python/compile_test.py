# ===- compile_test.py - compile, explain, save, errors ---------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#

import array
import importlib.util
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from pathlib import Path

import carousel
from examples import ROOT, SAXPY, SOFTMAX, twice

NO_TOOLKIT = {"chips": "sm_90a", "cuda_root": "", "emit": "ptx"}


def compile_in_child():
    return list(carousel.compile(twice(), **NO_TOOLKIT).kernels)


class CompileTest(unittest.TestCase):
    def test_text_path_and_bytes_make_the_same(self):
        text = SAXPY.read_text(encoding="utf-8")
        packages = [carousel.compile(source, **NO_TOOLKIT) for source in (SAXPY, str(SAXPY), text, text.encode())]
        for package in packages[1:]:
            self.assertEqual(list(package.ptx.values()), list(packages[0].ptx.values()))
        self.assertEqual(packages[0].kernels, ("saxpy",))
        self.assertIn(".entry", next(iter(packages[0].ptx.values())))
        self.assertEqual(packages[0].manifest["format"], "carousel-package")

    def test_a_kernel_made_elsewhere_is_taken_by_its_text(self):
        class Traced:
            mlir = twice()

        self.assertEqual(carousel.compile(Traced(), **NO_TOOLKIT).kernels, ("twice",))

    def test_several_chips_and_kinds(self):
        package = carousel.compile(twice(), chips=["sm_80", "sm_90a"], emit="cuda")
        self.assertEqual(len(package.cuda), 2)
        self.assertEqual(package.ptx, {})

    def test_decisions_and_explanation(self):
        package = carousel.compile(SAXPY, **NO_TOOLKIT)
        rings = package.decisions["kernels"][0]["variants"][0]["decisions"]["rings"]
        self.assertEqual(rings[0]["memrefs"], ["x", "y"])
        explanation = package.explain()
        self.assertIn("x, y", str(explanation))
        self.assertLessEqual(len(str(explanation).splitlines()), 10)
        self.assertRegex(str(explanation), "limits: . of these CTAs on an SM, by shared memory, with .* KiB in flight\n")
        self.assertIn("would help: x by tensor in place of cp_async", str(explanation))
        self.assertEqual(str(package.explain(full=True)), explanation.text)
        load, store = [each for each in explanation.of_kind("ring") if each.variant == "saxpy_tma"]
        self.assertEqual(load.data, rings[0])
        self.assertRegex(load.place, r"saxpy.mlir:\d+:5")
        self.assertRegex(load.text, r"^loads x, y in \d stages of 16384 bytes, \d ahead, by bulk$")
        self.assertRegex(store.text, "^stores out in 2 stages of 8192 bytes, by bulk$")
        (transfer,) = [each for each in explanation.of_kind("transfer") if (each.variant, each.data["memref"]) == ("saxpy_tma", "x")]
        self.assertRegex(transfer.reasons[0], "^not tensor: a cost of")
        self.assertIn("CTAs per SM on sm_90a, limited by shared memory", explanation.of_kind("occupancy")[0].text)
        page = explanation._repr_html_()
        self.assertEqual(page.count("<tr>"), 1 + len(explanation))
        self.assertIn("not tensor: a cost of", page)

    def test_misses_are_explained(self):
        text = SAXPY.read_text(encoding="utf-8").replace("block = [256]", "block = [48]")
        package = carousel.compile(text.replace("stages = auto", "stages = 3, mode = specialized"), warn=False, **NO_TOOLKIT)
        miss = package.explain().of_kind("miss")[0]
        self.assertRegex(str(miss), r"^saxpy_tma: miss at <module>:\d+:\d+: .* \[.*\]")

    def test_graphs_are_explained(self):
        package = carousel.compile(ROOT / "examples/graphs/transformer.mlir", first_variant=True, warn=False, **NO_TOOLKIT)
        groups = package.explain().of_kind("group")
        self.assertEqual({each.data["Kernel"] for each in groups}, set(package.kernels))
        self.assertTrue(any("Family: " in reason for reason in groups[0].reasons))
        point = str(package.explain())
        self.assertLessEqual(len(point.splitlines()), 10)
        self.assertRegex(point, "^main: 5 kernels, .*\n  time: 5 steps: .*\n  slowest: main_3: ")
        self.assertIn("through memory: 16 MiB from ", point)

    @unittest.skipUnless(importlib.util.find_spec("rich"), "rich isn't installed")
    def test_rich_prints_a_table(self):
        import io

        import rich.console

        out = io.StringIO()
        rich.console.Console(file=out, width=200).print(carousel.compile(SAXPY, **NO_TOOLKIT).explain())
        self.assertRegex(out.getvalue(), "ring: loads x, y in .* bulk +│ saxpy.mlir:")

    def test_saved_packages_open(self):
        package = carousel.compile(SAXPY, **NO_TOOLKIT)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "saxpy.pkg"
            package.save(path)
            opened = carousel.open(path)
            self.assertEqual(dict(opened.files), dict(package.files))
            self.assertEqual(opened.kernels, package.kernels)
            self.assertEqual(list(opened.explain()), list(package.explain()))
            self.assertIn("saxpy_tma: ring at", str(opened.explain(full=True)))
            with self.assertRaisesRegex(carousel.PackageError, "no/such"):
                package.save(Path(folder) / "no/such/folder")
            (path / "manifest.json").write_text("{}")
            with self.assertRaisesRegex(carousel.PackageError, "manifest.json: expected"):
                carousel.open(path)
        with self.assertRaisesRegex(OSError, "expected a package directory, got '/no/such/package'"):
            carousel.open("/no/such/package")

    def test_errors_have_place_and_caret(self):
        with self.assertRaises(carousel.CompileError) as caught:
            carousel.compile(twice().replace("%v, %v", "%v, %w"), name="twice.mlir", **NO_TOOLKIT)
        error = caught.exception.errors[0]
        self.assertEqual((error.file, error.line, error.column), ("twice.mlir", 8, 25))
        self.assertEqual(str(caught.exception).splitlines(), [
            "twice.mlir:8:25: error: use of undeclared SSA value name",
            "    %d = arith.addf %v, %w : f32",
            "                        ^",
        ])
        # Places of a model have no columns.
        warning = carousel.Diagnostic("warning", "slow", "block.py", 31, 0, "    return self.norm(x)")
        self.assertEqual(str(warning), "block.py:31: warning: slow\n    return self.norm(x)\n    ^")

    def test_notes_belong_to_their_error(self):
        with self.assertRaises(carousel.CompileError) as caught:
            carousel.compile(twice().replace("addf %v, %v : f32", "addf %v, %i : f32"), **NO_TOOLKIT)
        (error,) = caught.exception.diagnostics
        self.assertEqual([note.severity for note in error.notes], ["note"])
        self.assertEqual(error.notes[0].line, 6)

    def test_wrong_calls(self):
        for arguments, message in (
            ({"chips": "sm_90a", "cubins": "maybe"}, "cubins: expected auto, never, required, got 'maybe'"),
            ({"chips": "sm_90a", "emit": "sass"}, "emit: expected ptx, cubin, cuda, got 'sass'"),
            ({"chips": "sm_90a", "opt_level": 9}, "options: opt_level: expected 0 to 3, got 9"),
            ({"chips": "sm_90a", "werror": ["all"]}, "werror: expected pipeline.*got 'all'"),
            ({"chips": "sm_90a", "shapes": "f32[4]"}, "with a function of JAX or PyTorch, got str"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                carousel.compile(twice(), **arguments)
        with self.assertRaisesRegex(carousel.CompileError, "sm_1"):
            carousel.compile(twice(), chips="sm_1")
        with self.assertRaisesRegex(LookupError, "expected a file of MLIR, got 'none.mlir'"):
            carousel.compile("none.mlir", chips="sm_90a")
        with self.assertRaisesRegex(TypeError, "expected MLIR as a path.*got int"):
            carousel.compile(3, chips="sm_90a")
        with self.assertRaisesRegex(ValueError, "expected shapes, such as"):
            carousel.compile(lambda x: x, chips="sm_90a")
        with self.assertRaisesRegex(ValueError, "expected framework='jax' or 'torch'"):
            carousel.compile(lambda x: x, chips="sm_90a", shapes="f32[4]")

    def test_a_missing_toolkit_is_an_error_with_advice(self):
        text = twice().replace("%d = arith.addf %v, %v", "%d = math.sin %v")
        with self.assertRaisesRegex(carousel.CompileError, r"expected libdevice.*\n(.*\n)*note: install .*carousel\[cuda\]"):
            carousel.compile(text, chips="sm_90a", cuda_root="/no/such/toolkit", emit="ptx")

    def test_warnings(self):
        # A request that isn't honoured: roles are whole warps.
        text = SAXPY.read_text(encoding="utf-8").replace("block = [256]", "block = [48]")
        text = text.replace("stages = auto", "stages = 3, mode = specialized")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            package = carousel.compile(text, name="saxpy.mlir", **NO_TOOLKIT)
        self.assertTrue(any(issubclass(each.category, carousel.CompileWarning) for each in caught))
        self.assertTrue(any(each.severity == "warning" and each.line for each in package.diagnostics))
        with self.assertRaisesRegex(carousel.CompileError, "error"):
            carousel.compile(text, werror=["pipeline"], **NO_TOOLKIT)

    def test_progress_and_its_errors(self):
        steps = []
        carousel.compile(twice(), chips=["sm_80", "sm_90a"], emit="ptx", progress=lambda *step: steps.append(step))
        self.assertEqual(steps, [(1, 2, "m", "sm_80"), (2, 2, "m", "sm_90a")])
        with self.assertRaises(ZeroDivisionError):
            carousel.compile(twice(), **NO_TOOLKIT, progress=lambda *_: 1 // 0)

    def test_threads_and_forks(self):
        made = []
        threads = [threading.Thread(target=lambda: made.append(compile_in_child())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(made, [["twice"]] * 4)
        with multiprocessing.get_context("fork").Pool(1) as pool:
            self.assertEqual(pool.apply(compile_in_child), ["twice"])

    def check_child(self, call):
        """The call forks in a callback, and both processes return from that: the parent as ever, the child with an error."""
        children = []

        def fork(*_):
            if not children:
                children.append(os.fork())

        result = 1
        try:
            call(fork)
        except carousel.CarouselError as error:
            result = 0 if "the return of a child that it forked" in str(error) and compile_in_child() == ["twice"] else 2
        if children[0] == 0:
            os._exit(result)
        self.assertEqual(result, 1)
        end = time.monotonic() + 30
        while (waited := os.waitpid(children[0], os.WNOHANG))[0] == 0:
            if time.monotonic() > end:
                os.kill(children[0], signal.SIGKILL)
            time.sleep(0.01)
        self.assertEqual(os.waitstatus_to_exitcode(waited[1]), 0)

    def test_forks_in_callbacks(self):
        with self.subTest("compile"):
            self.check_child(lambda fork: carousel.compile(twice(), **NO_TOOLKIT, progress=fork))
        arrays = {"x": array.array("f", [1.0] * 8), "y": array.array("f", [0.0] * 8)}
        with self.subTest("simulate"):
            self.check_child(lambda fork: carousel.simulate(twice(), arrays, schedules=3, progress=fork))

    def test_packages_do_not_pretend_to_pickle(self):
        with self.assertRaisesRegex(TypeError, "save it"):
            pickle.dumps(carousel.compile(twice(), **NO_TOOLKIT))

    def test_the_version_is_the_project_s(self):
        project = re.search(r"project\(Carousel VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
        self.assertEqual(carousel.__version__, project[1])

    def test_transform(self):
        text = carousel.transform(SOFTMAX, "builtin.module(carousel-lower{chip=sm_90a})")
        self.assertIn("gpu.func @softmax", text)
        with self.assertRaisesRegex(carousel.CompileError, "no-such-pass"):
            carousel.transform(twice(), "builtin.module(no-such-pass)")

    def test_import_is_quick_and_loads_no_library(self):
        code = ("import time; start = time.perf_counter(); import carousel; took = time.perf_counter() - start; "
                "assert took < 0.3, took; assert 'libCarousel' not in open('/proc/self/maps').read(); dir(carousel)")
        subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)

    def test_missing_libraries(self):
        environment = {**os.environ, "CAROUSEL_LIBRARY_DIR": "/no/such/folder"}
        code = "import carousel; carousel.compile('', chips='sm_90a')"
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
        self.assertIn("expected the library libCarouselCompiler.so.1 in /no/such/folder", done.stderr)


if __name__ == "__main__":
    unittest.main()
