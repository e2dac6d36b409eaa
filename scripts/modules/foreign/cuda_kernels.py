# ===- cuda_kernels.py - kernels in CUDA C++ that nvcc compiles ---------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Kernels of cuda/*.cu: CUB's and those that use libcu++, cooperative groups, warps and wmma. They need no NumPy. NVRTC
compiles those of libcu++, too."""

import functools
import os
import random
import re
import subprocess
import tempfile
from pathlib import Path

from nvrtc import NVRTC, find_library

from .manifest import Case, Values, add_case, case, find_nvcc, main, memory, number, output, struct_of, updated

SOURCES = Path(__file__).resolve().parent / "cuda"


@functools.cache
def compile_source(name):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{name}.ptx")
        subprocess.run([find_nvcc(), "-std=c++17", "-arch=sm_90a", "-ptx", "-lineinfo", "-w", SOURCES / f"{name}.cu", "-o", path],
                       check=True)
        return path.read_text(encoding="utf-8")


@functools.cache
def compile_by_nvrtc(name):
    root = os.environ.get("CAROUSEL_CUDA_ROOT") or Path(find_nvcc()).resolve().parents[1]
    compiled = NVRTC(find_library(root)).compile(
        (SOURCES / f"{name}.cu").read_text(encoding="utf-8"), "sm_90a", "-std=c++17", "-lineinfo", f"-I{root}/include",
        f"-I{root}/include/cccl", kind="PTX", name=f"{name}.cu")
    if compiled.output is None:
        raise RuntimeError(compiled.log)
    return compiled.output.rstrip(b"\0").decode()


def find_kernel(ptx, pattern):
    """The name of a template's instance."""
    names = [name for name in re.findall(r"\.entry (\w+)\(", ptx) if re.search(pattern, name)]
    if len(names) != 1:
        raise RuntimeError(f"expected one kernel like '{pattern}', got {len(names)}")
    return names[0]


def ints(values, *shape):
    values = list(values)
    return Values("int32", shape or (len(values),), values)


def floats(values, *shape):
    values = list(values)
    return Values("float32", shape or (len(values),), values)


# ===------------------------------------------------------------------------===#
# blocks.cu
# ===------------------------------------------------------------------------===#


@case
def block_reduce():
    return Case(compile_source("blocks"), "reduce",
                [memory("x", floats(range(1000))), updated("y", floats([0]), floats([sum(range(1000))])),
                 number("n", "i32", 1000)], 8, 128)


@case
def block_scan():
    x = [i * 37 % 101 - 50 for i in range(128)]
    return Case(compile_source("blocks"), "scan", [memory("x", ints(x)), output("y", ints(sum(x[:i]) for i in range(128)))], 1,
                128)


@case
def block_sort():
    x = random.Random(0).sample(range(256), 256)
    return Case(compile_source("blocks"), "sort", [memory("x", ints(x)), output("y", ints(sorted(255 - v for v in x)))], 1, 128)


@case
def block_histogram():
    x = [random.Random(1).randrange(16) for _ in range(1000)]
    padded = x + [15] * (2 * 512 - len(x))
    return Case(compile_source("blocks"), "histogram",
                [memory("x", Values("uint8", (1000,), x)), updated("counts", ints([0] * 16), ints(map(padded.count, range(16)))),
                 number("n", "i32", 1000)], 2, 128)


@case
def warp_reduce():
    x = random.Random(2).sample(range(1000), 128)
    want = [max(range(8 * group, 8 * group + 8), key=x.__getitem__) for group in range(16)]
    return Case(compile_source("blocks"), "find_largest", [memory("x", floats(x)), output("keys", ints(want))], 1, 128)


def nothing(name):
    """A functor without members has a byte."""
    return number(name, "i8", 0)


@case
def device_reduce_one_tile():
    x = [i % 13 for i in range(5000)]
    ptx = compile_source("blocks")
    return Case(ptx, find_kernel(ptx, "SingleTileKernel.*PKfPf"),
                [memory("x", floats(x)), output("y", floats([sum(x) + 3])), number("n", "i32", 5000), nothing("plus"),
                 number("init", "f32", 3), nothing("identity")], 1, 256)


@case
def device_reduce():
    """Each CTA takes every third tile of 256 threads by 16."""
    count, ctas, tile = 30000, 3, 256 * 16
    x = [i * 7 % 11 for i in range(count)]
    want = [sum(sum(x[first:first + tile]) for first in range(cta * tile, count, ctas * tile)) for cta in range(ctas)]
    ptx = compile_source("blocks")
    names = ["tiles", "big_shares", "big_items", "items", "base", "count", "ctas", "begin", "end", "stride"]
    share = struct_of("share", *(number(name, "i32", {"count": count, "ctas": ctas}.get(name, 0)) for name in names))
    return Case(ptx, find_kernel(ptx, "DeviceReduceKernel"),
                [memory("x", floats(x)), output("y", floats(want)), number("n", "i32", count), share, nothing("plus"),
                 nothing("identity")], ctas, 256)


@case
def device_scan():
    """CTAs look back at the sums of earlier ones, in 32 padded words and one for each tile of 128 threads by 24. They number
    tiles by block ids, and spin: earlier ones have to start first."""
    count, tile = 20000, 128 * 24
    tiles = -(-count // tile)
    x = [i * 37 % 101 - 50 for i in range(count)]
    sums, total = [], 0
    for value in x:
        total += value
        sums.append(total)
    states = ints([0, 0] * 32 + [99, 0] * tiles)
    ptx = compile_source("blocks")
    return Case(ptx, find_kernel(ptx, "DeviceScanKernel"),
                [memory("x", ints(x)), output("y", ints(sums)), struct_of("state", memory("states", states)),
                 number("first", "i32", 0), nothing("plus"), nothing("init"), number("n", "i32", count)], tiles,
                128).start_in_order()


# ===------------------------------------------------------------------------===#
# barriers.cu
# ===------------------------------------------------------------------------===#


def make_pipeline(ptx):
    x = floats(range(1024))
    return Case(ptx, "stream", [memory("x", x), output("y", x), number("n", "i32", 1024)], 1, 128)


def make_atomics(ptx):
    return Case(ptx, "count", [updated("x", ints([0, 0]), ints([128, 128]))], 2, 64)


def make_barriers(ptx):
    x = list(range(64 * 5))
    want = [x[round_ * 64 + 63 - i] + 1 for round_ in range(5) for i in range(64)]
    return Case(ptx, "hand_over",
                [memory("x", floats(x)), output("y", floats(want)), number("rounds", "i32", 5)], 1, 128)


def make_bulk_copy(ptx):
    x = floats(range(768))
    return Case(ptx, "copy_bulk", [memory("x", x), output("y", floats(2 * v for v in range(768)))], 3, 64)


for make in (make_pipeline, make_atomics, make_barriers, make_bulk_copy):
    for compile_, suffix in ((compile_source, ""), (compile_by_nvrtc, "_nvrtc")):
        add_case(make.__name__.removeprefix("make_") + suffix,
                 lambda make=make, compile_=compile_: make(compile_("barriers")))


# ===------------------------------------------------------------------------===#
# warps.cu
# ===------------------------------------------------------------------------===#


@case
def struct_of_a_row():
    x = [i % 17 for i in range(300)]
    row = struct_of("row", memory("x", floats(x)), number("length", "i32", 100), number("scale", "f64", 0.5),
                    number("step", "i16", 3))
    return Case(compile_source("warps"), "sum_row", [row, output("y", floats([sum(x[:300:3]) * 0.5 - 2])),
                                                     number("bias", "i8", -2)], 1, 32)


@case
def weights_by_index():
    x = list(range(64))
    weights = struct_of("weights", *(number(f"w{i}", "f32", value) for i, value in enumerate((1, -2, 0.5, 4))))
    want = [x[i] * (1, -2, 0.5, 4)[i * 7 & 3] for i in range(64)]
    return Case(compile_source("warps"), "weigh", [weights, memory("x", floats(x)), output("y", floats(want))], 1, 64)


@case
def match_keys():
    keys = [random.Random(3).randrange(7) for _ in range(200)]
    return Case(compile_source("warps"), "count_keys",
                [memory("keys", ints(keys)), updated("counts", ints([0] * 7), ints(map(keys.count, range(7)))),
                 number("n", "i32", 200)], 4, 64)


@case
def redux():
    x = [random.Random(4).randrange(-500, 500) for _ in range(64)]
    x[40] = 7
    want = []
    for i in range(64):
        warp, part = x[i & ~31:(i & ~31) + 32], x[i & ~7:(i & ~7) + 8]
        bits = functools.reduce(lambda a, b: a | b, (v & 0xffffffff for v in warp))
        bits -= (bits >> 31) << 32
        want += [sum(warp), min(warp), bits, max(part) * 8 + 4 + (7 in part) * 2 + 1]
    return Case(compile_source("warps"), "reduce_lanes", [memory("x", ints(x)), output("y", ints(want))], 1, 64)


@case
def diverging_lanes():
    x = [i * i % 29 for i in range(64)]
    want = []
    for first in (0, 32):
        warp = x[first:first + 32]
        new = [sum(warp[:i + 1]) for i in range(16)] + [warp[i + 3] if i + 3 < 32 else warp[i] for i in range(16, 32)]
        want += [value + new[5] for value in new]
    return Case(compile_source("warps"), "diverge", [memory("x", ints(x)), output("y", ints(want))], 1, 64)


@case
def wmma_f16():
    rng = random.Random(5)
    a, b = ([rng.randrange(-8, 9) / 4 for _ in range(16 * 64)] for _ in range(2))
    want = [0.5 * sum(a[row * 64 + k] * b[column * 64 + k] for k in range(64)) for row in range(16) for column in range(16)]
    return Case(compile_source("warps"), "product",
                [memory("a", Values("float16", (16, 64), a)), memory("b", Values("float16", (16, 64), b)),
                 output("c", floats(want, 16, 16)), number("scale", "f32", 0.5)], 1, 32)


@case
def wmma_int8():
    rng = random.Random(6)
    a, b = ([rng.randrange(-128, 128) for _ in range(count)] for count in (32 * 16, 16 * 8))
    want = [1 + sum(a[row * 16 + k] * b[k * 8 + column] for k in range(16)) for row in range(32) for column in range(8)]
    return Case(compile_source("warps"), "product_of_bytes",
                [memory("a", Values("int8", (32, 16), a)), memory("b", Values("int8", (16, 8), b)),
                 output("c", ints(want, 32, 8))], 1, 32)


@case
def calls_by_address():
    x = [i / 8 for i in range(64)]
    want = []
    for i in range(64):
        kept = [0] * 8
        for j in range(8):
            kept[(j * 3 + i) & 7] = x[(i + j) & 63] * 0.5**(j & 3)
        value = kept[(i * 5) & 7]
        want.append(value * value if i & 1 else value / 2)
    return Case(compile_source("warps"), "call_by_address", [memory("x", floats(x)), output("y", floats(want))], 1, 64)


@case
def cluster_stencil():
    x = [i % 31 for i in range(2 * 2 * 64 * 2)]
    pairs = [x[2 * i:2 * i + 2] for i in range(256)]
    want = []
    for i, pair in enumerate(pairs):
        cluster, place = divmod(i, 128)
        following = pairs[cluster * 128 + (place + 1) % 128]
        want += [2 * after + own for after, own in zip(following, pair)]
    return Case(compile_source("warps"), "stencil", [memory("x", Values("float16", (512,), x)),
                                                     output("y", Values("float16", (512,), want))], 4, 64, cluster=2, shared=256)


if __name__ == "__main__":
    main()
