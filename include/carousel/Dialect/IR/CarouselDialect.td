//===- CarouselDialect.td - the carousel dialect -----------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect itself, and the base classes of its attributes, types and ops.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELDIALECT_TD
#define CAROUSEL_DIALECT_IR_CAROUSELDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Carousel_Dialect : Dialect {
  let name = "carousel";
  let cppNamespace = "::carousel";
  let summary = "Asynchronous tile transfers and their synchronisation on NVIDIA GPUs";
  let description = [{
    The tile phase of this dialect moves whole tiles between global and shared memory, as if
    every transfer were synchronous. The machine phase has one op per hardware mechanism of
    asynchronous copies: mbarriers, bulk and tensor copies, `cp.async`, groups, fences,
    clusters, and ordered grids. Each op means what the PTX ISA says of its instruction.
    Barriers, stages and phases are SSA operands. docs/Phases.md defines the phases,
    docs/Spec.md numbers the constraints (C1, C2, ...).

    Conventions of all ops:

    - An element of a memref is named as in `memref.load`: `%m[%i, %j]`, one index per
      dimension, `%m[]` for rank 0. For a transfer it is the first byte moved.
    - A count or a size is an integer literal or an `i32` value.
    - Shapes, coordinates and offsets are in memref order, outermost dimension first. The
      lowering reverses them into the order of PTX, innermost first.
    - Memory spaces are `#gpu.address_space<global>` (or 1, `#nvvm.memory_space<global>`),
      `#gpu.address_space<workgroup>` (or 3, `#nvvm.memory_space<shared>`) for the CTA's
      shared memory, and `#nvvm.memory_space<shared_cluster>` (or 7) for the cluster's window.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let extraClassDeclaration = [{
    /// On a kernel: the positions of parameters that are tensor maps by value, an
    /// array<i32>. Made by --carousel-expand-kernel-abi, used up by
    /// --carousel-mark-grid-constants.
    static constexpr ::llvm::StringLiteral kTensorMapParameters{"carousel.tensor_map_parameters"};
    /// On a kernel: a LaunchAttr and a VariantAttr, and kCoresident where all of its CTAs have to
    /// be on the device at once, a unit. On its arguments: an ArgumentAttr, on tensor maps an
    /// EncodeAttr, and a WorkspaceAttr on memrefs that the runtime allocates. All used up by
    /// --carousel-expand-kernel-abi.
    static constexpr ::llvm::StringLiteral kLaunch{"carousel.launch"};
    static constexpr ::llvm::StringLiteral kVariant{"carousel.variant"};
    static constexpr ::llvm::StringLiteral kArgument{"carousel.argument"};
    static constexpr ::llvm::StringLiteral kEncode{"carousel.encode"};
    static constexpr ::llvm::StringLiteral kWorkspace{"carousel.workspace"};
    static constexpr ::llvm::StringLiteral kCoresident{"carousel.coresident"};
    /// On a kernel, a unit: its author relies on CTAs starting in the order of their ids.
    static constexpr ::llvm::StringLiteral kStartsInOrder{"carousel.starts_in_order"};
    /// On an scf.for of the tile phase: a PipelineAttr. Used up by the passes that make
    /// circular buffers.
    static constexpr ::llvm::StringLiteral kPipeline{"carousel.pipeline"};

    void registerAttributes();
    void registerTypes();
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class Carousel_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Carousel_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELDIALECT_TD
