//===- CarouselInterfaces.td - op interfaces ---------------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interfaces of the dialect's ops: the target that an op requires, the label of a wait, the tiles
// that an engine reads for an op, and the operands and options of a transfer.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELINTERFACES_TD
#define CAROUSEL_DIALECT_IR_CAROUSELINTERFACES_TD

include "mlir/IR/OpBase.td"

def Carousel_TargetOpInterface : OpInterface<"TargetOpInterface"> {
  let cppNamespace = "::carousel";
  let description = [{
    An op that only some targets have. The requirement may depend on attributes and types. For
    example, a bulk store requires sm_90, and a bulk store with a byte mask requires sm_100.
    `--carousel-verify-chip` compares the requirement with the target.
  }];
  let methods = [
    InterfaceMethod<"Returns the SM and the PTX version that this op requires.",
                    "::carousel::TargetRequirement", "getTargetRequirement">
  ];
}

def Carousel_LabelledWaitOpInterface : OpInterface<"LabelledWaitOpInterface"> {
  let cppNamespace = "::carousel";
  let description = [{
    A wait that is lowered to a loop around a test, so that `debug-waits` can bound its time. The
    label names what it waits for.
  }];
  let methods = [
    InterfaceMethod<"Returns the label, or null.", "::carousel::WaitLabelAttr",
                    "getLabelAttr">,
    InterfaceMethod<"Replaces the label.", "void", "setLabelAttr",
                    (ins "::carousel::WaitLabelAttr":$label)>,
    InterfaceMethod<"Returns the memref of barriers or semaphores, one of which the op "
                    "tests.",
                    "::mlir::TypedValue<::mlir::MemRefType>", "getAwaited">,
    InterfaceMethod<"Returns how the op names the phase or turn that it waits for.",
                    "::carousel::WaitPhase", "getPhase">
  ];
}

def Carousel_AsyncConsumerOpInterface : OpInterface<"AsyncConsumerOpInterface"> {
  let cppNamespace = "::carousel";
  let description = [{
    An op of the tile phase or the ring phase that reads tiles by an engine, through the async
    proxy: a product by tensor cores. In these phases it behaves as if it were synchronous, and its
    reads are over when it is. The pass that lowers it may let it run on: it then releases the
    slots that the op reads when it has waited for the op's completion.

    Passes that place tiles, rings and synchronisation know such ops by this interface only.
  }];
  let methods = [
    InterfaceMethod<"Returns the operands that are tiles which the engine reads.",
                    "::llvm::SmallVector<::mlir::OpOperand *>", "getConsumedTiles">,
    InterfaceMethod<"States how the tile of one of these operands is swizzled.",
                    "void", "setTileSwizzle",
                    (ins "::mlir::OpOperand &":$tile, "::carousel::Swizzle":$swizzle)>,
    InterfaceMethod<"Returns how many registers a thread needs for the op's own values.", "int64_t",
                    "countOwnRegisters">
  ];
}

def Carousel_TransferOpInterface : OpInterface<"TransferOpInterface"> {
  let cppNamespace = "::carousel";
  let description = [{
    A transfer of the tile phase or the ring phase. It moves a whole tile between a global memref
    and shared memory. In the tile phase it behaves as if it were synchronous. Dimension d of the
    tile is dimension `getNumLeadingDims() + d` of the global memref.
  }];
  let methods = [
    InterfaceMethod<"Returns the global memref that has the box.",
                    "::mlir::TypedValue<::mlir::MemRefType>", "getGlobal">,
    InterfaceMethod<"Returns the tile in shared memory.",
                    "::mlir::TypedValue<::mlir::MemRefType>", "getTile">,
    InterfaceMethod<"Returns the indices of the box's first element, one per global dimension.",
                    "::mlir::OperandRange", "getOffsets">,
    InterfaceMethod<"Returns the threads that make the transfer together.",
                    "::carousel::TransferScope", "getScope">,
    InterfaceMethod<"Returns true for a load, which fills the tile, and false for a store.",
                    "bool", "isLoad">,
    InterfaceMethod<"Returns whether the author promises that the box is inside the global "
                    "memref.",
                    "bool", "getInBounds">,
    InterfaceMethod<"Returns whether threads must carry out the transfer, and no engine.",
                    "bool", "getByThreads">,
    InterfaceMethod<"Returns the requested layout of the tile in the machine phase.",
                    "::carousel::Swizzle", "getSwizzle">,
    InterfaceMethod<"Returns the eviction priority in L2 of the global memory that is accessed.",
                    "::carousel::EvictPriority", "getCache">,
    InterfaceMethod<"Returns the engine that carries out the transfer, or null before the choice.",
                    "::carousel::EngineAttr", "getEngineAttr">,
    InterfaceMethod<"Returns the tensor map of the engine `tensor`, or null.",
                    "::mlir::TypedValue<::carousel::TensorMapType>", "getMap">
  ];
  let extraSharedClassDeclaration = [{
    /// Returns the number of leading dimensions of the global memref that the tile doesn't have.
    /// The box has extent 1 in them.
    unsigned getNumLeadingDims() {
      return $_op.getGlobal().getType().getRank() - $_op.getTile().getType().getRank();
    }
    /// Returns the size of the whole tile in bytes.
    int64_t getTileBytes() {
      ::mlir::MemRefType type = $_op.getTile().getType();
      return type.getNumElements() * type.getElementTypeBitWidth() / 8;
    }
  }];
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELINTERFACES_TD
