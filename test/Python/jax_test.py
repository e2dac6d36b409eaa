# ===- jax_test.py - carousel.jax ----------------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Compiles functions by carousel.jax.jit, and compares what the simulated machine computes with what XLA does. Needs JAX."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import carousel
from carousel import CompileWarning, InvalidArgumentError

HAS_JAX = importlib.util.find_spec("jax") is not None
OPTIONS = {"chip": "sm_90a", "cpu": "simulate"}

if HAS_JAX:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=2"
    import carousel.jax
    from carousel.jax import _divide
    import jax
    import jax.numpy as jnp
    import numpy
    from jax.sharding import AxisType, NamedSharding, PartitionSpec

    def draw(number, *extents):
        return jax.random.normal(jax.random.fold_in(jax.random.key(0), number), extents)

    def mlp(p, x):
        return jax.nn.gelu(x @ p["w"] + p["b"]) @ p["v"], x

    def count(x):
        return jax.lax.while_loop(lambda c: c.sum() < 10, lambda c: c + 1, x)

    def loss(function):
        return lambda p, x: jnp.square(function(p, x)[0]).sum()

    def compile_function(function, **options):
        return carousel.jax.jit(function, **{**OPTIONS, **options})

    @carousel.kernel(grid="ceildiv(n, 128)")
    def axpy(x: "f32[n]", a: "f32", y: "inout f32[n]", z: "out f32[n]"):
        i = carousel.program_id(0) * 128
        v = a * x[i:i + 128] + y[i:i + 128]
        y[i:i + 128] = v
        z[i:i + 128] = v * 2

    @carousel.kernel(grid="1")
    def divide(x: "f32[n]", a: "f32", y: "out f32[n]"):
        y[0:64] = x[0:64] / a

    @carousel.kernel(grid="1")
    def increment(x: "inout i8[n]"):
        x[0:64] = x[0:64] + 1


@unittest.skipUnless(HAS_JAX, "JAX isn't installed")
class JAXTest(unittest.TestCase):
    def setUp(self):
        carousel.jax.reset()
        self.p = {"w": draw(1, 16, 32), "b": draw(2, 32), "v": draw(3, 32, 8)}
        self.x = draw(4, 4, 16)

    def compare(self, got, wanted, tolerance=1e-4):
        self.assertEqual(jax.tree_util.tree_structure(got), jax.tree_util.tree_structure(wanted))
        for each, other in zip(jax.tree_util.tree_leaves(got), jax.tree_util.tree_leaves(wanted)):
            self.assertEqual((each.shape, each.dtype), (other.shape, other.dtype))
            numpy.testing.assert_allclose(numpy.asarray(each, numpy.float32), numpy.asarray(other, numpy.float32),
                                          rtol=tolerance, atol=tolerance)

    def kinds(self):
        """Of the graphs, all of which have to be programs."""
        graphs = carousel.jax.report().graphs
        self.assertEqual([str(graph) for graph in graphs if graph.left_operators], [])
        return [graph.kind for graph in graphs]

    def test_function(self):
        self.compare(compile_function(mlp)(self.p, self.x), mlp(self.p, self.x))
        self.assertEqual(self.kinds(), ["function"])
        self.assertIn("operators in 1 programs, 0 with XLA", str(carousel.jax.report()))

    def test_weak_types(self):
        """Of results as of arguments: they take the type of what they meet."""
        result = carousel.jax.jit(lambda x: x * 2 + 1, **OPTIONS)(1.0)
        self.assertEqual((result * jnp.ones(3, jnp.bfloat16)).dtype, jnp.bfloat16)

    def test_gradient(self):
        """Of the parameters alone: no gradient of x is computed."""
        got = jax.jit(jax.grad(loss(compile_function(mlp))))(self.p, self.x)
        self.compare(got, jax.grad(loss(mlp))(self.p, self.x), 1e-3)
        self.assertEqual(self.kinds(), ["forward", "backward"])
        whole = compile_function(jax.value_and_grad(loss(mlp)))(self.p, self.x)
        self.compare(whole, jax.value_and_grad(loss(mlp))(self.p, self.x), 1e-3)

    def test_policies(self):
        for policy in (None, jax.checkpoint_policies.nothing_saveable):
            with self.subTest(policy=policy):
                got = jax.grad(loss(compile_function(mlp, policy=policy)))(self.p, self.x)
                self.compare(got, jax.grad(loss(mlp))(self.p, self.x), 1e-3)

    def test_second_derivative(self):
        function = compile_function(lambda x: jnp.sin(x) * x)
        self.compare(jax.grad(jax.grad(function))(2.0), jax.grad(jax.grad(lambda x: jnp.sin(x) * x))(2.0))
        with self.assertRaisesRegex(TypeError, "forward-mode"):
            jax.jvp(function, (2.0,), (1.0,))

    def test_batches(self):
        xs = draw(5, 3, 4, 16)
        function = compile_function(mlp)
        self.compare(jax.vmap(function, (None, 0))(self.p, xs), jax.vmap(mlp, (None, 0))(self.p, xs))
        self.compare(jax.vmap(jax.grad(loss(function)), (None, 0))(self.p, xs),
                     jax.vmap(jax.grad(loss(mlp)), (None, 0))(self.p, xs), 1e-3)
        self.assertEqual(self.kinds(), ["function", "forward", "backward"])

    def test_attention(self):
        """No tensor of scores is saved, or in memory."""
        def attend(q, k, v):
            return jax.nn.dot_product_attention(q, k, v, is_causal=True)

        factors = [draw(number, 1, 32, 2, 16) for number in range(3)]
        weights = jnp.linspace(-1, 1, 16)
        self.compare(*(jax.grad(lambda *own: (function(*own) * weights).sum(), (0, 1, 2))(*factors)
                       for function in (compile_function(attend), attend)), 1e-3)
        self.assertEqual(self.kinds(), ["forward", "backward"])

    def test_arguments(self):
        """Constants, static arguments, weak types, integers, results that are arguments."""
        w = draw(6, 16, 16)

        def function(x, n, flag=True):
            return (x @ w * n if flag else x), n

        compiled = compile_function(function, static_argnames=("flag",))
        self.compare(compiled(self.x, 2.0), jax.jit(function)(self.x, 2.0))
        narrow = self.x.astype(jnp.bfloat16)
        self.compare(compiled(narrow, 2, flag=False), jax.jit(function, static_argnames="flag")(narrow, 2, flag=False))
        ids = jnp.array([1, 0, 2])
        self.compare(compile_function(lambda ids, x: x[ids] * 2)(ids, self.x), self.x[ids] * 2)
        self.compare(jax.grad(lambda w: compile_function(lambda x: jnp.tanh(x @ w))(self.x).sum())(w),
                     jax.grad(lambda w: jnp.tanh(self.x @ w).sum())(w))
        self.compare(compile_function(lambda x: x + 1, donate_argnums=0)(self.x + 0), self.x + 1)

    def test_inside(self):
        function = compile_function(lambda x: jnp.sin(x) * x)
        self.compare(jax.lax.scan(lambda x, _: (function(x), None), self.x, None, length=2)[0],
                     jnp.sin(jnp.sin(self.x) * self.x) * jnp.sin(self.x) * self.x)
        carousel.jax.reset()
        self.compare(compile_function(lambda x: function(x) + 1)(self.x), jnp.sin(self.x) * self.x + 1)
        self.assertEqual(self.kinds(), ["function"])

    def test_devices(self):
        """Each device runs the program of its part."""
        mesh = jax.make_mesh((2,), ("d",), axis_types=(AxisType.Auto,))
        spec = PartitionSpec("d")
        function = compile_function(mlp)
        run = jax.jit(jax.shard_map(lambda p, x: function(p, x)[0], mesh=mesh, in_specs=(PartitionSpec(), spec), out_specs=spec))
        self.compare(run(self.p, self.x), mlp(self.p, self.x)[0])
        self.compare(jax.grad(lambda p: jnp.square(run(p, self.x)).sum())(self.p), jax.grad(loss(mlp))(self.p, self.x), 1e-3)
        self.kinds()
        self.compare(function(self.p, jax.device_put(self.x, NamedSharding(mesh, spec))), mlp(self.p, self.x))

    def test_parts(self):
        """Equations that stay with XLA, between programs."""
        def drop(p, x, key):
            h = jax.nn.gelu(x @ p["w"] + p["b"])
            y = jnp.where(jax.random.bernoulli(key, 0.9, h.shape), h / 0.9, 0) @ p["v"]
            return y - y.mean(-1, keepdims=True)

        def several(x):
            a = jnp.tanh(x @ x.T)
            b = count(a)
            return jax.nn.softmax(b @ b) + jnp.abs(jnp.fft.fft(x)).sum(-1)[:, None], a

        key, x = jax.random.key(3), jnp.ones(4)
        self.compare(compile_function(drop)(self.p, self.x, key), drop(self.p, self.x, key))
        self.compare(jax.grad(lambda p: jnp.square(compile_function(drop)(p, self.x, key)).sum())(self.p),
                     jax.grad(lambda p: jnp.square(drop(p, self.x, key)).sum())(self.p), 1e-3)
        report = carousel.jax.report()
        self.assertEqual([len(graph.parts) for graph in report.graphs], [2, 2, 2])
        self.assertEqual([name for graph in report.graphs for name, _, _ in graph.left], ["random_bits"] * 3)
        carousel.jax.reset()
        self.compare(compile_function(several)(self.x), several(self.x))
        (graph,) = carousel.jax.report().graphs
        self.assertEqual(len(graph.parts), 3)
        self.assertIn("fft", [name for name, _, _ in graph.left])
        self.assertIn("while at jax_test.py:", str(graph))

        def share(x):
            view = jnp.broadcast_to(x[:, None], (4, 4))
            first = jnp.fft.fft(view)
            return first, jnp.fft.ifft(first).real + view * 2

        division = _divide.Division(jax.make_jaxpr(share)(x), lambda part: "refused" if "fft" in str(part) else "")
        self.assertEqual([len(step.outputs) for step in division.steps if step.is_part], [1, 1])

    def test_report(self):
        """Of one function: kernels with their bounds, also of a program that the process has."""
        function, other = compile_function(mlp), compile_function(lambda x: x + 1)
        jax.grad(loss(function))(self.p, self.x)
        other(self.x)
        for reports in (carousel.report, carousel.jax.report):
            self.assertEqual([graph.kind for graph in reports().graphs], ["forward", "backward", "function"])
            for own in (function, jax.jit(function)):
                report = reports(own)
                self.assertEqual([graph.kind for graph in report.graphs], ["forward", "backward"])
                self.assertTrue(report.steps and all(0 < step.bound <= step.predicted for _, _, step in report.steps))
            self.assertRegex(str(report), r"forward mlp main\w* +[0-9.]+ +[0-9.]+  matmul")
            self.assertEqual(len(reports(other).graphs), 1)
        carousel.jax.reset()
        again = compile_function(lambda x: x + 1)
        again(self.x)
        (graph,) = carousel.jax.report(again).graphs
        self.assertEqual((graph.parts[0].origin, len(graph.parts[0].steps)), ("process", 1))
        self.assertEqual(carousel.report(other).graphs, [])
        with self.assertRaisesRegex(InvalidArgumentError, "expected a function of carousel.jax.jit or carousel.jax.kernel, got int"):
            carousel.jax.report(3)

    def test_left(self):
        """Functions that stay with XLA, with a warning."""
        def note(x):
            jax.debug.callback(lambda _: None, x)
            return x + 1

        x = jnp.ones(4)
        for function, reason in ((count, "known trip count"), (note, "without side effects"),
                                 (lambda x: x[:0], "one without")):
            with self.subTest(reason=reason):
                carousel.jax.reset()
                with self.assertWarnsRegex(CompileWarning, reason):
                    self.compare(compile_function(function)(x), function(x))
                self.assertTrue(carousel.jax.report().parts[0].reason)
        with self.assertRaisesRegex(TypeError, "contracting"):
            compile_function(lambda x: x @ x)(self.x)
        # The importer's rules are those of imports alone.
        jax.export.export(jax.jit(count), platforms=["cuda"])(x)

    def test_options(self):
        with self.assertRaisesRegex(InvalidArgumentError, "cpu: expected xla, simulate, compile, got 'eager'"):
            carousel.jax.jit(mlp, cpu="eager")
        with self.assertRaisesRegex(InvalidArgumentError, "expected a function, got int"):
            carousel.jax.jit(3)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.compare(carousel.jax.jit(mlp)(self.p, self.x), mlp(self.p, self.x))
        self.assertEqual(carousel.jax.report().graphs, [])
        with self.assertWarnsRegex(CompileWarning, "expected a chip or CAROUSEL_JAX_CHIP"):
            carousel.jax.jit(mlp, cpu="compile")(self.p, self.x)

    def test_precision(self):
        """XLA rounds factors of f32 where nobody asks for more."""
        from carousel.jax import _call

        def find(**settings):
            x = jax.ShapeDtypeStruct((16, 16), jnp.float32)
            traced = _call.Traced("f", "function", lambda x: [jnp.dot(x, x, **settings)], [x], carousel.jax.Options())
            return _call.find_products(_call.export(traced.call)[1])

        self.assertEqual([find(), find(precision="high"), find(precision="highest")], ["tf32", "exact", "exact"])

    def test_handlers(self):
        """What XLA gets from the runtime, of a call that isn't on a GPU."""
        from carousel.jax import _ffi

        _ffi.register("cpu")
        attributes = {"package": "/nowhere", "kind": "program", "name": "main", "operands": numpy.array([0, 1]),
                      "scalars": numpy.array([0, 0])}

        def call(**changes):
            run = jax.ffi.ffi_call(_ffi.LAUNCH, jax.ShapeDtypeStruct((4,), jnp.float32))
            return jax.jit(lambda x: run(x, **{**attributes, **changes}))(jnp.ones(4))

        for changes, message in (({}, "NOT_FOUND: expected a package directory, got '/nowhere'"),
                                 ({"kind": "graph"}, "INVALID_ARGUMENT: expected 'program' or 'kernel'"),
                                 ({"scalars": numpy.zeros(3, int)}, "expected as many scalars as operands"),
                                 ({"operands": numpy.zeros(2, numpy.int32)}, "expected an array of i64")):
            with self.subTest(message=message), self.assertRaisesRegex(Exception, message):
                call(**changes)

    def test_targets(self):
        """A call that XLA may record has no workspace."""
        from carousel.jax._ffi import Target

        x = jnp.ones((512, 512), jnp.bfloat16)
        for function, is_recordable in ((lambda x: x + 1, True), (lambda x: jax.nn.gelu(x @ x) @ x, False)):
            package = carousel.compile(function, inputs=[x], framework="jax", chips="sm_90a", warn=False)
            self.assertEqual(Target(package, "program", "main", (0, 1)).is_recordable(), is_recordable)

    def test_kernel(self):
        run = carousel.jax.kernel(axpy, **OPTIONS)
        a, b = draw(7, 300), draw(8, 300)
        wanted = 2 * a + b, 2 * (2 * a + b)
        self.compare(jax.jit(lambda a, b: run(a, 2.0, b))(a, b), wanted)
        self.compare(run(a, y=b, a=2.0), wanted)
        many = draw(9, 3, 300)
        self.compare(jax.vmap(lambda a: run(a, 2.0, b))(many), (2 * many + b, 2 * (2 * many + b)))
        # Equal numbers of other bits are other ones, and elements stay unsigned.
        quotients = jax.jit(lambda x: [carousel.jax.kernel(divide, **OPTIONS)(x, zero) for zero in (0.0, -0.0)])(jnp.ones(4))
        self.assertEqual([each[0] for each in quotients], [numpy.inf, -numpy.inf])
        self.assertEqual(carousel.jax.kernel(increment, **OPTIONS)(jnp.array([1, 200], jnp.uint8)).tolist(), [2, 201])
        for call, message in ((lambda: run(a, b), "expected 3 values"), (lambda: run(a, 2.0, b[:3]), "expected extent 300"),
                              (lambda: run(a.astype(jnp.bfloat16), 2.0, b), "expected x as f32 of rank 1, got bfloat16"),
                              (lambda: jax.jit(run)(a, 2.0, b), "expected a number of Python as a"),
                              (lambda: run(a, 2.0, b, q=3), "got 'q'"),
                              (lambda: carousel.jax.kernel(axpy)(a, 2.0, b), "expected arrays on a CUDA device"),
                              (lambda: carousel.jax.kernel(3), "expected a kernel of Python"),
                              (lambda: jax.grad(lambda a: run(a, 2.0, b)[0].sum())(a), "jax.custom_vjp")):
            with self.subTest(message=message), self.assertRaisesRegex(InvalidArgumentError, message):
                call()

    def test_cache(self):
        """Another process finds the program, also without the compiler."""
        program = """
import sys
if sys.argv[1] == "bare":
    import carousel._compiler
    carousel._compiler.library = None
import jax, jax.numpy as jnp, carousel.jax
from carousel import _cache
if sys.argv[1] == "bare":
    _cache.find_compiler = lambda end: ""
f = carousel.jax.jit(lambda x: jax.nn.softmax(x @ x.T), chip="sm_90a", cpu="compile")
jax.grad(lambda x: f(x).sum())(jnp.ones((4, 8)))
print(" ".join(part.origin for part in carousel.jax.report().parts))
"""
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "CAROUSEL_CACHE_DIR": folder, "CAROUSEL_CACHE_DISABLE": "0"}
            origins = [subprocess.run([sys.executable, "-c", program, mode], env=environment, check=True, capture_output=True,
                                      text=True).stdout.strip() for mode in ("whole", "whole", "bare")]
            self.assertEqual(origins, ["compiled compiled", "cache cache", "cache cache"])
            self.assertEqual(len(list((Path(folder) / "jax").iterdir())), 2)


if __name__ == "__main__":
    unittest.main()
