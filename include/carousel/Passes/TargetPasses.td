//===- TargetPasses.td - from the machine phase to text ----*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_TARGETPASSES_TD
#define CAROUSEL_PASSES_TARGETPASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// MachineExpansion
//
// Within the machine phase: ops that neither target has become ops that both have.
// The ways to NVVM and to EmitC share these passes, so both compute the same bytes.
//===----------------------------------------------------------------------===//

def AssignWaitIds : Pass<"carousel-assign-wait-ids", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Assign an id to each wait of a module";
  let description = [{
    Numbers the waits that `debug-waits` bounds (`carousel.mbarrier.wait` and
    `carousel.grid.serial_wait`) in program order, and writes the number into the label. A wait that
    has a number keeps it; the others get numbers above the largest. Two waits with one number are
    refused, unless they are copies of one wait (C180). A wait without a label gets one, with the
    name of its barriers' location if there is one.

    ```mlir
    carousel.mbarrier.wait %full[%slot] parity %parity label<barrier = "x full"> : ...
    // becomes
    carousel.mbarrier.wait %full[%slot] parity %parity label<barrier = "x full", number = 0> : ...
    ```
  }];
}

def LowerGPUOps : Pass<"carousel-lower-gpu-ops", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower reductions and shuffles of the gpu dialect to 32-bit shuffles";
  let description = [{
    - `gpu.subgroup_reduce` becomes shuffles, by upstream's patterns.
    - `gpu.all_reduce` becomes shuffles in each warp, a barrier, a loop over the warps' results in
      shared memory, and a second barrier. An op without `uniform` is lowered in the same way, since
      all threads of the CTA reach it in either case (C198).
    - `gpu.rotate` and `gpu.subgroup_broadcast` become shuffles; `first_active_lane` is the first
      lane of the warp.
    - A shuffle of a type other than i32 and f32 becomes shuffles of i32 words.
    - `gpu.subgroup_id` and `gpu.num_subgroups` are computed from the thread's number and the
      block's extents; `gpu.subgroup_size` is 32.
    - Arguments of `gpu.printf` are promoted as in C: narrow floats to f32, narrow integers to i32,
      with their sign where `%d` or `%i` prints them.
    - A `cf.assert` becomes a branch, which prints the place, the kernel, the message and the
      integers that the condition compares, and asserts false. The condition may be an `arith.andi`
      of several comparisons; those that don't hold are printed.
    - Asynchronous copies of nvgpu become `carousel.cp_async` ops, as in `--carousel-lower-rings`.

    An all-reduce takes static shared memory, so the pass runs before that is counted.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect", "::mlir::gpu::GPUDialect"
  ];
}

def MarkOccupancy : Pass<"carousel-mark-occupancy", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Tell ptxas how many CTAs fit an SM, if shared memory makes them few";
  let description = [{
    Precondition: the module has a target, and shared memory is allocated. If the CTAs that fit an
    SM by their shared memory leave each thread 128 registers or more, a kernel of a known block
    gets their number as `nvvm.minctasm`. ptxas then uses these registers to overlap instructions.
    Without the number it saves them for warps that shared memory keeps out. Sums, which a loop
    carries or products outside of loops make, need 96 registers beside them: the number is lower
    then, or ptxas would spill. A number that the kernel has stays, as does `nvvm.maxnreg`.

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
    Statistic<"marked", "marked", "kernels marked">,
    Statistic<"unmarked", "unmarked", "kernels whose CTAs need all registers">
  ];
}

def ExpandMemory : Pass<"carousel-expand-memory", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand copies and atomics of a thread into loops, and masks of transfers";
  let description = [{
    `memref.copy` becomes loops over its elements. `memref.generic_atomic_rmw` on elements of 8, 16,
    32 or 64 bits becomes a loop around two forms of the same op that are single instructions. One
    yields the value that it finds: a load. The other yields a select by an equality: a
    compare-and-swap. The loop compares bits, so that it also ends on NaN. Both forms are relaxed at
    gpu scope (docs/Phases.md). Transfers in a `vector.mask` get its mask as an operand, and a
    select after a read takes elements of its passthru. Refuses nothing.

    ```mlir
    %old = memref.generic_atomic_rmw %m[%i] : memref<8xi32> {
    ^bb0(%now: i32):
      ...
      memref.atomic_yield %next : i32
    }
    // becomes
    %first = memref.generic_atomic_rmw %m[%i] : memref<8xi32> {
    ^bb0(%now: i32):
      memref.atomic_yield %now : i32
    }
    %old = scf.while (%seen = %first) : (i32) -> i32 {
      ...
      %was = memref.generic_atomic_rmw %m[%i] : memref<8xi32> {
      ^bb0(%now: i32):
        %is_seen = arith.cmpi eq, %now, %seen : i32
        %left = arith.select %is_seen, %next, %now : i32
        memref.atomic_yield %left : i32
      }
      %again = arith.cmpi ne, %was, %seen : i32
      scf.condition(%again) %was : i32
    } do { ... }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerVectors : Pass<"carousel-lower-vectors", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower vector ops to those that convert to LLVM one by one";
  let description = [{
    Applies upstream's progressive lowerings. Transfers that may be out of bounds become masked
    loads and stores, contractions become outer products, multi-dimensional reductions become inner
    ones. Factors of a contraction are extended to the sum's type, integers with their sign. Loads
    and stores of several rows become one per row. A row at a position known only at run time
    becomes selects among all rows. Scatters, expanding loads and compressing stores become one
    access per lane. A masked reduction becomes one of all lanes, in which masked lanes change
    nothing. Runs after `--convert-vector-to-scf`, which has unrolled transfers to rank 1.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"
  ];
}

def ExpandArith : Pass<"carousel-expand-arith"> {
  let summary = "Expand arithmetic that is no instruction";
  let description = [{
    - `arith.truncf` with a rounding mode becomes one without a mode, between corrections.
      `carousel.round_tf32` becomes arithmetic on the bits.
    - `math.clampf` becomes `minimumf(maximumf(value, min), max)`, which stays within the bounds.
    - `math.isnormal` becomes comparisons.
    - `math.ipowi` and `math.fpowi`, with exponents of any width, become loops that square. With
      constant exponents they become products, as does `math.powf` with a whole number from -2 to 4
      (docs/Accuracy.md).
    - `1 + math.erf` of f32, and `math.fma(a, erf, a)`, become a power of 2 whose exponent is a
      polynomial, if nothing else reads the function (docs/Accuracy.md).
    - `math.erf` of bf16 becomes a product of its operand and a polynomial.
    - The extended sums and products of indices, i1 and vectors of several rows become plain
      arithmetic, or one op per row.

    - Divisions that round up or down, and scaled conversions, become what upstream's `arith-expand`
      makes of them. That pass would also expand the maxima and minima of floats.
    - `arith.maximumf` and `arith.minimumf` of f64 become `maxnumf` and `minnumf`, and a select of
      NaN. All other maxima and minima are one instruction of PTX.

    Refuses nothing.

    ```mlir
    %v = math.clampf %a to [%min, %max] : f32
    // becomes
    %above = arith.maximumf %a, %min : f32
    %v = arith.minimumf %above, %max : f32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ExpandFloat8 : Pass<"carousel-expand-float8", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand arithmetic and conversions of f8E4M3FN and f8E5M2";
  let description = [{
    Arithmetic on the two types becomes arithmetic on f32, rounded after each op, by upstream's
    patterns. `arith.extf` and `arith.truncf` become `nvvm.convert` ops on pairs of lanes if the
    module's target has them (sm_89 and PTX 8.1), else integer arithmetic; `use-integers` asks for
    the latter on every target. Both have MLIR's meaning: they round to the nearest value, ties to
    even, and a magnitude beyond the largest finite value becomes an infinity of f8E5M2 and NaN of
    f8E4M3FN. The instructions saturate, so the pass corrects numbers that may be beyond it, by two
    instructions for f8E4M3FN and by five for f8E5M2. A number that `arith.minimumf` and
    `arith.maximumf` bound needs none, nor one that isn't negative, as an `exp2`, with a bound from
    above; bounds from the largest value on are what the instructions saturate at. The sign and the
    payload of a NaN are unspecified. Ops that only move values stay, or move bytes with `as-bytes`.
    Refuses nothing.

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
    Option<"useIntegers", "use-integers", "bool", "false",
        "Use integer arithmetic on every target">,
    Option<"asBytes", "as-bytes", "bool", "false",
        "Move values of the two types as i8, which LLVM has">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect",
        "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// MachineToNVVM
//
// From the machine phase to the target phase, which has only the LLVM and NVVM
// dialects. carousel-verify-target closes the phase; emitPTX writes it as text.
//===----------------------------------------------------------------------===//

def ExpandKernelABI : Pass<"carousel-expand-kernel-abi", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give kernels the flat signature of docs/KernelABI.md";
  let description = [{
    Each memref argument of a kernel becomes a pointer, its dynamic extents and its dynamic strides,
    in this order. Each tensor map becomes a pointer to a by-value `__grid_constant__` parameter of
    128 bytes. Other arguments stay. `getKernelParameters` lists the same parameters.

    Removes `carousel.launch`, `carousel.variant`, `carousel.coresident`, `carousel.argument`,
    `carousel.workspace`, `carousel.encode` and other attributes for the host. The launch's block
    and cluster become `known_block_size` and `known_cluster_size` if the kernel has none.

    Refuses a memref argument whose layout isn't strided, or whose offset is static and not zero:
    the pointer that a launch passes is the first element (C98).

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

def ConvertCarouselToNVVM : Pass<"carousel-convert-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower every op and type of the dialect to NVVM and LLVM";
  let description = [{
    Precondition: the module has a target, and its ops passed `--carousel-verify-chip`.
    Postcondition: no op and no type of the dialect is left; casts bridge to the memrefs that
    upstream conversions lower.

    Ops become NVVM ops, LLVM intrinsics if NVVM has no op, and inline PTX if LLVM has no intrinsic.
    If an intrinsic claims less than its instruction orders, an empty inline assembly with a memory
    clobber keeps ordinary accesses on their side.

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
    `--carousel-assign-wait-ids` gives them, and modules that have a `carousel_wait_record` (C178).
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", "64", "Bits of an index: 32 or 64">,
    Option<"debugWaits", "debug-waits", "std::optional<unsigned>", /*default=*/"",
           "Milliseconds after which a wait traps; if absent, waits are unbounded">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect"
  ];
}

def LowerMath : Pass<"carousel-lower-math"> {
  let summary = "Lower math that is one PTX instruction to LLVM intrinsics";
  let description = [{
    Lowers `math.fma` of f32 and f64, `arith.maxnumf` and `minnumf` of these and of f16 and bf16,
    `maximumf` and `minimumf` of all but f64, and `math.exp2` and `math.tanh` of f32 with
    `fastmath<afn>`, which are `ex2.approx.ftz` and `tanh.approx`. Lowers all of them of vectors,
    too. The results of all but the last two are those of libdevice, whose functions are the same
    instructions. `math.sincos` becomes `math.sin` and `math.cos`. `arith.divf` of bf16 becomes
    `div.full.f32`, whose quotient is rounded to the same number of bf16, and so do those of f32 and
    f16 with `fastmath<arcp>` or `<afn>` (docs/Accuracy.md).
    Precondition: vectors have rank 1 (`--carousel-lower-vectors`). Vectors of other ranks, other
    functions and other types stay for `--carousel-convert-gpu-to-nvvm`. Refuses nothing.

    Upstream's conversion calls libdevice instead. Kernels whose only math is `fma` then need the
    CUDA toolkit, and linking costs 2.9 % of the instructions from tile to PTX over the examples.

    ```mlir
    %v = math.fma %a, %b, %c : vector<4xf32>
    // becomes
    %v = llvm.intr.fma(%a, %b, %c) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::vector::VectorDialect"];
}

def LowerFunctions : Pass<"carousel-lower-functions", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower device functions of the func dialect to LLVM";
  let description = [{
    Converts `func.func`, `func.call` and `func.return` with MLIR's patterns, under the functions'
    own names. Private functions become internal. Memref arguments are passed as MLIR's descriptors.
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", "64", "Bits of an index: 32 or 64">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ConvertGPUToNVVM : Pass<"carousel-convert-gpu-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert the remaining ops to the LLVM and NVVM dialects";
  let description = [{
    One dialect conversion with MLIR's patterns: those of gpu, libdevice's functions for math, those
    of all loaded dialects that can be converted to LLVM, and NVVM ops that are written as inline
    PTX. The pass collects the patterns when the pass manager starts, not in each run.

    Upstream's pass of this name lacks products of bf16, atomics that are relaxed at gpu scope,
    annotations of loops and NVVM ops that are PTX. With it, and with passes for the rest, a
    compilation from tile to PTX takes 8.2 % more instructions over the examples.

    Precondition: ops that upstream lowers greedily before this conversion are gone: all-reductions
    and global ids by `--carousel-lower-gpu-ops`, `vector.from_elements` of several dimensions by
    `--carousel-lower-vectors`. An op of gpu without a pattern is an error. So is an op that needs
    an earlier pass to become valid IR; the message names the pass. Other ops stay, for
    `--carousel-verify-target` to refuse.
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", "64", "Bits of an index: 32 or 64">
  ];
  let dependentDialects = [
    "::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect"
  ];
}

def MarkConvergent : Pass<"carousel-mark-convergent", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Mark functions as convergent";
  let description = [{
    Runs on the LLVM dialect. Marks every function `convergent`, as clang does for CUDA, so that
    LLVM doesn't move or duplicate calls of functions with barriers.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def MarkGridConstants : Pass<"carousel-mark-grid-constants", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Pass tensor maps by value, as grid constants";
  let description = [{
    Runs on the LLVM dialect. Each kernel parameter that `--carousel-expand-kernel-abi` made of a
    tensor map becomes a by-value parameter of 128 bytes with `nvvm.grid_constant`. Without that
    mark LLVM copies the descriptor to local memory, where the hardware can't use it.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def PinSharedMemory : Pass<"carousel-pin-shared-memory", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Keep LLVM from reasoning about shared memory that engines write";
  let description = [{
    Runs on the LLVM dialect. Lists each shared variable in `llvm.compiler.used`: otherwise LLVM
    folds loads from a variable that no store instruction writes. Aligns the dynamic shared memory
    to 1024 bytes, so that offsets alone decide the alignment of buffers.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let statistics = [Statistic<"pinned", "pinned", "shared variables listed">];
}

def VerifyTarget : Pass<"carousel-verify-target", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Verify that only LLVM and NVVM ops are left";
  let description = [{
    Closes the target phase. All ops verify. An op that no conversion has lowered is an error at its
    location (C102). Changes nothing.
  }];
}

//===----------------------------------------------------------------------===//
// MachineToEmitC
//
// The other way from the machine phase: to the EmitC form, which emitCUDA writes as
// CUDA C++. The conversion refuses what has no form in C++, so no verifier follows.
//===----------------------------------------------------------------------===//

def ConvertToEmitC : Pass<"carousel-convert-to-emitc", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert kernels of the machine phase to the EmitC form";
  let description = [{
    One dialect conversion of the ops of arith, math, vector, memref, scf, gpu, func and this
    dialect that `carousel-lower-to-emitc` has left. docs/CUDA.md says what each op becomes. Kernels
    become `emitc.func`s with the parameters of docs/KernelABI.md; ops of this dialect become calls
    of the device headers. Attributes named `carousel.*` on EmitC ops express what EmitC can't, and
    `emitCUDA` reads them.

    Refuses, at the op, what has no form in C++, such as branches, integers of odd widths and
    scalable vectors.

    ```mlir
    carousel.mbarrier.arrive_expect_tx %full[%slot], 8192 : memref<4x!carousel.mbarrier, #ws>
    ```
    becomes
    ```mlir
    %p = emitc.add %full, %slot : (!emitc.ptr<!emitc.opaque<"carousel::mbarrier">>, ui64) -> ...
    %n = "emitc.constant"() <{value = 8192 : ui32}> : () -> ui32
    emitc.call_opaque "carousel::mbarrier_arrive_expect_tx"(%p, %n) : ...
    ```

    `debug-waits` is that of `--carousel-convert-to-nvvm`, with what it refuses (C177, C178).
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", "64", "Bits of an index: 32 or 64">,
    Option<"debugWaits", "debug-waits", "std::optional<unsigned>", /*default=*/"",
           "Milliseconds after which a wait traps; if absent, waits are unbounded">
  ];
  let dependentDialects = ["::mlir::emitc::EmitCDialect"];
}

//===----------------------------------------------------------------------===//
// Pipelines
//
// Passes that only pipelines use.
//===----------------------------------------------------------------------===//

def EmbedPTX : Pass<"carousel-embed-ptx", "::mlir::ModuleOp"> {
  let summary = "Replace each gpu.module by a binary with its PTX";
  let description = [{
    Translates each `gpu.module` of the target phase to PTX, and replaces it by a `gpu.binary` with
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

def Canonicalize : Pass<"carousel-canonicalize"> {
  let summary = "Canonicalize, and keep what pipelines ask for";
  let description = [{
    `canonicalize` without region simplification, and without the patterns that change results or
    leave the block phase (docs/UpstreamFolds.md). A loop with carousel.pipeline keeps the attribute
    when a pattern replaces it by another loop, and stays a loop if it has one iteration: its tiles
    still come by a ring, which loops around it go on with.
  }];
}

def RunWherePresent : Pass<"carousel-run-where-present"> {
  let summary = "Run a pipeline on the ops that contain given ops";
  let description = [{
    Looks for `ops`, names of ops or of dialects, in the op that it runs on, and runs `pipeline` on
    that op if one is present. Carousel's pipelines use it to skip passes that would rewrite
    nothing. Without it, a compilation from tile to PTX takes 6.9 % more instructions over the
    examples.

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

#endif // CAROUSEL_PASSES_TARGETPASSES_TD
