//===- CarouselBulkOps.td - bulk.*, st_async, red_async ----*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bulk copies and reductions of consecutive bytes, bulk groups, and the asynchronous
// stores and reductions of single values.
// PTX ISA: Data Movement and Conversion Instructions: Asynchronous copy.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELBULKOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELBULKOPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"

def Carousel_BulkLoadOp : Carousel_Op<"bulk.load", [AttrSizedOperandSegments]> {
  let summary = "copy bytes from global to shared memory; complete on an mbarrier";
  let description = [{
    Copies `size` consecutive bytes, from the source element onward to the destination element
    onward. One thread issues the copy, which runs asynchronously in the async proxy. Bytes that
    have been written lower the pending transaction bytes of the barrier's current phase. A thread
    that waits for this phase sees the bytes without a fence.

    A destination in the CTA's own memory gives a copy to `shared::cta`, or before PTX 8.6 an
    equivalent copy to `shared::cluster`. If the destination lies in another CTA of the cluster, the
    barrier lies in the same CTA.

    `multicast` takes a 16-bit mask of CTAs in the cluster. The copy writes the same offset in each
    CTA whose bit is set, and signals the barrier at the same offset in that CTA. `cache` takes a
    cache policy.

    Constraints:

    - The size is a multiple of 16 bytes and at least 16 (C40).
    - It fits in the buffers if their size is known (C41).
    - The innermost dimension is contiguous (C42).
    - A multicast has a destination in the CTA's own memory (C43).
    - Destination and barrier are both in the CTA's own memory, or both in the cluster's window
      (C44).

    Example:

    ```mlir
    carousel.bulk.load %x[%i] to %tile[%slot, %c0], 8192 signals %full[%slot]
        : memref<?xf32, #gpu.address_space<global>>,
          memref<4x2048xf32, #gpu.address_space<workgroup>>,
          memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
    ```

    PTX ISA: cp.async.bulk.
  }];
  let arguments = (ins
    Arg<Carousel_GlobalMemRef, "source", [MemRead<GlobalMemory>]>:$source,
    Variadic<Index>:$source_indices,
    Arg<Carousel_AnySharedMemRef, "destination", [MemWrite<SharedMemory>]>:$destination,
    Variadic<Index>:$destination_indices,
    Optional<I32>:$size, Carousel_I32Literal:$static_size,
    Arg<Carousel_AnyMbarrierMemRef, "barriers", [MemRead<Barriers>, MemWrite<Barriers>]>:$barriers,
    Variadic<Index>:$barrier_indices,
    Optional<I16>:$multicast_mask, Carousel_CachePolicy:$cache_policy);
  let assemblyFormat = [{
    $source `[` $source_indices `]` `to` $destination `[` $destination_indices `]` `,`
    custom<I32>($size, $static_size) `signals` $barriers `[` $barrier_indices `]`
    (`multicast` $multicast_mask^)? (`cache` $cache_policy^)? attr-dict
    `:` type($source) `,` type($destination) `,` type($barriers)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Carousel_BulkStoreOp : Carousel_Op<"bulk.store", [AttrSizedOperandSegments, JoinsBulkGroup]> {
  let summary = "copy bytes from shared to global memory; complete in a bulk group";
  let description = [{
    Copies `size` consecutive bytes, from the source element onward to the destination element
    onward. One thread issues the copy, which belongs to the bulk group that this thread commits
    next.

    The copy reads the source through the async proxy. Threads that wrote the source with ordinary
    stores must execute a `fence.proxy`, followed by a barrier, before the copy is issued.

    Bit i of the 16-bit `mask` says whether the copy writes byte i of each 16 bytes. Without `mask`
    it writes all of them. `cache` takes a cache policy.

    Constraints: the size is a multiple of 16 bytes and at least 16 (C40). It fits in the buffers if
    their size is known (C41). The innermost dimension is contiguous (C42).

    Example:

    ```mlir
    carousel.bulk.store %tile[%slot, %c0] to %y[%i], 8192
        : memref<4x2048xf32, #gpu.address_space<workgroup>>,
          memref<?xf32, #gpu.address_space<global>>
    ```

    PTX ISA: cp.async.bulk.
  }];
  let arguments = (ins
    Arg<Carousel_SharedMemRef, "source", [MemRead<SharedMemory>]>:$source,
    Variadic<Index>:$source_indices,
    Arg<Carousel_GlobalMemRef, "destination", [MemWrite<GlobalMemory>]>:$destination,
    Variadic<Index>:$destination_indices,
    Optional<I32>:$size, Carousel_I32Literal:$static_size,
    Optional<I16>:$byte_mask, Carousel_CachePolicy:$cache_policy);
  let assemblyFormat = [{
    $source `[` $source_indices `]` `to` $destination `[` $destination_indices `]` `,`
    custom<I32>($size, $static_size) (`mask` $byte_mask^)? (`cache` $cache_policy^)? attr-dict
    `:` type($source) `,` type($destination)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Carousel_BulkCopyClusterOp
    : Carousel_FixedOp<"bulk.copy_cluster", 90, 80, [AttrSizedOperandSegments]> {
  let summary = "copy bytes of shared memory to another CTA's; complete on an mbarrier";
  let description = [{
    Copies `size` consecutive bytes to another CTA of the cluster. One thread issues the copy, which
    reads through the async proxy, as `bulk.store` does. The destination and the barrier lie in the
    same CTA. Bytes that have been written lower the pending transaction bytes of the barrier's
    current phase.

    Constraints: the size is a multiple of 16 bytes and at least 16 (C40). It fits in the buffers if
    their size is known (C41). The innermost dimension is contiguous (C42).

    Example:

    ```mlir
    carousel.bulk.copy_cluster %tile[%c0] to %peer[%c0], 4096 signals %peer_full[%slot]
        : memref<1024xf32, #gpu.address_space<workgroup>>,
          memref<1024xf32, #nvvm.memory_space<shared_cluster>>,
          memref<4x!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>
    ```

    PTX ISA: cp.async.bulk.
  }];
  let arguments = (ins
    Arg<Carousel_SharedMemRef, "source", [MemRead<SharedMemory>]>:$source,
    Variadic<Index>:$source_indices,
    Arg<Carousel_ClusterMemRef, "destination", [MemWrite<SharedMemory>]>:$destination,
    Variadic<Index>:$destination_indices,
    Optional<I32>:$size, Carousel_I32Literal:$static_size,
    Arg<Carousel_ClusterMbarrierMemRef, "barriers", [MemRead<Barriers>,
        MemWrite<Barriers>]>:$barriers,
    Variadic<Index>:$barrier_indices);
  let assemblyFormat = [{
    $source `[` $source_indices `]` `to` $destination `[` $destination_indices `]` `,`
    custom<I32>($size, $static_size) `signals` $barriers `[` $barrier_indices `]` attr-dict
    `:` type($source) `,` type($destination) `,` type($barriers)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Carousel_BulkReduceOp
    : Carousel_FixedOp<"bulk.reduce", 90, 80, [AttrSizedOperandSegments, JoinsBulkGroup]> {
  let summary = "reduce bytes of shared memory into global memory; complete in a bulk group";
  let description = [{
    Replaces each element of the destination with `kind(destination, source)`, over `size` bytes.
    Each element's update is atomic, and relaxed at gpu scope. Additions of f16 and bf16 keep
    subnormals (`noftz`).

    Exactly one thread must issue the op: each issue reduces the source once more. The reduction
    belongs to the bulk group that this thread commits next. It reads the source through the async
    proxy, as `bulk.store` does. `cache` takes a cache policy.

    Constraints:

    - The hardware has the kind for the type (C45).
    - The memrefs' elements hold the reduction's type (C46).
    - Size, room and contiguity are as for `bulk.store` (C40, C41, C42).

    Example:

    ```mlir
    carousel.bulk.reduce add f32 %tile[%c0] to %sum[%i], 4096
        : memref<1024xf32, #gpu.address_space<workgroup>>,
          memref<?xf32, #gpu.address_space<global>>
    ```

    PTX ISA: cp.reduce.async.bulk.
  }];
  let arguments = (ins
    Carousel_ReduceKindAttr:$kind, Carousel_ReduceTypeAttr:$type,
    Arg<Carousel_SharedMemRef, "source", [MemRead<SharedMemory>]>:$source,
    Variadic<Index>:$source_indices,
    Arg<Carousel_GlobalMemRef, "destination", [MemRead<GlobalMemory>,
        MemWrite<GlobalMemory>]>:$destination,
    Variadic<Index>:$destination_indices,
    Optional<I32>:$size, Carousel_I32Literal:$static_size, Carousel_CachePolicy:$cache_policy);
  let assemblyFormat = [{
    custom<Keyword>($kind) custom<Keyword>($type) $source `[` $source_indices `]` `to` $destination
    `[` $destination_indices `]`
    `,` custom<I32>($size, $static_size) (`cache` $cache_policy^)? attr-dict
    `:` type($source) `,` type($destination)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Carousel_BulkReduceClusterOp
    : Carousel_FixedOp<"bulk.reduce_cluster", 90, 80, [AttrSizedOperandSegments]> {
  let summary = "reduce bytes of shared memory into another CTA's; complete on an mbarrier";
  let description = [{
    As `bulk.reduce`, into the shared memory of another CTA of the cluster. The destination and the
    barrier lie in the same CTA. Bytes that have been reduced lower the pending transaction bytes of
    the barrier's current phase.

    Constraints:

    - The hardware has the kind for the type in shared memory (C45).
    - The memrefs' elements hold the reduction's type (C46).
    - Size, room and contiguity are as for `bulk.store` (C40, C41, C42).

    Example:

    ```mlir
    carousel.bulk.reduce_cluster add u32 %tile[%c0] to %peer[%c0], 4096 signals %peer_full[%slot]
        : memref<1024xi32, #gpu.address_space<workgroup>>,
          memref<1024xi32, #nvvm.memory_space<shared_cluster>>,
          memref<4x!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>
    ```

    PTX ISA: cp.reduce.async.bulk.
  }];
  let arguments = (ins
    Carousel_ReduceKindAttr:$kind, Carousel_ReduceTypeAttr:$type,
    Arg<Carousel_SharedMemRef, "source", [MemRead<SharedMemory>]>:$source,
    Variadic<Index>:$source_indices,
    Arg<Carousel_ClusterMemRef, "destination", [MemRead<SharedMemory>,
        MemWrite<SharedMemory>]>:$destination,
    Variadic<Index>:$destination_indices,
    Optional<I32>:$size, Carousel_I32Literal:$static_size,
    Arg<Carousel_ClusterMbarrierMemRef, "barriers", [MemRead<Barriers>,
        MemWrite<Barriers>]>:$barriers,
    Variadic<Index>:$barrier_indices);
  let assemblyFormat = [{
    custom<Keyword>($kind) custom<Keyword>($type) $source `[` $source_indices `]` `to` $destination
    `[` $destination_indices `]`
    `,` custom<I32>($size, $static_size) `signals` $barriers `[` $barrier_indices `]` attr-dict
    `:` type($source) `,` type($destination) `,` type($barriers)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Carousel_BulkPrefetchOp
    : Carousel_FixedOp<"bulk.prefetch", 90, 80, [AttrSizedOperandSegments, FillsCaches]> {
  let summary = "prefetch bytes of global memory into L2";
  let description = [{
    Asks the hardware to fetch `size` consecutive bytes into L2, from the source element onward. The
    op is a hint: it has no completion that a thread can wait for.

    Constraints: size, room and contiguity are as for `bulk.load` (C40, C41, C42).

    Example:

    ```mlir
    carousel.bulk.prefetch %x[%i], 8192 : memref<?xf32, #gpu.address_space<global>>
    ```

    PTX ISA: cp.async.bulk.prefetch.
  }];
  let arguments = (ins
    Arg<Carousel_GlobalMemRef, "source", [MemRead<GlobalMemory>]>:$source,
    Variadic<Index>:$source_indices, Optional<I32>:$size, Carousel_I32Literal:$static_size,
    Carousel_CachePolicy:$cache_policy);
  let assemblyFormat = [{
    $source `[` $source_indices `]` `,` custom<I32>($size, $static_size)
    (`cache` $cache_policy^)? attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Carousel_BulkCommitGroupOp : Carousel_FixedOp<"bulk.commit_group", 90, 80,
    [MemoryEffects<[MemRead<BulkGroups>, MemWrite<BulkGroups>]>]> {
  let summary = "close this thread's current bulk group";
  let description = [{
    The group contains the bulk copies and reductions that this thread has issued since its previous
    commit. Groups belong to the thread that commits them. A group without any copy is complete at
    once.

    Example:

    ```mlir
    carousel.bulk.commit_group
    ```

    PTX ISA: cp.async.bulk.commit_group.
  }];
  let assemblyFormat = "attr-dict";
}

def Carousel_BulkWaitGroupOp : Carousel_FixedOp<"bulk.wait_group", 90, 80, [MemoryEffects<[
    MemRead<BulkGroups>, MemWrite<BulkGroups>, MemRead<SharedMemory>, MemWrite<SharedMemory>,
    MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>]> {
  let summary = "wait until at most `pending` of this thread's bulk groups are incomplete";
  let description = [{
    Waits for all bulk groups of this thread except the `pending` newest.

    - `complete`: the groups have read their sources and written their destinations, and this thread
      sees the writes.
    - `read`: the groups have read their sources, so that the thread may overwrite them. Their
      writes may still be in flight.

    Other threads learn of the completion through a barrier after the wait.

    Constraints: `pending` is not negative (C47).

    Example:

    ```mlir
    carousel.bulk.wait_group read 1
    ```

    PTX ISA: cp.async.bulk.wait_group.
  }];
  // C47
  let arguments = (ins
    Carousel_GroupWaitAttr:$until, ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "custom<Keyword>($until) $pending attr-dict";
}

//===----------------------------------------------------------------------===//
// Single values
//===----------------------------------------------------------------------===//

def Carousel_StAsyncOp : Carousel_FixedOp<"st_async", 90, 81, [AttrSizedOperandSegments]> {
  let summary = "store a value to another CTA's shared memory; complete on an mbarrier";
  let description = [{
    Stores 4 or 8 bytes, or a vector of 2 or 4 such values, to another CTA of the cluster. The store
    is weak, and made through the generic proxy. Its bytes lower the pending transaction bytes of
    the barrier, which lies in the same CTA as the destination.

    Constraints:

    - The value is an i32, i64, f32 or f64, or a vector of 2 of them, or of 4 with 32 bits each
      (C48).
    - The memref's element type is that of the value, or of its lanes (C49).

    Example:

    ```mlir
    carousel.st_async %v to %peer[%i] signals %peer_full[%slot]
        : f32, memref<64xf32, #nvvm.memory_space<shared_cluster>>,
          memref<4x!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>
    ```

    PTX ISA: st.async.
  }];
  let arguments = (ins AnyType:$value,
    Arg<Carousel_ClusterMemRef, "destination", [MemWrite<SharedMemory>]>:$destination,
    Variadic<Index>:$destination_indices,
    Arg<Carousel_ClusterMbarrierMemRef, "barriers", [MemRead<Barriers>,
        MemWrite<Barriers>]>:$barriers,
    Variadic<Index>:$barrier_indices);
  let assemblyFormat = [{
    $value `to` $destination `[` $destination_indices `]` `signals` $barriers
    `[` $barrier_indices `]` attr-dict `:` type($value) `,` type($destination) `,` type($barriers)
  }];
  let hasVerifier = 1;
}

def Carousel_StAsyncGlobalOp : Carousel_FixedOp<"st_async_global", 100, 87, [OrdersMemory]> {
  let summary = "store a value to global memory asynchronously, with release semantics";
  let description = [{
    The store is ordered after all earlier memory accesses of this thread, at the given scope.
    `mmio` marks memory-mapped I/O: the hardware preserves the number of accesses.

    Constraints:

    - The value is an integer of 8 to 64 bits, f32 or f64 (C48).
    - The memref's element type is that of the value (C49).
    - The scope is gpu or sys (C6).

    Example:

    ```mlir
    carousel.st_async_global %v to %flags[%i] scope(gpu)
        : i32, memref<?xi32, #gpu.address_space<global>>
    ```

    PTX ISA: st.async.
  }];
  let arguments = (ins AnyType:$value,
    Arg<Carousel_GlobalMemRef, "destination", [MemWrite<GlobalMemory>]>:$destination,
    Variadic<Index>:$destination_indices, Carousel_DeviceScopeAttr:$scope, UnitAttr:$mmio);
  let assemblyFormat = [{
    $value `to` $destination `[` $destination_indices `]` `scope` `(` custom<Keyword>($scope) `)`
    (`mmio` $mmio^)?
    attr-dict `:` type($value) `,` type($destination)
  }];
  let hasVerifier = 1;
}

def Carousel_RedAsyncOp : Carousel_FixedOp<"red_async", 90, 81, [AttrSizedOperandSegments]> {
  let summary = "reduce a value into another CTA's shared memory; complete on an mbarrier";
  let description = [{
    Replaces the destination element with `kind(destination, value)`. The update is atomic, and
    relaxed at cluster scope. Exactly one thread must issue the op: each issue reduces the value
    once more. The bytes lower the pending transaction bytes of the barrier, which lies in the same
    CTA as the destination.

    Constraints: the hardware has the kind for the type (C45). The value and the memref's elements
    are integers of the type's width (C46).

    Example:

    ```mlir
    carousel.red_async add u32 %v to %peer[%i] signals %peer_full[%slot]
        : i32, memref<64xi32, #nvvm.memory_space<shared_cluster>>,
          memref<4x!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>
    ```

    PTX ISA: red.async.
  }];
  let arguments = (ins Carousel_ReduceKindAttr:$kind, Carousel_ReduceTypeAttr:$type,
    AnySignlessInteger:$value,
    Arg<Carousel_ClusterMemRef, "destination", [MemRead<SharedMemory>,
        MemWrite<SharedMemory>]>:$destination,
    Variadic<Index>:$destination_indices,
    Arg<Carousel_ClusterMbarrierMemRef, "barriers", [MemRead<Barriers>,
        MemWrite<Barriers>]>:$barriers,
    Variadic<Index>:$barrier_indices);
  let assemblyFormat = [{
    custom<Keyword>($kind) custom<Keyword>($type) $value `to` $destination `[` $destination_indices
    `]` `signals` $barriers
    `[` $barrier_indices `]` attr-dict `:` type($value) `,` type($destination) `,` type($barriers)
  }];
  let hasVerifier = 1;
}

def Carousel_RedAsyncGlobalOp : Carousel_FixedOp<"red_async_global", 100, 87, [OrdersMemory]> {
  let summary = "add a value to global memory asynchronously, with release semantics";
  let description = [{
    The addition is atomic, and ordered after all earlier memory accesses of this thread, at the
    given scope. `mmio` marks memory-mapped I/O: the hardware preserves the number of accesses.

    Constraints:

    - The type is u32, s32, u64 or s64 (C45).
    - The value and the memref's elements are integers of its width (C46).
    - The scope is gpu or sys (C6).

    Example:

    ```mlir
    carousel.red_async_global u32 %v to %count[%i] scope(gpu)
        : i32, memref<?xi32, #gpu.address_space<global>>
    ```

    PTX ISA: red.async.
  }];
  let arguments = (ins Carousel_ReduceTypeAttr:$type, AnySignlessInteger:$value,
    Arg<Carousel_GlobalMemRef, "destination", [MemRead<GlobalMemory>,
        MemWrite<GlobalMemory>]>:$destination,
    Variadic<Index>:$destination_indices, Carousel_DeviceScopeAttr:$scope, UnitAttr:$mmio);
  let assemblyFormat = [{
    custom<Keyword>($type) $value `to` $destination `[` $destination_indices `]` `scope` `(`
    custom<Keyword>($scope) `)`
    (`mmio` $mmio^)? attr-dict `:` type($value) `,` type($destination)
  }];
  let hasVerifier = 1;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELBULKOPS_TD
