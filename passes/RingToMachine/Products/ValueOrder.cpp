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
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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

/// A zero that no compiler knows: the highest bit of an address. It stands at
/// the beginning of the kernel.
static Value createZero(ImplicitLocOpBuilder &b, gpu::GPUFuncOp kernel) {
  auto memory = llvm::find_if(kernel.getArguments(), [](BlockArgument value) {
    return isa<MemRefType>(value.getType());
  });
  if (memory == kernel.getArguments().end())
    return {};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, *memory);
  Value bits = arith::IndexCastUIOp::create(b, b.getI64Type(), address);
  Value place = arith::ConstantOp::create(b, b.getI64IntegerAttr(64 - 1));
  return arith::TruncIOp::create(b, b.getI32Type(),
                                 arith::ShRUIOp::create(b, bits, place));
}

Value carousel::tieElements(ImplicitLocOpBuilder &b, Value vector) {
  auto kernel = vector.getParentRegion()->getParentOfType<gpu::GPUFuncOp>();
  Value zero = kernel ? createZero(b, kernel) : Value();
  if (!zero)
    return {};
  auto type = cast<VectorType>(vector.getType());
  SmallVector<Value> words;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    words.push_back(arith::BitcastOp::create(
        b, b.getI32Type(), vector::ExtractOp::create(b, vector, i)));
  Value all = words.front();
  for (Value word : ArrayRef(words).drop_front())
    all = arith::OrIOp::create(b, all, word);
  Value none = arith::AndIOp::create(b, all, zero);
  SmallVector<Value> elements;
  for (Value word : words)
    elements.push_back(arith::BitcastOp::create(
        b, b.getF32Type(), arith::XOrIOp::create(b, word, none)));
  return vector::FromElementsOp::create(b, type, elements);
}
