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

def VerifyTile : Pass<"carousel-verify-tile", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Check what the tile phase promises and an op alone can't see";
  let description = [{
    Closes the tile phase. Precondition: none. Postcondition:

    - No op and no type of the machine phase (C133). Of the dialect there may be transfers,
      `barrier.warp`, `fence.thread` and the `grid` ops, which name no way of copying.
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
    gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx88">] {}
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "Chip, e.g. sm_90a">,
    Option<"ptxVersion", "ptx-version", "unsigned", "0",
           "PTX version times ten, e.g. 86 (0: the default)">,
    Option<"optLevel", "opt-level", "unsigned", "3", "Optimisation level of LLVM, 0 to 3">
  ];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

def LowerGPUOps : Pass<"carousel-lower-gpu-ops", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower reductions and shuffles of the gpu dialect to shuffles of 32 bits";
  let description = [{
    `gpu.all_reduce` and `gpu.subgroup_reduce` become shuffles, by upstream's patterns; shuffles
    of types of less than 32 bits, and of vectors of 32 bits in all, become shuffles of an i32;
    `gpu.subgroup_size` is 32. An all-reduce takes static shared memory, so this runs before
    that is counted.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::vector::VectorDialect", "::mlir::gpu::GPUDialect"
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
    initial value (C101). Functions that serve one kernel have the same arguments (C121).
    Nothing of the tile phase is left (C141).
    Changes nothing.
  }];
}

def ExpandKernelABI : Pass<"carousel-expand-kernel-abi", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give kernels the flat signature that docs/KernelABI.md states";
  let description = [{
    Each memref argument of a kernel becomes a pointer, then its dynamic extents, then its
    dynamic strides; each tensor map a pointer to a by-value, `__grid_constant__` parameter
    of 128 bytes. Other arguments stay. `getKernelParameters` lists the same parameters.

    Uses up `carousel.launch`, `carousel.variant`, `carousel.argument` and `carousel.encode`: the
    launch's block and cluster become `known_block_size` and `known_cluster_size` where the
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
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", "64", "Bits of an index: 32 or 64">
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
    stores of several rows go row by row. Runs
    after `--convert-vector-to-scf`, which has unrolled transfers to rank 1.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"
  ];
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
    Closes the target phase. An op that no conversion has lowered is an error at its location
    (C102). Changes nothing.
  }];
}

#endif // CAROUSEL_PASSES_PASSES_TD
