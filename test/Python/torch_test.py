# ===- torch_test.py - graphs of PyTorch -------------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Compiles modules, functions and exported programs of PyTorch, and compares what the simulated machine computes with what
PyTorch does. Needs torch and torch-mlir; without the latter, only the error is tested."""

import contextlib
import importlib.util
import io
import re
import sys
import unittest
from pathlib import Path
from unittest import mock

import carousel
from carousel._import import import_function

HAS_TORCH = importlib.util.find_spec("torch") is not None
HAS_TORCH_MLIR = importlib.util.find_spec("torch_mlir") is not None
OPTIONS = {"chips": "sm_90a", "cuda_root": "", "emit": "ptx", "first_variant": True, "warn": False, "libraries": False}

if HAS_TORCH:
    import torch

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.dropout = torch.nn.Linear(64, 32), torch.nn.Dropout(0.5)

        def forward(self, x):
            return torch.softmax(torch.relu(self.dropout(self.linear(x))), -1)

    class Wrapped(torch.nn.Module):
        def __init__(self, function):
            super().__init__()
            self.function = function

        def forward(self, *arguments):
            return self.function(*arguments)


@unittest.skipUnless(HAS_TORCH, "torch isn't installed")
class TorchTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.layer, self.x = Layer(), torch.randn(16, 64)

    def refuse(self, message, source, **options):
        with self.subTest(message=message), self.assertRaisesRegex(carousel.InvalidArgumentError, message):
            carousel.compile(source, **OPTIONS, **options)

    @unittest.skipUnless(HAS_TORCH_MLIR, "torch-mlir isn't installed")
    def test_modules(self):
        wanted = Layer.forward(self.layer.eval(), self.x)
        self.layer.train()
        for options in ({"inputs": (self.x,)}, {"shapes": "f32[n,64]"}):
            result = torch.zeros(16, 32)
            carousel.simulate(self.layer, {"arg0": self.x, "result0": result}, lower=True, **options).check()
            torch.testing.assert_close(result, wanted)
            self.assertEqual(carousel.compile(self.layer, **OPTIONS, **options).programs, ("main",))
        # The module goes on training.
        self.assertTrue(all(module.training for module in self.layer.modules()))

    @unittest.skipUnless(HAS_TORCH_MLIR, "torch-mlir isn't installed")
    def test_functions(self):
        for approximate in ("none", "tanh"):
            def gelu(a, b, approximate=approximate):
                return torch.nn.functional.gelu(a @ b, approximate=approximate)

            a, b, result = torch.randn(8, 16), torch.randn(16, 32), torch.zeros(8, 32)
            carousel.simulate(gelu, {"arg0": a, "arg1": b, "result0": result}, inputs=(a, b)).check()
            torch.testing.assert_close(result, gelu(a, b), rtol=1e-5, atol=1e-6)

    @unittest.skipUnless(HAS_TORCH_MLIR, "torch-mlir isn't installed")
    def test_decompositions(self):
        """Of what torch-mlir refuses, or makes gathers of."""
        pool = torch.nn.AdaptiveAvgPool2d(1)
        for function, x in (
            (lambda x: torch.topk(x, 2, dim=-1, sorted=False)[0].sum(-1), torch.randn(4, 8)),
            (lambda x: x.to(torch.float64).sum(-1).float(), torch.randn(4, 8)),
            (lambda x: pool(x.permute(0, 3, 1, 2)).flatten(1), torch.randn(2, 5, 5, 8)),
            (lambda x: x.cumsum(1), torch.randint(-9, 9, (2, 150, 3)).float()),
        ):
            wanted = function(x)
            result = torch.zeros_like(wanted)
            carousel.simulate(function, {"arg0": x, "result0": result}, inputs=(x,)).check()
            torch.testing.assert_close(result, wanted)
        self.assertNotIn("150x150", import_function(lambda x: x.cumsum(0), None, (torch.randn(150),), "torch"))
        text = import_function(lambda x: pool(x.permute(0, 3, 1, 2)), None, (torch.randn(2, 5, 5, 8),), "torch")
        self.assertNotIn("i64", text)

    @unittest.skipUnless(HAS_TORCH_MLIR, "torch-mlir isn't installed")
    def test_random_numbers(self):
        for function in (lambda x: torch.nn.functional.dropout(x, 0.3), lambda x: torch.bernoulli(x, 0.3)):
            with self.assertRaisesRegex(carousel.InvalidArgumentError, "expected a model whose results its arguments decide"):
                import_function(function, None, (torch.rand(4, 8),), "torch")

    @unittest.skipUnless(HAS_TORCH_MLIR, "torch-mlir isn't installed")
    def test_variances(self):
        """In f32, as PyTorch's kernels for GPUs compute them, also where the mean is large."""
        functional, far = torch.nn.functional, torch.randn(4, 64) + 1000
        for name, function, x in (
            ("layer", lambda x: functional.layer_norm(x, (64,)), torch.randn(4, 64)),
            ("layer of bf16", lambda x: functional.layer_norm(x, (64,)), torch.randn(4, 64).bfloat16()),
            ("group", lambda x: functional.group_norm(x, 2), torch.randn(2, 4, 3, 3)),
            ("batch", lambda x: functional.batch_norm(x, None, None, training=True), torch.randn(2, 4, 3, 3)),
            ("one row's", lambda x: x.var(-1), far),
            ("all", lambda x: x.var(keepdim=True), far),
            ("half", lambda x: x.std(0, correction=0), torch.randn(4, 64).half()),
            ("with means", lambda x: sum(torch.var_mean(x, (0, 1), correction=2)), torch.randn(4, 8, 3)),
            ("no freedom", lambda x: x.var(-1), torch.randn(4, 1)),
            ("doubles", lambda x: x.var(-1), torch.randn(4, 8, dtype=torch.float64)),
        ):
            with self.subTest(name):
                self.assertNotIn(" to f64", import_function(function, None, (x,), "torch"))
                wanted = function(x.double()).to(x.dtype)
                result = torch.zeros_like(wanted)
                carousel.simulate(function, {"arg0": x, "result0": result}, inputs=(x,)).check()
                torch.testing.assert_close(result, wanted, equal_nan=True)
        rows, result = torch.randn(6, 64), torch.zeros(64)
        carousel.simulate(lambda x: x.var(0), {"arg0": rows, "result0": result}, shapes="f32[n,64]", framework="torch").check()
        torch.testing.assert_close(result, rows.var(0))

    @unittest.skipUnless(HAS_TORCH_MLIR, "torch-mlir isn't installed")
    def test_bytes_have_no_sign(self):
        x = torch.arange(0, 256, 4, dtype=torch.int32).reshape(8, 8)
        for name, function in {
            "matmul": lambda a, b: a @ b,
            "sum": lambda a, b: a.sum(-1),
            "rem": lambda a, b: a % b.clamp(min=1),
            "div": lambda a, b: torch.div(a, b.clamp(min=1), rounding_mode="floor"),
            "half": lambda a, b: a * 0.5,
            "compare": lambda a, b: a > 200,
            "sort": lambda a, b: torch.sort(a, -1, descending=True)[0],
            "invert": lambda a, b: ~a,
        }.items():
            with self.subTest(name):
                def run(x, y, function=function):
                    result = function(x.to(torch.uint8), y.to(torch.uint8))
                    return result if result.is_floating_point() else result.to(torch.int32)

                wanted = run(x, x.T.contiguous())
                result = torch.zeros_like(wanted)
                carousel.simulate(run, {"arg0": x, "arg1": x.T.contiguous(), "result0": result}, inputs=(x, x)).check()
                torch.testing.assert_close(result, wanted)

    @unittest.skipUnless(HAS_TORCH_MLIR, "torch-mlir isn't installed")
    def test_extents_of_launches(self):
        """No example size is another extent, nor a sum or product of extents another one."""
        Dim = torch.export.Dim

        class Product(torch.nn.Module):
            def forward(self, x, w):
                return (x @ w).transpose(-1, -2)

        class Join(torch.nn.Module):
            def forward(self, x, y, w):
                return (torch.cat([x, y, y]) @ w).transpose(-1, -2)

        for columns in (5, 1009):
            x, w, result = torch.randn(6, 64), torch.randn(64, columns), torch.zeros(columns, 6)
            carousel.simulate(Product(), {"arg0": x, "arg1": w, "result0": result}, shapes=f"f32[n,64],f32[64,{columns}]").check()
            torch.testing.assert_close(result, (x @ w).T, rtol=1e-4, atol=1e-4)
        # Examples of several extents need no memory.
        x, result = torch.randn(2, 3, 4, 5, 8), torch.zeros(2, 3, 4, 5)
        carousel.simulate(lambda x: x.sum(-1), {"arg0": x, "result0": result}, shapes="f32[a,b,c,d,8]", framework="torch").check()
        torch.testing.assert_close(result, x.sum(-1))

        def export(module, dims, *examples):
            shapes = tuple({0: dim} if dim else {} for dim in dims)
            return torch.export.export(module, tuple(map(torch.zeros, examples)),
                                       dynamic_shapes=(shapes,) if isinstance(module, Wrapped) else shapes)

        # The sizes of programs that were exported are others': of a static extent, one below a bound, a sum, a literal of the
        # model, another example.
        n, m, few = Dim("n"), Dim("m"), Dim("few", max=6)
        for module, shapes, wanted in (
            (Product(), ((n, None), (5, 64), (64, 5)), "5x?"),
            (Product(), ((few, None), (5, 64), (64, 5)), "5x?"),
            (Product(), ((2 * n, None), (10, 64), (64, 10)), "10x?"),
            (Join(), ((n, m, None), (5, 64), (4, 64), (64, 13)), "13x?"),
            (Join(), ((n, m, None), (1009, 64), (1013, 64), (64, 3035)), "3035x?"),
            (Wrapped(lambda x: (x @ torch.ones(64, 7)).transpose(0, 1)), ((n,), (7, 64)), "7x?"),
            (Wrapped(lambda x, y: (x @ y.T).transpose(0, 1)), ((n, m), (4, 8), (4, 8)), "?x?"),
        ):
            with self.subTest(wanted=wanted, shapes=shapes):
                text = import_function(export(module, *shapes), None, None, None)
                self.assertRegex(text, rf"-> tensor<{re.escape(wanted)}xf32> \{{")

    @unittest.skipUnless(HAS_TORCH_MLIR, "torch-mlir isn't installed")
    def test_broadcasts_of_launches(self):
        """No extent is asked whether it is 1, unless it's an extent of 1."""
        for function, shapes in (
            (lambda x, y: x + y.broadcast_to(x.shape), "f32[n,m],f32[n,m]"),
            (lambda x: x.expand(3, *x.shape) * 2, "f32[n,m]"),
            (lambda x, y: x[:, None].expand(-1, 4, -1) * y, "f32[n,m],f32[n,4,m]"),
            (lambda x, y: x @ y, "f32[b,h,n,k],f32[b,h,k,m]"),
            (lambda x, y, z: torch.nn.functional.scaled_dot_product_attention(x, y, z), ",".join(["f32[b,2,s,16]"] * 3)),
        ):
            with self.subTest(shapes=shapes):
                self.assertNotIn("tensor.extract", import_function(function, shapes, None, "torch"))
        x, y = torch.randn(1, 3), torch.randn(1, 4, 3)
        result = torch.zeros(1, 4, 3)
        carousel.simulate(lambda x, y: x[:, None].expand(-1, 4, -1) * y, {"arg0": x, "arg1": y, "result0": result},
                          shapes="f32[n,m],f32[n,4,m]", framework="torch").check()
        torch.testing.assert_close(result, x[:, None] * y)

    @unittest.skipUnless(HAS_TORCH_MLIR, "torch-mlir isn't installed")
    def test_attention(self):
        """Weights are rounded as PyTorch's kernels round them, and equal names of extents are equal."""
        attend = torch.nn.functional.scaled_dot_product_attention
        q, k, v = (torch.randn(2, 4, 24, 16, dtype=torch.bfloat16) for _ in range(3))
        mask = torch.rand(24, 24) < 0.7
        mask[3] = False
        bias = torch.randn(24, 24, dtype=torch.bfloat16)
        for own, options in ((k, {}), (k, {"is_causal": True}), (k, {"attn_mask": mask}), (k, {"attn_mask": bias, "scale": 0.3}),
                             (k[:, :2].contiguous(), {"enable_gqa": True})):
            with self.subTest(options=options):
                def run(q, k, v, options=options):
                    return attend(q, k, v, **options)

                values = v[:, :own.shape[1]].contiguous()
                wide = {key: value.float() if value is bias else value for key, value in options.items()}
                wanted = attend(q.float(), own.float(), values.float(), **wide)
                text = import_function(run, None, (q, own, values), "torch")
                self.assertRegex(text, r"batch_matmul .* : tensor<8x24x24xbf16>, tensor<8x24x16xbf16>")
                result = torch.zeros_like(q)
                carousel.simulate(run, {"arg0": q, "arg1": own, "arg2": values, "result0": result},
                                  inputs=(q, own, values)).check()
                torch.testing.assert_close(result.float(), wanted, rtol=2e-2, atol=2e-2)
        q, k, v = (value.float() for value in (q, k, v))
        result = torch.zeros_like(q)
        carousel.simulate(lambda q, k, v: attend(q, k, v), {"arg0": q, "arg1": k, "arg2": v, "result0": result},
                          inputs=(q, k, v)).check()
        torch.testing.assert_close(result, attend(q, k, v), rtol=1e-5, atol=1e-5)
        shape = "bf16[2,4,s,16]"
        text = import_function(lambda q, k, v: attend(q, k, v), ",".join([shape] * 3), None, "torch")
        self.assertIn("expected dimension 2 of arg2 to be dimension 2 of arg0", text)

    def test_histograms(self):
        sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/carousel-import"))
        self.addCleanup(sys.path.pop, 0)
        from torch_decompositions import decompose_histogram

        after = float(torch.nextafter(torch.tensor(0.1), torch.tensor(1.0)))
        infinity = float("inf")
        ends = torch.tensor([-1.0, 0.1, after, -1.0000001, -infinity, infinity, float("nan")])
        for values, *options in (
            (ends, 4, -1, 0.1),
            (torch.tensor([-0.0, -1e-45, 1.0]), 4, 0, 1),
            (torch.rand(1000) * 4 - 2, 7, -1.5, 1.7),
            (torch.linspace(0, 63, 65), 64, 0, 63),
            (torch.arange(512.0).bfloat16(), 512, 0, 511),
            (torch.rand(100, dtype=torch.float64), 10, 0, 1),
        ):
            with self.subTest(options=options):
                torch.testing.assert_close(decompose_histogram(values, *options), torch.histc(values, *options), rtol=0, atol=0)
        for values, end in ((ends, 1e-9 - 1), (ends, -1), (torch.arange(4), 3)):
            self.assertIs(decompose_histogram(values, 4, -1, end), NotImplemented)

    @unittest.skipUnless(HAS_TORCH_MLIR, "torch-mlir isn't installed")
    def test_exported_programs(self):
        program = torch.export.export(self.layer.eval(), (self.x,), dynamic_shapes=({0: torch.export.Dim("n")},))
        result = torch.zeros(16, 32)
        carousel.simulate(program, {"arg0": self.x, "result0": result}).check()
        torch.testing.assert_close(result, self.layer(self.x))
        self.refuse("expected neither shapes, inputs nor framework", program, shapes="f32[16,64]")

    @unittest.skipUnless(HAS_TORCH_MLIR, "torch-mlir isn't installed")
    def test_places(self):
        """Decisions name lines of the model and its modules, and so do graphs of programs that were exported."""
        line = 1 + next(at for at, text in enumerate(Path(__file__).read_text(encoding="utf-8").splitlines())
                        if "torch.softmax(torch.relu(self.dropout" in text)
        program = torch.export.export(self.layer.eval(), (self.x,), dynamic_shapes=({0: torch.export.Dim("n")},))
        for source, options in ((self.layer, {"shapes": "f32[n,64]"}), (program, {})):
            place = f"torch_test.py:{line} linear"
            graph = carousel.compile(source, **OPTIONS, **options).explain()
            self.assertIn(f"matmul at {place}", graph.text)

        def twice(x):
            return x + x

        text = import_function(lambda x: twice(x).cumsum(0), "f32[8]", None, "torch")
        line = twice.__code__.co_firstlineno + 1
        self.assertIn(f'torch_test.py":{line}:0)', text)

    @unittest.skipUnless(HAS_TORCH_MLIR, "torch-mlir isn't installed")
    def test_what_is_refused(self):
        def find_line(text):
            lines = Path(__file__).read_text(encoding="utf-8").splitlines()
            return f"at .*{Path(__file__).name}:{1 + next(at for at, line in enumerate(lines) if line.strip() == text)}"

        def negate(x):
            if x.sum() > 0:
                return x
            return -x

        def branch(x):
            return negate(x * 2)

        def ask(x):
            y = x * 2
            if x.shape[0] > 100:
                return y
            return x

        def decompose(x):
            y = x @ x
            return torch.linalg.svd(y)[1]

        torch_ = {"framework": "torch"}
        place = find_line("if x.sum() > 0:")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            self.refuse(f"torch.export can't export it: .*data-dependent.* {place}$", branch, shapes="f32[8]", **torch_)
        self.assertEqual(printed.getvalue(), "")
        place = find_line("if x.shape[0] > 100:")
        self.refuse(f"Not all values of n .* {place}; give the extent a number in --shapes", ask, shapes="f32[n]", **torch_)
        place = find_line("return torch.linalg.svd(y)[1]")
        self.refuse(f"torch-mlir refuses the model: .*_linalg_svd.* {place}$", decompose, shapes="f32[8,8]", **torch_)
        self.refuse("torch-mlir refuses the model: .*_linalg_svd", lambda x: torch.linalg.svd(x)[1], shapes="f32[8,8]", **torch_)
        self.refuse("same reduction dim", self.layer, shapes="f32[8,32]")
        self.refuse("too many positional arguments", self.layer, shapes="f32[8,64],f32[3]")
        self.refuse("changes none of its buffers and arguments", lambda x: x.add_(1), shapes="f32[8]", **torch_)
        self.refuse("ZeroDivisionError", lambda x: 1 / 0, shapes="f32[8]", **torch_)
        self.refuse(r"inputs\[0\]: expected an array, got int", self.layer, inputs=[3])
        self.refuse("expected shapes, such as", self.layer)

    def test_without_torch_mlir(self):
        with mock.patch.dict(sys.modules, {"torch_mlir": None, "torch_mlir.fx": None}):
            program = torch.export.export(self.layer.eval(), (self.x,))
            for source, options in ((self.layer, {"shapes": "f32[16,64]"}), (program, {})):
                with self.assertRaisesRegex(carousel.MissingPackageError, "expected the Python package 'torch-mlir', which graphs "
                                                                          "of torch need, got none; install it with pip"):
                    carousel.compile(source, **OPTIONS, **options)


if __name__ == "__main__":
    unittest.main()
