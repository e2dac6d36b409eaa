# ===- products.py - kernels of products in Python --------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Matrix products with what comes before and after them. They compile to the same PTX as those of examples/block."""

import carousel

fused = {"module": "fused"}


def find_tile(height, width):
    across, down = carousel.program_id(0), carousel.program_id(1)
    return down * height, across * width


@carousel.kernel(grid=["ceildiv(n, 256)", "ceildiv(m, 128)"], module="products", parts=8)
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


@carousel.kernel(grid=["ceildiv(n, 128)", "ceildiv(m, 256)"], module="products")
def matmul_int8(a: "bf16[rows, k]", w: "i8[columns, depth]", scale: "bf16[width]", y: "out bf16[m, n]"):
    i, j = find_tile(256, 128)
    depth = a.shape[1]
    scales = carousel.full((64, 128), scale[j:j + 128], "bf16").T
    total = carousel.zeros((256, 128), "f32")
    for k in carousel.range(0, depth, 64):
        tile, weights = a[i:i + 256, k:k + 64], w[j:j + 128, k:k + 64]
        total = carousel.dot(tile, weights.to("bf16") * scales, total, transposed=True)
    y[i:i + 256, j:j + 128] = total.to("bf16")


def unpack(q):
    """The 4-bit numbers of bytes, the low half first."""
    return carousel.interleave(q & 15, carousel.shift_right(q, 4, unsigned=True)).to("bf16", unsigned=True)


def repeat(row, columns):
    """What a row has for each row of weights, in all columns."""
    return carousel.full((columns, 128), row, "bf16").T


@carousel.kernel(grid=["ceildiv(n, 128)", "ceildiv(m, 256)"], module="weights")
def matmul_int4(x: "bf16[rows, k]", w: "i8[columns, bytes]", scale: "bf16[groups, width]", zero: "bf16[groups2, width2]",
                y: "out bf16[m, n]"):
    i, j = find_tile(256, 128)
    total = carousel.zeros((256, 128), "f32")
    for byte in carousel.range(0, w.shape[1], 32):
        k, group = byte * 2, byte // 64
        tile, q = x[i:i + 256, k:k + 64], w[j:j + 128, byte:byte + 32]
        factor, least = scale[group, j:j + 128], zero[group, j:j + 128]
        weights, scales, zeros = unpack(q), repeat(factor, 64), repeat(least, 64)
        total = carousel.dot(tile, (weights - zeros) * scales, total, transposed=True)
    y[i:i + 256, j:j + 128] = total.to("bf16")


@carousel.kernel(grid=["ceildiv(n, 128)", "ceildiv(m, 256)"], module="weights")
def matmul_float8(x: "bf16[rows, k]", w: "f8E4M3FN[columns, depth]", scale: "f32[width]", y: "out bf16[m, n]"):
    i, j = find_tile(256, 128)
    total = carousel.zeros((256, 128), "f32")
    for k in carousel.range(0, x.shape[1], 64):
        total = carousel.dot(x[i:i + 256, k:k + 64], w[j:j + 128, k:k + 64].to("bf16"), total, transposed=True)
    y[i:i + 256, j:j + 128] = (total * scale[j:j + 128]).to("bf16")


@carousel.kernel(grid=["ceildiv(n, 128)", "ceildiv(m, 128)"], module="products")
def block_scales(x: "f8E4M3FN[rows, k]", w: "f8E4M3FN[columns, depth]", sx: "f32[parts, height]", sw: "f32[blocks, parts2]",
                 z: "out bf16[m, n]"):
    across = carousel.program_id(0)
    i, j = find_tile(128, 128)
    total = carousel.zeros((128, 128), "f32")
    for k in carousel.range(0, x.shape[1], 128):
        part = carousel.dot(x[i:i + 128, k:k + 128], w[j:j + 128, k:k + 128], transposed=True)
        b = k // 128
        scale = carousel.column(sx[b, i:i + 128]) * sw[across, b]
        total = carousel.fma(part, scale, total)
    z[i:i + 128, j:j + 128] = total.to("bf16")


@carousel.kernel(grid=["ceildiv(f, 128)", "ceildiv(width, 16) * ceildiv(height, 8)", "images"], module="convolutions")
def conv3x3(x: "bf16[count, rows, columns, c]", w: "bf16[three, three, depth, filters]", y: "out bf16[images, height, width, f]"):
    across, tile, b = map(carousel.program_id, (0, 1, 2))
    width = carousel.ceildiv(y.shape[2], 16)
    f, i, j = across * 128, tile // width * 8, tile % width * 16
    total = carousel.zeros((128, 128), "f32")
    for r in carousel.range(0, 3, pipeline=False):
        for s in carousel.range(0, 3, pipeline=False):
            h, v = i + r - 1, j + s - 1
            for k in carousel.range(0, x.shape[3], 64):
                pixels = x[b, h:h + 8, v:v + 16, k:k + 64].reshape(128, 64)
                total = carousel.dot(pixels, w[r, s, k:k + 64, f:f + 128], total)
    y[b, i:i + 8, j:j + 16, f:f + 128] = total.to("bf16").reshape(8, 16, 128)


KERNELS = {
    "matmul.mlir": (matmul_gelu, matmul_int8),
    "fused.mlir": (gated, residual, norm_residual),
    "products.mlir": (batched, two_products, matmul_i8, matmul_tf32, matmul_f8),
    "weights.mlir": (matmul_int4, matmul_float8),
    "block_scales.mlir": (block_scales,),
    "convolution.mlir": (conv3x3,),
}
