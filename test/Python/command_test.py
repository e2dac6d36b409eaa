# ===- command_test.py - python -m carousel --------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Compares the command with carousel-compile of the build, where there is one."""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import carousel
from carousel import __main__ as command
from examples import RACE, SAXPY

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

    def run_it(self, *arguments):
        """Status, stdout and stderr."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = command.main(["compile", *map(str, arguments)])
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
                              (SAXPY, ["--debug-waits=100", "--accumulate=as-written", "--werror=pipeline,alignment"])):
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
