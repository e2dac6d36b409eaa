# ===- losses.py - losses and dropout in Python ------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""The cross-entropy of a product and its gradients, and products with dropout. They compile to the same PTX as those of
examples/block."""

import math

import carousel

losses = {"module": "losses"}
grid = ["ceildiv(n, 256)", "ceildiv(m, 128)"]


def find_tile():
    across, down = carousel.program_id(0), carousel.program_id(1)
    return down * 128, across * 256


def is_label(labels, first):
    """Whether a word, of 256 from `first` on, is the label of a row."""
    words = first.to("i32") + carousel.iota(256).to("i32")
    return carousel.full((128, 256), words, "i32") == carousel.full((128, 256), carousel.column(labels), "i32")


@carousel.kernel(grid=["count", "ceildiv(m, 128)"], **losses)
def parts(x: "bf16[m, k]", w: "bf16[words, depth]", label: "i32[m2]", parts: "out contiguous f32[3, count, rows]"):
    """Of a part of the words: each row's largest logit, the sum of exponentials, and the logit of its label."""
    part, down = carousel.program_id(0), carousel.program_id(1)
    i = down * 128
    words, count = w.shape[0], parts.shape[1]
    blocks = carousel.ceildiv(carousel.ceildiv(words, 256), count)
    begin, end = part * blocks * 256, carousel.minimum(words, (part + 1) * blocks * 256)
    own = carousel.full((128, 256), carousel.column(label.pad(-1)[i:i + 128]), "i32")
    largest, total, at = carousel.full(128, -math.inf, "f32"), carousel.zeros(128, "f32"), carousel.full(128, 0.0, "f32")
    for j in carousel.range(begin, end, 256, pipeline=False):
        z = carousel.zeros((128, 256), "f32")
        for k in carousel.range(0, x.shape[1], 64):
            z = carousel.dot(x[i:i + 128, k:k + 64], w[j:j + 256, k:k + 64], z, transposed=True)
        ids = carousel.full(256, j.to("i32"), "i32") + carousel.iota(256).to("i32")
        at = carousel.where(carousel.full((128, 256), ids, "i32") == own, z, 0.0).sum(axis=1, start=at)
        seen = carousel.where(carousel.mask((128, 256), 128, end - j), z, -math.inf)
        largest2 = seen.max(axis=1, start=largest)
        e = carousel.exp(seen - carousel.column(largest2), approximate=True)
        factor = carousel.exp(largest - largest2, approximate=True)
        total = e.sum(axis=1, start=total * factor)
        largest = largest2
    for number, values in enumerate((largest, total, at)):
        parts[number, part, i:i + 128] = values


@carousel.kernel(grid="ceildiv(m, 128)", **losses)
def combine(parts: "contiguous f32[3, count, rows]", loss: "out f32[m]", lse: "out f32[m2]"):
    i = carousel.program_id() * 128
    largest, total, at = carousel.full(128, -math.inf, "f32"), carousel.zeros(128, "f32"), carousel.full(128, 0.0, "f32")
    for p in carousel.range(0, parts.shape[1], pipeline=False):
        m, s, a = parts.pad(-math.inf)[0, p, i:i + 128], parts[1, p, i:i + 128], parts[2, p, i:i + 128]
        largest2 = carousel.maximum(largest, m)
        corrected = total * carousel.exp(largest - largest2, approximate=True)
        total = carousel.fma(s, carousel.exp(m - largest2, approximate=True), corrected)
        at = at + a
        largest = largest2
    whole = carousel.log(total) + largest
    loss[i:i + 128] = whole - at
    lse[i:i + 128] = whole


@carousel.kernel(grid=grid, **losses)
def dlogits(x: "bf16[rows, k]", w: "bf16[words, depth]", label: "i32[m2]", lse: "f32[m3]", g: "f32[m4]", first: "index",
            d: "out bf16[m, n]"):
    i, j = find_tile()
    z = carousel.zeros((128, 256), "f32")
    for k in carousel.range(0, x.shape[1], 64):
        z = carousel.dot(x[i:i + 128, k:k + 64], w[j:j + 256, k:k + 64], z, transposed=True)
    logs, gs, labels = lse[i:i + 128], g[i:i + 128], label.pad(-1)[i:i + 128]
    word = first + j
    marks = carousel.where(is_label(labels, word), 1.0, carousel.zeros((128, 256), "f32"))
    softmax = carousel.exp(z - carousel.column(logs), approximate=True)
    d[i:i + 128, j:j + 256] = ((softmax - marks) * carousel.column(gs)).to("bf16")


@carousel.kernel(grid=grid, **losses)
def dw(d: "bf16[tokens, words]", x: "bf16[tokens, k]", dw: "out bf16[m, n]"):
    i, j = find_tile()
    total = carousel.zeros((128, 256), "f32")
    for k in carousel.range(0, x.shape[0], 64):
        total = carousel.dot(d[k:k + 64, i:i + 128], x[k:k + 64, j:j + 256], total, transposed_left=True)
    dw[i:i + 128, j:j + 256] = total.to("bf16")


@carousel.kernel(grid=grid, **losses)
def dx(d: "bf16[tokens, words]", w: "bf16[words, k]", sums: "inout f32[m, n]"):
    i, j = find_tile()
    total = carousel.zeros((128, 256), "f32")
    for k in carousel.range(0, w.shape[0], 64):
        total = carousel.dot(d[i:i + 128, k:k + 64], w[k:k + 64, j:j + 256], total)
    sums[i:i + 128, j:j + 256] = sums[i:i + 128, j:j + 256] + total


def round_words(c, keys):
    """A round of Philox4x32."""
    low0, high0 = carousel.multiply_extended(c[0], 0xD2511F53, unsigned=True)
    low1, high1 = carousel.multiply_extended(c[2], 0xCD9E8D57, unsigned=True)
    return ((high1 ^ c[1] ^ keys[0], low1, high0 ^ c[3] ^ keys[1], low0), (keys[0] + 0x9E3779B9, keys[1] + 0xBB67AE85))


def split(number):
    """The low and the high half of 64 bits."""
    return number.to("i32"), carousel.shift_right(number, 32, unsigned=True).to("i32")


def draw(i, j, seed, offset):
    """The random words of a tile of 128 x 256 that begins at row i and column j."""
    group, pair = i // 2, j // 2
    groups, pairs = carousel.full((64, 128), group.to("i32"), "i32"), carousel.full((64, 128), pair.to("i32"), "i32")
    columns = carousel.full((64, 128), carousel.iota(128).to("i32"), "i32")
    rows = carousel.full((64, 128), carousel.column(carousel.iota(64).to("i32")), "i32")
    c0, c1 = pairs + columns, groups + rows
    keys = split(seed)
    words = (c0, c1, *(carousel.full((64, 128), half, "i32") for half in split(offset)))
    for _ in range(10):
        words, keys = round_words(words, keys)
    upper = carousel.interleave(words[0], words[1]).reshape(8, 1, 8, 256)
    lower = carousel.interleave(words[2], words[3]).reshape(8, 1, 8, 256)
    both = carousel.zeros((8, 2, 8, 256), "i32").at[:, 0:1].set(upper)
    return both.at[:, 1:2].set(lower).reshape(128, 256)


def drop(v, i, j, p, seed, offset):
    limit = (p * 2.0**32).to("i32", unsigned=True)
    factor = 1.0 / (1.0 - p)
    limits, factors = carousel.full(v.shape, limit, "i32"), carousel.full(v.shape, factor, "f32")
    bits = draw(i, j, seed, offset)
    return carousel.where(carousel.greater(bits, limits, or_equal=True, unsigned=True), v * factors, 0.0)


@carousel.kernel(grid=grid, module="dropouts")
def linear_dropout(x: "bf16[rows, k]", w: "bf16[depth, columns]", b: "f32[width]", y: "out bf16[m, n]", p: "f32", seed: "i64",
                   offset: "i64"):
    i, j = find_tile()
    total = carousel.zeros((128, 256), "f32")
    for k in carousel.range(0, x.shape[1], 64):
        total = carousel.dot(x[i:i + 128, k:k + 64], w[k:k + 64, j:j + 256], total)
    y[i:i + 128, j:j + 256] = drop(total + b[j:j + 256], i, j, p, seed, offset).to("bf16")


@carousel.kernel(grid=grid, block=512, module="dropouts")
def dropout_backward(dy: "bf16[rows, columns]", dx: "out bf16[m, n]", p: "f32", seed: "i64", offset: "i64"):
    i, j = find_tile()
    # A thread has rows 16q + r and 16q + r + 8 of eight columns.
    in_threads = dy.with_layout(register=[[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [32, 0]],
                                lane=[[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warp=[[1, 0], [2, 0], [4, 0], [64, 0]])
    wide = in_threads[i:i + 128, j:j + 256].to("f32")
    dx[i:i + 128, j:j + 256] = drop(wide, i, j, p, seed, offset).to("bf16")


# The kernels, by the file of examples/block that has the same ones.
KERNELS = {
    "linear_cross_entropy.mlir": (parts, combine),
    "linear_cross_entropy_backward.mlir": (dlogits, dw, dx),
    "dropout.mlir": (linear_dropout, dropout_backward),
}
