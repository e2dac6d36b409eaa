# ===- jax_models.py - models of real size in JAX ---------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""A training step of a transformer: products of bf16, weights and sums of f32, plain gradient descent. Its arguments are the
weights, words, and the words that follow; its results are the loss and the new weights."""

import jax
import jax.numpy as jnp
import numpy

BATCH, LENGTH, WIDTH, HEADS, HIDDEN, WORDS = 8, 512, 512, 8, 2048, 8192
RATE = 0.1


class train:

    def __init__(self, part=False):
        self.layers = 1 if part else 4
        own = [(WIDTH,), (WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH,), (WIDTH, HIDDEN), (HIDDEN, WIDTH)]
        self.weights = [(WORDS, WIDTH), (LENGTH, WIDTH), *self.layers * own, (WIDTH,)]

    def get_shapes(self):
        shapes = [f"f32[{','.join(map(str, shape))}]" for shape in self.weights]
        return ",".join([*shapes, *2 * [f"i32[{BATCH},{LENGTH}]"]])

    def make_arguments(self):
        random = numpy.random.default_rng(0)

        def draw(shape):
            scale = 0.02 if len(shape) == 1 or shape[1] == WIDTH and shape[0] in (WORDS, LENGTH) else shape[0] ** -0.5
            return ((len(shape) == 1) + scale * random.standard_normal(shape)).astype(numpy.float32)

        words = random.integers(0, WORDS, (2, BATCH, LENGTH), dtype=numpy.int32)
        return [*map(draw, self.weights), *words]

    def get_function(self, dtype=jnp.bfloat16):

        def norm(x, gain):
            return (x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * gain).astype(dtype)

        def multiply(x, weight):
            return x @ weight.astype(dtype)

        def attend(x, inward, outward):
            size = WIDTH // HEADS
            q, k, v = (factor.reshape(BATCH, LENGTH, HEADS, size).transpose(0, 2, 1, 3)
                       for factor in jnp.split(multiply(x, inward), 3, -1))
            scores = (q @ k.transpose(0, 1, 3, 2)).astype(jnp.float32) * size ** -0.5
            scores = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -1e30)
            heads = jax.nn.softmax(scores, -1).astype(dtype) @ v
            return multiply(heads.transpose(0, 2, 1, 3).reshape(BATCH, LENGTH, WIDTH), outward)

        def find_loss(weights, words, following):
            table, places, *layers, last = weights
            x = table[words] + places
            for at in range(0, len(layers), 6):
                gain, inward, outward, next_gain, up, down = layers[at:at + 6]
                x += attend(norm(x, gain), inward, outward).astype(jnp.float32)
                x += multiply(jax.nn.gelu(multiply(norm(x, next_gain), up)), down).astype(jnp.float32)
            logits = multiply(norm(x, last), table.T).astype(jnp.float32)
            return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits, -1), following[..., None], -1))

        def step(*arguments):
            *weights, words, following = arguments
            loss, gradients = jax.value_and_grad(find_loss)(weights, words, following)
            return (loss, *(weight - RATE * gradient for weight, gradient in zip(weights, gradients)))

        return step
