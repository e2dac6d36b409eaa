//===- TilePasses.td - up to the tile phase, with engines --*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_TILEPASSES_TD
#define CAROUSEL_PASSES_TILEPASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Tile
//
// From kernels that MLIR made to the tile phase, in which whole tiles are copied as
// if every copy were synchronous. carousel-verify-tile closes the phase.
//===----------------------------------------------------------------------===//

def AttachTarget : Pass<"carousel-attach-target", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Set the chip and the PTX version that a gpu.module is compiled for";
  let description = [{
    Sets the module's targets to one `#nvvm.target`, which replaces any other. Later passes read the
    chip and the PTX version from it.

    Refuses a chip that isn't in the table of targets, and a PTX version that the chip or Carousel
    doesn't have.

    ```mlir
    gpu.module @kernels {}
    // --carousel-attach-target=chip=sm_90a
    gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {}
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "Chip, e.g. sm_90a">,
    Option<"ptxVersion", "ptx-version", "std::optional<unsigned>", /*default=*/"",
           "PTX version times ten, e.g. 86; if absent, 88">,
    Option<"optLevel", "opt-level", "unsigned", "2",
           "LLVM's optimisation: 2, the passes that ptxas doesn't repeat; 1 and 3, LLVM's levels; "
           "0, none">
  ];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

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

//===----------------------------------------------------------------------===//
// EngineSelection
//
// From the tile phase to the tile phase: each transfer gets the engine that carries
// it out, and each kernel one variant per set of guards. No verifier follows: the next
// stage starts from the tile phase, too.
//===----------------------------------------------------------------------===//

def DrawTiles : Pass<"carousel-draw-tiles", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Let CTAs draw their tiles from a counter where this is faster";
  let description = [{
    Replaces a loop with `carousel.pipeline` over the grid by an `scf.while` in which a CTA draws a
    ticket for each iteration (`carousel.grid.ticket`). Faster CTAs take more tiles, and all CTAs
    stay within a few tiles of each other, so that their accesses go to few DRAM pages. The price is
    an atomic operation and two barriers in each iteration.

    The pass does so where `tiles = tickets` asks for it, and where `tiles = auto` and a launch is
    predicted to be faster (docs/Decisions.md). Both assert that no iteration accesses global memory
    that another one writes. The other conditions:

    - The loop stands at the top of the kernel, is the only one with such a request, and carries no
      values.
    - The grid has one dimension. The loop begins at `block_id x` and advances by `grid_dim x`, both
      times one constant.
    - Nothing else in the loop depends on the block's number.
    - Each shared buffer of the loop is written as a whole in an iteration before it is read there,
      and isn't accessed outside. One that the loop only reads may be written before it.
    - The kernel has a `carousel.launch`, and no other tickets or turns.

    The counter is a new argument with `carousel.workspace`, which the runtime allocates and zeroes.
    A kernel whose loop could be drawn has it in any case, since code for another chip may draw. A
    remark states the decision or the condition that doesn't hold.

    Precondition: the tile phase. Postcondition: the tile phase, without `tiles`.

    ```mlir
    scf.for %i = %first to %n step %step {  // %first = block_id x * 4096
      carousel.load %x[%i] to %t : !global, !tile
    } {carousel.pipeline = #carousel.pipeline<tiles = tickets>}
    // becomes
    %first = carousel.grid.ticket %tickets[%c0] of %total : !counters
    scf.while (%t0 = %first) : (index) -> index {
      %exists = arith.cmpi slt, %t0, %tiles : index
      scf.condition(%exists) %t0 : index
    } do {
    ^bb0(%t1: index):
      %i = arith.muli %t1, %c4096 : index
      carousel.load %x[%i] to %t : !global, !tile
      %next = carousel.grid.ticket %tickets[%c0] of %total : !counters
      scf.yield %next : index
    } attributes {carousel.pipeline = #carousel.pipeline<>}
    ```
  }];
  let statistics = [Statistic<"drawn", "loops", "loops whose tiles CTAs draw">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
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

def PadTiles : Pass<"carousel-pad-tiles", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Pad rows of loaded tiles to granules of 16 bytes";
  let description = [{
    Precondition and postcondition: the tile phase, before `--carousel-select-engine`. A tile whose
    rows aren't a multiple of 16 bytes, as those of stencils with their halo, gets wider rows, so
    that engines can load it. If a load begins some elements past a multiple of 16 bytes, it begins
    that much earlier, and accesses move along. docs/Engines.md, "Padding", states the rules.

    The pass pads a `memref.alloc` with these properties only: transfers only load it, without an
    engine, a swizzle or `by_threads`; all other uses are loads and stores of elements and vectors,
    and subviews with such uses; no alignment that an access promises is lost; the loads' global
    memrefs are arguments that the kernel only reads, and their rows are longer than the tile's; at
    most half of the new row is padding; shared memory suffices. The wider box isn't `in_bounds`. A
    remark names the reason for each tile that isn't padded. Run a second time, the pass changes
    nothing.

    ```mlir
    %tile = memref.alloc() : memref<18x66xf32, #ws>
    carousel.load %x[%i, %j_minus_1] to %tile : !matrix, memref<18x66xf32, #ws>
    %v = memref.load %tile[%r, %c] : memref<18x66xf32, #ws>
    // becomes
    %tile = memref.alloc() : memref<18x72xf32, #ws>
    carousel.load %x[%i, %j_minus_4] to %tile : !matrix, memref<18x72xf32, #ws>
    %v = memref.load %tile[%r, %c_plus_3] : memref<18x72xf32, #ws>
    ```
  }];
  let statistics = [Statistic<"padded", "padded", "tiles with wider rows">,
                    Statistic<"missed", "missed", "tiles that keep rows of partial granules">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def SelectEngine : Pass<"carousel-select-engine", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Choose what carries each transfer out, and make variants of kernels";
  let description = [{
    Precondition: the tile phase (`--carousel-verify-tile`); the module has its `#nvvm.target`.
    Postcondition: the tile phase; every `carousel.load` and `carousel.store` of a
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
    Option<"variants", "variants", "bool", "true",
           "Make variants of kernels with guards on their arguments">,
    Option<"preferEngine", "prefer-engine", "std::optional<EngineKind>", /*default=*/"",
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
  let dependentDialects = ["::carousel::CarouselDialect"];
}

def FillInReaders : Pass<"carousel-fill-in-readers", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Fill where tiles are read, for tensor copies with other fills than zero and NaN";
  let description = [{
    Precondition and postcondition: the tile phase, after `--carousel-select-engine`. A load by
    engine `tensor` with a number as its `fill` becomes one that fills with zero. Each reader of the
    tile selects the number if its element is outside of the global memref. Loads by other engines
    keep their fill: the threads that fill tiles write it.

    The pass refuses a tile whose readers aren't all loads of elements and vectors that the load
    dominates (C205). `--carousel-select-engine` chooses no tensor copy then. Run a second time, the
    pass changes nothing.

    ```mlir
    carousel.load %x[%i] to %t fill(-inf) engine<tensor> map %map : !vector, !tile, !map
    %v = memref.load %t[%j] : !tile
    // becomes
    carousel.load %x[%i] to %t engine<tensor> map %map : !vector, !tile, !map
    %v = memref.load %t[%j] : !tile
    %position = arith.addi %i, %j : index
    %inside = arith.cmpi ult, %position, %extent : index
    %filled = arith.select %inside, %v, %negative_infinity : f32
    ```
  }];
  let statistics = [Statistic<"rewritten", "rewritten", "readers that fill">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // CAROUSEL_PASSES_TILEPASSES_TD
