# ===- ordered.py - programs that wait for others in Python ------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Products whose steps programs share, products by groups of rows, and the router of a mixture of experts. They compile to the
same PTX as those of examples/block."""

import math

import carousel


@carousel.kernel(grid="ceildiv(m, 128) * ceildiv(n, 256) * split", module="products")
def split_k(a: "bf16[rows, k]", b: "bf16[depth, columns]", y: "out bf16[m, n]", split: "index",
            work: "workspace f32[m, ceildiv(n, 4) * 4]", turns: "workspace i32[ceildiv(m, 128) * ceildiv(n, 256), 32]",
            tickets: "workspace i32[1]"):
    """`split` programs for each tile, which take turns to add to `work`; the last one writes the tile."""
    blocks, n, depth = carousel.num_programs(), y.shape[1], a.shape[1]
    ticket = carousel.draw_ticket(tickets, blocks)
    t, turn = ticket // split, ticket % split
    across = carousel.ceildiv(n, 256)
    i, j = t // across * 128, t % across * 256
    steps = carousel.ceildiv(depth, split * 64)
    begin, end = turn * steps * 64, carousel.minimum(depth, (turn + 1) * steps * 64)
    own = carousel.shared((128, 256), "f32", alignment=1024)
    total = carousel.zeros((128, 256), "f32")
    for k in carousel.range(begin, end, 64):
        total = carousel.dot(a[i:i + 128, k:k + 64], b[k:k + 64, j:j + 256], total)
    own[:, :] = total

    def add(first, last):
        carousel.accumulate(own, work, [i, j], first=first, last=last, options="swizzle(b64)")
        return last

    def write():
        y[i:i + 128, j:j + 256] = own[:, :].to("bf16")

    carousel.cond(carousel.serialize(turns, [t, 0], turn, split, add), write, lambda: None)


def share(p, programs, tiles, steps):
    """What program p has: steps `begin` to `end` of the last tiles' steps, and `whole` tiles before those."""
    least = carousel.minimum(programs, tiles * steps, unsigned=True)
    workers = carousel.maximum(least, 1, unsigned=True)
    whole = carousel.maximum(carousel.divide(tiles, workers, unsigned=True), 1, unsigned=True) - 1
    alone = whole * workers
    total = (tiles - alone) * steps
    each, more = carousel.divide(total, workers, unsigned=True), carousel.remainder(total, workers, unsigned=True)
    before, evenly, others = alone * steps, p * each, carousel.minimum(p, more, unsigned=True)
    begin = before + evenly + others
    own = each + carousel.less(p, more, unsigned=True).to("i32")
    return begin, begin + carousel.where(carousel.less(p, workers, unsigned=True), own, 0), whole


def count_parts(begin, end, whole, steps):
    """How many parts of tiles a program has."""
    inner = end - 1
    first, last = carousel.divide(begin, steps, unsigned=True), carousel.divide(inner, steps, unsigned=True)
    count = last - first + 1 + whole
    return carousel.where(carousel.less(begin, end, unsigned=True), count, 0)


def find_part(s, p, programs, begin, end, whole, steps):
    """Part s of what a program has: a tile, and its steps from `first` to `last`. First comes the begin of the tile that the
    next program ends, then whole tiles, and at the end the rest of the tile that the program before began."""
    turn = s - 1
    is_alone = carousel.less(turn, whole, unsigned=True)
    alone = turn * programs + p
    last_tile = carousel.divide(end - 1, steps, unsigned=True)
    t = carousel.where(is_alone, alone, last_tile - carousel.maximum(s - whole, 0))
    start = t * steps
    first, last = carousel.maximum(begin - start, 0), carousel.minimum(end - start, steps)
    return t, carousel.where(is_alone, 0, first), carousel.where(is_alone, steps, last)


def place(t, down, across):
    """The first row and column of a tile. Tiles are numbered by groups of eight rows of them."""
    size = across * 8
    group, number = carousel.divide(t, size, unsigned=True), carousel.remainder(t, size, unsigned=True)
    top = group * 8
    rows = carousel.minimum(down - top, 8, unsigned=True)
    row, column = carousel.remainder(number, rows, unsigned=True), carousel.divide(number, rows, unsigned=True)
    return (top + row).to("index", unsigned=True) * 128, column.to("index", unsigned=True) * 256


@carousel.kernel(grid="programs", module="products")
def stream_k(a: "bf16[m, k]", b: "bf16[k, n]", bias: "f32[width]", y: "out bf16[m, n]", programs: "index",
             work: "workspace f32[programs * 128, 256]", turns: "workspace i32[programs, 32]", tickets: "workspace i32[1]"):
    """y = gelu(a * b + bias), with all steps of all tiles shared evenly. A tile that two programs share is computed in the
    order of k all the same: the first one leaves its sums, and the next one goes on from them."""
    ticket = carousel.draw_ticket(tickets, programs)
    before = ticket - 1
    p, ps = ticket.to("i32"), programs.to("i32")
    m, n, depth = y.shape[0], y.shape[1], a.shape[1]
    extents = carousel.ceildiv(m, 128), carousel.ceildiv(n, 256), carousel.maximum(carousel.ceildiv(depth, 64), 1)
    down, across, steps = (extent.to("i32") for extent in extents)
    begin, end, whole = share(p, ps, down * across, steps)

    own_work = work.in_bounds()

    def take():
        return carousel.serialize(turns, [before, 0], 1, 2, lambda *_: own_work[before * 128:before * 128 + 128, :])

    def leave(total):
        def write(*_):
            own_work[ticket * 128:ticket * 128 + 128, :] = total

        carousel.serialize(turns, [ticket, 0], 0, 2, write)

    def finish(total, i, j):
        v = total + bias[j:j + 256]
        e = carousel.erf(v * 0.707106769)
        h = v * 0.5
        y[i:i + 128, j:j + 256] = carousel.fma(h, e, h).to("bf16")

    for s in carousel.range(0, count_parts(begin, end, whole, steps), pipeline=False):
        t, first, last = find_part(s, p, ps, begin, end, whole, steps)
        i, j = place(t, down, across)
        zeros = carousel.zeros((128, 256), "f32")
        total = carousel.cond(first != 0, take, lambda: zeros)
        k0, k1 = first.to("index", unsigned=True) * 64, last.to("index", unsigned=True) * 64
        for k in carousel.range(k0, carousel.minimum(k1, a.shape[1]), 64):
            total = carousel.dot(a[i:i + 128, k:k + 64], b[k:k + 64, j:j + 256], total)
        carousel.cond(last == steps, lambda: finish(total, i, j), lambda: leave(total))


def find_group(offsets, groups, p):
    """The group of tile p, its first row, and the group's end; no rows if there is no such tile."""
    tile, begin, group, row, last = (carousel.full((), 0, "index") for _ in range(5))
    for g in carousel.range(0, groups, pipeline=False):
        end = offsets[g + 1].to("index", unsigned=True)
        carousel.device_assert(begin <= end, "expected offsets that ascend")
        following = tile + carousel.ceildiv(end - begin, 128)
        is_here = (p >= tile) & (p < following)
        own = begin + (p - tile) * 128
        group, row = carousel.where(is_here, g, group), carousel.where(is_here, own, row)
        last = carousel.where(is_here, end, last)
        tile, begin = following, end
    # No tile begins before the first row, so that results may go through tiles.
    return group, carousel.maximum(row, 0), last


@carousel.kernel(grid=["ceildiv(n, 256)", "floordiv(rows, 128) + groups"], module="experts")
def grouped(x: "bf16[rows, k]", w: "bf16[groups, depth, columns]", offsets: "i32[entries]", z: "out bf16[m, n]"):
    across, p = carousel.program_id(0), carousel.program_id(1)
    g, i, end = find_group(offsets, w.shape[0], p)
    j = across * 256
    # A tile of no rows has no products, either.
    depth = carousel.where(i < end, x.shape[1], 0)
    total = carousel.zeros((128, 256), "f32")
    for d in carousel.range(0, depth, 64):
        total = carousel.dot(x[i:i + 128, d:d + 64], w[g, d:d + 64, j:j + 256], total)
    # Rows behind the group's end belong to the next one.
    z.first(end, None)[i:i + 128, j:j + 256] = total.to("bf16")


@carousel.kernel(grid=["ceildiv(n, 128)", "ceildiv(k, 128)", "groups"], module="experts")
def grouped_weights(x: "bf16[rows, depth]", y: "bf16[rows2, columns]", offsets: "i32[entries]", z: "out bf16[groups, k, n]"):
    across, down, g = (carousel.program_id(axis) for axis in range(3))
    j, i = across * 128, down * 128
    begin, behind = (offsets[at].to("index", unsigned=True) for at in (g, g + 1))
    end = carousel.maximum(begin, behind)
    full = end - (end - begin) % 64
    total = carousel.zeros((128, 128), "f32")
    for d in carousel.range(begin, full, 64):
        total = carousel.dot(x[d:d + 64, i:i + 128], y[d:d + 64, j:j + 128], total, transposed_left=True)
    # Rows behind the group's end belong to the next one.
    x_own, y_own = x.first(end, None), y.first(end, None)
    for d in carousel.range(full, end, 16):
        total = carousel.dot(x_own[d:d + 16, i:i + 128], y_own[d:d + 16, j:j + 128], total, transposed_left=True)
    z[g, i:i + 128, j:j + 128] = total.to("bf16")


def columns():
    """For each row and column: the number of the column."""
    return carousel.full((64, 64), carousel.iota(64).to("i32"), "i32")


def spread(v):
    """A number of each row, in all of its columns."""
    return carousel.full((64, 64), carousel.column(v), "i32")


def find_largest(z):
    """The largest logit of each row, the first column that has it, and the other logits."""
    across = columns()
    largest = z.max(axis=1)
    is_max = z >= carousel.column(largest)
    at = carousel.where(is_max, across, 64).min(axis=1, start=64, unsigned=True)
    return largest, at, carousel.where(across == spread(at), -math.inf, z)


def softmax(z0, z1):
    """Of two logits, the larger one first."""
    e = carousel.exp(z1 - z0, approximate=True)
    both = e + 1.0
    return 1.0 / both, e / both


def is_earlier():
    rows = spread(carousel.iota(64).to("i32"))
    return carousel.less(columns(), rows, unsigned=True)


def count_earlier(v):
    """Of each row, what the rows before it have in each column. Counts of up to 128 are numbers of bf16."""
    triangle = carousel.where(is_earlier(), 1.0, carousel.zeros((64, 64), "bf16"))
    return carousel.dot(triangle, v.to("bf16"))


def sums_before(v):
    """The sum of all elements before each."""
    return carousel.where(is_earlier(), v, 0).sum(axis=1)


def take(is_it, v):
    """The number that each row has in the column that is chosen."""
    return carousel.where(is_it, v, 0.0).sum(axis=1).to("i32")


def rank_choices(at0, at1, rows):
    """How many choices of the same expert come before each, and how many each expert has; of the first rows."""
    across = columns()
    is0, is1 = across == spread(at0), across == spread(at1)
    marks = carousel.where((is0 | is1) & carousel.mask((64, 64), rows, 64), 1.0, carousel.zeros((64, 64), "f32"))
    earlier = count_earlier(marks)
    return take(is0, earlier), take(is1, earlier), marks.sum(axis=0).to("i32")


def count_all(counts):
    """Counts become the first rows of experts in each program. Also all counts, and where the experts begin."""
    total = carousel.zeros(64, "i32")
    for p in carousel.range(0, counts.shape[0], 64, pipeline=False):
        total = counts[p:p + 64, :].sum(axis=0, start=total)
    begin = sums_before(total)
    start = begin + 0
    for p in carousel.range(0, counts.shape[0], 64, pipeline=False):
        own = counts[p:p + 64, :]
        counts[p:p + 64, :] = start + count_earlier(own.to("f32")).to("i32")
        start = own.sum(axis=0, start=start)
    return total, begin


def cut(counts, begin, tiles):
    """The tiles of all experts, of which each has counts / 128, rounded up."""
    end = begin + counts
    own = carousel.shift_right(counts + 127, 7, unsigned=True)
    first = sums_before(own)
    last = first + own
    firsts, lasts, begins, ends = (carousel.full((128, 64), each, "i32") for each in (first, last, begin, end))
    ids = carousel.full((128, 64), carousel.iota(64).to("i32"), "i32")
    for q in carousel.range(0, tiles.shape[1], 128, pipeline=False):
        number = (carousel.iota(128) + q).to("i32")
        numbers = carousel.full((128, 64), carousel.column(number), "i32")
        has = carousel.greater(numbers, firsts, or_equal=True, unsigned=True) & carousel.less(numbers, lasts, unsigned=True)
        at = begins + (numbers - firsts) * 128
        chosen = [carousel.where(has, each, 0).sum(axis=1) for each in (ids, at, ends)]
        for line, values in enumerate(chosen):
            tiles[line, q:q + 128] = values


def place_choices(expert, weight, rank, begin, token, scale):
    """Each choice at its row."""
    tokens = expert.shape[0]
    for t in carousel.range(0, tokens, 1024, pipeline=False):
        mask = carousel.mask(2048, (tokens - t) * 2)
        e2, w2, r2 = expert[t:t + 1024, :], weight[t:t + 1024, :], rank[t:t + 1024, :]
        e, w, own = e2.reshape(2048), w2.reshape(2048), r2.reshape(2048)
        i = (t * 2 + carousel.iota(2048)).to("i32")
        # A program has 128 choices, and its counts 64 experts.
        at = (carousel.shift_right(i, 7, unsigned=True) << 6) + e
        r = carousel.gather(begin, [0, 0], at, where=mask) + own
        carousel.scatter(token, [0], r, carousel.shift_right(i, 1, unsigned=True), where=mask)
        carousel.scatter(scale, [0], r, w, where=mask)


@carousel.kernel(grid="ceildiv(tokens, 64)", module="router")
def route(x: "bf16[tokens, k]", w: "bf16[depth, experts]", z: "out bf16[m, width]", expert: "inout contiguous i32[t, 2]",
          weight: "inout contiguous f32[t, 2]", token: "out i32[rows]", scale: "out f32[rows]",
          tiles: "out contiguous i32[3, tiles_count]", rank: "workspace i32[tokens, 2]",
          counts: "workspace i32[ceildiv(tokens, 64), 64]", tickets: "workspace i32[1]"):
    """Two experts for each token. The program that draws the last ticket sorts the choices by expert, and lists the tiles of
    each expert."""
    p, programs = carousel.program_id(), carousel.num_programs()
    i = p * 64
    left = x.shape[0] - i
    sums = carousel.zeros((64, 64), "f32")
    for k in carousel.range(0, x.shape[1], 64):
        sums = carousel.dot(x[i:i + 64, k:k + 64], w[k:k + 64, 0:64], sums)
    logits = carousel.where(carousel.mask((64, 64), 64, w.shape[1]), sums, -math.inf)
    for j in carousel.range(0, z.shape[1], 64, pipeline=False):
        z[i:i + 64, j:j + 64] = 0.0
    z0, at0, others = find_largest(logits)
    z1, at1, _ = find_largest(others)
    w0, w1 = softmax(z0, z1)
    rank0, rank1, own = rank_choices(at0, at1, left)
    expert[i:i + 64, :] = carousel.interleave(at0, at1).reshape(64, 2)
    rank[i:i + 64, :] = carousel.interleave(rank0, rank1).reshape(64, 2)
    weight[i:i + 64, :] = carousel.interleave(w0, w1).reshape(64, 2)
    counts[p, :] = own
    is_last = carousel.draw_ticket(tickets, programs, is_ordered=True) + 1 == programs

    def finish():
        total, begin = count_all(counts)
        cut(total, begin, tiles)
        place_choices(expert, weight, rank, counts, token, scale)

    carousel.cond(is_last, finish, lambda: None)


# The kernels, by the file of examples/block that has the same ones.
KERNELS = {
    "matmul.mlir": (split_k,),
    "stream_k.mlir": (stream_k,),
    "grouped.mlir": (grouped, grouped_weights),
    "router.mlir": (route,),
}
