//===- RowLevels.cpp - loops over the chunks of a row ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RowLevels.h.
//
//===----------------------------------------------------------------------===//

#include "RowLevels.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

RowLevels::RowLevels(gpu::GPUFuncOp kernel, int64_t width)
    : body(kernel.getBody().front()), width(width) {
  for (Operation &op : body.without_terminator())
    if (refusal = place(&op); !refusal.empty())
      return;
  for (Value memref : written)
    if (read.contains(memref))
      refusal = "it reads and writes the same memref";
}

bool RowLevels::isCovered(Type type) const {
  auto vector = dyn_cast<VectorType>(type);
  return vector && llvm::is_contained(vector.getShape(), width);
}

bool RowLevels::isCoveredOp(Operation *op) const {
  return llvm::any_of(op->getOperandTypes(),
                      [&](Type type) { return isCovered(type); }) ||
         llvm::any_of(op->getResultTypes(),
                      [&](Type type) { return isCovered(type); });
}

bool RowLevels::isEnd(Operation *op) const {
  auto reduction = dyn_cast<vector::MultiDimReductionOp>(op);
  return reduction && isCovered(reduction.getSource().getType()) &&
         !isCovered(reduction.getType());
}

static std::string describe(Operation *op, const Twine &what) {
  return ("'" + op->getName().getStringRef() + "' " + what).str();
}

/// Finds the op's level. Returns why the op can't go over chunks.
std::string RowLevels::place(Operation *op) {
  unsigned level = 0;
  for (Value operand : op->getOperands())
    if (Operation *source = operand.getDefiningOp())
      level = std::max(level, levels.lookup(source) + isEnd(source));
  levels[op] = level;
  last = std::max(last, level);
  if (op->getNumRegions() != 0)
    return describe(op, "has regions");
  noteMemory(op);
  if (!isCoveredOp(op))
    return "";
  bool isChange =
      isa<vector::ShapeCastOp, vector::InterleaveOp, vector::DeinterleaveOp,
          vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp,
          vector::ExtractOp, vector::InsertOp, vector::ConstantMaskOp,
          vector::ContractionOp, TransferOpInterface>(op);
  if (isChange)
    return describe(op, "changes the covered dimension");
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
    for (auto [dim, expr] :
         llvm::enumerate(transfer.getPermutationMap().getResults()))
      if (transfer.getVectorType().getDimSize(dim) == width &&
          !isa<AffineDimExpr>(expr))
        return describe(op, "repeats elements along the covered dimension");
  return "";
}

void RowLevels::noteMemory(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](vector::TransferReadOp op) { read.insert(op.getBase()); })
      .Case([&](vector::GatherOp op) { read.insert(op.getBase()); })
      .Case([&](memref::LoadOp op) { read.insert(op.getMemRef()); })
      .Case([&](vector::TransferWriteOp op) { written.insert(op.getBase()); })
      .Case([&](vector::ScatterOp op) { written.insert(op.getBase()); })
      .Case([&](memref::StoreOp op) { written.insert(op.getMemRef()); });
}

llvm::SetVector<Operation *> RowLevels::findNeeded(unsigned level) const {
  llvm::SetVector<Operation *> needed;
  for (Operation &op : body.without_terminator())
    if (isCoveredOp(&op) && getLevel(&op) == level &&
        (isEnd(&op) || (!isMemoryEffectFree(&op) && op.getNumResults() == 0)))
      needed.insert(&op);
  for (size_t i = 0; i < needed.size(); ++i)
    for (Value operand : needed[i]->getOperands())
      if (Operation *source = operand.getDefiningOp())
        if (isCovered(operand.getType()))
          needed.insert(source);
  return needed;
}

/// Whether it reads a part of one row of global memory, which each program has
/// of its own, and which a transfer could bring.
static bool readsRow(vector::TransferReadOp read) {
  auto isConstant = [](Value index) {
    return matchPattern(index, m_Constant());
  };
  auto memref = dyn_cast<MemRefType>(read.getShapedType());
  VectorType vector = read.getVectorType();
  Type element = vector.getElementType();
  return memref && isGlobalMemRef(memref) && memref.getRank() >= 2 &&
         memref.getElementType() == element && element.isIntOrFloat() &&
         element.getIntOrFloatBitWidth() % 8 == 0 && vector.getRank() <= 2 &&
         vector.getShape().back() == vector.getNumElements() &&
         !read.getMask() && read.getPermutationMap().isMinorIdentity() &&
         isConstant(read.getPadding()) &&
         !llvm::all_of(read.getIndices(), isConstant);
}

SmallVector<std::pair<vector::TransferReadOp, unsigned>>
RowLevels::findRepeated() const {
  llvm::MapVector<Operation *, unsigned> first;
  llvm::SetVector<Operation *> repeated;
  for (unsigned level = 0; level <= last; ++level)
    for (Operation *op : findNeeded(level))
      if (isa<vector::TransferReadOp>(op) &&
          !first.try_emplace(op, level).second)
        repeated.insert(op);
  SmallVector<std::pair<vector::TransferReadOp, unsigned>> reads;
  for (Operation *op : repeated)
    if (auto read = cast<vector::TransferReadOp>(op); readsRow(read))
      reads.emplace_back(read, first.lookup(op));
  return reads;
}
