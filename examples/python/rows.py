# ===- rows.py - kernels of rows in Python ----------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Kernels whose vectors cover a row of any width. They compile to the same PTX as those of examples/block."""

import math

import carousel

N = 262144  # the widest row that a program has at once; the compiler chooses others
rows = {"grid": "m", "width": N, "covers": "n", "module": "rows"}


@carousel.kernel(**rows)
def softmax(x: "bf16[m, n]", y: "out bf16[m, n]"):
    row = carousel.program_id()
    e = x.pad(-math.inf)[row, :N].to("f32")
    p = carousel.exp(e - e.max(), approximate=True)
    y[row, :N] = (p * (1.0 / p.sum())).to("bf16")


@carousel.kernel(**rows)
def log_softmax(x: "bf16[m, n]", y: "out bf16[m, n]"):
    row = carousel.program_id()
    e = x.pad(-math.inf)[row, :N].to("f32")
    d = e - e.max()
    y[row, :N] = (d - carousel.log(carousel.exp(d, approximate=True).sum())).to("bf16")


def mean(v, columns):
    return v.sum() / columns.to("f32")


def rms_scale(h, columns):
    return carousel.rsqrt(mean(h * h, columns) + 1.0e-6)


@carousel.kernel(**rows)
def rmsnorm(x: "bf16[m, n]", w: "bf16[n]", y: "out bf16[m, n]"):
    row, columns = carousel.program_id(), x.shape[1]
    h = x[row, :N].to("f32")
    scale = rms_scale(h, columns)
    w32 = w[:N].to("f32")
    y[row, :N] = (h * scale * w32).to("bf16")


@carousel.kernel(**rows)
def rmsnorm_residual(x: "bf16[m, n]", residual: "bf16[m, n]", w: "bf16[n]", h: "out bf16[m, n]", y: "out bf16[m, n]"):
    row, columns = carousel.program_id(), x.shape[1]
    sum16 = x[row, :N] + residual[row, :N]
    h[row, :N] = sum16
    h32 = sum16.to("f32")
    scale = rms_scale(h32, columns)
    w32 = w[:N].to("f32")
    y[row, :N] = (h32 * scale * w32).to("bf16")


@carousel.kernel(**rows)
def layernorm(x: "bf16[m, n]", w: "f32[n]", b: "f32[n]", y: "out bf16[m, n]", mean: "out f32[m]", rstd: "out f32[m]"):
    row, columns = carousel.program_id(), x.shape[1]
    x32 = x[row, :N].to("f32")
    m = x32.sum() / columns.to("f32")
    centred = x32 - m
    # Elements beyond the row's end count as 0.
    d = carousel.where(carousel.mask(N, columns), centred, 0.0)
    r = carousel.rsqrt((d * d).sum() / columns.to("f32") + 1.0e-5)
    scale, weights, biases = carousel.full(N, r, "f32"), w[:N], b[:N]
    y[row, :N] = (d * scale * weights + biases).to("bf16")
    mean[row] = m
    rstd[row] = r


@carousel.kernel(**rows)
def cross_entropy(x: "bf16[m, n]", label: "i64[m]", loss: "out f32[m]"):
    row = carousel.program_id()
    x32 = x.pad(-math.inf)[row, :N].to("f32")
    largest = x32.max()
    total = carousel.exp(x32 - largest, approximate=True).sum()
    at_label = x[row, label[row].to("index")].to("f32") - largest
    loss[row] = carousel.log(total) - at_label


@carousel.kernel(**rows)
def argmax(x: "bf16[m, n]", value: "out bf16[m]", index: "out i64[m]"):
    row = carousel.program_id()
    e = x.pad(-math.inf)[row, :N].to("f32")
    largest = e.max(propagate_nan=True)
    found = (e == largest) | carousel.isnan(e)
    last = 2**31 - 1
    first = carousel.where(found, carousel.iota(N).to("i32"), last).min()
    number = first.to("i64")
    value[row] = largest.to("bf16")
    index[row] = number


@carousel.kernel(**rows)
def dequantize_int8(x: "i8[m, n]", scale: "f32[m]", y: "out bf16[m, n]"):
    row = carousel.program_id()
    y[row, :N] = (x[row, :N].to("f32") * scale[row]).to("bf16")


@carousel.kernel(**rows)
def dequantize_fp8(x: "f8E4M3FN[m, n]", scale: "f32[m]", y: "out bf16[m, n]"):
    row = carousel.program_id()
    y[row, :N] = (x[row, :N].to("f32") * scale[row]).to("bf16")


def means(v, columns):
    """The mean in all columns."""
    count = columns.to("f32")
    return carousel.full(N, v.sum() / count, "f32")


def find_part(x):
    """The rows of a program that adds up those of a gradient."""
    block = carousel.program_id()
    return block, block * 64, carousel.minimum(block * 64 + 64, x.shape[0])


@carousel.kernel(**{**rows, "grid": "ceildiv(m, 64)"})
def rmsnorm_backward(x: "bf16[m, n]", dy: "bf16[m, n]", w: "bf16[n]", rstd: "f32[m]", dx: "out bf16[m, n]",
                     parts: "out contiguous f32[p, n]"):
    block, first, last = find_part(x)
    columns, w32 = x.shape[1], w[:N].to("f32")
    dw = carousel.zeros(N, "f32")
    for i in carousel.range(first, last, pipeline="stages = auto"):
        x32, dy32 = x[i, :N].to("f32"), dy[i, :N].to("f32")
        scale = carousel.full(N, rstd[i], "f32")
        normed, g = x32 * scale, dy32 * w32
        along = normed * means(g * normed, columns)
        dx[i, :N] = ((g - along) * scale).to("bf16")
        dw = carousel.fma(dy32, normed, dw)
    parts[block, :N] = dw


@carousel.kernel(**{**rows, "grid": "ceildiv(m, 64)"})
def layernorm_backward(x: "bf16[m, n]", dy: "bf16[m, n]", w: "bf16[n]", mean: "f32[m]", rstd: "f32[m]", dx: "out bf16[m, n]",
                       parts: "out contiguous f32[p, n]", parts_b: "out contiguous f32[p, n]"):
    block, first, last = find_part(x)
    columns, w32 = x.shape[1], w[:N].to("f32")
    dw, db = carousel.zeros(N, "f32"), carousel.zeros(N, "f32")
    for i in carousel.range(first, last, pipeline="stages = auto"):
        x32, dy32 = x[i, :N].to("f32"), dy[i, :N].to("f32")
        centre, scale = carousel.full(N, mean[i], "f32"), carousel.full(N, rstd[i], "f32")
        normed, g = (x32 - centre) * scale, dy32 * w32
        of_products, of_g = means(g * normed, columns), means(g, columns)
        along = normed * of_products
        dx[i, :N] = ((g - of_g - along) * scale).to("bf16")
        dw = carousel.fma(dy32, normed, dw)
        db = db + dy32
    parts[block, :N] = dw
    parts_b[block, :N] = db


@carousel.kernel(**{**rows, "module": "sums"})
def row_sum_16(x: "bf16[m, n]", y: "out f32[m]"):
    row = carousel.program_id()
    y[row] = x[row, :N].to("f32").sum()


@carousel.kernel(**{**rows, "module": "sums"})
def row_sum_32(x: "f32[m, n]", y: "out f32[m]"):
    row = carousel.program_id()
    y[row] = x[row, :N].sum()


# The kernels, by the file of examples/block that has the same ones.
KERNELS = {
    "softmax.mlir": (softmax, log_softmax),
    "rmsnorm.mlir": (rmsnorm, rmsnorm_residual),
    "rmsnorm_backward.mlir": (rmsnorm_backward,),
    "layernorm.mlir": (layernorm,),
    "layernorm_backward.mlir": (layernorm_backward,),
    "cross_entropy.mlir": (cross_entropy,),
    "argmax.mlir": (argmax,),
    "dequantize.mlir": (dequantize_int8, dequantize_fp8),
    "sums.mlir": (row_sum_16, row_sum_32),
}
