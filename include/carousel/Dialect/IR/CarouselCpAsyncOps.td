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
  let summary = "each thread copies 4, 8 or 16 bytes from global to shared memory";
  let description = [{
    A weak generic access that happens later: before the end of the cp.async group that
    this thread commits next, or before the arrive that `cp_async.mbarrier_arrive` triggers.
    `valid` says how many of the bytes come from the source, the rest are zero; `ignore`
    makes all of them zero when true.

    Constraints: 4, 8 or 16 bytes (C80); cg, which bypasses L1, copies 16 (C81); `valid`
    and `ignore` exclude each other (C82); `l2_prefetch` is 64, 128 or 256 bytes (C83); the
    bytes fit in the buffers where their size is known (C41).

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
  let summary = "close the cp.async group of what this thread has issued since the last commit";
  let description = [{
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
  let summary = "wait until at most `pending` of this thread's newest cp.async groups are open";
  let description = [{
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
  let summary = "wait for every cp.async of this thread, committed or not";
  let description = [{
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
  let summary = "arrive on an mbarrier once this thread's earlier cp.async copies have landed";
  let description = [{
    Without `noinc` the pending arrivals are first raised by one, so that the arrive is
    neutral; with it the arrive has to be counted in `mbarrier.init`.

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
  let summary = "a policy that gives a fraction of accesses one priority and the rest another";
  let description = [{
    Constraints: the fraction is above 0 and at most 1 (C84); the other priority is
    evict_first or evict_unchanged (C85).

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
  let summary = "a policy by address range";
  let description = [{
    The first `primary` bytes from the element on have one priority, the rest of the `total`
    bytes the other.

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
  let summary = "a policy from a CUDA access property";
  let description = [{
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
  let summary = "bring a cache line of global or local memory into a cache";
  let description = [{
    A hint. `uniform_l1` is the uniform cache; the l2_evict levels set the line's priority. A
    memref in local memory has the space `#nvvm.memory_space<local>`.

    Constraints: local memory is brought into l1 or l2 (C79).

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
