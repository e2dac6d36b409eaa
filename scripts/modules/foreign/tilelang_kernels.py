# ===- tilelang_kernels.py - kernels that TileLang compiles -------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Kernels in TileLang for sm_90a. TileLang makes CUDA C++ of them, with roles for warpgroups, and nvcc makes the PTX. The host
function that it makes says how maps are encoded and what is launched."""

import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import tilelang
import tilelang.language as T
from tilelang import tvm

from .manifest import Case, case, find_nvcc, main, memory, output, tensor_map

PACKAGE = Path(tilelang.__file__).parent


def compile_kernel(function, arrays, wants):
    """The case of a kernel whose buffers are the arrays, and the wanted ones where it only writes."""
    target = tvm.target.Target({"kind": "cuda", "arch": "sm_90a"})
    with target:
        made = tilelang.lower(function, target=target)
    with tempfile.TemporaryDirectory() as folder:
        source, ptx = Path(folder, "kernel.cu"), Path(folder, "kernel.ptx")
        source.write_text(made.kernel_source, encoding="utf-8")
        subprocess.run([find_nvcc(), "-std=c++20", "-arch=sm_90a", "-ptx", "-w", "-I", PACKAGE / "src",
                        "-I", PACKAGE / "3rdparty/cutlass/include", source, "-o", ptx], check=True)
        text = ptx.read_text(encoding="utf-8")
    host = str(made.host_mod)
    encoded = {}
    for words in re.findall(r'call_packed\("__tvm_tensormap_create_tiled", ([^)]*)\)', host):
        name, _, rank, source_name, *numbers = words.split(", ")
        rank, numbers = int(rank), list(map(int, numbers))
        encoded[name] = source_name, numbers[2 * rank:3 * rank][::-1], ["", "b32", "b64", "b128"][numbers[4 * rank + 1]]
    kernel, words = re.search(r'call_packed\("(\w*_kernel)", ([^)]*)\)', host).groups()
    names = [word for word in words.split(", ") if not word.isdigit()]
    device = str(made.device_mod)
    launch = dict(re.findall(r'launch_thread\("(\w+\.[xyz])", (\d+)\)', device))
    shared = re.search(r'"dyn_shared_memory_buf": (\d+)', device)
    arguments = []
    for name in names:
        if name in encoded:
            source_name, box, swizzle = encoded[name]
            array = arrays.get(source_name)
            arguments.append(tensor_map(source_name, wants[source_name] if array is None else array, box, swizzle,
                                        expects=array is None))
        elif name in wants:
            arguments.append(output(name, wants[name]))
        else:
            arguments.append(memory(name, arrays[name]))

    def extents(of):
        return [int(launch.get(f"{of}.{dim}", 1)) for dim in "xyz"]

    return Case(text, kernel, arguments, extents("blockIdx"), extents("threadIdx"), shared=int(shared[1]) if shared else 0)


def random(seed, *shape, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32).astype(dtype)


@T.prim_func
def add_kernel(A: T.Tensor((64, 96), "float32"), B: T.Tensor((64, 96), "float32"), C: T.Tensor((64, 96), "float32")):
    with T.Kernel(3, 4, threads=128) as (bx, by):
        for i, j in T.Parallel(16, 32):
            C[by * 16 + i, bx * 32 + j] = A[by * 16 + i, bx * 32 + j] + B[by * 16 + i, bx * 32 + j]


@case
def add():
    a, b = random(0, 64, 96), random(1, 64, 96)
    return compile_kernel(add_kernel, {"A": a, "B": b}, {"C": a + b})


@T.prim_func
def matmul_kernel(A: T.Tensor((128, 160), "float16"), B: T.Tensor((160, 128), "float16"), C: T.Tensor((128, 128), "float32")):
    with T.Kernel(2, 2, threads=128) as (bx, by):
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.clear(c)
        for k in T.Pipelined(5, num_stages=3):
            T.copy(A[by * 64, k * 32], a)
            T.copy(B[k * 32, bx * 64], b)
            T.gemm(a, b, c)
        T.copy(c, C[by * 64, bx * 64])


@case
def matmul_specialized():
    a, b = random(2, 128, 160, dtype=np.float16), random(3, 160, 128, dtype=np.float16)
    want = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
    return compile_kernel(matmul_kernel, {"A": a, "B": b}, {"C": want}).about(rtol=1e-5, atol=160 * 2**-22)


@T.prim_func
def store_kernel(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((64, 64), "float16")
        b = T.alloc_shared((64, 64), "float16")
        d = T.alloc_shared((64, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.copy(A, a)
        T.copy(B, b)
        T.gemm(a, b, c, transpose_B=True, clear_accum=True)
        T.copy(c, d)
        T.copy(d, C)


@case
def matmul_stored_by_tma():
    a, b = random(4, 64, 64, dtype=np.float16), random(5, 64, 64, dtype=np.float16)
    want = (a.astype(np.float64) @ b.astype(np.float64).T).astype(np.float16)
    return compile_kernel(store_kernel, {"A": a, "B": b}, {"C": want}).about(rtol=2**-10, atol=64 * 2**-22)


@T.prim_func
def softmax_kernel(X: T.Tensor((8, 512), "float32"), Y: T.Tensor((8, 512), "float32")):
    with T.Kernel(4, threads=128) as b:
        x = T.alloc_fragment((2, 512), "float32")
        largest = T.alloc_fragment((2,), "float32")
        total = T.alloc_fragment((2,), "float32")
        T.copy(X[b * 2, 0], x)
        T.reduce_max(x, largest, dim=1)
        for i, j in T.Parallel(2, 512):
            x[i, j] = T.exp(x[i, j] - largest[i])
        T.reduce_sum(x, total, dim=1)
        for i, j in T.Parallel(2, 512):
            x[i, j] = x[i, j] / total[i]
        T.copy(x, Y[b * 2, 0])


@case
def softmax():
    x = random(6, 8, 512)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return compile_kernel(softmax_kernel, {"X": x}, {"Y": (e / e.sum(1, keepdims=True)).astype(np.float32)}).about(rtol=4e-6)


@T.prim_func
def attention_kernel(Q: T.Tensor((2, 128, 64), "float16"), K: T.Tensor((2, 128, 64), "float16"),
                     V: T.Tensor((2, 128, 64), "float16"), O: T.Tensor((2, 128, 64), "float16")):
    with T.Kernel(2, 2, threads=128) as (bx, by):
        q = T.alloc_shared((64, 64), "float16")
        k = T.alloc_shared((64, 64), "float16")
        v = T.alloc_shared((64, 64), "float16")
        scores = T.alloc_fragment((64, 64), "float32")
        weights = T.alloc_fragment((64, 64), "float16")
        sums = T.alloc_fragment((64, 64), "float32")
        largest = T.alloc_fragment((64,), "float32")
        before = T.alloc_fragment((64,), "float32")
        factor = T.alloc_fragment((64,), "float32")
        part = T.alloc_fragment((64,), "float32")
        total = T.alloc_fragment((64,), "float32")
        T.copy(Q[by, bx * 64:bx * 64 + 64, :], q)
        T.fill(sums, 0)
        T.fill(total, 0)
        T.fill(largest, -T.infinity("float32"))
        for step in T.Pipelined(2, num_stages=2):
            T.copy(K[by, step * 64:step * 64 + 64, :], k)
            T.clear(scores)
            T.gemm(q, k, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
            T.copy(largest, before)
            T.reduce_max(scores, largest, dim=1, clear=False)
            for i in T.Parallel(64):
                factor[i] = T.exp2((before[i] - largest[i]) * 0.18033688)
            for i, j in T.Parallel(64, 64):
                scores[i, j] = T.exp2((scores[i, j] - largest[i]) * 0.18033688)
            T.reduce_sum(scores, part, dim=1)
            for i in T.Parallel(64):
                total[i] = total[i] * factor[i] + part[i]
            T.copy(scores, weights)
            for i, j in T.Parallel(64, 64):
                sums[i, j] *= factor[i]
            T.copy(V[by, step * 64:step * 64 + 64, :], v)
            T.gemm(weights, v, sums, policy=T.GemmWarpPolicy.FullRow)
        for i, j in T.Parallel(64, 64):
            sums[i, j] /= total[i]
        T.copy(sums, O[by, bx * 64:bx * 64 + 64, :])


@case
def attention():
    q, k, v = (random(seed, 2, 128, 64, dtype=np.float16) for seed in (7, 8, 9))
    scores = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) / 8
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    want = (weights / weights.sum(-1, keepdims=True) @ v.astype(np.float64)).astype(np.float16)
    # Weights are rounded to f16, 2^-11 each, as is the result; they sum to 1 and values are below 4.
    return compile_kernel(attention_kernel, {"Q": q, "K": k, "V": v}, {"O": want}).about(rtol=2**-10, atol=2**-9)


if __name__ == "__main__":
    main()
