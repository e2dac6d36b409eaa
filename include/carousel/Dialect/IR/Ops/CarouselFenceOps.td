//===- CarouselFenceOps.td - fences -------------------------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that order the memory accesses of threads and of proxies.
// PTX ISA: membar/fence.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELFENCEOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELFENCEOPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"

def Carousel_FenceThreadOp : Carousel_Op<"fence.thread", [OrdersMemoryAndBarriers]> {
  let summary = "order this thread's memory accesses through the generic proxy";
  let description = [{
    The fence doesn't order accesses through the async proxy.

    Constraints: the semantics are acquire, release, acq_rel or sc (C5).

    Example:

    ```mlir
    carousel.fence.thread acq_rel gpu
    ```

    PTX ISA: fence.
  }];
  let arguments = (ins Carousel_FenceSemanticsAttr:$semantics, Carousel_MemScopeAttr:$scope);
  let assemblyFormat = "custom<Keyword>($semantics) custom<Keyword>($scope) attr-dict";
}

def Carousel_FenceProxyOp : Carousel_Op<"fence.proxy", [OrdersMemoryAndBarriers]> {
  let summary = "order accesses through the generic proxy with accesses through another proxy";
  let description = [{
    `async` orders accesses to all state spaces. `async_global`, `async_shared_cta` and
    `async_shared_cluster` each order accesses to one. `alias` orders accesses to the same memory
    through different virtual addresses.

    Threads that wrote data for a copy through the async proxy execute the fence after their writes,
    and before the barrier that precedes the copy.

    Example:

    ```mlir
    carousel.fence.proxy async_shared_cta
    ```

    PTX ISA: fence.proxy.
  }];
  let arguments = (ins Carousel_ProxyKindAttr:$proxy);
  let assemblyFormat = "custom<Keyword>($proxy) attr-dict";
}

def Carousel_FenceMbarrierInitOp
    : Carousel_FixedOp<"fence.mbarrier_init", 90, 80, [OrdersBarriers]> {
  let summary = "make this thread's mbarrier.init visible to the cluster and the async proxy";
  let description = [{
    The fence has release semantics at cluster scope. It needs a CTA or cluster barrier after it.

    Example:

    ```mlir
    carousel.fence.mbarrier_init
    ```

    PTX ISA: fence.mbarrier_init.
  }];
  let assemblyFormat = "attr-dict";
}

def Carousel_FenceSyncRestrictOp
    : Carousel_FixedOp<"fence.sync_restrict", 90, 86, [OrdersMemoryAndBarriers]> {
  let summary = "order this thread's accesses to shared memory in one direction, at cluster scope";
  let description = [{
    `acquire` is limited to `shared::cluster`, and `release` to `shared::cta`.

    Constraints: the semantics are acquire or release (C4).

    Example:

    ```mlir
    carousel.fence.sync_restrict release
    ```

    PTX ISA: fence.sync_restrict.
  }];
  let arguments = (ins Carousel_OneWaySemanticsAttr:$semantics);
  let assemblyFormat = "custom<Keyword>($semantics) attr-dict";
}

def Carousel_FenceProxySyncRestrictOp
    : Carousel_FixedOp<"fence.proxy_sync_restrict", 90, 86, [OrdersMemoryAndBarriers]> {
  let summary = "order shared-memory accesses of the async and the generic proxy in one direction";
  let description = [{
    The fence has cluster scope. `acquire` is limited to `shared::cluster`, and `release` to
    `shared::cta`.

    Constraints: the semantics are acquire or release (C4).

    Example:

    ```mlir
    carousel.fence.proxy_sync_restrict acquire
    ```

    PTX ISA: fence.proxy.async::generic.sync_restrict.
  }];
  let arguments = (ins Carousel_OneWaySemanticsAttr:$semantics);
  let assemblyFormat = "custom<Keyword>($semantics) attr-dict";
}

def Carousel_FenceTensorMapReleaseOp : Carousel_FixedOp<"fence.tensor_map_release", 90, 83,
    [OrdersMemory]> {
  let summary = "release this thread's changes of tensor maps to the tensormap proxy";
  let description = [{
    Another thread sees the changes after a `fence.tensor_map_acquire` that synchronises with this
    fence.

    Example:

    ```mlir
    carousel.fence.tensor_map_release gpu
    ```

    PTX ISA: fence.proxy.tensormap::generic.release.
  }];
  let arguments = (ins Carousel_MemScopeAttr:$scope);
  let assemblyFormat = "custom<Keyword>($scope) attr-dict";
}

def Carousel_FenceTensorMapAcquireOp : Carousel_FixedOp<"fence.tensor_map_acquire", 90, 83,
    [OrdersMemory]> {
  let summary = "acquire a tensor map in global memory for the tensormap proxy";
  let description = [{
    The fence orders the map's 128 bytes. Later copies through this map see the changes that were
    released to this thread.

    Example:

    ```mlir
    carousel.fence.tensor_map_acquire %map gpu : !carousel.tensor_map<64x32xf32>
    ```

    PTX ISA: fence.proxy.tensormap::generic.acquire.
  }];
  let arguments = (ins Carousel_TensorMap:$map, Carousel_MemScopeAttr:$scope);
  let assemblyFormat = "$map custom<Keyword>($scope) attr-dict `:` qualified(type($map))";
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELFENCEOPS_TD
