//===- CarouselDialect.td - the carousel dialect -----------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect, and the base class of its types.
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
    Ops of the tile phase move whole tiles between global and shared memory, as if each transfer
    were synchronous. Ops of the ring phase fill, read and release the slots of circular buffers.
    The machine phase has one op for each hardware mechanism of asynchronous copies: mbarriers, bulk
    and tensor copies, `cp.async`, groups, fences, clusters, and ordered grids. Each of these ops
    has the meaning of its PTX instruction. Barriers, stages and phases are SSA operands.
    docs/Phases.md defines the phases, and docs/Spec.md lists the constraints (C1, C2, ...).

    Conventions of all ops:

    - An element of a memref is written as in `memref.load`: `%m[%i, %j]`, with one index per
      dimension, and `%m[]` for rank 0. A copy starts at the first byte of the element.
    - A count or a size is an integer literal or an `i32` value.
    - Shapes, coordinates and offsets are in memref order, outermost dimension first. The lowering
      reverses them to the order of PTX, innermost first.
    - Memory spaces are `#gpu.address_space<global>` (or 1, `#nvvm.memory_space<global>`),
      `#gpu.address_space<workgroup>` (or 3, `#nvvm.memory_space<shared>`) for the CTA's
      shared memory, and `#nvvm.memory_space<shared_cluster>` (or 7) for the cluster's window.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let extraClassDeclaration = [{
    /// On a kernel, an array<i32>: the positions of the parameters that are tensor maps by value.
    /// --carousel-expand-kernel-abi adds it, and --carousel-mark-grid-constants removes it.
    static constexpr ::llvm::StringLiteral kTensorMapParameters{"carousel.tensor_map_parameters"};
    /// Attributes that describe a launch. A kernel has a LaunchAttr, a VariantAttr, and the unit
    /// kCoresident if all of its CTAs must be on the device at once. Its arguments have an
    /// ArgumentAttr, tensor maps an EncodeAttr, memrefs that the runtime allocates a
    /// WorkspaceAttr, and bytes for which callers pass bits the unit kBits.
    /// --carousel-expand-kernel-abi removes all of them.
    static constexpr ::llvm::StringLiteral kLaunch{"carousel.launch"};
    static constexpr ::llvm::StringLiteral kVariant{"carousel.variant"};
    static constexpr ::llvm::StringLiteral kArgument{"carousel.argument"};
    static constexpr ::llvm::StringLiteral kEncode{"carousel.encode"};
    static constexpr ::llvm::StringLiteral kWorkspace{"carousel.workspace"};
    /// On a memref argument of a kernel, a unit: callers pass elements of i1, each a byte that is
    /// 0 or 1. --carousel-widen-bits writes it.
    static constexpr ::llvm::StringLiteral kBits{"carousel.bits"};
    static constexpr ::llvm::StringLiteral kCoresident{"carousel.coresident"};
    /// On a kernel, a unit: its author assumes that CTAs start in the order of their ids.
    static constexpr ::llvm::StringLiteral kStartsInOrder{"carousel.starts_in_order"};
    /// On a kernel of the block phase: a BlockProgramAttr. --carousel-distribute removes it.
    static constexpr ::llvm::StringLiteral kBlockProgram{"carousel.block_program"};
    /// On an op with one vector result, at the block phase: a LayoutAttr.
    static constexpr ::llvm::StringLiteral kLayout{"carousel.layout"};
    /// On a func.func on memrefs, a unit: it is a program, whose body launches kernels.
    static constexpr ::llvm::StringLiteral kProgram{"carousel.program"};
    /// On an scf.for of the tile phase: a PipelineAttr. --carousel-circular-buffer removes it.
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
