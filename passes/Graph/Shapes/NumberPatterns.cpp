//===- NumberPatterns.cpp - numbers of the host and of the device ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number between structured ops is computed by the host if it follows from
// extents and from arguments that are numbers, and by the kernels that need it
// if it depends on elements of tensors, which the host doesn't read.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
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

static bool isComputedOfNumbers(Value number) {
  Operation *op = number.getDefiningOp();
  return op && computesNumbers(op);
}

bool carousel::dependsOnData(Value number) {
  return isComputedOf(number, isComputedOfNumbers, [](Value value) {
    return isComputedOfNumbers(value) &&
           value.getDefiningOp<tensor::ExtractOp>();
  });
}

/// Computes a number again.
static Value clone(OpBuilder &builder, Value number, IRMapping &mapping) {
  OperandFold<bool> known;
  auto depends = [&](Value value) {
    return known.get(value, isComputedOfNumbers, [&](Value inner) {
      auto isOfData = [&](Value operand) { return known.lookup(operand); };
      Operation *op = inner.getDefiningOp();
      return isComputedOfNumbers(inner) &&
             (isa<tensor::ExtractOp>(op) ||
              llvm::any_of(op->getOperands(), isOfData));
    });
  };
  walkOperands(number, depends, [&](Value value) {
    if (!mapping.contains(value) && depends(value))
      builder.clone(*value.getDefiningOp(), mapping);
    return WalkResult::advance();
  });
  return mapping.lookupOrDefault(number);
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
      return rewriter.notifyMatchFailure(
          op, "expected an op on tensors without loops");
    Block *body = op.getBody();
    SmallVector<Value> numbers;
    for (Value input : op.getInputs()) {
      Value number = isTensor(input.getType()) ? findNumber(input) : input;
      if (!number)
        return rewriter.notifyMatchFailure(op,
                                           "expected inputs that are numbers");
      numbers.push_back(number);
    }
    for (BlockArgument start :
         body->getArguments().drop_front(op.getNumDpsInputs()))
      if (!start.use_empty())
        return rewriter.notifyMatchFailure(
            op, "expected a body that does not read results");
    if (!llvm::all_of(body->without_terminator(), [](Operation &inner) {
          return inner.getDialect() &&
                 isa<arith::ArithDialect>(inner.getDialect());
        }))
      return rewriter.notifyMatchFailure(op, "expected arithmetic only");
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
    return rewriter.notifyMatchFailure(op,
                                       "expected an input that is a number");
  }
};

/// More would be too many arguments of a kernel.
static constexpr int64_t kMostNumbers = 64;

/// The kernel takes the numbers, and each element is the one at its place.
struct TensorOfNumbers : public OpRewritePattern<tensor::FromElementsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    size_t count = op.getElements().size();
    if (count == 0 || count > kMostNumbers)
      return rewriter.notifyMatchFailure(op, "expected few elements");
    auto write = [&](OpBuilder &builder, Location loc, ValueRange elements) {
      ValueRange numbers = elements.drop_back();
      Value element = numbers.front();
      Value place = count == 1 ? Value() : findPlace(builder, loc, type);
      for (auto [at, number] : llvm::drop_begin(llvm::enumerate(numbers))) {
        Value isHere = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::eq, place,
            arith::ConstantIndexOp::create(builder, loc, at));
        element =
            arith::SelectOp::create(builder, loc, isHere, number, element);
      }
      linalg::YieldOp::create(builder, loc, element);
    };
    Value empty = tensor::EmptyOp::create(
        rewriter, op.getLoc(), type.getShape(), type.getElementType());
    unsigned rank = type.getRank();
    MLIRContext *context = op.getContext();
    SmallVector<AffineMap> maps(count, AffineMap::get(rank, 0, context));
    maps.push_back(AffineMap::getMultiDimIdentityMap(rank, context));
    SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(op, type, op.getElements(),
                                                   empty, maps, kinds, write);
    return success();
  }

  /// The number of the element, in the order of memory.
  static Value findPlace(OpBuilder &builder, Location loc,
                         RankedTensorType type) {
    Value place;
    for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
      Value index = linalg::IndexOp::create(builder, loc, dim);
      if (place) {
        Value size = arith::ConstantIndexOp::create(builder, loc, extent);
        place = arith::MulIOp::create(builder, loc, place, size);
        index = arith::AddIOp::create(builder, loc, place, index);
      }
      place = index;
    }
    return place;
  }
};

/// An extent that a body asks for.
struct ExtentInBody : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<tensor::DimOp> extents;
    op.getBody()->walk([&](tensor::DimOp dim) {
      std::optional<int64_t> index = dim.getConstantIndex();
      Operation *source = dim.getSource().getDefiningOp();
      if (index && !(source && op->isProperAncestor(source)))
        extents.push_back(dim);
    });
    for (tensor::DimOp dim : extents) {
      rewriter.setInsertionPoint(op);
      Value extent = tensor::DimOp::create(
          rewriter, dim.getLoc(), dim.getSource(), *dim.getConstantIndex());
      rewriter.replaceOp(dim, extent);
    }
    return success(!extents.empty());
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
      return rewriter.notifyMatchFailure(
          op, "expected numbers that depend on data");
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

//===----------------------------------------------------------------------===//
// Choices between constants
//===----------------------------------------------------------------------===//

/// A constant, or one of two.
struct Choice {
  Value condition; ///< null for a constant
  Attribute first, second;
};

/// f(select(c, 1, 2)) -> select(c, f(1), f(2)): masks of front ends are
/// numbers, one or zero of a condition, compared with zero, rounded, or
/// multiplied by the least number.
struct FunctionOfChoice : public RewritePattern {
  explicit FunctionOfChoice(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_present<arith::ArithDialect>(op->getDialect()) ||
        isa<arith::SelectOp>(op) || op->getNumResults() != 1 ||
        !isa<linalg::GenericOp>(op->getParentOp()))
      return rewriter.notifyMatchFailure(op, "expected arithmetic of a body");
    SmallVector<Choice> operands;
    Value condition;
    for (Value operand : op->getOperands()) {
      std::optional<Choice> choice = readChoice(rewriter, operand);
      if (!choice ||
          (choice->condition && condition && choice->condition != condition))
        return rewriter.notifyMatchFailure(
            op, "expected constants and choices by one condition");
      condition = choice->condition ? choice->condition : condition;
      operands.push_back(*choice);
    }
    if (!condition)
      return rewriter.notifyMatchFailure(op, "expected a choice");
    TypedAttr first = fold(op, operands, /*isSecond=*/false),
              second = fold(op, operands, /*isSecond=*/true);
    if (!first || !second)
      return rewriter.notifyMatchFailure(op, "no constant results");
    Location loc = op->getLoc();
    Value results[] = {arith::ConstantOp::create(rewriter, loc, first),
                       arith::ConstantOp::create(rewriter, loc, second)};
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, condition, results[0],
                                                 results[1]);
    return success();
  }

  /// Null if the result isn't a constant.
  static TypedAttr fold(Operation *op, ArrayRef<Choice> operands,
                        bool isSecond) {
    auto constants = llvm::map_to_vector(operands, [&](const Choice &choice) {
      return isSecond ? choice.second : choice.first;
    });
    SmallVector<OpFoldResult> results;
    if (failed(op->fold(constants, results)) || results.size() != 1)
      return {};
    if (auto constant = dyn_cast<Attribute>(results.front()))
      return dyn_cast<TypedAttr>(constant);
    // x + 0 is the operand, with its constant.
    OperandRange values = op->getOperands();
    auto own = llvm::find(values, cast<Value>(results.front()));
    return own == values.end()
               ? TypedAttr()
               : dyn_cast<TypedAttr>(constants[own - values.begin()]);
  }

  static std::optional<Choice> readChoice(OpBuilder &builder, Value value) {
    Choice choice;
    if (matchPattern(value, m_Constant(&choice.first))) {
      choice.second = choice.first;
      return choice;
    }
    if (auto select = value.getDefiningOp<arith::SelectOp>();
        select && select.getCondition().getType().isInteger(1) &&
        matchPattern(select.getTrueValue(), m_Constant(&choice.first)) &&
        matchPattern(select.getFalseValue(), m_Constant(&choice.second))) {
      choice.condition = select.getCondition();
      return choice;
    }
    // One or zero.
    Operation *source = value.getDefiningOp();
    if (!isa_and_present<arith::UIToFPOp, arith::ExtUIOp>(source) ||
        !source->getOperand(0).getType().isInteger(1))
      return std::nullopt;
    choice.condition = source->getOperand(0);
    choice.second = builder.getZeroAttr(value.getType());
    choice.first = builder.getOneAttr(value.getType());
    return choice;
  }
};

} // namespace

void carousel::populateNumberPatterns(RewritePatternSet &patterns) {
  patterns.add<OpOnNumbers, ReadOfNumber, ExtentInBody, NumberOfData,
               FunctionOfChoice>(patterns.getContext());
}

void carousel::populateTensorOfNumbersPatterns(RewritePatternSet &patterns) {
  patterns.add<TensorOfNumbers>(patterns.getContext());
}
