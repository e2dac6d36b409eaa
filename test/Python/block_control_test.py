# ===- block_control_test.py - loops, turns and signals of kernels ------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs kernels with loops that end by a condition, with loops of other integers, and with turns; and tests what can't be
traced of them and of signals."""

import array
import unittest

import carousel

F32 = "f32"


def trace(function, **options):
    return carousel.kernel(**{"grid": 1, "block": 64, **options})(function)


def number(value, dtype="i32"):
    return carousel.full((), value, dtype)


class ControlTest(unittest.TestCase):
    def refuse(self, message, function, **options):
        with self.assertRaisesRegex(carousel.TraceError, message):
            trace(function, **options)

    def run_kernel(self, function, arguments, **options):
        kernel = trace(function, **options)
        for is_lowered in (False, True):
            carousel.simulate(kernel, arguments, lower=is_lowered, schedules=3).check()

    def test_assertions(self):
        def check(x: "i32[n]", y: "out i32[n]"):
            v = x[0:4]
            carousel.device_assert(v < 9, 'expected "small" numbers \\ {0}\n\u00fc')
            carousel.device_assert(x[0] <= x[1], "expected numbers that ascend")
            y[0:4] = v

        y = array.array("i", [0] * 4)
        self.run_kernel(check, {"x": array.array("i", [1, 2, 3, 4]), "y": y})
        self.assertEqual(list(y), [1, 2, 3, 4])
        kernel = trace(check)
        for numbers, message in (([1, 2, 9, 4], 'expected "small" numbers \\ {0}\n\u00fc, got false'),
                                 ([5, -2, 3, 4], "expected numbers that ascend, got 5 > -2")):
            bad = {"x": array.array("i", numbers), "y": y}
            for options in ({}, {"debug_assertions": True}, {"lower": True, "debug_assertions": True}):
                with self.subTest(message=message, options=options):
                    found = [finding.message for finding in carousel.simulate(kernel, bad, **options).findings]
                    self.assertEqual(found, [message])
            # Without the option they aren't in the code.
            carousel.simulate(kernel, bad, lower=True).check()
        for keeps in (False, True):
            package = carousel.compile(kernel, chips="sm_90a", emit=("ptx", "cuda"), cuda_root="", debug_assertions=keeps)
            texts = [data.decode() for name, data in package.files.items() if name.endswith((".ptx", ".cu"))]
            self.assertEqual([("__assertfail" in text) for text in texts], [keeps] * len(texts))

        def say(x: "i32[n]", y: "out i32[n]"):
            carousel.device_assert(x[0], "a number")

        self.refuse(r"device_assert: expected a condition \(an i1, or a vector of them\), got i32", say)

        def mute(x: "i32[n]", y: "out i32[n]"):
            carousel.device_assert(x[0] > 0, 3)

        self.refuse("device_assert: expected a text as message, got int", mute)

    def test_a_loop_ends_by_its_condition(self):
        def find(x: "i32[n]", y: "out i32[2]"):
            first, steps = carousel.while_loop(lambda i, _: x[i] == 0, lambda i, count: (i + 1, count + 2), number(0, "index"),
                                               number(0))
            y[0], y[1] = first.to("i32"), steps

        y = array.array("i", [9, 9])
        self.run_kernel(find, {"x": array.array("i", [0] * 5 + [1, 0, 2]), "y": y})
        self.assertEqual(list(y), [5, 10])
        self.run_kernel(find, {"x": array.array("i", [7]), "y": y})
        self.assertEqual(list(y), [0, 0])

    def test_a_loop_may_carry_vectors_and_one_value(self):
        def double(x: "f32[n]", y: "out f32[n]"):
            y[0:64] = carousel.while_loop(lambda v: v.max() < 100.0, lambda v: v * 2.0, x[0:64])

        y = array.array("f", [0] * 64)
        self.run_kernel(double, {"x": array.array("f", [1, 2, 3] + [0] * 61), "y": y})
        self.assertEqual(list(y[:4]), [64, 128, 192, 0])

    def test_a_loop_may_have_no_values(self):
        def wait(x: "f32[n]", y: "inout f32[n]"):
            def step():
                y[0] = y[0] + 1.0

            carousel.while_loop(lambda: y[0] < 3.0, step)

        y = array.array("f", [0])
        self.run_kernel(wait, {"x": y[:], "y": y})
        self.assertEqual(y[0], 3)

    def test_loops_that_end_by_a_condition_are_pipelined(self):
        def add(x: "f32[n]", y: "out f32[64]"):
            count = x.shape[0]
            _, total = carousel.while_loop(lambda i, _: i < count, lambda i, total: (i + 64, total + x[i:i + 64]),
                                           number(0, "index"), carousel.zeros(64, F32), pipeline="stages = 4")
            y[:] = total

        y = array.array("f", [0] * 64)
        self.run_kernel(add, {"x": array.array("f", range(640)), "y": y})
        self.assertEqual(y[5], sum(64 * i + 5 for i in range(10)))
        self.assertIn("} attributes {carousel.pipeline = #carousel.pipeline<stages = 4>}", trace(add).mlir)

    def test_loops_count_with_other_integers(self):
        def add(n: "i32", y: "out i32[1]"):
            total = number(0)
            for i in carousel.range(2, n, 3, pipeline=False):
                total = total + i
            y[0] = total

        y = array.array("i", [0])
        self.run_kernel(add, {"n": 12, "y": y})
        self.assertEqual(y[0], 2 + 5 + 8 + 11)

    def test_wrong_loops(self):
        def wrong_condition(x: "f32[n]", y: "out f32[n]"):
            y[0] = carousel.while_loop(lambda v: v, lambda v: v, x[0])

        def wrong_start(x: "f32[n]", y: "out f32[n]"):
            y[0] = carousel.while_loop(lambda v: v < 1.0, lambda v: v + 1.0, 0.0)

        def wrong_type(x: "f32[n]", y: "out f32[n]"):
            y[0] = carousel.while_loop(lambda v: v < 1.0, lambda v: v.to("f64"), x[0])

        def wrong_count(x: "f32[n]", y: "out f32[n]"):
            y[0] = carousel.while_loop(lambda v: v < 1.0, lambda v: (v, v), x[0])

        def after_the_loop(x: "f32[n]", y: "out f32[n]"):
            kept = []

            def body(v):
                kept.append(v * 2.0)
                return kept[0]

            carousel.while_loop(lambda v: v < 1.0, body, x[0])
            y[0] = kept[0]

        def mixed_bounds(n: "i32", y: "out f32[n]"):
            for i in carousel.range(carousel.program_id(), n):
                y[i] = 0.0

        def bounds_of_floats(x: "f32[n]", y: "out f32[n]"):
            for i in carousel.range(0, x[0]):
                y[i] = 0.0

        for function, message in (
            (wrong_condition, "while_loop: expected a condition that returns one i1, got f32"),
            (wrong_start, "while_loop: expected values of the kernel to begin with, got float"),
            (wrong_type, "while_loop: expected a body that returns values of the types that it takes, f32, got f64"),
            (wrong_count, "while_loop: expected a body that returns values of the types that it takes, f32, got f32, f32"),
            (after_the_loop, "expected a value of this place, got one"),
            (mixed_bounds, r"range: expected bounds of one type, got index and i32; convert them with .to\('index'\)"),
            (bounds_of_floats, "range: expected bounds that are integers, got f32"),
        ):
            with self.subTest(function=function.__name__):
                self.refuse(message, function)

    def test_programs_take_turns(self):
        def add(x: "f32[n]", y: "out f32[64]", work: "workspace f32[64]", turns: "workspace i32[1, 32]",
                tickets: "workspace i32[1]"):
            programs = carousel.num_programs()
            p = carousel.draw_ticket(tickets, programs)

            def own(first, last):
                v = x[p * 64:p * 64 + 64]
                total = carousel.cond(first, lambda: v, lambda: work[0:64] * 2.0 + v)
                work[0:64] = total
                return total, last

            total, is_last = carousel.serialize(turns, [0, 0], p, programs, own)

            def write():
                y[:] = total

            carousel.cond(is_last, write, lambda: None)

        y = array.array("f", [0] * 64)
        self.run_kernel(add, {"x": array.array("f", range(256)), "y": y}, grid="ceildiv(n, 64)")
        self.assertEqual(y[1], ((1 * 2 + 65) * 2 + 129) * 2 + 193)

    def test_tiles_accumulate(self):
        def add(x: "f32[n]", y: "out f32[64]", work: "workspace f32[64]", turns: "workspace i32[1, 32]",
                tickets: "workspace i32[1]"):
            programs = carousel.num_programs()
            p = carousel.draw_ticket(tickets, programs)
            tile = carousel.shared(64, F32)
            tile[:] = x[p * 64:p * 64 + 64]

            def own(first, last):
                carousel.accumulate(tile, work, [0], first=first, last=last)
                return last

            def write():
                y[:] = tile[:]

            carousel.cond(carousel.serialize(turns, [0, 0], p, programs, own), write, lambda: None)

        y = array.array("f", [0] * 64)
        self.run_kernel(add, {"x": array.array("f", range(256)), "y": y}, grid="ceildiv(n, 64)")
        self.assertEqual(y[1], 1 + 65 + 129 + 193)

    def test_places_of_errors(self):
        """Of the ends of loops, too, and in terms of Python."""
        def endless(x: "f32[n]", y: "out f32[n]"):
            y[0] = carousel.while_loop(lambda v: v >= 0.0, lambda v: v + 1.0, x[0])

        def no_ticket(x: "f32[n]", y: "out f32[n]", turns: "workspace i32[1, 32]"):
            carousel.serialize(turns, [0, 0], carousel.program_id(), 2, lambda *_: None)
            y[0] = x[0]

        arguments = {"x": array.array("f", [1]), "y": array.array("f", [0])}
        (finding,) = carousel.simulate(trace(endless), arguments, step_limit=1000).findings
        self.assertIn("block_control_test.py:", finding.actor.location)
        with self.assertRaisesRegex(carousel.CompileError, "expected turns that follow(.|\n)*carousel.draw_ticket makes"):
            carousel.compile(trace(no_ticket), chips="sm_90a")

    def test_wrong_turns(self):
        def read_only(x: "i32[n]", y: "out f32[n]"):
            carousel.serialize(x, [0], 0, 1, lambda *_: None)

        def wrong_element(x: "f32[n]", y: "out f32[n]"):
            carousel.serialize(y, [0], 0, 1, lambda *_: None)

        def wrong_places(x: "f32[n]", turns: "workspace i32[1, 32]"):
            carousel.serialize(turns, [0], 0, 1, lambda *_: None)

        def wrong_result(x: "f32[n]", turns: "workspace i32[1]"):
            carousel.serialize(turns, [0], 0, 1, lambda *_: 1)

        def wrong_tile(x: "f32[n]", y: "out f32[n]"):
            carousel.accumulate(x, y, [0], first=True)

        def wrong_memory(x: "f32[n]", y: "out f32[n]"):
            carousel.accumulate(carousel.shared(64, F32), x, [0], first=True)

        for function, message in (
            (read_only, "serialize: expected counters of i32 that the kernel may write, got memref<.xi32"),
            (wrong_element, "serialize: expected counters of i32 that the kernel may write, got memref<.xf32"),
            (wrong_places, "serialize: expected a place for each of 2 dimensions of turns, got 1"),
            (wrong_result, "serialize: expected functions that return values of the kernel, got 1"),
            (wrong_tile, r"accumulate: expected a tile of carousel.shared, got memref<.xf32"),
            (wrong_memory, "accumulate: expected an argument with 'inout', or a workspace, to add to, got memref"),
        ):
            with self.subTest(function=function.__name__):
                self.refuse(message, function)

    def test_signals(self):
        def wait(counters: "inout symmetric i64[n]", y: "out i32[1]", round: "i64"):
            carousel.signal(counters, [0], 1, add=True)
            reached = carousel.wait_signal(counters, [0], round, timeout=1000)
            carousel.wait_signal(counters, [1], 5)
            y[0] = reached.to("i32")

        text = trace(wait).mlir
        self.assertIn('"counters", inout>, carousel.symmetric}', text)
        self.assertIn("carousel.signal %counters[%c0] add %c1 : memref<?xi64", text)
        self.assertRegex(text, r"%reached = carousel.wait_signal %counters\[%c0\] at_least %round timeout %c1000 : .* -> i1")
        self.assertIn("carousel.wait_signal %counters[%c1_1] at_least %c5 : memref<?xi64", text)
        carousel.transform(text, "builtin.module()")

    def test_wrong_signals(self):
        def of_this_gpu(counters: "inout i64[n]"):
            carousel.signal(counters, [0], 1)

        def wrong_value(counters: "inout peer i64[n]", value: "i32"):
            carousel.signal(counters, [0], value)

        def wrong_counters(counters: "inout peer f32[n]"):
            carousel.wait_signal(counters, [0], 1)

        def shared_workspace(counters: "workspace peer i32[1]"):
            pass

        with self.assertRaisesRegex(carousel.CompileError, "expected counters in an argument with carousel.symmetric"):
            carousel.compile(trace(of_this_gpu), chips="sm_90a")
        self.refuse("signal: expected a value of the counters' type i64, got i32", wrong_value)
        self.refuse("wait_signal: expected counters of i32 or i64 that the kernel may write, got memref<.xf32", wrong_counters)
        self.refuse("counters: expected a workspace in this GPU's memory, got a peer one", shared_workspace)


if __name__ == "__main__":
    unittest.main()
