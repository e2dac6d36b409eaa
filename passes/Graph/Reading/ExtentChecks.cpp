//===- ExtentChecks.cpp - tensors as long as others -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ExtentChecks.h.
//
//===----------------------------------------------------------------------===//

#include "ExtentChecks.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace carousel;

std::string carousel::describeDimension(Value tensor, int64_t dim) {
  std::string text = "dimension " + std::to_string(dim) + " of ";
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument)
    return text + "an operand";
  auto program = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto attr = program.getArgAttrOfType<ArgumentAttr>(
      argument.getArgNumber(), CarouselDialect::kArgument);
  return text + (attr ? attr.getName().str()
                      : "arg" + std::to_string(argument.getArgNumber()));
}

void ExtentChecks::add(unsigned loop, Value tensor, int64_t dim) {
  add(loop, tensor::getMixedSize(builder, loc, tensor, dim),
      describeDimension(tensor, dim));
}

void ExtentChecks::add(unsigned loop, OpFoldResult size, std::string what) {
  auto [first, isNew] = extents.try_emplace(loop, size, what);
  const auto &[known, name] = first->second;
  if (isNew || known == size)
    return;
  if (getConstantIntValue(known) && getConstantIntValue(size))
    return; // the ops' verifiers compared them
  Value equal = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq,
      getValueOrCreateConstantIndexOp(builder, loc, known),
      getValueOrCreateConstantIndexOp(builder, loc, size));
  cf::AssertOp::create(builder, loc, equal,
                       "expected " + what + " to be as long as " + name + " " +
                           where);
}
