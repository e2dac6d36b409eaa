# ===- tiles.py - kernels of tiles in Python --------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Kernels that go through a matrix by tiles. They compile to the same PTX as those of examples/block."""

import carousel

tiles = {"grid": "ceildiv(m, 8) * ceildiv(n, 512)", "module": "tiles"}


def find_tile(columns, height, width):
    """The tile of this program: where it starts."""
    count = carousel.ceildiv(columns, width)
    block = carousel.program_id()
    row, column = block // count, block % count
    return row * height, column * width


def gelu(v):
    s = v * 0.707106769
    p = carousel.erf(s) + 1.0
    return v * 0.5 * p


@carousel.kernel(module="tiles", grid=[
    "ceildiv(n, 512)", "min(ceildiv(m, 8), max(floordiv(resident, max(ceildiv(n, 512), 1)), 1))"])
def gelu_bias(x: "bf16[m, n]", b: "bf16[n]", r: "bf16[m, n]", y: "out bf16[m, n]"):
    rows = x.shape[0]
    across, down, blocks = carousel.program_id(0), carousel.program_id(1), carousel.num_programs(1)
    j, first, step = across * 512, down * 8, blocks * 8
    bias = b[j:j + 512].to("f32")
    for i in carousel.range(first, rows, step):
        x32, r32 = x[i:i + 8, j:j + 512].to("f32"), r[i:i + 8, j:j + 512].to("f32")
        y[i:i + 8, j:j + 512] = (gelu(x32 + bias) * r32).to("bf16")


@carousel.kernel(**tiles)
def silu_mul(x: "bf16[m, n]", r: "bf16[m, n]", y: "out bf16[m, n]"):
    i, j = find_tile(x.shape[1], 8, 512)
    x32, r32 = x[i:i + 8, j:j + 512].to("f32"), r[i:i + 8, j:j + 512].to("f32")
    s = carousel.divide(x32, carousel.exp(-x32) + 1.0, approximate=True)
    y[i:i + 8, j:j + 512] = (s * r32).to("bf16")


@carousel.kernel(**tiles)
def chain(x: "bf16[m, n]", r: "bf16[m, n]", b: "bf16[n]", a: "bf16[m]", y: "out bf16[m, n]"):
    i, j = find_tile(x.shape[1], 8, 512)
    x32, r32 = x[i:i + 8, j:j + 512].to("f32"), r[i:i + 8, j:j + 512].to("f32")
    bias, scale = b[j:j + 512], carousel.column(a[i:i + 8])
    biases, scales = carousel.full((8, 512), bias, "bf16").to("f32"), carousel.full((8, 512), scale, "bf16").to("f32")
    t = x32 * scales + biases
    y[i:i + 8, j:j + 512] = (t * r32).to("bf16")


def transpose(x, y):
    i, j = find_tile(x.shape[1], 128, 128)
    y[j:j + 128, i:i + 128] = x[i:i + 128, j:j + 128].T


squares = {"grid": "ceildiv(m, 128) * ceildiv(n, 128)", "module": "transposes"}


@carousel.kernel(**squares)
def transpose_8(x: "i8[m, n]", y: "out i8[n, m]"):
    transpose(x, y)


@carousel.kernel(**squares)
def transpose_16(x: "bf16[m, n]", y: "out bf16[n, m]"):
    transpose(x, y)


@carousel.kernel(**squares)
def transpose_32(x: "f32[m, n]", y: "out f32[n, m]"):
    transpose(x, y)


def add_rows(x, y, width):
    j = carousel.program_id() * width
    sums = carousel.zeros((128, width), "f32")
    for i in carousel.range(0, x.shape[0], 128, pipeline="stages = auto"):
        sums = sums + x[i:i + 128, j:j + width].to("f32")
    y[j:j + width] = sums.sum(axis=0)


@carousel.kernel(grid="ceildiv(n, 64)", module="sums")
def column_sum_16(x: "bf16[m, n]", y: "out f32[n]"):
    add_rows(x, y, 64)


@carousel.kernel(grid="ceildiv(n, 32)", module="sums")
def column_sum_32(x: "f32[m, n]", y: "out f32[n]"):
    add_rows(x, y, 32)


@carousel.kernel(grid="ceildiv(n, 32)", module="rows")
def column_sum(parts: "contiguous f32[m, n]", sums: "out f32[n]"):
    """Adds the parts of a gradient."""
    j = carousel.program_id() * 32
    total = carousel.zeros((64, 32), "f32")
    for i in carousel.range(0, parts.shape[0], 64, pipeline=False):
        total = total + parts[i:i + 64, j:j + 32]
    sums[j:j + 32] = total.sum(axis=0)


def blend(average, following, beta):
    """beta * average + (1 - beta) * following"""
    rest = 1.0 - beta
    return average * beta + following * rest


@carousel.kernel(grid="ceildiv(n, 4096)", module="optimizer")
def adamw(p: "inout f32[n]", g: "f32[n]", m: "inout f32[n]", v: "inout f32[n]", lr: "f32", beta1: "f32", beta2: "f32",
          eps: "f32", decay: "f32", scale1: "f32", scale2: "f32"):
    i = carousel.program_id() * 4096
    ps, gs, ms, vs = p[i:i + 4096], g[i:i + 4096], m[i:i + 4096], v[i:i + 4096]
    m1 = blend(ms, gs, beta1)
    v1 = blend(vs, gs * gs, beta2)
    mh, vh = m1 * scale1, v1 * scale2
    step = mh / (carousel.sqrt(vh) + eps) * lr
    kept = ps * (1.0 - lr * decay)
    p[i:i + 4096] = kept - step
    m[i:i + 4096] = m1
    v[i:i + 4096] = v1


@carousel.kernel(grid="ceildiv(m, 16) * ceildiv(n, 256)", module="stencils")
def stencil(x: "f32[m, n]", y: "out f32[m, n]"):
    i, j = find_tile(x.shape[1], 16, 256)

    above, below, left, right = i - 1, i + 1, j - 1, j + 1
    north, south = x[above:above + 16, j:j + 256], x[below:below + 16, j:j + 256]
    west, east = x[i:i + 16, left:left + 256], x[i:i + 16, right:right + 256]
    y[i:i + 16, j:j + 256] = ((north + south) + (west + east)) * 0.25


@carousel.kernel(grid="s", module="attention")
def rope(x: "bf16[s, heads, 128] strides[?, 128, 1]", cos: "contiguous f32[s, 64]", sin: "contiguous f32[s, 64]",
         y: "out bf16[s, heads, 128] strides[?, 128, 1]"):
    """The rotary embedding of a position's first 64 heads."""
    s = carousel.program_id()
    a16, b16 = x[s, 0:64, 0:64], x[s, 0:64, 64:128]
    c, d = cos[s, :], sin[s, :]
    a, b = a16.to("f32"), b16.to("f32")
    cs, ds = carousel.full((64, 64), c, "f32"), carousel.full((64, 64), d, "f32")
    ac, bd, bc, ad = a * cs, b * ds, b * cs, a * ds
    low, high = (ac - bd).to("bf16"), (bc + ad).to("bf16")
    y[s, 0:64, 0:64] = low
    y[s, 0:64, 64:128] = high


KERNELS = {
    "activation.mlir": (gelu_bias, silu_mul, chain),
    "transpose.mlir": (transpose_8, transpose_16, transpose_32),
    "sums.mlir": (column_sum_16, column_sum_32),
    "stencil.mlir": (stencil,),
    "adamw.mlir": (adamw,),
    "rmsnorm_backward.mlir": (column_sum,),
    "layernorm_backward.mlir": (column_sum,),
    "rope.mlir": (rope,),
}
