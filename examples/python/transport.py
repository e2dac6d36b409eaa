# ===- transport.py - kernels of several GPUs in Python ---------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Products whose tiles go to a peer, and rows that GPUs gather meanwhile (docs/Transport.md). They compile to the same PTX as
those of examples/transport/products.mlir."""

import carousel

module = {"module": "transport"}
tiles = {"grid": ["ceildiv(n, 128)", "ceildiv(m, 256)"], **module}


def find_tile():
    across, down = carousel.program_id(0), carousel.program_id(1)
    return across, down, down * 256, across * 128


def multiply(a, b, i, j):
    total = carousel.zeros((256, 128), "f32")
    for k in carousel.range(0, a.shape[1], 64):
        total = carousel.dot(a[i:i + 256, k:k + 64], b[k:k + 64, j:j + 128], total)
    return total


@carousel.kernel(**tiles)
def push_product(a: "bf16[m2, k]", b: "bf16[k, n2]", c: "out peer bf16[m, n]", there: "inout peer contiguous i64[rows, columns]",
                 round: "i64"):
    across, down, i, j = find_tile()
    c[i:i + 256, j:j + 128] = multiply(a, b, i, j).to("bf16")
    carousel.signal(there, [down, across], round)


@carousel.kernel(**tiles)
def product(a: "bf16[m2, k]", b: "bf16[k, n2]", c: "out bf16[m, n]"):
    _, _, i, j = find_tile()
    c[i:i + 256, j:j + 128] = multiply(a, b, i, j).to("bf16")


@carousel.kernel(**tiles)
def reduce_product(a: "bf16[m2, k]", b: "bf16[k, n2]", inbox: "symmetric bf16[m3, n3]",
                   arrived: "inout symmetric contiguous i64[rows, columns]", round: "i64", y: "out bf16[m, n]"):
    """y = a * b + inbox, where a peer pushes its share to `inbox` meanwhile."""
    across, down, i, j = find_tile()
    own = multiply(a, b, i, j)
    carousel.wait_signal(arrived, [down, across], round)
    y[i:i + 256, j:j + 128] = (own + inbox[i:i + 256, j:j + 128].to("f32")).to("bf16")


@carousel.kernel(**tiles)
def take_arrived(inbox: "symmetric bf16[m3, n3]", arrived: "inout symmetric contiguous i64[rows, columns]", round: "i64",
                 y: "inout bf16[m, n]"):
    """y = y + inbox, tile by tile as they arrive."""
    across, down, i, j = find_tile()
    carousel.wait_signal(arrived, [down, across], round)
    for r in carousel.range(0, 256, 32, pipeline=False):
        row = i + r
        v, w = inbox[row:row + 32, j:j + 128], y[row:row + 32, j:j + 128]
        y[row:row + 32, j:j + 128] = v + w


@carousel.kernel(grid="ceildiv(m, 256)", **module)
def push_rows(gathered: "symmetric bf16[ranks, m, k]", remote: "out peer bf16[ranks, m, k]",
              there: "inout peer contiguous i64[ranks, count]", round: "i64", rank: "i64"):
    """Puts this rank's rows of `gathered` to a peer's."""
    own, tile = rank.to("index"), carousel.program_id()
    i = tile * 256
    for j in carousel.range(0, gathered.shape[2], 64):
        remote[own, i:i + 256, j:j + 64] = gathered[own, i:i + 256, j:j + 64]
    carousel.signal(there, [own, tile], round)


@carousel.kernel(grid=["ceildiv(n, 128)", "ranks * count"], **module)
def gather_product(gathered: "symmetric bf16[all, m, k]", b: "bf16[k, n2]", arrived: "inout symmetric contiguous i64[ranks, count]",
                   y: "out bf16[r2, m2, n]", round: "i64", rank: "i64"):
    """y = gathered * b. The programs of this rank's rows come first: they wait for nothing."""
    own = rank.to("index")
    across, down = carousel.program_id(0), carousel.program_id(1)
    ranks, count = gathered.shape[0], arrived.shape[1]
    later, tile = down // count, down % count
    of = (own + later) % ranks
    i, j = tile * 256, across * 128
    depth = gathered.shape[2]
    carousel.cond(of != own, lambda: carousel.wait_signal(arrived, [of, tile], round), lambda: None)
    total = carousel.zeros((256, 128), "f32")
    for k in carousel.range(0, depth, 64):
        total = carousel.dot(gathered[of, i:i + 256, k:k + 64], b[k:k + 64, j:j + 128], total)
    y[of, i:i + 256, j:j + 128] = total.to("bf16")


# The kernels, by the file of examples/transport that has the same ones.
KERNELS = {"products.mlir": (push_product, product, reduce_product, take_arrived, push_rows, gather_product)}
