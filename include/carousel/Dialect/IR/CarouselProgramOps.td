//===- CarouselProgramOps.td - programs that launch kernels -*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op of host functions. docs/GraphPhase.md defines programs.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELPROGRAMOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELPROGRAMOPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

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

#endif // CAROUSEL_DIALECT_IR_CAROUSELPROGRAMOPS_TD
