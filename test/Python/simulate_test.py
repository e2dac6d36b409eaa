# ===- simulate_test.py - simulations, findings, timelines ------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#

import array
import ctypes
import importlib.util
import os
import signal
import tempfile
import unittest
from pathlib import Path

import carousel
from examples import RACE, SAXPY, twice


def floats(values):
    return array.array("f", values)


class SimulateTest(unittest.TestCase):
    def setUp(self):
        self.x, self.y = floats(range(8)), floats([0] * 8)
        self.arguments = {"x": self.x, "y": self.y}

    def test_results_are_in_the_arrays(self):
        simulation = carousel.simulate(twice(), self.arguments).check()
        self.assertEqual(list(self.y), [2.0 * i for i in range(8)])
        self.assertEqual((simulation.kernel, simulation.status, simulation.findings), ("m::twice", "finished", ()))
        self.assertEqual(simulation.figures["threads"], 8)

    def test_lowered_kernels_move_tiles(self):
        x, y, out = floats(range(5000)), floats([1] * 5000), floats([0] * 5000)
        simulation = carousel.simulate(SAXPY, {"a": 2, "x": x, "y": y, "out": out}, lower=True, schedules=3, trace=True)
        self.assertTrue(simulation.check().is_clean)
        self.assertEqual(list(out), [2.0 * i + 1 for i in range(5000)])
        self.assertEqual((simulation.schedules_run, simulation.policy, simulation.seed), (3, "random", 2))
        self.assertGreater(simulation.figures["transfers"], 0)
        timeline = simulation.timeline()
        self.assertIn("loads", str(timeline))
        self.assertTrue(timeline.svg.startswith("<svg"))
        with tempfile.TemporaryDirectory() as folder:
            timeline.save(Path(folder) / "t.svg")
            self.assertIn("</svg>", (Path(folder) / "t.svg").read_text())
            with self.assertRaisesRegex(ValueError, "suffix .svg or .json"):
                timeline.save("t.png")
        with self.assertRaisesRegex(LookupError, "expected CTA 9"):
            simulation.timeline(9)

    def test_a_race_has_both_sides(self):
        simulation = carousel.simulate(RACE, self.arguments, name="race.mlir", schedules=5)
        (finding,) = simulation.findings
        self.assertEqual((finding.kind, finding.buffer, finding.begin_byte, finding.end_byte), ("data-race", "y", 0, 4))
        self.assertEqual(finding.actor.location, "race.mlir:10:5")
        self.assertNotEqual(finding.actor.thread, finding.other.thread)
        lines = str(finding).splitlines()
        self.assertIn("race.mlir:10:5: finding: [data-race]", lines[0])
        self.assertEqual(lines[1], RACE.splitlines()[9])
        self.assertEqual(lines[2], "    ^")
        self.assertIn("<pre>race.mlir:10:5: finding", simulation._repr_html_())
        self.assertEqual(simulation.schedules_run, 1)
        with self.assertRaisesRegex(carousel.SimulationError, "m::twice: finished with 1 finding "):
            simulation.check()
        with self.assertRaisesRegex(ValueError, "with trace=True"):
            simulation.timeline()

    def test_outputs_start_unwritten_unless_named(self):
        text = twice().replace("load %x", "load %y")
        self.assertEqual(carousel.simulate(text, self.arguments).findings[0].kind, "unwritten-read")
        self.assertTrue(carousel.simulate(text, self.arguments, written=["y"]).is_clean)

    def test_progress_and_interrupts(self):
        steps = []
        carousel.simulate(twice(), self.arguments, schedules=3, progress=lambda *step: steps.append(step))
        self.assertEqual(steps, [(0, 3), (1, 3), (2, 3)])
        with self.assertRaises(ZeroDivisionError):
            carousel.simulate(twice(), self.arguments, progress=lambda *_: 1 // 0)

        def interrupt(schedule, _):
            if schedule == 2:
                os.kill(os.getpid(), signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt):
            carousel.simulate(twice(), self.arguments, schedules=100000, progress=interrupt)

    def test_programs_of_graphs(self):
        graph = """func.func @main(%x: tensor<?xf32> {carousel.argument = #carousel.argument<"x", in>})
            -> (tensor<?xf32> {carousel.argument = #carousel.argument<"y", out>}) {
          %c0 = arith.constant 0 : index
          %n = tensor.dim %x, %c0 : tensor<?xf32>
          %empty = tensor.empty(%n) : tensor<?xf32>
          %r = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
          return %r : tensor<?xf32>
        }"""
        for lower in (False, True):
            y = floats([0] * 8)
            simulation = carousel.simulate(graph, {"x": self.x, "y": y}, program="main", lower=lower).check()
            self.assertEqual((list(y), simulation.kernel), ([2.0 * i for i in range(8)], "main"))
        with self.assertRaisesRegex(LookupError, "program: expected one of main, got 'other'"):
            carousel.simulate(graph, self.arguments, program="other")

    def test_programs_copy_arguments_that_lie_off(self):
        graph = """func.func @main(%x: tensor<4096xf32> {carousel.argument = #carousel.argument<"x", in>})
                       -> (tensor<4096xf32> {carousel.argument = #carousel.argument<"y", out>}) {
            %e = tensor.empty() : tensor<4096xf32>
            %y = linalg.add ins(%x, %x : tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
            return %y : tensor<4096xf32>
        }"""
        for skipped in range(4):  # one of them begins at a multiple of 16 bytes
            x, y = (memoryview(floats(range(4100)))[skipped:][:4096] for _ in range(2))
            wanted = [2.0 * i for i in x]
            carousel.simulate(graph, {"x": x, "y": y}, program="main", lower=True).check()
            self.assertEqual((list(x), list(y)), (list(range(skipped, 4096 + skipped)), wanted))

    @unittest.skipUnless(importlib.util.find_spec("jax"), "jax isn't installed")
    def test_functions_of_jax(self):
        import jax

        y = floats([0] * 8)
        carousel.simulate(jax.jit(lambda x: jax.numpy.exp(x) * 0 + x * 3), {"arg0": self.x, "result0": y}, shapes="f32[n]",
                          lower=True).check()
        self.assertEqual(list(y), [3.0 * i for i in range(8)])
        # Arguments that a function doesn't use keep their numbers.
        carousel.simulate(lambda x, unused, z: x - 2 * z, {"arg0": self.x, "arg1": floats([1]), "arg2": self.x, "result0": y},
                          shapes="f32[n],f32[k],f32[n]", framework="jax").check()
        self.assertEqual(list(y), [-1.0 * i for i in range(8)])
        # An element that a number names.
        for change, wanted in (("set", 9.0), ("add", 11.0)):
            carousel.simulate(lambda x, i, v, change=change: getattr(x.at[i], change)(v),
                              {"arg0": self.x, "arg1": ctypes.c_int(2), "arg2": ctypes.c_float(9), "result0": y},
                              shapes="f32[8],i32[],f32[]", framework="jax").check()
            self.assertEqual(list(y), [wanted if i == 2 else float(i) for i in range(8)])

    @unittest.skipUnless(importlib.util.find_spec("jax"), "jax isn't installed")
    def test_places_and_extents_of_jax(self):
        import jax
        from carousel._import import import_function

        def project(x, w):
            return (x @ w).T

        # No example has sizes that an extent could be taken for.
        text = import_function(project, "f32[n,64],f32[64,5]", None, "jax")
        self.assertIn("-> tensor<5x?xf32> {", text)
        line = project.__code__.co_firstlineno + 1
        self.assertRegex(text, rf'simulate_test.py":{line}:\d+\)')

        def scoped(x):
            with jax.named_scope("norm"):
                return x / x.sum()

        line = scoped.__code__.co_firstlineno + 2
        text = import_function(scoped, "f32[n]", None, "jax")
        self.assertRegex(text, rf'simulate_test.py":{line}:\d+\)')
        self.assertIn('loc(fused<"norm">[', text)
        # Places are the model's alone.
        self.assertNotIn("<imported>", text)

        def wrong(x):
            y = x * 2
            return y @ x.reshape(3, -1)

        line = wrong.__code__.co_firstlineno + 2
        with self.assertRaisesRegex(carousel.InvalidArgumentError, f"JAX can't export it: .* at .*simulate_test.py:{line}$"):
            import_function(wrong, "f32[8,4]", None, "jax")

    @unittest.skipUnless(importlib.util.find_spec("jax"), "jax isn't installed")
    def test_jax_pads_by_unknown_extents(self):
        import jax
        import numpy
        from jax import lax

        def largest(x):
            return lax.reduce_window(x, -float("inf"), lax.max, (3, 2), (2, 1), ((1, 1), (0, 1)))

        function = jax.grad(lambda x: (jax.grad(lambda x: (largest(x) ** 2).sum())(x) ** 2).sum())
        x = numpy.random.default_rng(0).permutation(35).reshape(7, 5).astype("f4")
        result = numpy.zeros_like(x)
        carousel.simulate(function, {"arg0": x, "result0": result}, shapes="f32[n,5]", framework="jax").check()
        numpy.testing.assert_array_equal(result, function(x))

    @unittest.skipUnless(importlib.util.find_spec("jax"), "jax isn't installed")
    def test_gradients_of_maxima_go_to_the_first_of_equal_elements(self):
        import jax
        from jax import lax

        def gradient(x, g):
            return jax.vjp(lambda x: lax.reduce_window(x, -float("inf"), lax.max, (2,), (2,), "VALID"), x * 0)[1](g)[0]

        y = floats([7] * 8)
        carousel.simulate(gradient, {"arg0": self.x, "arg1": floats([1, 2, 3, 4]), "result0": y}, shapes="f32[8],f32[4]",
                          framework="jax").check()
        self.assertEqual(list(y), [1, 0, 2, 0, 3, 0, 4, 0])

    @unittest.skipUnless(importlib.util.find_spec("jax"), "jax isn't installed")
    def test_cumulative_operations(self):
        import jax
        import numpy
        from jax import lax

        x = numpy.random.default_rng(0).integers(-1, 2, (2, 150, 3)).astype("f4")
        for operation in (lax.cumsum, lax.cummax, lax.cummin, lax.cumprod, lax.cumlogsumexp):
            for reverse in (False, True):
                with self.subTest(operation=operation.__name__, reverse=reverse):
                    wanted = numpy.asarray(jax.jit(lambda x, act=operation, back=reverse: act(x, 1, reverse=back))(x))
                    result = numpy.zeros_like(wanted)
                    carousel.simulate(lambda x, act=operation, back=reverse: act(x, 1, reverse=back), {"arg0": x, "result0": result},
                                      shapes="f32[2,150,3]", framework="jax").check()
                    numpy.testing.assert_allclose(result, wanted, rtol=1e-5)

    @unittest.skipUnless(importlib.util.find_spec("jax"), "jax isn't installed")
    def test_loops_that_are_scans(self):
        """Averages, several carried values in reverse order, gradients of a recurrence, and a state-space model."""
        import jax
        import jax.numpy as jnp
        import numpy
        from jax import lax

        def average(x):
            return lax.scan(lambda h, v: (0.875 * h + v, h), jnp.zeros(x.shape[1:], x.dtype), x)

        def carry(x):
            def step(state, v):
                total, most, count = state
                return (total + v, jnp.maximum(most, v), count + 1), total * count

            return lax.scan(step, (jnp.zeros(x.shape[1:]), x[0], jnp.int32(0)), x, reverse=True)

        def differentiate(x, a):
            def loss(x, a):
                return (lax.scan(lambda h, t: (t[1] * h + t[0], h * t[0]), jnp.zeros(x.shape[1:]), (x, a))[1] ** 2).sum()

            return jax.grad(loss, argnums=(0, 1))(x, a)

        def select(a, b, c, x):
            def step(h, t):
                decay, into, out, v = t
                h = jnp.exp(-jnp.abs(decay)) * h + into[:, None, :] * v[:, :, None]
                return h, (h * out[:, None, :]).sum(-1)

            return lax.scan(step, jnp.zeros((*x.shape[1:], b.shape[-1])), (a, b, c, x))[1]

        def delay(x, a):
            """An infinite element reaches no other one but the next."""
            return lax.scan(lambda state, v: ((v, state[0] - state[1]), v - state[0]), (jnp.zeros(9), jnp.zeros(9)),
                            x.at[50, 3].set(jnp.inf))

        random = numpy.random.default_rng(0)
        x, a = random.standard_normal((200, 9)).astype("f4"), random.uniform(0.1, 0.9, (200, 9)).astype("f4")
        model = [random.standard_normal(shape).astype("f4") for shape in ((130, 2, 8, 4), (130, 2, 4), (130, 2, 4), (130, 2, 8))]
        for function, arguments in ((average, (x,)), (average, (x.astype(jnp.bfloat16),)), (carry, (x,)), (differentiate, (x, a)),
                                    (select, model), (delay, (x, a))):
            with self.subTest(function=function.__name__, type=str(arguments[0].dtype)):
                # Loops carry f32, and round once.
                wide = [each.astype("f4") for each in arguments]
                wanted = [numpy.asarray(each) for each in jax.tree_util.tree_leaves(jax.jit(function)(*wide))]
                results = [numpy.zeros(each.shape, arguments[0].dtype if each.dtype == "f4" else each.dtype) for each in wanted]
                names = {"float32": "f32", "bfloat16": "bf16"}
                shapes = ",".join(f"{names[str(each.dtype)]}[{','.join(map(str, each.shape))}]" for each in arguments)
                given = {**{f"arg{at}": each for at, each in enumerate(arguments)},
                         **{f"result{at}": each for at, each in enumerate(results)}}
                carousel.simulate(function, given, shapes=shapes, framework="jax").check()
                bound = 2 ** -8 if arguments[0].dtype == jnp.bfloat16 else 2e-3
                for result, each in zip(results, wanted):
                    numpy.testing.assert_allclose(result.astype("f4"), each.astype("f4"), rtol=bound, atol=bound)

        with self.assertRaisesRegex(carousel.InvalidArgumentError, "at most 128 iterations"):
            carousel.simulate(lambda x: lax.scan(lambda h, v: (jnp.tanh(h) + v, h), jnp.zeros(9), x)[0],
                              {"arg0": x, "result0": numpy.zeros(9, "f4")}, shapes="f32[200,9]", framework="jax")

    @unittest.skipUnless(importlib.util.find_spec("jax"), "jax isn't installed")
    def test_sorts_and_cumulative_operations(self):
        """Of numbers with and without a sign, by two keys, of rows that are the same, with NaN and infinities."""
        import jax
        import jax.numpy as jnp
        import numpy
        from jax import lax

        def unsigned(x):
            y = x.astype(jnp.uint32)
            return (jnp.sort(y, 1).astype(jnp.int32), lax.top_k(y, 3)[1], jnp.cumsum(y, 1).astype(jnp.int32),
                    lax.cummax(x.astype(jnp.uint8), axis=1).astype(jnp.int32))

        def keys(x):
            return lax.sort((x % 5, x, x * 2), num_keys=2)

        def same(x):
            return jnp.sort(jnp.broadcast_to(x[0], x.shape), axis=1), jnp.sort(jnp.where(x > 0, x[:1], 0), axis=0)

        def exponentials(x):
            y = x.astype(jnp.float32) * 0.25
            y = y.at[1, 7].set(jnp.inf).at[2, 9].set(jnp.nan).at[0, :3].set(-jnp.inf)
            return lax.cumlogsumexp(y, 1), lax.cumlogsumexp(y, 1, reverse=True), jnp.argsort(y, 1, descending=True)

        x = numpy.random.default_rng(0).integers(-90, 90, (3, 70)).astype("i4")
        for function in (unsigned, keys, same, exponentials):
            with self.subTest(function=function.__name__):
                wanted = [numpy.asarray(each) for each in jax.tree_util.tree_leaves(jax.jit(function)(x))]
                results = [numpy.zeros_like(each) for each in wanted]
                given = {"arg0": x, **{f"result{at}": each for at, each in enumerate(results)}}
                carousel.simulate(function, given, shapes="i32[3,70]", framework="jax").check()
                for result, each in zip(results, wanted):
                    numpy.testing.assert_allclose(result, each, rtol=1e-5, atol=1e-5)

    @unittest.skipUnless(importlib.util.find_spec("jax"), "jax isn't installed")
    def test_gradients_of_windows_that_have_no_place(self):
        import jax
        import numpy
        from jax import lax

        for start, combine, window in ((-float("inf"), lax.max, 2), (-float("inf"), lax.max, 3), (0.0, lax.add, 2)):
            with self.subTest(start=start, window=window):
                def gradient(x, start=start, combine=combine, window=window):
                    return jax.grad(lambda x: (lax.reduce_window(x, start, combine, (window,) * 2, (2, 2), "VALID") ** 2).sum())(x)

                result = numpy.full((7, 1), 9, numpy.float32)
                carousel.simulate(gradient, {"arg0": result.copy(), "result0": result}, shapes="f32[7,1]", framework="jax").check()
                numpy.testing.assert_array_equal(result, 0)

    @unittest.skipUnless(importlib.util.find_spec("jax"), "jax isn't installed")
    def test_windows_of_padding_alone(self):
        import numpy
        from jax import lax

        for start, combine in ((-float("inf"), lax.max), (float("inf"), lax.min), (0.0, lax.add)):
            with self.subTest(start=start):
                def reduce(x, start=start, combine=combine):
                    return lax.reduce_window(x, start, combine, (2,), (1,), [(1, 1)])

                result = numpy.full(1, 9, numpy.float32)
                carousel.simulate(reduce, {"arg0": numpy.zeros(0, "f4"), "result0": result}, shapes="f32[0]", framework="jax").check()
                numpy.testing.assert_array_equal(result, numpy.float32(start))

    @unittest.skipUnless(importlib.util.find_spec("jax"), "jax isn't installed")
    def test_gradients_of_maxima_of_windows_that_overlap(self):
        import jax
        import numpy
        from jax import lax

        for shape, window, step, pads in (((2, 7, 8), 3, 2, (1, 1)), ((2, 5, 5), 3, 1, (0, 2)), ((1, 9, 4), 2, 3, (1, 0)),
                                          ((2, 4, 4), 1, 1, (0, 0))):
            with self.subTest(shape=shape, window=window, step=step, pads=pads):

                def pool(x, window=window, step=step, pads=pads):
                    return lax.reduce_window(x, -float("inf"), lax.max, (1, window, window), (1, step, step), ((0, 0), pads, pads))

                def gradient(x, g, pool=pool):
                    return jax.vjp(pool, x)[1](g)[0]

                random = numpy.random.default_rng(0)
                x = random.integers(-2, 3, shape).astype("f4")
                g = random.integers(-4, 5, jax.eval_shape(pool, x).shape).astype("f4")
                result = numpy.full_like(x, 7)
                carousel.simulate(gradient, {"arg0": x, "arg1": g, "result0": result}, framework="jax",
                                  shapes=",".join(f"f32[{','.join(map(str, each.shape))}]" for each in (x, g))).check()
                numpy.testing.assert_array_equal(result, numpy.asarray(gradient(x, g)))

                def move(x, t, pool=pool):
                    return jax.jvp(pool, (x,), (t,))[1]

                # On CPUs, JAX moves another one of equal elements than it sends gradients to.
                distinct = random.permutation(x.size).astype("f4").reshape(shape)
                t, result = random.integers(-4, 5, shape).astype("f4"), numpy.full_like(g, 7)
                carousel.simulate(move, {"arg0": distinct, "arg1": t, "result0": result}, framework="jax",
                                  shapes=",".join(2 * [f"f32[{','.join(map(str, shape))}]"])).check()
                numpy.testing.assert_array_equal(result, numpy.asarray(move(distinct, t)))

    @unittest.skipUnless(importlib.util.find_spec("jax"), "jax isn't installed")
    def test_sums_along_no_dimension(self):
        y = floats([0] * 8)
        carousel.simulate(lambda x, s: x + s.sum(), {"arg0": self.x, "arg1": ctypes.c_float(2), "result0": y},
                          shapes="f32[8],f32[]", framework="jax").check()
        self.assertEqual(list(y), [2.0 + i for i in range(8)])

    @unittest.skipUnless(importlib.util.find_spec("jax"), "jax isn't installed")
    def test_products_of_unsigned_integers(self):
        import jax
        import numpy

        def multiply(x, y, dtype, sum):
            return jax.numpy.dot(x.astype(dtype), y.astype(dtype), preferred_element_type=sum)

        def convolve(x, y, dtype, sum):
            image, kernel = x.astype(dtype)[None, :, :, None], y.astype(dtype)[:3, :3, None, None]
            return jax.lax.conv_general_dilated(image, kernel, (1, 1), "VALID", preferred_element_type=sum,
                                                dimension_numbers=("NHWC", "HWIO", "NHWC"))

        x = numpy.arange(0, 256, 4, dtype="i4").reshape(8, 8)
        for function in (multiply, convolve):
            for dtype, sum in (("uint8", "int32"), ("uint8", "float32"), ("uint16", "int32"), ("uint8", "uint8")):
                with self.subTest(function=function.__name__, dtype=dtype, sum=sum):
                    scale = 257 if dtype == "uint16" else 1

                    def run(x, y, function=function, dtype=dtype, sum=sum):
                        return function(x, y, dtype, sum).astype("float32" if sum == "float32" else "int32")

                    wanted = numpy.asarray(jax.jit(run)(x * scale, x.T * scale))
                    result = numpy.zeros_like(wanted)
                    carousel.simulate(run, {"arg0": x * scale, "arg1": numpy.ascontiguousarray(x.T * scale), "result0": result},
                                      shapes="i32[8,8],i32[8,8]", framework="jax").check()
                    numpy.testing.assert_array_equal(result, wanted)

    @unittest.skipUnless(importlib.util.find_spec("jax"), "jax isn't installed")
    def test_negative_padding_of_named_extents(self):
        """As in the gradient of padding."""
        import jax

        y = floats([0] * 8)
        carousel.simulate(jax.grad(lambda x: (jax.numpy.pad(x, 1) ** 2).sum()), {"arg0": self.x, "result0": y}, shapes="f32[n]",
                          framework="jax").check()
        self.assertEqual(list(y), [2.0 * i for i in range(8)])

    @unittest.skipUnless(importlib.util.find_spec("jax"), "jax isn't installed")
    def test_convolutions_of_named_extents(self):
        import jax
        import numpy

        nchw = {"dimension_numbers": ("NCHW", "OIHW", "NCHW")}
        for shapes, sizes, options in (
            ("f32[b,4,6,6],f32[8,4,3,3]", ((3, 4, 6, 6), (8, 4, 3, 3)), {"padding": "SAME", **nchw}),
            ("f32[b,6,6,4],f32[3,3,4,8]", ((3, 6, 6, 4), (3, 3, 4, 8)),
             {"padding": "VALID", "window_strides": (2, 1), "dimension_numbers": ("NHWC", "HWIO", "NHWC")}),
            ("f32[b,4,6,6],f32[8,4,3,3]", ((2, 4, 6, 6), (8, 4, 3, 3)),
             {"padding": ((2, 2), (2, 1)), "lhs_dilation": (2, 2), "rhs_dilation": (1, 2), **nchw}),
            ("f32[b,4,6,6],f32[8,2,3,3]", ((2, 4, 6, 6), (8, 2, 3, 3)), {"padding": "SAME", "feature_group_count": 2, **nchw}),
            ("f32[b,4,h,k],f32[8,4,3,3]", ((2, 4, 5, 7), (8, 4, 3, 3)), {"padding": ((1, 1), (1, 1)), **nchw}),
            ("f32[4,b,6,6],f32[4,8,3,3]", ((4, 2, 6, 6), (4, 8, 3, 3)),
             {"padding": ((-1, 1), (1, 0)), "dimension_numbers": ("CNHW", "IOHW", "HWNC")}),
        ):
            with self.subTest(shapes=shapes, **options):
                random = numpy.random.default_rng(0)
                x, w = (random.integers(-4, 5, size).astype("f4") for size in sizes)

                def convolve(x, w, options=options):
                    return jax.lax.conv_general_dilated(x, w, **{"window_strides": (1, 1), **options})

                wanted = numpy.asarray(convolve(x, w))
                result = numpy.zeros_like(wanted)
                carousel.simulate(convolve, {"arg0": x, "arg1": w, "result0": result}, shapes=shapes, framework="jax").check()
                numpy.testing.assert_array_equal(result, wanted)

    def test_schedules_replay(self):
        record = carousel.simulate(RACE, self.arguments, record=True, seed=7).record
        replayed = carousel.simulate(RACE, self.arguments, replay=record)
        self.assertEqual((replayed.schedule, len(replayed.findings)), ("a replayed schedule", 1))

    def test_kernels_of_ptx(self):
        # CTA 0 waits for CTA 1.
        text = """.version 8.8
            .target sm_90a
            .address_size 64
            .visible .entry k(.param .u64 y) {
              .reg .b32 %r; .reg .b64 %rd; .reg .pred %p;
              ld.param.u64 %rd, [y]; mov.u32 %r, %ctaid.x; setp.eq.u32 %p, %r, 0;
              @!%p st.release.gpu.global.u32 [%rd], 1; @!%p ret;
            l: ld.acquire.gpu.global.u32 %r, [%rd]; setp.eq.u32 %p, %r, 0; @%p bra l;
              ret; }"""
        for coresident in (False, True):
            simulation = carousel.simulate(text, {"y": array.array("i", [0])}, parameters="y: memref<1xi32>", grid=(2,),
                                           block=(1,), coresident=coresident, policies="one-cta", written="y")
            self.assertEqual([finding.kind for finding in simulation.findings], [] if coresident else ["deadlock"])

    def test_wrong_calls(self):
        for arguments, message in (
            ({"x": self.x}, r"got none of y"),
            ({**self.arguments, "z": 1}, r"expected arguments of m::twice \(x, y\), got 'z'"),
            ({"x": self.x, "y": array.array("d", [0] * 8)}, "y: expected elements of f32, got f64"),
            ({"x": self.x, "y": 3}, "y: expected an array"),
            ({"x": self.x, "y": "text"}, "y: expected an array or a number, got str"),
            ({"x": self.x, "y": memoryview(self.y).toreadonly()}, "y: expected memory that can be written"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                carousel.simulate(twice(), arguments)
        for options, message in (
            ({"schedules": 0}, "schedules: expected 1"),
            ({"policies": ["chaotic"]}, "got 'chaotic'"),
            ({"chip": "sm_1"}, "expected the name of a chip, got 'sm_1'"),
            ({"grid": (1, 1, 1, 1)}, "grid: expected at most 3 extents"),
            ({"lower": True, "pipeline": "x"}, "expected lower or pipeline, got both"),
            ({"debug_assertions": True, "pipeline": "x"}, "expected debug_assertions or pipeline, got both"),
            ({"written": ["z"]}, "written: expected names of arguments, got 'z'"),
            ({"coresident": True}, "expected coresident with parameters"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                carousel.simulate(twice(), self.arguments, **options)
        with self.assertRaisesRegex(LookupError, "kernel: expected one of m::twice, got 'thrice'"):
            carousel.simulate(twice(), self.arguments, kernel="thrice")
        with self.assertRaisesRegex(carousel.CompileError, "undeclared"):
            carousel.simulate(twice().replace("%v, %v", "%v, %w"), self.arguments)


    def test_numbers_of_64_bits(self):
        for element in ("f32", "bf16", "i64"):
            text = twice().replace("(%x:", f'(%a: {element} {{carousel.argument = #carousel.argument<"a", in>}}, %x:')
            for number in (2**63, 2**64 - 1, -(2**63)):
                carousel.simulate(text, {"a": number, **self.arguments}).check()
            with self.assertRaisesRegex(ValueError, f"a: expected a number of 64 bits, got {2**64}"):
                carousel.simulate(text, {"a": 2**64, **self.arguments})


if __name__ == "__main__":
    unittest.main()
