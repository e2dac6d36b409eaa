//===- RowChunks.cpp - the ops of a row for one chunk of it ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RowChunks.h.
//
//===----------------------------------------------------------------------===//

#include "RowChunks.h"

#include "LoadOfRead.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace carousel;

void RowChunks::keep(OpBuilder &builder, vector::TransferReadOp read,
                     const IRMapping &mapping) {
  constexpr int64_t kAlignment = 128;
  Location loc = read.getLoc();
  auto type = MemRefType::get(
      {1, part.getMost()}, read.getVectorType().getElementType(),
      MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(builder.getContext(),
                                 gpu::AddressSpace::Workgroup));
  Value tile = memref::AllocOp::create(builder, loc, type,
                                       builder.getI64IntegerAttr(kAlignment));
  SmallVector<Value> indices = llvm::map_to_vector(
      read.getIndices(), [&](Value index) { return mapping.lookup(index); });
  indices.back() = part.addBegin(builder, loc, indices.back());
  createTileLoad(
      builder, loc,
      {mapping.lookup(read.getBase()), indices, /*isInBounds=*/false}, tile,
      read.getPadding(), Swizzle::None);
  tiles[read] = tile;
}

void RowChunks::clone(OpBuilder &builder, Operation *op, IRMapping &own,
                      Value chunk) {
  Location loc = op->getLoc();
  if (auto tile = tiles.find(op); tile != tiles.end()) {
    auto read = cast<vector::TransferReadOp>(op);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    SmallVector<bool> inBounds(read.getVectorType().getRank(), true);
    own.map(read.getResult(),
            vector::TransferReadOp::create(
                builder, loc, read.getVectorType(), tile->second,
                ValueRange{zero, chunk}, own.lookup(read.getPadding()),
                ArrayRef<bool>(inBounds))
                .getResult());
    return;
  }
  Operation *clone = builder.clone(*op, own);
  builder.setInsertionPoint(clone);
  auto getAt = [&] { return part.addBegin(builder, loc, chunk); };
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(clone)) {
    Value at = getAt();
    for (auto [dim, expr] :
         llvm::enumerate(transfer.getPermutationMap().getResults())) {
      if (transfer.getVectorType().getDimSize(dim) != width)
        continue;
      unsigned along = cast<AffineDimExpr>(expr).getPosition();
      OpOperand &index =
          *llvm::find_if(clone->getOpOperands(), [&](OpOperand &operand) {
            return operand.getOperandNumber() ==
                   transfer.getIndices().getBeginOperandIndex() + along;
          });
      index.set(arith::AddIOp::create(builder, loc, index.get(), at));
    }
  } else if (auto mask = dyn_cast<vector::CreateMaskOp>(clone)) {
    for (auto [dim, operand] : llvm::enumerate(clone->getOpOperands()))
      if (mask.getVectorType().getDimSize(dim) == width)
        operand.set(
            arith::SubIOp::create(builder, loc, operand.get(), getAt()));
  } else if (auto steps = dyn_cast<vector::StepOp>(clone)) {
    builder.setInsertionPointAfter(clone);
    Value copies =
        vector::BroadcastOp::create(builder, loc, steps.getType(), getAt());
    own.map(op->getResult(0),
            arith::AddIOp::create(builder, loc, steps, copies).getResult());
    return;
  }
  builder.setInsertionPointAfter(clone);
}
