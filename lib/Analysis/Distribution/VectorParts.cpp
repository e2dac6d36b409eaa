//===- VectorParts.cpp - parts of vectors ---------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See VectorParts.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/VectorParts.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

/// `part` is a vector or a scalar. Trailing offsets that aren't given are 0.
static VectorPart makePart(VectorType whole, Type part,
                           ArrayRef<OpFoldResult> offsets) {
  VectorPart result;
  result.whole = whole;
  result.offsets.assign(offsets.begin(), offsets.end());
  result.offsets.resize(whole.getRank(),
                        Builder(whole.getContext()).getIndexAttr(0));
  auto vector = dyn_cast<VectorType>(part);
  result.numDropped = whole.getRank() - (vector ? vector.getRank() : 0);
  result.sizes.assign(result.numDropped, 1);
  if (vector)
    llvm::append_range(result.sizes, vector.getShape());
  return result;
}

std::optional<VectorPart> VectorPart::of(Operation *op) {
  auto toOffsets = [](ArrayAttr attrs) {
    return llvm::map_to_vector(
        attrs, [](Attribute attr) { return OpFoldResult(attr); });
  };
  return llvm::TypeSwitch<Operation *, std::optional<VectorPart>>(op)
      .Case([](vector::ExtractOp op) {
        return makePart(op.getSourceVectorType(), op.getType(),
                        op.getMixedPosition());
      })
      .Case([](vector::InsertOp op) {
        return makePart(op.getDestVectorType(), op.getValueToStoreType(),
                        op.getMixedPosition());
      })
      .Case([&](vector::ExtractStridedSliceOp op) {
        return makePart(op.getSourceVectorType(), op.getType(),
                        toOffsets(op.getOffsets()));
      })
      .Case([&](vector::InsertStridedSliceOp op) {
        return makePart(op.getDestVectorType(), op.getSourceVectorType(),
                        toOffsets(op.getOffsets()));
      })
      .Default([](Operation *) { return std::nullopt; });
}

bool VectorPart::isAligned() const {
  return llvm::all_of(
      llvm::zip_equal(whole.getShape(), sizes, offsets), [](auto dim) {
        auto [extent, size, offset] = dim;
        std::optional<int64_t> number = getConstantIntValue(offset);
        return number && (extent == size ||
                          (llvm::isPowerOf2_64(size) && *number % size == 0));
      });
}

std::optional<int64_t> VectorPart::findOutside() const {
  for (auto [extent, size, offset] :
       llvm::zip_equal(whole.getShape(), sizes, offsets)) {
    std::optional<int64_t> number = getConstantIntValue(offset);
    if (number && (*number < 0 || *number > extent - size))
      return number;
  }
  return std::nullopt;
}
