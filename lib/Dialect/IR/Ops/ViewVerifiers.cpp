//===- ViewVerifiers.cpp - rules of views of global memory ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verifier of carousel.rows. docs/Spec.md lists the rules by number.
//
//===----------------------------------------------------------------------===//

#include "OpRules.h"

#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

Value RowsOp::getViewSource() { return getSource(); }

LogicalResult RowsOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &inferred) {
  auto source = dyn_cast<MemRefType>(operands[0].getType()),
       table = dyn_cast<MemRefType>(operands[1].getType());
  if (!source || source.getRank() == 0 || !table || table.getRank() != 1)
    return emitOptionalError(
        location,
        "'carousel.rows' op expected a source of one dimension or more and a "
        "table of one, got ",
        operands[0].getType(), " and ", operands[1].getType());
  SmallVector<int64_t> shape(source.getShape());
  shape.front() = table.getDimSize(0);
  // Strides that follow from the extents stay as they are.
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(source.getStridesAndOffset(strides, offset)))
    return emitOptionalError(
        location, "'carousel.rows' op expected a source with strides, got ",
        source);
  inferred.push_back(MemRefType::Builder(source).setShape(shape));
  return success();
}

/// C301
static bool mayUse(OpOperand &use, ReductionAttr reduce) {
  Operation *user = use.getOwner();
  if (isa<memref::DimOp>(user))
    return true;
  if (auto access = dyn_cast<VectorTransferOpInterface>(user))
    return !access.getMask() && access.getPermutationMap().isMinorIdentity();
  auto transfer = dyn_cast<TransferOpInterface>(user);
  return transfer && (transfer.isLoad() ||
                      user->getAttrOfType<ReductionAttr>("reduce") == reduce);
}

static bool isRead(Operation *user) {
  auto transfer = dyn_cast<TransferOpInterface>(user);
  return isa<vector::TransferReadOp>(user) || (transfer && transfer.isLoad());
}

/// C306
static LogicalResult verifyReduction(RowsOp rows) {
  ReductionAttr reduce = rows.getReduceAttr();
  if (!reduce)
    return success();
  if (failed(verifyGlobalReduction(rows, reduce.getKind(), reduce.getType(),
                                   rows.getType().getElementType())))
    return failure();
  for (Operation *user : rows->getUsers())
    if (isRead(user))
      return rows.emitOpError("expected no reads of rows that reduce, got ")
             << user->getName();
  return success();
}

LogicalResult RowsOp::verify() {
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)getSource().getType().getStridesAndOffset(strides, offset);
  // C300
  if (strides.size() > 1 && strides.back() != 1)
    return emitOpError("expected rows whose elements follow each other, got ")
           << getSource().getType();
  Type number = getTable().getType().getElementType();
  if (!number.isInteger(32) && !number.isInteger(64))
    return emitOpError("expected a table of i32 or i64, got ")
           << getTable().getType();
  for (OpOperand &use : getResult().getUses())
    if (!mayUse(use, getReduceAttr()))
      return emitOpError("expected that only memref.dim and transfers without "
                         "a mask, a permutation or another reduction use rows, "
                         "got ")
             << use.getOwner()->getName();
  return verifyReduction(*this);
}
