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
  let summary = "copy bytes from global to shared memory; completes on an mbarrier";
  let description = [{
    One thread issues it. `size` consecutive bytes go from the source element on to the
    destination element on, in the async proxy; each landing byte lowers the barrier's
    pending transaction bytes. The waiter of the phase sees them without a fence.

    With a destination in the CTA's own memory the copy is one to `shared::cta` (PTX 8.6; a
    `shared::cluster` copy of the same meaning before that). `multicast` sends it to the
    same offset in every CTA of the cluster whose bit in the 16-bit mask is set, and signals
    each one's barrier. A destination in another CTA has its barrier in the same CTA.

    Constraints: the size is a multiple of 16 bytes and at least 16 (C40), it fits in the
    buffers where their size is known (C41), the innermost dimension is contiguous (C42);
    multicast takes a destination in the CTA's own memory (C43); destination and barrier
    are both local or both remote (C44).

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
  let summary = "copy bytes from shared to global memory; completes in a bulk group";
  let description = [{
    Reads the source through the async proxy: what ordinary stores wrote needs a
    `fence.proxy` by the writers and a barrier before. Belongs to the next bulk group that
    this thread commits. Bit i of `byte_mask` says whether byte i of each 16 is written.

    Constraints: the size is a multiple of 16 bytes and at least 16 (C40), it fits in the
    buffers where their size is known (C41), the innermost dimension is contiguous (C42).

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
  let summary = "copy bytes from this CTA's shared memory to another's; completes on its mbarrier";
  let description = [{
    The destination and the barrier lie in the same CTA of the cluster.

    Constraints: the size is a multiple of 16 bytes and at least 16 (C40), it fits in the
    buffers where their size is known (C41), the innermost dimension is contiguous (C42).

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
  let summary = "reduce bytes of shared memory into global memory; completes in a bulk group";
  let description = [{
    Each element of the destination becomes `kind(destination, source)`, atomically and
    relaxed at gpu scope. Exactly one thread issues it: a second issue counts twice. f16 and
    bf16 additions keep subnormals (`noftz`).

    Constraints: the kind has the type (C45); the element types of the memrefs have the
    reduction's width and kind (C46); size, room and contiguity as `bulk.store` (C40, C41,
    C42).

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
  let summary = "reduce bytes of shared memory into another CTA's; completes on its mbarrier";
  let description = [{
    As `bulk.reduce`, into the cluster's window. The destination and the barrier lie in the
    same CTA.

    Constraints: the kind has the type in shared memory (C45); element types (C46); size,
    room and contiguity (C40, C41, C42).

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
  let summary = "bring bytes of global memory into L2";
  let description = [{
    A hint: nothing completes and nothing is waited for.

    Constraints: size, room and contiguity as `bulk.load` (C40, C41, C42).

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
  let summary = "close the bulk group of what this thread has issued since the last commit";
  let description = [{
    Groups belong to the thread that commits them. A group without transfers is complete.

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
  let summary = "wait until at most `pending` of this thread's newest bulk groups are open";
  let description = [{
    `complete`: the groups waited for have read and written everything, and
    this thread sees it. `read`: they have read their sources, which may be overwritten; their
    writes may still be under way. Other threads learn of either by a barrier after the wait.

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
  let summary = "store a value to another CTA's shared memory; completes on its mbarrier";
  let description = [{
    A weak store in the generic proxy of 4 or 8 bytes, or of a vector of 2 or 4 such values.
    The bytes count as transaction bytes of the barrier, which lies in the same CTA as the
    destination.

    Constraints: the value is i32, i64, f32 or f64, or a vector of 2 or 4 of them (of 2 if
    8 bytes wide) (C48), and the memref's element type is that of the value (C49).

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
    Ordered after everything that this thread did before, at the given scope. `mmio`
    preserves the number of accesses.

    Constraints: the value is an integer of 8 to 64 bits, f32 or f64 (C48), and the memref's
    element type is that of the value (C49); the scope is gpu or sys (C6).

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
  let summary = "reduce a value into another CTA's shared memory; completes on its mbarrier";
  let description = [{
    Relaxed at cluster scope. Exactly one thread issues it.

    Constraints: the kind has the type (C45); the value and the memref's element are
    integers of its width (C46).

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
    Ordered after everything that this thread did before, at the given scope.

    Constraints: the type is u32, s32, u64 or s64 (C45); the value and the memref's element
    are integers of its width (C46); the scope is gpu or sys (C6).

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
