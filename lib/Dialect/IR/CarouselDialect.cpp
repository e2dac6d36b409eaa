//===- CarouselDialect.cpp - registration of the dialect ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers ops, types and attributes, and includes the code that TableGen
// generates for the dialect, its enumerations and its interfaces.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/CarouselReduceOps.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace carousel;

#include "carousel/Dialect/IR/CarouselDialect.cpp.inc"

#include "carousel/Dialect/IR/CarouselEnums.cpp.inc"

#include "carousel/Dialect/IR/CarouselInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "carousel/Dialect/IR/CarouselAttrs.cpp.inc"

void CarouselDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "carousel/Dialect/IR/CarouselAttrs.cpp.inc"
      >();
}

namespace {
/// Functions of graphs are inlined, with the ops that their bodies may have.
struct InlinePureOps : public mlir::DialectInlinerInterface {
  using mlir::DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(mlir::Operation *op, mlir::Region *, bool,
                       mlir::IRMapping &) const override {
    return mlir::isPure(op);
  }
};
} // namespace

void CarouselDialect::initialize() {
  addInterfaces<InlinePureOps>();
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "carousel/Dialect/IR/CarouselOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "carousel/Dialect/IR/CarouselSignalOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "carousel/Dialect/IR/CarouselMultimemOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "carousel/Dialect/IR/CarouselReduceOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "carousel/Dialect/IR/CarouselViewOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "carousel/Dialect/IR/CarouselWgmmaOps.cpp.inc"
      >();
}
