//===- CarouselCpAsyncOps.td - cp_async.*, caches ----------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The per-thread asynchronous copies of sm_80, cache policies and prefetches.
// PTX ISA: Data Movement and Conversion Instructions: Non-bulk copy; createpolicy; prefetch.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELCPASYNCOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELCPASYNCOPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"

def Carousel_CpAsyncCopyOp
    : Carousel_Op<"cp_async.copy", [AttrSizedOperandSegments, JoinsCpAsyncGroup]> {
  let summary = "copy 4, 8 or 16 bytes per thread from global to shared memory";
  let description = [{
    Each thread that executes the op makes a copy of its own. The copy is a weak access through the
    generic proxy, and it is performed later. The thread waits for it through the cp.async group
    that it commits next, or through the arrive that `cp_async.mbarrier_arrive` triggers.

    - `ca` caches in all levels. `cg` bypasses L1.
    - `valid`: the number of bytes that are copied from the source. The remaining bytes become zero.
    - `ignore`: if true, all bytes become zero, and the source isn't read.
    - `l2_prefetch`: the number of bytes around the source that the hardware may prefetch into L2.
    - `cache`: a cache policy.

    Constraints:

    - The size is 4, 8 or 16 bytes (C80), and 16 with `cg` (C81).
    - `valid` and `ignore` exclude each other (C82).
    - `l2_prefetch` is 64, 128 or 256 bytes (C83).
    - The bytes fit in the buffers if their size is known (C41).
    - The innermost dimension is contiguous, unless the copy is of one element (C42).

    Example:

    ```mlir
    carousel.cp_async.copy cg %x[%i] to %tile[%slot, %j], 16 valid %n
        : memref<?xf32, #gpu.address_space<global>>,
          memref<4x1024xf32, #gpu.address_space<workgroup>>
    ```

    PTX ISA: cp.async.
  }];
  let arguments = (ins Carousel_CpAsyncCacheAttr:$cache,
    Arg<Carousel_GlobalMemRef, "source", [MemRead<GlobalMemory>]>:$source,
    Variadic<Index>:$source_indices,
    Arg<Carousel_SharedMemRef, "destination", [MemWrite<SharedMemory>]>:$destination,
    Variadic<Index>:$destination_indices, I32Attr:$size,
    Optional<I32>:$valid, Optional<I1>:$ignore, OptionalAttr<I32Attr>:$l2_prefetch,
    Carousel_CachePolicy:$cache_policy);
  let assemblyFormat = [{
    custom<Keyword>($cache) $source `[` $source_indices `]` `to` $destination `[`
    $destination_indices `]` `,`
    $size (`valid` $valid^)? (`ignore` $ignore^)? (`l2_prefetch` `(` $l2_prefetch^ `)`)?
    (`cache` $cache_policy^)? attr-dict `:` type($source) `,` type($destination)
  }];
  let hasVerifier = 1;
}

def Carousel_CpAsyncCommitGroupOp : Carousel_FixedOp<"cp_async.commit_group", 80, 70,
    [MemoryEffects<[MemRead<CpAsyncGroups>, MemWrite<CpAsyncGroups>]>]> {
  let summary = "close this thread's current cp.async group";
  let description = [{
    The group contains the `cp_async.copy` ops that this thread has executed since its previous
    commit.

    Example:

    ```mlir
    carousel.cp_async.commit_group
    ```

    PTX ISA: cp.async.commit_group.
  }];
  let assemblyFormat = "attr-dict";
}

class Carousel_CpAsyncWaitBase<string mnemonic> : Carousel_FixedOp<mnemonic, 80, 70,
    [JoinsCpAsyncGroup, OrdersShared, OrdersGlobal]>;

def Carousel_CpAsyncWaitGroupOp : Carousel_CpAsyncWaitBase<"cp_async.wait_group"> {
  let summary = "wait until at most `pending` of this thread's cp.async groups are incomplete";
  let description = [{
    Waits for all cp.async groups of this thread except the `pending` newest. Afterwards this thread
    sees what these groups wrote. Other threads see it after a barrier that follows the wait.

    Constraints: `pending` is not negative (C47).

    Example:

    ```mlir
    carousel.cp_async.wait_group 2
    ```

    PTX ISA: cp.async.wait_group.
  }];
  // C47
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Carousel_CpAsyncWaitAllOp : Carousel_CpAsyncWaitBase<"cp_async.wait_all"> {
  let summary = "wait for all cp.async copies of this thread, committed or not";
  let description = [{
    Afterwards this thread sees what the copies wrote. Other threads see it after a barrier that
    follows the wait.

    Example:

    ```mlir
    carousel.cp_async.wait_all
    ```

    PTX ISA: cp.async.wait_all.
  }];
  let assemblyFormat = "attr-dict";
}

def Carousel_CpAsyncMbarrierArriveOp : Carousel_FixedOp<"cp_async.mbarrier_arrive", 80, 70,
    [JoinsCpAsyncGroup, OrdersShared, OrdersGlobal]> {
  let summary = "arrive on an mbarrier after this thread's earlier cp.async copies are complete";
  let description = [{
    The op doesn't block: the hardware makes the arrive when the copies are complete.

    Without `noinc` the op first raises the pending arrivals of the current phase by one, so that
    the arrive leaves them unchanged. With `noinc` the count of `mbarrier.init` must include the
    arrive.

    Example:

    ```mlir
    carousel.cp_async.mbarrier_arrive %full[%slot] noinc
        : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
    ```

    PTX ISA: cp.async.mbarrier.arrive.
  }];
  let arguments = (ins
    Arg<Carousel_MbarrierMemRef, "the barriers", [MemRead<Barriers>, MemWrite<Barriers>]>:$barriers,
    Variadic<Index>:$indices, UnitAttr:$noinc);
  let assemblyFormat =
      "$barriers `[` $indices `]` (`noinc` $noinc^)? attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Cache policies and prefetches
//===----------------------------------------------------------------------===//

def Carousel_CachePolicyFractionalOp
    : Carousel_FixedOp<"cache_policy.fractional", 80, 74, [Pure]> {
  let summary = "make a cache policy that gives a fraction of accesses one priority";
  let description = [{
    The result is a 64-bit policy, which copies take as `cache`. `fraction` of the accesses have the
    first priority, and the others have the priority after `otherwise`. By default all accesses have
    the first priority, and the others are `evict_unchanged`.

    Constraints: the fraction is above 0 and at most 1 (C84). The other priority is evict_first or
    evict_unchanged (C85).

    Example:

    ```mlir
    %policy = carousel.cache_policy.fractional evict_last otherwise evict_unchanged fraction(0.25)
    ```

    PTX ISA: createpolicy.fractional.
  }];
  let arguments = (ins Carousel_EvictPriorityAttr:$priority,
    OptionalAttr<Carousel_EvictPriorityAttr>:$otherwise, OptionalAttr<F32Attr>:$fraction);
  let results = (outs I64:$policy);
  let assemblyFormat = [{
    custom<Keyword>($priority) (`otherwise` custom<Keyword>($otherwise)^)? (`fraction` `(`
    $fraction^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Carousel_CachePolicyRangeOp : Carousel_FixedOp<"cache_policy.range", 80, 74, [Pure]> {
  let summary = "make a cache policy that gives an address range one priority, the rest another";
  let description = [{
    The result is a 64-bit policy, which copies take as `cache`. The range starts at the element.
    Its first `primary` bytes have the first priority. The remaining bytes, up to `total`, have the
    priority after `otherwise`.

    Constraints: the other priority is evict_first or evict_unchanged (C85).

    Example:

    ```mlir
    %policy = carousel.cache_policy.range evict_last otherwise evict_first %x[%i], %primary, %total
        : memref<?xf32, #gpu.address_space<global>>
    ```

    PTX ISA: createpolicy.range.
  }];
  let arguments = (ins Carousel_EvictPriorityAttr:$priority,
    OptionalAttr<Carousel_EvictPriorityAttr>:$otherwise, Carousel_GlobalMemRef:$base,
    Variadic<Index>:$indices, I32:$primary, I32:$total);
  let results = (outs I64:$policy);
  let assemblyFormat = [{
    custom<Keyword>($priority) (`otherwise` custom<Keyword>($otherwise)^)? $base `[` $indices `]`
    `,` $primary `,` $total
    attr-dict `:` type($base)
  }];
  let hasVerifier = 1;
}

def Carousel_CachePolicyConvertOp : Carousel_FixedOp<"cache_policy.convert", 80, 74, [Pure]> {
  let summary = "make a cache policy from a CUDA access property";
  let description = [{
    The operand is a `cuda::access_property` as 64 bits. The result is a policy, which copies take
    as `cache`.

    Example:

    ```mlir
    %policy = carousel.cache_policy.convert %property
    ```

    PTX ISA: createpolicy.cvt.
  }];
  let arguments = (ins I64:$property);
  let results = (outs I64:$policy);
  let assemblyFormat = "$property attr-dict";
}

def Carousel_PrefetchOp : Carousel_Op<"prefetch", [FillsCaches]> {
  let summary = "prefetch a cache line of global or local memory";
  let description = [{
    The op is a hint, and has no completion that a thread can wait for.

    - `l1`, `l2`: the cache to fill.
    - `l2_evict_last`, `l2_evict_normal`: L2, with that eviction priority for the line.
    - `uniform_l1`: the uniform cache.

    A memref in local memory has the space `#nvvm.memory_space<local>`.

    Constraints: a prefetch of local memory is to l1 or l2 (C79).

    Example:

    ```mlir
    carousel.prefetch l2 %x[%i] : memref<?xf32, #gpu.address_space<global>>
    ```

    PTX ISA: prefetch, prefetchu.
  }];
  let arguments = (ins Carousel_PrefetchLevelAttr:$level,
    Arg<Carousel_GlobalOrLocalMemRef, "source", [MemRead<GlobalMemory>]>:$source,
    Variadic<Index>:$indices);
  let assemblyFormat =
      "custom<Keyword>($level) $source `[` $indices `]` attr-dict `:` type($source)";
  let hasVerifier = 1;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELCPASYNCOPS_TD
