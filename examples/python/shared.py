# ===- shared.py - kernels of tables and clusters in Python ------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Rows by their indices, a mixture of experts, and products that two CTAs of a cluster share. They compile to the same PTX as
those of examples/block."""

import carousel

N = 262144
experts = {"module": "experts"}


@carousel.kernel(grid="rows", width=N, covers="n", module="gathers")
def gather_rows(table: "bf16[words, n]", index: "i64[rows]", y: "out bf16[m, columns]"):
    row = carousel.program_id()
    y[row, :N] = table[index[row].to("index"), :N]


@carousel.kernel(grid="m", width=N, covers="n", module="gathers")
def gather_pages(pool: "bf16[all, page, n]", pages: "i64[count]", y: "out bf16[m, columns]"):
    row, page = carousel.program_id(), pool.shape[1]
    number, i = row // page, row % page
    y[row, :N] = pool[pages[number].to("index"), i, :N]


@carousel.function
def find(tiles, p):
    """The expert of tile p, its first row, and the end of the expert's rows."""
    g, i, end = tiles[0, p], tiles[1, p], tiles[2, p]
    return g.to("index", unsigned=True), i.to("index", unsigned=True), end.to("index", unsigned=True)


@carousel.function
def depth_of(k, i, end):
    """A tile without rows has no depth."""
    return carousel.where(carousel.less(i, end, unsigned=True), k, 0)


@carousel.function
def gate(sums):
    """silu(the left half of the columns) * the right half"""
    a, b = sums[:, :128], sums[:, 128:]
    below = carousel.exp(-a, approximate=True) + 1.0
    return carousel.divide(a, below, approximate="arcp") * b


@carousel.kernel(grid=["ceildiv(n, 128)", "tiles_count"], **experts)
def up(x: "bf16[tokens, k]", token: "i32[rows]", w_up: "bf16[experts, 2, width, depth]", tiles: "contiguous i32[3, tiles_count]",
       h: "out bf16[m, n]"):
    across, p = carousel.program_id(0), carousel.program_id(1)
    g, i, end = find(tiles, p)
    j = across * 128
    depth = depth_of(x.shape[1], i, end)
    rows = x.rows(token)
    sums = carousel.zeros((128, 256), "f32")
    for d in carousel.range(0, depth, 64):
        tile, both = rows[i:i + 128, d:d + 64], w_up[g, 0:2, j:j + 128, d:d + 64]
        sums = carousel.dot(tile, both.reshape(256, 64), sums, transposed=True)
    h.first(end, None)[i:i + 128, j:j + 128] = gate(sums).to("bf16")


@carousel.kernel(grid=["ceildiv(n, 256)", "tiles_count"], **experts)
def down(h: "bf16[m, k]", w_down: "bf16[experts, width, depth]", tiles: "contiguous i32[3, tiles_count]", token: "i32[rows]",
         scale: "f32[scales]", z: "inout bf16[tokens, n]"):
    across, p = carousel.program_id(0), carousel.program_id(1)
    g, i, end = find(tiles, p)
    j = across * 256
    depth = depth_of(h.shape[1], i, end)
    total = carousel.zeros((128, 256), "f32")
    for d in carousel.range(0, depth, 64):
        total = carousel.dot(h[i:i + 128, d:d + 64], w_down[g, j:j + 256, d:d + 64], total, transposed=True)
    scaled = total * carousel.column(scale[i:i + 128])
    # Positions behind the group's end belong to the next one.
    z.rows(token.first(end), add=True)[i:i + 128, j:j + 256] = scaled.to("bf16")


def add_halves(own, total, cta):
    """The first of a CTA's eight rows, and these rows of the sum of both CTAs' totals."""
    columns = own.shape[1] - 4
    own[:, :columns] = total
    carousel.cluster_barrier()
    row = cta * 8
    first, second = own.peer(0), own.peer(1)
    own_part, other = first[row:row + 8, :columns], second[row:row + 8, :columns]
    # No CTA leaves while the other one reads its tile.
    carousel.cluster_barrier()
    return row, own_part + other


@carousel.kernel(grid=[2, "ceildiv(n, 128)", "ceildiv(m, 16)"], cluster=2, module="products")
def skinny(x: "bf16[rows, k]", w: "bf16[depth, columns]", y: "out bf16[m, n]"):
    cta, across, down = map(carousel.program_id, (0, 1, 2))
    i, j = down * 16, across * 128
    depth = x.shape[1]
    half = carousel.ceildiv(depth, 128)
    begin, end = cta * half * 64, carousel.minimum(depth, (cta + 1) * half * 64)
    # Rows have four columns more, so that those which threads write together are in other banks.
    own = carousel.shared((16, 132), "f32")
    total = carousel.zeros((16, 128), "f32")
    for k in carousel.range(begin, end, 64):
        total = carousel.dot(x[i:i + 16, k:k + 64], w[k:k + 64, j:j + 128], total)
    row, halves = add_halves(own, total, cta)
    y[i + row:i + row + 8, j:j + 128] = halves.to("bf16")


def unpack(q):
    """The 4-bit numbers of bytes, the low half first."""
    return carousel.interleave(q & 15, carousel.shift_right(q, 4, unsigned=True)).to("bf16", unsigned=True)


def repeat(row):
    """What a row has for each row of weights, in all columns."""
    return carousel.full((128, 64), row, "bf16").T


@carousel.kernel(grid=[2, "ceildiv(n, 64)", "ceildiv(m, 16)"], cluster=2, module="weights")
def skinny_int4(x: "bf16[rows, k]", w: "i8[columns, bytes]", scale: "bf16[groups, width]", zero: "bf16[groups, width]",
                y: "out bf16[m, n]"):
    cta, across, down = map(carousel.program_id, (0, 1, 2))
    i, j = down * 16, across * 64
    count = w.shape[1]
    half = carousel.ceildiv(count, 128)
    begin, end = cta * half * 64, carousel.minimum(count, (cta + 1) * half * 64)
    own = carousel.shared((16, 68), "f32")
    total = carousel.zeros((16, 64), "f32")
    for byte in carousel.range(begin, end, 64):
        k, group = byte * 2, byte // 64
        tile, q = x[i:i + 16, k:k + 128], w[j:j + 64, byte:byte + 64]
        factor, least = scale[group, j:j + 64], zero[group, j:j + 64]
        part = carousel.dot(tile, unpack(q) - repeat(least), transposed=True)
        total = carousel.fma(part, factor.to("f32"), total)
    row, halves = add_halves(own, total, cta)
    y[i + row:i + row + 8, j:j + 64] = halves.to("bf16")


def multiply_bytes(x, w, scale, y):
    """The sums of a CTA, half of its cluster's, and then eight rows of those of both."""
    cta, across, down = map(carousel.program_id, (0, 1, 2))
    i, j = down * 16, across * 64
    depth = x.shape[1]
    half = carousel.ceildiv(depth, 256)
    begin, end = cta * half * 128, carousel.minimum(depth, (cta + 1) * half * 128)
    own = carousel.shared((16, 68), "f32")
    total = carousel.zeros((16, 64), "f32")
    for k in carousel.range(begin, end, 128):
        weights = w[j:j + 64, k:k + 128].to("bf16")
        total = carousel.dot(x[i:i + 16, k:k + 128], weights, total, transposed=True)
    row, halves = add_halves(own, total, cta)
    y[i + row:i + row + 8, j:j + 64] = (halves * scale[j:j + 64]).to("bf16")


skinny_bytes = {"grid": [2, "ceildiv(n, 64)", "ceildiv(m, 16)"], "cluster": 2, "module": "weights"}


@carousel.kernel(**skinny_bytes)
def skinny_int8(x: "bf16[rows, k]", w: "i8[columns, depth]", scale: "f32[width]", y: "out bf16[m, n]"):
    multiply_bytes(x, w, scale, y)


@carousel.kernel(**skinny_bytes)
def skinny_float8(x: "bf16[rows, k]", w: "f8E4M3FN[columns, depth]", scale: "f32[width]", y: "out bf16[m, n]"):
    multiply_bytes(x, w, scale, y)


KERNELS = {
    "gather.mlir": (gather_rows, gather_pages),
    "experts.mlir": (up, down),
    "skinny.mlir": (skinny,),
    "skinny_int4.mlir": (skinny_int4,),
    "skinny_bytes.mlir": (skinny_int8, skinny_float8),
}
