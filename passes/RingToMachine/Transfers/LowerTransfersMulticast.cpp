//===- LowerTransfersMulticast.cpp - stores to multicast addresses --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread reads its piece of the tile at once, and stores or reduces it by one
// multimem op. If the end of the memref cuts it, the thread stores each unit of
// it that is inside. C238 makes sure that no unit is inside in part.
//
//===----------------------------------------------------------------------===//

#include "LowerTransfers.h"

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

static void createMultimem(ImplicitLocOpBuilder &b, ReductionAttr reduce,
                           Value value, const BoxValues &box,
                           ValueRange indices) {
  if (!reduce) {
    MultimemStoreOp::create(b, value, box.global, indices);
    return;
  }
  MultimemReduceOp::create(b, reduce.getKind(), reduce.getType(), value,
                           box.global, indices);
}

/// The elements from `first` on: a number, or a part of the piece.
static Value createUnit(ImplicitLocOpBuilder &b, Value piece, int64_t first,
                        int64_t elements) {
  if (elements == 1)
    return vector::ExtractOp::create(b, piece, first);
  return vector::ExtractStridedSliceOp::create(b, piece, first, elements,
                                               /*strides=*/1);
}

void carousel::storeMulticast(ImplicitLocOpBuilder &b,
                              const TransferIssue &issue, const BoxValues &box,
                              const Piece &piece) {
  ReductionAttr reduce = getReduction(issue.op);
  const TransferShape &shape = *issue.shape;
  if (piece.elements == 1)
    return createIf(b, piece.isInside, [&] {
      Value value = memref::LoadOp::create(b, box.tile, piece.place);
      createMultimem(b, reduce, value, box, piece.globalIndices);
    });
  auto type = VectorType::get({piece.elements},
                              issue.op.getTile().getType().getElementType());
  Value value = vector::LoadOp::create(
      b, type, box.tile, piece.place, /*nontemporal=*/false,
      llvm::MaybeAlign(piece.elements * shape.elementBytes));
  int64_t unit = std::max<int64_t>(kMulticastUnit / shape.elementBytes, 1);
  auto storeUnits = [&] {
    if (!mayCutPieces(issue.op, shape, piece.elements))
      return;
    for (int64_t first = 0; first < piece.elements; first += unit) {
      SmallVector<Value> indices = piece.globalIndices;
      indices.back() = createFolded<arith::AddIOp>(b, indices.back(), first);
      createIf(b,
               createAreInside(b, shape, box, indices.back(), unit,
                               piece.isRowInside),
               [&] {
                 createMultimem(b, reduce, createUnit(b, value, first, unit),
                                box, indices);
               });
    }
  };
  createIf(
      b, piece.isInside,
      [&] { createMultimem(b, reduce, value, box, piece.globalIndices); },
      storeUnits);
}
