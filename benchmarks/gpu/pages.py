# ===- pages.py - attention of paged keys and values in JAX ------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Graphs for attention.py, of queries [batch, length, heads, 128], pools [pages, 64, groups, 128], a table [batch, pages
of a sequence] and lengths. Decoding of 32 sequences of 4096 keys, and prefill of 4 of 4096:

  carousel-import pages.py:attend --shapes "bf16[32,1,32,128],bf16[2048,64,8,128],bf16[2048,64,8,128],i32[32,64],i32[32]" \\
      -o pages_decode_4096.mlir
  carousel-import pages.py:attend_causal --shapes "bf16[4,4096,16,128],bf16[256,64,16,128],bf16[256,64,16,128],i32[4,64],i32[4]" \\
      -o pages_causal_4096.mlir
  carousel-compile pages_decode_4096.mlir -o DIR/pages_decode_4096.pkg --chip sm_90a
"""

import jax
import jax.numpy as jnp


def attend_where(q, pools, table, find_seen):
    batch, length, heads, elements = q.shape
    keys, values = (pool[table].reshape(batch, -1, *pool.shape[2:]) for pool in pools)
    groups = keys.shape[2]
    rows = q.reshape(batch, length, groups, heads // groups, elements)
    scores = jnp.einsum("bihgd,bjhd->bhgij", rows, keys, preferred_element_type=jnp.float32) * elements**-0.5
    scores = jnp.where(find_seen(jnp.arange(keys.shape[1])), scores, -jnp.inf)
    y = jnp.einsum("bhgij,bjhd->bihgd", jax.nn.softmax(scores, -1).astype(q.dtype), values, preferred_element_type=jnp.float32)
    return y.astype(q.dtype).reshape(q.shape)


def attend(q, keys, values, table, lengths):
    return attend_where(q, (keys, values), table, lambda j: (j < lengths[:, None])[:, None, None, None])


def attend_causal(q, keys, values, table, lengths):
    """Queries are the last positions of their sequences."""
    i = lengths[:, None] - q.shape[1] + jnp.arange(q.shape[1])
    return attend_where(q, (keys, values), table, lambda j: (j <= i[..., None])[:, None, None])
