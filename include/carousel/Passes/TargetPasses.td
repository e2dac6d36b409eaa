//===- TargetPasses.td - to the target phase, in order -----*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_TARGETPASSES_TD
#define CAROUSEL_PASSES_TARGETPASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Machine phase to target phase
//===----------------------------------------------------------------------===//

def AttachTarget : Pass<"carousel-attach-target", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give a gpu.module the chip and the PTX version to emit for";
  let description = [{
    Sets the module's targets to one `#nvvm.target`; a target that it had is replaced. Later
    passes read chip and PTX version from there.

    Refuses a chip that isn't in the table of targets and a PTX version that the chip or
    Carousel doesn't have.

    ```mlir
    gpu.module @kernels {}
    // --carousel-attach-target=chip=sm_90a
    gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {}
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "Chip, e.g. sm_90a">,
    Option<"ptxVersion", "ptx-version", "unsigned", "0",
           "PTX version times ten, e.g. 86 (0: the default)">,
    Option<"optLevel", "opt-level", "unsigned", "2",
           "Optimisation by LLVM: 2, what ptxas doesn't do as well; 1 and 3, LLVM's own levels; 0, none">
  ];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

def NumberWaits : Pass<"carousel-number-waits", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give each wait of a module its number";
  let description = [{
    Counts the waits that `debug-waits` bounds (`carousel.mbarrier.wait` and
    `carousel.grid.serial_wait`) in the order in which they stand, and writes the number into
    the label. A wait that has one keeps it; the others go on behind the largest. Two waits with one
    number are refused, unless they are copies of one (C180). A wait without a label gets one, with the name of its barriers' location if there is one.

    ```mlir
    carousel.mbarrier.wait %full[%slot] parity %parity label<barrier = "x full"> : ...
    // becomes
    carousel.mbarrier.wait %full[%slot] parity %parity label<barrier = "x full", number = 0> : ...
    ```
  }];
}

def LowerGPUOps : Pass<"carousel-lower-gpu-ops", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower reductions and shuffles of the gpu dialect to shuffles of 32 bits";
  let description = [{
    `gpu.subgroup_reduce` becomes shuffles, by upstream's patterns. `gpu.all_reduce` becomes shuffles in each warp, a
    barrier, a loop over the warps' results in shared memory, and a second barrier; one without `uniform` is lowered alike,
    since all threads of the CTA come to it in either case (C198). `gpu.rotate` and `gpu.subgroup_broadcast`
    become shuffles; `first_active_lane` is the first lane of the warp. A shuffle of a type other than i32 and f32
    becomes shuffles of i32 words. `gpu.subgroup_id` and `gpu.num_subgroups` are computed from the
    thread's number and the block's extents; `gpu.subgroup_size` is 32. An all-reduce takes static shared memory, so
    this runs before that is counted. Asynchronous copies of nvgpu become `carousel.cp_async` ops, as in
    `--carousel-lower-rings`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect", "::mlir::gpu::GPUDialect"
  ];
}

def VerifyTarget : Pass<"carousel-verify-target", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Refuse ops that the module's target lacks";
  let description = [{
    Compares each op's requirement (`TargetOpInterface`) with the module's `#nvvm.target` and
    reports every op that the target lacks, with what it needs and what the target has (C91).
    Also checks each kernel's static shared memory against 48 KB (C92), its cluster against
    the target's (C93), and the dynamic shared memory that its views and its launch ask for
    (C107, C122). Changes nothing.
  }];
}

def VerifyMachine : Pass<"carousel-verify-machine", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Check what the machine phase promises and an op alone can't see";
  let description = [{
    Follows the buffers of barriers, bulk and tensor copies to their allocation (workgroup
    attributions, `memref.global`, `gpu.dynamic_shared_memory`) and refuses
    those whose alignment is known and too small: 8 bytes for barriers (C94), 16 for bulk
    copies (C95), 128 to 1024 for tensor copies by swizzle (C96), 128 for tensor maps (C97).
    What is unknown until run time passes. Also refuses `memref.alloc` and `memref.alloca` of
    shared memory, which nothing would allocate (C99), and `memref.load` and `memref.store` of
    barriers and tensor maps, which are opaque (C100), and a shared `memref.global` with an
    initial value (C101). Memory that is declared is contiguous (C188), with an alignment that
    is one (C104). Functions that serve one kernel have the same arguments (C121).
    Nothing of the tile phase is left (C141). Ops of other dialects are such that the targets
    have them (C193 to C197). What verifiers of ops demand holds.
    Changes nothing.
  }];
}

def MarkOccupancy : Pass<"carousel-mark-occupancy", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Say how many CTAs shared memory lets an SM hold, where they are few";
  let description = [{
    Precondition: the module has a target; shared memory has its places. A kernel of a known block, whose
    shared memory leaves each thread of the CTAs that fit an SM 128 registers or more, gets their number as
    `nvvm.minctasm`. ptxas then uses registers for instructions that overlap; without the number
    it saves them for warps that shared memory keeps out. One that the kernel has stays, as does
    `nvvm.maxnreg`.

    ```mlir
    // --carousel-mark-occupancy, on sm_90a
    gpu.func @k() kernel
      attributes {carousel.launch = #carousel.launch<grid = [sms], block = [256], shared = 98304>}
    // gets
    nvvm.minctasm = 2 : i32
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
  let statistics = [
    Statistic<"marked", "marked", "kernels that got the number">,
    Statistic<"unmarked", "unmarked", "kernels whose CTAs need their registers themselves">
  ];
}

def ExpandKernelABI : Pass<"carousel-expand-kernel-abi", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give kernels the flat signature that docs/KernelABI.md states";
  let description = [{
    Each memref argument of a kernel becomes a pointer, then its dynamic extents, then its
    dynamic strides; each tensor map a pointer to a by-value, `__grid_constant__` parameter
    of 128 bytes. Other arguments stay. `getKernelParameters` lists the same parameters.

    Uses up `carousel.launch`, `carousel.variant`, `carousel.coresident`, `carousel.argument`,
    `carousel.workspace`, `carousel.encode` and what else the host is told: the launch's block and cluster become `known_block_size` and `known_cluster_size` where the
    kernel has none.

    Refuses a memref argument with a layout that isn't strided, or with an offset that is
    static and not zero: the pointer that is passed is the first element (C98).

    ```mlir
    gpu.func @k(%x: memref<?xf32, #gpu.address_space<global>>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [sms], block = [64]>}
    // becomes
    gpu.func @k(%ptr: !llvm.ptr<1>, %extent: i64) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>}
    ```
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", "64",
           "Bits of extents, strides and index arguments: 32 or 64">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"];
}

def ConvertCarouselToNVVM : Pass<"convert-carousel-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower every op and type of the dialect to NVVM and LLVM";
  let description = [{
    Precondition: the module has a target, the ops passed `--carousel-verify-target`.
    Postcondition: no op and no type of the dialect is left; casts bridge to the memrefs that
    the upstream conversions lower.

    Ops become NVVM ops, LLVM intrinsics where NVVM has no op, and inline PTX where LLVM has
    none. Where LLVM's intrinsic claims less than the instruction orders, an empty inline
    assembly with a memory clobber keeps ordinary accesses on their side.

    ```mlir
    carousel.mbarrier.wait %full[%slot] parity %parity : ...
    // becomes
    scf.while : () -> () {
      %done = nvvm.mbarrier.try_wait %ptr, %phase : ...
      ...
    }
    ```

    With `debug-waits` a wait that takes longer than so many milliseconds writes down which one
    it is and traps (docs/KernelABI.md). Refuses waits without a number (C177), which
    `--carousel-number-waits` gives them, and modules that have a `carousel_wait_record` (C178).
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", "64", "Bits of an index: 32 or 64">,
    Option<"debugWaits", "debug-waits", "unsigned", "0",
           "Milliseconds after which a wait traps (0: never)">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect"
  ];
}

def LowerVectors : Pass<"carousel-lower-vectors", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower vector ops to those that convert to LLVM one by one";
  let description = [{
    Upstream's progressive lowerings: transfers that may be out of bounds become masked loads
    and stores, contractions outer products, multi-dimensional reductions inner ones; loads and
    stores of several rows go row by row. A row at a position known at run time becomes selects among all rows;
    scatters, expanding loads and compressing stores go lane by lane. Runs
    after `--convert-vector-to-scf`, which has unrolled transfers to rank 1.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"
  ];
}

def ExpandViews : Pass<"carousel-expand-views"> {
  let summary = "Expand views into offsets, extents and strides";
  let description = [{
    Subviews, reshapes and what asks memrefs for their parts, and `affine.apply`, `min` and `max`, by upstream's patterns of `expand-strided-metadata` and
    `lower-affine`. Affine loops are left for the latter. Refuses nothing.

    ```mlir
    %row = memref.subview %tile[%i, 0] [1, 64] [1, 1] : memref<16x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    // becomes
    %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %tile : ...
    %first = arith.muli %i, %c64 : index
    %row = memref.reinterpret_cast %base to offset: [%first], sizes: [64], strides: [1] : ...
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ExpandArith : Pass<"carousel-expand-arith"> {
  let summary = "Expand arithmetic that neither LLVM nor the hardware has an instruction for";
  let description = [{
    Divisions that round up or down, `maximumf`, `maxnumf`, `minimumf` and `minnumf`, scaling conversions, by upstream's patterns; `math.clampf` as
    `minimumf(maximumf(value, min), max)`, which is within the bounds; `math.isnormal` as
    comparisons, and `math.ipowi` as a loop that squares. What is an
    intrinsic of LLVM, as the least and the most of integers, is left. Refuses nothing.

    ```mlir
    %v = arith.ceildivui %a, %b : index
    // becomes
    %is_zero = arith.cmpi eq, %a, %c0 : index
    %less = arith.subi %a, %c1 : index
    %quotient = arith.divui %less, %b : index
    %more = arith.addi %quotient, %c1 : index
    %v = arith.select %is_zero, %c0, %more : index
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandFloat8 : Pass<"carousel-expand-float8", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand arithmetic and conversions of f8E4M3FN and f8E5M2";
  let description = [{
    Arithmetic on the two types becomes arithmetic on f32 whose results are rounded after each op, by upstream's
    patterns. `arith.extf` and `arith.truncf` become `nvvm.convert` ops on pairs of lanes where the module's target has
    them (sm_89 and PTX 8.1), and integer arithmetic elsewhere; `use-integers` asks for the latter on every target. Both
    have MLIR's meaning: to the nearest value, ties to even; a magnitude beyond the largest finite one becomes an
    infinity of f8E5M2 and NaN of f8E4M3FN. The instructions saturate, so the pass corrects what they return there. The
    sign and the payload of a NaN are unspecified. Ops that only move values are left, or move bytes with `as-bytes`. Refuses nothing.

    ```mlir
    %v = arith.extf %a : f8E5M2 to f32
    // becomes, with use-integers
    %byte = arith.bitcast %a : f8E5M2 to i8
    %word = arith.extui %byte : i8 to i16
    %high = arith.shli %word, %c8 : i16
    %half = arith.bitcast %high : i16 to f16
    %v = arith.extf %half : f16 to f32
    ```
  }];
  let options = [
    Option<"useIntegers", "use-integers", "bool", "false", "Use integer arithmetic on every target">,
    Option<"asBytes", "as-bytes", "bool", "false", "Move values of the two types as i8, which LLVM has">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::NVVM::NVVMDialect", "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"
  ];
}

def LowerMath : Pass<"carousel-lower-math"> {
  let summary = "Lower math that is one instruction of PTX to LLVM's intrinsics";
  let description = [{
    `math.fma` of f32 and f64, and of vectors of these. The results are those of libdevice, whose function is
    the same instruction. A `math.sincos` becomes a `math.sin` and a `math.cos`. Precondition: vectors are of rank 1
    (`--carousel-lower-vectors`), others are left; so are other functions and types, for `--carousel-convert-gpu-to-nvvm`. Refuses
    nothing.

    ```mlir
    %v = math.fma %a, %b, %c : vector<4xf32>
    // becomes
    %v = llvm.intr.fma(%a, %b, %c) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LowerFunctions : Pass<"carousel-lower-functions", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower device functions of the func dialect to LLVM";
  let description = [{
    Converts `func.func`, `func.call` and `func.return` with MLIR's own patterns, under the
    functions' own names; private functions become internal. Memref arguments are passed as
    MLIR's descriptors.
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", "64", "Bits of an index: 32 or 64">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ConvertGPUToNVVM : Pass<"carousel-convert-gpu-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert what other passes have left to the LLVM and NVVM dialects";
  let description = [{
    One dialect conversion with MLIR's own patterns: those of gpu, libdevice's functions for math, those of all
    loaded dialects that say how they become LLVM, and NVVM ops that are written as inline PTX. The patterns are
    collected when the pass manager starts, not in each run.

    Precondition: what upstream lowers greedily in front of it is gone, all-reductions and global ids by
    `--carousel-lower-gpu-ops`, `vector.from_elements` of several dimensions by `--carousel-lower-vectors`. An op of gpu that
    has no pattern is an error; others are left, for `--carousel-verify-lowered` to refuse.
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", "64", "Bits of an index: 32 or 64">
  ];
  let dependentDialects = [
    "::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect"
  ];
}

def ConvertToEmitC : Pass<"carousel-convert-to-emitc", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert kernels of the machine phase to the EmitC form";
  let description = [{
    One dialect conversion of what `carousel-lower-to-emitc` has left of arith, math, vector, memref,
    scf, gpu, func and this dialect. docs/CUDA.md says what becomes what. Kernels become `emitc.func`s with
    the parameters of docs/KernelABI.md, ops of this dialect calls of the device headers.

    Attributes named `carousel.*` on ops of EmitC say what the dialect has no words for; `emitCUDA`
    goes by them.

    Refused, at the op: what has no form in C++, e.g. branches, integers of odd widths and scalable
    vectors.

    ```mlir
    carousel.mbarrier.arrive_expect_tx %full[%slot], 8192 : memref<4x!carousel.mbarrier, #ws>
    ```
    becomes
    ```mlir
    %p = emitc.add %full, %slot : (!emitc.ptr<!emitc.opaque<"carousel::mbarrier">>, ui64) -> ...
    %n = "emitc.constant"() <{value = 8192 : ui32}> : () -> ui32
    emitc.call_opaque "carousel::mbarrier_arrive_expect_tx"(%p, %n) : ...
    ```

    `debug-waits` is that of `--convert-carousel-to-nvvm`, with what it refuses (C177, C178).
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", "64", "Bits of an index: 32 or 64">,
    Option<"debugWaits", "debug-waits", "unsigned", "0",
           "Milliseconds after which a wait traps (0: never)">
  ];
  let dependentDialects = ["::mlir::emitc::EmitCDialect"];
}

def MarkConvergent : Pass<"carousel-mark-convergent", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Say of functions that barriers may be in them";
  let description = [{
    Runs on the LLVM dialect. Marks every function `convergent`, as clang does for CUDA.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def MarkGridConstants : Pass<"carousel-mark-grid-constants", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Pass tensor maps by value, as grid constants";
  let description = [{
    Runs on the LLVM dialect. Each kernel parameter that `--carousel-expand-kernel-abi` made of
    a tensor map becomes one of 128 bytes by value with `nvvm.grid_constant`: without that
    mark, LLVM copies the descriptor to local memory, where the hardware can't use it.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def PinSharedMemory : Pass<"carousel-pin-shared-memory", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Keep LLVM from reasoning about shared memory that engines write";
  let description = [{
    Runs on the LLVM dialect. Lists each shared variable in `llvm.compiler.used`, since
    LLVM would otherwise fold loads from a variable that no store instruction writes, and
    aligns the dynamic shared memory to 1024 bytes, so that offsets decide about alignment.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let statistics = [Statistic<"pinned", "pinned", "shared variables listed">];
}

def VerifyLowered : Pass<"carousel-verify-lowered", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Check that only LLVM and NVVM ops are left";
  let description = [{
    Closes the target phase. What verifiers of ops demand holds. An op that no conversion has lowered is an error at its location
    (C102). Changes nothing.
  }];
}

def EmbedPTX : Pass<"carousel-embed-ptx", "::mlir::ModuleOp"> {
  let summary = "Put each gpu.module's PTX in its place";
  let description = [{
    Each `gpu.module` of the target phase is translated to PTX, and replaced by a `gpu.binary` with
    one object, whose assembly is the text. Refuses what LLVM can't translate.

    ```mlir
    gpu.module @kernels [#nvvm.target<...>] { llvm.func @k() ... }
    // becomes
    gpu.binary @kernels [#gpu.object<#nvvm.target<...>, assembly = ".version 8.8 ...">]
    ```
  }];
  let options = [
    Option<"cudaRoot", "cuda-root", "std::string", "\"\"",
           "CUDA toolkit, for kernels that call math functions">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

#endif // CAROUSEL_PASSES_TARGETPASSES_TD
