//===- ValueOrder.cpp - what comes behind a value -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ValueOrder.h.
//
//===----------------------------------------------------------------------===//

#include "ValueOrder.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

void carousel::orderBehind(ImplicitLocOpBuilder &b, Value value) {
  constexpr int64_t kUnlikely = 0x7fedcba9; // of floats, one of many NaNs
  if (auto type = dyn_cast<VectorType>(value.getType())) {
    SmallVector<int64_t> last;
    for (int64_t extent : type.getShape())
      last.push_back(extent - 1);
    value = vector::ExtractOp::create(b, value, last);
  }
  if (value.getType().isIndex())
    value = arith::IndexCastOp::create(b, b.getI64Type(), value);
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits);
  if (value.getType() != integer)
    value = arith::BitcastOp::create(b, integer, value);
  Value unlikely = arith::ConstantOp::create(
      b, b.getIntegerAttr(integer, APInt(64, kUnlikely).trunc(bits)));
  Value holds =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value, unlikely);
  auto branch = scf::IfOp::create(b, holds, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  FenceThreadOp::create(b, MemSemantics::AcqRel, MemScope::CTA);
}
