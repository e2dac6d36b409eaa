# ===- command_test.py - python -m carousel --------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Compares the command with carousel-compile of the build, where there is one."""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import carousel
from carousel import __main__ as command
from carousel import _tools
from examples import RACE, SAXPY

FOLDERS = ("--cmake-dir", "--include-dir", "--library-dir")
KERNELS = """
import carousel
@carousel.kernel(grid="ceildiv(n, 64)")
def first(x: "f32[n]", y: "out f32[n]"):
    i = carousel.program_id() * 64
    y[i:i + 64] = x[i:i + 64]
@carousel.kernel(grid="ceildiv(n, 64)")
def second(x: "f32[n]", y: "out f32[n]"):
    i = carousel.program_id() * 64
    y[i:i + 64] = x[i:i + 64] * 2.0
"""
TOOL = Path(os.environ.get("CAROUSEL_LIBRARY_DIR", "")).parent / "bin/carousel-compile"


def pick_messages(text):
    """Without the order, as the tool prints them at once, and without lines of the source, of which the package has more."""
    return sorted(line for line in text.splitlines() if re.search(r": (error|warning|note|remark): |^\[", line))


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.output = str(self.folder / "x.pkg")
        path = mock.patch.object(sys, "path", [*sys.path])  # the command adds folders of kernels
        path.start()
        self.addCleanup(path.stop)

    def run_it(self, *arguments):
        """Status, stdout and stderr."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                given = list(map(str, arguments))
                status = command.main(given if given[0] == "explain" or given[0] in FOLDERS else ["compile", *given])
            except SystemExit as end:
                status = end.code
        return status, out.getvalue(), err.getvalue()

    @unittest.skipUnless(TOOL.is_file(), "carousel-compile isn't built")
    def test_is_the_same_as_the_tool(self):
        warned = self.folder / "warned.mlir"  # roles are whole warps
        text = SAXPY.read_text(encoding="utf-8").replace("block = [256]", "block = [48]")
        warned.write_text(text.replace("stages = auto", "stages = 3, mode = specialized"))
        for file, options in ((SAXPY, []), (warned, []), (warned, ["--quiet"]), (warned, ["--werror=pipeline"]), (SAXPY, ["--explain"]), (SAXPY, ["--explain=json", "--emit=ptx,cuda"]),
                              (SAXPY, ["--quiet", "--opt-level=1", "--index-bitwidth", "32"]),
                              (SAXPY, ["--chip=sm_80", "--variants=first", "--ptx-version=86", "--cuda-line-directives"]),
                              (SAXPY, ["--debug-waits=100", "--debug-assertions", "--accumulate=as-written", "--werror=pipeline,alignment"])):
            with self.subTest(options=options):
                options = [str(file), "--chip", "sm_90a", "--no-cubin", *options]
                wanted = subprocess.run([TOOL, *options, "-o", self.folder / "tool.pkg"], capture_output=True, text=True)
                status, out, err = self.run_it(*options, "-o", self.output)
                self.assertEqual((status, out), (wanted.returncode, wanted.stdout))
                self.assertEqual(pick_messages(err), pick_messages(wanted.stderr))
                if status == 0:
                    self.assertEqual(carousel.open(self.output).files, carousel.open(self.folder / "tool.pkg").files)

    def test_errors(self):
        for arguments, message in (
                ((self.folder / "none.mlir", "--chip=sm_90a"), "error: expected a file of MLIR, got .*No such file"),
                ((SAXPY, "--chip=sm_91"), "error: unknown chip 'sm_91'"),
                ((SAXPY, "--chip=sm_90a", "--opt-level=9"), "error: options: opt_level: expected 0 to 3, got 9"),
                ((SAXPY, "--chip=sm_90a", "--emit=elf"), "error: emit: expected ptx, cubin, cuda, got 'elf'"),
                ((SAXPY, "--chip=sm_90a", "--variants=last"), "argument --variants: invalid choice: 'last'"),
                ((SAXPY, "--chips=sm_90a"), "unrecognized arguments: --chips=sm_90a")):
            with self.subTest(message=message):
                status, out, err = self.run_it(*arguments, "-o", self.output)
                self.assertEqual((status, out), (1, ""))
                self.assertRegex(err, message)
                self.assertFalse(Path(self.output).exists())
        self.assertIn("are required: -o", self.run_it(SAXPY)[2])
        status, _, err = self.run_it(SAXPY, "--chip=sm_90a", "--no-cubin", "-o", "/dev/null/x")
        self.assertEqual(status, 1)
        self.assertIn("/dev/null", err)

    def test_kernels_of_python(self):
        file = self.folder / "kernels.py"
        file.write_text(KERNELS)
        for source, names in ((file, ("first", "second")), (f"{file}:second", ("second",))):
            self.assertEqual(self.run_it(source, "--chip=sm_90a", "--no-cubin", "--quiet", "-o", self.output)[0], 0)
            self.assertEqual(carousel.open(self.output).kernels, names)
        (self.folder / "none.py").write_text("x = 3")
        for source, message in ((f"{file}:third", r"expected a kernel of .*kernels.py \(first, second\), got 'third'"),
                                (self.folder / "none.py", "expected kernels in .*none.py, got none"),
                                (self.folder / "no.py", "expected a file of Python, got .*no.py': No such file")):
            status, _, err = self.run_it(source, "--chip=sm_90a", "-o", self.output)
            self.assertEqual(status, 1)
            self.assertRegex(err, message)

    def test_files_of_python_run_as_programs_do(self):
        (self.folder / "beside_kernels.py").write_text("SCALE = 2.0\n")
        file = self.folder / "kernels.py"
        file.write_text("from beside_kernels import SCALE\n" + KERNELS.replace("* 2.0", "* SCALE"))
        self.assertEqual(self.run_it(file, "--chip=sm_90a", "--no-cubin", "--quiet", "-o", self.output)[0], 0)
        self.assertEqual(carousel.open(self.output).kernels, ("first", "second"))
        # Their own errors are shown as they are, with the place.
        file.write_text("open('/no/such/weights')")
        with self.assertRaisesRegex(FileNotFoundError, "/no/such/weights"):
            self.run_it(file, "--chip=sm_90a", "-o", self.output)
        (self.folder / "folder.py").mkdir()
        status, _, err = self.run_it(self.folder / "folder.py", "--chip=sm_90a", "-o", self.output)
        self.assertEqual(status, 1)
        self.assertRegex(err, "expected a file of Python, got .*folder.py': Is a directory")

    def test_explanations(self):
        package = carousel.compile(SAXPY, chips="sm_90a")
        for form, wanted in (("text", package.explain().text), ("html", package.explain()._repr_html_())):
            self.assertEqual(self.run_it("explain", SAXPY, "--chip=sm_90a", "--quiet", f"--format={form}")[:2], (0, wanted))
        status, out, _ = self.run_it("explain", SAXPY, "--chip=sm_90a", "--format=json")
        self.assertEqual((status, json.loads(out)), (0, package.decisions))

    def test_a_terminal_shows_a_table(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        shown = []
        arguments = ["explain", str(SAXPY), "--chip=sm_90a", "--quiet"]
        for rich, is_shown in ((SimpleNamespace(print=shown.append), True), (None, False)):
            with mock.patch.dict(sys.modules, rich=rich), contextlib.redirect_stdout(Terminal()) as out:
                self.assertEqual(command.main(arguments), 0)
            self.assertEqual("saxpy_tma" in out.getvalue(), not is_shown)
        self.assertIsInstance(shown[0], carousel.Explanation)

    def test_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "lib/cmake").mkdir(parents=True)
            with mock.patch.object(command, "PREFIX", Path(folder)):
                self.assertEqual(self.run_it("--cmake-dir")[:2], (0, f"{folder}/lib/cmake\n"))
        status, out, err = self.run_it("--include-dir")  # a source tree has none
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(err, "expected the folder .*include, got none; install the package's wheel")

    @unittest.skipUnless(TOOL.is_file(), "the programs aren't built")
    def test_programs(self):
        def start(*arguments):
            return subprocess.run([sys.executable, "-m", "carousel", *arguments], capture_output=True, text=True)

        for name, said in (("opt", "carousel-opt 0."), ("simulate", "carousel-sim 0."), ("run", "carousel-run 0."),
                           ("tune", "carousel-tune 0.")):
            self.assertIn(said, start(name, "--version").stdout)
        done = start("simulate", "none.mlir", "--list")
        self.assertEqual(done.returncode, 2)
        self.assertIn("none.mlir", done.stderr)
        with mock.patch.dict(os.environ, CAROUSEL_LIBRARY_DIR="/no/such/lib"):
            done = start("opt", "--version")
        self.assertEqual(done.returncode, 1)
        self.assertIn("carousel-opt: error: expected the program carousel-opt in /no/such/bin, got none", done.stderr)

    def test_carousel_compile_gets_the_toolkit(self):
        for given, wanted in (([], ["--cuda-root=/toolkit"]), (["--cuda-root", "/mine"], ["--cuda-root", "/mine"]),
                              (["--cuda-root=/mine"], ["--cuda-root=/mine"]), (["-cuda-root=/mine"], ["-cuda-root=/mine"])):
            with mock.patch.object(os, "execve") as become, mock.patch.object(_tools, "find_toolkit", lambda: "/toolkit"), \
                    mock.patch.object(_tools, "find_tool", Path):
                _tools.start("carousel-compile", given)
            self.assertEqual(become.call_args[0][1], ["carousel-compile", *wanted])

    def test_interruptions(self):
        with mock.patch.object(command, "report_progress", side_effect=KeyboardInterrupt):
            self.assertEqual(self.run_it(SAXPY, "--chip=sm_90a", "--no-cubin", "-o", self.output)[0], 130)
        self.assertFalse(Path(self.output).exists())

    def test_as_a_program(self):
        def start(*arguments, **options):
            return subprocess.run([sys.executable, "-m", "carousel", *arguments], stderr=subprocess.PIPE, text=True, **options)

        done = start("compile", "-", "--chip=sm_90a", "--no-cubin", "--quiet", "-o", self.output, input=RACE,
                     stdout=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(carousel.open(self.output).kernels, ("twice",))
        with open("/dev/full", "w") as full:
            done = start("compile", "-", "--chip=sm_90a", "--no-cubin", "-o", self.output, input=RACE, stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: can't write to the standard output: No space left on device", done.stderr)


if __name__ == "__main__":
    unittest.main()
