//===- BlockPasses.td - kernels on values of the CTA -------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCKPASSES_TD
#define CAROUSEL_PASSES_BLOCKPASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Block
//
// From kernels on values of the whole CTA to the tile phase. docs/BlockPhase.md
// defines the phase, which carousel-verify-block closes.
//===----------------------------------------------------------------------===//

def VerifyBlock : Pass<"carousel-verify-block", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Verify the block phase beyond what single ops can check";
  let description = [{
    Closes the block phase. Precondition: none. Postcondition: all ops verify, and in each kernel
    with `carousel.block_program`

    - ops are of the block phase: docs/BlockPhase.md lists them. There are no thread ids, shuffles
      or barriers, and no shared memory except tiles of transfers (C209).
    - Vectors have one to four dimensions of fixed extents, and at most 2^20 elements (C210).
    - Regions have one block, and conditions and bounds are scalars. Functions that the kernel calls
      have a body, for which the same holds, and don't call themselves (C211).
    - A user's layouts fit the block (C207).
    - The covered extent is computed from extents, numbers and constants (C248).

    Other kernels aren't looked at. Changes nothing.

    ```mlir
    gpu.func @rows(%x: memref<?x4096xf32>) kernel
        attributes {carousel.block_program = #carousel.block_program<>} {
      %row = gpu.block_id x
      %v = vector.transfer_read %x[%row, %c0], %zero : memref<?x4096xf32>, vector<4096xf32>
      %thread = gpu.thread_id x     // refused
    ```
  }];
}

def InlineFunctions : Pass<"carousel-inline-functions", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Inline the functions that block programs call";
  let description = [{
    Precondition: the block phase. Postcondition: the same, without calls in kernels with
    `carousel.block_program`, and without private functions that nothing calls. Functions take
    and return vectors of the CTA, so they can't be called once threads have parts of these. Calls
    of other kernels stay. Refuses functions without a body, of several blocks, and that call
    themselves, as `--carousel-verify-block` does.

    ```mlir
    func.func private @square(%v: vector<8x512xf32>) -> vector<8x512xf32> {
      %r = arith.mulf %v, %v : vector<8x512xf32>
      return %r : vector<8x512xf32>
    }
    // in a kernel
    %s = func.call @square(%x) : (vector<8x512xf32>) -> vector<8x512xf32>
    // becomes
    %s = arith.mulf %x, %x : vector<8x512xf32>
    ```
  }];
  let statistics = [Statistic<"inlined", "inlined", "calls that were inlined">];
}

def EraseAssertions : Pass<"carousel-erase-assertions", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Erase the assertions of kernels, with what is computed for them alone";
  let description = [{
    Precondition: any phase. Postcondition: the same, without `cf.assert` in kernels of the block
    phase and the functions that they call. A kernel of the tile phase keeps its assertions, and
    then functions of its module do, too. Values, branches and loops that nothing else needs are
    erased as well, so that a kernel becomes what it is without its assertions. `--carousel-lower`
    runs the pass unless `debug-assertions` keeps them.

    ```mlir
    %end = memref.load %offsets[%b] : memref<?xi32, #global>
    %ascends = arith.cmpi sle, %begin, %end : i32
    cf.assert %ascends, "expected offsets that ascend"
    %rows = arith.subi %end, %begin : i32
    // becomes
    %end = memref.load %offsets[%b] : memref<?xi32, #global>
    %rows = arith.subi %end, %begin : i32
    ```
  }];
  let statistics = [Statistic<"erased", "erased", "assertions that were erased">];
}

def CheckIndices : Pass<"carousel-check-indices", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Assert that indices which kernels read from memory are inside";
  let description = [{
    Precondition: the block phase or the tile phase; functions that are inlined are checked with the
    names of the kernel's arguments. Postcondition: the same, with a `cf.assert` before each access
    of global memory whose place is computed from what memory holds:

    - an index of `memref.load`, `memref.store`, or a dimension that the vector of a transfer
      doesn't have is inside of its dimension;
    - a `memref.subview` ends inside of each dimension, and neither its offset nor its size is
      negative;
    - a number that a transfer of `carousel.rows` finds in the table is that of a row, or -1;
    - indices of `vector.gather` and `scatter` are those of elements, where their mask holds.

    Indices of blocks, of threads, and of loops over extents aren't checked. Nor are transfers with
    a mask, which says what they access. `carousel.rows` gives other numbers than -1 the same
    meaning as -1; a kernel that relies on that has no use for the pass.

    ```mlir
    %row = memref.load %table[%i] : memref<?xindex, #global>
    %v = vector.transfer_read %x[%row, %c0], %pad : memref<?x?xf32, #global>, vector<256xf32>
    // becomes
    %row = memref.load %table[%i] : memref<?xindex, #global>
    %rows = memref.dim %x, %c0 : memref<?x?xf32, #global>
    %0 = arith.cmpi sge, %row, %c0 : index
    %1 = arith.cmpi slt, %row, %rows : index
    %2 = arith.andi %0, %1 : i1
    cf.assert %2, "expected an index inside of dimension 0 of 'x'"
    %v = vector.transfer_read %x[%row, %c0], %pad : memref<?x?xf32, #global>, vector<256xf32>
    ```
  }];
  let statistics = [Statistic<"inserted", "inserted", "assertions that were inserted">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def FoldMasks : Pass<"carousel-fold-masks", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn masks of block programs into bounds of memrefs";
  let description = [{
    Precondition: the block phase. Postcondition: the same, without `vector.mask`. For kernels as
    upstream's tiling and vectorization leave them:

    - A transfer of a view accesses the viewed memref directly.
    - A transfer whose mask is a box (`vector.create_mask`, `constant_mask`) becomes one that may
      leave its memref. If the mask ends elsewhere than the memref, so does a view.
    - In `vector.mask`, what a reduction or contraction doesn't take becomes neutral. Where the
      value is a read with the same mask, that is the read's padding.
    - A padding of poison becomes zero.
    - Memrefs without a memory space are in global memory, as all that callers pass.

    So such transfers have 16-byte accesses and tensor copies as others have. Other masks stay.

    ```mlir
    %size = affine.min affine_map<(i)[n] -> (n - i, 256)>(%i)[%columns]
    %part = memref.subview %x[%row, %i] [1, %size] [1, 1] : ...
    %mask = vector.create_mask %size : vector<256xi1>
    %v = vector.transfer_read %part[%c0, %c0], %poison, %mask {in_bounds = [true]}
    // becomes
    %v = vector.transfer_read %x[%row, %i], %zero : memref<?x?xf32>, vector<256xf32>
    ```
  }];
  let statistics = [Statistic<"folded", "folded", "masks of transfers that became bounds">];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def WidenBits : Pass<"carousel-widen-bits", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Access memrefs of i1 as bytes";
  let description = [{
    Precondition: the block phase, without calls. Postcondition: the same, in which arguments of i1
    are of i8, and have `carousel.bits`, by which callers pass i1 still. An element of i1 is a byte
    in memory, 0 or 1. Reads compare bytes with zero, and writes extend bits. So masks in memory are
    accessed by 16 bytes, and their tiles by tensor copies, as those of other types are.

    Arguments stay as they are in a kernel where one has another use: by loops and branches that
    choose a memref, or as a tile of `carousel.load`. A remark names the use.

    ```mlir
    %v = vector.transfer_read %mask[%i], %false : memref<?xi1, #global>, vector<1024xi1>
    // becomes
    %bytes = vector.transfer_read %mask[%i], %zero : memref<?xi8, #global>, vector<1024xi8>
    %v = arith.cmpi ne, %bytes, %zeros : vector<1024xi8>
    ```
  }];
  let statistics = [
    Statistic<"widened", "widened", "accesses to bits that became those to bytes">,
    Statistic<"missed", "missed", "kernels whose arguments of i1 stay as they are">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def ExpandRows : Pass<"carousel-expand-rows", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Make accesses to rows of a table gathers and scatters, where threads make them";
  let description = [{
    Precondition: the block phase, without calls. Postcondition: the same, in which transfers of
    tiles alone use `carousel.rows`. Those are the reads of pipelined loops, and the writes that
    engines or whole rows of threads make. The others become `vector.gather` and `vector.scatter`
    with a mask of the rows and columns that exist.

    ```mlir
    %own = carousel.rows %x[%token] : memref<?x?xf32, #global>, memref<?xi32, #global>
    %v = vector.transfer_read %own[%i, %j], %pad : memref<?x?xf32, #global>, vector<8x64xf32>
    // becomes
    %numbers = vector.transfer_read %token[%i], %none : memref<?xi32, #global>, vector<8xi32>
    %v = vector.gather %x[%c0, %c0] [%indices], %mask, %others : ...
    ```
  }];
  let statistics = [Statistic<"expanded", "expanded", "accesses that became gathers or scatters">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def SplitExtents : Pass<"carousel-split-extents", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Take products in parts whose extents are powers of two";
  let description = [{
    Precondition: the block phase, without calls. Postcondition: the same, in which the products
    that matrix instructions compute have extents that are powers of two, where the ops around them
    can be divided, too. A dimension of 96 elements becomes vectors of 64 and of 32. So nothing is
    multiplied that isn't in the product, and no register holds padding.

    An op on such a dimension becomes one for each part. A product along a divided k becomes several
    that add to each other, in the order of k. A reduction adds the parts in their order. Loops and
    branches carry each part. Products without instructions for their types stay as they are.

    Leaves a dimension whole, with a missed remark, where an op takes all of it at once, as
    `vector.interleave` does, where an access is masked, or where a part would be less than an
    instruction's. A remark states the parts. An extent that is covered is a power of two already.

    ```mlir
    %v = vector.transfer_read %x[%j, %c0], %pad : memref<?x96xbf16, #global>, vector<64x96xbf16>
    %y = vector.contract #product %p, %v, %sum
        : vector<128x64xbf16>, vector<64x96xbf16> into vector<128x96xf32>
    // becomes
    %v0 = vector.transfer_read %x[%j, %c0], %pad : memref<?x96xbf16, #global>, vector<64x64xbf16>
    %v1 = vector.transfer_read %x[%j, %c64], %pad : memref<?x96xbf16, #global>, vector<64x32xbf16>
    %y0 = vector.contract #product %p, %v0, %sum#0
        : vector<128x64xbf16>, vector<64x64xbf16> into vector<128x64xf32>
    %y1 = vector.contract #product %p, %v1, %sum#1
        : vector<128x64xbf16>, vector<64x32xbf16> into vector<128x32xf32>
    ```
  }];
  let statistics = [
    Statistic<"divided", "divided", "products that are taken in parts">,
    Statistic<"missed", "missed", "products whose extents stay whole">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def VaryTiles : Pass<"carousel-vary-tiles", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Make variants of products with tiles of other extents";
  let description = [{
    Precondition: the block phase, without calls. Postcondition: the same. A kernel whose products
    warpgroups compute becomes several (`carousel.variant`): its own, and ones with other tiles.
    Each has a cost, the predicted time of a launch, by which the launch chooses. The kernel keeps
    its name, and others have their tile in theirs.

    Tiles vary along numbers of programs that are *tiled* (docs/BlockPhase.md, Tiles): the grid has
    `ceildiv(extent, t)` programs along it, each program's number is multiplied by `t` and used for
    nothing else, and each op does the same to all elements of the tile. Results don't depend on the
    tile: the order of additions is that of k.

    A kernel with `carousel.parts` also becomes variants in which the CTAs of a cluster divide the
    iterations of the products' loop (docs/BlockPhase.md, Who multiplies). Their order of additions
    is that of the parts.

    Rows or columns that don't depend on such a number, as rows that programs look up, keep their
    extent. Leaves alone, with a missed remark, products whose rows or columns begin at a number
    that isn't tiled, or of which neither is tiled, and kernels whose author gives a block or a
    cluster, asks for the order or the presence of CTAs, or has products in several loops. A remark
    states the tiles.

    ```mlir
    gpu.func @matmul(%a: !matrix, %b: !matrix, %y: !matrix) kernel attributes {carousel.launch =
        <grid = [ceildiv(extent(2, 1), 256), ceildiv(extent(2, 0), 128)]>} {
      %i = affine.apply affine_map<(d) -> (d * 128)>(%block_y)
      %next = vector.contract %at, %bt, %sum
          : vector<128x64xbf16>, vector<64x256xbf16> into vector<128x256xf32>
    // becomes, among others
    gpu.func @matmul_64x128(...) attributes {carousel.launch =
        <grid = [ceildiv(extent(2, 1), 128), ceildiv(extent(2, 0), 64)], block = [128]>,
        carousel.variant = #carousel.variant<kernel = "matmul", cost = ...>} {
      %i = affine.apply affine_map<(d) -> (d * 64)>(%block_y)
      %next = vector.contract %at, %bt, %sum
          : vector<64x64xbf16>, vector<64x128xbf16> into vector<64x128xf32>
    ```
  }];
  let statistics = [
    Statistic<"made", "made", "kernels with other tiles">,
    Statistic<"missed", "missed", "kernels with products that stay as they are">
  ];
  let dependentDialects = ["::carousel::CarouselDialect", "::mlir::affine::AffineDialect"];
}

def SpecializeBlocks : Pass<"carousel-specialize-blocks", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Make variants of block programs by the extents and alignments of a launch";
  let description = [{
    Precondition: the block phase. Postcondition: the same, with a launch block and a number of
    programs for each kernel. A kernel becomes variants (`carousel.variant`), the first that holds
    is launched:

    - by width, if the kernel has `covers`: narrower vectors for smaller extents. Each width has its
      own number of threads, and of programs that a CTA executes together.
    - by alignment: with 16-byte accesses, where pointers, strides and the covered extent are
      multiples of 16 bytes, and with accesses of single elements.

    On chips with clusters, CTAs of a cluster share rows that one CTA doesn't have enough threads
    for. Where all programs read much that is the same (weights of 32 bits), CTAs keep it and go
    through the programs in a loop. On chips with bulk copies, CTAs read wide rows once, to shared
    memory (`keeps`), and go over them in chunks; those of a cluster share wider ones. A kernel that
    has `keeps` itself has variants by alignment only.

    Results don't depend on the width, since elements beyond the covered extent count nowhere. A
    reduction or sum of products for which their values aren't neutral gets a mask, and so does a
    scatter. A write that may leave the extent gets a view. Where memrefs of other arguments must
    end with the extent for that, a guard requires it. Contractions of other kinds than sums are
    refused (C249). Where an op means something at the kernel's width only, there are no variants of
    other widths, and a missed remark names the op (docs/BlockPhase.md, Width).

    Vectors are at most as wide as a CTA has registers and shared memory for. The last variant has
    no guards but those of the kernel, if the kernel can go over wider extents in chunks
    (`--carousel-stream-rows`), and otherwise requires extents that its vectors cover. A remark
    states each variant.

    ```mlir
    gpu.func @softmax(...) attributes {
      carousel.block_program = <width = 65536, covers = extent(0, 1)>}
    // becomes, among others
    gpu.func @softmax_1024_vector(...) attributes {
      carousel.block_program = <width = 1024, covers = extent(0, 1), programs = 8>,
      carousel.variant = #carousel.variant<kernel = "softmax", guards = [
        range(extent(0, 1), 0, 1024), divisible(extent(0, 1), 8), ...]>}
    ```
  }];
  let options = [
    Option<"variants", "variants", "bool", "true",
           "Make variants; otherwise each kernel stays one, which no guard restricts">
  ];
  let statistics = [Statistic<"functions", "functions", "functions that kernels became">];
  let dependentDialects = [
    "::carousel::CarouselDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def NarrowExtrema : Pass<"carousel-narrow-extrema", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Find extrema in the type of the elements that are read";
  let description = [{
    Precondition: the block phase, without calls. Postcondition: the same. The largest or least of
    elements that `arith.extf` extends from 16 bits, or of choices between such and constants, is
    that of the elements themselves, extended: extensions keep the order. Two elements are compared
    by one instruction, and none is extended before. Extrema stay as they are of elements that the
    kernel's guards don't let threads read by two, and of those that are compared later, too.

    ```mlir
    %e = arith.extf %v : vector<4096xbf16> to vector<4096xf32>
    %max = vector.multi_reduction <maxnumf>, %e, %lowest32 [0] : vector<4096xf32> to f32
    // becomes
    %m = vector.multi_reduction <maxnumf>, %v, %lowest [0] : vector<4096xbf16> to bf16
    %max = arith.extf %m : bf16 to f32
    ```
  }];
  let statistics = [
    Statistic<"narrowed", "narrowed", "extrema of elements that aren't extended first">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def HoistReads : Pass<"carousel-hoist-reads", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Begin reads before the first reduction";
  let description = [{
    Precondition: the block phase, without calls. Postcondition: the same.

    Threads issue in program order, and meet in reductions. So what follows the first reduction of a
    kernel and doesn't need it is read before it: numbers, and vectors of at most as many bits as
    are read there already, since they live across it in registers. Numbers at addresses from
    memory are read behind the vectors, which needn't wait for the address, and others first.

    Reads don't pass writes, loops, branches, barriers or any other op with an effect. Kernels in
    which a product comes before the first reduction keep what the product follows.

    ```mlir
    %x = vector.transfer_read %m[%row, %c0], %none : memref<?x?xbf16, #global>, vector<4096xbf16>
    %max = vector.multi_reduction <maxnumf>, %x, %none [0] : vector<4096xbf16> to bf16
    %label = memref.load %labels[%row] : memref<?xindex, #global>
    %own = memref.load %m[%row, %label] : memref<?x?xbf16, #global>
    // becomes
    %label = memref.load %labels[%row] : memref<?xindex, #global>
    %x = vector.transfer_read %m[%row, %c0], %none : memref<?x?xbf16, #global>, vector<4096xbf16>
    %own = memref.load %m[%row, %label] : memref<?x?xbf16, #global>
    %max = vector.multi_reduction <maxnumf>, %x, %none [0] : vector<4096xbf16> to bf16
    ```
  }];
  let statistics = [Statistic<"hoisted", "hoisted", "reads that begin before a reduction now">];
}

def BatchPrograms : Pass<"carousel-batch-programs", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Let one CTA execute several programs of the block phase together";
  let description = [{
    Precondition: the block phase. Postcondition: the same, without `programs`. A kernel with
    `programs = n` becomes one whose CTAs each do the work of n CTAs: vectors get a leading
    dimension of n, scalars that depend on the block id become vectors, and the grid's first extent
    is divided by n, rounded up. Accesses of programs beyond the grid are masked. Branches and loops
    that differ between programs are executed for a mask of those that take them.

    Refuses, with a missed remark, kernels in which this isn't possible: offsets of more than one
    dimension that depend on the block id, and turns and tickets.

    ```mlir
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !matrix, vector<128xf32>
    %s = vector.multi_reduction <add>, %v, %zero [0] : vector<128xf32> to f32
    // becomes, for 8 programs
    %row = arith.muli %block, %c8 : index
    %v = vector.transfer_read %x[%row, %c0], %zero : !matrix, vector<8x128xf32>
    %s = vector.multi_reduction <add>, %v, %zeros [1] : vector<8x128xf32> to vector<8xf32>
    ```
  }];
  let statistics = [
    Statistic<"batched", "batched", "kernels that were batched">,
    Statistic<"missed", "missed", "kernels that asked for it and stay as they are">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def StreamRows : Pass<"carousel-stream-rows", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Let block programs go over extents that are wider than their vectors";
  let description = [{
    Precondition: the block phase. Postcondition: the same. A kernel with `covers` whose vectors may
    be narrower than the extent becomes one that goes over the extent in passes of `width` elements:
    a loop for each level of reductions, and one for the results. What several passes need is read
    and computed again in each. Two levels share a loop where what the second one has so far can be
    corrected by what the first one has (docs/BlockPhase.md, Reductions in one pass); a remark says
    what has no correction. With `keeps`, rows that several passes need are read once, to a tile
    of `keeps` elements in shared memory, and the variant gets a guard for extents up to that. In a
    launch with a cluster, each CTA has a part of `keeps`, and the CTAs gather the results of each
    pass (`carousel.cluster.gather`). Then the grid and block ids count CTAs.

    A loop over rows becomes two: one reduces and writes the rows, the other one goes over chunks of
    the vectors that the loop carries. Scalars of each row that the second needs stay in shared
    memory, if the loop has a bound.

    Refuses, with a missed remark, kernels in which the covered dimension isn't elementwise apart
    from reductions, and those in which chunks would change the order of two accesses to a memref.
  }];
  let statistics = [
    Statistic<"streamed", "streamed", "kernels that go over their extent in passes">,
    Statistic<"missed", "missed", "kernels that can't">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def Distribute : Pass<"carousel-distribute", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Distribute values of the CTA to its threads";
  let description = [{
    Takes kernels from the block phase to the tile phase. Precondition: the block phase, with a
    launch block. Postcondition: the tile phase. With a cluster, the grid gets as many CTAs for each
    program. The planner (Analysis/Distribution/LayoutPlan.h) gives each vector a layout. Each
    thread then computes with the vector of its own elements:

    - reads and writes of global memory become accesses of up to 16 bytes, as far as the alignment
      that the variant's guards promise, masked at the edges. In a loop with `carousel.pipeline`
      they become transfers of tiles.
    - reductions go through registers, shuffles and, between warps, one exchange through shared
      memory with one barrier.
    - contractions go through `mma.sync` where there is an instruction for their types and extents:
      sums of f32 of f16, bf16, 8-bit floats and tf32, and sums of i32 of i8. A factor that a
      transfer brings is read by `ldmatrix` from a swizzled tile. Others are multiply-adds of each
      thread's own elements.
    - where two ops want different layouts, registers are permuted, or values go through shared
      memory.

    Remarks state the layouts and the conversions with their prices. Refuses layouts that contradict
    and vectors that don't fit registers (C212).
  }];
  let statistics = [
    Statistic<"values", "values", "vectors that were distributed">,
    Statistic<"exchanges", "exchanges", "exchanges through shared memory">,
    Statistic<"conversions", "conversions", "conversions between layouts through shared memory">
  ];
  let dependentDialects = [
    "::carousel::CarouselDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::nvgpu::NVGPUDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // CAROUSEL_PASSES_BLOCKPASSES_TD
