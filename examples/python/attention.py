# ===- attention.py - attention in Python ------------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Attention of heads of several sizes, with masks, biases and documents. The kernels compile to the same PTX as those of
examples/block."""

import math

import carousel

LOG2E = 1.44269504
LOWEST = -2.0**100  # below all scores, and finite


def weigh(s, scale2, largest, total):
    """Of a tile of scores: the weights of its values, the maxima and sums of the rows after it, and what the sums of the rows
    before it are multiplied by."""
    largest2 = s.max(axis=1, start=largest)
    negated = -(largest2 * scale2)
    p = carousel.exp2(carousel.fma(s, scale2, carousel.column(negated)), approximate=True)
    factor = carousel.exp2(carousel.fma(largest, scale2, negated), approximate=True)
    return p, largest2, p.sum(axis=1, start=total * factor), factor


def begin_rows(columns, lowest=LOWEST, rows=128):
    """The maxima, sums and results of rows before the first tile."""
    return carousel.full(rows, lowest, "f32"), carousel.zeros(rows, "f32"), carousel.zeros((rows, columns), "f32")


def attend_tiles(state, queries, read, scale2, begin, end, score, *, keys=128, pipeline=True):
    """The maxima, sums and results of 128 `queries`, from those before. `read` gives the keys and values from a key on, `scale2`
    the scale of powers of 2, and `score` makes the scores of a tile from the function that multiplies it, and its first key."""
    largest, total, y = state
    for j in carousel.range(begin, end, keys, pipeline=pipeline):
        tile, values = read(j)
        s = score(lambda: carousel.dot(queries, tile, transposed=True), j)
        p, largest, total, factor = weigh(s, scale2(), largest, total)
        y = carousel.dot(p.to("bf16"), values, y * carousel.column(factor))
    return largest, total, y


def attend(q, k, v, scale, rows, begin, end, score, *, keys=128, group=None, lowest=LOWEST, scale2=None):
    """The same of 128 `rows`, a head and its first row. `group` is the head of keys and values."""
    h, i = rows
    g = h if group is None else group
    queries = q[h, i:i + 128, :]
    return attend_tiles(begin_rows(v.shape[2], lowest), queries, lambda j: (k[g, j:j + keys, :], v[g, j:j + keys, :]),
                        lambda: scale * LOG2E if scale2 is None else scale2, begin, end, score, keys=keys)


def divide(state, *, may_be_empty=True):
    """Results of rows. A row without keys has zeros."""
    largest, total, result = state
    inverse = 1.0 / (carousel.where(total == 0.0, 1.0, total) if may_be_empty else total)
    return (result * carousel.column(inverse)).to("bf16")


def finish(state, scale, rows, y, lse, *, may_be_empty=True):
    """Writes results and the logarithms of sums. A row without keys has the logarithm -inf."""
    h, i = rows
    largest, total, result = state
    y[h, i:i + 128, :] = divide(state, may_be_empty=may_be_empty)
    lse[h, i:i + 128] = carousel.fma(largest, scale, carousel.log(total))


def finish_both(state, scale, rows, y, lse):
    """The same, with the logarithms first."""
    h, i = rows
    largest, total, result = state
    inverse = 1.0 / carousel.where(total == 0.0, 1.0, total)
    logs = carousel.fma(largest, scale, carousel.log(total))
    y[h, i:i + 128, :] = (result * carousel.column(inverse)).to("bf16")
    lse[h, i:i + 128] = logs


def find_rows():
    """The head of this program, and its first row."""
    block, h = carousel.program_id(0), carousel.program_id(1)
    return h, block * 128


def see_first(s, left):
    """The scores of the keys that are left."""
    keys = s.shape[1]
    return carousel.cond(left < keys, lambda: carousel.where(carousel.mask((128, keys), 128, left), s, -math.inf), lambda: s)


def see_own(s, is_own):
    """The scores of columns up to the row's own, in the tile that begins where the rows do."""
    def triangle():
        steps = carousel.iota(128)
        return carousel.where(carousel.less(steps, carousel.column(steps), or_equal=True, unsigned=True), s, -math.inf)

    return carousel.cond(is_own, triangle, lambda: s)


def make_kernel(kernel, name, module, grid=("ceildiv(m, 128)", "heads")):
    kernel.__name__ = name
    return carousel.kernel(grid=grid, module=module)(kernel)


def attend_causal(q, k, v, scale, y, lse):
    """Of a program with 128 rows, those with most keys first."""
    h, later = carousel.program_id(0), carousel.program_id(1)
    n = k.shape[1]
    # The longest rows first. Never negative, so that engines may write from there on.
    i = carousel.maximum(carousel.ceildiv(n, 128) - 1 - later, 0) * 128
    rows = h, i
    end = carousel.minimum(i + 128, n)
    finish(attend(q, k, v, scale, rows, 0, end, lambda multiply, j: see_own(multiply(), j == i), lowest=-1.0e30,
                  scale2=scale * LOG2E), scale, rows, y, lse)


@carousel.kernel(grid=["heads", "ceildiv(m, 128)"], module="attention")
def attention_causal(q: "contiguous bf16[heads, m, 128]", k: "contiguous bf16[heads, n, 128]", v: "contiguous bf16[heads, n, 128]",
                     scale: "f32", y: "out contiguous bf16[heads, m, 128]", lse: "out contiguous f32[heads, m]"):
    attend_causal(q, k, v, scale, y, lse)


def make_attention(name, module, width, is_causal):
    def kernel(q: f"contiguous bf16[heads, m, {width}]", k: f"contiguous bf16[heads, n, {width}]",
               v: f"contiguous bf16[heads, n, {width}]", scale: "f32", y: f"out contiguous bf16[heads, m, {width}]",
               lse: "out contiguous f32[heads, m]"):
        h, i = rows = find_rows()
        n = k.shape[1]
        end = carousel.minimum(i + 128, n) if is_causal else n

        def score(multiply, j):
            return see_own(multiply(), j == i) if is_causal else see_first(multiply(), n - j)

        state = attend(q, k, v, scale, rows, 0, end, score, lowest=-1.0e30, scale2=scale * LOG2E)
        finish(state, scale, rows, y, lse)

    return make_kernel(kernel, name, module)


attention = make_attention("attention", "attention", 128, False)
attention_64 = make_attention("attention_64", "attention_64", 64, False)
attention_causal_64 = make_attention("attention_causal_64", "attention_64", 64, True)


@carousel.kernel(grid=["ceildiv(m, 128)", "heads", "batches"], module="attention_layouts")
def attention_bshd(q: "contiguous bf16[batches, m, heads, 128]", k: "contiguous bf16[batches, n, heads, 128]",
                   v: "contiguous bf16[batches, n, heads, 128]", scale: "f32", y: "out contiguous bf16[batches, m, heads, 128]",
                   lse: "out contiguous f32[batches, heads, m]"):
    h, i = find_rows()
    b, n = carousel.program_id(2), k.shape[1]
    scale2 = scale * LOG2E
    queries = q[b, i:i + 128, h, :]
    state = attend_tiles(begin_rows(128, -1.0e30), queries, lambda j: (k[b, j:j + 128, h, :], v[b, j:j + 128, h, :]), lambda: scale2,
                         0, n, lambda multiply, j: see_first(multiply(), n - j))
    y[b, i:i + 128, h, :], lse[b, h, i:i + 128] = divide(state), carousel.fma(state[0], scale, carousel.log(state[1]))


@carousel.kernel(grid=["heads", "ceildiv(n, 128)"], module="attention_layouts")
def attention_qkv(qkv: "contiguous bf16[n, 3, heads, 128]", scale: "f32", y: "out contiguous bf16[n, heads, 128]",
                  lse: "out contiguous f32[heads, n]"):
    h, later = carousel.program_id(0), carousel.program_id(1)
    n = qkv.shape[0]
    i = carousel.maximum(carousel.ceildiv(n, 128) - 1 - later, 0) * 128
    end = carousel.minimum(i + 128, n)
    scale2 = scale * LOG2E
    queries = qkv[i:i + 128, 0, h, :]
    state = attend_tiles(begin_rows(128, -1.0e30), queries, lambda j: (qkv[j:j + 128, 1, h, :], qkv[j:j + 128, 2, h, :]),
                         lambda: scale2, 0, end, lambda multiply, j: see_own(multiply(), j == i))
    y[i:i + 128, h, :], lse[h, i:i + 128] = divide(state), carousel.fma(state[0], scale, carousel.log(state[1]))


@carousel.kernel(grid=["ceildiv(m, 128)", "heads"], module="attention_layouts")
def attention_kv(q: "contiguous bf16[m, heads, 128]", kv: "contiguous bf16[n, groups, 2, 128]", scale: "f32",
                 y: "out contiguous bf16[m, heads, 128]", lse: "out contiguous f32[heads, m]"):
    h, i = find_rows()
    n, g = kv.shape[0], h // (q.shape[1] // kv.shape[1])
    scale2 = scale * LOG2E
    queries = q[i:i + 128, h, :]
    state = attend_tiles(begin_rows(128, -1.0e30), queries, lambda j: (kv[j:j + 128, g, 0, :], kv[j:j + 128, g, 1, :]),
                         lambda: scale2, 0, n, lambda multiply, j: see_first(multiply(), n - j))
    y[i:i + 128, h, :], lse[h, i:i + 128] = divide(state), carousel.fma(state[0], scale, carousel.log(state[1]))


def make_heads(name, module, width, of_values, keys):
    """Queries and keys have heads of `width`, and values heads of `of_values`."""
    def kernel(q: f"contiguous bf16[heads, m, {width}]", k: f"contiguous bf16[heads, n, {width}]",
               v: f"contiguous bf16[heads, n, {of_values}]", scale: "f32", y: f"out contiguous bf16[heads, m, {of_values}]",
               lse: "out contiguous f32[heads, m]"):
        rows, n = find_rows(), k.shape[1]
        state = attend(q, k, v, scale, rows, 0, n, lambda multiply, j: see_first(multiply(), n - j), keys=keys)
        finish_both(state, scale, rows, y, lse)

    return make_kernel(kernel, name, module)


attention_80 = make_heads("attention_80", "attention_heads", 80, 80, 128)
attention_96 = make_heads("attention_96", "attention_heads", 96, 96, 128)
attention_64_128 = make_heads("attention_64_128", "attention_heads", 64, 128, 128)
attention_256 = make_heads("attention_256", "attention_wide", 256, 256, 64)
attention_192_128 = make_heads("attention_192_128", "attention_wide", 192, 128, 64)


def make_bias(name, element):
    def kernel(q: "contiguous bf16[heads, m, 128]", k: "contiguous bf16[heads, n, 128]", v: "contiguous bf16[heads, n, 128]",
               scale: "f32", bias: f"{element}[heads, m, n]", y: "out contiguous bf16[heads, m, 128]",
               lse: "out contiguous f32[heads, m]"):
        h, i = rows = find_rows()
        n, ratio = k.shape[1], 1.0 / scale

        def score(multiply, j):
            own = bias[h, i:i + 128, j:j + 64].to("f32")
            return see_first(carousel.fma(own, ratio, multiply()), n - j)

        finish_both(attend(q, k, v, scale, rows, 0, n, score, keys=64), scale, rows, y, lse)

    return make_kernel(kernel, name, "attention_bias")


attention_bias = make_bias("attention_bias", "bf16")
attention_bias_f32 = make_bias("attention_bias_f32", "f32")


def find_keys(own, id, n):
    """The first key and the last one whose documents are between the least and the largest one of the rows."""
    most = 2**31 - 1
    low, high = carousel.where(own == 0, most, own).min(start=most), own.max(start=-1)
    columns = carousel.iota(2048).to("i32")
    firsts, lasts = carousel.full(2048, most, "i32"), carousel.full(2048, -1, "i32")
    for j in carousel.range(0, n, 2048, pipeline=False):
        ids, keys = id[j:j + 2048], columns + j.to("i32")
        is_near = carousel.greater(ids, low, or_equal=True) & carousel.less(ids, high, or_equal=True)
        firsts = carousel.minimum(firsts, carousel.where(is_near, keys, most))
        lasts = carousel.maximum(lasts, carousel.where(is_near, keys, -1))
    return firsts.min(start=most), lasts.max(start=-1)


@carousel.kernel(grid=["ceildiv(m, 128)", "heads"], module="attention_documents")
def attention_documents(q: "contiguous bf16[heads, m, 128]", k: "contiguous bf16[heads, n, 128]",
                        v: "contiguous bf16[heads, n, 128]", scale: "f32", id: "i32[n]",
                        y: "out contiguous bf16[heads, m, 128]", lse: "out contiguous f32[heads, m]"):
    h, i = rows = find_rows()
    own, n = id[i:i + 128], k.shape[1]
    first, last = find_keys(own, id, n)

    def score(multiply, j):
        s = multiply()
        return carousel.where(carousel.column(own) == id[j:j + 64], s, -math.inf)

    begin, end = first.to("index") // 64 * 64, last.to("index") + 1
    finish(attend(q, k, v, scale, rows, begin, end, score, keys=64), scale, rows, y, lse)


def see_near(s, distances, window, is_partial):
    """The scores at distances of 0 to `window` - 1, in tiles of which only some keys count."""
    return carousel.cond(is_partial, lambda: carousel.where(carousel.less(distances().to("i32"), window.to("i32"), unsigned=True), s,
                                                            -math.inf), lambda: s)


def see_window(s, back, window):
    """The same, if the first row is `back` behind the first column."""
    def distances():
        steps = carousel.iota(128)
        return carousel.column(steps + back) - steps

    return see_near(s, distances, window, (back + 128 > window) | (back == 0))


@carousel.kernel(grid=["ceildiv(m, 128)", "heads"], module="attention_kinds")
def attention_window(q: "contiguous bf16[heads, m, 128]", k: "contiguous bf16[heads, n, 128]", v: "contiguous bf16[heads, n, 128]",
                     scale: "f32", cap: "f32", window: "index", y: "out contiguous bf16[heads, m, 128]",
                     lse: "out contiguous f32[heads, m]"):
    h, i = rows = find_rows()
    first = carousel.maximum(0, carousel.floor_divide(i - window + 1, 128) * 128)
    end, ratio = carousel.minimum(i + 128, k.shape[1]), scale / cap

    def score(multiply, j):
        return see_window(carousel.tanh(multiply() * ratio, approximate=True), i - j, window)

    finish(attend(q, k, v, cap, rows, first, end, score), cap, rows, y, lse)


@carousel.kernel(grid=["ceildiv(m, 128)", "heads"], module="attention_kinds")
def attention_grouped(q: "contiguous bf16[heads, m, 128]", k: "contiguous bf16[groups, n, 128]",
                      v: "contiguous bf16[groups, n, 128]", scale: "f32", slope: "f32[heads]",
                      y: "out contiguous bf16[heads, m, 128]", lse: "out contiguous f32[heads, m]"):
    h, i = rows = find_rows()
    n = k.shape[1]
    end = carousel.minimum(i + 128, n)
    g = h // (q.shape[0] // k.shape[0])
    ratio = slope[h] / scale

    def score(multiply, j):
        s, back = multiply(), i - j
        columns = carousel.full((128, 128), carousel.iota(128) - back, "index").to("i32").to("f32")
        return see_window(carousel.fma(columns, ratio, s), back, n)

    largest, total, result = attend(q, k, v, scale, rows, 0, end, score, group=g)
    # The maxima that the rows' own positions would give.
    own = carousel.fma(carousel.iota(128).to("i32").to("f32"), -ratio, largest)
    finish((own, total, result), scale, rows, y, lse)


@carousel.kernel(grid=["ceildiv(m, 128)", "heads"], module="attention_64")
def attention_sink(q: "contiguous bf16[heads, m, 64]", k: "contiguous bf16[groups, n, 64]", v: "contiguous bf16[groups, n, 64]",
                   scale: "f32", sink: "f32[heads]", window: "index", y: "out contiguous bf16[heads, m, 64]",
                   lse: "out contiguous f32[heads, m]"):
    h, i = rows = find_rows()
    first = carousel.maximum(0, carousel.floor_divide(i - window + 1, 128) * 128)
    end = carousel.minimum(i + 128, k.shape[1])
    g, scale2 = h // (q.shape[0] // k.shape[0]), scale * LOG2E
    _, _, empty = begin_rows(64)
    # The sink is the first score that a row has.
    state = carousel.full(128, sink[h] / scale, "f32"), carousel.full(128, 1.0, "f32"), empty
    queries = q[h, i:i + 128, :]
    state = attend_tiles(state, queries, lambda j: (k[g, j:j + 128, :], v[g, j:j + 128, :]), lambda: scale2, first, end,
                         lambda multiply, j: see_window(multiply(), i - j, window))
    finish(state, scale, rows, y, lse)


@carousel.kernel(grid=["ceildiv(m, 128)", "heads"], block=256, module="attention_fp8")
def attention_fp8(q: "contiguous f8E4M3FN[heads, m, 128]", k: "contiguous f8E4M3FN[heads, n, 128]", v: "f8E4M3FN[heads, 128, n]",
                  scale: "f32", of_values: "f32", y: "out contiguous bf16[heads, m, 128]", lse: "out contiguous f32[heads, m]"):
    h, i = find_rows()
    n, scale2 = k.shape[1], scale * LOG2E
    queries = q[h, i:i + 128, :]
    largest, total, result = begin_rows(128, -1.0e30)
    for j in carousel.range(0, n, 128):
        keys, values = k[h, j:j + 128, :], v[h, :, j:j + 128]
        s = see_first(carousel.dot(queries, keys, transposed=True), n - j)
        largest2 = s.max(axis=1, start=largest)
        negated = -(largest2 * scale2)
        # Weights times 2^8: the largest number of their type is 448.
        p = carousel.exp2(carousel.fma(s, scale2, carousel.column(negated + 8.0)), approximate=True)
        factor = carousel.exp2(carousel.fma(largest, scale2, negated), approximate=True)
        total = p.sum(axis=1, start=total * factor)
        part = carousel.dot(carousel.minimum(p, 448.0, keeps_nan=True).to("f8E4M3FN"), values, transposed=True)
        result = carousel.fma(result, carousel.column(factor), part)
        largest = largest2
    inverse = of_values / carousel.where(total == 0.0, 1.0, total)
    y[h, i:i + 128, :] = (result * carousel.column(inverse)).to("bf16")
    lse[h, i:i + 128] = carousel.fma(largest, scale, carousel.log(total)) - 8 * math.log(2)


def find_sequence(offsets, p, turn=lambda before, count, entry: before):
    """The first row of tile p, the bounds of its sequence, and the entry of its end; 0 if there is none. `turn` is the place of
    a tile among those of its sequence."""
    p32 = p.to("i32", unsigned=True)
    tile, begin, row, first, entry, last = (carousel.full((), 0, "i32") for _ in range(6))
    for b in carousel.range(1, offsets.shape[0], pipeline=False):
        end = offsets[b]
        carousel.device_assert(begin <= end, "expected offsets that ascend")
        count = carousel.ceildiv(end - begin, 128)
        following = tile + count
        own = b.to("i32", unsigned=True)
        is_here = carousel.less(tile, p32, or_equal=True, unsigned=True) & carousel.less(p32, following, unsigned=True)
        row = carousel.where(is_here, begin + turn(p32 - tile, count, own) * 128, row)
        first = carousel.where(is_here, begin, first)
        entry = carousel.where(is_here, own, entry)
        last = carousel.where(is_here, end, last)
        tile, begin = following, end
    return (each.to("index", unsigned=True) for each in (row, first, last, entry))


def make_ragged(name, is_causal):
    def kernel(q: "bf16[heads, m, 128]", k: "bf16[heads, m, 128]", v: "bf16[heads, m, 128]", scale: "f32", offsets: "i32[entries]",
               y: "out bf16[heads, m, 128]", lse: "out contiguous f32[heads, m]"):
        h, p = carousel.program_id(0), carousel.program_id(1)
        i, begin, end, _ = find_sequence(offsets, p)
        rows = h, i
        if is_causal:
            state = attend(q, k, v, scale, rows, begin, carousel.minimum(i + 128, end),
                           lambda multiply, j: see_own(multiply(), j == i), lowest=-1.0e30)
        else:
            state = attend(q, k, v, scale, rows, begin, end, lambda multiply, j: see_first(multiply(), end - j), lowest=-1.0e30)
        finish(state, scale, rows, y.first(None, end, None), lse.first(None, end), may_be_empty=False)

    return make_kernel(kernel, name, "attention_ragged", ("heads", "floordiv(m, 128) + entries"))


attention_ragged = make_ragged("attention_ragged", False)
attention_ragged_causal = make_ragged("attention_ragged_causal", True)


def take_turns(before, count, entry):
    """Tiles of some sequences descend, by the sequence of Thue and Morse: CTAs take every n-th program, and later rows see more
    keys."""
    descends = carousel.full((), 0x2CD3, "i32") >> (entry & 15) & 1
    return carousel.where(descends == 1, count - 1 - before, before)


def see_ahead(s, ahead, hidden):
    """The scores of keys up to the row's own, of which row 0 sees `ahead` after the tile's first one. The first `hidden` columns
    aren't keys."""
    def see():
        columns = carousel.iota(128).to("i32")
        return carousel.where(carousel.less(columns, carousel.column(columns + ahead), or_equal=True), keys, -math.inf)

    keys = carousel.cond(hidden > 0, lambda: carousel.where(carousel.iota(128).to("i32") < hidden, -math.inf, s), lambda: s)
    return carousel.cond(ahead < 127, see, lambda: keys)


@carousel.kernel(grid=["heads", "floordiv(m, 128) + entries"], module="attention_paged")
def attention_paged(q: "contiguous bf16[m, heads, 128]", k: "contiguous bf16[pages, 64, groups, 128]",
                    v: "contiguous bf16[pages, 64, groups, 128]", scale: "f32", table: "contiguous i32[sequences, most]",
                    lengths: "i32[sequences]", offsets: "i32[entries]", y: "out contiguous bf16[m, heads, 128]",
                    lse: "out contiguous f32[heads, m]"):
    h, p = carousel.program_id(0), carousel.program_id(1)
    heads, groups, h32 = (number.to("i32", unsigned=True) for number in (q.shape[1], k.shape[2], h))
    g = carousel.divide(h32, carousel.divide(heads, groups, unsigned=True), unsigned=True).to("index", unsigned=True)
    i, _, end, entry = find_sequence(offsets, p, take_turns)
    b = carousel.maximum(entry, 1) - 1
    length = carousel.where(end == 0, 0, lengths[b].to("index", unsigned=True))
    first = length - end + i
    page = k.shape[1]
    begin, behind = -((length % page - length) & 127), carousel.minimum(first + 128, length)
    pages = table.row(b).first(carousel.ceildiv(length.to("i32"), page).to("index", unsigned=True))

    def find_missing(j):
        """Rows that the sequence lacks in its last page."""
        return carousel.maximum(j.to("i32") - (length.to("i32") - page), 0)

    def read(j):
        """A tile of pages. One that isn't full is alone, and begins before itself, where rows are zeros."""
        n32 = carousel.divide(j.to("i32") + 128, page, unsigned=True) - 128 // page
        n, row = n32.to("index"), (-find_missing(j)).to("index")
        return (pool.rows(pages)[n:n + 128 // page, row:row + page, g:g + 1, :].reshape(128, 128) for pool in (k, v))

    def score(multiply, j):
        missing, j32 = find_missing(j), j.to("i32")
        return see_ahead(multiply(), first.to("i32") - j32 + missing, carousel.maximum(missing, -j32))

    state = attend_tiles(begin_rows(128, -1.0e30), q[i:i + 128, h, :], read, lambda: scale * LOG2E, begin, behind,
                         score, keys=128)
    y.first(end, None, None)[i:i + 128, h, :] = divide(state, may_be_empty=False)
    lse.first(None, end)[h, i:i + 128] = carousel.fma(state[0], scale, carousel.log(state[1]))


@carousel.kernel(grid=["ceildiv(n, 512)", "groups", "batch"], module="attention_decode")
def attention_decode(q: "contiguous bf16[batch, heads, 128]", k: "contiguous bf16[batch, groups, n, 128]",
                     v: "contiguous bf16[batch, groups, n, 128]", scale: "f32", lengths: "i32[batch]",
                     parts: "out contiguous f32[batch, heads, count, 128]", largest: "out contiguous f32[batch, heads, count]",
                     total: "out contiguous f32[batch, heads, count]"):
    part, g, b = (carousel.program_id(axis) for axis in (0, 1, 2))
    shared = q.shape[1] // k.shape[1]
    h = g * shared
    after = h + shared
    length = lengths[b].to("index", unsigned=True)
    begin = part * 512
    end, whole = carousel.minimum(begin + 512, length), length // 64 * 64
    scale2 = scale * LOG2E
    queries = q[b, h:h + 16, :]

    def add(state, begin, end, values, score):
        return attend_tiles(state, queries, lambda j: (k[b, g, j:j + 64, :], values[b, g, j:j + 64, :]), lambda: scale2, begin, end,
                            score, keys=64, pipeline="stages = 3")

    state = add(begin_rows(128, -1.0e30, rows=16), begin, carousel.minimum(end, whole), v, lambda multiply, j: multiply())
    # The last tile, whose values end with the keys.
    own = v.first(None, None, length, None)

    def see(multiply, j):
        s = multiply()
        return carousel.where(carousel.mask((16, 64), 16, length - j), s, -math.inf)

    most, sums, result = add(state, carousel.maximum(begin, whole), end, own, see)
    parts.first(None, after, None, None)[b, h:h + 16, part, :] = result
    largest.first(None, after, None)[b, h:h + 16, part] = most * scale2
    total.first(None, after, None)[b, h:h + 16, part] = sums


@carousel.kernel(grid=["heads", "batch"], module="attention_decode")
def attention_decode_combine(parts: "contiguous f32[batch, heads, count, 128]", largest: "contiguous f32[batch, heads, count]",
                             total: "contiguous f32[batch, heads, count]", lengths: "i32[batch]",
                             y: "out contiguous bf16[batch, heads, 128]"):
    h, b = carousel.program_id(0), carousel.program_id(1)
    count = carousel.ceildiv(lengths[b].to("index", unsigned=True), 512)
    own, maxima, sums = parts.first(None, None, count, None), largest.first(None, None, count).pad(-1.0e30), total.first(None, None, count)
    most, whole, result = carousel.full((), -1.0e30, "f32"), carousel.full((), 0.0, "f32"), carousel.zeros(128, "f32")
    for p in carousel.range(0, count, 64, pipeline=False):
        tops = maxima[b, h, p:p + 64]
        more = tops.max(axis=0, start=most)
        weights = carousel.exp2(tops - more, approximate=True)
        factor = carousel.exp2(most - more, approximate=True)
        whole = (sums[b, h, p:p + 64] * weights).sum(axis=0, start=whole * factor)
        result = (own[b, h, p:p + 64, :] * carousel.column(weights)).sum(axis=0, start=result * factor)
        most = more
    y[b, h, :] = (result * (1.0 / carousel.where(whole == 0.0, 1.0, whole))).to("bf16")


@carousel.kernel(grid=["heads", "ceildiv(m, 128)"], module="attention_latent")
def attention_latent(q: "contiguous bf16[heads, m, 192]", k: "contiguous bf16[heads, n, 192]", v: "contiguous bf16[heads, n, 128]",
                     scale: "f32", y: "out contiguous bf16[heads, m, 128]", lse: "out contiguous f32[heads, m]"):
    attend_causal(q, k, v, scale, y, lse)


def see_from(s, i):
    """The scores of keys from the first one on, of a tile that begins with key i."""
    def some():
        return carousel.where(carousel.greater(carousel.iota(64) + i, 0, or_equal=True), s, -math.inf)

    return carousel.cond(i < 0, some, lambda: s)


@carousel.kernel(grid=["ceildiv(heads, 64)", "count", "batches"], module="attention_latent")
def attention_latent_decode(q: "contiguous bf16[batches, heads, 576]", cache: "bf16[sequences, most, 576]", lengths: "i32[entries]",
                            scale: "f32", parts: "out contiguous f32[results, count, rows, 512]",
                            logs: "out contiguous f32[batches, count, heads]"):
    block, part, b = map(carousel.program_id, (0, 1, 2))
    h = block * 64
    # The tiles end with the sequence, so that the first one may begin before it.
    length = lengths[b].to("index", unsigned=True)
    tiles = carousel.ceildiv(length, 64)
    end = tiles * 64
    before, size = end - length, carousel.ceildiv(tiles, parts.shape[1]) * 64
    begin = part * size
    stop, scale2 = carousel.minimum(begin + size, end), scale * LOG2E
    columns = slice(0, 256), slice(256, 512), slice(512, 576)
    queries = [q[b, h:h + 64, each] for each in columns]
    largest, total = carousel.full(64, -1.0e30, "f32"), carousel.zeros(64, "f32")
    y0, y1 = carousel.zeros((64, 256), "f32"), carousel.zeros((64, 256), "f32")
    for j in carousel.range(begin, stop, 64):
        i = j - before
        keys = [cache[b, i:i + 64, each] for each in columns]
        s = None
        for own, key in zip(queries, keys):
            s = carousel.dot(own, key, s, transposed=True)
        p, largest, total, factor = weigh(see_from(s, i), scale2, largest, total)
        weights, factors = p.to("bf16"), carousel.column(factor)
        y0 = carousel.dot(weights, keys[0], y0 * factors)
        y1 = carousel.dot(weights, keys[1], y1 * factors)
    inverse = carousel.column(1.0 / carousel.where(total == 0.0, 1.0, total))
    parts[b, part, h:h + 64, 0:256] = y0 * inverse
    parts[b, part, h:h + 64, 256:512] = y1 * inverse
    logs[b, part, h:h + 64] = carousel.fma(largest, scale, carousel.log(total))


@carousel.kernel(grid=["heads", "batches"], module="attention_latent")
def attention_latent_combine(parts: "contiguous f32[batches, count, heads, 512]", logs: "contiguous f32[batches, count, heads]",
                             y: "out contiguous bf16[batches, heads, 512]", lse: "out contiguous f32[batches, heads]"):
    h, b = carousel.program_id(0), carousel.program_id(1)
    largest, total = carousel.full((), -1.0e30, "f32"), carousel.full((), 0.0, "f32")
    result = carousel.zeros(512, "f32")
    for p in carousel.range(parts.shape[1]):
        part, log = parts[b, p, h, :], logs[b, p, h]
        largest2 = carousel.maximum(largest, log)
        factor, weight = carousel.exp2((largest - largest2) * LOG2E), carousel.exp2((log - largest2) * LOG2E)
        total = carousel.fma(total, factor, weight)
        result = carousel.fma(part, weight, result * factor)
        largest = largest2
    inverse = 1.0 / carousel.where(total == 0.0, 1.0, total)
    y[b, h, :] = (result * inverse).to("bf16")
    lse[b, h] = largest + carousel.log(total)


def find_range(start, stop, i, n, step):
    """The bounds of a loop by tiles of `step` columns that some of 128 rows from row i of n on see, if row i sees those from start[i]
    up to stop[i], and a function that masks the scores of a tile from its first column on."""
    last = carousel.minimum(i + 127, n - 1)
    first, latest = start[i].to("index", unsigned=True), start[last].to("index", unsigned=True)
    earliest, end = stop[i].to("index", unsigned=True), stop[last].to("index", unsigned=True)
    begin = first // step * step
    starts = start[i:i + 128]
    counts = stop[i:i + 128] - starts

    def see(s, j):
        after = j + step

        def some():
            distances = carousel.iota(step).to("i32") - carousel.column(starts - j.to("i32"))
            return carousel.where(carousel.less(distances, carousel.column(counts), unsigned=True), s, -math.inf)

        return carousel.cond((j < latest) | (after > earliest), some, lambda: s)

    return (begin, end), see


@carousel.kernel(grid=["ceildiv(m, 128)", "heads"], module="attention_ranges")
def attention_ranges(q: "contiguous bf16[heads, m, 128]", k: "contiguous bf16[heads, n, 128]", v: "contiguous bf16[heads, n, 128]",
                     scale: "f32", start: "i32[m]", stop: "i32[m]", y: "out contiguous bf16[heads, m, 128]",
                     lse: "out contiguous f32[heads, m]"):
    h, i = rows = find_rows()
    (begin, end), see = find_range(start, stop, i, q.shape[1], 128)

    finish_both(attend(q, k, v, scale, rows, begin, end, lambda multiply, j: see(multiply(), j)), scale, rows, y, lse)


def see_up_to(s, keys, queries, is_partial):
    """The scores of keys up to the queries' own positions, along the dimensions of the scores."""
    return carousel.cond(is_partial, lambda: carousel.where(carousel.less(keys(), queries(), or_equal=True), s, -math.inf),
                         lambda: s)


# The kernels, by the file of examples/block that has the same ones.
KERNELS = {
    "attention.mlir": (attention, attention_causal),
    "attention_64.mlir": (attention_64, attention_causal_64, attention_sink),
    "attention_bias.mlir": (attention_bias, attention_bias_f32),
    "attention_decode.mlir": (attention_decode, attention_decode_combine),
    "attention_documents.mlir": (attention_documents,),
    "attention_fp8.mlir": (attention_fp8,),
    "attention_heads.mlir": (attention_80, attention_96, attention_64_128),
    "attention_paged.mlir": (attention_paged,),
    "attention_latent.mlir": (attention_latent, attention_latent_decode, attention_latent_combine),
    "attention_layouts.mlir": (attention_bshd, attention_qkv, attention_kv),
    "attention_kinds.mlir": (attention_window, attention_grouped),
    "attention_ragged.mlir": (attention_ragged, attention_ragged_causal),
    "attention_ranges.mlir": (attention_ranges,),
    "attention_wide.mlir": (attention_256, attention_192_128),
}
