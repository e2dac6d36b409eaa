# ===- block_test.py - kernels that Python traces ---------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Compares the kernels of examples/python with those of examples/block by their PTX, and tests what can't be traced. With
CAROUSEL_ALL_VARIANTS=1, compares all kernels and all of their variants: some minutes."""

import array
import ast
import os
import re
import sys
import unittest
import warnings

import carousel
from examples import ROOT

sys.path.insert(0, str(ROOT / "examples/python"))
import attention  # noqa: E402
import attention_backward  # noqa: E402
import losses  # noqa: E402
import ordered  # noqa: E402
import products  # noqa: E402
import rows  # noqa: E402
import shared  # noqa: E402
import tiles  # noqa: E402
import transport  # noqa: E402

ALL = os.environ.get("CAROUSEL_ALL_VARIANTS") == "1"
FOLDERS = {module: "block" for module in (rows, tiles, shared, products, attention, attention_backward, losses, ordered)}
FOLDERS[transport] = "transport"
FEW = ("weights.mlir", "attention_kinds.mlir", "dropout.mlir", "stream_k.mlir", "router.mlir")
# Products take a second each.
FILES = [(folder, file, kernels) for module, folder in FOLDERS.items() for file, kernels in module.KERNELS.items()
         if ALL or module in (rows, tiles, shared, transport) or file in FEW]
ENTRY = re.compile(r"^\.visible \.entry (\w+)\(.*?^\}", re.MULTILINE | re.DOTALL)


def find_entries(package, name):
    """The functions of a kernel. Labels have the number of the function in its module."""
    (kernel,) = (kernel for kernel in package.manifest["kernels"] if kernel["name"] == name)
    functions = {variant["function"] for variant in kernel["variants"]}
    return {match[1]: re.sub(r"\s*//.*", "", re.sub(r"\$L__BB\d+_", "$L__BB_", match[0]))
            for text in package.ptx.values() for match in ENTRY.finditer(text) if match[1] in functions}


# Of a map's expressions, by the operator of Python that takes its place. Only differences may be negative.
OPS = {ast.Add: "arith.addi {}, {}", ast.Sub: "arith.subi {}, {}", ast.Mult: "arith.muli {}, {} overflow<nsw>",
       ast.FloorDiv: "arith.divui {}, {}", ast.Mod: "arith.remui {}, {}", ast.MatMult: "arith.ceildivui {}, {}"}
MAP = r"affine_map<\(([^()]*)\)(?:\[([^\]]*)\])? -> \((.*)\)>"
APPLY = re.compile(rf"^( *)(%\w+) = affine\.(apply|min|max) (?:(#\w+)|{MAP})\(([^()]*)\)(?:\[([^\]]*)\])?$", re.MULTILINE)


def spell_plainly(text):
    """The same kernels with the ops that Python traces: arith for affine, and products of indices that don't overflow."""
    maps = {match[1]: match.groups()[1:] for match in re.finditer(rf"^(#\w+) = {MAP}$", text, re.MULTILINE)}

    def spell(match):
        indent, result, kind, name, *own, dims, symbols = match.groups()
        parameters, more, expressions = maps[name] if name else own
        values = dict(zip(re.findall(r"\w+", parameters + "," + (more or "")), re.findall(r"%[\w#]+", dims + "," + (symbols or ""))))
        lines = []

        def add(op, suffix=" : index"):
            name = f"%of_{result[1:]}_{len(lines)}"
            lines.append(f"{indent}{name} = {op}{suffix}")
            return name

        def visit(node):
            if isinstance(node, ast.BinOp):
                if isinstance(node.op, ast.FloorDiv) and any(isinstance(each, ast.Sub) for each in ast.walk(node.left)):
                    divisor = ast.literal_eval(node.right)
                    return add(f"affine.apply affine_map<(d) -> (d floordiv {divisor})>({visit(node.left)})", "")
                return add(OPS[type(node.op)].format(visit(node.left), visit(node.right)))
            return values[node.id] if isinstance(node, ast.Name) else add(f"arith.constant {ast.literal_eval(node)}")

        for word, operator in (("floordiv", "//"), ("ceildiv", "@"), ("mod", "%")):
            expressions = re.sub(rf"\b{word}\b", operator, expressions)
        tree = ast.parse(f"({expressions},)", mode="eval").body
        made = [visit(each) for each in tree.elts]
        if kind != "apply":
            made = [add(f"arith.{kind}si {made[0]}, {made[1]}")]
        return "\n".join(line.replace(f"{made[0]} =", f"{result} =") for line in lines)

    text = APPLY.sub(spell, text)
    # A workspace of fixed extents has these in its type.
    text = re.sub(r"(!tickets = memref<)\?", r"\g<1>1", text).replace("workspace<[1]>", "workspace<[]>")
    return re.sub(r"(arith\.muli %\S+ %\S+) : index", r"\1 overflow<nsw> : index", text)


class ExamplesTest(unittest.TestCase):
    maxDiff = 2000

    def test_they_compile_to_the_same_ptx(self):
        options = {"chips": "sm_90a", "emit": "ptx", "first_variant": not ALL, "warn": False}
        for folder, file, kernels in FILES:
            text = (ROOT / "examples" / folder / file).read_text(encoding="utf-8")
            by_hand = carousel.compile(spell_plainly(text), **options)
            for kernel in kernels:
                with self.subTest(kernel=kernel.name):
                    entries = find_entries(carousel.compile(kernel, **options), kernel.name)
                    self.assertTrue(entries)
                    self.assertEqual(entries, find_entries(by_hand, kernel.name))

    def test_all_kernels_of_the_block_phase_are_there(self):
        names = set()
        for path in (ROOT / "examples/block").glob("*.mlir"):
            names |= {(path.name, name) for name in re.findall(r"gpu.func @(\w+)", path.read_text(encoding="utf-8"))}
        made = {(file, kernel.name) for module, folder in FOLDERS.items() if folder == "block"
                for file, kernels in module.KERNELS.items() for kernel in kernels}
        self.assertEqual(made, names)
        self.assertEqual(len(names), 117)  # as the pages say


def trace(function, **options):
    return carousel.kernel(**{"grid": "ceildiv(n, 64)", "block": 64, **options})(function)


class TraceTest(unittest.TestCase):
    def refuse(self, message, function, **options):
        with self.assertRaisesRegex(carousel.TraceError, message):
            trace(function, **options)

    def run_kernel(self, function, x, y, **options):
        return carousel.simulate(trace(function, **options), {"x": x, "y": y}, lower=True).check()

    def test_loops_carry_variables(self):
        def fibonacci(x: "f32[n]", y: "out f32[k]"):
            a, b = carousel.full((), 0.0, "f32"), carousel.full((), 1.0, "f32")
            for _ in carousel.range(0, x.shape[0], pipeline=False):
                following = a + b
                a = b + 0.0
                b = following
            y[0] = a

        y = array.array("f", [0])
        self.run_kernel(fibonacci, array.array("f", [0] * 10), y, grid=1)
        self.assertEqual(y[0], 55.0)

    def test_variables_may_swap(self):
        def fibonacci(x: "f32[n]", y: "out f32[k]"):
            a, b = carousel.full((), 0.0, "f32"), carousel.full((), 1.0, "f32")
            for _ in carousel.range(0, x.shape[0], pipeline=False):
                a, b = b, a + b
            y[0] = a

        y = array.array("f", [0])
        self.run_kernel(fibonacci, array.array("f", [0] * 10), y, grid=1)
        self.assertEqual(y[0], 55.0)

    def test_loops_nest(self):
        def count(x: "f32[n]", y: "out f32[k]"):
            total = carousel.full((), 0.0, "f32")
            for i in carousel.range(0, x.shape[0], pipeline=False):
                for j in carousel.range(0, i, pipeline=False):
                    total = total + j.to("f32")
                total = total * 2.0
            y[0] = total

        want = 0.0
        for i in range(5):
            want = (want + sum(range(i))) * 2
        y = array.array("f", [0])
        self.run_kernel(count, array.array("f", [0] * 5), y, grid=1)
        self.assertEqual(y[0], want)

    def test_loops_may_have_the_same_variables(self):
        def sums(x: "f32[n]", y: "out f32[k]"):
            total, squares = carousel.full((), 0.0, "f32"), carousel.full((), 0.0, "f32")
            for i in carousel.range(0, x.shape[0], pipeline=False):
                v = x[i]
                total = total + v
            for i in carousel.range(0, x.shape[0], pipeline=False):
                v = x[i] * x[i]
                squares = squares + v
            y[0] = total + squares

        y = array.array("f", [0])
        self.run_kernel(sums, array.array("f", range(5)), y, grid=1)
        self.assertEqual(y[0], 10 + 30)

    def test_slices_end_with_the_tensor(self):
        def scale(x: "f32[n]", y: "out f32[n]"):
            i = carousel.program_id() * 64
            tile = x.pad(5.0)[i:i + 64]
            y[i:i + 64] = carousel.where(tile > 3.0, tile * 2.0, 0.0)

        y = array.array("f", [9] * 100)
        self.run_kernel(scale, array.array("f", range(100)), y)
        self.assertEqual(list(y), [2.0 * i if i > 3 else 0.0 for i in range(100)])

    def test_conditions(self):
        def halves(x: "f32[n]", y: "out f32[n]"):
            i = carousel.program_id() * 64
            tile = x[i:i + 64]
            y[i:i + 64] = carousel.cond(i < 64, lambda: tile + 1.0, lambda: -tile)

        y = array.array("f", [0] * 128)
        self.run_kernel(halves, array.array("f", range(128)), y)
        self.assertEqual((y[3], y[100]), (4.0, -100.0))

    def test_text(self):
        def add(x: "f32[n]", y: "out f32[n]"):
            start = carousel.program_id() * 64
            unused = x[start:start + 32]  # noqa: F841 - what nothing uses isn't in the text
            y[start:start + 64] = x[start:start + 64] + 1.0

        text = trace(add, module="m").mlir
        self.assertIn("%start = arith.muli", text)
        self.assertEqual(text.count("vector.transfer_read"), 1)
        self.assertIn("grid = [ceildiv(extent(0, 0), 64)], block = [64]", text)
        self.assertIn("block_test.py", trace(add).mlir_with_places)

    def test_parts_of_k_are_an_attribute(self):
        def double(x: "f32[n]", y: "out f32[m]"):
            i = carousel.program_id(0) * 64
            y[i:i + 64] = x[i:i + 64] * 2.0

        text = carousel.kernel(grid="ceildiv(m, 64)", parts=4)(double).mlir
        self.assertIn("carousel.block_program = #carousel.block_program<>, carousel.parts = 4 : i64,", text)
        self.assertNotIn("carousel.parts", carousel.kernel(grid="ceildiv(m, 64)")(double).mlir)

    def test_errors_of_the_compiler_are_at_python(self):
        def shifted(x: "bf16[m, n]", y: "out bf16[m, n]"):
            i = carousel.program_id()
            tile = x[0:8, i:i + 64]
            y[0:8, 0:64] = tile

        with self.assertRaises(carousel.CompileError) as caught:
            carousel.compile(trace(shifted), chips="sm_90a", werror=["alignment"])
        error = caught.exception.errors[0]
        self.assertTrue(error.file.endswith("block_test.py"))
        self.assertEqual(error.source.strip(), "tile = x[0:8, i:i + 64]")
        if sys.version_info >= (3, 11):
            self.assertEqual(error.source[error.column - 1:], "x[0:8, i:i + 64]")

    def test_several_kernels_are_one_package(self):
        package = carousel.compile([rows.row_sum_16, tiles.column_sum_16, tiles.stencil], chips="sm_90a", emit="ptx",
                                   first_variant=True)
        self.assertEqual(package.kernels, ("row_sum_16", "column_sum_16", "stencil"))
        self.assertEqual([module["name"].partition("_sm")[0] for module in package.manifest["modules"]], ["sums", "stencils"])
        with self.assertRaisesRegex(carousel.TraceError, "got stencil twice"):
            carousel.compile([tiles.stencil, tiles.stencil], chips="sm_90a")

    def test_equal_names_are_equal_extents(self):
        def add(x: "f32[n]", y: "out f32[n]"):
            y[0:64] = x[0:64] + 1.0

        with self.assertRaisesRegex(ValueError, "y: expected extent 64 in dimension 0, as n of x is, got 32"):
            self.run_kernel(add, array.array("f", [0] * 64), array.array("f", [0] * 32))

    def test_annotations_that_are_not_evaluated(self):
        names = {}
        code = """from __future__ import annotations
def double(x: "f32[n]", y: "out f32[n]"):
    y[0:64] = x[0:64] * 2.0
"""
        exec(code, names)
        self.assertEqual(trace(names["double"]).mlir, trace(names["double"]).mlir)
        self.assertIn("vector<64xf32>", trace(names["double"]).mlir)

    def test_what_cannot_be_traced(self):
        def python_if(x: "f32[n]", y: "out f32[n]"):
            if carousel.program_id() < 3:
                y[0] = 1.0

        def unknown_extent(x: "f32[n]", y: "out f32[n]"):
            y[0:x.shape[0]] = 0.0

        def no_stop(x: "f32[n]", y: "out f32[n]"):
            y[0:] = 0.0

        def other_type(x: "f32[n]", y: "out bf16[n]"):
            y[0:64] = x[0:64]

        def mixed(x: "f32[n]", y: "out bf16[n]"):
            y[0:64] = x[0:64] + y[0:64]

        def reads_only(x: "f32[n]"):
            x[0] = 1.0

        def number_changes(x: "f32[n]", y: "out f32[n]"):
            total = 0.0
            for _ in carousel.range(0, 4):
                total = x[0] + total
            y[0] = total

        def leaves(x: "f32[n]", y: "out f32[n]"):
            for i in carousel.range(0, 4):
                y[i] = 1.0
                break

        def after_the_loop(x: "f32[n]", y: "out f32[n]"):
            for i in carousel.range(0, 4):
                last = x[i]
                y[i] = last
            y[0] = last

        def same_start(x: "f32[n]", y: "out f32[n]"):
            a = b = carousel.full((), 0.0, "f32")
            for i in carousel.range(0, 4):
                a = a + x[i]
                y[i] = b
            y[0] = a

        def same_end(x: "f32[n]", y: "out f32[n]"):
            a, b = carousel.full((), 0.0, "f32"), carousel.full((), 1.0, "f32")
            for i in carousel.range(0, 4):
                a = b = x[i]
            y[0] = a + b

        def shapes(x: "f32[n]", y: "out f32[n]"):
            y[0:64] = x[0:64] + x[0:32]

        def writes_nothing(x: "f32[n]", y: "out f32[n]"):
            x[0:64] + 1.0

        def wrong_annotation(x: "f31[n]"):
            pass

        def no_annotation(x):
            pass

        for function, message in (
            (python_if, "use carousel.where, or carousel.cond"),
            (unknown_extent, "y: expected a slice whose number of elements is fixed"),
            (no_stop, "y: expected slices with a stop"),
            (other_type, "y: expected vector<64xbf16> for this slice, got vector<64xf32>"),
            (mixed, "expected operands of one type, got vector<64xf32> and vector<64xbf16>"),
            (reads_only, "x: expected an argument with 'out' or 'inout'"),
            (number_changes, "expected total to be a value before the loop"),
            (leaves, "got a break or a return in it"),
            (after_the_loop, "expected a value of this place, got one"),
            (same_start, "expected a and b to begin with a value each"),
            (same_end, "expected the loop to leave a value in a that is its own, got that of b"),
            (shapes, r"expected vectors whose extents are equal or 1, got \(64,\) and \(32,\)"),
            (writes_nothing, "writes_nothing: expected a kernel that writes to an argument"),
            (wrong_annotation, "x: expected an annotation such as"),
            (no_annotation, "no_annotation: expected parameters with an annotation"),
        ):
            with self.subTest(function=function.__name__):
                self.refuse(message, function)

    def test_wrong_options(self):
        def copy(x: "f32[n]", y: "out f32[n]"):
            y[0:64] = x[0:64]

        self.refuse("grid: expected an expression of n, resident, sms.*got 'k'", copy, grid="k")
        self.refuse("grid: expected an expression", copy, grid="n +")
        self.refuse("grid: expected an expression", copy, grid="__import__('os')")
        self.refuse("grid: expected 1 to 3 extents, got 4", copy, grid=[1, 1, 1, 1])
        self.refuse("expected width and covers together", copy, width=64)
        with self.assertRaisesRegex(carousel.TraceError, r"carousel.compile\(copy\).kernel\(\)"):
            trace(copy)(1, 2)
        with self.assertRaisesRegex(carousel.TraceError, "got one outside"):
            carousel.zeros(4, "f32")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    unittest.main()
