//===- CarouselProgramOps.td - programs that launch kernels -*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of host functions. docs/GraphPhase.md defines programs.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELPROGRAMOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELPROGRAMOPS_TD

include "carousel/Dialect/IR/Attrs/CarouselGroupAttrs.td"
include "carousel/Dialect/IR/CarouselOpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

def Carousel_GroupValue
    : AnyTypeOf<[AnyRankedTensor, AnySignlessIntegerOrIndex, AnyFloat], "tensor or number">;

def Carousel_GroupOp : Op<Carousel_Dialect, "group",
    [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "ops on tensors that become one kernel";
  let description = [{
    Computes what the ops of its region compute, by one kernel. `kernel` is the kernel's name.
    `--carousel-form-groups` makes groups. `--carousel-schedule-groups` decides how they become
    kernels, and `--carousel-lower-groups` writes these as decided. docs/GraphPhase.md explains
    both.

    - `shared_reads`: tensors along which two ops go together. Ops also go together along a tensor
      that one of them writes and the other one reads.
    - `schedules`: those of the kernel's variants, in the order in which a launch tries them: one
      for few rows, one whose sums several programs divide, and one for all other launches. A group
      without any has not been scheduled.

    Constraints:

    - The region has an argument for each input, and `carousel.yield` has a value for each result,
      of the same types, which structured ops compute. The last schedule is for all launches,
      positions in `shared_reads` are those of ops, and groups of one `kernel` compute the same
      (C361).

    Example:

    ```mlir
    %d = carousel.group "main_0"(%x, %rows) attributes {schedules = [
        #carousel.group_schedule<row, [<[0], grid, 1>, <[1], none, 1024>] covered = 1>]} {
    ^bb0(%own: tensor<?x768xf32>, %n: index):
      ...
      carousel.yield %r : tensor<?x768xf32>
    } : (tensor<?x768xf32>, index) -> tensor<?x768xf32>
    ```
  }];
  let arguments = (ins StrAttr:$kernel, Variadic<Carousel_GroupValue>:$inputs,
                   OptionalAttr<TypedArrayAttrBase<Carousel_SharedReadAttr, "shared reads">>:
                       $shared_reads,
                   OptionalAttr<TypedArrayAttrBase<Carousel_GroupScheduleAttr, "schedules">>:
                       $schedules);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` attr-dict-with-keyword $body `:` functional-type($inputs, results)
  }];
  let hasRegionVerifier = 1;
}

def Carousel_YieldOp : Op<Carousel_Dialect, "yield",
    [Pure, Terminator, ReturnLike, HasParent<"GroupOp">]> {
  let summary = "end a group with its results";
  let description = [{
    The values are the results of the group.

    Example:

    ```mlir
    carousel.yield %r : tensor<?x768xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

def Carousel_LaunchInput
    : AnyTypeOf<[AnyRankedTensor, AnyMemRef, AnySignlessIntegerOrIndex, AnyFloat],
                "tensor, memref or number">;
def Carousel_LaunchOutput : AnyTypeOf<[AnyRankedTensor, AnyMemRef], "tensor or memref">;

// Runs on the host, so it has no target requirement.
def Carousel_LaunchKernelOp : Op<Carousel_Dialect, "launch_kernel",
    [AttrSizedOperandSegments, DestinationStyleOpInterface,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "launch a kernel on tensors or memrefs";
  let description = [{
    Launches the kernel that callers name `kernel`: the `gpu.func` of this name, or the functions
    whose `carousel.variant` serves it. Variant, grid, block and cluster follow from the kernel's
    attributes and the operands (docs/Package.md). A launch starts when all earlier ops of the
    program have ended, and sees all their effects.

    `ins` are the arguments that the kernel only reads, in the kernel's order. `outs` are those that
    it writes. Tensor maps and workspaces aren't operands. On tensors there is one result for each
    of `outs`: what the kernel leaves there. Unless the kernel reads the argument, too (`inout`),
    the contents of `outs` don't matter. On memrefs the op has no results.

    Constraints:

    - Tensors and memrefs aren't mixed. Memrefs are in global memory (C220).
    - The `gpu.module` has a kernel of this name (C221).
    - The kernel has as many arguments of each kind. They have the types of the operands: elements,
      rank, and extents and strides that both types state. An extent that the kernel's type states
      is stated by the operand's (C222).

    Example:

    ```mlir
    %y = carousel.launch_kernel @kernels::@softmax ins(%x : tensor<?x512xf32>)
        outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Variadic<Carousel_LaunchInput>:$inputs,
                   Variadic<Carousel_LaunchOutput>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel (`ins` `(` $inputs^ `:` type($inputs) `)`)? (`outs` `(` $outputs^ `:` type($outputs)
    `)`)? attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
    /// The functions that serve the kernel, in the order of preference. Empty if there are none, or
    /// if they aren't gpu.funcs any more.
    ::llvm::SmallVector<::mlir::gpu::GPUFuncOp> getVariants(
        ::mlir::SymbolTableCollection &symbols);
  }];
}

def Carousel_LibraryMatmulOp : Op<Carousel_Dialect, "library_matmul",
    [AttrSizedOperandSegments, DestinationStyleOpInterface,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "multiply matrices by a library";
  let description = [{
    Sums products of the elements of two factors, as `linalg.generic` with these maps and a body
    that multiplies and adds does from zero on. Loops that only the factors have are summed over.
    cuBLASLt computes it on GPUs. Sums are f32, and are rounded once to the elements of `outs`; the
    order of additions is the library's. With `tf32`, factors of f32 are rounded to tf32.

    Before it is rounded, each sum gets an element of `residual`, which has the dimensions of the
    result, and one of `bias`, which has one dimension, along *n*. Then a function is applied:

    - `relu`: the larger of the element and zero, and NaN of NaN;
    - `gelu`: x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3))), which the library approximates.

    What `outs` has before doesn't matter. `scratch` is memory for the library, whose contents don't
    matter, either; with none the library may be slower. On tensors there is one result. On memrefs
    the op has none. An empty sum is zero. On a GPU, the elements of `bias` are neighbours, and so
    are those of result and `residual` along *n*.

    The last three loops are *m*, which the first factor and the result have, *n*, which the second
    factor and the result have, and *k*, which the factors have. Those before are *batches*, which
    the result and one or both factors have. On a GPU, one batch is a call of the library, and each
    iteration of the others is.

    Constraints:

    - Tensors and memrefs aren't mixed. Memrefs are in global memory (C220).
    - `scratch` is a memref of one dimension of i8 (C227).
    - Factors have the same elements: f32, f16 or bf16. Those of the result are f32, or the
      factors'. `tf32` is for factors of f32 (C227).
    - `bias` has one dimension, as long as *n*. `residual` has the result's rank and extents. Both
      have the result's elements (C297).
    - There is one map for each of the three, a projected permutation with as many results as the
      operand has dimensions. Its loops are as said above. The known extents along a loop agree
      (C228).

    Example, with `#mk = affine_map<(m, n, k) -> (m, k)>` and so on:

    ```mlir
    %y = carousel.library_matmul ins(%x, %w : tensor<?x768xbf16>, tensor<768x3072xbf16>)
        outs(%e : tensor<?x3072xbf16>) {indexing_maps = [#mk, #kn, #mn]} -> tensor<?x3072xbf16>
    %z = carousel.library_matmul ins(%x, %w : tensor<?x768xbf16>, tensor<768x3072xbf16>)
        bias(%b : tensor<3072xbf16>) residual(%r : tensor<?x3072xbf16>) function(gelu)
        outs(%e : tensor<?x3072xbf16>) {indexing_maps = [#mk, #kn, #mn]} -> tensor<?x3072xbf16>
    ```
  }];
  let arguments = (ins Carousel_LaunchOutput:$lhs, Carousel_LaunchOutput:$rhs,
                   Carousel_LaunchOutput:$output, Optional<Carousel_LaunchOutput>:$bias,
                   Optional<Carousel_LaunchOutput>:$residual, Optional<AnyMemRef>:$scratch,
                   AffineMapArrayAttr:$indexing_maps, UnitAttr:$tf32,
                   DefaultValuedAttr<Carousel_LibraryFunctionAttr,
                                     "::carousel::LibraryFunction::Identity">:$function);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)` (`bias` `(` $bias^ `:`
    type($bias) `)`)? (`residual` `(` $residual^ `:` type($residual) `)`)? (`function` `(`
    custom<Keyword>($function)^ `)`)? `outs` `(` $output `:` type($output) `)` (`scratch`
    `(` $scratch^ `:` type($scratch) `)`)? attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputMutable(); }
    /// Factors, output, and what is added to sums: operands that come before the scratch.
    unsigned countTensors() { return getNumOperands() - getScratchMutable().size(); }
    /// How many loops are batches.
    unsigned countBatches() { return getIndexingMap(0).getNumDims() - 3; }
    /// The loop along each dimension of a factor or the result.
    ::mlir::AffineMap getIndexingMap(unsigned operand) {
      return ::llvm::cast<::mlir::AffineMapAttr>(getIndexingMaps()[operand]).getValue();
    }
  }];
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELPROGRAMOPS_TD
