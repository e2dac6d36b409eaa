//===- NumberPatterns.cpp - numbers of the host and of the device ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See NumberPatterns.h.
//
//===----------------------------------------------------------------------===//

#include "NumberPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

static bool isTensor(Type type) { return isa<TensorType>(type); }

/// The only element of a tensor that is made of numbers; or null.
static Value findNumber(Value tensor) {
  auto made = tensor.getDefiningOp<tensor::FromElementsOp>();
  if (!made || made.getElements().size() != 1)
    return {};
  return made.getElements().front();
}

/// An op between structured ops that computes numbers of numbers, or of an
/// element.
static bool computesNumbers(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::none_of(op->getResultTypes(), isTensor) &&
         (isa<tensor::ExtractOp>(op) ||
          llvm::none_of(op->getOperandTypes(), isTensor));
}

static bool dependsOnData(Value number) {
  SmallVector<Value> open = {number};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !computesNumbers(op) || !seen.insert(op).second)
      continue;
    if (isa<tensor::ExtractOp>(op))
      return true;
    llvm::append_range(open, op->getOperands());
  }
  return false;
}

static bool dependOnData(ArrayRef<OpFoldResult> numbers) {
  return llvm::any_of(numbers, [](OpFoldResult number) {
    auto value = dyn_cast<Value>(number);
    return value && dependsOnData(value);
  });
}

/// Computes a number again.
static Value clone(OpBuilder &builder, Value number, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(number))
    return known;
  Operation *op = number.getDefiningOp();
  if (!op || !dependsOnData(number))
    return number;
  for (Value operand : op->getOperands())
    if (!isTensor(operand.getType()))
      mapping.map(operand, clone(builder, operand, mapping));
  builder.clone(*op, mapping);
  return mapping.lookup(number);
}

namespace {

//===----------------------------------------------------------------------===//
// The host's
//===----------------------------------------------------------------------===//

struct OpOnNumbers : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumLoops() != 0 || !op.hasPureTensorSemantics())
      return failure();
    Block *body = op.getBody();
    SmallVector<Value> numbers;
    for (Value input : op.getInputs()) {
      Value number = isTensor(input.getType()) ? findNumber(input) : input;
      if (!number)
        return failure();
      numbers.push_back(number);
    }
    for (BlockArgument start :
         body->getArguments().drop_front(op.getNumDpsInputs()))
      if (!start.use_empty())
        return failure();
    if (!llvm::all_of(body->without_terminator(), [](Operation &inner) {
          return inner.getDialect() &&
                 isa<arith::ArithDialect>(inner.getDialect());
        }))
      return failure();
    IRMapping mapping;
    mapping.map(body->getArguments().take_front(op.getNumDpsInputs()), numbers);
    for (Operation &inner : body->without_terminator())
      rewriter.clone(inner, mapping);
    SmallVector<Value> results;
    for (auto [result, number] :
         llvm::zip_equal(op.getResults(), body->getTerminator()->getOperands()))
      results.push_back(tensor::FromElementsOp::create(
          rewriter, op.getLoc(), result.getType(),
          mapping.lookupOrDefault(number)));
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct ReadOfNumber : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand *input : op.getDpsInputOperands()) {
      Value number = findNumber(input->get());
      if (!number || op.getMatchingIndexingMap(input).getNumResults() != 0)
        continue;
      rewriter.modifyOpInPlace(op, [&] { input->set(number); });
      return success();
    }
    return failure();
  }
};

struct TensorOfNumber : public OpRewritePattern<tensor::FromElementsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    Value number = findNumber(op);
    if (!number)
      return failure();
    auto type = cast<RankedTensorType>(op.getType());
    auto write = [](OpBuilder &builder, Location loc, ValueRange elements) {
      linalg::YieldOp::create(builder, loc, elements.front());
    };
    Value empty = tensor::EmptyOp::create(
        rewriter, op.getLoc(), type.getShape(), type.getElementType());
    unsigned rank = type.getRank();
    MLIRContext *context = op.getContext();
    SmallVector<AffineMap> maps = {
        AffineMap::get(rank, 0, context),
        AffineMap::getMultiDimIdentityMap(rank, context)};
    SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(op, type, number, empty,
                                                   maps, kinds, write);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The device's
//===----------------------------------------------------------------------===//

struct NumberOfData : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    Block *body = op.getBody();
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (isTensor(input->get().getType()) || !dependsOnData(input->get()))
        continue;
      BlockArgument element = op.getMatchingBlockArgument(input);
      if (element.use_empty())
        continue;
      rewriter.modifyOpInPlace(
          op, [&] { rewriter.replaceAllUsesWith(element, input->get()); });
      return success();
    }
    llvm::SetVector<Value> numbers;
    body->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *source = operand.getDefiningOp();
            source && source->getBlock() == op->getBlock() &&
            !isTensor(operand.getType()) && dependsOnData(operand))
          numbers.insert(operand);
    });
    if (numbers.empty())
      return failure();
    IRMapping mapping;
    rewriter.setInsertionPointToStart(body);
    rewriter.modifyOpInPlace(op, [&] {
      for (Value number : numbers) {
        Value own = clone(rewriter, number, mapping);
        rewriter.replaceUsesWithIf(number, own, [&](OpOperand &use) {
          return op->isProperAncestor(use.getOwner());
        });
      }
    });
    return success();
  }
};

/// The index in another tensor of an element of a slice.
static SmallVector<Value> getIndices(OpBuilder &builder, Location loc,
                                     ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<OpFoldResult> strides,
                                     const llvm::SmallBitVector &dropped) {
  SmallVector<Value> indices;
  unsigned loop = 0;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    Value first = getValueOrCreateConstantIndexOp(builder, loc, offset);
    if (dropped[dim]) {
      indices.push_back(first);
      continue;
    }
    Value step = linalg::IndexOp::create(builder, loc, loop++);
    if (!isOneInteger(strides[dim]))
      step = arith::MulIOp::create(
          builder, loc, step,
          getValueOrCreateConstantIndexOp(builder, loc, strides[dim]));
    indices.push_back(arith::AddIOp::create(builder, loc, first, step));
  }
  return indices;
}

static linalg::GenericOp
createElementwise(PatternRewriter &rewriter, Location loc,
                  RankedTensorType type, ArrayRef<OpFoldResult> sizes,
                  ValueRange inputs,
                  llvm::function_ref<Value(OpBuilder &, ValueRange)> write) {
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps(inputs.size() + 1, map);
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      rewriter, loc, empty.getType(), inputs, empty, maps, kinds,
      [&](OpBuilder &builder, Location, ValueRange elements) {
        linalg::YieldOp::create(builder, loc, write(builder, elements));
      });
}

struct SliceAtData : public OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!dependOnData(op.getMixedOffsets()) || dependOnData(op.getMixedSizes()))
      return failure();
    Location loc = op.getLoc();
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
      if (!dropped[dim])
        sizes.push_back(size);
    auto generic =
        createElementwise(rewriter, loc, op.getType(), sizes, {},
                          [&](OpBuilder &builder, ValueRange) -> Value {
                            return tensor::ExtractOp::create(
                                builder, loc, op.getSource(),
                                getIndices(builder, loc, op.getMixedOffsets(),
                                           op.getMixedStrides(), dropped));
                          });
    replace(rewriter, op, generic.getResult(0));
    return success();
  }

  /// A slice's type may know less than its sizes.
  static void replace(PatternRewriter &rewriter, Operation *op, Value value) {
    Type type = op->getResult(0).getType();
    if (value.getType() != type)
      value = tensor::CastOp::create(rewriter, op->getLoc(), type, value);
    rewriter.replaceOp(op, value);
  }
};

struct UpdateAtData : public OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!dependOnData(op.getMixedOffsets()) ||
        dependOnData(op.getMixedSizes()) || !op.hasUnitStride())
      return failure();
    Location loc = op.getLoc();
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    auto generic = createElementwise(
        rewriter, loc, op.getType(),
        tensor::getMixedSizes(rewriter, loc, op.getDest()), op.getDest(),
        [&](OpBuilder &builder, ValueRange elements) -> Value {
          Value isNew;
          SmallVector<Value> indices;
          for (auto [dim, offset] : llvm::enumerate(offsets)) {
            Value index = arith::SubIOp::create(
                builder, loc, linalg::IndexOp::create(builder, loc, dim),
                getValueOrCreateConstantIndexOp(builder, loc, offset));
            // Below the offset, the difference is a large number.
            Value isInside = arith::CmpIOp::create(
                builder, loc, arith::CmpIPredicate::ult, index,
                getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]));
            isNew = isNew ? arith::AndIOp::create(builder, loc, isNew, isInside)
                          : isInside;
            if (!dropped[dim])
              indices.push_back(index);
          }
          auto branch = scf::IfOp::create(
              builder, loc, isNew,
              [&](OpBuilder &inner, Location) {
                Value element = tensor::ExtractOp::create(
                    inner, loc, op.getSource(), indices);
                scf::YieldOp::create(inner, loc, element);
              },
              [&](OpBuilder &inner, Location) {
                scf::YieldOp::create(inner, loc, elements.front());
              });
          return branch.getResult(0);
        });
    SliceAtData::replace(rewriter, op, generic.getResult(0));
    return success();
  }
};

} // namespace

void carousel::populateNumberPatterns(RewritePatternSet &patterns) {
  patterns
      .add<OpOnNumbers, ReadOfNumber, NumberOfData, SliceAtData, UpdateAtData>(
          patterns.getContext());
}

void carousel::populateTensorOfNumberPatterns(RewritePatternSet &patterns) {
  patterns.add<TensorOfNumber>(patterns.getContext());
}
