//===- MaskPadding.cpp - no results of padding ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MaskPadding.h. Where Analysis/Distribution/PaddingValues.h finds that
// padding doesn't matter, nothing changes. Constraint C249 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "MaskPadding.h"

#include "../Kernels/NeutralElement.h"

#include "carousel/Analysis/Distribution/PaddingValues.h"
#include "carousel/Dialect/IR/CarouselReduceOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Dialect/Transforms/CoveredVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

namespace {

class Masker {
public:
  Masker(gpu::GPUFuncOp kernel, BlockProgramAttr program)
      : kernel(kernel), program(program), extent(kernel, program) {}

  LogicalResult run();

private:
  bool isCoveredDim(VectorType type, unsigned dim) const {
    return type.getDimSize(dim) == program.getWidth();
  }
  Value getEnd();
  Value makeMask(OpBuilder &builder, Location loc, VectorType type);
  void choose(OpOperand &operand, TypedAttr other);
  void remarkOn(Operation *op, const Padding &padding);

  LogicalResult mask(Operation *op, const PaddingValues &values);
  void maskReduction(vector::MultiDimReductionOp op,
                     const PaddingValues &values);
  LogicalResult maskContraction(vector::ContractionOp op,
                                const PaddingValues &values);
  void limitWrite(vector::TransferWriteOp op, const PaddingValues &values);
  void maskScan(ScanOp op);
  void maskSort(SortOp op);
  void maskScatter(vector::ScatterOp op, const PaddingValues &values);

  gpu::GPUFuncOp kernel;
  BlockProgramAttr program;
  CoveredExtent extent;
  Conditions required = 0;
  Value end;
};

} // namespace

LogicalResult Masker::run() {
  if (extent.isAlwaysWhole())
    return success();
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<vector::MultiDimReductionOp, vector::ContractionOp, ScanOp, SortOp,
            vector::TransferWriteOp, vector::ScatterOp>(op) &&
        hasCovered(op, program.getWidth()))
      ops.push_back(op);
  });
  if (ops.empty())
    return success();
  {
    PaddingValues values(kernel, extent);
    for (Operation *op : ops)
      if (failed(mask(op, values)))
        return failure();
  }
  SmallVector<GuardAttr> guards = extent.getGuards(required);
  if (auto variant =
          kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant))
    llvm::erase_if(guards, [&](GuardAttr guard) {
      return llvm::is_contained(variant.getGuards(), guard);
    });
  if (!guards.empty())
    addGuards(kernel, getKernelName(kernel), guards);
  return success();
}

LogicalResult Masker::mask(Operation *op, const PaddingValues &values) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](vector::MultiDimReductionOp reduction) {
        maskReduction(reduction, values);
        return success();
      })
      .Case([&](vector::ContractionOp product) {
        return maskContraction(product, values);
      })
      .Case([&](ScanOp scan) {
        maskScan(scan);
        return success();
      })
      .Case([&](SortOp sort) {
        maskSort(sort);
        return success();
      })
      .Case([&](vector::TransferWriteOp write) {
        limitWrite(write, values);
        return success();
      })
      .Case([&](vector::ScatterOp scatter) {
        maskScatter(scatter, values);
        return success();
      });
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// The covered extent, at the begin of the kernel.
Value Masker::getEnd() {
  if (!end) {
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    end = createExtent(builder, kernel.getLoc(), kernel, program.getCovers());
  }
  return end;
}

Value Masker::makeMask(OpBuilder &builder, Location loc, VectorType type) {
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    sizes.push_back(isCoveredDim(type, dim)
                        ? getEnd()
                        : arith::ConstantIndexOp::create(builder, loc, size));
  return vector::CreateMaskOp::create(builder, loc,
                                      type.clone(builder.getI1Type()), sizes);
}

/// Replaces the elements beyond the extent.
void Masker::choose(OpOperand &operand, TypedAttr other) {
  Operation *op = operand.getOwner();
  Location loc = op->getLoc();
  OpBuilder builder(op);
  auto type = cast<VectorType>(operand.get().getType());
  Value others = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, Attribute(other)));
  Value mask = makeMask(builder, loc, type);
  operand.set(
      arith::SelectOp::create(builder, loc, mask, operand.get(), others));
}

void Masker::remarkOn(Operation *op, const Padding &padding) {
  if (!op->getContext()->getRemarkEngine())
    return;
  std::string text;
  llvm::raw_string_ostream os(text);
  padding.print(os);
  remark::passed(op->getLoc(), remark::RemarkOpts::name("Mask")
                                   .category("carousel-specialize-blocks")
                                   .function(kernel.getName()))
      << remark::add("elements beyond {0} are masked, got padding that is {1}",
                     program.getCovers(), text);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void Masker::maskReduction(vector::MultiDimReductionOp op,
                           const PaddingValues &values) {
  VectorType type = op.getSourceVectorType();
  bool isAlong = false;
  for (auto [dim, isReduced] : llvm::enumerate(op.getReductionMask()))
    isAlong |= isReduced && isCoveredDim(type, dim);
  if (!isAlong)
    return;
  if (std::optional<Conditions> conditions = values.findConditions(op)) {
    required |= *conditions;
    return;
  }
  remarkOn(op, values.get(op.getSource()));
  OpBuilder builder(op);
  choose(op.getSourceMutable(),
         getNeutralElement(builder, op.getKind(), type.getElementType()));
}

LogicalResult Masker::maskContraction(vector::ContractionOp op,
                                      const PaddingValues &values) {
  SmallVector<int64_t> bounds;
  op.getIterationBounds(bounds);
  bool isAlong = false;
  for (auto [bound, iterator] :
       llvm::zip_equal(bounds, op.getIteratorTypesArray()))
    isAlong |= bound == program.getWidth() &&
               iterator == vector::IteratorType::reduction;
  if (!isAlong)
    return success();
  if (std::optional<Conditions> conditions = values.findConditions(op)) {
    required |= *conditions;
    return success();
  }
  // C249
  if (op.getKind() != vector::CombiningKind::ADD)
    return op.emitError("expected a sum of products along the covered "
                        "dimension, got the kind '")
           << vector::stringifyCombiningKind(op.getKind()) << "'";
  for (OpOperand *factor : {&op.getLhsMutable(), &op.getRhsMutable()}) {
    Padding padding = values.get(factor->get());
    auto type = cast<VectorType>(factor->get().getType());
    if (!isCovered(type, program.getWidth()))
      continue;
    TypedAttr number = padding.getConstant();
    bool isZero = number && (matchPattern(number, m_Zero()) ||
                             matchPattern(number, m_AnyZeroFloat()));
    if (isZero) {
      required |= padding.getConditions();
      continue;
    }
    remarkOn(op, padding);
    choose(*factor, OpBuilder(op).getZeroAttr(type.getElementType()));
  }
  return success();
}

void Masker::limitWrite(vector::TransferWriteOp op,
                        const PaddingValues &values) {
  auto type = dyn_cast<MemRefType>(op.getShapedType());
  if (!type || !isGlobalMemRef(type))
    return; // tiles have rows of their own
  if (op.getMask()) {
    Padding mask = values.get(op.getMask());
    auto isOn = dyn_cast_or_null<BoolAttr>(mask.getConstant());
    if (isOn && !isOn.getValue()) {
      required |= mask.getConditions();
      return;
    }
  }
  if (std::optional<Conditions> conditions = extent.findConditions(
          cast<VectorTransferOpInterface>(op.getOperation()))) {
    required |= *conditions;
    return;
  }
  // A view that ends with the extent.
  Location loc = op.getLoc();
  OpBuilder builder(op);
  SmallVector<OpFoldResult> sizes =
      memref::getMixedSizes(builder, loc, op.getBase());
  SmallVector<bool> inBounds = op.getInBoundsValues();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  for (auto [dim, expr] :
       llvm::enumerate(op.getPermutationMap().getResults())) {
    if (!isCoveredDim(op.getVectorType(), dim))
      continue;
    unsigned along = cast<AffineDimExpr>(expr).getPosition();
    Value own = getValueOrCreateConstantIndexOp(builder, loc, sizes[along]);
    Value last =
        arith::AddIOp::create(builder, loc, op.getIndices()[along], getEnd());
    Value limit = arith::MinSIOp::create(builder, loc, own, last);
    sizes[along] =
        arith::MaxSIOp::create(builder, loc, limit, zero).getResult();
    inBounds[dim] = false;
  }
  SmallVector<OpFoldResult> zeros(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  op.getBaseMutable().assign(memref::SubViewOp::create(
      builder, loc, op.getBase(), zeros, sizes, ones));
  op.setInBoundsAttr(builder.getBoolArrayAttr(inBounds));
  remarkOn(op, values.get(op.getValueToStore()));
}

/// Carries whether an element is one of the row: what is beyond it changes
/// nothing. Behind the last element of a row, only a total could.
void Masker::maskScan(ScanOp op) {
  unsigned dim = op.getDim();
  bool isUnused = llvm::all_of(op.getTotals(),
                               [](Value total) { return total.use_empty(); });
  if (!isCoveredDim(op.getType(), dim) || (!op.getReverse() && isUnused))
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<Value> sources(op.getSources()), inits(op.getInits());
  sources.push_back(makeMask(builder, loc, op.getType()));
  Type type = inits.front().getType();
  Type bit = builder.getI1Type();
  TypedAttr all = builder.getBoolAttr(true);
  if (auto vector = dyn_cast<VectorType>(type))
    all = DenseElementsAttr::get(vector.clone(bit), true);
  inits.push_back(arith::ConstantOp::create(builder, loc, all));
  auto masked = ScanOp::create(builder, loc, sources, inits, op.getDim(),
                               op.getExclusive(), op.getReverse());
  masked.getBody().takeBody(op.getBody());
  Block &body = masked.getBody().front();
  size_t count = op.getCount();
  Value isBefore = body.insertArgument(count, bit, loc);
  Value isNext = body.addArgument(bit, loc);
  Operation *end = body.getTerminator();
  builder.setInsertionPoint(end);
  for (OpOperand &value : end->getOpOperands()) {
    size_t at = value.getOperandNumber();
    Value before = body.getArgument(at),
          next = body.getArgument(count + 1 + at);
    Value both =
        arith::SelectOp::create(builder, loc, isNext, value.get(), before);
    value.set(arith::SelectOp::create(builder, loc, isBefore, both, next));
  }
  end->insertOperands(
      count, arith::OrIOp::create(builder, loc, isBefore, isNext).getResult());
  for (auto [own, result] :
       llvm::zip_equal(op.getScanned(), masked.getScanned().drop_back()))
    own.replaceAllUsesWith(result);
  for (auto [own, result] :
       llvm::zip_equal(op.getTotals(), masked.getTotals().drop_back()))
    own.replaceAllUsesWith(result);
  op.erase();
}

/// Elements beyond the row come last: equal keys keep their order.
void Masker::maskSort(SortOp op) {
  VectorType type = op.getType();
  if (!isCoveredDim(type, op.getDim()))
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value last = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          type, APInt::getSignedMaxValue(type.getElementTypeBitWidth())));
  op.getKeyMutable().assign(arith::SelectOp::create(
      builder, loc, makeMask(builder, loc, type), op.getKey(), last));
}

void Masker::maskScatter(vector::ScatterOp op, const PaddingValues &values) {
  Padding padding = values.get(op.getMask());
  auto isOn = dyn_cast_or_null<BoolAttr>(padding.getConstant());
  if (isOn && !isOn.getValue()) {
    required |= padding.getConditions();
    return;
  }
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value inside =
      makeMask(builder, loc, cast<VectorType>(op.getValueToStore().getType()));
  op.getMaskMutable().assign(
      arith::AndIOp::create(builder, loc, op.getMask(), inside));
  remarkOn(op, padding);
}

LogicalResult carousel::maskPadding(gpu::GPUFuncOp kernel,
                                    BlockProgramAttr program) {
  return Masker(kernel, program).run();
}
