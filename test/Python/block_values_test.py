# ===- block_values_test.py - parts, integers and numbers of kernels ----------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs kernels that replace parts of vectors and compute with integers, and tests which numbers of Python and of NumPy a
type takes: in kernels, simulations and launches."""

import array
import importlib.util
import math
import unittest

import carousel
from carousel._numbers import FLOATS, holds


def trace(function, **options):
    return carousel.kernel(**{"grid": 1, "block": 64, **options})(function)


def use(number, dtype="f32"):
    """A kernel with the number."""
    def kernel(y: f"out {dtype}[n]"):
        y[0:64] = carousel.full(64, number, dtype)

    return trace(kernel)


def shape(values, *extents):
    """The same memory with two dimensions."""
    return memoryview(values).cast("B").cast(values.typecode, extents)


class ValuesTest(unittest.TestCase):
    def refuse(self, message, function, **options):
        with self.subTest(message=message), self.assertRaisesRegex(carousel.TraceError, message):
            trace(function, **options)

    def run_kernel(self, function, arguments):
        for is_lowered in (False, True):
            carousel.simulate(trace(function), arguments, lower=is_lowered).check()

    def test_means_and_places(self):
        def kernel(x: "f32[8, 64]", y: "out f32[8]", z: "out f32[4]", places: "out i32[8]", others: "out i32[8, 64]"):
            v = x[:, :]
            y[0:8] = v.mean(1)
            z[0] = v[0, :].mean()
            z[1] = v.mean(keepdims=True)[0, 0]
            places[0:8] = v.argmax(1)
            w = x[0:4, 0:4].to("i32")
            others[0, 0], others[0, 1], others[0, 2] = w.argmax(), w.argmin(), v.argmax()
            others[1, 0:4] = w.argmin(0)
            others[2, 0:4] = w.argmax(-1)
            z[2:4] = carousel.sigmoid(x[0, 0:2])

        rows = [[float((37 * i + 11 * row) % 64) for i in range(64)] for row in range(8)]
        rows[3] = [5.0] * 64
        rows[5][7] = rows[5][50] = math.nan
        x = array.array("f", [number for row in rows for number in row])
        y, z = array.array("f", [0] * 8), array.array("f", [0] * 4)
        places, others = array.array("i", [0] * 8), array.array("i", [0] * 512)
        self.run_kernel(kernel, {"x": shape(x, 8, 64), "y": y, "z": z, "places": places, "others": shape(others, 8, 64)})
        for row, number in enumerate(rows):
            self.assertEqual(places[row], 7 if row == 5 else number.index(max(number)), row)
            self.assertTrue(math.isnan(y[row]) if row == 5 else abs(y[row] - sum(number) / 64) < 1e-4, row)
        self.assertAlmostEqual(z[0], sum(rows[0]) / 64, places=4)
        self.assertTrue(math.isnan(z[1]))
        for at in range(2):
            self.assertAlmostEqual(z[2 + at], 1 / (1 + math.exp(-rows[0][at])), places=6)
        corner = [[int(rows[row][column]) for column in range(4)] for row in range(4)]
        flat = [number for row in corner for number in row]
        self.assertEqual(list(others[:3]), [flat.index(max(flat)), flat.index(min(flat)), 5 * 64 + 7])
        self.assertEqual(list(others[64:68]), [column.index(min(column)) for column in map(list, zip(*corner))])
        self.assertEqual(list(others[128:132]), [row.index(max(row)) for row in corner])

        def of_integers(x: "i32[n]", y: "out i32[n]"):
            y[0] = x[0:64].mean()

        self.refuse("mean: expected floats, got vector<64xi32>", of_integers)

    def test_names_that_are_missing(self):
        """The error says what there is; Python and NumPy may still ask for what they like."""
        def of_value(x: "f32[n]", y: "out f32[n]"):
            y[0:64] = x[0:64].cummax()

        def of_memory(x: "f32[n]", y: "out f32[n]"):
            y[0:64] = x.load()

        def of_module(x: "f32[n]", y: "out f32[n]"):
            y[0:64] = carousel.softmax(x[0:64])

        self.refuse("Value: expected one of T, all, any, argmax, .*, max, mean, .*, got 'cummax'", of_value)
        self.refuse("Argument: expected one of .*rows.*, got 'load'", of_memory)
        def of_bytes(x: "u8[n]", y: "out f32[n]"):
            y[0:64] = x[0:64].to("f32")

        self.refuse(r"got 'u8\[n\]'; use 'i8', and unsigned=True", of_bytes)
        with self.assertRaisesRegex(AttributeError, "no attribute 'softmax'; it has abs, .*sigmoid.*zeros"):
            trace(of_module)
        with self.assertRaisesRegex(AttributeError, "got 'cummax'"):
            trace(of_value)

    def test_scans(self):
        """Along an axis, in both directions, of several values."""
        def scan(x: "f32[8, 64]", sums: "out f32[8, 64]", others: "out f32[8, 64]", h: "out f32[8, 64]", last: "out f32[8]"):
            v = x[:, :]
            sums[:, :] = v.cumsum(1, start=carousel.full(8, 2.0, "f32"))
            others[:, :] = (v * 0.5).cumprod(0, exclusive=True, reverse=True)
            decay = carousel.full((8, 64), 0.5, "f32")
            (_, states), (_, total) = carousel.associative_scan(lambda a, s, b, t: (a * b, b * s + t), (decay, v), (1.0, 0.0), axis=-1)
            h[:, :] = states
            last[0:8] = total

        x = array.array("f", [float(number % 5) - 1.5 for number in range(512)])
        made = {name: array.array("f", bytes(2048)) for name in ("sums", "others", "h")}
        last = array.array("f", bytes(32))
        self.run_kernel(scan, {"x": shape(x, 8, 64), **{name: shape(values, 8, 64) for name, values in made.items()}, "last": last})
        for row in range(8):
            total, state = 2.0, 0.0
            for column in range(64):
                own = x[64 * row + column]
                total, state = total + own, 0.5 * state + own
                product = math.prod(0.5 * x[64 * below + column] for below in range(row + 1, 8))
                for name, want in (("sums", total), ("h", state), ("others", product)):
                    self.assertAlmostEqual(made[name][64 * row + column], want, places=3)
            self.assertAlmostEqual(last[row], state, places=4)

        def without_axis(x: "f32[4, 8]", y: "out f32[4, 8]"):
            y[0:4, 0:8] = x[0:4, 0:8].cumsum()

        def of_few(x: "f32[8]", y: "out f32[8]"):
            y[0:8] = carousel.associative_scan(lambda a, b: a < b, x[0:8], 0.0)[0]

        def of_others(x: "f32[8]", y: "out f32[8]"):
            y[0:8] = carousel.associative_scan(lambda a, s, b, t: (a, s), (x[0:8], x[0:4]), (0.0, 0.0))[0]

        self.refuse("associative_scan: expected an axis of vector<4x8xf32>, got None", without_axis)
        self.refuse("associative_scan: expected a function that returns f32, got i1", of_few)
        self.refuse("associative_scan: expected vectors of one shape, got vector<8xf32>, vector<4xf32>", of_others)

    def test_sorts(self):
        """In both directions, with others that follow, and the first elements alone."""
        def order(x: "f32[8, 60]", y: "out f32[8, 60]", places: "out i32[8, 60]", z: "out i32[8, 60]", top: "out f32[8, 5]",
                  at: "out i32[8, 5]"):
            v = x[:, :]
            values, numbers, others = carousel.sort(v, carousel.iota(60).to("i32") + carousel.zeros((8, 60), "i32"), axis=1)
            y[:, :], places[:, :], z[:, :] = values, numbers, others
            top[:, :], at[:, :] = carousel.top_k(v, 5, axis=1)

        nan = float("nan")
        x = array.array("f", [nan if number % 17 == 3 else -0.0 if number % 7 == 0 else float(number * 37 % 23) - 9 for number in range(480)])
        floats = {name: array.array("f", bytes(4 * 8 * width)) for name, width in (("y", 60), ("top", 5))}
        numbers = {name: array.array("i", bytes(4 * 8 * width)) for name, width in (("places", 60), ("z", 60), ("at", 5))}
        widths = {"y": 60, "top": 5, "places": 60, "z": 60, "at": 5}
        self.run_kernel(order, {"x": shape(x, 8, 60), **{name: shape(values, 8, widths[name])
                                                         for name, values in (floats | numbers).items()}})
        for row in range(8):
            own = x[60 * row:60 * row + 60]
            rises = sorted(range(60), key=lambda place: (math.isnan(own[place]), own[place] if own[place] == own[place] else 0))
            falls = sorted(range(60), key=lambda place: (not math.isnan(own[place]), -own[place] if own[place] == own[place] else 0))
            self.assertEqual(list(numbers["places"][60 * row:60 * row + 60]), rises)
            self.assertEqual(list(numbers["z"][60 * row:60 * row + 60]), rises)
            self.assertEqual(list(numbers["at"][5 * row:5 * row + 5]), falls[:5])
            for name, width, places in (("y", 60, rises), ("top", 5, falls)):
                self.assertEqual([repr(value) for value in floats[name][width * row:width * row + width]],
                                 [repr(own[place]) for place in places[:width]])

        def without_axis(x: "f32[4, 8]", y: "out f32[4, 8]"):
            y[:, :] = carousel.sort(x[:, :])[0]

        def of_more(x: "f32[8]", y: "out f32[8]"):
            y[0:8] = carousel.top_k(x[0:8], 9)[0]

        self.refuse("sort: expected an axis of vector<4x8xf32>, got None", without_axis)
        self.refuse("sort: expected 1 to 8 first elements, got 9", of_more)

    def test_parts_are_set(self):
        def change(x: "f32[8, 64]", y: "out f32[8, 64]", at: "index"):
            v = x[:, :]
            v = v.at[2:4, 0:32].set(v[0:2, 32:64])
            v = v.at[5].set(carousel.full(64, 7.0, "f32"))
            v = v.at[6, 3].set(9.0)
            v = v.at[7, 0:16].set(5.0)
            v = v.at[at].set(x[0, :] + 1.0)
            y[:, :] = v.at[at + 1, 2].set(-1.0)

        x = array.array("f", range(512))
        y = array.array("f", [0] * 512)
        self.run_kernel(change, {"x": shape(x, 8, 64), "y": shape(y, 8, 64), "at": 0})
        want = [list(x[64 * i:64 * i + 64]) for i in range(8)]
        want[2][:32], want[3][:32] = want[0][32:], want[1][32:]
        want[5], want[6][3] = [7.0] * 64, 9.0
        want[7][:16] = [5.0] * 16
        want[0] = [value + 1 for value in want[0]]
        want[1][2] = -1.0
        self.assertEqual(list(y), sum(want, []))

    def test_wrong_parts(self):
        def wrong_extents(x: "f32[64]", y: "out f32[64]"):
            y[:] = x[:].at[0:8].set(x[0:16])

        def wrong_type(x: "f32[64]", y: "out f32[64]"):
            y[:] = x[:].at[0:8].set(x[0:8].to("f64"))

        def outside(x: "f32[64]", y: "out f32[64]"):
            y[:] = x[:].at[64].set(0.0)

        def part_of_a_number(x: "f32[64]", y: "out f32[64]"):
            y[0] = x[0].at[0].set(0.0)

        def too_many(x: "f32[64]", y: "out f32[64]"):
            y[:] = x[:].at[0, 0].set(0.0)

        def slice_after_a_value(x: "f32[8, 64]", y: "out f32[8, 64]", i: "index"):
            y[:, :] = x[:, :].at[i, 0:4].set(0.0)

        self.refuse(r"at: expected vector<8xf32> for this part, got vector<16xf32>", wrong_extents)
        self.refuse("at: expected vector<8xf32> for this part, got vector<8xf64>", wrong_type)
        self.refuse("expected an index of 64 elements, got 64", outside)
        self.refuse("at: expected a vector to set a part of, got f32", part_of_a_number)
        self.refuse("expected at most 1 indices of vector<64xf32>, got 2", too_many)
        self.refuse("at: expected whole rows at a place that the kernel computes, got slices after it", slice_after_a_value)

    def test_integers_with_and_without_a_sign(self):
        def compute(x: "i32[64]", y: "out i32[12, 64]"):
            v = x[:]
            low, high = carousel.multiply_extended(v, 0xD2511F53, unsigned=True)
            signed_low, signed_high = carousel.multiply_extended(v, -5)
            rows = (carousel.divide(v, 7), carousel.divide(v, 7, unsigned=True), carousel.remainder(v, 7),
                    carousel.remainder(v, 7, unsigned=True), carousel.shift_right(v, 3, unsigned=True), v >> 3, low, high,
                    signed_low, signed_high, carousel.greater(v, 5, unsigned=True).to("i32"),
                    carousel.floor_divide(v, 7))
            for i, row in enumerate(rows):
                y[i, :] = row

        values = [-100, -7, -1, 0, 1, 6, 7, 100, 2**31 - 1, -(2**31)] + [3] * 54
        y = array.array("i", [0] * 12 * 64)
        self.run_kernel(compute, {"x": array.array("i", values), "y": shape(y, 12, 64)})

        def wrap(value):
            return (value + 2**31) % 2**32 - 2**31

        for column, v in enumerate(values):
            u = v % 2**32
            want = (int(math.trunc(v / 7)), wrap(u // 7), v - 7 * int(math.trunc(v / 7)), u % 7, wrap(u >> 3), v >> 3,
                    wrap(u * 0xD2511F53), wrap(u * 0xD2511F53 >> 32), wrap(v * -5), wrap(v * -5 >> 32), int(u > 5), v // 7)
            self.assertEqual(tuple(y[64 * row + column] for row in range(12)), want, v)

    def test_indices_are_divided_downwards(self):
        def compute(y: "out i64[2]", i: "index"):
            y[0] = carousel.floor_divide(i - 5, 4).to("i64")
            y[1] = carousel.floor_divide(i - 5, i + 1).to("i64")

        y = array.array("q", [0, 0])
        self.run_kernel(compute, {"y": y, "i": 2})
        self.assertEqual(list(y), [-1, -1])

    def test_extrema_without_a_sign(self):
        def compute(x: "i32[64]", y: "out i32[2]"):
            y[0], y[1] = x[:].max(unsigned=True), x[:].min(unsigned=True, start=2)

        y = array.array("i", [0, 0])
        self.run_kernel(compute, {"x": array.array("i", [5, -1, 7] + [9] * 61), "y": y})
        self.assertEqual(list(y), [-1, 2])

    def test_reductions_and_pairs(self):
        def compute(x: "i32[64]", y: "out i32[4]", z: "out i32[64]"):
            v = x[:]
            y[0], y[1], y[2] = v.prod(), (v > 0).all().to("i32"), (v > 2).any().to("i32")
            y[3] = (v > 3).any().to("i32")
            even, odd = carousel.deinterleave(v)
            z[0:32], z[32:64] = even, odd

        y, z = array.array("i", [0] * 4), array.array("i", [0] * 64)
        x = array.array("i", [1, 2, 3, 1] + [1] * 60)
        self.run_kernel(compute, {"x": x, "y": y, "z": z})
        self.assertEqual(list(y), [6, 1, 1, 0])
        self.assertEqual(list(z), list(x[::2] + x[1::2]))

    def test_operators_of_python(self):
        def compute(x: "f32[64]", y: "out f32[4, 64]", flags: "out i32[64]"):
            v = x[:]
            y[0, :], y[1, :], y[2, :], y[3, :] = abs(v), v ** 2, v ** 5, v ** 1
            flags[:] = ~v.to("i32") + (~(v > 0.0)).to("i32")

        def multiply(a: "bf16[16, 16]", b: "bf16[16, 16]", c: "out f32[16, 16]"):
            c[:, :] = a[:, :] @ b[:, :]

        def multiply_by_name(a: "bf16[16, 16]", b: "bf16[16, 16]", c: "out f32[16, 16]"):
            c[:, :] = carousel.dot(a[:, :], b[:, :])

        x = array.array("f", [-2, -1, 0, 1, 2, 3] + [1] * 58)
        y, flags = array.array("f", [0] * 256), array.array("i", [0] * 64)
        self.run_kernel(compute, {"x": x, "y": shape(y, 4, 64), "flags": flags})
        self.assertEqual(list(y), [abs(v) for v in x] + [v**2 for v in x] + [v**5 for v in x] + list(x))
        self.assertEqual(list(flags), [~int(v) + (not v > 0) for v in x])
        self.assertEqual(trace(multiply).mlir, trace(multiply_by_name).mlir.replace("_by_name", ""))

    def test_what_python_and_numpy_cannot_do(self):
        def use_math(x: "f32[64]", y: "out f32[64]"):
            y[0] = math.exp(x[0])

        def use_max(x: "f32[64]", y: "out f32[64]"):
            y[0] = max(x[0], 0.0)

        def use_power(x: "f32[64]", y: "out f32[64]"):
            y[0] = x[0] ** 0.5

        def no_conversion(x: "bf16[64]", y: "out f32[64]"):
            y[:] = x[:]

        def name_of_numpy(x: "float32[64]", y: "out f32[64]"):
            y[:] = x[:]

        def name_of_torch(x: "f32[64]", y: "out bf16[64]"):
            y[:] = x[:].to("bfloat16")

        self.refuse("expected a number that Python knows, got one that the kernel computes; use a function of carousel", use_math)
        self.refuse("& [|] ~ and carousel.maximum take the place of and, or, not and max", use_max)
        self.refuse("expected an exponent that is an integer from 1 on, got 0.5; use carousel.exp2 and log2", use_power)
        self.refuse(r"y: expected vector<64xf32> for this slice, got vector<64xbf16>; convert it with .to\('f32'\)", no_conversion)
        self.refuse("got 'float32.64.'; use 'f32'", name_of_numpy)
        self.refuse("got 'bfloat16'; use 'bf16'", name_of_torch)
        with self.assertRaisesRegex(carousel.TraceError, "kernel: expected a grid, as in @carousel.kernel.grid="):
            carousel.kernel(use_max)
        if not importlib.util.find_spec("numpy"):
            return
        import numpy

        def use_numpy(x: "f32[64]", y: "out f32[64]"):
            y[:] = numpy.exp(x[:])

        def make_array(x: "f32[64]", y: "out f32[64]"):
            numpy.array(x[:])

        def operators(x: "f32[64]", y: "out f32[64]"):
            y[:] = numpy.float32(2) * x[:] - (numpy.float32(1) < x[:]).to("f32")

        def plain(x: "f32[64]", y: "out f32[64]"):
            y[:] = 2.0 * x[:] - (1.0 < x[:]).to("f32")

        self.refuse("expected functions of carousel for values of the kernel, got numpy.exp", use_numpy)
        self.refuse("expected functions of carousel for values of the kernel, got one that makes an array", make_array)
        y, z = (array.array("f", [0] * 64) for _ in range(2))
        for function, result in ((operators, y), (plain, z)):
            carousel.simulate(trace(function), {"x": array.array("f", range(64)), "y": result}).check()
        self.assertEqual(y, z)

    def test_wrong_integers(self):
        def floats(x: "f32[64]", y: "out f32[64]"):
            y[:] = carousel.multiply_extended(x[:], x[:])[0]

        def shift(x: "f32[64]", y: "out f32[64]"):
            y[:] = carousel.shift_right(x[:], 1.0)

        def no_condition(x: "f32[64]", y: "out f32[64]"):
            y[0] = carousel.where(x[:].any(), 1.0, 0.0)

        def odd(x: "f32[64]", y: "out f32[64]"):
            y[0:3] = carousel.deinterleave(x[0:7])[0]

        self.refuse("any: expected conditions of i1, got vector<64xf32>", no_condition)
        self.refuse("deinterleave: expected a vector with an even number of elements in the last dimension, got vector<7xf32>", odd)
        self.refuse("multiply_extended: expected integers of i8 to i64, got vector<64xf32>", floats)
        self.refuse("expected operands that shr takes, got vector<64xf32>", shift)

    def test_layouts_strides_and_bounds(self):
        def copy(x: "bf16[m, n, 64] strides[?, 64, 1]", y: "out bf16[m, n, 64]"):
            i = carousel.program_id()
            laid_out = x.in_bounds().with_layout(register=[[0, 1]], lane=[[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp=[[1, 0]])
            y[i, 0:2, :] = laid_out[i, 0:2, :]

        text = trace(copy).mlir
        self.assertIn("%x: memref<?x?x64xbf16, strided<[?, 64, 1], offset: ?>, #gpu.address_space<global>>", text)
        self.assertIn("{in_bounds = [true, true], carousel.layout = #carousel.layout<register = [[0, 1]], lane = [[0, 2]", text)
        carousel.transform(text, "builtin.module()")

        def wrong_rank(x: "f32[m, n] strides[1]"):
            pass

        def wrong_stride(x: "f32[m, n] strides[k, 1]"):
            pass

        def contiguous(x: "contiguous f32[m, n] strides[?, 1]"):
            pass

        def wrong_layout(x: "f32[m, n]", y: "out f32[m, n]"):
            y[0, 0:64] = x.with_layout(register=[1], lane=[], warp=[])[0, 0:64]

        self.refuse(r"x: expected a number or \? as the stride of each of 2 dimensions, got '1'", wrong_rank)
        self.refuse(r"x: expected a number or \? as the stride of each of 2 dimensions, got 'k, 1'", wrong_stride)
        self.refuse("x: expected strides of an argument that isn't contiguous", contiguous)
        self.refuse("with_layout: expected lists of coordinates as register", wrong_layout)


class NumbersTest(unittest.TestCase):
    def test_what_types_hold(self):
        for element, number, want in (
            ("f32", 0.1, False), ("f32", 0.5, True), ("f32", 2**24 + 1, False), ("f32", 2.0**-149, True), ("f32", 2.0**-150, False),
            ("f64", 0.1, True), ("f64", 2**53 + 1, False), ("f16", 65504.0, True), ("f16", 65505.0, False), ("bf16", 1.0 + 2**-7, True),
            ("bf16", 1.0 + 2**-8, False), ("f8E4M3FN", 448.0, True), ("f8E4M3FN", math.inf, False), ("f8E5M2", math.inf, True),
            ("f16", math.nan, True), ("f32", 0.0, True),
        ):
            with self.subTest(element=element, number=number):
                self.assertEqual(holds(element, number), want)
        self.assertEqual(FLOATS["f32"].most, 3.4028234663852886e38)

    def test_numbers_of_python(self):
        for number, dtype, spelt in ((0.1, "f32", "0.1"), (3.4028235e38, "f32", "3.4028235e+38"), (-math.inf, "bf16", "0xFF80"),
                                     (math.nan, "f8E4M3FN", "0x7F"), (-math.inf, "f8E5M2", "0xFC"), (0xFFFFFFFF, "i32", "4294967295"),
                                     (True, "i1", "true")):
            with self.subTest(number=number, dtype=dtype):
                text = use(number, dtype).mlir
                self.assertIn(f"dense<{spelt}>", text)
                carousel.transform(text, "builtin.module()")
        for number, dtype, message in (
            (1e39, "f32", "expected a number that f32 can hold, got 1e[+]39"), (1 << 32, "i32", "expected a number that i32 can hold"),
            (-129, "i8", "expected a number that i8 can hold, got -129"), (1.5, "i32", "expected an integer for i32, got float 1.5"),
            (math.inf, "f8E4M3FN", "expected a number that f8E4M3FN can hold, got inf"),
            (10**400, "f64", "expected a number that f64 can hold, got an integer of 1329 bits"),
            (2, "i1", "expected a number that i1 can hold, got 2"), ("1", "f32", "expected a value of the kernel or a number, got str"),
            (1j, "f32", "expected a value of the kernel or a number, got complex"),
        ):
            with self.subTest(number=number, dtype=dtype), self.assertRaisesRegex(carousel.TraceError, message):
                use(number, dtype)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy isn't installed")
    def test_numbers_of_numpy(self):
        import numpy

        for number, dtype in ((numpy.float32(0.1), "f32"), (numpy.float32(0.1), "f64"), (numpy.float64(0.5), "bf16"),
                              (numpy.int64(5), "i32"), (numpy.int64(5), "f32"), (numpy.bool_(True), "i1"), (numpy.uint8(200), "i8"),
                              (numpy.array(3, numpy.int32), "index")):
            with self.subTest(number=number, dtype=dtype):
                self.assertEqual(use(number, dtype).mlir, use(number.item(), dtype).mlir)
        for number, dtype, message in (
            (numpy.float32(0.1), "bf16", "expected a number that bf16 holds exactly, got the float32 0.1.*convert it with float"),
            (numpy.float64(0.1), "f32", "expected a number that f32 holds exactly, got the float64 0.1"),
            (numpy.int64(2**40), "i32", "expected a number that i32 can hold, got 1099511627776"),
            (numpy.int32(2**24 + 1), "f32", "expected a number that f32 holds exactly, got the int32 16777217; convert it with int"),
            (numpy.float32(3), "i32", "expected an integer for i32, got float32 3.0"),
            (numpy.zeros(1), "f32", "expected a value of the kernel or a number, got ndarray"),
            (numpy.datetime64(5, "ns"), "i64", "expected a value of the kernel or a number, got datetime64"),
            (numpy.complex64(1), "f32", "expected a value of the kernel or a number, got complex64"),
        ):
            with self.subTest(number=number, dtype=dtype), self.assertRaisesRegex(carousel.TraceError, message):
                use(number, dtype)

    def test_numbers_of_simulations(self):
        def scale(a: "f32", n: "i32", y: "out f32[1]"):
            y[0] = a + n.to("f32")

        kernel, y = trace(scale), array.array("f", [0])

        def run(a, n):
            carousel.simulate(kernel, {"a": a, "n": n, "y": y}).check()
            return y[0]

        self.assertEqual(run(0.5, 2), 2.5)
        self.assertEqual(run(3, 2), 5.0)
        self.assertAlmostEqual(run(0.1, 0), 0.1, places=6)
        for a, n, message in ((1e39, 0, r"a: expected a number that f32 can hold, got 1e[+]39"), (0.0, 1.0, "n: expected an integer"),
                              (0.0, 1 << 40, "n: expected a number that i32 can hold"), (None, 0, "a: expected an array or a number")):
            with self.subTest(a=a, n=n), self.assertRaisesRegex(ValueError, message):
                run(a, n)
        if importlib.util.find_spec("numpy"):
            import numpy

            self.assertEqual(run(numpy.float32(3), numpy.int64(5)), 8.0)
            self.assertEqual(run(numpy.float64(0.5), numpy.int8(-1)), -0.5)
            self.assertEqual(run(numpy.int64(3), numpy.uint32(5)), 8.0)
            for a, n, message in (
                (numpy.float64(0.1), 0, "a: expected a number that f32 holds exactly, got 0.1"),
                (numpy.int64(2**24 + 1), 0, "a: expected a number that f32 holds exactly, got 16777217"),
                (0.0, numpy.float32(1), "n: expected an integer for i32"), (0.0, numpy.int64(1 << 40), "n: expected a number that i32"),
                (numpy.zeros(1, numpy.float32), 0, "a: expected a number for f32, got an array"),
                (numpy.datetime64(5, "ns"), 0, "a: expected elements of i1.* got datetime64"),
            ):
                with self.subTest(a=a, n=n), self.assertRaisesRegex(ValueError, message):
                    run(a, n)


if __name__ == "__main__":
    unittest.main()
