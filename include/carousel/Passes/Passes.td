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

def FormTransfers : Pass<"carousel-form-transfers", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Raise copies between global and shared memory to transfers of tiles";
  let description = [{
    Leads kernels that MLIR has made into the tile phase. Precondition: none. Postcondition:
    what was raised passes `--carousel-verify-tile`; everything else is as it was. In each
    kernel, what moves data between a memref in global memory and one in workgroup memory
    becomes a `carousel.load` or a `carousel.store`:

    - `memref.copy` and `linalg.copy`,
    - pairs of a read (`memref.load`, `vector.load`, `vector.transfer_read`) and a write of what
      was read (`memref.store`, `vector.store`, `vector.transfer_write`),
    - `nvgpu.device_async_copy`. When a kernel has none of them left, the groups that were
      raised go, and the waits for them; copies of one group are raised together or not at all.

    The moves between two memrefs are one transfer if all threads of the block
    (`known_block_size` or `carousel.launch`), in all turns of the loops around the moves, come
    to each element of the tile or of a box of it, and if the element's place in the global
    memref is a base that is the same in all threads plus its place in the box. That is found
    out by evaluating the indices for every thread, up to 2^20 places; a copy whose operands
    don't depend on the thread may have any block. Subviews are looked through, as long as they
    don't end before the box does; then the view is the transfer's memref. Padding of zero
    becomes the fill, a store's elements out of bounds are clipped; where nothing may be out of
    bounds, the transfer is `in_bounds`. Barriers stay.

    A transfer is one of the orders in which the threads could have made the moves themselves.
    So it is right wherever all threads come to it together and nothing that stands between the
    moves depends on them. It does make threads wait for each other: threads of one block that
    poll memory for each other across it would hang.

    Refuses, with a missed remark: moves under control flow that visibly or possibly differs
    between threads; places that can't be evaluated, aren't all of a box, or are transposed; a
    barrier, or an access that may touch the same memory, between the parts; padding other than
    zero, masks, values that are used elsewhere as well; loads of dynamic extents, which leave
    the rest of the tile alone where a transfer fills it; tokens that don't go straight to a
    group and a wait; and what `carousel.load` and `carousel.store` refuse.

    ```mlir
    scf.for %j = %thread4 to %c1024 step %c512 {     // 128 threads of 4 elements, twice
      %k = arith.addi %i, %j : index
      %v = vector.transfer_read %x[%k], %zero : memref<?xf32, #gl>, vector<4xf32>
      vector.transfer_write %v, %tile[%j] {in_bounds = [true]} : vector<4xf32>, memref<1024xf32, #ws>
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
  let summary = "Check what the tile phase promises and an op alone can't see";
  let description = [{
    Closes the tile phase: what verifiers of ops demand holds, and what is below. Precondition: none. Postcondition:

    - No op and no type of the machine phase, but for tensor maps as arguments of kernels (C133).
      Of the dialect there may be transfers, `barrier.warp`, `fence.thread` and the `grid` ops,
      which name no way of copying.
    - Transfers stand in kernels, under structured control flow (C134). Neither their offsets
      nor what they stand under visibly depends on which thread of the scope it is (C135):
      `gpu.thread_id` and the like are followed through integer arithmetic. What can't be
      followed passes, and is the simulated machine's business.
    - A block that is known is made of whole warps or warpgroups where a transfer's scope is
      one (C136); transfers of one tile ask for one swizzle (C137); constant offsets don't
      leave the global memref where they mustn't (C140).
    - A loop with `carousel.pipeline` has a transfer of the pipeline's scope in it (C138).
    - Shared memory is a workgroup attribution, or a `memref.alloc` of static extents at the
      top of the kernel (C139).
    - Ops of other dialects are such that the targets have them: dimensions that are there (C193),
      declared memory whose elements have a size (C194), no copies and barriers that nothing
      lowers (C195), vectors of at most 1024 elements in a thread (C196), asynchronous copies
      that cp.async can make (C197).
    - All threads of the CTA come to a `gpu.all_reduce`, as far as that is visible (C198).
    - Ops of upstream dialects are ones that a target takes (C199), vectors have a fixed length (C200), and computations
      are of element types that a target computes with (C201).
    - The turn of a `carousel.serialize` isn't visibly computed from `gpu.block_id` and the like,
      unless the kernel says that its CTAs are on the device at once, or start in order (C185).

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
  let summary = "Make transfers of accumulations, by their scheme";
  let description = [{
    Precondition: the tile phase. Postcondition: the tile phase, without `carousel.accumulate`, and with
    `carousel.serialize` only where CTAs wait for each other. docs/Ordering.md says what each scheme becomes.
    A remark says where segments' semaphores share lines of 128 bytes.

    ```mlir
    carousel.accumulate %tile into %work[%i] reduce<add f32> first(%first) last(%last) : !tile, !global
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
  let summary = "Decide what carries each transfer out, and make variants of kernels for it";
  let description = [{
    Precondition: the tile phase (`--carousel-verify-tile`); the module has its `#nvvm.target`, or
    `chip` names one. Postcondition: the tile phase; every `carousel.load` and `carousel.store` of
    a kernel has an `engine`, one that is `tensor` a `map`.

    The engine of a transfer is the cheapest one, by the cost model in docs/Engines.md, that
    can carry it out: tensor copies and bulk copies (sm_90 and later), cp.async (loads), vectors.
    A tensor copy's map becomes an argument of the kernel behind all others, with its
    `carousel.encode`; transfers that need the same map share it.

    What an engine needs of addresses, extents and strides that only a launch knows becomes a guard
    of a variant: the kernel is cloned as `NAME_tma` (`NAME_wide` where only the width of pieces
    depends on guards), perhaps as `NAME_tma_ragged`, which asks nothing of extents that boxes may
    reach across, and the function itself follows as the variant without new guards. Without
    `variants` nothing is used that would have to be checked.

    An engine that a transfer has already is left, in all variants; what it needs of a launch
    becomes a guard of all of them. Refuses engines that can't carry out their transfer (C157), and
    maps of which one swizzles a tile that another transfer doesn't (C158). Run again, it changes
    nothing.

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
           "tensor, bulk, cp_async or vector: what carries out all that it can, whatever it costs">
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
  let summary = "Divide in 32 bits what is known to be so small";
  let description = [{
    Divisions and remainders of index and i64, by what isn't a constant, whose dividend is at most 2^32 - 1: they are calls of a routine of a
    hundred instructions. The divisor may be anything. Where it isn't known to be as small, larger ones count as the largest number of 32 bits that is a multiple of all that the
    divisor is known to be one of, and the dividend is less than that: quotients are 0 for both, and what analyses of alignment know of remainders stays. Ranges come from MLIR's range inference, tickets (`carousel.grid.ticket`), the sizes of grids that launches take, and the
    guards of the kernel's variant, which bound the extents of what tensor maps describe.

    Quotients that are rounded up, by a constant, of a number that is known to have a sum with it, are those of that sum (`(x + 63) / 64`); without, zero would be a case of its own.

    Signed ones become unsigned, where both numbers are known not to be negative. It stands behind the passes that ask for the range of an offset,
    which is lost where 32 bits could wrap. Refuses nothing.

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
  let summary = "Make one value of loop-carried numbers that are alike";
  let description = [{
    Values that an `scf.for` carries, that begin with the same value and grow by the same value from outside of the loop in each iteration, are one, as the uses of
    several rings are that a loop has one each of. What is computed of them, slots and parities, `cse` finds to be the same then; `canonicalize` drops what nobody
    uses any more. Refuses nothing.

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
    Statistic<"countersMerged", "counters-merged", "loop-carried values that are another one">
  ];
}

def CarryDivisions : Pass<"carousel-carry-divisions"> {
  let summary = "Count quotients and remainders along a loop instead of dividing in it";
  let description = [{
    In an `scf.for` over index or i64 whose first value and step are at most 2^31 - 1, as a block's number and the number of blocks are: the loop's variable, divided
    by a value from outside of the loop that is no constant, and its quotient divided again. Quotient and remainder become values that the loop carries: each
    grows by the step's, and where remainders reach the divisor it is taken away and the quotient takes one more. A variable may be large; its division in 64 bits
    is a routine of a hundred instructions, while what is left to divide, in front of the loop, is small (`--carousel-narrow-divisions`).

    Nothing is carried unless no division in 64 bits is left then, since its routine is in a kernel once, however often it is called; and at most `most-digits` pairs of
    a quotient and a remainder, since each takes two divisions of 32 bits of both numbers.

    A divisor of zero counts as one, since the loop may have no iteration. Signed divisions count where the divisor is known not to be negative. What is carried
    is no longer known not to be negative, so it stands behind the passes that ask for that. Refuses nothing.

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
    scf.for %tile = %block to %tiles step %blocks iter_args(%column = %first_column, %row = %first_row) -> (index, index) {
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
    Option<"mostDigits", "most-digits", "unsigned", /*default=*/"2", "Pairs of quotient and remainder that loops of a kernel carry, at most">
  ];
  let statistics = [
    Statistic<"divisionsCarried", "divisions-carried", "divisions that a loop carries">,
    Statistic<"divisionsKept", "divisions-kept", "divisions that a loop could carry, if others could, too, or were fewer">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LowerRings : Pass<"carousel-lower-rings", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn rings into shared buffers, mbarriers and the copies of each engine";
  let description = [{
    Precondition: the ring phase; the module has its `#nvvm.target`, and each kernel with rings a
    `carousel.launch` or a `known_block_size`. Postcondition: the machine phase, apart from
    `memref.alloc` of shared memory, which `--carousel-allocate-shared` takes; no op and no type of
    the ring phase is left (C141).

    - A ring becomes a buffer of bytes per tile, its slots padded to what the transfers ask for, and an
      array of mbarriers `full`, another one `empty` where an mbarrier hands slots back. One
      thread initialises all of the kernel's barriers at its top; all threads meet once.
    - `produce` waits for the slot, tells `full` how many bytes come, issues, and arrives. Tensor and bulk
      copies are issued by the scope's first thread; cp.async and vector copies are
      divided among all of the scope's threads, who arrive when theirs have landed.
    - `release` is an arrival of each warp at `empty`, or a meeting, which is left out where another one
      next to it does as well.
    - `submit` is a bulk group of the scope's first thread, `drain` its wait.
    - Meetings of roles and warpgroups get named barriers.
    - The first fills of a ring, in a loop in front of the one that fills the others (`ahead`), are made by the first iteration
      of that one where a fill is much code for its issuing thread, so that it stands once.
    - Boxes that reach outside are clipped and filled: by the engine where it can, else by the threads.
    - What `--carousel-form-transfers` hasn't raised: `nvgpu.device_async_copy` becomes `carousel.cp_async.copy`,
      `nvgpu.device_async_create_group` becomes `carousel.cp_async.commit_group`, and `nvgpu.device_async_wait` becomes
      `carousel.cp_async.wait_group`, for 0 groups where it names no number. The hardware counts groups, so that tokens
      become numbers that nothing depends on.

    docs/Rings.md, "Lowering", has the details. The sm_80 has the same scheme with cp.async and vector
    copies.

    Refuses kernels with a block that isn't known or that doesn't fit the roles and scopes (C160);
    more than 15 meetings with named barriers (C162); barriers of the whole block in a role (C163); transfers that their engine
    can't carry out (C164); asynchronous copies that cp.async can't make (C197); rings whose producers or consumers aren't one role, or that aren't
    made at the kernel's top (C165).

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
           "Rings that cp.async fills ahead, by the threads that use them, are without mbarriers: "
           "waits are for commit groups, and a meeting (docs/Rings.md)">,
    Option<"foldPrologues", "fold-prologues", "bool", "true",
           "Loops make the first fills of their rings, where a fill is much code">,
    Option<"foldFrom", "fold-prologues-from", "unsigned", "32",
           "Instructions, by estimate, from which on a fill is much code">
  ];
  let statistics = [
    Statistic<"ringsLowered", "rings", "rings lowered">,
    Statistic<"prologuesFolded", "prologues-folded", "loops of first fills that other loops make">,
    Statistic<"barriers", "barriers", "mbarriers made">,
    Statistic<"byOneThread", "by-one-thread", "transfers that one thread issues">,
    Statistic<"byAllThreads", "by-all-threads", "transfers that threads make themselves">,
    Statistic<"clipped", "clipped", "transfers with code for elements outside of their memref">,
    Statistic<"meetingsMerged", "meetings-merged", "releases that another meeting makes">
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
  let summary = "Give shared allocations their bytes of dynamic shared memory";
  let description = [{
    Precondition: the machine phase, apart from `memref.alloc` of shared memory; the module has
    its `#nvvm.target`. Postcondition: in kernels no such alloc is left (C99).

    Each `memref.alloc` in workgroup memory, of data or of barriers, becomes a `memref.view` at a
    constant place of one `gpu.dynamic_shared_memory`, its `memref.dealloc` vanishes. Attributions
    stay; what the kernel has of dynamic shared memory already is kept below the new buffers. A
    buffer is aligned to what its uses need (128 to 1024 bytes for tensor copies, 16 for bulk
    copies), to what the alloc asks for, and to at least 16 bytes. The slots of a multi-buffered
    tile are one buffer: that each of them is aligned is up to who laid them out. The kernel's
    `carousel.launch` gets `shared`; without one a remark says how much there has to be.

    With `reuse`, buffers that don't live at the same time may share bytes. A buffer lives from the
    first op at the top of the kernel's body that uses it to the last, views and values of
    structured control flow included, and until the last use of the barrier that its loads signal.
    Between the lives of two buffers that share bytes all threads meet at a `gpu.barrier`; before
    it they wait for bulk stores that read the old bytes and for `cp.async` that writes them, and
    fence the async proxy if it is to write what ordinary stores wrote. What of this the kernel
    does by itself isn't repeated, and where nothing is saved, nothing is shared. Barriers, tensor
    maps, tiles that other CTAs of the cluster reach, and what can't be followed keep their bytes
    for the whole kernel; a missed remark says why.

    Refuses kernels that need more than the chip has, with the bytes of each buffer (C146);
    allocations in loops or branches, of dynamic extents, of a layout that isn't static, or
    aligned to more than the 1024 bytes that dynamic shared memory is aligned to, and uses behind
    a `memref.dealloc` (C147); and kernels that use dynamic shared memory nobody knows the end of
    (C148).

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
           "Let buffers share bytes that don't live at the same time">,
    Option<"report", "report", "bool", "false", "Print the bytes of each buffer to stderr">
  ];
  let statistics = [
    Statistic<"buffers", "buffers", "buffers placed">,
    Statistic<"bytes", "bytes", "bytes of dynamic shared memory that they take">,
    Statistic<"bytesSaved", "bytes-saved", "bytes saved by reuse">,
    Statistic<"barriersInserted", "barriers-inserted", "barriers inserted for reuse">,
    Statistic<"buffersKept", "buffers-kept", "buffers that have to live as long as the kernel">
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
  let summary = "Run a pipeline on ops that hold certain ops, and on no others";
  let description = [{
    Looks for `ops`, names of ops or of dialects, in the op that it runs on, and runs `pipeline` on it where there is one.
    Carousel's pipelines leave out what rewrites ops that a kernel doesn't have: rewriting nothing costs about a
    hundredth of a kernel's compilation for each such pass.

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
