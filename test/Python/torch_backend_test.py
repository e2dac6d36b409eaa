# ===- torch_backend_test.py - torch.compile(backend="carousel") ------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Compiles models by torch.compile, and compares what the simulated machine computes with what PyTorch does. Needs torch and
torch-mlir."""

import copy
import importlib.util
import itertools
import os
import subprocess
import sys
import tempfile
import unittest
import warnings
import weakref
from pathlib import Path
from unittest import mock

import carousel

HAS_TORCH = all(importlib.util.find_spec(name) for name in ("torch", "torch_mlir"))
OPTIONS = {"chip": "sm_90a", "cpu": "simulate"}

if HAS_TORCH:
    import carousel.torch
    import torch
    from torch import nn
    from torch.nn import functional


def compile_model(model, dynamic=None, **options):
    return torch.compile(model, backend=carousel.torch.backend, dynamic=dynamic, options={**OPTIONS, **options})


@unittest.skipUnless(HAS_TORCH, "torch or torch-mlir isn't installed")
class TorchBackendTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        torch._dynamo.reset()
        carousel.torch.reset()

    def compare(self, function, *inputs, dynamic=None, **tolerance):
        wanted = function(*inputs)
        got = compile_model(function, dynamic)(*inputs)
        torch.testing.assert_close(got, wanted, **tolerance)
        return carousel.torch.report()

    def compare_gradients(self, function, *inputs):
        """Of a sum of results with factors that differ."""
        def step(run):
            own = [x.clone().requires_grad_() for x in inputs]
            result = run(*own)
            (result * torch.linspace(-1, 1, result.numel()).reshape(result.shape)).sum().backward()
            return [result.detach(), *(x.grad for x in own)]

        torch._dynamo.reset()
        carousel.torch.reset()
        torch.testing.assert_close(step(compile_model(function, False)), step(function), rtol=1e-4, atol=1e-4)
        return carousel.torch.report()

    def compare_step(self, model, x, **tolerance):
        """Results, gradients and buffers."""
        def step(run):
            model.zero_grad()
            own = x.clone().requires_grad_(x.is_floating_point())
            result = run(own)
            (result * torch.linspace(-1, 1, result.shape[-1])).sum().backward()
            weights = [own, *model.parameters()]
            return result.detach(), [each.grad.clone() for each in weights if each.grad is not None]

        state = {key: value.clone() for key, value in model.state_dict().items()}
        wanted, wanted_state = step(model), {key: value.clone() for key, value in model.state_dict().items()}
        model.load_state_dict(state)
        torch.testing.assert_close(step(compile_model(model)), wanted, **tolerance)
        torch.testing.assert_close(model.state_dict(), wanted_state, **tolerance)
        return carousel.torch.report()

    def test_inference(self):
        model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 8))
        with torch.no_grad():
            report = self.compare(model, torch.randn(4, 16))
        (graph,) = report.graphs
        self.assertEqual((graph.kind, len(graph.parts), graph.left_operators), ("inference", 1, 0))
        self.assertIn("operators in 1 programs, 0 with PyTorch", str(report))

    def test_training(self):
        model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 8), nn.LogSoftmax(-1))
        report = self.compare_step(model, torch.randn(4, 16))
        self.assertEqual([graph.kind for graph in report.graphs], ["forward", "backward"])
        self.assertEqual([graph.left_operators for graph in report.graphs], [0, 0])

    def test_attention(self):
        """Gradients of attention, of which no tensor of scores is saved."""
        attend = functional.scaled_dot_product_attention
        bias = torch.randn(24, 24)
        bits = torch.rand(24, 24) < 0.6
        bits[3] = False

        def function(q, k, v, mask, **options):
            return attend(q, k, v, mask, **options)

        q, k, v = (torch.randn(2, 4, 24, 8, requires_grad=True) for _ in range(3))
        few = k[:, :2].detach().requires_grad_()
        for keys, values, mask, options in ((k, v, None, {"is_causal": True}), (k, v, bits, {}), (k, v, bias, {"scale": 0.3}),
                                            (few, v[:, :2].detach().requires_grad_(), None, {"enable_gqa": True})):
            with self.subTest(options=options, mask=mask is not None):
                torch._dynamo.reset()
                carousel.torch.reset()
                gradients = []
                for run in (function, compile_model(function)):
                    result = run(q, keys, values, mask, **options)
                    weights = torch.linspace(-1, 1, 8)
                    gradients.append((result, *torch.autograd.grad((result * weights).sum(), (q, keys, values))))
                torch.testing.assert_close(gradients[1], gradients[0], rtol=1e-4, atol=1e-5)
                report = carousel.torch.report()
                self.assertEqual([graph.left_operators for graph in report.graphs], [0, 0], str(report))

    def test_heads_of_modules(self):
        report = self.compare_step(nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True), torch.randn(2, 6, 16),
                                   rtol=1e-4, atol=1e-5)
        self.assertEqual([graph.left_operators for graph in report.graphs], [0, 0], str(report))

    def test_what_is_saved(self):
        """A product that is larger than its factors is computed again, and widened elements are converted again."""
        from carousel.torch import _recompute

        saved = []
        divide = _recompute.min_cut_rematerialization_partition

        def note(joint, inputs, **options):
            forward, backward = divide(joint, inputs, **options)
            saved.extend(node.meta["val"] for node in backward.graph.find_nodes(op="placeholder"))
            return forward, backward

        def scores(q, k, v):
            return torch.softmax((q @ k.transpose(-1, -2)).float(), -1).bfloat16() @ v

        for function in (scores, functional.scaled_dot_product_attention):
            q, k, v = (torch.randn(2, 2, 48, 8, dtype=torch.bfloat16, requires_grad=True) for _ in range(3))
            torch._dynamo.reset()
            with mock.patch.object(_recompute, "min_cut_rematerialization_partition", note):
                compile_model(lambda *inputs, own=function: own(*inputs))(q, k, v).sum().backward()
            self.assertTrue(saved)
            self.assertEqual([list(each.shape) for each in saved if each.shape[-2:] == (48, 48)], [])
            self.assertFalse([each for each in saved if each.dtype == torch.float32 and each.shape[-1] == 8])
            saved.clear()

    def test_dynamic_shapes(self):
        model = compile_model(nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.LayerNorm(32)), dynamic=True)
        own = model._orig_mod
        with torch.no_grad():
            for rows in (5, 12):
                x = torch.randn(2, rows, 16)
                torch.testing.assert_close(model(x), own(x))
        (graph,) = carousel.torch.report().graphs  # compiled once
        self.assertEqual(graph.left_operators, 0, str(graph))

    def test_dynamic_attention(self):
        model = compile_model(lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True), dynamic=True)
        for length in (9, 16):
            q, k, v = (torch.randn(2, 2, length, 8, requires_grad=True) for _ in range(3))
            result = model(q, k, v)
            wanted = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            torch.testing.assert_close(result, wanted)
            torch.testing.assert_close(torch.autograd.grad(result.sum(), (q, k, v)), torch.autograd.grad(wanted.sum(), (q, k, v)),
                                       rtol=1e-4, atol=1e-5)
        self.assertEqual(len(carousel.torch.report().graphs), 2)
        self.assertEqual([graph.left_operators for graph in carousel.torch.report().graphs], [0, 0],
                         str(carousel.torch.report()))

    def test_buffers_that_change(self):
        class Counter(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("sum", torch.zeros(8))

            def forward(self, x):
                self.sum.add_(x.sum(0))
                x[0] = 0
                return x * self.sum

        for make in (lambda: nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()),):
            self.compare_step(make(), torch.randn(2, 3, 6, 6), rtol=1e-4, atol=1e-5)
        torch._dynamo.reset()
        eager, other = Counter(), Counter()
        run = compile_model(other)
        for _ in range(2):
            x = torch.randn(4, 8)
            y = x.clone()
            torch.testing.assert_close(run(y), eager(x))
            torch.testing.assert_close((y, other.sum), (x, eager.sum))

    def compare_calls(self, function, *arguments, count=2):
        """Results, and what becomes of arguments."""
        run, own, other = compile_model(function), copy.deepcopy(arguments), copy.deepcopy(arguments)
        for _ in range(count):
            torch.testing.assert_close(run(*own), function(*other), rtol=1e-4, atol=1e-5)
            torch.testing.assert_close(own, other, rtol=1e-4, atol=1e-5)
        return carousel.report(function)

    def test_donation(self):
        """Results that arguments get are written to their memory, unless something reads the old elements later."""
        def swap(x, y):
            old = x.clone()
            x.copy_(y)
            y.copy_(old)

        def read_elsewhere(x, y):
            before = torch.linalg.svdvals(x)
            x.add_(y)
            return before

        def read_as_a_view(x, y):
            rows = x[1:]
            x.mul_(2)
            return rows + 1, y

        def read_windows(x, y):
            windows = x.unfold(0, 4, 4)
            x.add_(y + windows[0].sum())
            return torch.linalg.svdvals(windows[1])

        def read_old_windows(x, y):
            windows = x.unfold(0, 4, 4)
            first, last = windows[0].sum(), torch.linalg.svdvals(windows[1] * 1.0)
            x.add_(y + first)
            return last

        def transpose(x, y):
            x.copy_(x.T + y)

        x, y = torch.rand(8, 8), torch.rand(8, 8)
        for function, arguments, donated in (
                (lambda x, y: x.add_(y).sum(), (x, y), 1), (lambda x, y: (x.mul_(y), y.sub_(1), x + y)[2], (x, y), 2),
                (lambda x, y: x.copy_(y.exp()), (x, y), 1), (lambda x, y: x.add_(y), (x.T, y), 1),
                (lambda x, y: x.add_(y), (torch.rand(8, 16)[:, ::2], y), 0), (swap, (x, y), 2), (read_elsewhere, (x, y), 0),
                (read_as_a_view, (x, y), 1), (read_windows, (x, y), None), (read_old_windows, (x, y), None), (transpose, (x, y), 1)):
            with self.subTest(donated=donated, function=function.__name__):
                torch._dynamo.reset()
                carousel.torch.reset()
                report = self.compare_calls(function, *arguments)
                if donated is not None:
                    self.assertEqual(sum(part.donated for part in report.parts), donated, str(report))

    def test_aliases(self):
        """What shares memory with an argument counts as a reader of it."""
        from torch.fx.experimental.proxy_tensor import make_fx

        from carousel.torch import _donate, _support

        def make(function):
            divided, (name,) = _support.divide(make_fx(function, tracing_mode="fake")(torch.rand(8, 8), torch.rand(8, 8)),
                                               carousel.torch.GraphReport(None, "inference"))
            return _donate.find_donated(divided, name)

        aten = torch.ops.aten
        for function, donated in (
                (lambda x, y: aten.copy_(x, aten.add(x, y)), 1),
                (lambda x, y: aten.copy_(x, aten.add(aten.unfold(x, 0, 8, 8)[0], y)), 0),
                (lambda x, y: (torch.linalg.svdvals(aten.unfold(x, 0, 8, 8)[0]), aten.copy_(x, aten.add(x, y))), 0)):
            self.assertEqual(len(make(function)), donated)

    def test_donation_of_dynamic_extents(self):
        run, x = compile_model(lambda x, y: x.add_(y.sum(0)), dynamic=True), torch.zeros(3, 5)
        for rows in (3, 7):
            x, y = torch.rand(rows, 5), torch.rand(2, rows, 5)
            wanted = x + y.sum(0)
            run(x, y)
            torch.testing.assert_close(x, wanted)
        self.assertEqual([part.donated for part in carousel.report().parts], [1])

    def test_optimizers(self):
        """Steps of optimizers are programs that update parameters and state in place."""
        for kind, options, donated in (
                ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1, "foreach": True}, 8),
                ("SGD", {"lr": 0.1, "maximize": True}, 4), ("Adam", {"amsgrad": True, "foreach": True}, 20),
                ("AdamW", {"lr": 0.01, "foreach": True}, 16), ("RMSprop", {"foreach": True}, 12)):
            with self.subTest(kind=kind, options=options):
                torch._dynamo.reset()
                carousel.torch.reset()
                models = [nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 4, dtype=torch.float64)) for _ in range(2)]
                models[1].load_state_dict(models[0].state_dict())
                optimizers = [getattr(torch.optim, kind)(model.parameters(), **options) for model in models]
                steps = optimizers[0].step, compile_model(optimizers[1].step)
                for _ in range(3):
                    for pair in zip(*(model.parameters() for model in models)):
                        gradient = torch.randn_like(pair[0])
                        for each in pair:
                            each.grad = gradient.clone()
                    for step in steps:
                        step()
                    torch.testing.assert_close(models[1].state_dict(), models[0].state_dict(), rtol=1e-5, atol=1e-6)
                    torch.testing.assert_close(optimizers[1].state_dict()["state"], optimizers[0].state_dict()["state"])
                graph = carousel.report().graphs[-1]
                self.assertEqual((sum(part.donated for part in graph.parts), graph.left_operators), (donated, 0), str(graph))

    def test_lists(self):
        """Other operators on lists than optimizers have."""
        def function(x, y):
            return (torch._foreach_maximum([x, y], 0.5), torch._foreach_lerp([x, y], [y, x], 0.3), torch._foreach_norm([x, y]),
                    torch._foreach_addcdiv([x, y], [y, x], [x, y], [0.5, 2.0]), torch._foreach_pow(2.0, [x, y]))

        report = self.compare(function, torch.rand(4, 8) + 1, torch.rand(4, 8) + 1)
        self.assertEqual(report.graphs[0].left_operators, 0, str(report))

    def test_layouts(self):
        """Tensors whose dimensions are in another order in memory, that have gaps, or that are views of others."""
        x = torch.randn(4, 6, 8)
        for name, value in (("transposed", x.transpose(0, 2)), ("sliced", x[:, ::2]), ("expanded", x[:1].expand(4, 6, 8)),
                            ("last channel", x[None].to(memory_format=torch.channels_last))):
            with self.subTest(name):
                torch._dynamo.reset()
                self.compare(lambda x: (x.exp() + 1, (x * 2).transpose(-1, -2), x.sum(-1), (x - 1)[..., 1]), value)
        wanted = (x.transpose(0, 2) * 2).stride()
        self.assertEqual(compile_model(lambda x: x * 2)(x.transpose(0, 2)).stride(), wanted)

    def test_types(self):
        for dtype in (torch.bfloat16, torch.float16, torch.float64, torch.int64, torch.int32, torch.uint8, torch.bool):
            with self.subTest(dtype):
                torch._dynamo.reset()
                x = (torch.rand(4, 8) * 10).to(dtype)
                self.compare(lambda x: (torch.where(x > 2, x, x * x), x.sum(-1)) if x.dtype != torch.bool else (~x, x & True), x)

    def test_what_stays_with_torch(self):
        def function(x):
            return (torch.fft.rfft(x.exp()).real + 1).relu(), torch.linalg.svdvals(x + 1)

        report = self.compare(function, torch.randn(4, 8), rtol=1e-4, atol=1e-4)
        (graph,) = report.graphs
        left = {name: (reason, place) for name, reason, place in graph.left}
        self.assertIn("aten._fft_r2c.default", left)
        self.assertRegex(left["aten._fft_r2c.default"][1], r"^torch_backend_test.py:\d+$")
        self.assertGreater(graph.taken_operators, 0)

    def test_tensors_of_a_gpu(self):
        """Fake ones, on a machine without: no device is in the way of torch-mlir, and constants of the host are filled in."""
        from torch._subclasses.fake_tensor import FakeTensorMode

        def function(x):
            mask = x.new_zeros(8, 8)
            mask[:4, :4] = 3
            mask[4:] = torch.tensor(-1.5)
            places = torch.arange(8, device=x.device) + x.new_ones((), dtype=torch.int64)
            return (x + mask) * torch.tensor(2.0) + places

        if torch.cuda.is_available():
            self.skipTest("a GPU, whose tensors programs would take")
        with FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad():
            compile_model(function, cpu="compile", rest="eager")(torch.empty(8, 8, dtype=torch.bfloat16, device="cuda"))
        report = carousel.torch.report()
        self.assertEqual([sum(graph.left.values()) for graph in report.graphs], [0], report)
        self.assertEqual([part.reason for part in report.parts], [""], report)
        self.compare(function, torch.randn(8, 8))

    def test_constants_in_parts(self):
        """A mask of shifted windows is computed once; one of indices is left to kernels."""
        def function(x):
            mask = x.new_zeros(8, 8)
            mask[:4, :4] = 3
            mask[4:, 2:] = -1.5
            windows = mask.view(2, 4, 2, 4).permute(0, 2, 1, 3).reshape(4, 16)
            differences = windows.unsqueeze(1) - windows.unsqueeze(2)
            masked = differences.masked_fill(differences != 0, -100.0)
            return x.relu().sum() + masked, x.masked_fill(torch.ones_like(x, dtype=torch.bool).tril(), 7)

        report = self.compare(function, torch.randn(8, 8))
        (part,) = report.parts
        self.assertEqual((part.reason, part.operators["aten.constant_pad_nd.default"], part.operators["aten.permute.default"]), ("", 0, 0))
        self.assertGreater(part.operators["aten.arange.start_step"], 0)

    def test_shifts(self):
        for dtype in (torch.int64, torch.int32, torch.int8):
            x = torch.arange(-64, 64, dtype=dtype)
            with self.subTest(dtype=dtype):
                torch._dynamo.reset()
                report = self.compare(lambda x: (x >> 3, x << 2, torch.bitwise_right_shift(x, 6), x >> 0), x)
                self.assertEqual(sum(sum(graph.left.values()) for graph in report.graphs), 0, report)

    def test_bytes_and_numbers(self):
        """Arithmetic of int8, at which torch-mlir ends the process."""
        x = torch.arange(-128, 128).to(torch.int8)
        report = self.compare(lambda x: (x * 4, x - 4, 4 - x, x // 4, x // -1, x % -3, x * 2.5, x / 4), x)
        self.assertEqual(sum(sum(graph.left.values()) for graph in report.graphs), 0, report)

    def test_splits_of_dynamic_rows(self):
        def function(x):
            q, k, v = (x * 2).split(8, -1)
            return q + 1, k.exp(), v

        x = torch.randn(3, 5, 24)
        for dim in (0, 1):
            torch._dynamo.mark_dynamic(x, dim)
        report = self.compare(function, x)
        self.assertEqual([part.reason for part in report.parts], [""], report)

    def test_copies(self):
        """What is copied to a new tensor has memory of its own."""
        for target in ((4, 3), (2, 4, 3)):
            with self.subTest(target=target):
                torch._dynamo.reset()
                x = torch.randn(4, 3)
                result = compile_model(lambda x, target=target: torch.empty(target).copy_(x))(x)
                wanted = x.expand(target).clone()
                x.zero_()
                result.add_(1)
                torch.testing.assert_close(result, wanted + 1)

    def test_trailing_views(self):
        """Views of what PyTorch computes don't divide a part."""
        torch.compile(lambda x: torch.linalg.svdvals((x * 2).relu()), backend=carousel.torch.backend, options=OPTIONS)(
            torch.randn(4, 8, requires_grad=True))
        self.assertEqual(len(carousel.report().parts), 1, str(carousel.report()))

    def test_scalars_of_the_host(self):
        """One that operators on a GPU take, such as a learning rate, is copied there; nothing else stays with PyTorch."""
        from torch._subclasses.fake_tensor import FakeTensorMode
        from torch.fx.experimental.proxy_tensor import make_fx

        from carousel.torch import _support

        with FakeTensorMode():
            x, y, rate = torch.empty(4, 8, device="cuda"), torch.empty(4, 8, device="cuda"), torch.empty(())
            module = make_fx(lambda x, y, rate: (x - y * rate, (x * rate).relu(), rate + 1))(x, y, rate)
        report = carousel.torch.GraphReport(None, "inference")
        divided, names = _support.divide(module, report)
        (part,) = (getattr(divided, name) for name in names)
        self.assertEqual({node.meta["val"].device.type for node in part.graph.nodes if "val" in node.meta}, {"cuda"})
        self.assertEqual(sorted(name for name, _, _ in report.left), ["aten._to_copy.default", "aten.add.Tensor"])

    def test_memory_of_arguments(self):
        """It's freed as soon as nothing reads an argument any more, as that of what a forward pass has saved."""
        from torch.fx.experimental.proxy_tensor import make_fx
        from torch.utils._python_dispatch import TorchDispatchMode

        from carousel.torch import _backend

        class Note(TorchDispatchMode):
            def __torch_dispatch__(self, function, types, arguments=(), options=None):
                if function is torch.ops.aten._linalg_svd.default:
                    alive.append(argument() is not None)
                return function(*arguments, **(options or {}))

        graph = make_fx(lambda x: (torch.linalg.svdvals(x.exp() + 1) * 2,), tracing_mode="fake")(torch.rand(4, 8))
        divided = _backend.DividedGraph(graph, carousel.torch.Options(**OPTIONS), "backward", None)
        alive, values = [], [torch.rand(4, 8)]
        argument = weakref.ref(values[0])
        with Note():
            divided(values)
        self.assertEqual((alive, values), ([False], []))

    def test_gradients_of_convolutions(self):
        """Of images and weights: strides, groups, dilations, more padding than kernels are wide."""
        cases = (((2, 4, 7, 6), (6, 2, 3, 3), 2, 1, 1, 2), ((1, 2, 4, 4), (3, 2, 2, 1), 1, 3, 1, 1),
                 ((1, 2, 4, 4, 3), (3, 2, 2, 1, 2), 2, 2, 1, 1), ((2, 4, 11), (5, 4, 3), 3, 1, 2, 1))
        for image, kernel, *options in cases:
            with self.subTest(image=image, kernel=kernel):
                self.compare_gradients(lambda x, w, options=options: torch.convolution(
                    x, w, None, *([each] * (x.dim() - 2) for each in options[:3]), False, [0] * (x.dim() - 2), options[3]),
                                       torch.randn(image), torch.randn(kernel))

    def test_gradients_of_depthwise_convolutions(self):
        """Where a kernel has many weights, PyTorch computes their gradient alone."""
        for image, kernel, options, left in (((2, 6, 11), (6, 1, 4), {"padding": 3}, 0), ((2, 6, 9, 8), (6, 1, 3, 3), {"padding": 1}, 1),
                                             ((2, 6, 9, 8), (6, 1, 2, 2), {"dilation": 2}, 0), ((2, 6, 9, 8), (6, 1, 3, 3), {"stride": 2}, 1)):
            with self.subTest(kernel=kernel, **options):
                convolve = functional.conv1d if len(image) == 3 else functional.conv2d
                report = self.compare_gradients(lambda x, w: convolve(x, w, groups=6, **options), torch.randn(image), torch.randn(kernel))
                self.assertEqual(sum(sum(graph.left.values()) for graph in report.graphs), left, str(report))
                self.assertEqual(len(report.parts), 2 if options.get("stride", 1) == 1 else 1)

    def test_gradients_of_pools(self):
        """Of windows that overlap, reach over the ends, and have equal elements."""
        for kernel, stride, padding, ceil_mode in ((2, 2, 0, False), (3, 2, 1, False), (3, 1, 1, False), (3, 2, 0, True), ((2, 3), (2, 1), (1, 0), False)):
            with self.subTest(kernel=kernel, stride=stride):
                report = self.compare_gradients(lambda x: functional.max_pool2d(x.round().relu(), kernel, stride, padding, ceil_mode=ceil_mode),
                                                torch.randn(2, 3, 11, 13))
                self.assertFalse([graph.left for graph in report.graphs if graph.left])

    def test_gradients_of_mean_pools(self):
        """Of windows that overlap, reach over the ends, and count zeros there or don't."""
        for kernel, stride, padding, options in ((2, 2, 0, {}), (3, 2, 1, {}), (3, 2, 1, {"count_include_pad": False}), (3, 1, 1, {"divisor_override": 5}),
                                                 (3, 2, 1, {"ceil_mode": True}), ((2, 3), (3, 1), (1, 0), {"ceil_mode": True, "count_include_pad": False})):
            with self.subTest(kernel=kernel, stride=stride, **options):
                report = self.compare_gradients(lambda x: functional.avg_pool2d(x.sin(), kernel, stride, padding, **options), torch.randn(2, 3, 11, 13))
                self.assertFalse([graph.left for graph in report.graphs if graph.left])
        report = self.compare_gradients(lambda x: functional.adaptive_avg_pool2d(x.sin(), (4, 2)), torch.randn(2, 3, 8, 6))
        self.assertFalse([graph.left for graph in report.graphs if graph.left])

    def test_gradients_of_averages(self):
        """A pool to one element, in both orders of memory, is in the program of its convolution."""
        for order in (torch.contiguous_format, torch.channels_last):
            with self.subTest(order=order):
                torch._dynamo.reset()
                carousel.torch.reset()
                model = nn.Sequential(nn.Conv2d(4, 8, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(1), nn.Linear(8, 3)).to(memory_format=order)
                x = torch.randn(2, 4, 8, 8).to(memory_format=order)
                gradients = []
                for run in (model, compile_model(model)):
                    model.zero_grad()
                    run(x).square().sum().backward()
                    gradients.append([each.grad.clone() for each in model.parameters()])
                torch.testing.assert_close(gradients[1], gradients[0], rtol=1e-4, atol=1e-5)
                report = carousel.torch.report()
                self.assertEqual([(sum(graph.left.values()), len(graph.parts)) for graph in report.graphs], [(0, 1)] * 2, report)

    def test_gradients_of_transposed_convolutions(self):
        for options, groups in (({"stride": 2}, 1), ({"stride": 2, "padding": 1, "output_padding": 1}, 1), ({"dilation": 2, "groups": 2}, 2)):
            with self.subTest(**options):
                report = self.compare_gradients(lambda x, w, options=options: functional.conv_transpose2d(x, w, **options),
                                                torch.randn(2, 4, 5, 6), torch.randn(4, 6 // groups, 3, 3))
                self.assertFalse([graph.left for graph in report.graphs if graph.left])

    def test_gradients_of_normalized_weights(self):
        self.assertFalse([graph.left for graph in self.compare_gradients(
            lambda v, g: torch._weight_norm_interface(v, g)[0].sin(), torch.randn(6, 5), torch.rand(6, 1)).graphs if graph.left])

    def test_normalized_groups(self):
        """Written with strides, which are those of other extents."""
        self.assertFalse(self.compare(lambda x: functional.group_norm(x, 4), torch.randn(2, 16, 5, 7), rtol=1e-5, atol=1e-5).graphs[-1].left)

    def test_indices(self):
        """Negative ones count from the end, in the gradient, too, which is a sum of rows, as of a table of relative positions. PyTorch
        computes that of other dimensions."""
        ids = torch.tensor([-2, 0, -2, 5] * 5)
        for function, shape, left in ((lambda x: x[ids].sin(), (7, 4), False), (lambda x: x[ids.view(4, 5), ids[:5]].sin(), (7, 6, 3), False),
                                      (lambda x: x[:, ids].sin(), (3, 7), True)):
            with self.subTest(shape=shape):
                report = self.compare_gradients(function, torch.randn(shape))
                self.assertEqual("aten.index_put.default" in {name for graph in report.graphs for name, _, _ in graph.left}, left)

    def test_extents_of_data(self):
        """PyTorch traces the gradient of the value with one place, of which there are three."""
        places = torch.tensor([2, 1, 4, 2, 2])
        report = self.compare_gradients(lambda x, value: x.index_fill(-1, places, value), torch.randn(5, 5), torch.tensor(-1.5))
        self.assertIn("extents that follow from data", {reason for graph in report.graphs for _, reason, _ in graph.left})
        carousel.torch.reset()
        # Masks of transformers are read so: the operator has PyTorch's tag, which is for masks as indices.
        report = self.compare(lambda x, i, j: x[i, j] * 2.0, torch.randn(5, 7), places[:, None], places[None, :])
        self.assertNotIn("extents that follow from data", {reason for graph in report.graphs for _, reason, _ in graph.left})

    def test_counts(self):
        """Of elements that no tensor in memory has, along extents that calls choose."""
        for shape in ((5, 6), (5, 6, 7), (4, 4, 4)):
            with self.subTest(shape=shape):
                report = self.compare(lambda x: torch.ones_like(x, dtype=torch.int64).sum(), torch.randn(shape), dynamic=True)
                self.assertFalse(report.graphs[-1].left)

    def test_diagonals(self):
        for offset, dim1, dim2 in ((0, 0, 1), (2, 1, 0), (-1, -1, 0), (3, 2, 1)):
            with self.subTest(offset=offset):
                report = self.compare_gradients(lambda x, y: x.sin().diagonal_scatter(y.cos(), offset, dim1, dim2), x := torch.randn(5, 4, 6),
                                                torch.randn(x.diagonal(offset, dim1, dim2).shape))
                self.assertFalse([graph.left for graph in report.graphs if graph.left])

    def test_updates(self):
        """Sums of rows are taken, and few updates of other kinds."""
        aten = torch.ops.aten
        ids = torch.tensor([1, 0, 1] * 6)
        for dim, count in ((0, 0), (1, 1)):
            y = torch.randn((18, 3) if dim == 0 else (3, 18))
            report = self.compare(lambda x, y, dim=dim: (x + 1).index_add(dim, ids, y, alpha=2), torch.randn(3, 3), y)
            self.assertEqual(len(report.graphs[-1].left), count)
        x, ids, y = torch.randn(6, 7), torch.randint(0, 7, (6, 2)), torch.randn(6, 2)
        functions = {"scatter": lambda x, i, y: (x.scatter(1, i, y), x.scatter(1, i, 2.5), x.scatter_add(1, i, y)),
                     "reducing": lambda x, i, y: (x.scatter(1, i, y, reduce="add"), x.scatter(1, i, 2.0, reduce="multiply")),
                     "rows": lambda x, i, y: (x.index_copy(1, i[0], y), x.index_fill(0, i[0] - 6, 2), x.index_add(1, i[1], y)),
                     "place": lambda x, i, y: (aten.index_put(x, [i, i - 7], y, True), aten.index_put(x, [None, i[0]], y)),
                     "mask": lambda x, i, y: aten.index_put(x, [x > 0], torch.tensor(0.5)),
                     "bf16": lambda x, i, y: x.bfloat16().scatter_add(1, i, y.bfloat16()), "gather": lambda x, i, y: x[0, 0].gather(0, i[0, 0] * 0)}
        for reduce, include_self in itertools.product(("sum", "mean", "prod", "amax", "amin"), (True, False)):
            functions[f"{reduce} {include_self}"] = lambda x, i, y, reduce=reduce, include_self=include_self: (
                x.scatter_reduce(1, i, y, reduce, include_self=include_self),
                x.index_reduce(1, i[0], y, reduce if reduce != "sum" else "prod", include_self=include_self))
        ids[1:] = ids[1:] % 6
        ids[0] = torch.tensor([3, 1])
        for name, function in functions.items():
            with self.subTest(name):
                torch._dynamo.reset()
                self.assertFalse(self.compare(function, x, ids, y).graphs[-1].left)

    def test_cache_of_keys(self):
        """One position of a cache is written in its memory, before the attention reads it."""
        def step(cache, at, keys, queries):
            cache.index_copy_(2, at, keys)
            return functional.scaled_dot_product_attention(queries, cache, cache)

        keys = torch.randn(1, 2, 1, 64)
        with torch.no_grad():
            report = self.compare_calls(step, torch.randn(1, 2, 300, 64), torch.tensor([77]), keys, keys)
        (part,) = report.parts
        self.assertEqual((part.donated, len(part.steps)), (1, 2))

    def test_bounds_of_nan(self):
        x = torch.tensor([torch.nan, torch.nan, 1.0, 0.0, torch.inf, -torch.inf, torch.nan, 2.0])
        y = torch.tensor([0.0, 1.0, torch.nan, 1.0, torch.nan, 1.0, torch.nan, -3.0])
        functions = {
            "clamp": lambda x, y: (x.clamp(-1, 1), x.clamp(0.5), x.clamp(max=0.5), x.clamp_min(0.5), x.clamp_max(0.5), x.clamp(2, 1)),
            "tensors": lambda x, y: (torch.maximum(x, y), torch.minimum(x, y), torch.clamp(x, y, y + 1), torch.clamp(x, max=y)),
            "functions": lambda x, y: (functional.hardtanh(x), functional.relu6(x), functional.relu(x)),
            "integers": lambda x, y: x.nan_to_num(0, 2, -2).long().clamp(0, 1),
        }
        for name, function in functions.items():
            with self.subTest(name):
                torch._dynamo.reset()
                carousel.torch.reset()
                report = self.compare(function, x, y, equal_nan=True)
                self.assertFalse(report.graphs[-1].left)

    def test_own_decompositions(self):
        """Special numbers of those that PyTorch leaves whole."""
        special = torch.tensor([torch.nan, torch.inf, -torch.inf, 0.0, -0.0, 3e38, 1e-30, 4.0])
        x, y = special.repeat_interleave(8), special.repeat(8)
        functions = {
            "fmax": torch.fmax, "fmin": torch.fmin, "hypot": torch.hypot, "angle": lambda x, _: x.angle(),
            "ldexp": lambda x, _: torch.ldexp(x, torch.arange(64, dtype=torch.int32) - 32),
            "max": lambda x, _: (x.nan_to_num(0, 2, -2) * 9).int().reshape(8, 8).max(0),
            "min": lambda x, _: (x.nan_to_num(0, 2, -2) * 9).int().reshape(8, 8).min(1, keepdim=True),
            "diagonal": lambda x, _: x.reshape(4, 16).diagonal(-1).abs() + x.reshape(16, 4).diagonal(1).abs(),
            "unfold": lambda x, _: x.reshape(4, 16).unfold(1, 5, 3).abs(),
            "places of NaN": lambda x, _: (x.reshape(8, 8).T.argmax(0), x.argmin(), x.reshape(8, 8).max(1), x[0].argmax()),
            "erfinv": lambda x, _: torch.erfinv(torch.cat([x / 4, torch.linspace(-1.5, 1.5, 60), 1 - torch.logspace(-7, -1, 9)])),
            "lgamma": lambda x, _: torch.lgamma(torch.linspace(-4.3, 40, 99)), "digamma": lambda x, _: torch.digamma(torch.linspace(-4.3, 40, 99)),
            "erfc": lambda x, _: (torch.erfc(torch.linspace(-3, 9, 99)), torch.special.erfcx(torch.linspace(-3, 40, 99))),
            "trigamma": lambda x, _: torch.polygamma(1, torch.linspace(-4.3, 40, 99)),
            "bucketize": lambda x, _: (torch.bucketize(x, torch.arange(-2.0, 4.0)), torch.bucketize(x, torch.arange(-2.0, 4.0), right=True)),
            "roll": lambda x, _: (x.roll(-3), x.reshape(8, 8).roll((1, -2), (0, 1))), "fmod": lambda x, _: torch.fmod(torch.arange(-9, 9), -4),
            "prod": lambda x, _: x.reshape(8, 8).nan_to_num(0, 2, -2).prod(1), "pad": lambda x, _: functional.pad(x, (-3, 2)) * 2,
            "topk": lambda x, _: torch.topk(torch.linspace(1, 9, 60).sin().reshape(6, 10), 3),
        }
        for name, function in functions.items():
            with self.subTest(name):
                torch._dynamo.reset()
                carousel.torch.reset()
                report = self.compare(function, x, y, equal_nan=True, rtol=1e-6, atol=0)
                self.assertFalse(report.graphs[-1].left)

    def test_graph_breaks(self):
        def function(x):
            y = x.exp()
            print("", end="", file=sys.stderr)
            return y * 2 if y.sum() > 0 else y

        self.compare(function, torch.randn(4, 8))
        self.assertGreater(len(carousel.torch.report().graphs), 1)

    def test_data_parallel(self):
        """Two processes that PyTorch's DistributedDataParallel puts together, around a compiled model and inside of one."""
        program = """
import copy, sys, torch, carousel.torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel
rank, path = int(sys.argv[1]), sys.argv[2]
distributed.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=2)
def compile(model):
    return torch.compile(model, backend=carousel.torch.backend, options={"chip": "sm_90a", "cpu": "simulate"})
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    def forward(self, x):
        return self.layers(x)
torch.manual_seed(0)
whole, x = Model(), torch.randn(2, 4, 8)
whole(x).square().mean().backward()
wanted = [each.grad.clone() for each in whole.parameters()]
for make in (lambda model: DistributedDataParallel(compile(model)), lambda model: compile(DistributedDataParallel(model))):
    torch._dynamo.reset()
    carousel.torch.reset()
    own = copy.deepcopy(whole)
    own.zero_grad()
    parallel = make(own)
    parallel(x[rank]).square().mean().backward()
    torch.testing.assert_close([each.grad for each in own.parameters()], wanted)
    assert sum(graph.taken_operators for graph in carousel.torch.report().graphs) > 8, carousel.torch.report()
print("right")
distributed.destroy_process_group()
"""
        with tempfile.TemporaryDirectory() as folder:
            ranks = [subprocess.Popen([sys.executable, "-c", program, str(rank), str(Path(folder) / "meeting")], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True) for rank in range(2)]
            for output, errors in [rank.communicate(timeout=300) for rank in ranks]:
                self.assertEqual(output.strip(), "right", errors)

    def test_dropout(self):
        """Programs compute which elements stay from a seed of PyTorch's generator, in both passes."""
        x = torch.ones(64, 101, requires_grad=True)
        run = compile_model(lambda x: functional.dropout(x, 0.25))
        result = run(x)
        result.sum().backward()
        self.assertTrue(torch.equal(result.detach(), x.grad))
        self.assertEqual(result.unique().tolist(), [0, torch.tensor(1 / 0.75).item()])
        draws = []
        for seed in (1, 1, 2):
            torch.manual_seed(seed)
            draws.append(run(x))
        self.assertTrue(torch.equal(draws[0], draws[1]))
        self.assertGreater((draws[0] != draws[2]).float().mean(), 0.3)
        self.assertGreater((draws[1] != run(x)).float().mean(), 0.3)
        report = carousel.torch.report()
        self.assertEqual([dict(graph.left).keys() for graph in report.graphs][1:], [dict().keys()] * (len(report.graphs) - 1))

    def test_dropout_in_place(self):
        """Noise that a tensor is filled with: of elements, of channels, and of rows as stochastic depth has it."""
        def drop_rows(x):
            return x * x.new_empty(len(x), 1).bernoulli_(0.75).div_(0.75)

        for function in (lambda x: functional.dropout(x * 1, 0.25, inplace=True), lambda x: functional.dropout1d(x, 0.25), drop_rows):
            x = torch.ones(128, 37, requires_grad=True)
            run = compile_model(function)
            result = run(x)
            result.sum().backward()
            self.assertTrue(torch.equal(result.detach(), x.grad))
            self.assertEqual(result.unique().tolist(), [0, torch.tensor(1 / 0.75).item()])
            if function is drop_rows:
                self.assertTrue(torch.equal(result, result[:, :1].expand_as(result)))
            self.assertGreater((run(x) != run(x)).double().mean().item(), 0.2)
        for graph in carousel.torch.report().graphs:
            self.assertLessEqual({name for name, *_ in graph.left}, {"aten.randint.low", "aten.unbind.int"})

    def test_dropout_of_dynamic_extents(self):
        run = compile_model(lambda x: functional.dropout(x, 0.5) * 2, dynamic=True)
        for rows in (64, 67, 100):
            x = torch.ones(rows, 33, requires_grad=True)
            result = run(x)
            result.sum().backward()
            self.assertTrue(torch.equal(result.detach(), x.grad))
            self.assertTrue(0.4 < (result == 0).double().mean() < 0.6)
        self.assertEqual([part.reason for part in carousel.torch.report().parts], ["", ""], carousel.torch.report())

    def test_dropout_hash(self):
        """As many elements stay as are asked for; neighbours, rows and seeds have nothing to do with each other."""
        from carousel.torch._random import keep

        def draw(low, high, probability=0.5):
            return keep((512, 1024), probability, torch.tensor([low, high], dtype=torch.int32)).double()

        for low, high in ((0, 0), (1, 0), (0, 1), (-1, -1), (123456789, -987654321)):
            for probability in (0.1, 0.5, 0.9):
                stays = draw(low, high, probability)
                deviation = (probability * (1 - probability))**0.5
                self.assertLess(abs(stays.mean().item() - 1 + probability), 5 * deviation / stays.numel()**0.5)
                for along, most in ((0, 1024), (1, 512)):
                    self.assertLess((stays.mean(along) - 1 + probability).abs().max().item(), 5.5 * deviation / (stays.numel() / most)**0.5)
        signs = 2 * draw(5, 7) - 1
        for other in [signs.roll(by, along) for by in (1, 2, 16, 64) for along in (0, 1)] + [
                2 * draw(*seed) - 1 for seed in ((6, 7), (5, 8), (4, 7), (5 + 1024, 7), (7, 5))]:
            self.assertLess(abs((signs * other).mean().item()), 5 / signs.numel()**0.5)

    def test_dropout_of_attention(self):
        """Beside the formula in f64, with the elements that the same seed keeps."""
        from carousel.torch._random import draw, keep

        def attend(q, k, v):
            return functional.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=0.25)

        inputs = [torch.randn(2, 3, 67, 16) for _ in range(3)]
        weights = torch.linspace(-1, 1, inputs[0].numel()).reshape(inputs[0].shape)
        own, wide = ([each.detach().clone().to(dtype).requires_grad_() for each in inputs] for dtype in (torch.float32, torch.float64))
        torch.manual_seed(5)
        result = compile_model(attend)(*own)
        (result * weights).sum().backward()
        torch.manual_seed(5)
        stays = keep((2, 3, 67, 67), 0.25, draw(1, "cpu")[0])
        q, k, v = wide
        scores = (q @ k.mT / 4).masked_fill(~torch.ones(67, 67, dtype=torch.bool).tril(), -torch.inf)
        wanted = (scores.softmax(-1) * stays / 0.75) @ v
        (wanted * weights).sum().backward()
        torch.testing.assert_close(result.double(), wanted, rtol=1e-4, atol=1e-4)
        for each, expected in zip(own, wide):
            torch.testing.assert_close(each.grad.double(), expected.grad, rtol=1e-4, atol=1e-4)
        report = carousel.torch.report()
        self.assertEqual({name for graph in report.graphs for name, _, _ in graph.left}, {"aten.randint.low", "aten.unbind.int"})

    def test_dropout_of_a_checkpoint(self):
        """What is computed again has the same seed."""
        from torch.utils.checkpoint import checkpoint

        def function(x):
            return checkpoint(lambda x: functional.dropout(x.sin(), 0.5).exp(), x, use_reentrant=False)

        x = torch.full((64, 64), 0.5, requires_grad=True)
        result = compile_model(function)(x)
        result.sum().backward()
        stays = result.detach() != 1
        self.assertTrue(0.4 < stays.double().mean() < 0.6)
        torch.testing.assert_close(x.grad, torch.where(stays, result * 2 * x.cos(), 0).detach())

    def test_seeds_of_dropout(self):
        """One call draws those of a graph, and equal calls of the model have seeds of their own."""
        x = torch.ones(512, 8)
        first, second = compile_model(lambda x: (functional.dropout(x, 0.5), functional.dropout(x, 0.5)))(x)
        self.assertFalse(torch.equal(first, second))
        (graph,) = carousel.torch.report().graphs
        self.assertEqual(sorted((name, count) for (name, _, _), count in graph.left.items()), [("aten.randint.low", 1), ("aten.unbind.int", 1)])

    def test_random_numbers(self):
        """Where Inductor is to draw as PyTorch does, so that its generator's state decides, dropout is PyTorch's, also when a part
        computes the rest."""
        def draw(x):
            first, second = functional.dropout(x * 2), functional.dropout(x)
            return first, second, x.exp(), torch.linalg.svdvals(x).sum().cos().sin()

        x = torch.randn(8, 8)
        torch.manual_seed(1)
        wanted = draw(x)
        for rest in ("eager", "inductor"):
            with self.subTest(rest=rest), torch._inductor.config.patch(fallback_random=True):
                torch._dynamo.reset()
                torch.manual_seed(1)
                torch.testing.assert_close(compile_model(draw, rest=rest)(x), wanted)

    def test_autocast(self):
        model = nn.Sequential(nn.Linear(16, 16), nn.LayerNorm(16))

        def function(x):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                y = model(x)
                return functional.scaled_dot_product_attention(y, y, y)

        with torch.no_grad():
            self.compare(function, torch.randn(2, 8, 16), rtol=2e-2, atol=2e-2)

    def test_autocast_of_a_step(self):
        """Products have factors of bf16 forward and backward, and gradients of f32."""
        model, x = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.LayerNorm(32), nn.Linear(32, 8)), torch.randn(4, 16)

        def step(run):
            model.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = run(x).square().mean()
            loss.backward()
            return loss.detach(), [each.grad.clone() for each in model.parameters()]

        products = []
        from carousel.torch import _part

        take = _part.import_graph

        def note(module):
            products.extend(node.args[0].meta["val"].dtype for node in module.graph.nodes
                            if node.op == "call_function" and node.target._opname in ("mm", "addmm"))
            return take(module)

        with mock.patch.object(_part, "import_graph", note):
            torch.testing.assert_close(step(compile_model(model)), step(model), rtol=2e-2, atol=2e-2)
        self.assertGreater(len(products), 4)
        self.assertNotIn(torch.float32, products)
        self.assertEqual([graph.left_operators for graph in carousel.report().graphs], [0, 0], str(carousel.report()))

    def test_numerics_flags(self):
        """Products of f32 have tf32 where PyTorch's flag allows it, and the cache tells them apart."""
        x = torch.randn(16, 16)
        self.addCleanup(torch.set_float32_matmul_precision, torch.get_float32_matmul_precision())
        keys = []
        for precision in ("highest", "high"):
            torch.set_float32_matmul_precision(precision)
            torch._dynamo.reset()
            carousel.torch.reset()
            compile_model(torch.mm)(x, x)
            keys.append(carousel.torch.report().parts[0].key)
        self.assertNotEqual(*keys)

    def test_options(self):
        for message, options in (("options: expected chip, cpu, libraries, rest, got 'shape'", {"shape": 1}),
                                 ("cpu: expected torch, simulate, compile, got 'gpu'", {"cpu": "gpu"}),
                                 ("rest: expected auto, inductor, eager, got 'torch'", {"rest": "torch"})):
            with self.assertRaisesRegex(Exception, message):
                torch._dynamo.reset()
                compile_model(torch.exp, **options)(torch.randn(3))
        # Without options, tensors of the CPU stay with PyTorch.
        torch._dynamo.reset()
        torch.compile(torch.exp, backend=carousel.torch.backend)(torch.randn(3))
        (graph,) = carousel.torch.report().graphs
        self.assertEqual((graph.kind, graph.taken_operators, graph.left_operators), ("whole", 0, 1))
        self.assertRegex(str(graph), "whole: 1 with PyTorch: expected tensors on a CUDA device.*\n  graph: 1 operators one by one$")

    def refuse_parts(self, *operators):
        """Makes the importer refuse parts with these operators, or all."""
        from carousel.torch import _part

        take = _part.import_graph

        def refuse(module):
            if not operators or any(node.op == "call_function" and node.target._opname in operators for node in module.graph.nodes):
                raise _part.Refused("expected a test, got one")
            return take(module)

        patch = mock.patch.object(_part, "import_graph", refuse)
        patch.start()
        self.addCleanup(patch.stop)

    def test_refusals(self):
        """A part that the importer or the compiler refuses is right all the same, with a warning. If little else is left, the
        whole graph stays with PyTorch as Dynamo has traced it, with PyTorch's attention."""
        self.refuse_parts()
        for rest in ("eager", "inductor"):
            torch._dynamo.reset()
            carousel.torch.reset()
            model = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
            x = torch.randn(2, 6, 16)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = compile_model(model, rest=rest)(x)
            torch.testing.assert_close(result, model(x))
            result.sum().backward()
            (graph,) = carousel.torch.report().graphs
            self.assertEqual((graph.kind, graph.reason, graph.taken_operators), ("whole", "expected a test, got one", 0))
            self.assertEqual([each.compiler for each in graph.rest], [rest])
            self.assertIn("multi_head_attention_forward", graph.rest[0].operators)
            self.assertIn("a part of a model stays with PyTorch: expected a test, got one", [str(each.message) for each in caught])

    def test_refused_part(self):
        """Operators beside a part that is refused are compiled with it."""
        self.refuse_parts("tanh")

        def function(x):
            y = (x.exp() * 2 + 1).relu() - x.sqrt().sum(-1, keepdim=True)
            return torch.nextafter((torch.nextafter(y, x) * 2).tanh() + 1, x)

        x = torch.rand(4, 8) + 1
        wanted = function(x)
        for rest in ("eager", "inductor"):
            torch._dynamo.reset()
            carousel.torch.reset()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                torch.testing.assert_close(compile_model(function, rest=rest)(x), wanted, equal_nan=True)
            (graph,) = carousel.torch.report().graphs
            self.assertEqual(sorted(part.is_taken for part in graph.parts), [False, True], str(graph))
            self.assertEqual([(each.compiler, sum(each.operators.values())) for each in graph.rest],
                             [("inductor", 5)] if rest == "inductor" else [], str(graph))

    def test_rest_of_dynamic_shapes(self):
        def function(x, y):
            return torch.nextafter(torch.copysign(x.exp() @ y, -y[:1]), y[:1]), x.shape[0] * y

        run = compile_model(function, dynamic=True, rest="inductor")
        for rows in (3, 7):
            x, y = torch.rand(rows, 8), torch.rand(8, rows + 1)
            torch.testing.assert_close(run(x, y), function(x, y))
        (graph,) = carousel.torch.report().graphs
        self.assertEqual([each.compiler for each in graph.rest], ["inductor"], str(graph))

    def test_report(self):
        """Of one model: kernels with their bounds, and places in the model, also those of a program from the cache."""
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm, self.layers = nn.LayerNorm(16), nn.Sequential(nn.Linear(16, 64), nn.ReLU())

            def forward(self, x):
                return torch.linalg.svdvals(self.layers(self.norm(x)))

        def scale(x):
            return x * 2

        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(
                os.environ, {"CAROUSEL_CACHE_DIR": folder, "CAROUSEL_CACHE_DISABLE": "0"}):
            for origin in ("compiled", "cache"):
                torch._dynamo.reset()
                carousel.torch.reset()
                own, other = Block(), Block().double()
                for each in (own, other, scale):
                    compiled = compile_model(each, cpu="compile")
                    compiled(torch.randn(4, 16, dtype=torch.float64 if each is other else None))
                self.assertEqual(len(carousel.report().graphs), 3)
                self.assertEqual(carousel.report(nn.Linear(2, 2)).graphs, [])
                self.assertEqual(len(carousel.report(Block()).graphs), 2)
                (graph,) = carousel.report(compiled).graphs
                self.assertEqual(list(graph.parts[0].operators), ["aten.mul.Tensor"])
                report = carousel.report(own)
                (graph,) = report.graphs
                self.assertIn("cache" if origin == "cache" else "compiled", graph.parts[0].origin)
                steps = [step for _, _, step in report.steps]
                self.assertGreater(len(steps), 1)
                self.assertTrue(all(0 < step.bound <= step.predicted for step in steps))
                text = str(report)
                self.assertRegex(text, r"sum x 2, elementwise x \d+ at torch_backend_test.py:\d+ self.norm")
                self.assertRegex(text, r"(product|matmul).* at torch_backend_test.py:\d+ self.layers.0")
                self.assertRegex(text, r"aten._linalg_svd.default at torch_backend_test.py:\d+: no operator")

    def test_measured_times(self):
        class Event:
            def __init__(self, enable_timing):
                self.is_timed = enable_timing

            def record(self):
                pass

            def elapsed_time(self, other):
                return 0.125

        run, x = compile_model(torch.exp), torch.randn(4)
        run(x)
        with mock.patch.multiple(torch.cuda, Event=Event, is_available=lambda: True, synchronize=lambda: None), \
                carousel.torch.measure():
            run(x)
        run(x)
        (graph,) = carousel.report().graphs
        self.assertEqual((graph.times, graph.parts[0].times), ([125.0], []))  # the simulated machine isn't timed
        self.assertIn("0 with PyTorch, 125.0 us", str(graph))

    def test_without_inductor(self):
        """The report says why Inductor can't be used."""
        from torch._inductor import cpp_builder, exc

        def find_none():
            raise exc.InvalidCxxCompiler()

        model = nn.Linear(4, 4)
        with mock.patch.object(cpp_builder, "get_cpp_compiler", find_none), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(2):
                torch._dynamo.reset()
                compile_model(model, cpu="torch", rest="inductor")(torch.randn(2, 4)).sum().backward()
        (rest,) = carousel.torch.report().graphs[0].rest
        self.assertEqual(rest.compiler, "eager")
        self.assertIn("expected a C++ compiler for Inductor, got none", rest.reason)
        self.assertIn(rest.reason, str(carousel.torch.report()))
        self.assertEqual(len([each for each in caught if "Inductor doesn't get" in str(each.message)]), 1)

    def test_cache(self):
        """Another process finds the program, also without the importer and the compiler."""
        program = """
import sys
if sys.argv[1] == "bare":
    sys.modules["torch_mlir"] = None
    import carousel._compiler
    carousel._compiler.library = None
import torch, carousel.torch
from carousel import _cache
if sys.argv[1] == "bare":
    _cache.find_compiler = lambda end: ""
x = torch.ones(4, 8, dtype=torch.bfloat16, requires_grad=True)
y = torch.compile(lambda x: (x @ x.T).softmax(-1), backend=carousel.torch.backend, options={"chip": "sm_90a", "cpu": "compile"})(x)
y.sum().backward()
print(" ".join(part.origin for part in carousel.torch.report().parts))
"""
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "CAROUSEL_CACHE_DIR": folder, "CAROUSEL_CACHE_DISABLE": "0"}
            origins = [subprocess.run([sys.executable, "-c", program, mode], env=environment, check=True, capture_output=True,
                                      text=True).stdout.strip() for mode in ("whole", "whole", "bare")]
            self.assertEqual(origins, ["compiled compiled", "cache cache", "cache cache"])
            self.assertEqual(len(list((Path(folder) / "torch").iterdir())), 2)


if __name__ == "__main__":
    unittest.main()
