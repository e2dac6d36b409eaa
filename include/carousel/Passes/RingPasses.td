//===- RingPasses.td - to the ring phase, in order ---------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGPASSES_TD
#define CAROUSEL_PASSES_RINGPASSES_TD

include "mlir/Pass/PassBase.td"

def CircularBuffer : Pass<"carousel-circular-buffer", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Make transfers asynchronous, through circular buffers";
  let description = [{
    From the tile phase to the ring phase: docs/Rings.md defines it and says which transfers
    go through rings. Loops with `carousel.pipeline` get rings of the stages, the prefetch distance, the
    mode and the scope that they ask for; what is `auto` is chosen from the bytes in flight, the
    target's shared memory and the trip count. All other transfers become asynchronous at their
    place. What is asked for and can't be done is left out, with a remark that says why.

    Precondition: the module has a target, transfers have engines (C174) and stand under structured
    control flow of scf (C174), the kernel's block is known (C175). Postcondition: the ring
    phase but for the synchronisation that `--carousel-insert-async-sync` puts in.

    A kernel with a `specialized` loop is given to two roles, and its block grows by the producers.

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
    Statistic<"numMissed", "missed", "requests that aren't met">
  ];
  let dependentDialects = [
    "::carousel::CarouselDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def SwizzleTiles : Pass<"carousel-swizzle-tiles", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Let accesses to a swizzled tile go by the swizzle";
  let description = [{
    Runs in the ring phase. Where a tile's transfers have a tensor map with a swizzle, the innermost
    index of every load from the tile and every store to it is permuted as the hardware permutes pieces of
    16 bytes. Precondition: accesses are of at most 16 bytes and aligned to their size;
    `--carousel-select-engine` chooses no swizzle otherwise. Not to be run twice.

    ```mlir
    carousel.ring.load %x[%i, %j] to %t engine<tensor> map %map
        : !global, memref<64x64xbf16, #ws>, !carousel.tensor_map<64x64xbf16, swizzle = b128>
    %v = memref.load %t[%r, %c] : memref<64x64xbf16, #ws>
    // becomes
    %v = memref.load %t[%r, %c xor (%r mod 8) * 8] : memref<64x64xbf16, #ws>
    ```
  }];
  let statistics = [Statistic<"numRewritten", "rewritten", "accesses that go by a swizzle">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def InsertAsyncSync : Pass<"carousel-insert-async-sync", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Insert the fences, drains and meetings that transfers need, and no others";
  let description = [{
    Precondition: the ring phase, as `--carousel-circular-buffer` leaves it: the uses of rings are in
    order, but a transfer needn't be ordered with what stands around it. Postcondition: every transfer
    behaves as if it were synchronous (docs/Phases.md, "Order").

    A data flow over the structured control flow, loops to a fixpoint, follows for each buffer which
    accesses may not be ordered yet: a ring's tiles by slot, kernel arguments by box. Different
    arguments don't overlap where one of them is written; memory that can't be followed may be any.
    Where an access is in conflict with an earlier one, there has to be before it, in this order,
    - `ring.drain`, where the earlier one is an engine's: of a tile that is read, or of a box that is
      written. As many groups stay pending as are known to be later ones;
    - `fence.proxy`, where an ordinary access wrote what an engine touches now: by all threads, so by
      those that wrote, before the meeting. `cp_async` and `vector` need none;
    - `ring.sync` of the transfer's scope, unless both are issued by one thread.

    Barriers that are there count, be they the user's: fences and drains go in front of the last one
    between the two accesses. A new meeting stands before the later access, in front of what not all
    threads of the scope are known to take in the same way, and of loops that the earlier access isn't in. Before the end
    what reads shared memory is drained, before `grid.serial_release` and a `fence.thread` that
    releases to other CTAs what writes global memory; after `grid.serial_wait` engines' first access is
    fenced. `ring.release` gets the fence and the drain that the slot's next loads need.

    Then what the kernel has of these three and of what was inserted goes, op by op, where that
    leaves no conflict. A `ring.sync` also stays where it is all that stands between accesses that
    threads make by themselves. Run again, the pass changes nothing.

    Refuses stores that nobody can wait for before CTAs are let on (C170), buffers that both roles
    use without a ring (C171), transfers under branches that part the threads that have to meet
    (C172), and unstructured control flow around ops of the ring phase (C173).

    ```mlir
    memref.store %v, %tile[%thread]
    carousel.ring.submit { carousel.ring.store %tile to %y[%i] engine<bulk> ... }
    memref.store %w, %tile[%thread]
    // becomes
    memref.store %v, %tile[%thread]
    carousel.fence.proxy async_shared_cta
    carousel.ring.sync
    carousel.ring.submit { carousel.ring.store %tile to %y[%i] engine<bulk> ... }
    carousel.ring.drain read 0
    carousel.ring.sync
    memref.store %w, %tile[%thread]
    ```
  }];
  let dependentDialects = ["::carousel::CarouselDialect"];
  let statistics = [
    Statistic<"fences", "fences", "proxy fences inserted">,
    Statistic<"syncs", "syncs", "meetings inserted">,
    Statistic<"drains", "drains", "drains inserted">,
    Statistic<"removed", "removed", "fences, meetings and drains removed as redundant">
  ];
}

def VerifyRing : Pass<"carousel-verify-ring", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Check what the ring phase promises and an op alone can't see";
  let description = [{
    Closes the ring phase: what verifiers of ops demand holds, and what is below. Precondition: none. Postcondition:

    - No transfer and no pipeline of the tile phase, no op and no barrier of the machine phase is left (C166). Of the
      dialect there may be, besides the ops on rings, `fence.proxy`, `fence.thread`, `barrier.warp`
      and the `grid` ops.
    - Ops on rings stand in kernels, under structured control flow, and a ring is created at the top
      of its kernel (C167).
    - In a role there is no `gpu.barrier`, for which the other role would have to come (C168).
    - What is waited for is produced by somebody; the producers' region neither waits for nor
      releases a slot, and what it produces nobody else does; there are no roles in roles (C169).
    - A produce of use `k` loads to tiles of use `k`, as far as its ring's are concerned (C191). With `ahead(n)` a
      prologue has at most `n` iterations, and its loop fills the use `n` later (C192). Both as far as it shows.

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
