//===- CarouselRingOps.td - circular buffers and roles -----*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ring phase: slots that producers fill and consumers release, groups of stores, barriers of a
// scope's threads, and roles. docs/Rings.md says how they work together.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELRINGOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELRINGOPS_TD

include "carousel/Dialect/IR/Ops/CarouselTileOps.td"

// An op of the ring phase names no mechanism of the hardware, so it has no target requirement.
class Carousel_RingPhaseOp<string mnemonic, list<Trait> traits = []>
    : Op<Carousel_Dialect, "ring." # mnemonic, traits>;

// An op on one use of a ring.
class Carousel_RingUseOp<string mnemonic, list<Trait> traits = []>
    : Carousel_RingPhaseOp<mnemonic, traits> {
  let arguments = (ins Carousel_Ring:$ring, Index:$use);
  let assemblyFormat = "$ring `[` $use `]` attr-dict `:` type($ring)";
}

defvar Carousel_RingScope =
  (ins DefaultValuedAttr<Carousel_TransferScopeAttr, "::carousel::TransferScope::CTA">:$scope);
defvar Carousel_RingScopeFormat = "(`scope` `(` custom<Keyword>($scope)^ `)`)?";

def Carousel_RingCreateOp : Carousel_RingPhaseOp<"create", [MemoryEffects<[
    MemAlloc<SharedMemory>, MemWrite<Barriers>]>]> {
  let summary = "create a ring with all slots free";
  let description = [{
    Stands at the top of a kernel. With a scope below the CTA each warpgroup or warp has a ring of
    its own, with its own barriers. The tiles of a slot are then one buffer, of which each warpgroup
    or warp accesses its own part.

    `release` says how slots are released: by an mbarrier (`empty_barrier`), or, if producers and
    consumers are the same threads, by a barrier of the scope's threads (`cta_barrier`,
    `warp_barrier`).

    With `multicast(n)`, the rings of a cluster's `n` CTAs are used alike: all CTAs fill, wait for
    and release the same uses. A load with `multicast` fills the slot of all of them. So a slot is
    free when the consumers of all CTAs have released it.

    Constraints: `cta_barrier` has CTA scope, and `warp_barrier` has warp scope (C152). `n` is 1
    (the default) to 8. Several CTAs have CTA scope and `empty_barrier` (C336). Their number is that
    of the launch's cluster (C337).

    Example:

    ```mlir
    %ring = carousel.ring.create release(cta_barrier)
        : !carousel.ring<4 x memref<1024xf32, #gpu.address_space<workgroup>>>
    ```
  }];
  let arguments = !con(Carousel_RingScope, (ins
    DefaultValuedAttr<Carousel_SlotReleaseAttr, "::carousel::SlotRelease::EmptyBarrier">:$release,
    DefaultValuedAttr<I64Attr, "1">:$multicast));
  let results = (outs Carousel_Ring:$ring);
  let assemblyFormat = !strconcat(Carousel_RingScopeFormat,
    "(`release` `(` custom<Keyword>($release)^ `)`)? (`multicast` `(` $multicast^ `)`)? "
    "attr-dict `:` type($ring)");
  let hasVerifier = 1;
}

def Carousel_RingProduceOp : Carousel_RingUseOp<"produce", [
    SingleBlock, NoTerminator, OrdersMemoryAndBarriers]> {
  let summary = "fill the slot of a use";
  let description = [{
    Waits until the slot of use `use` is free, then executes the region, which starts loads. The
    consumers get the slot as soon as the loads have landed. Besides loads the region may contain
    scalar computation and branches. The producers that the loads' engines need execute the region.
    For some engines that is one thread.

    `ahead(n)` says that a loop starts its loads `n` iterations ahead. In the loop, a branch
    directly in its body starts the loads of the iteration `n` later, if there is one. A loop before
    it starts the loads of the first `n` iterations, or of all if there are fewer. Both loops start
    the same loads for the same iteration, so a lowering may start all loads in one of them.

    Constraints: the region contains only `ring.load`, `ring.tile`, `scf.if` and ops that don't
    write memory, as loops without `ring.load` (C153). `n` is less than the number of the ring's
    slots (C192).

    Example:

    ```mlir
    carousel.ring.produce %ring[%k] : !ring {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.load %x[%i] to %tile engine<bulk> : !global, !tile
    }
    ```
  }];
  let arguments = (ins Carousel_Ring:$ring, Index:$use, OptionalAttr<ConfinedAttr<I64Attr,
      [IntPositive]>>:$ahead);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat =
      "$ring `[` $use `]` (`ahead` `(` $ahead^ `)`)? attr-dict `:` type($ring) $body";
  let hasVerifier = 1;
}

def Carousel_RingWaitOp : Carousel_RingUseOp<"wait", [OrdersMemoryAndBarriers]> {
  let summary = "wait until the loads of a use have landed";
  let description = [{
    Each consumer executes the op once for each use, in order. Afterwards this consumer sees what
    the loads wrote.

    Example:

    ```mlir
    carousel.ring.wait %ring[%k] : !carousel.ring<4 x memref<1024xf32, 3>>
    ```
  }];
}

def Carousel_RingReleaseOp : Carousel_RingUseOp<"release", [OrdersMemoryAndBarriers]> {
  let summary = "release the slot of a use to the producers";
  let description = [{
    Each consumer executes the op once for each use, in order, after its last access to the slot.

    Example:

    ```mlir
    carousel.ring.release %ring[%k] : !carousel.ring<4 x memref<1024xf32, 3>>
    ```
  }];
}

def Carousel_RingTileOp : Carousel_RingPhaseOp<"tile", [Pure]> {
  let summary = "get a tile of the slot of a use";
  let description = [{
    The result is tile number `index` of slot `use mod stages`. Tiles are numbered as in the ring's
    type. The op computes an address, and waits for nothing.

    Constraints: the ring has a tile of this number, and it has the result's type (C154).

    Example:

    ```mlir
    %tile = carousel.ring.tile %ring[%k], 0
        : !carousel.ring<4 x memref<1024xf32, 3>> -> memref<1024xf32, 3>
    ```
  }];
  let arguments = (ins Carousel_Ring:$ring, Index:$use,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$index);
  let results = (outs Carousel_SharedMemRef:$tile);
  let assemblyFormat =
    "$ring `[` $use `]` `,` $index attr-dict `:` type($ring) `->` type($tile)";
  let hasVerifier = 1;
}

class Carousel_RingTransferOp<string mnemonic, list<Trait> traits = []>
    : Carousel_RingPhaseOp<mnemonic, !listconcat(traits, [
        AttrSizedOperandSegments, Carousel_TransferOpInterface])> {
  let hasVerifier = 1;
}

def Carousel_RingLoadOp : Carousel_RingTransferOp<"load",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "start to copy a box of a global memref to a tile";
  let description = [{
    The load belongs to the use of the `ring.produce` around it. After a `ring.wait` for this use
    the tile is filled. Otherwise as `carousel.load`. An `independent` load may overtake all pending
    stores to the same global memref, because their boxes don't overlap its own. With `multicast`,
    all CTAs of the cluster load the same box. Each of them issues some of the copies, or those of
    some uses, for all.

    Constraints: a `multicast` load is by the tensor engine, into a ring of several CTAs (C337).
    Otherwise as for `carousel.load` (C7, C29, C123 to C128, C150). The op has an engine,
    and stands in a `ring.produce` (C155).

    Example:

    ```mlir
    carousel.ring.load %x[%i] to %tile engine<cp_async, width = 16>
        : memref<?xf32, #gpu.address_space<global>>,
          memref<1024xf32, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = !con(Carousel_LoadArguments, (ins UnitAttr:$independent,
    UnitAttr:$multicast));
  let assemblyFormat = !strconcat("(`independent` $independent^)? (`multicast` $multicast^)? ",
    Carousel_LoadFormat);
  let extraClassDeclaration = [{
    bool isLoad() { return true; }
  }];
}

def Carousel_RingSubmitOp : Carousel_RingPhaseOp<"submit", [
    SingleBlock, NoTerminator, OrdersMemory, JoinsBulkGroup]> {
  let summary = "start stores, as one group";
  let description = [{
    The threads of the scope execute it after a `ring.sync` that follows their writes to the tiles.
    The region starts stores. It may also contain scalar computation and branches. A group without
    stores counts as a group.

    Constraints: the region contains only `ring.store`, `scf.if` and ops without effects (C153).

    Example:

    ```mlir
    carousel.ring.submit {
      carousel.ring.store %tile to %y[%i] engine<bulk> : !tile, !global
    }
    ```
  }];
  let arguments = Carousel_RingScope;
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = !strconcat(Carousel_RingScopeFormat, " attr-dict-with-keyword $body");
  let hasVerifier = 1;
}

def Carousel_RingStoreOp : Carousel_RingTransferOp<"store",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "start to copy or reduce a tile into a box of a global memref";
  let description = [{
    The store belongs to the group of the `ring.submit` around it. `ring.wait_stores` waits until
    the tile has been read, or until the box is written. Otherwise as `carousel.store`.

    Constraints: as for `carousel.store` (C7, C29, C45, C46, C123 to C125, C127, C128, C150). The op
    has an engine other than `cp_async`, and stands in a `ring.submit` (C155).

    Example:

    ```mlir
    carousel.ring.store %tile to %y[%i] engine<vector, width = 16>
        : memref<1024xf32, #gpu.address_space<workgroup>>,
          memref<?xf32, #gpu.address_space<global>>
    ```
  }];
  let arguments = Carousel_StoreArguments;
  let assemblyFormat = Carousel_StoreFormat;
  let extraClassDeclaration = [{
    bool isLoad() { return false; }
  }];
}

def Carousel_RingWaitStoresOp
    : Carousel_RingPhaseOp<"wait_stores", [OrdersMemory, JoinsBulkGroup]> {
  let summary = "wait for groups of stores";
  let description = [{
    Waits until all groups that the scope has submitted, except the `pending` newest, have read
    their tiles (`read`) or are performed (`complete`). Only the scope's issuing thread waits; a
    `ring.sync` orders the other threads.

    Example:

    ```mlir
    carousel.ring.wait_stores read 1
    carousel.ring.wait_stores complete 0 scope(warp)
    ```
  }];
  let arguments = !con((ins Carousel_GroupWaitAttr:$kind,
                            ConfinedAttr<I32Attr, [IntNonNegative]>:$pending),
                       Carousel_RingScope);
  let assemblyFormat = !strconcat(
    "custom<Keyword>($kind) $pending ", Carousel_RingScopeFormat, " attr-dict");
}

def Carousel_RingSyncOp : Carousel_RingPhaseOp<"sync", [OrdersMemoryAndBarriers]> {
  let summary = "synchronise the scope's threads";
  let description = [{
    The op is a barrier of the scope's threads. In a role it is a barrier of that role's threads
    only. Afterwards each of these threads sees what the others did before.

    Example:

    ```mlir
    carousel.ring.sync scope(warp)
    ```
  }];
  let arguments = Carousel_RingScope;
  let assemblyFormat = !strconcat(Carousel_RingScopeFormat, " attr-dict");
}

def Carousel_RingRolesOp : Carousel_RingPhaseOp<"roles", [
    NoRegionArguments, NoTerminator, SingleBlock, RecursiveMemoryEffects,
        OrdersMemoryAndBarriers]> {
  let summary = "split a block's threads into producers and consumers";
  let description = [{
    The block's first `consumer_threads` threads execute the second region. The remaining
    `producer_threads` threads execute the first region, which contains every `ring.produce` of
    rings that both roles use. The register counts are those of a thread after its warpgroup has
    released or received registers.

    Constraints: each role has at least one warp, and whole warps only. There are both register
    counts or neither. Each is 24 to 256 in steps of 8, and the roles then have whole warpgroups
    (C156).

    Example:

    ```mlir
    carousel.ring.roles producer threads(32) {
      carousel.ring.produce %ring[%k] : !ring { ... }
    } consumer threads(256) {
      carousel.ring.wait %ring[%k] : !ring
    }
    ```
  }];
  let arguments = (ins I32Attr:$producer_threads, I32Attr:$consumer_threads,
                       OptionalAttr<I32Attr>:$producer_registers,
                       OptionalAttr<I32Attr>:$consumer_registers);
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumer);
  let assemblyFormat = [{
    `producer` `threads` `(` $producer_threads `)`
    (`registers` `(` $producer_registers^ `)`)? $producer
    `consumer` `threads` `(` $consumer_threads `)`
    (`registers` `(` $consumer_registers^ `)`)? $consumer attr-dict
  }];
  let hasVerifier = 1;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELRINGOPS_TD
