//===- RingPasses.td - to the ring phase -------------------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGPASSES_TD
#define CAROUSEL_PASSES_RINGPASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Ring
//
// From the tile phase to the ring phase, in which transfers are asynchronous and go
// through circular buffers. Their order with other accesses is left to Sync.
//===----------------------------------------------------------------------===//

def GuardBoxes : Pass<"carousel-guard-boxes", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Make variants for launches in which stores don't meet loads";
  let description = [{
    A load that runs ahead must not read what an earlier iteration still has to store. Where the
    distance of the two boxes follows from extents and scalar arguments of the launch, the pass
    clones the kernel. The clone has guards which say that the boxes are apart, and its loads use
    rings (docs/Rings.md, Boxes that are apart). The original serves all other launches. A remark
    states the guards.

    The clone is named `NAME_apart` and stands before the original. A kernel gets no clone if no
    more loads would use rings. Then the guards would have no effect.

    Precondition: as for `--carousel-circular-buffer`. The pass leaves kernels alone that it
    refuses. Postcondition: the tile phase.

    ```mlir
    gpu.func @shift(%x: !global, %n: index, %s: index) kernel {
      scf.for %i = %c0 to %n step %c64 {
        %from = arith.addi %i, %s : index
        carousel.load %x[%from] to %tile engine<bulk> : !global, !tile
        carousel.store %tile to %x[%i] engine<bulk> : !tile, !global
      } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    // becomes
    gpu.func @shift_apart(...) kernel attributes {
      carousel.variant = #carousel.variant<kernel = "shift", guards = [
        range(max(scalar(2), ...), 0, 9223372036854775807)]>} { ... }
    gpu.func @shift(...) kernel attributes {
      carousel.variant = #carousel.variant<kernel = "shift">} { ... }
    ```
  }];
  let statistics = [
    Statistic<"variants", "variants", "variants with guards on boxes">
  ];
}

def StoreFromRegisters : Pass<"carousel-store-from-registers", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Store tiles from registers where this is faster";
  let description = [{
    Replaces the writes of a tile in a loop with `carousel.pipeline` by writes to global memory, and
    removes the tile's store. Then the tile needs neither shared memory nor a barrier. The pass does
    so where `stores = registers` asks for it, and where a launch is predicted to be faster
    (docs/Decisions.md). `stores = shared` forbids it.

    A store can be replaced if all these conditions hold:

    - It stands at the top of its loop, and doesn't reduce.
    - All other accesses to its tile are `memref.store` and one-dimensional `vector.store` of the
      tile itself, before it in the same iteration. Together they write the whole tile.
    - Its offsets are computed before these writes.
    - Nothing else in the kernel accesses its global memref. No op of the kernel orders stores with
      those of other CTAs or grids.

    Without a request, the warps must also write whole sectors of 32 bytes by aligned accesses. A
    remark states the reason where one of the conditions doesn't hold.

    Precondition: as for `--carousel-circular-buffer`. Postcondition: the tile phase.

    ```mlir
    scf.for %i = %lb to %ub step %step {
      vector.store %v, %tile[%j] {alignment = 16 : i64} : !tile, vector<8xbf16>
      carousel.store %tile to %y[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stores = registers>}
    // becomes
    scf.for %i = %lb to %ub step %step {
      %at = arith.addi %i, %j : index
      scf.if %inside {
        vector.store %v, %y[%at] {alignment = 16 : i64} : !global, vector<8xbf16>
      } else {
        ... // each element that is inside
      }
    }
    ```
  }];
  let statistics = [
    Statistic<"fromRegisters", "stores", "stores that became writes of registers">
  ];
  let dependentDialects = [
    "::carousel::CarouselDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def CircularBuffer : Pass<"carousel-circular-buffer", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Make transfers asynchronous, through circular buffers";
  let description = [{
    Lowers the tile phase to the ring phase. docs/Rings.md defines the ring phase and says which
    transfers go through rings. A loop with `carousel.pipeline` gets rings with the stages, the
    prefetch distance, the mode and the scope that it asks for. The pass chooses what is `auto` from
    the bytes in flight, the target's shared memory and the trip count. All other transfers become
    asynchronous where they stand. A request that can't be met is left out, and a remark says why.

    Precondition: the module has a target, transfers have engines (C174) and stand under structured
    control flow of scf (C174), and the kernel's block is known (C175). Postcondition: the ring
    phase, without the synchronisation that `--carousel-insert-async-sync` inserts.

    A kernel with a `specialized` loop is split into two roles. Its block grows by the producers.

    ```mlir
    scf.for %i = %lb to %ub step %step {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      ... %in ...
    } {carousel.pipeline = #carousel.pipeline<stages = 4, prefetch = 3>}
    // becomes
    %ring = carousel.ring.create : !carousel.ring<4 x !tile>
    scf.for ... { carousel.ring.produce %ring[%k] : ... { carousel.ring.load ... } }
    scf.for %i = %lb to %ub step %step iter_args(%k = %c0) -> (index) {
      scf.if %ahead_lt_ub { carousel.ring.produce %ring[%k3] : ... { carousel.ring.load ... } }
      %in = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.wait %ring[%k] : !ring
      ... %in ...
      carousel.ring.release %ring[%k] : !ring
      scf.yield %k1 : index
    }
    ```
  }];
  let statistics = [
    Statistic<"numLoads", "loads", "loads that go through rings">,
    Statistic<"numStores", "stores", "stores that go through rings">,
    Statistic<"numMissed", "missed", "requests that could not be met">
  ];
  let dependentDialects = [
    "::carousel::CarouselDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def SwizzleTiles : Pass<"carousel-swizzle-tiles", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Rewrite accesses to swizzled tiles";
  let description = [{
    Runs in the ring phase. If the transfers of a tile have a swizzle, by their tensor map or by
    their engine `cp_async` or `vector`, the pass rewrites the indices of each load from the tile
    and of each store to it, as the hardware permutes pieces of 16 bytes. A tile whose rows are
    wider than the swizzle's span lies in memory as panels (docs/Engines.md, "Swizzle").
    Precondition: accesses have at most 16 bytes and are aligned to their size; otherwise
    `--carousel-select-engine` chooses no swizzle. The pass must not run twice.

    ```mlir
    carousel.ring.load %x[%i, %j] to %t engine<tensor> map %map
        : !global, memref<64x64xbf16, #ws>, !carousel.tensor_map<64x64xbf16, swizzle = b128>
    %v = memref.load %t[%r, %c] : memref<64x64xbf16, #ws>
    // becomes
    %v = memref.load %t[%r, %c xor (%r mod 8) * 8] : memref<64x64xbf16, #ws>
    ```
  }];
  let statistics = [Statistic<"numRewritten", "rewritten", "accesses rewritten for a swizzle">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def MulticastLoads : Pass<"carousel-multicast-loads", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Copy tiles that all CTAs of a cluster load once for all";
  let description = [{
    Runs in the ring phase, on rings that a loop with `multicast = n` got. Where `n` CTAs whose ids
    in x follow each other use such a ring alike, they form a cluster: the launch gets it, and the
    loads that are the same in all of them become `multicast`. docs/Rings.md, "Multicast", says
    what the lowering makes of them. A ring without such loads gets `multicast(1)`, and a remark
    says why. The ids of CTAs tell which values are the same: `gpu.block_id x` divided by `n` is,
    and `gpu.block_id x` isn't.

    Conditions: the loops and branches around the ring's uses, and the numbers of these, are the
    same in all CTAs, and whole warps release its slots. A shared load has engine tensor. Its
    offsets, its memref and its conditions are the same, and nothing but loads writes to its tile.
    The grid is a multiple of `n` in x, as its expression shows, and the kernel has no other
    cluster.

    ```mlir
    %ring = carousel.ring.create multicast(2) : !ring
    carousel.ring.produce %ring[%k] : !ring {
      carousel.ring.load %x[%row, %i] to %a ...   // %row depends on gpu.block_id x
      carousel.ring.load %w[%i, %column] to %b ...
    }
    // becomes, with cluster = [2] in the launch
    %ring = carousel.ring.create multicast(2) : !ring
    carousel.ring.produce %ring[%k] : !ring {
      carousel.ring.load %x[%row, %i] to %a ...
      carousel.ring.load multicast %w[%i, %column] to %b ...
    }
    ```
  }];
  let statistics = [Statistic<"shared", "shared", "loads that are copied for all CTAs">];
}

//===----------------------------------------------------------------------===//
// Sync
//
// Within the ring phase: transfers are ordered with all other accesses.
// carousel-verify-ring closes the phase.
//===----------------------------------------------------------------------===//

def InsertAsyncSync : Pass<"carousel-insert-async-sync", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Insert the fences, waits for stores and barriers that transfers need";
  let description = [{
    Precondition: the ring phase as `--carousel-circular-buffer` leaves it: the uses of rings are
    ordered, but transfers needn't be ordered with other accesses. Postcondition: every transfer
    behaves as if it were synchronous (docs/Phases.md, "Order").

    A data-flow analysis over the structured control flow (loops to a fixpoint) follows, for each
    buffer, the accesses that aren't ordered yet: for a ring's tiles by slot, for kernel arguments
    by box. Different arguments don't overlap if one of them is written. Memory that can't be
    followed may be any memory. If an access conflicts with an earlier one, these ops must precede
    it, in this order:
    - `ring.wait_stores`, if an engine made the earlier access: for a tile that it reads, or for a
      box that it writes. Groups that are known to be later stay pending.
    - `fence.proxy`, if an ordinary access wrote what an engine touches: executed by all threads
      before the barrier, so also by those that wrote. `cp_async` and `vector` need no fence.
    - `ring.sync` of the transfer's scope, unless one thread issues both accesses.

    Existing barriers count, also the author's: the pass inserts fences and waits before the last
    barrier between the two accesses. A new barrier stands before the later access, and before any
    branch that threads of the scope may take differently, and before loops that don't contain the
    earlier access. The pass waits for the reads of stores before the kernel ends. It waits for
    writes to global memory before `grid.serial_release` and before a `fence.thread` that releases
    to other CTAs. After `grid.serial_wait` it fences the first access of an engine. `ring.release`
    gets the fence and the wait that the next loads of its slot need.

    Then the pass removes each fence, wait and barrier, inserted or not, that no conflict needs. A
    `ring.sync` also stays if nothing else orders accesses that threads make themselves. Run a
    second time, the pass changes nothing.

    Refuses stores that no thread can wait for before other CTAs go on (C170), buffers that both
    roles use without a ring (C171), transfers under branches that separate threads which must reach
    a barrier together (C172), and unstructured control flow around ops of the ring phase (C173).

    ```mlir
    memref.store %v, %tile[%thread]
    carousel.ring.submit { carousel.ring.store %tile to %y[%i] engine<bulk> ... }
    memref.store %w, %tile[%thread]
    // becomes
    memref.store %v, %tile[%thread]
    carousel.fence.proxy async_shared_cta
    carousel.ring.sync
    carousel.ring.submit { carousel.ring.store %tile to %y[%i] engine<bulk> ... }
    carousel.ring.wait_stores read 0
    carousel.ring.sync
    memref.store %w, %tile[%thread]
    ```
  }];
  let dependentDialects = ["::carousel::CarouselDialect"];
  let statistics = [
    Statistic<"fences", "fences", "proxy fences inserted">,
    Statistic<"syncs", "syncs", "barriers inserted">,
    Statistic<"storeWaits", "store-waits", "waits for stores inserted">,
    Statistic<"removed", "removed", "redundant fences, barriers and waits removed">
  ];
}

def RotateProducts : Pass<"carousel-rotate-products", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Begin an iteration's products before the last one of the iteration before";
  let description = [{
    Runs in the ring phase, on loops of consumers. An iteration has two stages if threads compute
    the factor of its last product from the sums of the others, as attention does. The pass rotates
    such a loop: the products of the next iteration begin first, and then the last one of this
    iteration, which is in flight while threads compute with the others' sums. Results are the same
    bit by bit. docs/Products.md, "Rotation", has the IR before and after.

    Conditions: the last product adds to sums that the loop carries, and nothing else needs these
    in an iteration. Producers fill the rings. One that the last product alone reads has two slots,
    and one that others read, too, has three. The iteration writes no memory. A thread's registers
    suffice for the sums of both stages and two factors. A remark names the condition that doesn't
    hold.

    ```mlir
    scf.for %i = %lb to %ub step %step iter_args(%o = %zeros) {
      %s = carousel.multiply %q, %k, %none      // the first stage
      %p = arith.truncf %s
      %next = carousel.multiply %p, %v, %o      // the second stage
      scf.yield %next
    }
    // becomes, if there is an iteration
    %s = carousel.multiply %q, %k, %none
    %p = arith.truncf %s
    scf.for %i = %lb + %step to %ub step %step iter_args(%p, %o = %zeros) {
      %s = carousel.multiply %q, %k, %none      // of this iteration
      %next = carousel.multiply %p, %v, %o      // of the iteration before
      %p = arith.truncf %s
      scf.yield %p, %next
    }
    %sums = carousel.multiply %p, %v, %o
    ```
  }];
  let statistics = [
    Statistic<"loopsRotated", "loops-rotated", "loops whose products overlap">,
    Statistic<"loopsLeft", "loops-left", "loops with two stages that stay as they are">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def VerifyRing : Pass<"carousel-verify-ring", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Verify the ring phase beyond what single ops can check";
  let description = [{
    Closes the ring phase. Precondition: none. Postcondition: all ops verify, and

    - no transfer and no pipeline of the tile phase, and no op and no barrier of the machine phase
      is left (C166). Besides the ops on rings, the dialect's `fence.proxy`, `fence.thread`,
      `barrier.warp` and `grid` ops may appear.
    - Ops on rings stand in kernels, under structured control flow, and a ring is created at the top
      of its kernel (C167).
    - A role has no `gpu.barrier`, which the other role would have to reach (C168).
    - Each ring that is waited on has a producer. The producers' region neither waits for a slot nor
      releases one, and no other region produces what it produces. Roles aren't nested (C169).
    - A produce of use `k` loads to tiles of use `k`, among its ring's tiles (C191). With `ahead(n)`
      a prologue has at most `n` iterations, and its loop fills the use `n` later (C192). Both are
      checked where they are visible.

    Changes nothing.

    ```mlir
    %ring = carousel.ring.create : !ring
    carousel.ring.roles producer threads(32) {
      carousel.ring.produce %ring[%k] : !ring { ... }
      // carousel.ring.wait %ring[%k] is refused: consumers wait
    } consumer threads(128) {
      carousel.ring.wait %ring[%k] : !ring
      // gpu.barrier is refused: the producers don't come
    }
    ```
  }];
}

#endif // CAROUSEL_PASSES_RINGPASSES_TD
