//===- Passes.td - the passes, in pipeline order -----------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_PASSES_TD
#define CAROUSEL_PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Tile phase
//===----------------------------------------------------------------------===//

def RaiseToTransfers : Pass<"carousel-raise-to-transfers", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Raise copies between global and shared memory to transfers of tiles";
  let description = [{
    Raises MLIR-generated kernels to the tile phase. Precondition: none. Postcondition: what was
    raised passes `--carousel-verify-tile`; everything else is unchanged. In each kernel, an op or a
    pair of ops that moves data between a memref in global memory and one in workgroup memory
    becomes a `carousel.load` or a `carousel.store`:

    - `memref.copy` and `linalg.copy`,
    - a read (`memref.load`, `vector.load`, `vector.transfer_read`) and a write of the value read
      (`memref.store`, `vector.store`, `vector.transfer_write`),
    - `nvgpu.device_async_copy`. Copies of one group are raised together or not at all. Once a
      kernel has no such copy left, the groups and their waits are removed.

    The moves between two memrefs become one transfer under two conditions. First, all threads of
    the block (`known_block_size` or `carousel.launch`), in all iterations of the loops around the
    moves, together reach each element of the tile or of a box of it. Second, the element's place in
    the global memref is a base, equal in all threads, plus its place in the box. The pass evaluates
    the indices for every thread, up to 2^20 places. A copy whose operands don't depend on the
    thread may have any block. The pass looks through subviews that don't end before the box does;
    then the view is the transfer's memref. Padding of zero becomes the fill, and out-of-bounds
    elements of a store are clipped. If nothing may be out of bounds, the transfer is `in_bounds`.
    Barriers stay.

    A transfer is one of the orders in which the threads could have made the moves. So raising is
    correct where all threads reach the moves together and nothing between the moves depends on
    them. A transfer makes threads wait for each other: threads of one block that poll memory for
    each other across it would hang.

    Refuses, with a missed remark:
    - moves under control flow that differs, or may differ, between threads;
    - places that can't be evaluated, don't cover a box, or are transposed;
    - a barrier, or an access that may touch the same memory, between the parts;
    - padding other than zero, masks, and values with other uses;
    - loads of dynamic extents, which leave the rest of the tile alone where a transfer fills it;
    - tokens that don't go straight to a group and a wait;
    - what `carousel.load` and `carousel.store` refuse.

    ```mlir
    scf.for %j = %thread4 to %c1024 step %c512 {     // 128 threads of 4 elements, twice
      %k = arith.addi %i, %j : index
      %v = vector.transfer_read %x[%k], %zero : memref<?xf32, #gl>, vector<4xf32>
      vector.transfer_write %v, %tile[%j] {in_bounds = [true]}
          : vector<4xf32>, memref<1024xf32, #ws>
    }
    // becomes
    carousel.load %x[%i] to %tile : memref<?xf32, #gl>, memref<1024xf32, #ws>
    ```
  }];
  let statistics = [
    Statistic<"raised", "raised", "transfers that copies were raised to">,
    Statistic<"missed", "missed", "copies, or groups of their parts, that weren't raised">
  ];
  let dependentDialects = [
    "::carousel::CarouselDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

def VerifyTile : Pass<"carousel-verify-tile", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Verify the tile phase beyond what single ops can check";
  let description = [{
    Closes the tile phase. Precondition: none. Postcondition: all ops verify, and

    - no op and no type of the machine phase appears, except tensor maps as arguments of kernels
      (C133). Of the dialect, transfers, `barrier.warp`, `fence.thread` and the `grid` ops may
      appear, which name no way of copying.
    - Transfers stand in kernels, under structured control flow (C134). Neither their offsets nor
      the conditions around them visibly depend on which thread of the scope executes them (C135):
      the pass follows `gpu.thread_id` and the like through integer arithmetic. Cases that can't be
      analysed are accepted; the simulated machine checks them.
    - If a transfer's scope is a warp or a warpgroup, a known block consists of whole warps or
      warpgroups (C136). Transfers of one tile ask for one swizzle (C137). Constant offsets stay
      within the global memref where they must (C140).
    - A loop with `carousel.pipeline` contains a transfer of the pipeline's scope (C138).
    - Shared memory is a workgroup attribution, or a `memref.alloc` of static extents at the top of
      the kernel (C139).
    - The targets support the ops of other dialects: dimensions exist (C193), declared memory has
      elements with a size (C194), no copy or barrier is left that nothing lowers (C195), vectors
      have at most 1024 elements in a thread (C196), and `cp.async` can make each asynchronous copy
      (C197), and atomics with a region have elements of 8 to 64 bits (C203).
    - All threads of the CTA reach a `gpu.all_reduce`, as far as that is visible (C198).
    - A target takes each op of upstream dialects (C199), vectors have a fixed length (C200), and a
      target computes with each element type that is computed with (C201).
    - The turn of a `carousel.serialize` isn't visibly computed from `gpu.block_id` and the like,
      unless the kernel says that its CTAs are resident together, or start in order (C185).

    Changes nothing.

    ```mlir
    gpu.func @copy(%x: memref<?xf32, #gl>, %y: memref<?xf32, #gl>, %n: index) kernel {
      %tile = memref.alloc() : memref<1024xf32, #ws>
      %thread = gpu.thread_id x
      scf.for %i = %c0 to %n step %c1024 {
        carousel.load %x[%i] to %tile : memref<?xf32, #gl>, memref<1024xf32, #ws>
        carousel.store %tile to %y[%i] : memref<1024xf32, #ws>, memref<?xf32, #gl>
        // carousel.store %tile to %y[%thread] is refused: each thread has its own offset
      } {carousel.pipeline = #carousel.pipeline<stages = 4>}
      gpu.return
    }
    ```
  }];
}

def ExpandAccumulate : Pass<"carousel-expand-accumulate", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand accumulations into transfers";
  let description = [{
    Precondition: the tile phase. Postcondition: the tile phase, without `carousel.accumulate`, and
    with `carousel.serialize` only where CTAs wait for each other. docs/Ordering.md says what each
    scheme becomes. A remark says where the semaphores of segments share lines of 128 bytes.

    ```mlir
    carousel.accumulate %tile into %work[%i] reduce<add f32> first(%first) last(%last)
        : !tile, !global
    // becomes
    scf.if %first {
      carousel.store %tile to %work[%i] : !tile, !global
    } else {
      carousel.store %tile to %work[%i] reduce<add f32> exclusive : !tile, !global
    }
    scf.if %last {
      carousel.load %work[%i] to %tile : !global, !tile
    }
    ```
  }];
  let statistics = [Statistic<"expanded", "expanded", "accumulations">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SelectEngine : Pass<"carousel-select-engine", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Choose what carries each transfer out, and make variants of kernels";
  let description = [{
    Precondition: the tile phase (`--carousel-verify-tile`); the module has its `#nvvm.target`, or
    `chip` names one. Postcondition: the tile phase; every `carousel.load` and `carousel.store` of a
    kernel has an `engine`, and one that is `tensor` has a `map`.

    The engine of a transfer is the cheapest one that can carry it out, by the cost model of
    docs/Engines.md: tensor copies and bulk copies (sm_90 and later), cp.async (loads), vectors. The
    map of a tensor copy becomes an argument of the kernel after all others, with its
    `carousel.encode`. Transfers that need the same map share it.

    Conditions on addresses, extents and strides that only a launch knows become guards of a
    variant. The kernel is cloned as `NAME_tma`, or as `NAME_wide` if only the width of pieces
    depends on guards. A second clone, `NAME_tma_ragged`, has no guards on extents that boxes may
    reach across. The function itself follows as the variant without new guards. Without `variants`
    the pass uses no engine that would need a guard.

    A transfer that already has an engine keeps it in all variants, and its conditions become guards
    of all of them. Refuses engines that can't carry out their transfer (C157), and maps of which
    one swizzles a tile that another transfer doesn't swizzle (C158). Run a second time, the pass
    changes nothing.

    ```mlir
    gpu.func @copy(%x: memref<?x?xf32, strided<[?, 1]>, #gl>, ...) kernel {
      carousel.load %x[%i, %j] to %tile : ..., memref<64x64xf32, #ws>
    // becomes
    gpu.func @copy_tma(%x: ..., %map: !carousel.tensor_map<64x64xf32>
        {carousel.encode = #carousel.encode<argument = 0>}) kernel attributes {carousel.variant =
          #carousel.variant<kernel = "copy", guards = [capability(90), aligned(0, 16),
            divisible(stride(0, 0), 4), ...]>} {
      carousel.load %x[%i, %j] to %tile engine<tensor> map %map : ...
    gpu.func @copy(%x: ...) kernel attributes {carousel.variant =
        #carousel.variant<kernel = "copy">} {
      carousel.load %x[%i, %j] to %tile engine<cp_async, width = 4> : ...
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"\"",
           "Chip to attach, e.g. sm_90a (none: the module's)">,
    Option<"variants", "variants", "bool", "true",
           "Make variants of kernels with guards on their arguments">,
    Option<"preferEngine", "prefer-engine", "std::string", "\"\"",
           "Use this engine wherever it can carry a transfer out: tensor, bulk, cp_async or vector">
  ];
  let statistics = [
    Statistic<"tensorTransfers", "tensor", "transfers by tensor copies">,
    Statistic<"bulkTransfers", "bulk", "transfers by bulk copies">,
    Statistic<"cpAsyncTransfers", "cp-async", "transfers by cp.async">,
    Statistic<"vectorTransfers", "vector", "transfers by vectors">,
    Statistic<"missed", "missed", "more capable engines that were not used">,
    Statistic<"maps", "maps", "tensor maps added to kernels">,
    Statistic<"functions", "functions", "functions that serve the kernels">
  ];
  let dependentDialects = ["::carousel::CarouselDialect", "::mlir::NVVM::NVVMDialect"];
}

//===----------------------------------------------------------------------===//
// Ring phase
//===----------------------------------------------------------------------===//

include "carousel/Passes/RingPasses.td"

//===----------------------------------------------------------------------===//
// Ring phase to machine phase
//===----------------------------------------------------------------------===//

def NarrowDivisions : Pass<"carousel-narrow-divisions"> {
  let summary = "Narrow 64-bit divisions to 32 bits where value ranges allow";
  let description = [{
    Narrows divisions and remainders of index and i64 whose dividend is at most 2^32 - 1 and whose
    divisor isn't a constant: in 64 bits each is a call of a routine of about a hundred
    instructions. If the divisor may be larger, the pass clamps it to the largest 32-bit multiple of
    its known factor. The clamped divisor is still larger than the dividend, so quotients stay 0,
    and what analyses know of the remainder's alignment stays true. Value ranges come from MLIR's
    integer range inference, from tickets (`carousel.grid.ticket`), from the grid sizes that a
    launch accepts, and from the guards of the kernel's variant, which bound the extents that tensor
    maps describe.

    A quotient that is rounded up by a constant becomes the quotient of a sum (`(x + 63) / 64`) if
    the sum can't wrap. The general form needs a case of its own for zero.

    Signed operations become unsigned if both operands are known to be non-negative. The pass runs
    after those that ask for the range of an offset, since a narrowed value may wrap at 32 bits.
    Refuses nothing.

    ```mlir
    %row = arith.divui %ticket, %columns : index
    // becomes
    %by = arith.minui %columns, %c4294967295 : index
    %small = arith.index_castui %ticket : index to i32
    %small_by = arith.index_castui %by : index to i32
    %quotient = arith.divui %small, %small_by : i32
    %row = arith.index_castui %quotient : i32 to index
    ```
  }];
  let statistics = [
    Statistic<"divisionsNarrowed", "divisions-narrowed", "divisions in 32 bits">,
    Statistic<"quotientsRounded", "quotients-rounded", "quotients rounded up by a sum">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def MergeCounters : Pass<"carousel-merge-counters"> {
  let summary = "Merge loop-carried values with equal start and step";
  let description = [{
    Merges values that an `scf.for` carries, if they start with the same value and grow in each
    iteration by the same value from outside the loop. A loop has one such counter for each of its
    rings. Then `cse` merges slots and parities computed from them, and `canonicalize` drops what is
    unused. Refuses nothing.

    ```mlir
    scf.for %i = %first to %n step %s iter_args(%k = %c0, %m = %c0) -> (index, index) {
      "use"(%k, %m) : (index, index) -> ()
      %next_k = arith.addi %k, %c1 : index
      %next_m = arith.addi %m, %c1 : index
      scf.yield %next_k, %next_m : index, index
    }
    // becomes, when it is cleaned up
    scf.for %i = %first to %n step %s iter_args(%k = %c0) -> (index) {
      "use"(%k, %k) : (index, index) -> ()
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    ```
  }];
  let statistics = [
    Statistic<"countersMerged", "counters-merged", "loop-carried values merged">
  ];
}

def CarryDivisions : Pass<"carousel-carry-divisions"> {
  let summary = "Strength-reduce divisions of induction variables";
  let description = [{
    Applies to an `scf.for` over index or i64 whose first value and step are at most 2^31 - 1, as a
    block's number and the number of blocks are. The division of the induction variable by a value
    from outside the loop that isn't a constant, and the division of its quotient, become
    loop-carried values. Each iteration adds the step's quotient and remainder; if the remainder
    reaches the divisor, the pass subtracts the divisor and adds one to the quotient. The induction
    variable may be large, and its 64-bit division is a routine of about a hundred instructions. The
    divisions left before the loop are small (`--carousel-narrow-divisions`).

    The pass carries divisions only if no 64-bit division is left afterwards: the routine is in a
    kernel once, however often it is called. It carries at most `most-digits` pairs of a quotient
    and a remainder, since each pair needs two 32-bit divisions of both numbers.

    A divisor of zero counts as one, since the loop may have no iteration. Signed divisions count if
    the divisor is known to be non-negative. Carried values are no longer known to be non-negative,
    so the pass runs after those that ask for that. Refuses nothing.

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
  }];
  let options = [
    Option<"mostDigits", "most-digits", "unsigned", /*default=*/"2",
        "Largest number of pairs of quotient and remainder that a kernel's loops carry">
  ];
  let statistics = [
    Statistic<"divisionsCarried", "divisions-carried", "divisions that a loop carries">,
    Statistic<"divisionsKept", "divisions-kept",
        "divisions kept, since others had to be kept or there were too many">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
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
// Machine phase
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
    kernel already has isn't repeated, and buffers share nothing if that saves nothing. Barriers,
    tensor maps, tiles that other CTAs of the cluster reach, and buffers that can't be followed keep
    their bytes for the whole kernel; a missed remark says why.

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

//===----------------------------------------------------------------------===//
// Machine phase to target phase
//===----------------------------------------------------------------------===//

include "carousel/Passes/TargetPasses.td"

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

def RunWherePresent : Pass<"carousel-run-where-present"> {
  let summary = "Run a pipeline on the ops that contain given ops";
  let description = [{
    Looks for `ops`, names of ops or of dialects, in the op that it runs on, and runs `pipeline` on
    that op if one is present. Carousel's pipelines use it to skip passes that would rewrite
    nothing: each such pass costs about 1 % of a kernel's compilation.

    ```
    any(carousel-run-where-present{ops=affine pipeline=lower-affine})
    ```
  }];
  let options = [
    ListOption<"ops", "ops", "std::string", "Names of ops or dialects">,
    Option<"pipeline", "pipeline", "std::string", "\"\"", "Passes to run">
  ];
  let constructor = "::carousel::createRunWherePresent({}, [](::mlir::OpPassManager &) {})";
}

#endif // CAROUSEL_PASSES_PASSES_TD
