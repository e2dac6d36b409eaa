# ===- triton_kernels.py - kernels that Triton compiles ----------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Kernels in Triton's language for sm_90a. Pointers and extents are multiples of 16, as the launcher of Triton finds for
most calls, so that copies are asynchronous and products are wgmma."""

import ml_dtypes
import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from .manifest import Case, case, main, memory, number, output, tensor_map, updated

TYPES = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "int32": "i32", "int8": "i8", "float8_e4m3fn": "fp8e4nv",
         "float64": "fp64"}


def compile_kernel(function, arguments, constants, grid, **options):
    """The case of a kernel. Descriptors are passed by the host: a map, then extents and strides."""
    signature, attributes, passed = {}, {}, []
    for place, name in enumerate(function.arg_names):
        if name in constants:
            signature[name] = "constexpr"
            continue
        argument = arguments[name]
        passed.append(argument)
        if argument.kind == "memory":
            signature[name] = "*" + TYPES[argument.array.dtype.name]
            attributes[(place,)] = [["tt.divisibility", 16]]
        elif argument.kind == "map":
            box = ", ".join(str(extent) for extent in argument.box)
            signature[name] = f"tensordesc<{TYPES[argument.array.dtype.name]}[{box}]>"
            shape = argument.array.shape
            passed += [number(f"{name}_extent{dim}", "i32", extent) for dim, extent in enumerate(shape)]
            steps = [int(np.prod(shape[dim + 1:])) for dim in range(len(shape))]
            passed += [number(f"{name}_stride{dim}", "i64", step) for dim, step in enumerate(steps)]
        else:
            signature[name] = argument.type
            if argument.type == "i32" and argument.value % 16 == 0:
                attributes[(place,)] = [["tt.divisibility", 16]]
    source = ASTSource(function, signature, {(function.arg_names.index(name),): value for name, value in constants.items()},
                       attributes)
    built = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    meta = built.metadata
    maps = [argument for argument in passed if argument.kind == "map"]
    for argument, described in zip(maps, meta.tensordesc_meta or []):
        argument.set_box(described["block_size"], described["swizzle"])
    passed += [memory("global_scratch", np.zeros(1, np.int8)), memory("profile_scratch", np.zeros(1, np.int8))]
    made = Case(built.asm["ptx"], meta.name, passed, grid, 32 * meta.num_warps, shared=meta.shared)
    # Triton has a barrier between mbarrier.init and the first copy, and no fence for the engine that signals.
    return made.allow("init-not-visible") if maps else made


def random(seed, *shape, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32).astype(dtype)


@triton.jit
def add_kernel(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@case
def add():
    x, y = random(0, 1000), random(1, 1000)
    return compile_kernel(add_kernel, {"x": memory("x", x), "y": memory("y", y), "z": output("z", x + y),
                                       "n": number("n", "i32", 1000)}, {"BLOCK": 256}, 4)


@triton.jit
def softmax_kernel(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + i, i < columns, float("-inf"))
    value = tl.exp(value - tl.max(value, 0))
    tl.store(y + row * columns + i, value / tl.sum(value, 0), i < columns)


@case
def softmax():
    x = random(2, 6, 781)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    made = compile_kernel(softmax_kernel, {"x": memory("x", x), "y": output("y", (e / e.sum(1, keepdims=True)).astype(np.float32)),
                                           "columns": number("columns", "i32", 781)}, {"BLOCK": 1024}, 6)
    # exp is ex2.approx of a product: two roundings of up to 2^-22 and one of the exponent, times the row's largest exponent.
    return made.about(rtol=4e-6)


@triton.jit
def layernorm_kernel(x, w, b, y, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + i, i < columns, 0.0).to(tl.float32)
    mean = tl.sum(value, 0) / columns
    centred = tl.where(i < columns, value - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, 0) / columns + eps)
    w_ = tl.load(w + i, i < columns, 0.0)
    b_ = tl.load(b + i, i < columns, 0.0)
    tl.store(y + row * columns + i, (centred * scale * w_ + b_).to(tl.bfloat16), i < columns)


@case
def layernorm():
    x, w, b = random(3, 5, 640, dtype=ml_dtypes.bfloat16), random(4, 640), random(5, 640)
    wide = x.astype(np.float64)
    centred = wide - wide.mean(1, keepdims=True)
    want = centred / np.sqrt((centred ** 2).mean(1, keepdims=True) + 1e-5) * w + b
    made = compile_kernel(
        layernorm_kernel, {"x": memory("x", x), "w": memory("w", w), "b": memory("b", b),
                           "y": output("y", want.astype(ml_dtypes.bfloat16)), "columns": number("columns", "i32", 640),
                           "eps": number("eps", "fp32", 1e-5)}, {"BLOCK": 1024}, 5)
    # A result that is rounded from the other side of a tie: one unit of bf16.
    return made.about(rtol=2**-7, atol=1e-5)


@triton.jit
def gelu_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, i < n)
    tl.store(y + i, 0.5 * value * (1 + tl.erf(value * 0.7071067811865476)), i < n)


@case
def gelu():
    from math import erf, sqrt
    x = random(6, 2000)
    want = np.array([0.5 * v * (1 + erf(v / sqrt(2))) for v in x.astype(np.float64)], np.float32)
    made = compile_kernel(gelu_kernel, {"x": memory("x", x), "y": output("y", want), "n": number("n", "i32", 2000)},
                          {"BLOCK": 512}, 4)
    # 1 + erf cancels for negative values: a few units of 1 are left, times the value.
    return made.about(rtol=1e-6, atol=1e-6)


@triton.jit
def matmul_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    a += rows[:, None] * K + depth[None, :]
    b += depth[:, None] * N + columns[None, :]
    sums = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        left = tl.load(a, (rows[:, None] < M) & (depth[None, :] < K - k * BK), 0.0)
        right = tl.load(b, (depth[:, None] < K - k * BK) & (columns[None, :] < N), 0.0)
        sums = tl.dot(left, right, sums)
        a += BK
        b += BK * N
    tl.store(c + rows[:, None] * N + columns[None, :], sums.to(c.dtype.element_ty), (rows[:, None] < M) & (columns[None, :] < N))


def matmul_case(dtype, m, n, k, bm, bn, bk, result=np.float32, **options):
    a, b = random(7, m, k, dtype=dtype), random(8, k, n, dtype=dtype)
    want = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32).astype(result)
    made = compile_kernel(
        matmul_kernel, {"a": memory("a", a), "b": memory("b", b), "c": output("c", want), "M": number("M", "i32", m),
                        "N": number("N", "i32", n), "K": number("K", "i32", k)}, {"BM": bm, "BN": bn, "BK": bk},
        (-(-m // bm), -(-n // bn)), **options)
    # Sums of k products of standard normals, each rounded to f32: k * 2^-24 of the sum of magnitudes.
    return made.about(rtol=2**-8 if result != np.float32 else 1e-5, atol=k * 2**-22)


@case
def matmul_bf16():
    return matmul_case(ml_dtypes.bfloat16, 112, 96, 160, 64, 64, 32, num_warps=4, num_stages=3)


@case
def matmul_f16_two_groups():
    return matmul_case(np.float16, 128, 128, 128, 128, 128, 64, result=np.float16, num_warps=8, num_stages=2)


@case
def matmul_one_step():
    """The trip count is 1, below the number of stages."""
    return matmul_case(np.float16, 64, 64, 32, 64, 64, 32, num_warps=4, num_stages=4)


@case
def matmul_tf32():
    m = n = k = 64
    # Factors that tf32 holds.
    a, b = (np.round(random(seed, m, k) * 64) / 64 for seed in (9, 10))
    made = compile_kernel(
        matmul_kernel, {"a": memory("a", a), "b": memory("b", b), "c": output("c", (a @ b).astype(np.float32)),
                        "M": number("M", "i32", m), "N": number("N", "i32", n), "K": number("K", "i32", k)},
        {"BM": 64, "BN": 64, "BK": 32}, (1, 1), num_warps=4, num_stages=3)
    return made.about(rtol=1e-5, atol=1e-4)


@triton.jit
def fp8_kernel(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.arange(0, BM)
    columns = tl.arange(0, BN)
    depth = tl.arange(0, BK)
    sums = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + k + depth[None, :])
        right = tl.load(b + columns[None, :] * K + k + depth[:, None])
        sums = tl.dot(left, right, sums)
    tl.store(c + rows[:, None] * BN + columns[None, :], sums)


@case
def matmul_e4m3():
    a, b = (random(seed, 64, 128, dtype=ml_dtypes.float8_e4m3fn) for seed in (11, 12))
    want = (a.astype(np.float64) @ b.astype(np.float64).T).astype(np.float32)
    made = compile_kernel(fp8_kernel, {"a": memory("a", a), "b": memory("b", b), "c": output("c", want),
                                       "K": number("K", "i32", 128)}, {"BM": 64, "BN": 64, "BK": 64}, 1, num_stages=3)
    return made.about(rtol=1e-5, atol=1e-4)


@triton.jit
def int8_kernel(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.arange(0, BM)
    columns = tl.arange(0, BN)
    depth = tl.arange(0, BK)
    sums = tl.zeros((BM, BN), tl.int32)
    for k in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + k + depth[None, :])
        right = tl.load(b + columns[None, :] * K + k + depth[:, None])
        sums = tl.dot(left, right, sums)
    tl.store(c + rows[:, None] * BN + columns[None, :], sums)


@case
def matmul_int8():
    rng = np.random.default_rng(13)
    a, b = (rng.integers(-128, 128, (64, 128)).astype(np.int8) for _ in range(2))
    return compile_kernel(int8_kernel, {"a": memory("a", a), "b": memory("b", b),
                                        "c": output("c", a.astype(np.int32) @ b.astype(np.int32).T),
                                        "K": number("K", "i32", 128)}, {"BM": 64, "BN": 64, "BK": 64}, 1, num_stages=3)


@triton.jit
def descriptors_kernel(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        sums = tl.dot(a.load([row, k]), b.load([k, column]), sums)
    c.store([row, column], sums.to(tl.float16))


@case
def matmul_by_tma():
    m, n, k = 128, 128, 192
    a, b = random(14, m, k, dtype=np.float16), random(15, k, n, dtype=np.float16)
    want = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float16)
    made = compile_kernel(
        descriptors_kernel, {"a": tensor_map("a", a, (64, 64)), "b": tensor_map("b", b, (64, 64)),
                             "c": tensor_map("c", want, (64, 64), expects=True), "K": number("K", "i32", k)},
        {"BM": 64, "BN": 64, "BK": 64}, (2, 2), num_warps=4, num_stages=3)
    return made.about(rtol=2**-9, atol=k * 2**-22)


@triton.jit
def attention_kernel(q, k, v, o, N, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr):
    start = tl.program_id(0) * BM
    head = tl.program_id(1) * N * D
    rows = start + tl.arange(0, BM)
    depth = tl.arange(0, D)
    left = tl.load(q + head + rows[:, None] * D + depth[None, :], rows[:, None] < N, 0.0)
    largest = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    sums = tl.zeros((BM, D), tl.float32)
    end = min(start + BM, N) if CAUSAL else N
    for first in range(0, end, BN):
        columns = first + tl.arange(0, BN)
        keys = tl.load(k + head + columns[None, :] * D + depth[:, None], columns[None, :] < N, 0.0)
        scores = tl.dot(left, keys) * scale
        keep = columns[None, :] < N
        if CAUSAL:
            keep = keep & (columns[None, :] <= rows[:, None])
        scores = tl.where(keep, scores, float("-inf"))
        now = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - now[:, None])
        correction = tl.exp2(largest - now)
        total = total * correction + tl.sum(weights, 1)
        values = tl.load(v + head + columns[:, None] * D + depth[None, :], columns[:, None] < N, 0.0)
        sums = tl.dot(weights.to(tl.float16), values, sums * correction[:, None])
        largest = now
    tl.store(o + head + rows[:, None] * D + depth[None, :], (sums / total[:, None]).to(tl.float16), rows[:, None] < N)


def attention_reference(q, k, v, causal):
    scores = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) / np.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v.astype(np.float64)


def attention_case(n, causal, **options):
    q, k, v = (random(seed, 2, n, 64, dtype=np.float16) for seed in (16, 17, 18))
    want = attention_reference(q, k, v, causal).astype(np.float16)
    made = compile_kernel(
        attention_kernel, {"q": memory("q", q), "k": memory("k", k), "v": memory("v", v), "o": output("o", want),
                           "N": number("N", "i32", n), "scale": number("scale", "fp32", 1.4426950408889634 / 8)},
        {"BM": 64, "BN": 32, "D": 64, "CAUSAL": causal}, (-(-n // 64), 2), **options)
    # Weights are rounded to f16, 2^-11 each, as is the result; they sum to 1 and values are below 4.
    return made.about(rtol=2**-10, atol=2**-9)


@case
def attention():
    return attention_case(128, False, num_warps=4, num_stages=2)


@case
def attention_causal():
    return attention_case(100, True, num_warps=4, num_stages=3)


@triton.jit
def histogram_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bins = tl.load(x + i, i < n, 0)
    tl.atomic_add(y + bins, 1, i < n)


@case
def histogram():
    x = np.random.default_rng(19).integers(0, 16, 900).astype(np.int32)
    return compile_kernel(histogram_kernel, {"x": memory("x", x), "y": updated("y", np.zeros(16, np.int32),
                                                                              np.bincount(x, minlength=16).astype(np.int32)),
                                             "n": number("n", "i32", 900)}, {"BLOCK": 256}, 4)


@triton.jit
def scan_kernel(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.cumsum(tl.load(x + i), 0))


@case
def scan():
    x = np.random.default_rng(20).integers(-99, 99, 1024).astype(np.int32)
    return compile_kernel(scan_kernel, {"x": memory("x", x), "y": output("y", np.cumsum(x).astype(np.int32))},
                          {"BLOCK": 1024}, 1, num_warps=4)


@triton.jit
def sort_kernel(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.sort(tl.load(x + i)))


@case
def sort():
    x = random(21, 256)
    return compile_kernel(sort_kernel, {"x": memory("x", x), "y": output("y", np.sort(x))}, {"BLOCK": 256}, 1)


@triton.jit
def argmax_kernel(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(y + row, tl.argmax(tl.load(x + row * columns + i, i < columns, float("-inf")), 0))


@case
def argmax():
    x = random(22, 7, 500)
    return compile_kernel(argmax_kernel, {"x": memory("x", x), "y": output("y", x.argmax(1).astype(np.int32)),
                                          "columns": number("columns", "i32", 500)}, {"BLOCK": 512}, 7)


@triton.jit
def split_kernel(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PARTS: tl.constexpr):
    part = tl.program_id(0)
    rows = tl.arange(0, BM)
    columns = tl.arange(0, BN)
    depth = part * BK + tl.arange(0, BK)
    sums = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK * PARTS):
        left = tl.load(a + rows[:, None] * K + k + depth[None, :])
        right = tl.load(b + (k + depth)[:, None] * BN + columns[None, :])
        sums = tl.dot(left, right, sums)
    tl.atomic_add(c + rows[:, None] * BN + columns[None, :], sums)


@case
def matmul_split_k():
    # Small integers, so that the order of the sums doesn't matter.
    rng = np.random.default_rng(23)
    a, b = rng.integers(-4, 5, (64, 256)).astype(np.float16), rng.integers(-4, 5, (256, 32)).astype(np.float16)
    want = a.astype(np.float32) @ b.astype(np.float32)
    return compile_kernel(split_kernel, {"a": memory("a", a), "b": memory("b", b),
                                         "c": updated("c", np.zeros((64, 32), np.float32), want),
                                         "K": number("K", "i32", 256)}, {"BM": 64, "BN": 32, "BK": 32, "PARTS": 4}, 4)


@triton.jit
def dropout_kernel(x, y, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, i) > p
    tl.store(y + i, tl.where(keep, tl.load(x + i, i < n) / (1 - p), 0.0), i < n)


def philox(seed, counters):
    """The first word of Philox4x32-10 for each counter."""
    c0 = counters.astype(np.uint64)
    c1 = c2 = c3 = np.zeros_like(c0)
    k0, k1, mask = np.uint64(seed), np.uint64(0), np.uint64(0xffffffff)
    for _ in range(10):
        b, d = c0, c2
        p, q = np.uint64(0xD2511F53) * b, np.uint64(0xCD9E8D57) * d
        c0, c1, c2, c3 = (q >> np.uint64(32)) ^ c1 ^ k0, q & mask, (p >> np.uint64(32)) ^ c3 ^ k1, p & mask
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & mask, (k1 + np.uint64(0xBB67AE85)) & mask
    return c0.astype(np.uint32)


@case
def dropout():
    x = random(24, 700)
    word = philox(5, np.arange(700)).astype(np.int32)
    uniform = np.where(word < 0, -word - 1, word).astype(np.float32) * np.float32(4.6566127342e-10)
    want = np.where(uniform > np.float32(0.25), x / np.float32(0.75), np.float32(0)).astype(np.float32)
    return compile_kernel(dropout_kernel, {"x": memory("x", x), "y": output("y", want), "n": number("n", "i32", 700),
                                           "p": number("p", "fp32", 0.25), "seed": number("seed", "i32", 5)},
                          {"BLOCK": 256}, 3).about(rtol=2**-22)


@triton.jit
def f64_kernel(a, b, c, BM: tl.constexpr, BK: tl.constexpr):
    rows = tl.arange(0, BM)
    depth = tl.arange(0, BK)
    left = tl.load(a + rows[:, None] * BK + depth[None, :])
    right = tl.load(b + depth[:, None] * BM + rows[None, :])
    tl.store(c + rows[:, None] * BM + rows[None, :], tl.dot(left, right, out_dtype=tl.float64))


@case
def matmul_f64():
    a, b = random(25, 32, 32).astype(np.float64), random(26, 32, 32).astype(np.float64)
    return compile_kernel(f64_kernel, {"a": memory("a", a), "b": memory("b", b), "c": output("c", a @ b)},
                          {"BM": 32, "BK": 32}, 1).about(rtol=1e-12, atol=1e-12)


@triton.jit
def persistent_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr):
    tiles = (M // BM) * (N // BN)
    for tile in tl.range(tl.program_id(0), tiles, PROGRAMS, flatten=True):
        row = tile // (N // BN) * BM
        column = tile % (N // BN) * BN
        sums = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            sums = tl.dot(a.load([row, k]), b.load([column, k]).T, sums)
        c.store([row, column], sums.to(tl.bfloat16))


@case
def matmul_persistent_tma():
    m, n, k = 192, 128, 128
    a, b = random(27, m, k, dtype=ml_dtypes.bfloat16), random(28, n, k, dtype=ml_dtypes.bfloat16)
    want = (a.astype(np.float64) @ b.astype(np.float64).T).astype(np.float32).astype(ml_dtypes.bfloat16)
    made = compile_kernel(
        persistent_kernel, {"a": tensor_map("a", a, (64, 64)), "b": tensor_map("b", b, (64, 64)),
                            "c": tensor_map("c", want, (64, 64), expects=True), "M": number("M", "i32", m),
                            "N": number("N", "i32", n), "K": number("K", "i32", k)},
        {"BM": 64, "BN": 64, "BK": 64, "PROGRAMS": 2}, 2, num_warps=4, num_stages=3)
    return made.about(rtol=2**-7, atol=k * 2**-22)


if __name__ == "__main__":
    main()
