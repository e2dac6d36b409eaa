# ===- training.py - gradients and training steps of JAX ---------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Networks of JAX and flax, their gradients, and training steps with optax. Weights are arguments."""

import jax
import jax.numpy as jnp
import numpy
import optax
from flax import linen
from jax import lax

from . import Entry, model

TYPES = {"float32": "f32", "int32": "i32", "bfloat16": "bf16"}


def floats(*shape, seed=0, scale=1.0):
    return (numpy.random.default_rng(seed).standard_normal(shape) * scale).astype(numpy.float32)


def numbers(most, *shape):
    return numpy.random.default_rng(1).integers(0, most, shape).astype(numpy.int32)


def entry(function, *arrays):
    shapes = ",".join(f"{TYPES[array.dtype.name]}[{','.join(map(str, array.shape))}]" for array in arrays)
    return Entry(function, shapes, list(arrays))


def of_tree(function, tree, *arrays):
    """A function of a tree of weights and of arrays, as one of arrays."""
    leaves, structure = jax.tree_util.tree_flatten(tree)
    leaves = [numpy.asarray(leaf) for leaf in leaves]

    def flat(*values):
        return function(jax.tree_util.tree_unflatten(structure, values[:len(leaves)]), *values[len(leaves):])

    return entry(flat, *leaves, *arrays)


def dense_layers(*sizes):
    return [(floats(before, after, seed=at, scale=before ** -0.5), floats(after, seed=at + 9, scale=0.1))
            for at, (before, after) in enumerate(zip(sizes, sizes[1:]))]


def run_layers(weights, x):
    for w, b in weights[:-1]:
        x = jax.nn.gelu(x @ w + b)
    w, b = weights[-1]
    return x @ w + b


@model("jax")
def mlp_grad():

    def loss(weights, x, y):
        return jnp.mean((run_layers(weights, x) - y) ** 2)

    return of_tree(jax.grad(loss), dense_layers(32, 64, 16), floats(24, 32, seed=5), floats(24, 16, seed=6))


def run_images(weights, x):
    for w in weights[:-1]:
        x = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = lax.reduce_window(jax.nn.relu(x), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.reshape(x.shape[0], -1) @ weights[-1]


def image_weights():
    return [floats(3, 3, 4, 16, scale=0.2), floats(3, 3, 16, 16, seed=1, scale=0.1), floats(64, 10, seed=2, scale=0.1)]


@model("jax")
def conv_net():
    return of_tree(run_images, image_weights(), floats(4, 8, 8, 4, seed=3))


@model("jax")
def conv_net_grad():

    def loss(weights, x):
        return jnp.sum(jnp.tanh(run_images(weights, x)))

    return of_tree(jax.grad(loss), image_weights(), floats(4, 8, 8, 4, seed=3))


def attend(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e30)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), v)


@model("jax")
def attention():
    return entry(attend, *(floats(2, 24, 4, 16, seed=at) for at in range(3)))


@model("jax")
def attention_grad():
    return entry(jax.grad(lambda q, k, v: jnp.sum(jnp.sin(attend(q, k, v))), argnums=(0, 1, 2)),
                 *(floats(2, 24, 4, 16, seed=at) for at in range(3)))


@model("jax")
def checkpoint_grad():
    """Recomputed, with barriers around what is."""

    def loss(weights, x):
        return jnp.mean(jax.checkpoint(run_layers)(weights, x) ** 2)

    return of_tree(jax.grad(loss), dense_layers(32, 48, 16), floats(24, 32, seed=5))


def group_sizes(*sizes):
    return numpy.array(sizes, numpy.int32)


@model("jax")
def ragged_batch():
    """Groups without rows, and rows behind the last group."""
    sizes = group_sizes((20, 0, 9), (0, 33, 7))
    return entry(jax.vmap(lax.ragged_dot), floats(2, 40, 24), floats(2, 3, 24, 32, seed=1, scale=0.2), sizes)


@model("jax")
def ragged_grad():

    def loss(x, w, sizes):
        return jnp.sum(jnp.tanh(lax.ragged_dot(x, w, sizes)))

    return entry(jax.grad(loss, argnums=(0, 1)), floats(70, 24), floats(4, 24, 32, seed=1, scale=0.2),
                 group_sizes(20, 0, 9, 33))


@model("jax")
def scan_sums():
    return entry(lambda x: lax.associative_scan(jnp.add, x, axis=0), floats(8, 16))


@model("jax")
def scan_rows():
    return Entry(lambda x: lax.associative_scan(jnp.add, x, axis=1), "f32[b,16]", [floats(6, 16)])


@model("jax")
def reshapes():
    """In each order of unknown extents."""

    def function(x):
        a, b, _ = x.shape
        return (x.reshape(b, a * 16) + 1, x.reshape(a, b * 16) * 2, x.reshape(b, a, 4, 4) - 1, x.reshape(a * b, 16) + 3,
                x.reshape(a, b, 4, 4) + 2, x.reshape(b, a, 16) * 5)

    return Entry(function, "f32[a,b,16]", [floats(3, 5, 16)])


@model("jax")
def integers():
    """Data of the types that JAX computes shapes in."""

    def function(x, first, rest, step):
        rows = x[jnp.concatenate([first, rest])]
        step = step + 1
        return rows.reshape(2, -1) / (1 - 0.9 ** step.astype(jnp.float32)), jnp.concatenate([rest, first]) * step, step

    return entry(function, floats(16, 8), numbers(16, 3), numbers(16, 21), numpy.int32(4))


def train(optimizer):
    weights = dense_layers(32, 48, 16)
    state = optimizer.init(weights)

    def step(trees, x, y):
        weights, state = trees

        def loss(weights):
            logits = run_layers(weights, x)
            return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(logits, y))

        value, gradients = jax.value_and_grad(loss)(weights)
        updates, state = optimizer.update(gradients, state, weights)
        return optax.apply_updates(weights, updates), state, value

    return of_tree(step, (weights, state), floats(24, 32, seed=5), numbers(16, 24))


@model("jax")
def train_sgd():
    return train(optax.sgd(0.1, momentum=0.9))


@model("jax")
def train_adamw():
    return train(optax.adamw(1e-3))


@model("jax")
def train_clipped():
    return train(optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3)))


class FlaxNet(linen.Module):

    @linen.compact
    def __call__(self, x):
        x = linen.relu(linen.LayerNorm()(linen.Conv(16, (3, 3))(x)))
        x = linen.avg_pool(x, (2, 2), (2, 2))
        return linen.Dense(10)(x.reshape(x.shape[0], -1))


@model("jax")
def flax_net():
    network, x = FlaxNet(), floats(4, 8, 8, 4)
    return of_tree(network.apply, network.init(jax.random.key(0), x), x)


@model("jax")
def flax_net_grad():
    network, x = FlaxNet(), floats(4, 8, 8, 4)
    return of_tree(jax.grad(lambda weights, x: jnp.mean(network.apply(weights, x) ** 2)),
                   network.init(jax.random.key(0), x), x)
