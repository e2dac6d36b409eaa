//===- MachinePasses.td - to the machine phase -------------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_MACHINEPASSES_TD
#define CAROUSEL_PASSES_MACHINEPASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// RingToMachine
//
// From the ring phase to the machine phase, which has one op for each mechanism of the
// hardware. Shared buffers are still allocations.
//===----------------------------------------------------------------------===//

def LowerProducts : Pass<"carousel-lower-products", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower products of tiles to wgmma";
  let description = [{
    A `carousel.multiply` of the ring phase becomes a fence of its sums, a `wgmma.mma` for each
    piece of its tiles along k and each 64 rows, a commit, and a wait for all. The descriptors take
    a tile as blocks of one span, as tensor copies and `--carousel-swizzle-tiles` lay it out.

    In the loops of consumers, products of an iteration stay in flight while those of the next one
    start, and slots are released one iteration later (docs/Products.md, Loops). A remark names the
    reason where this can't be. Other products stay in flight up to the first op that needs their
    sums, or that may let their tiles be written: a release, a store, a barrier.

    Precondition: the tiles are swizzled (C331). Postcondition: no `carousel.multiply`.

    ```mlir
    %next = carousel.multiply %x[%row], %w[%c0], %sums transpose_b
        {swizzle_a = #carousel.swizzle<b128>, swizzle_b = #carousel.swizzle<b128>}
        : memref<128x64xbf16, #ws>, memref<256x64xbf16, #ws>, vector<1x32x2x2xf32>
    // becomes, for each of four steps along k:
    %a = carousel.wgmma.descriptor %blocks_x[%c0, %row, %k] swizzle(b128) : ...
    %b = carousel.wgmma.descriptor %blocks_w[%c0, %c0, %k] swizzle(b128) : ...
    %sum = carousel.wgmma.mma %a, %b, %before : ...
    ```
  }];
  let statistics = [
    Statistic<"loopsOverlapped", "loops-overlapped", "loops with products in flight">,
    Statistic<"factorsCarried", "factors-carried", "registers of factors that loops carry">,
    Statistic<"productsLate", "products-late", "products in flight until their sums are needed">,
    Statistic<"productsWaited", "products-waited", "products that are waited for at their place">];
  let dependentDialects = ["::carousel::CarouselDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def TakeTurns : Pass<"carousel-take-turns", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Let warpgroups issue products by turns";
  let description = [{
    Runs after `--carousel-lower-products`, before `--carousel-lower-rings`. In a loop of consumers
    whose iterations issue products and compute with their sums, a warpgroup issues its products
    when the one before it has issued its own. So it computes while tensor cores have the products
    of the others, in each iteration, and not only by chance.

    Each warpgroup has a named barrier of 256 threads: its own, which wait, and those of the
    warpgroup before it, which arrive when they have issued their products. The last warpgroup
    arrives once before the loop, and the first one waits once behind it, so that no barrier is left
    with an arrival.

    Conditions: the role has at least two warpgroups, and the block one dimension. The loop waits
    for a ring of the CTA, so that all warpgroups execute as many iterations. Rings that are waited
    for between two products have two slots. There are as many named barriers left as warpgroups.

    ```mlir
    scf.for ... {
      carousel.wgmma.fence
      %s = carousel.wgmma.mma ...
      carousel.wgmma.commit
      %sums = carousel.wgmma.wait 0, %s
      ...                                      // arithmetic
    }
    // becomes
    scf.if %group == 1 { carousel.barrier.arrive 1 threads(256) }
    scf.for ... {
      carousel.barrier.sync 1 + %group threads(256)
      carousel.wgmma.fence
      %s = carousel.wgmma.mma ...
      carousel.wgmma.commit
      carousel.barrier.arrive 1 + (%group + 1) mod 2 threads(256)
      %sums = carousel.wgmma.wait 0, %s
      ...
    }
    scf.if %group == 0 { carousel.barrier.sync 1 threads(256) }
    ```
  }];
  let statistics = [
    Statistic<"loopsInTurns", "loops-in-turns", "loops whose warpgroups take turns">];
  let dependentDialects = ["::carousel::CarouselDialect", "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect"];
}

def LowerGathers : Pass<"carousel-lower-gathers", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower gathers of a cluster to stores to its shared memory";
  let description = [{
    Each `carousel.cluster.gather` becomes an inbox and an mbarrier in each CTA, stores to all of
    them (`st_async`), and a wait. The mbarriers are initialised at the kernel's start; the cluster
    meets once, before the first store. In a loop 32 inboxes take turns, and the cluster meets again
    every 32 iterations. Refuses gathers in branches and nested loops (C214).

    ```mlir
    %sums = carousel.cluster.gather %sum : f32 -> vector<4xf32>
    // becomes
    scf.if %is_below_4 {
      %peer_inbox = carousel.cluster.map_shared %inbox, %thread
      %peer_arrived = carousel.cluster.map_shared %arrived, %thread
      carousel.st_async %sum to %peer_inbox[%rank] signals %peer_arrived[]
    }
    carousel.mbarrier.wait %arrived[] parity %false scope(cluster)
    %sums = vector.load %inbox[%c0]
    ```
  }];
  let statistics = [Statistic<"gathers", "gathers", "gathers that were lowered">];
  let dependentDialects = [
    "::carousel::CarouselDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def LowerRings : Pass<"carousel-lower-rings", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower rings to shared buffers, mbarriers and the copies of each engine";
  let description = [{
    Precondition: the ring phase; the module has its `#nvvm.target`, and each kernel with rings has
    a `carousel.launch` or a `known_block_size`. Postcondition: the machine phase, except that
    `memref.alloc` of shared memory is left for `--carousel-allocate-shared`; no op and no type of
    the ring phase is left (C141).

    - A ring becomes one buffer of bytes per tile, with slots padded to what the transfers need, and
      an array of mbarriers `full`. If an mbarrier releases slots, there is a second array `empty`.
      One thread initialises all barriers at the top of the kernel, and all threads synchronise
      once.
    - `produce` waits for the slot, tells `full` how many bytes will come, issues, and arrives. The
      scope's first thread issues tensor and bulk copies. All threads of the scope share cp.async
      and vector copies, and arrive when theirs have landed.
    - `release` is an arrival of each warp at `empty`, or a barrier. The barrier is left out if an
      adjacent barrier has the same effect.
    - `submit` is a bulk group of the scope's first thread, and `wait_stores` waits for groups.
    - Barriers of roles and warpgroups become named barriers.
    - The first fills of a ring stand in a loop before the one that fills the others (`ahead`). If a
      fill is much code for its issuing thread, the first iteration of that loop makes them, so that
      the code of a fill exists once.
    - Boxes that reach outside are clipped and filled: by the engine if it can, else by the threads.
    - Asynchronous copies that `--carousel-raise-to-transfers` hasn't raised:
      `nvgpu.device_async_copy` becomes `carousel.cp_async.copy`, `nvgpu.device_async_create_group`
      becomes `carousel.cp_async.commit_group`, and `nvgpu.device_async_wait` becomes
      `carousel.cp_async.wait_group`, for 0 groups if it names no number. The hardware counts
      groups, so tokens become numbers that nothing depends on.

    docs/Rings.md, "Lowering", has the details. For sm_80 the scheme is the same, with cp.async and
    vector copies.

    Refuses kernels with a block that isn't known or doesn't fit the roles and scopes (C160); more
    than 15 named barriers (C162); barriers of the whole block in a role (C163); transfers that
    their engine can't carry out (C164); asynchronous copies that cp.async can't make (C197); and
    rings whose producers or consumers aren't one role, or that aren't created at the kernel's top
    (C165).

    ```mlir
    carousel.ring.produce %ring[%k] : !ring {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> memref<1024xf32, #ws>
      carousel.ring.load %x[%i] to %tile in_bounds engine<bulk> : !global, memref<1024xf32, #ws>
    }
    carousel.ring.wait %ring[%k] : !ring
    // becomes
    scf.if %leader {
      carousel.mbarrier.wait %empty[%slot] parity %freed : !barriers
      carousel.mbarrier.arrive_expect_tx %full[%slot], 4096 : !barriers
      carousel.bulk.load %x[%i] to %tile[%c0], 4096 signals %full[%slot] : ...
    }
    carousel.mbarrier.wait %full[%slot] parity %parity : !barriers
    ```
  }];
  let options = [
    Option<"commitGroups", "cp-async-groups", "bool", "false",
           "Wait by commit groups and a barrier instead of mbarriers, for rings that cp.async "
           "fills ahead by the threads that use them (docs/Rings.md)">,
    Option<"foldPrologues", "fold-prologues", "bool", "true",
           "Fold large prologues into the steady-state loop">,
    Option<"prologueFoldThreshold", "prologue-fold-threshold", "unsigned", "32",
           "Estimated instructions of a fill from which its prologue is folded">
  ];
  let statistics = [
    Statistic<"ringsLowered", "rings", "rings lowered">,
    Statistic<"prologuesFolded", "prologues-folded", "prologues folded into their loops">,
    Statistic<"barriers", "barriers", "mbarriers created">,
    Statistic<"byOneThread", "by-one-thread", "transfers that one thread issues">,
    Statistic<"byAllThreads", "by-all-threads", "transfers that threads make themselves">,
    Statistic<"clipped", "clipped", "transfers with code for elements outside of their memref">,
    Statistic<"barriersMerged", "barriers-merged", "releases left to another barrier">
  ];
  let dependentDialects = [
    "::carousel::CarouselDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Cleanup
//
// Within the machine phase: index arithmetic becomes cheaper. No pass that follows asks
// for the ranges of offsets.
//===----------------------------------------------------------------------===//

def SimplifyIndexArithmetic : Pass<"carousel-simplify-index-arithmetic"> {
  let summary = "Reduce the strength of index arithmetic and merge induction variables";
  let description = [{
    Takes four steps. A 64-bit division is a call of a routine of about a hundred instructions; the
    first two steps avoid it. Refuses nothing.

    **Strength reduction.** Applies to an `scf.for` over index or i64 whose start and step are at
    most 2^31 - 1, as a block's number and the number of blocks are. The step replaces divisions of
    the induction variable by a divisor from outside the loop that isn't a constant. The loop
    carries the quotient and the remainder. Each iteration adds the step's quotient and remainder,
    with a carry if the remainder reaches the divisor. Divisions of a quotient are replaced in turn.

    The step replaces either all divisions of a kernel or none, since the routine is in a kernel
    once for all calls. It replaces none if another 64-bit division is left, or if there are more
    than `max-divisors` divisors, each of which needs four 32-bit divisions before the loop. A
    divisor of zero counts as one, since the loop may have no iteration. Signed divisions count if
    the divisor is known to be non-negative.

    ```mlir
    scf.for %tile = %block to %tiles step %blocks {
      %row = arith.divui %tile, %columns : index
      %column = arith.remui %tile, %columns : index
    }
    // becomes
    %by = arith.maxui %columns, %c1 : index
    %columns_of_step = arith.remui %blocks, %by : index
    %first_column = arith.remui %block, %by : index
    %first_row = arith.divui %block, %by : index
    %rows_of_step = arith.divui %blocks, %by : index
    scf.for %tile = %block to %tiles step %blocks
        iter_args(%column = %first_column, %row = %first_row) -> (index, index) {
      %sum = arith.addi %column, %columns_of_step : index
      %over = arith.cmpi uge, %sum, %by : index
      %rest = arith.subi %sum, %by : index
      %next_column = arith.select %over, %rest, %sum : index
      %below = arith.addi %row, %rows_of_step : index
      %one_more = arith.addi %below, %c1 : index
      %next_row = arith.select %over, %one_more, %below : index
      scf.yield %next_column, %next_row : index, index
    }
    ```

    **Narrowing.** Divisions and remainders of index and i64 become those of i32, if the dividend is
    at most 2^32 - 1 and the divisor isn't a constant. A divisor that may be larger is clamped to
    the largest 32-bit multiple of its known factor. The clamped divisor is still larger than the
    dividend, so quotients stay 0, and the remainder keeps its known alignment. Value ranges come
    from MLIR's integer range inference, from tickets (`carousel.grid.ticket`), from the grid sizes
    that a launch accepts, and from the guards of the kernel's variant. Signed operations become
    unsigned if both operands are known to be non-negative. A quotient that is rounded up by a
    constant becomes the quotient of a sum (`(x + 63) / 64`) if the sum can't wrap. A remainder by a
    power of 2 of a sum with a multiple of it is that of the other term, of any width.

    ```mlir
    %row = arith.divui %ticket, %columns : index
    // becomes
    %by = arith.minui %columns, %c4294967295 : index
    %small = arith.index_castui %ticket : index to i32
    %small_by = arith.index_castui %by : index to i32
    %quotient = arith.divui %small, %small_by : i32
    %row = arith.index_castui %quotient : i32 to index
    ```

    **Merging.** Values that an `scf.for` carries become one value if they have the same start and
    each iteration adds the same value from outside the loop. A loop has one such value for each of
    its rings. Then `cse` merges slots and parities computed from them, and `canonicalize` drops
    what is unused.

    ```mlir
    scf.for %i = %first to %n step %s iter_args(%k = %c0, %m = %c0) -> (index, index) {
      "use"(%k, %m) : (index, index) -> ()
      %next_k = arith.addi %k, %c1 : index
      %next_m = arith.addi %m, %c1 : index
      scf.yield %next_k, %next_m : index, index
    }
    // becomes, with canonicalize
    scf.for %i = %first to %n step %s iter_args(%k = %c0) -> (index) {
      "use"(%k, %k) : (index, index) -> ()
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    ```

    **Splitting.** Indices of swizzled tiles in shared memory are exclusive ors of bits of the
    thread's number and constants. Where a thread has eight such accesses of a tile or more, and at
    least four of them differ by constants that are added, their indices become a sum of what the
    thread computes once and a constant. Instructions have that constant in their address.

    ```mlir
    %key = arith.remui %row, %c8 : index
    %shifted = arith.muli %key, %c8 : index
    %other = arith.addi %column, %c64 : index    // %column is at most 63
    %place = arith.xori %other, %shifted : index
    memref.store %v, %tile[%row, %place] : memref<64x128xbf16, #ws>
    // becomes
    %at = arith.addi %base, %c64 : index         // %base is that of the other accesses, too
    memref.store %v, %line[%at] : memref<8192xbf16, #ws>
    ```

    The results of the first two steps aren't known to be non-negative any more. So the pass runs
    after all passes that ask for the range of an offset.
  }];
  let options = [
    Option<"maxDivisors", "max-divisors", "unsigned", /*default=*/"2",
           "Largest number of divisors whose quotients and remainders a kernel's loops carry">
  ];
  let statistics = [
    Statistic<"divisionsReduced", "divisions-reduced", "divisions that carried values replace">,
    Statistic<"divisionsKept", "divisions-kept", "divisions of induction variables kept">,
    Statistic<"divisionsNarrowed", "divisions-narrowed", "divisions in 32 bits">,
    Statistic<"quotientsRounded", "quotients-rounded", "quotients rounded up by a sum">,
    Statistic<"variablesMerged", "variables-merged", "loop-carried values merged">,
    Statistic<"addressesSplit", "addresses-split", "accesses at a sum of a base and a constant">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

//===----------------------------------------------------------------------===//
// SharedMemory
//
// Within the machine phase: buffers get their bytes of shared memory.
// carousel-verify-chip and carousel-verify-machine close the phase.
//===----------------------------------------------------------------------===//

def AllocateShared : Pass<"carousel-allocate-shared", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Assign shared allocations their bytes of dynamic shared memory";
  let description = [{
    Precondition: the machine phase, except for `memref.alloc` of shared memory; the module has its
    `#nvvm.target`. Postcondition: no such alloc is left in a kernel (C99).

    Each `memref.alloc` in workgroup memory, of data or of barriers, becomes a `memref.view` at a
    constant place of one `gpu.dynamic_shared_memory`. Its `memref.dealloc` is removed. Attributions
    stay, and dynamic shared memory that the kernel already uses stays below the new buffers. A
    buffer is aligned to what its uses need (128 to 1024 bytes for tensor copies, 16 for bulk
    copies), to what the alloc asks for, and to at least 16 bytes. The slots of a multi-buffered
    tile are one buffer; the code that lays out the slots must align each of them. The kernel's
    `carousel.launch` gets `shared`; without one a remark says how many bytes a launch must provide.

    With `reuse`, buffers that don't live at the same time may share bytes. A buffer lives from the
    first op at the top of the kernel's body that uses it to the last, views and values of
    structured control flow included, and until the last use of the barrier that its loads signal.
    Between the lives of two buffers that share bytes, all threads synchronise at a `gpu.barrier`.
    Before it they wait for bulk stores that read the old bytes and for `cp.async` that writes them,
    and fence the async proxy if it will write what ordinary stores wrote. Synchronisation that the
    kernel already has isn't repeated, and buffers share nothing if that saves nothing. Those of up
    to 128 bytes, as reductions have, share some only if more CTAs fit an SM then. Barriers, tensor
    maps, tiles that other CTAs of the cluster reach, and buffers that can't be followed keep their
    bytes for the whole kernel; a missed remark says why.

    Refuses:
    - kernels that need more than the chip has, with the bytes of each buffer (C146);
    - allocations in loops or branches, of dynamic extents, with a layout that isn't static, or
      aligned to more than the 1024 bytes that dynamic shared memory is aligned to, and uses after a
      `memref.dealloc` (C147);
    - kernels that use dynamic shared memory whose end isn't known (C148).

    ```mlir
    %a = memref.alloc() : memref<1024xf32, #ws>
    %b = memref.alloc() : memref<1024xf32, #ws>
    ...                                                 // uses %a
    scf.for %i = %thread to %c1024 step %c128 { ... }   // uses %b
    // becomes
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %a = memref.view %bytes[%c0][] : memref<?xi8, #ws> to memref<1024xf32, #ws>
    %b = memref.view %bytes[%c0][] : memref<?xi8, #ws> to memref<1024xf32, #ws>
    ...
    gpu.barrier
    scf.for %i = %thread to %c1024 step %c128 { ... }
    ```
  }];
  let options = [
    Option<"reuse", "reuse", "bool", "true",
           "Let buffers that don't live at the same time share bytes">,
    Option<"report", "report", "bool", "false", "Print the bytes of each buffer to stderr">
  ];
  let statistics = [
    Statistic<"buffers", "buffers", "buffers placed">,
    Statistic<"bytes", "bytes", "bytes of dynamic shared memory that they take">,
    Statistic<"bytesSaved", "bytes-saved", "bytes saved by reuse">,
    Statistic<"barriersInserted", "barriers-inserted", "barriers inserted for reuse">,
    Statistic<"buffersKept", "buffers-kept", "buffers that keep their bytes for the whole kernel">
  ];
  let dependentDialects = [
    "::carousel::CarouselDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def VerifyChip : Pass<"carousel-verify-chip", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Refuse ops that the module's target lacks";
  let description = [{
    Compares the requirements of each op (`TargetOpInterface`) with the module's `#nvvm.target`.
    Reports every op that the target lacks, with what it needs and what the target has (C91). Also
    checks each kernel's static shared memory against 48 KB (C92), its cluster against the target's
    (C93), and the dynamic shared memory that its views and its launch ask for (C107, C122). Changes
    nothing.
  }];
}

def VerifyMachine : Pass<"carousel-verify-machine", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Verify the machine phase beyond what single ops can check";
  let description = [{
    Closes the machine phase. All ops verify. The pass follows the buffers of barriers, bulk copies
    and tensor copies to their allocation (workgroup attributions, `memref.global`,
    `gpu.dynamic_shared_memory`) and refuses an alignment that is known and too small: 8 bytes for
    barriers (C94), 16 for bulk copies (C95), 128 to 1024 for tensor copies, by swizzle (C96), 128
    for tensor maps (C97). An alignment that only a run knows is accepted. It also refuses

    - `memref.alloc` and `memref.alloca` of shared memory, which no later pass allocates (C99);
    - `memref.load` and `memref.store` of barriers and tensor maps, which are opaque (C100);
    - a shared `memref.global` with an initial value (C101);
    - declared memory that isn't contiguous (C188), or whose alignment isn't valid (C104);
    - functions that serve one kernel with different arguments (C121);
    - ops of the tile phase and the ring phase (C141);
    - ops of other dialects that the targets lack (C193 to C197, C203).

    Changes nothing.
  }];
}

#endif // CAROUSEL_PASSES_MACHINEPASSES_TD
