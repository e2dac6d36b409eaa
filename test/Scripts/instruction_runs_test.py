#!/usr/bin/env python3
"""How scripts/modules/instruction_runs.py judges results, with results in place of a GPU's."""

import contextlib
import io
import os
import struct
import sys
import tempfile
import unittest
from array import array
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/modules"))
import instruction_runs as runs  # noqa: E402
import ptx_files  # noqa: E402


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


class Processes(unittest.TestCase):
    def test_results_in_order(self):
        self.assertEqual(runs.run_processes(divmod, [(7, 2), (9, 4)], 2, keeps_processes=False), [(3, 1), (2, 1)])

    def test_a_killed_process_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "got one that was killed"):
            runs.run_processes(os._exit, [(9,)], 1)
        with self.assertRaises(ZeroDivisionError):
            runs.run_processes(divmod, [(1, 0)], 1)


class Assemblers(unittest.TestCase):
    def test_a_ptxas_that_does_not_run(self):
        with tempfile.TemporaryDirectory() as root, mock.patch.dict(os.environ, CAROUSEL_CUDA_ROOT=root):
            path = Path(root, "bin/ptxas")
            path.parent.mkdir()
            for text, mode, found in (("no program", 0o644, "Permission denied"), ("#!/bin/sh\nexit 127\n", 0o755, "exit status 127"),
                                      ("#!/no/such/shell\n", 0o755, "No such file or directory")):
                path.write_text(text, encoding="utf-8")
                path.chmod(mode)
                with self.assertRaisesRegex(SystemExit, f"expected a ptxas that runs, got {path}: {found}"):
                    ptx_files.find_ptxas()
            path.write_text("#!/bin/sh\n", encoding="utf-8")
            self.assertEqual(ptx_files.find_ptxas(), str(path))


class Judge(unittest.TestCase):
    def test_exact(self):
        self.assertEqual(runs.judge(5, 5, "u32", None), "")
        self.assertEqual(runs.judge(5, 4, "u32", None), "bits")
        self.assertEqual(runs.judge(bits(1.0), bits(1.0) + 1, "f32", None), "bits")

    def test_nan_bits(self):
        self.assertEqual(runs.judge(0x7fffffff, 0x7fc00000, "f32", None), "NaN")
        self.assertEqual(runs.judge(0x7fff3c00, 0xfe003c00, "f16x2", None), "NaN")
        self.assertEqual(runs.judge(0x7fff3c00, 0xfe003c01, "f16x2", None), "bits")
        self.assertEqual(runs.judge(0x7fff, 0x7f80, "bf16", None), "bits")

    def test_bounds(self):
        bound = runs.bound_of("rcp.approx.f32")
        self.assertEqual(runs.judge(bits(3.0), bits(3.0) + 1, "f32", bound), "")
        self.assertEqual(runs.judge(bits(3.0), bits(3.0) + 4, "f32", bound), "bits")
        self.assertEqual(runs.judge(bits(3.0), bits(-3.0), "f32", bound), "bits")
        self.assertEqual(runs.judge(0x7f800000, 0x7f7fffff, "f32", bound), "")
        self.assertEqual(runs.judge(0x7f800000, bits(1.0), "f32", bound), "bits")
        self.assertIsNone(runs.bound_of("rcp.rn.f32"))
        self.assertEqual(runs.bound_of("tanh.approx.bf16x2"), (2**-8, 0))

    def test_decode(self):
        self.assertEqual(runs.decode(bits(-0.15625), "f32"), -0.15625)
        self.assertEqual(runs.decode(0x0001, "f16"), 2.0**-24)
        self.assertEqual(runs.decode(0x0001, "bf16"), 2.0**-133)
        self.assertEqual(runs.decode(0x3ff8000000000000, "f64"), 1.5)

    def test_divisors_without_a_rule(self):
        self.assertFalse(runs.is_defined({"name": "div.approx.f32"}, [0, 1]))
        self.assertTrue(runs.is_defined({"name": "div.approx.f32"}, [0, 0x80000000]))
        self.assertTrue(runs.is_defined({"name": "div.full.f32"}, [0, 1]))


class Words(unittest.TestCase):
    THREADS = 3
    CASE = {"name": "add.cc.u32", "text": "add.cc.u32 %r0, %r1, %r2", "inputs": 1, "operands": ["u32", "u32"],
            "types": ["u32", "pred"], "results": 2}
    WORDS = array("Q", [9, 9, 7, 0, 0xffffffff, 1, 5, 0])

    def compare(self, found, show=1):
        results = bytearray(b"before")
        kept = runs.keep(self.CASE, self.WORDS, results, self.THREADS)
        columns = runs.expected_columns(kept, results, self.THREADS)
        return runs.compare(kept, array("Q", range(100, 110)), columns, array("Q", found), self.THREADS, show)

    def test_sizes(self):
        for kind, size in {"pred": 1, "u8": 4, "s16": 2, "f16x2": 4, "b64": 8, "tf32": 4, "e2m1x2": 1, "e2m1x4": 2, "e4m3x2": 2,
                           "e4m3x4": 4, "e2m3x2": 2, "ue8m0x2": 2, "f32x2": 8, "u8x4": 4}.items():
            self.assertEqual(runs.bytes_of(kind), size, kind)

    def test_equal(self):
        self.assertEqual(self.compare([7, 0, 0xffffffff, 1, 5, 0])[1], 0)

    def test_carry_differs(self):
        name, wrong, payloads, firsts = self.compare([7, 0, 0xffffffff, 0, 5, 1])
        self.assertEqual((name, wrong, payloads), ("add.cc.u32", 2, 0))
        self.assertEqual(firsts, ["add.cc.u32 %r0, %r1, %r2 of 0x67, 0x68: expected 0xffffffff, 0x1, got 0xffffffff, 0x0"])

    def test_shows_as_many_as_asked(self):
        firsts = self.compare([6, 0, 0xffffffff, 0, 5, 1], show=2)[3]
        self.assertEqual([text.split(": ")[0].split(" of ")[1] for text in firsts], ["0x65, 0x66", "0x67, 0x68"])

    def test_numbers_come_before_nans(self):
        case = {"name": "neg.f32", "text": "neg.f32 %r0, %r1", "inputs": 0, "operands": ["f32"], "types": ["f32"]}
        report = runs.compare(case, [1, 2], [[0x7fffffff, 5]], [0x7fc00000, 6], 2, 2)
        self.assertEqual(report[:3], ("neg.f32", 2, 1))
        self.assertEqual(report[3], ["neg.f32 %r0, %r1 of 0x2: expected 0x5, got 0x6",
                                     "NaN bits: neg.f32 %r0, %r1 of 0x1: expected 0x7fffffff, got 0x7fc00000"])

    def test_prints_differences_and_what_did_not_run(self):
        reports = [("add.u32", 2, 0, ["first", "second"]), ("sub.u32", 0, 0, []), ("mul.u32", None, 0, ["refused"])]
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            self.assertEqual(runs.print_reports(reports, 10), 1)
        self.assertIn("add.u32: 2 differ; first\n    second\nnot run: refused\n", text.getvalue())


if __name__ == "__main__":
    unittest.main()
