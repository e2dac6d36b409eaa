//===- MaskedOps.cpp - reductions and products under a mask ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MaskedOps.h.
//
//===----------------------------------------------------------------------===//

#include "MaskedOps.h"

#include "NeutralElement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

std::optional<SmallVector<OpFoldResult>> carousel::findMaskSizes(Value mask) {
  if (auto create = mask.getDefiningOp<vector::CreateMaskOp>())
    return getAsOpFoldResult(create.getOperands());
  if (auto constant = mask.getDefiningOp<vector::ConstantMaskOp>())
    return getAsIndexOpFoldResult(mask.getContext(),
                                  constant.getMaskDimSizes());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Ops of the block phase
//===----------------------------------------------------------------------===//

static std::string explainContraction(vector::MaskOp op,
                                      vector::ContractionOp product) {
  if (product.getKind() != vector::CombiningKind::ADD)
    return "expected a sum of products under a mask, got the kind '" +
           vector::stringifyCombiningKind(product.getKind()).str() + "'";
  if (!findMaskSizes(op.getMask()))
    return "expected a mask of vector.create_mask or constant_mask for a "
           "contraction";
  return "";
}

std::string carousel::explainMask(vector::MaskOp op) {
  Operation *masked = op.getMaskableOp();
  if (!masked)
    return "expected an op under the mask, got none";
  auto read = dyn_cast<vector::TransferReadOp>(masked);
  if (op.hasPassthru() && read && !read.getPermutationMap().isMinorIdentity())
    return "expected no passthru of a read that permutes or broadcasts "
           "dimensions";
  return llvm::TypeSwitch<Operation *, std::string>(masked)
      .Case<vector::MultiDimReductionOp, vector::TransferReadOp,
            vector::TransferWriteOp>([](Operation *) { return ""; })
      .Case([&](vector::ContractionOp product) {
        return explainContraction(op, product);
      })
      .Default([](Operation *other) {
        return "expected a reduction, a contraction or a transfer under a "
               "mask, got '" +
               other->getName().getStringRef().str() + "'";
      });
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

namespace {

class Unmasker {
public:
  Unmasker(RewriterBase &rewriter, vector::MaskOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()) {}

  Value unmask(vector::MultiDimReductionOp reduction) {
    TypedAttr neutral =
        getNeutralElement(rewriter, reduction.getKind(),
                          reduction.getSourceVectorType().getElementType());
    setOperand(reduction.getSourceMutable(),
               choose(op.getMask(), reduction.getSource(), neutral));
    return moveOut(reduction);
  }

  /// Zeros of both factors, so that masked elements of the other one don't
  /// matter. Sums that are masked themselves stay what they were.
  Value unmask(vector::ContractionOp product) {
    SmallVector<OpFoldResult> sizes = *findMaskSizes(op.getMask());
    SmallVector<AffineMap> maps = product.getIndexingMapsArray();
    auto choosePart = [&](OpOperand &operand, AffineMap map) {
      auto type = cast<VectorType>(operand.get().getType());
      TypedAttr zero = rewriter.getZeroAttr(type.getElementType());
      setOperand(operand,
                 choose(makeMask(type, map, sizes), operand.get(), zero));
    };
    choosePart(product.getLhsMutable(), maps[0]);
    choosePart(product.getRhsMutable(), maps[1]);
    Value acc = product.getAcc();
    Value result = moveOut(product);
    auto type = dyn_cast<VectorType>(result.getType());
    if (!type)
      return result;
    return arith::SelectOp::create(rewriter, loc,
                                   makeMask(type, maps[2], sizes), result, acc);
  }

  Value unmask(vector::TransferReadOp read) {
    rewriter.modifyOpInPlace(
        read, [&] { read.getMaskMutable().assign(op.getMask()); });
    Value result = moveOut(read);
    if (!op.hasPassthru())
      return result;
    return arith::SelectOp::create(rewriter, loc, op.getMask(), result,
                                   op.getPassthru());
  }

  void unmask(vector::TransferWriteOp write) {
    rewriter.modifyOpInPlace(
        write, [&] { write.getMaskMutable().assign(op.getMask()); });
    rewriter.moveOpBefore(write, op);
  }

private:
  Value choose(Value mask, Value vector, TypedAttr other) {
    auto type = cast<VectorType>(vector.getType());
    auto splat = SplatElementsAttr::get(type, Attribute(other));
    return arith::SelectOp::create(
        rewriter, loc, mask, vector,
        arith::ConstantOp::create(rewriter, loc, splat));
  }

  /// The box in the dimensions that an operand has.
  Value makeMask(VectorType type, AffineMap map, ArrayRef<OpFoldResult> sizes) {
    SmallVector<Value> own;
    for (AffineExpr expr : map.getResults())
      own.push_back(getValueOrCreateConstantIndexOp(
          rewriter, loc, sizes[cast<AffineDimExpr>(expr).getPosition()]));
    return vector::CreateMaskOp::create(rewriter, loc,
                                        type.clone(rewriter.getI1Type()), own);
  }

  void setOperand(OpOperand &operand, Value value) {
    rewriter.modifyOpInPlace(operand.getOwner(), [&] { operand.set(value); });
  }

  Value moveOut(Operation *masked) {
    rewriter.moveOpBefore(masked, op);
    return masked->getResult(0);
  }

  RewriterBase &rewriter;
  vector::MaskOp op;
  Location loc;
};

} // namespace

void carousel::unmask(RewriterBase &rewriter, vector::MaskOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Operation *masked = op.getMaskableOp();
  Unmasker unmasker(rewriter, op);
  if (auto write = dyn_cast<vector::TransferWriteOp>(masked)) {
    unmasker.unmask(write);
    rewriter.eraseOp(op);
    return;
  }
  Value result = llvm::TypeSwitch<Operation *, Value>(masked)
                     .Case<vector::MultiDimReductionOp, vector::ContractionOp,
                           vector::TransferReadOp>(
                         [&](auto own) { return unmasker.unmask(own); });
  rewriter.replaceOp(op, result);
}
