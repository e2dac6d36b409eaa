# ===- products.py - kernels of products in Python --------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Matrix products with what follows them, and attention. They compile to the same PTX as those of examples/block."""

import math

import carousel

fused = {"module": "fused"}


def find_tile(height, width):
    across, down = carousel.program_id(0), carousel.program_id(1)
    return down * height, across * width


@carousel.kernel(grid=["ceildiv(n, 256)", "ceildiv(m, 128)"], module="products")
def matmul_gelu(a: "bf16[rows, k]", b: "bf16[depth, columns]", bias: "f32[width]", y: "out bf16[m, n]"):
    i, j = find_tile(128, 256)
    total = carousel.zeros((128, 256), "f32")
    for k in carousel.range(0, a.shape[1], 64):
        total = carousel.dot(a[i:i + 128, k:k + 64], b[k:k + 64, j:j + 256], total)
    v = total + bias[j:j + 256]
    e = carousel.erf(v * 0.707106769)
    h = v * 0.5
    y[i:i + 128, j:j + 256] = carousel.fma(h, e, h).to("bf16")


@carousel.kernel(grid=["ceildiv(n, 128)", "ceildiv(m, 128)"], **fused)
def gated(x: "bf16[rows, k]", w1: "bf16[d1, c1]", w2: "bf16[d2, c2]", y: "out bf16[m, n]"):
    i, j = find_tile(128, 128)
    s, t = carousel.zeros((128, 128), "f32"), carousel.zeros((128, 128), "f32")
    for k in carousel.range(0, x.shape[1], 64):
        tile = x[i:i + 128, k:k + 64]
        first, second = w1[k:k + 64, j:j + 128], w2[k:k + 64, j:j + 128]
        s = carousel.dot(tile, first, s)
        t = carousel.dot(tile, second, t)
    below = carousel.exp(-s, approximate=True) + 1.0
    y[i:i + 128, j:j + 128] = (carousel.divide(s, below, approximate="arcp") * t).to("bf16")


@carousel.kernel(grid=["ceildiv(n, 256)", "ceildiv(m, 128)"], **fused)
def residual(x: "bf16[rows, k]", w: "bf16[depth, columns]", r: "bf16[height, width]", y: "out bf16[m, n]"):
    i, j = find_tile(128, 256)
    total = carousel.zeros((128, 256), "f32")
    for k in carousel.range(0, x.shape[1], 64):
        total = carousel.dot(x[i:i + 128, k:k + 64], w[k:k + 64, j:j + 256], total)
    y[i:i + 128, j:j + 256] = (total + r[i:i + 128, j:j + 256].to("f32")).to("bf16")


@carousel.kernel(grid=["ceildiv(n, 256)", "ceildiv(m, 128)"], **fused)
def norm_residual(x: "bf16[rows, k]", g: "bf16[scales]", w: "bf16[depth, columns]", r: "bf16[height, width]",
                  y: "out bf16[m, n]"):
    i, j = find_tile(128, 256)
    total, squares = carousel.zeros((128, 256), "f32"), carousel.zeros(128, "f32")
    depth = x.shape[1]
    for k in carousel.range(0, depth, 64):
        tile, weights = x[i:i + 128, k:k + 64], w[k:k + 64, j:j + 256]
        total = carousel.dot(tile * g[k:k + 64], weights, total)
        wide = tile.to("f32")
        squares = (wide * wide).sum(axis=1, start=squares)
    scale = carousel.rsqrt(squares / depth.to("f32") + 1.0e-6)
    y[i:i + 128, j:j + 256] = (total * carousel.column(scale) + r[i:i + 128, j:j + 256].to("f32")).to("bf16")


@carousel.kernel(grid=["ceildiv(n, 256)", "ceildiv(m, 128)", "batches"], module="products")
def batched(x: "f16[b0, k, rows]", w: "f16[b1, depth, columns]", y: "out f16[batches, m, n]"):
    i, j = find_tile(128, 256)
    b = carousel.program_id(2)
    total = carousel.zeros((128, 256), "f32")
    for k in carousel.range(0, x.shape[1], 64):
        total = carousel.dot(x[b, k:k + 64, i:i + 128], w[b, k:k + 64, j:j + 256], total, transposed_left=True)
    y[b, i:i + 128, j:j + 256] = total.to("f16")


@carousel.kernel(grid=["ceildiv(n, 128)", "ceildiv(m, 128)"], module="products")
def two_products(x: "bf16[rows, k]", v: "bf16[d1, c1]", w: "bf16[d2, c2]", y: "out bf16[m, n]", z: "out bf16[m2, n2]"):
    i, j = find_tile(128, 128)
    s, t = carousel.zeros((128, 128), "f32"), carousel.zeros((128, 128), "f32")
    for k in carousel.range(0, x.shape[1], 64):
        tile = x[i:i + 128, k:k + 64]
        first, second = v[k:k + 64, j:j + 128], w[k:k + 64, j:j + 128]
        s = carousel.dot(tile, first, s)
        t = carousel.dot(tile, second, t)
    y16, z16 = s.to("bf16"), t.to("bf16")
    y[i:i + 128, j:j + 128] = y16
    z[i:i + 128, j:j + 128] = z16


@carousel.kernel(grid=["ceildiv(n, 256)", "ceildiv(m, 128)"], module="products")
def matmul_i8(x: "i8[rows, k]", w: "i8[columns, depth]", y: "out i32[m, n]"):
    i, j = find_tile(128, 256)
    total = carousel.zeros((128, 256), "i32")
    for k in carousel.range(0, x.shape[1], 128):
        total = carousel.dot(x[i:i + 128, k:k + 128], w[j:j + 256, k:k + 128], total, transposed=True)
    y[i:i + 128, j:j + 256] = total


@carousel.kernel(grid=["ceildiv(n, 128)", "ceildiv(m, 128)"], module="products")
def matmul_tf32(x: "f32[rows, k]", w: "f32[depth, columns]", y: "out f32[m, n]"):
    i, j = find_tile(128, 128)
    total = carousel.zeros((128, 128), "f32")
    for k in carousel.range(0, x.shape[1], 32):
        tile, weights = x[i:i + 128, k:k + 32], w[k:k + 32, j:j + 128]
        total = carousel.dot(carousel.round_tf32(tile), carousel.round_tf32(weights), total)
    y[i:i + 128, j:j + 128] = total


@carousel.kernel(grid=["ceildiv(n, 128)", "ceildiv(m, 128)"], module="products")
def matmul_f8(x: "f8E4M3FN[rows, k]", w: "f8E4M3FN[columns, depth]", row: "f32[heights]", column: "f32[widths]",
              y: "out bf16[m, n]"):
    i, j = find_tile(128, 128)
    total = carousel.zeros((128, 128), "f32")
    for k in carousel.range(0, x.shape[1], 256):
        total = carousel.dot(x[i:i + 128, k:k + 256], w[j:j + 128, k:k + 256], total, transposed=True)
    of_rows, of_columns = row[i:i + 128], column[j:j + 128]
    scales = carousel.full((128, 128), carousel.column(of_rows), "f32")
    columns = carousel.full((128, 128), of_columns, "f32")
    y[i:i + 128, j:j + 128] = (total * scales * columns).to("bf16")


def add_keys(s, v, scale, largest, total, y):
    """Adds a tile of keys and values: the maxima, sums and results of the rows after it."""
    largest2 = s.max(axis=1, start=largest)
    negated = -(largest2 * scale)
    p = carousel.exp2(carousel.fma(s, scale, carousel.column(negated)), approximate=True)
    factor = carousel.exp2(carousel.fma(largest, scale, negated), approximate=True)
    total2 = p.sum(axis=1, start=total * factor)
    less = y * carousel.column(factor)
    return largest2, total2, carousel.dot(p.to("bf16"), v, less)


def mask_last(s, left):
    """The scores of the keys that are left."""
    return carousel.where(carousel.mask((128, 128), 128, left), s, -math.inf)


def mask_triangle(s):
    """The scores of columns up to the row's own."""
    steps = carousel.iota(128)
    return carousel.where(carousel.less(steps, carousel.column(steps), or_equal=True, unsigned=True), s, -math.inf)


def attend(q, k, v, scale, y, lse, is_causal):
    """Heads of as many elements as the last extent; with `is_causal`, keys up to the row's own position."""
    block, h = carousel.program_id(0), carousel.program_id(1)
    i, n, width = block * 128, k.shape[1], q.shape[2]
    end = carousel.minimum(i + 128, n) if is_causal else n
    scale2 = scale * 1.44269504
    queries = q[h, i:i + 128, :]
    largest, total = carousel.full(128, -1.0e30, "f32"), carousel.zeros(128, "f32")
    result = carousel.zeros((128, width), "f32")
    for j in carousel.range(0, end, 128):
        keys, values = k[h, j:j + 128, :], v[h, j:j + 128, :]
        s = carousel.dot(queries, keys, transposed=True)
        if is_causal:
            seen = carousel.cond(j == i, lambda: mask_triangle(s), lambda: s)
        else:
            left = n - j
            seen = carousel.cond(left < 128, lambda: mask_last(s, left), lambda: s)
        largest, total, result = add_keys(seen, values, scale2, largest, total, result)
    # A row without keys has a result of zeros, and the logarithm -inf.
    inverse = 1.0 / carousel.where(total == 0.0, 1.0, total)
    y[h, i:i + 128, :] = (result * carousel.column(inverse)).to("bf16")
    lse[h, i:i + 128] = carousel.fma(largest, scale, carousel.log(total))


def make_attention(name, width, is_causal, module):
    def kernel(q: f"contiguous bf16[heads, m, {width}]", k: f"contiguous bf16[h1, n, {width}]",
               v: f"contiguous bf16[h2, n2, {width}]", scale: "f32", y: f"out contiguous bf16[h3, m3, {width}]",
               lse: "out contiguous f32[h4, m4]"):
        attend(q, k, v, scale, y, lse, is_causal)

    kernel.__name__ = name
    return carousel.kernel(grid=["ceildiv(m, 128)", "heads"], module=module)(kernel)


attention = make_attention("attention", 128, False, "attention")
attention_64 = make_attention("attention_64", 64, False, "attention_64")
attention_causal_64 = make_attention("attention_causal_64", 64, True, "attention_64")


KERNELS = {
    "matmul.mlir": (matmul_gelu,),
    "fused.mlir": (gated, residual, norm_residual),
    "products.mlir": (batched, two_products, matmul_i8, matmul_tf32, matmul_f8),
    "attention.mlir": (attention,),
    "attention_64.mlir": (attention_64, attention_causal_64),
}
