# ===- attention_backward.py - gradients of attention in Python -------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""The gradients of attention, of kinds and layouts of attention.py, by two loops: one for keys and values, and one for queries. The
kernels compile to the same PTX as those of examples/block."""

import math

import carousel
from attention import LOG2E, LOWEST, find_keys, find_range, find_sequence, make_kernel, see_first, see_near, see_up_to


def differentiate_keys(tile, heads, queries, read, weigh):
    """dk, not scaled yet, and dv of a `tile` of 128 keys and values: sums over tiles of 64 `queries`, from one up to another, of
    the `heads` that share the keys, a loop or a list. `read` gives how far a query is ahead of the first key, and rows of q and dy of
    a head from the query on. `weigh` gives the weights and their gradients, from the scores and dy * v^T."""
    keys, values = tile
    of_keys, of_values = (carousel.zeros(each.shape, "f32") for each in tile)
    for g in heads:
        for i in carousel.range(*queries, 64):
            ahead, rows, gradients = read(g, i)
            s, dp = carousel.dot(keys, rows, transposed=True), carousel.dot(values, gradients, transposed=True)
            p, ds = weigh(s, dp, g, i, ahead)
            of_values = carousel.dot(p.to("bf16"), gradients, of_values)
            of_keys = carousel.dot(ds, rows, of_keys)
    return of_keys, of_values


def differentiate_queries(tile, keys, read, weigh, pipeline="stages = 4"):
    """dq, not scaled yet, of a `tile` of 128 rows of q and dy: sums over tiles of 64 `keys`, from one up to another. `read` gives
    keys and values from one on, and `weigh` the same as above."""
    rows, gradients = tile
    total = carousel.zeros(rows.shape, "f32")
    for j in carousel.range(*keys, 64, pipeline=pipeline):
        own, values = read(j)
        s, dp = carousel.dot(rows, own, transposed=True), carousel.dot(gradients, values, transposed=True)
        _, ds = weigh(s, dp, j)
        total = carousel.dot(ds, own, total)
    return total


def weigh(s, dp, scale2, below, delta, slope=None):
    """p = exp(scale * s - lse), and ds = p * (dp - delta), times the `slope` of scores. `scale2` and `below`, which is -lse, are for
    powers of two. `delta` is a function, which reads it once p is there: a thread has no registers for it before."""
    p = carousel.exp2(carousel.fma(s, scale2, below), approximate=True)
    ds = p * (dp - delta())
    return p, (ds if slope is None else ds * slope(s)).to("bf16")


def turn(lse):
    """-lse of powers of two. It is finite where a row has no key, whose logarithm is -inf."""
    return carousel.maximum(lse, LOWEST) * -LOG2E


def count_shared(q, k):
    return q.shape[0] // k.shape[0]


class Heads:
    """The arguments of kernels, whose heads come first. As many heads of q as `shared` counts have one of k and v, or one
    if it is None."""

    def __init__(self, q, k, v, dy, lse, delta, scale, turn=lambda lse: lse * -LOG2E, shared=count_shared):
        self.q, self.k, self.v, self.dy, self.lse, self.delta, self.scale, self.turn = q, k, v, dy, lse, delta, scale, turn
        self.shared = shared

    def write_keys(self, place, queries, weigh, dk, dv):
        """dk and dv of 128 keys from a `place` on, a head and a key. `weigh` also gets functions that read -lse and delta."""
        h, j = place
        heads = [h]
        tile = self.k[h, j:j + 128, :], self.v[h, j:j + 128, :]
        if self.shared is not None:
            shared = self.shared(self.q, self.k)
            heads = carousel.range(h * shared, h * shared + shared, pipeline=False)
        of_keys, of_values = differentiate_keys(
            tile, heads, queries,
            lambda g, i: (i - j, self.q[g, i:i + 64, :], self.dy[g, i:i + 64, :]),
            lambda s, dp, g, i, ahead: weigh(s, dp, lambda: self.turn(self.lse[g, i:i + 64]), lambda: self.delta[g, i:i + 64], g, i,
                                             ahead))
        dk[h, j:j + 128, :] = (of_keys * self.scale).to("bf16")
        dv[h, j:j + 128, :] = of_values.to("bf16")

    def write_queries(self, place, keys, weigh, dq, **options):
        """dq of 128 queries from a `place` on."""
        h, i = place
        g = h if self.shared is None else h // self.shared(self.q, self.k)
        tile = self.q[h, i:i + 128, :], self.dy[h, i:i + 128, :]
        below, delta = carousel.column(self.turn(self.lse[h, i:i + 128])), carousel.column(self.delta[h, i:i + 128])
        total = differentiate_queries(tile, keys, lambda j: (self.k[g, j:j + 64, :], self.v[g, j:j + 64, :]),
                                      lambda s, dp, j: weigh(s, dp, lambda: below, lambda: delta, j), **options)
        dq[h, i:i + 128, :] = (total * self.scale).to("bf16")

    def see(self, mask):
        """Weights of the scores that `mask` leaves."""
        def find(s, dp, below, delta, *place):
            seen, shift = mask(s, *place), below()
            return weigh(seen, dp, self.scale * LOG2E, shift, delta)

        return find


def find_tile():
    """The head of this program, and its first row."""
    h, block = carousel.program_id(0), carousel.program_id(1)
    return h, block * 128


def find_longest(n):
    """The first row of this program, of which the first programs have those with most keys. It is never negative, so that engines may
    write from there on."""
    return carousel.maximum(carousel.ceildiv(n, 128) - 1 - carousel.program_id(1), 0) * 128


def see_queries(s, ahead):
    """The scores of 64 queries from their own key on, of which the first one is `ahead` of the first of 128 keys."""
    return see_up_to(s, lambda: carousel.column(carousel.iota(128)), lambda: carousel.iota(64) + ahead, ahead < 128)


def see_keys(s, back):
    """The scores of 64 keys up to the row's own, if the first of 128 rows is `back` behind the first key."""
    return see_up_to(s, lambda: carousel.iota(64), lambda: carousel.column(carousel.iota(128) + back), back <= 0)


def make_delta(name, module, width):
    def kernel(y: f"contiguous bf16[heads, m, {width}]", dy: f"contiguous bf16[heads, m, {width}]",
               delta: "out contiguous f32[heads, m]"):
        block, h = carousel.program_id(0), carousel.program_id(1)
        i = block * 64
        rows, gradients = y[h, i:i + 64, :], dy[h, i:i + 64, :]
        delta[h, i:i + 64] = (rows.to("f32") * gradients.to("f32")).sum(axis=1, start=0.0)

    return make_kernel(kernel, name, module, ("ceildiv(m, 64)", "heads"))


def make_dkv(name, module, width, is_causal):
    def kernel(q: f"contiguous bf16[heads, m, {width}]", k: f"contiguous bf16[groups, n, {width}]",
               v: f"contiguous bf16[groups, n, {width}]", dy: f"contiguous bf16[heads, m, {width}]",
               lse: "contiguous f32[heads, m]", delta: "contiguous f32[heads, m]", scale: "f32",
               dk: f"out contiguous bf16[groups, n, {width}]", dv: f"out contiguous bf16[groups, n, {width}]"):
        own, place = Heads(q, k, v, dy, lse, delta, scale), find_tile()
        j = place[1]
        own.write_keys(place, (j if is_causal else 0, q.shape[1]),
                       own.see(lambda s, g, i, ahead: see_queries(s, ahead) if is_causal else s), dk, dv)

    return make_kernel(kernel, name, module, ("groups", "ceildiv(n, 128)"))


def make_dq(name, module, width, is_causal):
    def kernel(q: f"contiguous bf16[heads, m, {width}]", k: f"contiguous bf16[groups, n, {width}]",
               v: f"contiguous bf16[groups, n, {width}]", dy: f"contiguous bf16[heads, m, {width}]",
               lse: "contiguous f32[heads, m]", delta: "contiguous f32[heads, m]", scale: "f32",
               dq: f"out contiguous bf16[heads, m, {width}]"):
        own, n = Heads(q, k, v, dy, lse, delta, scale), k.shape[1]
        h, i = find_tile()
        if is_causal:
            i = find_longest(n)
        end = carousel.minimum(i + 128, n) if is_causal else n
        own.write_queries((h, i), (0, end), own.see(lambda s, j: see_keys(s, i - j) if is_causal else see_first(s, n - j)), dq)

    return make_kernel(kernel, name, module, ("heads", "ceildiv(m, 128)"))


delta, delta_64 = make_delta("delta", "attention_backward", 128), make_delta("delta_64", "attention_backward_64", 64)
attention_dkv = make_dkv("attention_dkv", "attention_backward", 128, False)
attention_dkv_causal = make_dkv("attention_dkv_causal", "attention_backward", 128, True)
attention_dq = make_dq("attention_dq", "attention_backward", 128, False)
attention_dq_causal = make_dq("attention_dq_causal", "attention_backward", 128, True)
attention_dkv_64 = make_dkv("attention_dkv_64", "attention_backward_64", 64, False)
attention_dkv_causal_64 = make_dkv("attention_dkv_causal_64", "attention_backward_64", 64, True)
attention_dq_64 = make_dq("attention_dq_64", "attention_backward_64", 64, False)
attention_dq_causal_64 = make_dq("attention_dq_causal_64", "attention_backward_64", 64, True)

QUERIES, KEYS, NUMBERS = "contiguous bf16[heads, m, 128]", "contiguous bf16[groups, n, 128]", "contiguous f32[heads, m]"
KINDS, OF_KEYS, OF_QUERIES = "attention_backward_kinds", ("groups", "ceildiv(n, 128)"), ("heads", "ceildiv(m, 128)")


def weigh_capped(s, dp, cap, below, delta):
    """The same of scores cap * tanh(s / cap), from the tanh: -inf where a key doesn't count, and where the slope is 0 then."""
    def find_slope(s):
        bounded = carousel.maximum(s, -1.0)
        return 1.0 - bounded * bounded

    shift = below()
    return weigh(s, dp, cap * LOG2E, shift, delta, find_slope)


@carousel.kernel(grid=OF_KEYS, module=KINDS)
def attention_dkv_window(q: QUERIES, k: KEYS, v: KEYS, dy: QUERIES, lse: NUMBERS, delta: NUMBERS, scale: "f32", cap: "f32",
                         window: "index", dk: f"out {KEYS}", dv: f"out {KEYS}"):
    own, place = Heads(q, k, v, dy, lse, delta, scale, turn), find_tile()
    j, ratio = place[1], scale / cap

    def find(s, dp, below, delta, g, i, ahead):
        t = carousel.tanh(s * ratio, approximate=True)
        seen = see_near(t, lambda: carousel.iota(64) + ahead - carousel.column(carousel.iota(128)), window,
                        (ahead + 64 > window) | (ahead < 128))
        return weigh_capped(seen, dp, cap, below, delta)

    own.write_keys(place, (j, carousel.minimum(j + window + 127, q.shape[1])), find, dk, dv)


@carousel.kernel(grid=OF_QUERIES, module=KINDS)
def attention_dq_window(q: QUERIES, k: KEYS, v: KEYS, dy: QUERIES, lse: NUMBERS, delta: NUMBERS, scale: "f32", cap: "f32",
                        window: "index", dq: f"out {QUERIES}"):
    own, place = Heads(q, k, v, dy, lse, delta, scale, turn), find_tile()
    i, ratio = place[1], scale / cap
    first = carousel.maximum(0, carousel.floor_divide(i - window + 1, 64) * 64)

    def find(s, dp, below, delta, j):
        back, t = i - j, carousel.tanh(s * ratio, approximate=True)
        seen = see_near(t, lambda: carousel.column(carousel.iota(128) + back) - carousel.iota(64), window,
                        (back + 128 > window) | (back < 64))
        return weigh_capped(seen, dp, cap, below, delta)

    own.write_queries(place, (first, carousel.minimum(i + 128, k.shape[1])), find, dq)


@carousel.kernel(grid=OF_KEYS, module=KINDS)
def attention_dkv_bias(q: QUERIES, k: KEYS, v: KEYS, dy: QUERIES, lse: NUMBERS, delta: NUMBERS, scale: "f32",
                       bias: "bf16[biases, m, n]", dk: f"out {KEYS}", dv: f"out {KEYS}"):
    own, place = Heads(q, k, v, dy, lse, delta, scale, turn), find_tile()
    j = place[1]

    def find(s, dp, below, delta, g, i, ahead):
        added, shift = bias[g % bias.shape[0], i:i + 64, j:j + 128].T, below()
        added = carousel.fma(added.to("f32"), LOG2E, shift)
        return weigh(s, dp, scale * LOG2E, added, delta)

    own.write_keys(place, (0, q.shape[1]), find, dk, dv)


@carousel.kernel(grid=OF_QUERIES, module=KINDS)
def attention_dq_bias(q: QUERIES, k: KEYS, v: KEYS, dy: QUERIES, lse: NUMBERS, delta: NUMBERS, scale: "f32",
                      bias: "bf16[biases, m, n]", dq: f"out {QUERIES}", dbias: "out bf16[heads, m, n]"):
    own, (h, i), n = Heads(q, k, v, dy, lse, delta, scale, turn), find_tile(), k.shape[1]
    b = h % bias.shape[0]

    def find(s, dp, below, delta, j):
        added = carousel.fma(bias[b, i:i + 128, j:j + 64].to("f32"), LOG2E, below())
        p, ds = weigh(see_first(s, n - j), dp, scale * LOG2E, added, delta)
        dbias[h, i:i + 128, j:j + 64] = ds
        return p, ds

    # The tiles of the bias leave no room for four slots.
    own.write_queries((h, i), (0, n), find, dq, pipeline=True)


MASKS = "attention_backward_masks"


def find_near(own, id, n):
    """The bounds of a loop by tiles of 64 positions in the documents of a program's own ones."""
    first, last = find_keys(own, id, n)
    return first.to("index") // 64 * 64, last.to("index") + 1


@carousel.kernel(grid=OF_KEYS, module=MASKS)
def attention_dkv_documents(q: QUERIES, k: KEYS, v: KEYS, dy: QUERIES, lse: NUMBERS, delta: NUMBERS, scale: "f32", id: "i32[n]",
                            dk: f"out {KEYS}", dv: f"out {KEYS}"):
    own, (h, j) = Heads(q, k, v, dy, lse, delta, scale), find_tile()
    ids = id[j:j + 128]
    own.write_keys((h, j), find_near(ids, id, q.shape[1]),
                   own.see(lambda s, g, i, ahead: carousel.where(carousel.column(ids) == id[i:i + 64], s, -math.inf)), dk, dv)


@carousel.kernel(grid=OF_QUERIES, module=MASKS)
def attention_dq_documents(q: QUERIES, k: KEYS, v: KEYS, dy: QUERIES, lse: NUMBERS, delta: NUMBERS, scale: "f32", id: "i32[n]",
                           dq: f"out {QUERIES}"):
    own, (h, i) = Heads(q, k, v, dy, lse, delta, scale), find_tile()
    ids = id[i:i + 128]
    own.write_queries((h, i), find_near(ids, id, k.shape[1]),
                      own.see(lambda s, j: carousel.where(carousel.column(ids) == id[j:j + 64], s, -math.inf)), dq)


@carousel.kernel(grid=OF_KEYS, module=MASKS)
def attention_dkv_ranges(q: QUERIES, k: KEYS, v: KEYS, dy: QUERIES, lse: NUMBERS, delta: NUMBERS, scale: "f32", start: "i32[n]",
                         stop: "i32[n]", dk: f"out {KEYS}", dv: f"out {KEYS}"):
    own, (h, j) = Heads(q, k, v, dy, lse, delta, scale), find_tile()
    queries, see = find_range(start, stop, j, k.shape[1], 64)
    own.write_keys((h, j), queries, own.see(lambda s, g, i, ahead: see(s, i)), dk, dv)


@carousel.kernel(grid=OF_QUERIES, module=MASKS)
def attention_dq_ranges(q: QUERIES, k: KEYS, v: KEYS, dy: QUERIES, lse: NUMBERS, delta: NUMBERS, scale: "f32", start: "i32[m]",
                        stop: "i32[m]", dq: f"out {QUERIES}"):
    own, (h, i) = Heads(q, k, v, dy, lse, delta, scale, turn), find_tile()
    keys, see = find_range(start, stop, i, q.shape[1], 64)
    own.write_queries((h, i), keys, own.see(see), dq)


def make_ragged(name, is_causal):
    """Gradients of keys and values, or of queries, of sequences by their offsets."""
    def of_keys(q: "bf16[heads, m, 128]", k: "bf16[groups, m, 128]", v: "bf16[groups, m, 128]", dy: "bf16[heads, m, 128]",
                lse: NUMBERS, delta: NUMBERS, scale: "f32", offsets: "i32[entries]", dk: "out bf16[groups, m, 128]",
                dv: "out bf16[groups, m, 128]"):
        own, h = Heads(q, k, v, dy, lse, delta, scale), carousel.program_id(0)
        j, begin, end, _ = find_sequence(offsets, carousel.program_id(1))

        def see(s, g, i, ahead):
            if is_causal:
                return see_first(see_queries(s, ahead), end - i)
            return see_near(s, lambda: carousel.iota(64) + (i - begin), end - begin, (i < begin) | (i + 64 > end))

        # Tiles begin at multiples of 64 of all positions, so that engines may copy their numbers.
        first = (j if is_causal else begin) // 64 * 64
        own.write_keys((h, j), (first, end), own.see(see), dk.first(None, end, None), dv.first(None, end, None))

    def of_queries(q: "bf16[heads, m, 128]", k: "bf16[groups, m, 128]", v: "bf16[groups, m, 128]", dy: "bf16[heads, m, 128]",
                   lse: NUMBERS, delta: NUMBERS, scale: "f32", offsets: "i32[entries]", dq: "out bf16[heads, m, 128]"):
        own, h = Heads(q, k, v, dy, lse, delta, scale), carousel.program_id(0)
        i, begin, end, _ = find_sequence(offsets, carousel.program_id(1))
        last = carousel.minimum(i + 128, end) if is_causal else end
        own.write_queries((h, i), (begin, last), own.see(lambda s, j: see_keys(s, i - j) if is_causal else see_first(s, end - j)),
                          dq.first(None, end, None))

    kernel, heads = (of_keys, "groups") if "dkv" in name else (of_queries, "heads")
    return make_kernel(kernel, name, "attention_backward_ragged", (heads, "floordiv(m, 128) + entries"))


attention_dkv_ragged = make_ragged("attention_dkv_ragged", False)
attention_dkv_ragged_causal = make_ragged("attention_dkv_ragged_causal", True)
attention_dq_ragged = make_ragged("attention_dq_ragged", False)
attention_dq_ragged_causal = make_ragged("attention_dq_ragged_causal", True)


class HeadsFirst:
    """Memory whose heads come first in what it is asked for. `place` gives the indices of a head and of rows."""

    def __init__(self, memory, place):
        self.memory, self.place = memory, place

    def __getitem__(self, index):
        return self.memory[self.place(*index[:2])]

    def __setitem__(self, index, value):
        self.memory[self.place(*index[:2])] = value


LAYOUTS, BATCHES = "attention_backward_layouts", "contiguous f32[batches, heads, m]"
OF_ROWS, OF_PAIRS = "contiguous bf16[m, heads, 128]", "contiguous bf16[n, groups, 2, 128]"
TRIPLES = "contiguous bf16[n, 3, heads, 128]"
BSHD, OF_BATCHES = "contiguous bf16[batches, m, heads, 128]", "contiguous bf16[batches, n, groups, 128]"


@carousel.kernel(grid=["ceildiv(m, 64)", "heads", "batches"], module=LAYOUTS)
def delta_bshd(y: BSHD, dy: BSHD, delta: f"out {BATCHES}"):
    block, h, b = (carousel.program_id(axis) for axis in (0, 1, 2))
    i = block * 64
    rows, gradients = y[b, i:i + 64, h, :], dy[b, i:i + 64, h, :]
    delta[b, h, i:i + 64] = (rows.to("f32") * gradients.to("f32")).sum(axis=1, start=0.0)


def place_batch(b):
    """Where a batch has the rows of a head, and their numbers."""
    return lambda h, rows: (b, rows, h, slice(None)), lambda h, rows: (b, h, rows)


def make_batch(q, k, v, dy, lse, delta, scale, b):
    of_rows, of_numbers = place_batch(b)
    tensors, numbers = [HeadsFirst(each, of_rows) for each in (q, k, v, dy)], [HeadsFirst(each, of_numbers) for each in (lse, delta)]
    return Heads(*tensors, *numbers, scale, shared=lambda *_: q.shape[2] // k.shape[2])


@carousel.kernel(grid=["groups", "ceildiv(n, 128)", "batches"], module=LAYOUTS)
def attention_dkv_bshd(q: BSHD, k: OF_BATCHES, v: OF_BATCHES, dy: BSHD, lse: BATCHES, delta: BATCHES, scale: "f32",
                       dk: f"out {OF_BATCHES}", dv: f"out {OF_BATCHES}"):
    place, b = find_tile(), carousel.program_id(2)
    own = make_batch(q, k, v, dy, lse, delta, scale, b)
    own.write_keys(place, (0, q.shape[1]), own.see(lambda s, *_: s), *(HeadsFirst(each, place_batch(b)[0]) for each in (dk, dv)))


@carousel.kernel(grid=["heads", "ceildiv(m, 128)", "batches"], module=LAYOUTS)
def attention_dq_bshd(q: BSHD, k: OF_BATCHES, v: OF_BATCHES, dy: BSHD, lse: BATCHES, delta: BATCHES, scale: "f32", dq: f"out {BSHD}"):
    place, b, n = find_tile(), carousel.program_id(2), k.shape[1]
    own = make_batch(q, k, v, dy, lse, delta, scale, b)
    own.write_queries(place, (0, n), own.see(lambda s, j: see_first(s, n - j)), HeadsFirst(dq, place_batch(b)[0]))


def place_part(memory, number):
    """The queries, keys or values, 0 to 2, of positions that have all three."""
    return HeadsFirst(memory, lambda h, rows: (rows, number, h, slice(None)))


def place_rows(memory):
    return HeadsFirst(memory, lambda h, rows: (rows, h, slice(None)))


def make_triples(qkv, dy, lse, delta, scale):
    return Heads(*(place_part(qkv, each) for each in range(3)), place_rows(dy), lse, delta, scale, shared=None)


@carousel.kernel(grid=["heads", "ceildiv(n, 128)"], module=LAYOUTS)
def attention_dkv_qkv(qkv: TRIPLES, dy: "contiguous bf16[n, heads, 128]", lse: "contiguous f32[heads, n]",
                      delta: "contiguous f32[heads, n]", scale: "f32", dqkv: f"out {TRIPLES}"):
    own, (h, j) = make_triples(qkv, dy, lse, delta, scale), find_tile()
    own.write_keys((h, j), (j, qkv.shape[0]), own.see(lambda s, g, i, ahead: see_queries(s, ahead)), place_part(dqkv, 1),
                   place_part(dqkv, 2))


@carousel.kernel(grid=["heads", "ceildiv(n, 128)"], module=LAYOUTS)
def attention_dq_qkv(qkv: TRIPLES, dy: "contiguous bf16[n, heads, 128]", lse: "contiguous f32[heads, n]",
                     delta: "contiguous f32[heads, n]", scale: "f32", dqkv: f"out {TRIPLES}"):
    own, h, n = make_triples(qkv, dy, lse, delta, scale), carousel.program_id(0), qkv.shape[0]
    i = find_longest(n)
    own.write_queries((h, i), (0, carousel.minimum(i + 128, n)), own.see(lambda s, j: see_keys(s, i - j)),
                      place_part(dqkv, 0))


def place_pair(memory, number):
    """The keys or the values, 0 and 1, of positions that have a head's as neighbours."""
    return HeadsFirst(memory, lambda h, rows: (rows, h, number, slice(None)))


def make_pairs(q, kv, dy, lse, delta, scale):
    return Heads(place_rows(q), place_pair(kv, 0), place_pair(kv, 1), place_rows(dy), lse, delta, scale,
                 shared=lambda *_: q.shape[1] // kv.shape[1])


@carousel.kernel(grid=OF_KEYS, module=LAYOUTS)
def attention_dkv_kv(q: OF_ROWS, kv: OF_PAIRS, dy: OF_ROWS, lse: NUMBERS, delta: NUMBERS, scale: "f32", dkv: f"out {OF_PAIRS}"):
    own = make_pairs(q, kv, dy, lse, delta, scale)
    own.write_keys(find_tile(), (0, q.shape[0]), own.see(lambda s, *_: s), place_pair(dkv, 0), place_pair(dkv, 1))


@carousel.kernel(grid=OF_QUERIES, module=LAYOUTS)
def attention_dq_kv(q: OF_ROWS, kv: OF_PAIRS, dy: OF_ROWS, lse: NUMBERS, delta: NUMBERS, scale: "f32", dq: f"out {OF_ROWS}"):
    own, n = make_pairs(q, kv, dy, lse, delta, scale), kv.shape[0]
    own.write_queries(find_tile(), (0, n), own.see(lambda s, j: see_first(s, n - j)), place_rows(dq))


# The kernels, by the file of examples/block that has the same ones.
KERNELS = {
    "attention_backward.mlir": (delta, attention_dkv, attention_dkv_causal, attention_dq, attention_dq_causal),
    "attention_backward_64.mlir": (delta_64, attention_dkv_64, attention_dkv_causal_64, attention_dq_64, attention_dq_causal_64),
    "attention_backward_kinds.mlir": (attention_dkv_window, attention_dq_window, attention_dkv_bias, attention_dq_bias),
    "attention_backward_layouts.mlir": (delta_bshd, attention_dkv_bshd, attention_dq_bshd, attention_dkv_qkv, attention_dq_qkv,
                                        attention_dkv_kv, attention_dq_kv),
    "attention_backward_masks.mlir": (attention_dkv_documents, attention_dq_documents, attention_dkv_ranges, attention_dq_ranges),
    "attention_backward_ragged.mlir": (attention_dkv_ragged, attention_dkv_ragged_causal, attention_dq_ragged,
                                       attention_dq_ragged_causal),
}
