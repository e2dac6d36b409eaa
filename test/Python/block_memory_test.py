# ===- block_memory_test.py - tables, tickets, clusters, functions ----------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs kernels that Python traces at the block phase and lowered, and compares the results with those of Python."""

import array
import unittest

import carousel


def floats(values):
    return array.array("f", values)


def ints(values):
    return array.array("i", values)


def trace(function, **options):
    return carousel.kernel(**{"grid": "ceildiv(n, 64)", **options})(function)


@carousel.function
def twice(v):
    return v + v


@carousel.function
def store(y, i, v):
    y[i:i + 64] = v


@carousel.function
def scale(v, by):
    return v * by, v * (by + 1.0)


class MemoryTest(unittest.TestCase):
    def run_both(self, kernel, arguments, results):
        """At the block phase and lowered."""
        for lower in (False, True):
            fresh = {name: array.array(value.typecode, value) if isinstance(value, array.array) else value
                     for name, value in arguments.items()}
            carousel.simulate(kernel, fresh, lower=lower, schedules=5).check()
            for name, wanted in results.items():
                with self.subTest(lower=lower, name=name):
                    self.assertEqual(list(fresh[name]), list(wanted))

    def refuse(self, message, function, **options):
        with self.subTest(message=message), self.assertRaisesRegex(carousel.TraceError, message):
            trace(function, **options)

    def test_rows_of_a_table(self):
        def copy(x: "f32[rows, 64]", table: "i32[n]", y: "out f32[m, 64]", z: "inout f32[others, 64]"):
            i = carousel.program_id() * 64
            own = x.rows(table)[i:i + 64, :64]
            y[i:i + 64, :64] = own
            z.rows(table)[i:i + 64, :64] = own * 2.0

        width = 64
        matrix = memoryview(floats(range(8 * width))).cast("B").cast("f", (8, width))
        table, y, z = ints([3, 1, -1, 7]), floats([0] * 4 * width), floats([5] * 8 * width)
        shaped = {"x": matrix, "table": table, "y": memoryview(y).cast("B").cast("f", (4, width)),
                  "z": memoryview(z).cast("B").cast("f", (8, width))}
        for lower in (False, True):
            z[:] = floats([5] * 8 * width)
            carousel.simulate(trace(copy), shaped, lower=lower).check()
            for row, number in enumerate(table):
                wanted = [float(number * width + column) if number >= 0 else 0.0 for column in range(width)]
                self.assertEqual(list(y[row * width:(row + 1) * width]), wanted)
            self.assertEqual(z[7 * width + 1], 2 * (7 * width + 1))
            self.assertEqual(z[0], 5.0)

    def test_bad_tables_are_named(self):
        def add(pool: "f32[pages, 64]", table: "i32[sequences, most]", lengths: "i32[sequences]", offsets: "i32[entries]",
                y: "inout f32[m, 64]"):
            b = carousel.program_id()
            begin, end = offsets[b], offsets[b + 1]
            carousel.device_assert(begin <= end, "expected offsets that ascend")
            length = lengths[b].to("index")
            pages, total = pool.rows(table.row(b).first(length)), carousel.zeros((64,), "f32")
            for i in carousel.range(0, length, 4):
                total = total + pages[i:i + 4, 0:64].sum(axis=0)
            for i in carousel.range(begin.to("index"), end.to("index")):
                y.first(end.to("index"), None)[i, 0:64] = total

        kernel = trace(add, grid="sequences", block=64)

        def simulate(table=(3, 1, -1, 7, 0, 2), lengths=(3, 2), offsets=(0, 1, 3), **options):
            def shape(values, *extents):
                return memoryview(values).cast("B").cast(values.typecode, extents)

            y = floats([0] * 4 * 64)
            simulation = carousel.simulate(kernel, {
                "pool": shape(floats([1] * 8 * 64), 8, 64), "table": shape(ints(table), 2, 3), "lengths": ints(lengths),
                "offsets": ints(offsets), "y": shape(y, 4, 64)}, **options)
            return [finding.message for finding in simulation.findings], [y[64 * i] for i in range(4)]

        checks = {"debug_assertions": True}
        row, view = "expected the number of a row of 'pool', or -1 for none, got ", "expected a view that ends inside of dimension "
        for options in ({}, checks, {"lower": True, **checks}):
            with self.subTest(options=options):
                self.assertEqual(simulate(**options), ([], [2.0, 2.0, 2.0, 0.0]))
                if "lower" not in options:
                    self.assertIn("expected offsets that ascend, got 3 > 2", simulate(offsets=(0, 3, 2), **options)[0])
        for bad, message in (({"table": (3, 1, 8, 7, 0, 2)}, row + "8 >= 8"), ({"table": (3, 1, -2, 7, 0, 2)}, row + "-2 < -1"),
                             ({"lengths": (3, 4)}, view + "0 of 'table', got 4 > 3"),
                             ({"lengths": (-1, 2)}, view + "0 of 'table', got -1 < 0"),
                             ({"offsets": (0, 1, 5)}, view + "0 of 'y', got 5 > 4"),
                             ({"offsets": (0, 3, 2)}, "expected offsets that ascend, got 3 > 2")):
            for options in (checks, {"lower": True, **checks}):
                with self.subTest(bad=bad, options=options):
                    self.assertIn(message, simulate(**bad, **options)[0])
        # The numbers of a table are any without the checks: a row that doesn't exist is zeros.
        self.assertEqual(simulate(table=(3, 1, 9, 7, -9, 2)), ([], [2.0, 1.0, 1.0, 0.0]))

    def test_rows_add_atomically(self):
        def add(x: "f32[n, 64]", table: "i32[n]", y: "inout f32[m, 64]"):
            i = carousel.program_id() * 64
            y.rows(table, add=True)[i:i + 64, :64] = x[i:i + 64, :64]

        y = floats([1] * 2 * 64)
        arguments = {"x": memoryview(floats([1] * 128 * 64)).cast("B").cast("f", (128, 64)), "table": ints([0] * 100 + [1] * 28),
                     "y": memoryview(y).cast("B").cast("f", (2, 64))}
        carousel.simulate(trace(add), arguments, lower=True, schedules=5).check()
        self.assertEqual((y[0], y[64]), (101.0, 29.0))

    def test_elements_add_atomically(self):
        table = ints([0] * 100 + [1] * 26 + [-1, 4])
        for dtype, code, one, start in (("f32", "f", 1.0, 0.5), ("i32", "i", 1, -50), ("i64", "q", 1, -2**40)):
            def count(table: "i32[n]", bins: f"inout {dtype}[b]"):
                i = carousel.program_id() * 64
                bins.rows(table, add=True)[i:i + 64] = carousel.full((64,), one, dtype)  # noqa: B023 - traced in this round

            bins = array.array(code, [start] * 4)
            self.run_both(trace(count), {"table": table, "bins": bins}, {"bins": [start + 100, start + 26, start, start]})

    def test_rows_keep_extremes(self):
        table, values = ints([i % 3 for i in range(120)] + [-1, 4]), [(37 * i) % 101 - 50 for i in range(122)]
        for dtype, code in (("i32", "i"), ("i64", "q")):
            for kind, choose in (("max", max), ("min", min)):
                def extremes(table: "i32[n]", x: f"{dtype}[n]", bins: f"inout {dtype}[b]"):
                    i = carousel.program_id() * 64
                    bins.rows(table, **{kind: True})[i:i + 64] = x[i:i + 64]  # noqa: B023 - traced in this round

                bins = array.array(code, [0] * 4)
                self.run_both(trace(extremes), {"table": table, "x": array.array(code, values), "bins": bins},
                              {"bins": [*(choose(0, *values[first:120:3]) for first in range(3)), 0]})

        def rows(table: "i32[n]", x: "i32[n, 64]", y: "inout i32[b, 64]"):
            i = carousel.program_id() * 64
            y.rows(table, max=True)[i:i + 64, :64] = x[i:i + 64, :64]

        for lower in (False, True):
            x, y = ints(range(-640, 1280)), ints([0] * 128)
            shaped = {name: memoryview(each).cast("B").cast("i", (len(each) // 64, 64)) for name, each in (("x", x), ("y", y))}
            carousel.simulate(trace(rows), {"table": ints([0, 1] * 15), **shaped}, lower=lower).check()
            self.assertEqual(y.tolist(), [*range(28 * 64 - 640, 30 * 64 - 640)])

    def test_gathers_and_scatters(self):
        def reverse(x: "f32[n]", y: "out f32[m]", z: "inout f32[l]"):
            i = carousel.program_id() * 64
            last = x.shape[0] - 1
            own = carousel.iota(64) + i
            places, seen = last - own, carousel.mask(64, x.shape[0] - i)
            v = carousel.gather(x, [0], places, where=seen, other=-1.0)
            y[i:i + 64] = v
            carousel.scatter(z, [0], places, v, where=seen)

        x = floats(range(100))
        self.run_both(trace(reverse), {"x": x, "y": floats([0] * 100), "z": floats([0] * 100)},
                      {"y": x[::-1], "z": x})

    def test_indices_beyond_a_tensor(self):
        """Slices end there. An index that is none is an access out of bounds."""
        def sums_of_slices(x: "f32[n, 8]", y: "out f32[m]"):
            i = carousel.program_id()
            y[i] = x[i:i + 1, 0:16].sum()

        def sums(x: "f32[n, 8]", y: "out f32[m]"):
            i = carousel.program_id()
            y[i] = x[i, 0:16].sum()

        x = memoryview(floats([1] * 24)).cast("B").cast("f", (3, 8))
        def after(x: "f32[n, 8]", y: "out f32[m]"):
            y[0] = x[0, 8]

        def before(x: "f32[n, 8]", y: "out f32[m]"):
            y[0] = x[-1, 0]

        def view(x: "f32[2, 8]", table: "i32[n]", y: "out f32[m]"):
            y[0:8] = x.rows(table)[5, 0:8]

        for function, message in ((after, "x: expected an index from 0 to 7 in dimension 1, got 8; slices may end beyond"),
                                  (before, "x: expected an index from 0 on in dimension 0, got -1")):
            with self.assertRaisesRegex(carousel.TraceError, message):
                trace(function)
        trace(view)
        self.run_both(trace(sums_of_slices, grid=4), {"x": x, "y": floats([5] * 4)}, {"y": [8, 8, 8, 0]})
        for lower in (False, True):
            found = carousel.simulate(trace(sums, grid=4), {"x": x, "y": floats([5] * 4)}, lower=lower).findings
            self.assertEqual({finding.kind for finding in found}, {"out-of-bounds"})

    def test_booleans_in_memory(self):
        def choose(mask: "i1[n]", x: "f32[n]", y: "out f32[m]", above: "out i1[m]"):
            i = carousel.program_id() * 64
            own = x[i:i + 64]
            y[i:i + 64] = carousel.where(mask[i:i + 64], own, -1.0)
            above[i:i + 64] = own > 50.0

        kernel = trace(choose)
        mask = [i % 3 == 0 for i in range(100)]
        for lower in (False, True):
            y, above = floats([0.0] * 100), memoryview(bytearray(100)).cast("?")
            arguments = {"mask": memoryview(bytearray(mask)).cast("?"), "x": floats(range(100)), "y": y, "above": above}
            carousel.simulate(kernel, arguments, lower=lower).check()
            self.assertEqual(list(y), [i if is_set else -1 for i, is_set in enumerate(mask)])
            self.assertEqual(list(above), [i > 50 for i in range(100)])
        with self.assertRaisesRegex(carousel.InvalidArgumentError, "mask: expected elements of i1, got i8"):
            carousel.simulate(kernel, {**arguments, "mask": memoryview(bytearray(mask)).cast("b")})

    def test_tickets_and_workspaces(self):
        def last_one_adds(x: "f32[n]", total: "out f32[one]", parts: "workspace f32[ceildiv(n, 64)]",
                          tickets: "workspace i32[1]"):
            p, programs = carousel.program_id(), carousel.num_programs()
            i = p * 64
            parts[p] = x[i:i + 64].sum()
            ticket = carousel.draw_ticket(tickets, programs, is_ordered=True)

            def add():
                total[0] = parts[0:16].sum()

            carousel.cond(ticket + 1 == programs, add, lambda: None)

        kernel = trace(last_one_adds)
        self.assertIn("carousel.workspace = #carousel.workspace<[ceildiv(extent(0, 0), 64)]>", kernel.mlir)
        self.assertEqual(list(kernel.symbols), ["n", "one"])
        self.run_both(kernel, {"x": floats([1] * 640), "total": floats([0])}, {"total": [640.0]})
        package = carousel.compile(kernel, chips="sm_90a", cuda_root="", emit="ptx")
        self.assertEqual(len(package.manifest["kernels"][0]["arguments"]), 4)

    def test_first_elements(self):
        def fill(x: "f32[n]", count: "index", y: "inout f32[m]"):
            i = carousel.program_id() * 64
            y.first(count)[i:i + 64] = x[i:i + 64]

        self.run_both(trace(fill), {"x": floats(range(100)), "count": 70, "y": floats([-1] * 100)},
                      {"y": [*range(70), *[-1] * 30]})

    def test_row_of_matrix(self):
        def gather(x: "f32[n, 8, 4]", table: "i32[s, t]", count: "index", y: "out f32[16, 4]"):
            pages = x.rows(table.row(1).first(count))
            y[0:16, :] = pages[0:2, :, :].reshape(16, 4)

        y = floats([5] * 64)
        shaped = {"x": memoryview(floats(range(96))).cast("B").cast("f", (3, 8, 4)), "count": 1,
                  "table": memoryview(ints([0, 1, 2, 0])).cast("B").cast("i", (2, 2)),
                  "y": memoryview(y).cast("B").cast("f", (16, 4))}
        for lower in (False, True):
            y[:] = floats([5] * 64)
            carousel.simulate(trace(gather), shaped, lower=lower).check()
            self.assertEqual(list(y), [*range(64, 96), *[0] * 32])

    def test_clusters_share_tiles(self):
        def swap(x: "f32[n]", y: "out f32[m]"):
            rank = carousel.cluster_rank()
            i = carousel.program_id() * 64
            tile = carousel.shared(64, "f32")
            tile[:] = x[i:i + 64]
            carousel.cluster_barrier()
            v = tile.peer(1 - rank)[0:64]
            carousel.cluster_barrier()
            y[i:i + 64] = v

        self.run_both(trace(swap, cluster=2, block=64), {"x": floats(range(128)), "y": floats([0] * 128)},
                      {"y": [*range(64, 128), *range(64)]})

    def test_clusters_gather_numbers(self):
        def total(x: "f32[n]", y: "out f32[m]"):
            i = carousel.program_id() * 64
            parts = carousel.cluster_gather(x[i:i + 64].sum(), 2)
            y[carousel.program_id()] = parts.sum()

        self.run_both(trace(total, cluster=2), {"x": floats([1] * 64 + [2] * 64), "y": floats([0] * 2)}, {"y": [192, 192]})

    def test_functions_stay_functions(self):
        def kernel(x: "f32[n]", y: "out f32[m]", z: "out f32[l]"):
            i = carousel.program_id() * 64
            v = twice(twice(x[i:i + 64]))
            more, most = scale(v, 0.5)
            store(y, i, more)
            store(z, i, most)

        traced = trace(kernel)
        self.assertEqual(traced.mlir.count("func.func private @twice("), 1)
        self.assertEqual(traced.mlir.count("func.call @twice("), 2)
        self.assertEqual(traced.mlir.count("func.func private @store("), 1)
        self.assertIn("func.func private @scale(%v: vector<64xf32>) -> (vector<64xf32>, vector<64xf32>)", traced.mlir)
        x = floats(range(100))
        self.run_both(traced, {"x": x, "y": floats([0] * 100), "z": floats([0] * 100)},
                      {"y": [2 * v for v in x], "z": [6 * v for v in x]})

    def test_functions_of_several_kinds_have_several_names(self):
        def kernel(x: "f32[n]", y: "out f32[m]"):
            i = carousel.program_id() * 64
            y[i:i + 64] = twice(x[i:i + 64]) * twice(x[0])

        def twice_(x: "f32[n]", y: "out f32[m]"):
            i = carousel.program_id() * 64
            y[i:i + 64] = twice(x[i:i + 64])

        twice_.__name__ = "twice"
        first, second = trace(kernel, module="m"), trace(twice_, module="m")
        text = carousel.transform([first, second], "")
        for name in ("twice_1", "twice_2"):  # a kernel has the name itself
            self.assertEqual(text.count(f"func.func private @{name}("), 1)
        self.run_both(first, {"x": floats([3] * 64), "y": floats([0] * 64)}, {"y": [36.0] * 64})

    def test_parts_of_values(self):
        def parts(x: "f32[n]", y: "out f32[m]", z: "out f32[l]"):
            v = x[0:64].reshape(4, 16)
            y[0:16] = carousel.interleave(v[1, 8:], v[2][:8])
            z[0] = v[3, 15]
            z[1] = v[carousel.program_id() + 1, 0]

        x = floats(range(64))
        mixed = [value for pair in zip(x[24:32], x[32:40]) for value in pair]
        self.run_both(trace(parts, grid=1), {"x": x, "y": floats([0] * 16), "z": floats([0] * 2)}, {"y": mixed, "z": [63, 16]})

    def test_integers_without_a_sign(self):
        def compare(x: "i32[n]", y: "out i32[m]", z: "out f32[l]"):
            i = carousel.program_id() * 64
            v = x[i:i + 64]
            y[i:i + 64] = carousel.where(carousel.less(v, 5, unsigned=True), v << 2, carousel.minimum(v, 7, unsigned=True))
            z[i:i + 64] = (v & 255).to("i8").to("f32", unsigned=True) + (v >> 1).to("f32")

        x = ints([-1, 0, 4, 6, 200])
        self.run_both(trace(compare), {"x": x, "y": ints([0] * 5), "z": floats([0] * 5)},
                      {"y": [7, 0, 16, 6, 7], "z": [254, 0, 6, 9, 300]})

    def test_what_is_refused(self):
        def captured(x: "f32[n]", y: "out f32[m]"):
            i = carousel.program_id() * 64
            v = x[i:i + 64]
            y[i:i + 64] = carousel.function(lambda w: w + v)(v)

        def endless(x: "f32[n]", y: "out f32[m]"):
            def again(v):
                return called(v)

            called = carousel.function(again)
            y[0] = called(x[0])

        def returns_a_number(x: "f32[n]", y: "out f32[m]"):
            y[0] = carousel.function(lambda v: 3)(x[0])

        def read_only(x: "f32[n]", y: "out f32[m]"):
            x.rows(y, add=True)

        def no_table(x: "f32[n]", y: "out f32[m]"):
            y.rows(x)

        def rows_of_value(x: "i32[n]", y: "out f32[m]"):
            y.rows(x[0:64])[0:64] = 0.0

        def rows_of_number(x: "f32[n]", y: "out f32[m]"):
            x.rows(3)

        def adds_bytes(x: "i8[n]", t: "i32[k]", y: "inout i8[m]"):
            y.rows(t, add=True)[0:64] = x[0:64]

        def gathers_value(x: "f32[n]", y: "out f32[m]"):
            carousel.gather(x[0:64], [0], carousel.iota(4))

        def bad_mask(x: "f32[n]", y: "out f32[m]"):
            carousel.scatter(y, [0], carousel.iota(4), x[0:4], where=True)

        def scatters_number(x: "f32[n]", y: "out f32[m]"):
            carousel.scatter(y, [0], carousel.iota(4), 1.0)

        def bad_branch(x: "f32[n]", y: "out f32[m]"):
            carousel.cond(carousel.program_id() == 0, lambda one: None, lambda: None)

        def adds_one(x: "f32[n, k]", t: "i32[k2]", y: "inout f32[m, n2]"):
            y.rows(t, add=True)[0, 0] = 1.0

        def shared_in_loop(x: "f32[n]", y: "out f32[m]"):
            for _ in carousel.range(0, 4):
                carousel.shared(64, "f32")

        def bad_ticket(x: "f32[n]", y: "out f32[m]"):
            carousel.draw_ticket(x, 3)

        def bad_gather(x: "f32[n]", y: "out f32[m]"):
            carousel.gather(x, [0, 0], carousel.iota(4))

        def bad_part(x: "f32[n]", y: "out f32[m]"):
            y[0:64] = x[0:64][::2]

        def row_of_vector(x: "f32[n]", y: "out f32[m]"):
            y[0:64] = x.row(0)[0:64]

        def outside(x: "f32[n]", y: "out f32[m]"):
            y[0] = x[0:64][64]

        def unknown(x: "f32[n]", y: "out f32[m]", w: "workspace f32[q * 2]"):
            y[0] = x[0]

        for function, message in (
                (captured, "expected a function that uses its arguments only, got x_tile from outside; pass it"),
                (endless, "again: expected a function that doesn't call itself, got a recursion"),
                (returns_a_number, "expected a function that returns values of the kernel, got int"),
                (read_only, "rows: expected a table of integers"),
                (no_table, "rows: expected a table of integers of one dimension in memory, got memref<.xf32"),
                (rows_of_value, "rows: expected a table of integers of one dimension in memory, got vector<64xi32>"),
                (rows_of_number, "rows: expected a table of integers of one dimension in memory, got int"),
                (adds_bytes, "y: expected elements of i32, i64, f16, bf16, f32, f64 to add to, got i8"),
                (gathers_value, "gather: expected a tensor or a tile in memory, got vector<64xf32>"),
                (bad_mask, "scatter: expected a mask of vector<4xi1>, got bool"),
                (scatters_number, "scatter: expected vector<4xf32>, got float"),
                (bad_branch, "cond: expected operands of the kinds that it takes, got others: TypeError"),
                (adds_one, "y: expected a slice to add to, got a single element"),
                (shared_in_loop, "shared: expected a tile outside of loops and branches, got one inside"),
                (bad_ticket, r"draw_ticket: expected counters such as 'workspace i32\[1\]', got memref<.xf32"),
                (bad_gather, "gather: expected a place for each of 1 dimensions of x, got 2"),
                (bad_part, "expected slices of at least one element without a step"),
                (row_of_vector, "row: expected memory of two dimensions or more, got x of 1"),
                (outside, "expected an index of 64 elements, got 64"),
                (unknown, r"w: expected an expression of n, m, resident, sms, .* got 'q \* 2'")):
            self.refuse(message, function)

        def copy(x: "f32[n]", y: "out f32[m]"):
            y[0] = x[0]

        for cluster in (0, (1, 1, 1, 1), (2, "2")):
            self.refuse("cluster: expected 1 to 3 extents from 1 on", copy, cluster=cluster)


if __name__ == "__main__":
    unittest.main()
