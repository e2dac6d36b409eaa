//===- CarouselInterfaces.td - op interfaces ---------------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a generic client asks an op of the dialect: which target it needs, and what a transfer
// of the tile phase moves.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELINTERFACES_TD
#define CAROUSEL_DIALECT_IR_CAROUSELINTERFACES_TD

include "mlir/IR/OpBase.td"

def Carousel_TargetOpInterface : OpInterface<"TargetOpInterface"> {
  let cppNamespace = "::carousel";
  let description = [{
    An op that only some targets have. The answer may depend on attributes and types: a
    bulk store needs sm_90, a bulk store with a byte mask sm_100. `--carousel-verify-chip`
    compares it with the target.
  }];
  let methods = [
    InterfaceMethod<"The SM and the PTX version that this op needs.",
                    "::carousel::TargetRequirement", "getTargetRequirement">
  ];
}

def Carousel_LabelledWaitOpInterface : OpInterface<"LabelledWaitOpInterface"> {
  let cppNamespace = "::carousel";
  let description = [{
    A wait that is a loop around a test, so that its time can be bounded (`debug-waits`). The
    label says what it waits for.
  }];
  let methods = [
    InterfaceMethod<"What it waits for, or null.", "::carousel::WaitLabelAttr", "getLabelAttr">,
    InterfaceMethod<"Replaces the label.", "void", "setLabelAttr",
                    (ins "::carousel::WaitLabelAttr":$label)>,
    InterfaceMethod<"The barriers or semaphores, of which it tests one.",
                    "::mlir::TypedValue<::mlir::MemRefType>", "getAwaited">,
    InterfaceMethod<"How it names what it waits for.", "::carousel::WaitPhase", "getPhase">
  ];
}

def Carousel_TransferOpInterface : OpInterface<"TransferOpInterface"> {
  let cppNamespace = "::carousel";
  let description = [{
    A transfer of the tile phase or the ring phase: it moves a whole tile between a global memref
    and shared memory, in the tile phase as if synchronously. Dimension d of the tile is dimension
    `getNumLeadingDims() + d` of the global memref.
  }];
  let methods = [
    InterfaceMethod<"The global memref that the tile is a box of.",
                    "::mlir::TypedValue<::mlir::MemRefType>", "getGlobal">,
    InterfaceMethod<"The memref in shared memory that holds the whole tile.",
                    "::mlir::TypedValue<::mlir::MemRefType>", "getTile">,
    InterfaceMethod<"The box's first element, one index per dimension of the global memref.",
                    "::mlir::OperandRange", "getOffsets">,
    InterfaceMethod<"The threads that make the transfer together.",
                    "::carousel::TransferScope", "getScope">,
    InterfaceMethod<"Whether it fills the tile; else it writes the global memref.",
                    "bool", "isLoad">,
    InterfaceMethod<"Whether the author promises that the box is inside of the global memref.",
                    "bool", "getInBounds">,
    InterfaceMethod<"Whether threads are asked to carry it out, and no engine.",
                    "bool", "getByThreads">,
    InterfaceMethod<"The layout that is asked for the tile's machine form.",
                    "::carousel::Swizzle", "getSwizzle">,
    InterfaceMethod<"How the global memory that is touched is to be treated in L2.",
                    "::carousel::EvictPriority", "getCache">,
    InterfaceMethod<"What carries the transfer out, or null before that is decided.",
                    "::carousel::EngineAttr", "getEngineAttr">,
    InterfaceMethod<"The tensor map of the engine `tensor`, or null.",
                    "::mlir::TypedValue<::carousel::TensorMapType>", "getMap">
  ];
  let extraSharedClassDeclaration = [{
    /// The leading dimensions of the global memref that the tile doesn't have: the box has
    /// extent 1 in them.
    unsigned getNumLeadingDims() {
      return $_op.getGlobal().getType().getRank() - $_op.getTile().getType().getRank();
    }
    /// The bytes of the whole tile.
    int64_t getTileBytes() {
      ::mlir::MemRefType type = $_op.getTile().getType();
      return type.getNumElements() * type.getElementTypeBitWidth() / 8;
    }
  }];
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELINTERFACES_TD
