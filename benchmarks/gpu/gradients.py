# ===- gradients.py - attention and its gradients in JAX -------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Graphs for attention.py, of tensors [batch, length, heads, elements]:

  carousel-import gradients.py:gradients --shapes "$(4 times bf16[4,4096,16,128], with commas)" -o gradients_4096.mlir
  carousel-compile gradients_4096.mlir -o DIR/gradients_4096.pkg --chip sm_90a

`gradients_causal` likewise; names of packages end with _64_N for heads of 64.
"""

import jax
import jax.numpy as jnp


def attend(q, k, v, is_causal):
    scores = jnp.einsum("bihd,bjhd->bhij", q, k).astype(jnp.float32) * q.shape[-1] ** -0.5
    if is_causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e30)
    return jnp.einsum("bhij,bjhd->bihd", jax.nn.softmax(scores, -1).astype(v.dtype), v)


def differentiate(q, k, v, dy, is_causal):
    y, find = jax.vjp(lambda *factors: attend(*factors, is_causal), q, k, v)
    return (y, *find(dy))


def gradients(q, k, v, dy):
    return differentiate(q, k, v, dy, False)


def gradients_causal(q, k, v, dy):
    return differentiate(q, k, v, dy, True)
