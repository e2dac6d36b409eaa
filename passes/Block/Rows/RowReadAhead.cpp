//===- RowReadAhead.cpp - chunks that are read ahead ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RowReadAhead.h.
//
//===----------------------------------------------------------------------===//

#include "RowReadAhead.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

static int64_t countBits(vector::TransferReadOp read) {
  return read.getVectorType().getElementType().getIntOrFloatBitWidth();
}

/// Reads of what all programs have, by the loop of a level. They needn't wait
/// for the level before, and are as small as what is kept, so that a chunk more
/// of them fits registers.
SmallVector<vector::TransferReadOp> RowReadAhead::findReads(unsigned level) {
  SmallVector<vector::TransferReadOp> reads;
  int64_t keptBits = 0, ahead = 0;
  for (auto [op, tile] : chunks.getTiles())
    keptBits += countBits(cast<vector::TransferReadOp>(op));
  for (Operation *op : levels.findNeeded(level)) {
    auto read = dyn_cast<vector::TransferReadOp>(op);
    auto isKnown = [&](Value operand) { return mapping.contains(operand); };
    if (!read || read.getMask() || !RowLevels::isOfAllPrograms(read) ||
        !llvm::all_of(op->getOperands(), isKnown))
      continue;
    ahead += countBits(read);
    reads.push_back(read);
  }
  if (ahead > keptBits)
    reads.clear();
  return reads;
}

void RowReadAhead::start(OpBuilder &builder, unsigned level) {
  if (level > levels.getLast())
    return;
  Location loc = levels.getBlock().getParentOp()->getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  for (vector::TransferReadOp read : findReads(level)) {
    IRMapping own = mapping;
    chunks.clone(builder, read, own, zero);
    first[{read, level}] = own.lookup(read.getResult());
  }
}

Value RowReadAhead::readNext(OpBuilder &builder, vector::TransferReadOp read,
                             Value chunk, Value current, Value extent) {
  Location loc = read.getLoc();
  Value step = arith::ConstantIndexOp::create(builder, loc, levels.getWidth());
  Value next = arith::AddIOp::create(builder, loc, chunk, step);
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       next, extent);
  auto branch = scf::IfOp::create(
      builder, loc, exists,
      [&](OpBuilder &nested, Location) {
        IRMapping own = mapping;
        chunks.clone(nested, read, own, next);
        scf::YieldOp::create(nested, loc, own.lookup(read.getResult()));
      },
      [&](OpBuilder &nested, Location) {
        scf::YieldOp::create(nested, loc, current);
      });
  return branch.getResult(0);
}
