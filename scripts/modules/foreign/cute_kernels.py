# ===- cute_kernels.py - kernels that CuTe DSL compiles ----------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Kernels in CuTe DSL for sm_90a: rings of tensor copies, products by wgmma and mma, rows, structs of dynamic layouts."""

import os
import tempfile

DUMPS = tempfile.TemporaryDirectory()
os.environ.update(CUTE_DSL_ARCH="sm_90a", CUTE_DSL_KEEP_PTX="1", CUTE_DSL_DUMP_DIR=DUMPS.name)

import cutlass  # noqa: E402
import cutlass.cute as cute  # noqa: E402
import cutlass.pipeline as pipeline  # noqa: E402
import cutlass.utils as utils  # noqa: E402
import numpy as np  # noqa: E402
from cutlass.cute.nvgpu import cpasync, warp, warpgroup  # noqa: E402
from cutlass.cute.runtime import make_fake_compact_tensor  # noqa: E402

from .manifest import Case, case, main, memory, number, output, struct_of, tensor_map  # noqa: E402


def fake(type_, *shape, **options):
    return make_fake_compact_tensor(type_, shape, stride_order=tuple(reversed(range(len(shape)))), assumed_align=16, **options)


def compile_host(host, arguments, parameters, grid, block, shared=0, **options):
    built = cute.compile(host, *arguments)
    return Case(built.__ptx__, next(iter(built.kernel_info)), parameters, grid, block, shared=shared, **options)


def random(seed, *shape, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32).astype(dtype)


@cute.kernel
def scale_kernel(x: cute.Tensor, y: cute.Tensor, n: cutlass.Int32, a: cutlass.Float32):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < n:
        y[i] = x[i] * a


@cute.jit
def scale_host(x: cute.Tensor, y: cute.Tensor, n: cutlass.Int32, a: cutlass.Float32):
    scale_kernel(x, y, n, a).launch(grid=[8, 1, 1], block=[128, 1, 1])


@case
def scale():
    x = random(0, 1000)
    return compile_host(scale_host, (fake(cutlass.Float32, 1000), fake(cutlass.Float32, 1000), cutlass.Int32(1000),
                                     cutlass.Float32(2.5)),
                        [memory("x", x), output("y", x * np.float32(2.5)), number("n", "i32", 1000), number("a", "f32", 2.5)],
                        8, 128)


@cute.kernel
def transpose_kernel(x: cute.Tensor, y: cute.Tensor):
    i, j = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
    if i < cute.size(x, mode=[1]):
        y[i, j] = x[j, i]


@cute.jit
def transpose_host(x: cute.Tensor, y: cute.Tensor):
    transpose_kernel(x, y).launch(grid=[cute.size(x, mode=[0]), 1, 1], block=[128, 1, 1])


@case
def transpose():
    """Tensors with dynamic extents and strides: a parameter is a struct of a pointer and these."""
    x = random(1, 37, 100)
    rows, columns = cute.sym_int32(), cute.sym_int32()
    types = (fake(cutlass.Float32, rows, columns), fake(cutlass.Float32, columns, rows))

    def layout(name, shape):
        return [number(f"{name}_extent0", "i32", shape[0]), number(f"{name}_extent1", "i32", shape[1]),
                number(f"{name}_stride", "i64", shape[1])]

    return compile_host(transpose_host, types,
                        [struct_of("xs", memory("x", x), *layout("x", x.shape)),
                         struct_of("ys", output("y", np.ascontiguousarray(x.T)), *layout("y", x.T.shape))], 37, 128)


@cute.kernel
def rmsnorm_kernel(x: cute.Tensor, w: cute.Tensor, y: cute.Tensor, eps: cutlass.Float32):
    row, tid = cute.arch.block_idx()[0], cute.arch.thread_idx()[0]
    columns = cute.size(x, mode=[1])
    shared = utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(4))
    total = cutlass.Float32(0)
    for i in cutlass.range(tid, columns, 128):
        value = x[row, i].to(cutlass.Float32)
        total += value * value
    for by in cutlass.range_constexpr(5):
        total += cute.arch.shuffle_sync_bfly(total, offset=1 << by)
    if tid % 32 == 0:
        shared[tid // 32] = total
    cute.arch.sync_threads()
    scale = cute.rsqrt((shared[0] + shared[1] + shared[2] + shared[3]) / columns + eps)
    for i in cutlass.range(tid, columns, 128):
        y[row, i] = (x[row, i].to(cutlass.Float32) * scale * w[i]).to(cutlass.Float16)


@cute.jit
def rmsnorm_host(x: cute.Tensor, w: cute.Tensor, y: cute.Tensor, eps: cutlass.Float32):
    rmsnorm_kernel(x, w, y, eps).launch(grid=[cute.size(x, mode=[0]), 1, 1], block=[128, 1, 1])


@case
def rmsnorm():
    x, w = random(2, 6, 500, dtype=np.float16), random(3, 500)
    wide = x.astype(np.float64)
    want = wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-6) * w
    made = compile_host(rmsnorm_host, (fake(cutlass.Float16, 6, 500), fake(cutlass.Float32, 500), fake(cutlass.Float16, 6, 500),
                                       cutlass.Float32(1e-6)),
                        [memory("x", x), memory("w", w), output("y", want.astype(np.float16)), number("eps", "f32", 1e-6)],
                        6, 128, shared=16)
    # One unit of f16, where a result is near a tie.
    return made.about(rtol=2**-10, atol=1e-7)


TM, TN, STAGES = 64, 32, 3


@cute.kernel
def ring_kernel(load: cute.CopyAtom, x: cute.Tensor, store: cute.CopyAtom, y: cute.Tensor, a: cutlass.Float32,
                layout: cute.Layout):
    tid, block = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
    warp_ = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    shared = utils.SmemAllocator()
    barriers = shared.allocate_array(cutlass.Int64, 2 * STAGES)
    tiles = shared.allocate_tensor(cutlass.Float32, layout, 128)
    pipe = pipeline.PipelineTmaAsync.create(
        barrier_storage=barriers, num_stages=STAGES, producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 3), tx_count=TM * TN * 4,
        cta_layout_vmnk=cute.make_layout((1, 1, 1, 1)))
    from_x = cute.local_tile(x, (TM, TN), (block, None))
    to_y = cute.local_tile(y, (TM, TN), (block, None))
    ring, source = cpasync.tma_partition(load, 0, cute.make_layout(1), cute.group_modes(tiles, 0, 2),
                                         cute.group_modes(from_x, 0, 2))
    sent, target = cpasync.tma_partition(store, 0, cute.make_layout(1), cute.group_modes(tiles, 0, 2),
                                         cute.group_modes(to_y, 0, 2))
    steps = cute.size(from_x, mode=[2])
    if warp_ == 3:
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, STAGES)
        for k in cutlass.range(steps, unroll=1):
            pipe.producer_acquire(state)
            cute.copy(load, source[None, k], ring[None, state.index], tma_bar_ptr=pipe.producer_get_barrier(state))
            pipe.producer_commit(state)
            state.advance()
        pipe.producer_tail(state)
    else:
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
        for k in cutlass.range(steps, unroll=1):
            pipe.consumer_wait(state)
            for i in cutlass.range(tid, TM * TN, 96):
                tiles[i // TN, i % TN, state.index] = tiles[i // TN, i % TN, state.index] * a
            cute.arch.fence_proxy("async.shared", space="cta")
            cute.arch.barrier(barrier_id=1, number_of_threads=96)
            if warp_ == 0:
                # A copy to shared memory has one issuer by itself; one from it is issued by each thread.
                with cute.arch.elect_one():
                    cute.copy(store, sent[None, state.index], target[None, k])
                cute.arch.cp_async_bulk_commit_group()
                cute.arch.cp_async_bulk_wait_group(0, read=True)
            cute.arch.barrier(barrier_id=1, number_of_threads=96)
            pipe.consumer_release(state)
            state.advance()


@cute.jit
def ring_host(x: cute.Tensor, y: cute.Tensor, a: cutlass.Float32):
    layout = cute.make_layout((TM, TN, STAGES), stride=(TN, 1, TM * TN))
    one = cute.make_layout((TM, TN), stride=(TN, 1))
    load, from_x = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), x, one, (TM, TN))
    store, to_y = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileS2GOp(), y, one, (TM, TN))
    ring_kernel(load, from_x, store, to_y, a, layout).launch(
        grid=[cute.ceil_div(cute.size(x, mode=[0]), TM), 1, 1], block=[128, 1, 1])


def ring_case(rows, columns):
    x = random(4, rows, columns)
    tensor = fake(cutlass.Float32, rows, columns)
    return compile_host(ring_host, (tensor, tensor, cutlass.Float32(3)),
                        [tensor_map("x", x, (TM, TN)), tensor_map("y", x * np.float32(3), (TM, TN), expects=True),
                         number("a", "f32", 3)], -(-rows // TM), 128, shared=128 + STAGES * TM * TN * 4)


@case
def ring():
    return ring_case(128, 256)


@case
def ring_with_tails():
    """Boxes reach outside of the tensor, and there are fewer steps than stages."""
    return ring_case(100, 60)


@cute.kernel
def wgmma_kernel(load_a: cute.CopyAtom, a: cute.Tensor, load_b: cute.CopyAtom, b: cute.Tensor, c: cute.Tensor,
                 mma: cute.TiledMma, layout_a: cute.ComposedLayout, layout_b: cute.ComposedLayout):
    tid = cute.arch.thread_idx()[0]
    row, column, _ = cute.arch.block_idx()
    warp_ = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    shared = utils.SmemAllocator()
    barriers = shared.allocate_array(cutlass.Int64, 2 * STAGES)
    tiles_a = shared.allocate_tensor(cutlass.Float16, layout_a.outer, 1024, layout_a.inner)
    tiles_b = shared.allocate_tensor(cutlass.Float16, layout_b.outer, 1024, layout_b.inner)
    pipe = pipeline.PipelineTmaAsync.create(
        barrier_storage=barriers, num_stages=STAGES, producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 4), tx_count=2 * 64 * 64 * 2,
        cta_layout_vmnk=cute.make_layout((1, 1, 1, 1)))
    from_a = cute.local_tile(a, (64, 64), (row, None))
    from_b = cute.local_tile(b, (64, 64), (column, None))
    to_c = cute.local_tile(c, (64, 64), (row, column))
    ring_a, source_a = cpasync.tma_partition(load_a, 0, cute.make_layout(1), cute.group_modes(tiles_a, 0, 2),
                                             cute.group_modes(from_a, 0, 2))
    ring_b, source_b = cpasync.tma_partition(load_b, 0, cute.make_layout(1), cute.group_modes(tiles_b, 0, 2),
                                             cute.group_modes(from_b, 0, 2))
    mine = mma.get_slice(tid)
    left = mma.make_fragment_A(mine.partition_A(tiles_a))
    right = mma.make_fragment_B(mine.partition_B(tiles_b))
    result = mine.partition_C(to_c)
    sums = cute.make_rmem_tensor(result.shape, cutlass.Float32)
    steps = cute.size(from_a, mode=[2])
    produced = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, STAGES)
    consumed = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
    if warp_ == 0:
        for k in cutlass.range(cutlass.min(STAGES, steps), unroll=1):
            pipe.producer_acquire(produced)
            barrier = pipe.producer_get_barrier(produced)
            cute.copy(load_a, source_a[None, k], ring_a[None, produced.index], tma_bar_ptr=barrier)
            cute.copy(load_b, source_b[None, k], ring_b[None, produced.index], tma_bar_ptr=barrier)
            produced.advance()
    mma.set(warpgroup.Field.ACCUMULATE, False)
    for k in cutlass.range(steps, unroll=1):
        pipe.consumer_wait(consumed)
        warpgroup.fence()
        for block in cutlass.range_constexpr(cute.size(left, mode=[2])):
            place = (None, None, block, consumed.index)
            cute.gemm(mma, sums, left[place], right[place], sums)
            mma.set(warpgroup.Field.ACCUMULATE, True)
        warpgroup.commit_group()
        warpgroup.wait_group(0)
        pipe.consumer_release(consumed)
        consumed.advance()
        if warp_ == 0 and produced.count < steps:
            pipe.producer_acquire(produced)
            barrier = pipe.producer_get_barrier(produced)
            cute.copy(load_a, source_a[None, produced.count], ring_a[None, produced.index], tma_bar_ptr=barrier)
            cute.copy(load_b, source_b[None, produced.count], ring_b[None, produced.index], tma_bar_ptr=barrier)
            produced.advance()
    cute.autovec_copy(sums, result)


@cute.jit
def wgmma_host(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    mma = cute.make_tiled_mma(warpgroup.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (64, 64, 16),
                                                     warpgroup.OperandSource.SMEM, warpgroup.OperandMajorMode.K,
                                                     warpgroup.OperandMajorMode.K))
    atom = warpgroup.make_smem_layout_atom(warpgroup.SmemLayoutAtomKind.K_SW128, cutlass.Float16)
    staged = cute.tile_to_shape(atom, (64, 64, STAGES), order=(0, 1, 2))
    one = cute.slice_(staged, (None, None, 0))
    load_a, from_a = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), a, one, (64, 64))
    load_b, from_b = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), b, one, (64, 64))
    wgmma_kernel(load_a, from_a, load_b, from_b, c, mma, staged, staged).launch(
        grid=[cute.size(a, mode=[0]) // 64, cute.size(b, mode=[0]) // 64, 1], block=[128, 1, 1])


@case
def matmul_wgmma_ring():
    m, n, k = 128, 64, 320
    a, b = random(5, m, k, dtype=np.float16), random(6, n, k, dtype=np.float16)
    want = (a.astype(np.float64) @ b.astype(np.float64).T).astype(np.float32)
    made = compile_host(wgmma_host, (fake(cutlass.Float16, m, k), fake(cutlass.Float16, n, k), fake(cutlass.Float32, m, n)),
                        [tensor_map("a", a, (64, 64), "b128"), tensor_map("b", b, (64, 64), "b128"), output("c", want),
                         number("mma", "i8", 0)],
                        (m // 64, n // 64), 128, shared=1024 + 2 * STAGES * 64 * 64 * 2)
    return made.about(rtol=1e-5, atol=k * 2**-22)


@cute.kernel
def mma_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, mma: cute.TiledMma):
    tid = cute.arch.thread_idx()[0]
    mine = mma.get_slice(tid)
    left, right, result = mine.partition_A(a), mine.partition_B(b), mine.partition_C(c)
    in_a, in_b = mma.make_fragment_A(left), mma.make_fragment_B(right)
    sums = mma.make_fragment_C(result)
    sums.fill(0)
    cute.autovec_copy(left, in_a)
    cute.autovec_copy(right, in_b)
    for k in cutlass.range_constexpr(cute.size(in_a, mode=[2])):
        cute.gemm(mma, sums, in_a[None, None, k], in_b[None, None, k], sums)
    cute.autovec_copy(sums, result)


@cute.jit
def mma_host(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    mma = cute.make_tiled_mma(warp.MmaF16BF16Op(cutlass.BFloat16, cutlass.Float32, (16, 8, 16)),
                              cute.make_layout((2, 2, 1)))
    mma_kernel(a, b, c, mma).launch(grid=[1, 1, 1], block=[128, 1, 1])


@case
def matmul_mma():
    import ml_dtypes
    a, b = random(7, 64, 48, dtype=ml_dtypes.bfloat16), random(8, 32, 48, dtype=ml_dtypes.bfloat16)
    want = (a.astype(np.float64) @ b.astype(np.float64).T).astype(np.float32)
    made = compile_host(mma_host, (fake(cutlass.BFloat16, 64, 48), fake(cutlass.BFloat16, 32, 48), fake(cutlass.Float32, 64, 32)),
                        [memory("a", a), memory("b", b), output("c", want)], 1, 128)
    return made.about(rtol=1e-5, atol=48 * 2**-22)


@cute.kernel
def async_kernel(x: cute.Tensor, y: cute.Tensor, copy: cute.TiledCopy, layout: cute.Layout):
    tid, block = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
    shared = utils.SmemAllocator().allocate_tensor(cutlass.Float32, layout, 16)
    mine = copy.get_slice(tid)
    source = mine.partition_S(cute.local_tile(x, (512,), (None,)))
    target = mine.partition_D(shared)
    steps = cute.size(source, mode=[2])
    for k in cutlass.range_constexpr(2):
        if k < steps:
            cute.copy(copy, source[None, None, k], target[None, None, k])
        cute.arch.cp_async_commit_group()
    for k in cutlass.range(steps, unroll=1):
        cute.arch.cp_async_wait_group(1)
        cute.arch.sync_threads()
        for i in cutlass.range_constexpr(4):
            y[k * 512 + tid + i * 128] = shared[tid + i * 128, k % 3] + 1.0
        if k + 2 < steps:
            cute.copy(copy, source[None, None, k + 2], target[None, None, (k + 2) % 3])
        cute.arch.cp_async_commit_group()


@cute.jit
def async_host(x: cute.Tensor, y: cute.Tensor):
    atom = cute.make_copy_atom(cpasync.CopyG2SOp(), cutlass.Float32, num_bits_per_copy=128)
    copy = cute.make_tiled_copy_tv(atom, cute.make_layout(128), cute.make_layout(4))
    async_kernel(x, y, copy, cute.make_layout((512, 3))).launch(grid=[1, 1, 1], block=[128, 1, 1])


@case
def cp_async_ring():
    x = random(9, 512 * 7)
    tensor = fake(cutlass.Float32, 512 * 7)
    return compile_host(async_host, (tensor, tensor), [memory("x", x), output("y", x + np.float32(1))], 1, 128,
                        shared=3 * 512 * 4)


if __name__ == "__main__":
    main()
