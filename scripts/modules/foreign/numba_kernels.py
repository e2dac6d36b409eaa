# ===- numba_kernels.py - kernels that Numba compiles ------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Kernels in Python for numba.cuda. An array is passed as parameters of its own: two null pointers of its owner, its size and
element size, its address, extents and strides in bytes."""

import math
import re

import numpy as np
from numba import cuda, float32, int32
from numba.cuda import compile_ptx
from numba.np.numpy_support import from_dtype

from .manifest import Case, case, main, memory, number, output, updated


def compile_kernel(function, arguments, grid, block):
    signature, passed = [], []
    for argument in arguments:
        if argument.kind == "number":
            signature.append({"i32": int32, "f32": float32}[argument.type])
            passed.append(argument)
            continue
        array, name = argument.array, argument.name
        signature.append(from_dtype(array.dtype)[(slice(None, None, 1),) if array.ndim == 1 else (slice(None), slice(None, None, 1))])
        size = array.dtype.itemsize
        passed += [number(f"{name}_owner", "i64", 0), number(f"{name}_parent", "i64", 0),
                   number(f"{name}_size", "i64", array.size), number(f"{name}_bytes", "i64", size), argument]
        passed += [number(f"{name}_extent{dim}", "i64", extent) for dim, extent in enumerate(array.shape)]
        passed += [number(f"{name}_stride{dim}", "i64", stride) for dim, stride in enumerate(array.strides)]
    text, _ = compile_ptx(function, tuple(signature), cc=(9, 0), device=False)
    kernel, = re.findall(r"\.visible \.entry (\w+)\(", text)
    return Case(text, kernel, passed, grid, block)


def random(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def saxpy_kernel(x, y, a, z):
    i = cuda.grid(1)
    if i < z.size:
        z[i] = a * x[i] + y[i]


@case
def saxpy():
    x, y = random(0, 500), random(1, 500)
    want = (np.float64(2.5) * x + y).astype(np.float32)
    return compile_kernel(saxpy_kernel, [memory("x", x), memory("y", y), number("a", "f32", 2.5), output("z", want)], 4, 128)


def matmul_kernel(a, b, c):
    left = cuda.shared.array((16, 16), float32)
    right = cuda.shared.array((16, 16), float32)
    column, row = cuda.grid(2)
    i, j = cuda.threadIdx.y, cuda.threadIdx.x
    total = float32(0)
    for k in range(0, a.shape[1], 16):
        left[i, j] = a[row, k + j]
        right[i, j] = b[k + i, column]
        cuda.syncthreads()
        for step in range(16):
            total += left[i, step] * right[step, j]
        cuda.syncthreads()
    c[row, column] = total


@case
def matmul_tiled():
    a, b = random(2, 32, 48), random(3, 48, 32)
    want = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
    made = compile_kernel(matmul_kernel, [memory("a", a), memory("b", b), output("c", want)], (2, 2), (16, 16))
    return made.about(rtol=1e-5, atol=48 * 2**-22)


def warp_sum_kernel(x, y):
    i = cuda.grid(1)
    value = x[i] if i < x.size else float32(0)
    by = 16
    while by > 0:
        value += cuda.shfl_down_sync(0xffffffff, value, by)
        by //= 2
    if cuda.laneid == 0:
        cuda.atomic.add(y, 0, value)


@case
def warp_sum():
    x = np.arange(200, dtype=np.float32)
    return compile_kernel(warp_sum_kernel, [memory("x", x), updated("y", np.zeros(1, np.float32), np.array([x.sum()], np.float32))],
                          4, 64)


def largest_kernel(x, y):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.max(y, 0, x[i])


@case
def atomic_max():
    """Of f32, which devices don't have: a loop with cas."""
    x = random(4, 300)
    return compile_kernel(largest_kernel, [memory("x", x), updated("y", np.full(1, -9, np.float32), x.max(keepdims=True))], 3, 128)


def functions_kernel(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = math.exp(x[i]) * math.sin(x[i]) + math.log(1 + x[i] * x[i]) / math.sqrt(2 + math.tanh(x[i]))


@case
def functions():
    x = random(5, 256)
    wide = x.astype(np.float64)
    want = np.exp(wide) * np.sin(wide) + np.log(1 + wide**2) / np.sqrt(2 + np.tanh(wide))
    made = compile_kernel(functions_kernel, [memory("x", x), output("y", want.astype(np.float32))], 2, 128)
    # libdevice's functions have errors of 1 to 2 units; the sum cancels.
    return made.about(rtol=2e-6, atol=1e-6)


def local_kernel(x, y):
    kept = cuda.local.array(16, int32)
    i = cuda.grid(1)
    for j in range(16):
        kept[(j * 5 + i) % 16] = x[(i + j) % x.size]
    total = 0
    for j in range(16):
        total = total * 3 % 1000 + kept[j]
    y[i] = total


@case
def local_memory():
    x = np.random.default_rng(6).integers(0, 100, 64).astype(np.int32)
    want = np.zeros(64, np.int32)
    for i in range(64):
        kept = [0] * 16
        for j in range(16):
            kept[(j * 5 + i) % 16] = int(x[(i + j) % 64])
        total = 0
        for value in kept:
            total = total * 3 % 1000 + value
        want[i] = total
    return compile_kernel(local_kernel, [memory("x", x), output("y", want)], 2, 32)


if __name__ == "__main__":
    main()
