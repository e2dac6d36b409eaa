"""A transformer block in JAX. transformer.mlir was made of it by

carousel-import examples/graphs/transformer.py:transformer -o examples/graphs/transformer.mlir --shapes \
    'bf16[b,32,64],bf16[64],bf16[64,192],bf16[64,64],bf16[64],bf16[64,256],bf16[256],bf16[256,64]'
"""
import jax
import jax.numpy as jnp

LENGTH, WIDTH, HEADS = 32, 64, 4


def rmsnorm(x, scale):
    wide = x.astype(jnp.float32)
    mean = jnp.mean(wide * wide, axis=-1, keepdims=True)
    return (wide * jax.lax.rsqrt(mean + 1e-6)).astype(x.dtype) * scale


def attention(x, wqkv, wo):
    heads_shape = (x.shape[0], LENGTH, HEADS, WIDTH // HEADS)
    q, k, v = (part.reshape(heads_shape) for part in jnp.split(x @ wqkv, 3, axis=-1))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k, preferred_element_type=jnp.float32)
    row = jax.lax.broadcasted_iota(jnp.int32, scores.shape, 2)
    column = jax.lax.broadcasted_iota(jnp.int32, scores.shape, 3)
    scores = jnp.where(row >= column, scores * (WIDTH // HEADS) ** -0.5, -1e30)
    weights = jax.nn.softmax(scores, axis=-1).astype(x.dtype)
    heads = jnp.einsum("bhqk,bkhd->bqhd", weights, v)
    return heads.reshape(x.shape) @ wo


def transformer(x, scale1, wqkv, wo, scale2, w1, b1, w2):
    x = x + attention(rmsnorm(x, scale1), wqkv, wo)
    h = jax.nn.gelu(rmsnorm(x, scale2) @ w1 + b1, approximate=True)
    return x + h @ w2
