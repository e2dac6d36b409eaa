# ===- torch_operator_test.py - kernels as operators of PyTorch --------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Makes operators of kernels, checks them by torch.library.opcheck, and compares gradients with PyTorch's. Needs torch."""

import importlib.util
import unittest
from unittest import mock

import carousel

HAS_TORCH = importlib.util.find_spec("torch") is not None
N = 1024

if HAS_TORCH:
    import carousel.torch
    import torch
    from carousel.torch import _operator

rows = {"grid": "m", "width": N, "covers": "n"}


@carousel.kernel(**rows)
def scale_rows(x: "f32[m, n]", w: "f32[n]", factor: "f32", y: "out f32[m, n]", total: "out f32[m]"):
    row = carousel.program_id()
    v = x[row, :N] * w[:N] * factor
    y[row, :N] = v
    total[row] = v.sum()


@carousel.kernel(grid=1, width=N, covers="n")
def scale_rows_backward(x: "f32[m, n]", w: "f32[n]", factor: "f32", dy: "f32[m, n]", dx: "out f32[m, n]", parts: "out f32[p, n]"):
    dw = carousel.zeros(N, "f32")
    for row in carousel.range(0, x.shape[0]):
        g = dy[row, :N] * factor
        dx[row, :N] = g * w[:N]
        dw += g * x[row, :N]
    parts[0, :N] = dw


@carousel.kernel(**rows)
def double(x: "f32[m, n]", y: "out f32[m, n]"):
    row = carousel.program_id()
    y[row, :N] = x[row, :N] * 2.0


@carousel.kernel(**rows)
def double_backward(dy: "f32[m, n]", dx: "out f32[m, n]"):
    row = carousel.program_id()
    dx[row, :N] = dy[row, :N] * 2.0


@carousel.kernel(**rows)
def double_dy(dy: "f32[m, n]", y: "out f32[m, n]"):
    row = carousel.program_id()
    y[row, :N] = dy[row, :N] * 2.0


@carousel.kernel(**rows)
def sum_rows(x: "f32[m, n]", y: "out f32[m]"):
    row = carousel.program_id()
    y[row] = x[row, :N].sum()


@carousel.kernel(**rows)
def add_to(x: "inout f32[m, n]", y: "f32[m, n]"):
    row = carousel.program_id()
    x[row, :N] = x[row, :N] + y[row, :N]


@unittest.skipUnless(HAS_TORCH, "torch isn't installed")
class TorchOperatorTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        torch._dynamo.reset()

    def make_scale(self):
        backward = carousel.torch.operator(
            scale_rows_backward, "carousel_test::scale_rows_backward", simulate=True,
            results=lambda x, w, factor, dy: (torch.empty_like(x), x.new_empty(1, x.shape[1])))
        return carousel.torch.operator(scale_rows, "carousel_test::scale_rows", backward=backward, simulate=True,
                                       gradients={"w": lambda parts: parts.sum(0)})

    def check(self, operator, arguments):
        torch.library.opcheck(operator.definition, arguments)

    def test_gradients(self):
        scale = self.make_scale()
        x, w = torch.randn(3, 40, requires_grad=True), torch.randn(40, requires_grad=True)
        y, total = scale(x, w, 0.5)
        wanted = x * w * 0.5
        torch.testing.assert_close((y, total), (wanted, wanted.sum(-1)))
        self.assertFalse(total.requires_grad)  # no kernel computes its gradient
        weights = torch.linspace(-1, 1, 40)
        torch.testing.assert_close(torch.autograd.grad((y * weights).sum(), (x, w)), torch.autograd.grad((wanted * weights).sum(), (x, w)))
        # A gradient that is expanded in memory, and an input in another order.
        y, _ = scale(x.T.contiguous().T, w, 0.5)
        torch.testing.assert_close(torch.autograd.grad(y.sum(), (x, w)), torch.autograd.grad((x * w * 0.5).sum(), (x, w)))
        self.check(scale, (x, w, 0.5))
        self.check(scale, (x[:, ::2], w[::2], 0.25))

    def test_backward_kernel(self):
        op = carousel.torch.operator(double, "carousel_test::double", backward=double_backward, simulate=True)
        x = torch.randn(2, 24, requires_grad=True)
        (gradient,) = torch.autograd.grad(op(x).square().sum(), x)
        torch.testing.assert_close(gradient, 8 * x)
        self.check(op, (x,))
        torch.testing.assert_close(torch.ops.carousel_test.double(x), 2 * x)
        self.assertEqual(op(x[:0]).shape, (0, 24))

    def test_compiled(self):
        """torch.compile keeps the operator, for any extents, in the forward and the backward pass."""
        op = carousel.torch.operator(double, "carousel_test::double", backward=double_backward, simulate=True)
        graphs = []

        def backend(module, inputs):
            graphs.append(module)
            return module

        for own in (backend, "aot_eager"):
            run = torch.compile(lambda x: op(x.sin()) + 1, backend=own, dynamic=True, fullgraph=True)
            for rows in (2, 5):
                x = torch.randn(rows, 24, requires_grad=True)
                (gradient,) = torch.autograd.grad(run(x).sum(), x)
                torch.testing.assert_close(gradient, 2 * x.cos())
        self.assertEqual(len(graphs), 1)
        program = torch.export.export(mock_module(op), (torch.randn(2, 24),))
        self.assertIn("carousel_test.double.default", str(program.graph))

    def test_arguments_that_change(self):
        op = carousel.torch.operator(add_to, "carousel_test::add_to", simulate=True)
        x, y = torch.randn(2, 24), torch.randn(2, 24)
        wanted = x + y
        self.assertIsNone(op(x, y))
        torch.testing.assert_close(x, wanted)
        self.check(op, (x, y))
        with self.assertRaisesRegex(carousel.InvalidArgumentError, "x: expected a contiguous tensor, as the kernel changes it"):
            op(torch.randn(24, 2).T, y)

    def test_packages(self):
        """Inputs are those of the kernel in the package; without a GPU, fake tensors alone can show it."""
        package = carousel.compile([double, double_backward], chips="sm_90a", cuda_root="", emit="ptx", warn=False)
        op = carousel.torch.operator(package, "carousel_test::double_of_package", kernel="double")
        with torch._subclasses.fake_tensor.FakeTensorMode():
            self.assertEqual(op(torch.empty(3, 24)).shape, (3, 24))
        with self.assertRaisesRegex(NotImplementedError, "carousel_test::double_of_package"):
            op(torch.empty(3, 24))
        for message, options in (("kernel: expected one of double, double_backward, got None", {}),
                                 ("simulate: expected a kernel of carousel.kernel, got a package", {"kernel": "double", "simulate": True})):
            with self.assertRaisesRegex(carousel.InvalidArgumentError, message):
                carousel.torch.operator(package, "carousel_test::none", **options)

    def test_launches(self):
        """Of arguments in the kernel's order, compiled for the chip of the tensors."""
        launches = []

        class Kernel:
            def kernel(self, name):
                return lambda *values: launches.append((name, values))

        op = carousel.torch.operator(scale_rows, "carousel_test::scale_rows_2", chip="sm_80")
        values = torch.empty(2, 8), torch.empty(8), 0.5, torch.empty(2, 8), torch.empty(2)
        named = dict(zip(("x", "w", "factor", "y", "total"), values))
        with mock.patch.object(_operator, "compile_source", lambda source, chips: Kernel() if chips == "sm_80" else None):
            op._find_kernel(torch.device("cuda"))(*(named[slot.name] for slot in op.slots))
        ((name, got),) = launches
        self.assertEqual((name, [id(value) for value in got]), ("scale_rows", [id(value) for value in values]))

    def test_bad_input(self):
        op = carousel.torch.operator(double, "carousel_test::double_2", simulate=True)
        scale = self.make_scale()
        for message, call in (
                (r"double_2: x: expected f32\[m, n\], got torch.float64 of 2 dimensions", lambda: op(torch.zeros(2, 3).double())),
                (r"double_2: x: expected f32\[m, n\], got torch.float32 of 1 dimensions", lambda: op(torch.zeros(2))),
                (r"scale_rows: w: expected f32\[n\] with 3 in dimension 0, got 4", lambda: scale(torch.zeros(2, 3), torch.zeros(4), 1.0)),
                ("expected a kernel of carousel.kernel, or a package, got str", lambda: carousel.torch.operator("x", "carousel_test::x")),
                ("expected a function `results` of the inputs, as no input has an extent p as parts",
                 lambda: carousel.torch.operator(scale_rows_backward, "carousel_test::x")),
                ("expected inputs and results of carousel_test::y, and gradients of its results .*, got 'w'",
                 lambda: carousel.torch.operator(double, "carousel_test::y", backward=self.make_scale())),
                ("expected a gradient of each input of carousel_test::z, a result 'dw'",
                 lambda: carousel.torch.operator(scale_rows, "carousel_test::z", backward=double_backward)),
                (r"w_backward: dy: expected f32\[m\], as carousel_test::w has it, got f32\[m, n\]",
                 lambda: carousel.torch.operator(sum_rows, "carousel_test::w", backward=double_backward)),
                ("expected an operator that changes no input", lambda: carousel.torch.operator(
                    add_to, "carousel_test::v", backward=double_backward)),
                (r"double_3: y: expected f32\[m, n\] with 3 in dimension 1, got 4", lambda: carousel.torch.operator(
                    double, "carousel_test::double_3", simulate=True, results=lambda x: x.new_empty(2, 4))(torch.zeros(2, 3))),
                ("expected another name than that of the gradient of y, got dy", lambda: carousel.torch.operator(
                    double_dy, "carousel_test::t", backward=double_backward)),
                ("expected gradients and constants with a backward kernel, got none",
                 lambda: carousel.torch.operator(double, "carousel_test::u", constants=("x",)))):
            with self.subTest(message), self.assertRaisesRegex(carousel.InvalidArgumentError, message):
                call()


def mock_module(op):
    class Module(torch.nn.Module):
        def forward(self, x):
            return op(x)

    return Module()


if __name__ == "__main__":
    unittest.main()
