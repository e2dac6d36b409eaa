#!/usr/bin/env python3
# ===- jax_models.py - models by carousel.jax.jit ------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs models by carousel.jax.jit, and times them in turns with jax.jit, which is XLA.

  jax_models.py fill [MODEL...] [--chip sm_90a]     compiles the functions into the cache, without a GPU
  jax_models.py simulate [MODEL...]                 compares results on the simulated machine, at small sizes
  jax_models.py time [MODEL...]                     checks results, and prints times
  jax_models.py list

`fill` computes nothing. `time` needs no compiler with a full cache, which $CAROUSEL_CACHE_DIR names (docs/JAX.md). Both have to
run the same version of JAX. Models named flax_ need flax. A name that ends with _step is the forward and the backward pass of a
model that carousel.jax.jit has compiled, with gradients of all parameters; with _whole, it is one function with both, which
carousel.jax.jit compiles. An error is the largest distance from results in f32 with exact products, as a part of their largest
magnitude. Times are medians of 7 times 20 calls, with the host's work where the device waits for it. The ratio is XLA's time to
ours: above 1, ours is faster."""

import argparse
import statistics
import sys
import time as clock

import jax
import jax.numpy as jnp

import carousel.jax

SIZES = {"full": dict(batch=8, length=1024, width=768, heads=12, words=50257), "small": dict(batch=2, length=32, width=64, heads=2, words=97)}


# ===------------------------------------------------------------------------===#
# Models: functions of parameters and an argument
# ===------------------------------------------------------------------------===#


def linear(p, x):
    y = x @ p["kernel"]
    return y + p["bias"] if "bias" in p else y


def layer_norm(p, x):
    wide = x.astype(jnp.float32)
    mean = wide.mean(-1, keepdims=True)
    variance = jnp.square(wide - mean).mean(-1, keepdims=True)
    return ((wide - mean) * jax.lax.rsqrt(variance + 1e-5)).astype(x.dtype) * p["scale"] + p["bias"]


def rms_norm(p, x):
    wide = x.astype(jnp.float32)
    return (wide * jax.lax.rsqrt(jnp.square(wide).mean(-1, keepdims=True) + 1e-6)).astype(x.dtype) * p["scale"]


def attention(p, x, heads, rotates=False, groups=None):
    batch, length, width = x.shape
    depth, groups = width // heads, groups or heads
    q, k, v = jnp.split(linear(p["inputs"], x), [width, width + groups * depth], -1)
    q, k, v = (each.reshape(batch, length, -1, depth) for each in (q, k, v))
    if rotates:
        rates = 10000.0**-(jnp.arange(0, depth, 2) / depth)
        angles = jnp.outer(jnp.arange(length), rates)[:, None, :]
        cosines, sines = (jnp.concatenate((each, each), -1).astype(x.dtype) for each in (jnp.cos(angles), jnp.sin(angles)))

        def turn(y):
            low, high = jnp.split(y, 2, -1)
            return y * cosines + jnp.concatenate((-high, low), -1) * sines

        q, k = turn(q), turn(k)
    return linear(p["outputs"], jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(batch, length, width))


def gpt_block(p, x, heads):
    x = x + attention(p["attention"], layer_norm(p["before"], x), heads)
    return x + linear(p["narrow"], jax.nn.gelu(linear(p["wide"], layer_norm(p["after"], x))))


def llama_block(p, x, heads):
    x = x + attention(p["attention"], rms_norm(p["before"], x), heads, rotates=True, groups=max(heads // 4, 1))
    y = rms_norm(p["after"], x)
    return x + linear(p["narrow"], jax.nn.silu(linear(p["gate"], y)) * linear(p["wide"], y))


def gpt(p, tokens, heads):
    x = p["words"][tokens] + p["places"]
    for block in p["blocks"]:
        x = gpt_block(block, x, heads)
    logits = (layer_norm(p["norm"], x) @ p["words"].T).astype(jnp.float32)[:, :-1]
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[:, 1:, None], -1).mean()


class Shapes:
    """Parameters as shapes."""

    def __init__(self, dtype):
        self.dtype = dtype

    def array(self, *extents):
        return jax.ShapeDtypeStruct(extents, self.dtype)

    def linear(self, rows, columns, bias=True):
        return {"kernel": self.array(rows, columns), **({"bias": self.array(columns)} if bias else {})}

    def norm(self, width, bias=True):
        return {"scale": self.array(width), **({"bias": self.array(width)} if bias else {})}

    def attention(self, width, heads, groups=None):
        depth = width // heads
        return {"inputs": self.linear(width, width + 2 * (groups or heads) * depth), "outputs": self.linear(width, width)}

    def gpt_block(self, width, heads):
        return {"before": self.norm(width), "attention": self.attention(width, heads), "after": self.norm(width),
                "wide": self.linear(width, 4 * width), "narrow": self.linear(4 * width, width)}

    def llama_block(self, width, heads):
        return {"before": self.norm(width, False), "attention": self.attention(width, heads, max(heads // 4, 1)),
                "after": self.norm(width, False), "gate": self.linear(width, 3 * width, False),
                "wide": self.linear(width, 3 * width, False), "narrow": self.linear(3 * width, width, False)}


def make_flax(name, size, dtype):
    from flax import linen as nn

    width, heads = size["width"], size["heads"]

    class Mixer(nn.Module):
        """An encoder's layer by flax's own modules."""

        @nn.compact
        def __call__(self, x):
            y = nn.LayerNorm(dtype=dtype, param_dtype=dtype)(x)
            x = x + nn.MultiHeadDotProductAttention(heads, dtype=dtype, param_dtype=dtype)(y, y)
            y = nn.LayerNorm(dtype=dtype, param_dtype=dtype)(x)
            y = nn.gelu(nn.Dense(4 * width, dtype=dtype, param_dtype=dtype)(y))
            return x + nn.Dense(width, dtype=dtype, param_dtype=dtype)(y)

    class CNN(nn.Module):
        """Of flax's example for MNIST."""

        @nn.compact
        def __call__(self, x):
            for features in (32, 64):
                x = nn.relu(nn.Conv(features, (3, 3), dtype=dtype, param_dtype=dtype)(x))
                x = nn.avg_pool(x, (2, 2), (2, 2))
            x = nn.relu(nn.Dense(256, dtype=dtype, param_dtype=dtype)(x.reshape(x.shape[0], -1)))
            return nn.log_softmax(nn.Dense(10, dtype=dtype, param_dtype=dtype)(x))

    model = {"flax_encoder": Mixer, "flax_cnn": CNN}[name]()
    x = jax.ShapeDtypeStruct((size["batch"], 28, 28, 1) if name == "flax_cnn" else (size["batch"], size["length"], width), dtype)
    return model.apply, jax.eval_shape(model.init, jax.random.key(0), x), x


def make_model(name, size, dtype):
    """The function, and the shapes of its parameters and its argument. Tokens are i32."""
    width, heads = size["width"], size["heads"]
    shapes = Shapes(dtype)
    rows = shapes.array(size["batch"], size["length"], width)
    if name.startswith("flax_"):
        return make_flax(name, size, dtype)
    if name == "mlp":
        p = [shapes.linear(width, 4 * width), shapes.linear(4 * width, 4 * width), shapes.linear(4 * width, 128)]
        return (lambda p, x: jax.nn.log_softmax(linear(p[2], jax.nn.relu(linear(p[1], jax.nn.relu(linear(p[0], x)))))), p,
                shapes.array(size["batch"] * size["length"], width))
    if name == "rms_norm":
        return lambda p, x: rms_norm(p[1], jax.nn.gelu(rms_norm(p[0], x))), [shapes.norm(width, False)] * 2, rows
    if name == "attention":
        return lambda p, x: attention(p, x, heads), shapes.attention(width, heads), rows
    if name == "gpt_block":
        return lambda p, x: gpt_block(p, x, heads), shapes.gpt_block(width, heads), rows
    if name == "llama_block":
        return lambda p, x: llama_block(p, x, heads), shapes.llama_block(width, heads), rows
    p = {"words": shapes.array(size["words"], width), "places": shapes.array(size["length"], width),
         "blocks": [shapes.gpt_block(width, heads) for _ in range(2)], "norm": shapes.norm(width)}
    return lambda p, tokens: gpt(p, tokens, heads), p, jax.ShapeDtypeStruct((size["batch"], size["length"]), jnp.int32)


BASES = ("mlp", "rms_norm", "attention", "gpt_block", "llama_block", "gpt", "flax_encoder", "flax_cnn")
MODELS = tuple(name for base in BASES for name in (base, f"{base}_step", f"{base}_whole"))


def split_name(name):
    base, _, kind = name.rpartition("_")
    return (base, kind) if kind in ("step", "whole") else (name, "")


def make_call(name, function, compile_function):
    """The function that is timed. `compile_function`: carousel.jax.jit, or jax.jit."""
    kind = split_name(name)[1]

    def step(model):
        def loss(p, x):
            result = model(p, x)
            # A loss that weighs elements differently: sums alone have gradients that are equal.
            return result if result.ndim == 0 else (result * jnp.linspace(-1, 1, result.shape[-1], dtype=result.dtype)).astype(
                jnp.float32).sum()

        return jax.value_and_grad(loss)

    if kind == "step":
        return jax.jit(step(compile_function(function)))
    return compile_function(step(function) if kind == "whole" else function)


def make_values(shapes, seed):
    """Random ones, of which those of norms are near 1, and those of products keep magnitudes."""
    leaves, tree = jax.tree_util.tree_flatten_with_path(shapes)
    made = []
    for number, (path, leaf) in enumerate(leaves):
        key = jax.random.fold_in(jax.random.key(seed), number)
        if leaf.dtype == jnp.int32:
            made.append(jax.random.randint(key, leaf.shape, 0, 97))
            continue
        value = jax.random.normal(key, leaf.shape, jnp.float32)
        if "scale" in str(path[-1:]):
            value = 1 + 0.1 * value
        elif path:
            value = value * (0.02 if leaf.ndim < 2 else leaf.shape[0]**-0.5)
        made.append(value.astype(leaf.dtype))
    return jax.tree_util.tree_unflatten(tree, made)


def find_error(results, wanted):
    """A gradient without any element that isn't tiny is compared with the largest one."""
    results, wanted = jax.tree_util.tree_leaves(results), jax.tree_util.tree_leaves(wanted)
    largest = max(float(jnp.abs(each).max()) for each in wanted)
    return max(float(jnp.abs(got.astype(jnp.float32) - each).max()) / max(float(jnp.abs(each).max()), 1e-3 * largest, 1e-30)
               for got, each in zip(results, wanted))


def find_wanted(name, options, values):
    """By XLA, in f32 with exact products."""
    base = split_name(name)[0]
    function, _, _ = make_model(base, SIZES[options.size], jnp.dtype(jnp.float32))
    wide = jax.tree_util.tree_map(lambda each: each.astype(jnp.float32) if each.dtype == options.dtype else each, values)
    with jax.default_matmul_precision("highest"):
        return make_call(name, function, jax.jit)(*wide)


# ===------------------------------------------------------------------------===#
# Modes
# ===------------------------------------------------------------------------===#


def fill(names, options):
    for name in names:
        carousel.jax.reset()
        function, p, x = make_model(split_name(name)[0], SIZES[options.size], options.dtype)
        make_call(name, function, carousel.jax.jit(chip=options.chip, cpu="compile")).lower(p, x)
        print(f"{name}\n{carousel.jax.report()}", flush=True)


def simulate(names, options):
    for name in names:
        carousel.jax.reset()
        function, p, x = make_model(split_name(name)[0], SIZES[options.size], options.dtype)
        values = make_values(p, 0), make_values(x, 1)
        results = make_call(name, function, carousel.jax.jit(chip=options.chip, cpu="simulate"))(*values)
        wanted = find_wanted(name, options, values)
        own = make_call(name, function, jax.jit)(*values)
        graphs = carousel.jax.report().graphs
        taken, left = sum(each.taken_operators for each in graphs), sum(each.left_operators for each in graphs)
        print(f"{name:24} {taken:4} of {taken + left:4} operators; errors {find_error(results, wanted):.1e}, XLA's "
              f"{find_error(own, wanted):.1e}", flush=True)
        if options.verbose:
            print(carousel.jax.report())


def measure(call, values):
    for _ in range(3):
        jax.block_until_ready(call(*values))
    times = []
    for _ in range(7):
        start = clock.perf_counter()
        for _ in range(20):
            result = call(*values)
        jax.block_until_ready(result)
        times.append((clock.perf_counter() - start) / 20)
    return 1e6 * statistics.median(times)


def time(names, options):
    device = jax.devices("cuda")[0]
    print(f"{device.device_kind}, JAX {jax.__version__}, {options.dtype}, us")
    print(f"{'':24} {'XLA':>9} {'carousel':>9} {'ratio':>6}  errors of XLA, carousel")
    for name in names:
        carousel.jax.reset()
        function, p, x = make_model(split_name(name)[0], SIZES[options.size], options.dtype)
        values = make_values(p, 0), make_values(x, 1)
        calls = [make_call(name, function, compile_function) for compile_function in (jax.jit, carousel.jax.jit)]
        wanted = find_wanted(name, options, values)
        errors = [find_error(call(*values), wanted) for call in calls]
        del wanted
        times = [measure(call, values) for call in calls]
        print(f"{name:24} {times[0]:9.1f} {times[1]:9.1f} {times[0] / times[1]:6.2f}  {errors[0]:.1e} {errors[1]:.1e}", flush=True)
        report = carousel.jax.report()
        if options.verbose or any(part.reason or part.origin == "compiled" for part in report.parts):
            print(report)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["fill", "simulate", "time", "list"])
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--size", choices=SIZES, default=None)
    parser.add_argument("--dtype", default=None)
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_intermixed_args()
    is_simulated = options.mode == "simulate"
    options.size = options.size or ("small" if is_simulated else "full")
    options.dtype = jnp.dtype(options.dtype or ("float32" if is_simulated else "bfloat16"))
    names = options.models or MODELS
    if unknown := [name for name in names if name not in MODELS]:
        parser.error(f"expected {', '.join(MODELS)}, got '{unknown[0]}'")
    if options.mode == "list":
        print("\n".join(names))
        return 0
    {"fill": fill, "simulate": simulate, "time": time}[options.mode](names, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
