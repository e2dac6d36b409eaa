//===- IndexPatterns.cpp - numbers between structured ops -----------------===//
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
// Front ends compute with extents in integers of 32 or 64 bits. The host has
// indices, of 64 bits. Integers of 32 bits are the low bits of these: sums and
// products keep them, but quotients and comparisons need all bits, which is
// proven or checked at the launch.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

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
static bool computesScalars(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::none_of(op->getResultTypes(), isTensor) &&
         (isa<tensor::ExtractOp>(op) ||
          llvm::none_of(op->getOperandTypes(), isTensor));
}

static bool isComputedOfScalars(Value number) {
  Operation *op = number.getDefiningOp();
  return op && computesScalars(op);
}

bool carousel::dependsOnData(Value number) {
  return isComputedOf(number, isComputedOfScalars, [](Value value) {
    return isComputedOfScalars(value) &&
           value.getDefiningOp<tensor::ExtractOp>();
  });
}

/// Computes a number again.
static Value clone(OpBuilder &builder, Value number, IRMapping &mapping) {
  OperandFold<bool> known;
  auto depends = [&](Value value) {
    return known.get(value, isComputedOfScalars, [&](Value inner) {
      auto isOfData = [&](Value operand) { return known.lookup(operand); };
      Operation *op = inner.getDefiningOp();
      return isComputedOfScalars(inner) &&
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

struct OpOnScalars : public OpRewritePattern<linalg::GenericOp> {
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

struct ReadOfScalar : public OpRewritePattern<linalg::GenericOp> {
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
static constexpr int64_t kMostScalars = 64;

/// The kernel takes the numbers, and each element is the one at its place.
struct TensorOfScalars : public OpRewritePattern<tensor::FromElementsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    size_t count = op.getElements().size();
    if (count == 0 || count > kMostScalars)
      return rewriter.notifyMatchFailure(op, "expected few elements");
    auto write = [&](OpBuilder &builder, Location loc, ValueRange elements) {
      ValueRange numbers = elements.drop_back();
      Value element = numbers.front();
      Value place;
      if (count != 1)
        place =
            linearize(builder, loc,
                      getAsIndexOpFoldResult(op.getContext(), type.getShape()),
                      [&](unsigned dim) -> Value {
                        return linalg::IndexOp::create(builder, loc, dim);
                      });
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

struct ScalarOfData : public OpRewritePattern<linalg::GenericOp> {
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

void carousel::populateIndexPatterns(RewritePatternSet &patterns) {
  patterns.add<OpOnScalars, ReadOfScalar, ExtentInBody, ScalarOfData,
               FunctionOfChoice>(patterns.getContext());
}

void carousel::populateTensorOfScalarsPatterns(RewritePatternSet &patterns) {
  patterns.add<TensorOfScalars>(patterns.getContext());
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Integers between structured ops are extents and what follows from them: the
/// host computes with indices, of 64 bits.
static bool isOfHost(Operation *op) {
  return isa<func::FuncOp>(op->getParentOp());
}

static bool isWide(Type type) {
  return type.isSignlessInteger(64) || type.isSignlessInteger(32);
}

/// Whether an integer is an index, or a constant.
static bool isIndex(Value integer) {
  auto cast = integer.getDefiningOp<arith::IndexCastOp>();
  return matchPattern(integer, m_Constant()) ||
         (cast && cast.getIn().getType().isIndex());
}

/// Whether an index is an extent, or a number of elements.
static bool isNeverNegative(Value value) {
  // A product of extents fits, as memory does.
  auto isPositive = [](Value index) {
    return index.getType().isIndex() &&
           isa_and_present<arith::AddIOp, arith::MulIOp, arith::DivSIOp,
                           arith::DivUIOp, arith::FloorDivSIOp,
                           arith::CeilDivSIOp, arith::MinSIOp, arith::MaxSIOp,
                           arith::MinUIOp, arith::MaxUIOp, arith::SelectOp>(
               index.getDefiningOp());
  };
  auto mayBeNegative = [&](Value index) {
    if (isPositive(index) || index.getType().isInteger(1))
      return false;
    IntegerAttr constant;
    if (matchPattern(index, m_Constant(&constant)))
      return constant.getInt() < 0;
    return !isa_and_present<tensor::DimOp, linalg::IndexOp>(
        index.getDefiningOp());
  };
  return value.getType().isIndex() &&
         !isComputedOf(value, isPositive, mayBeNegative);
}

/// Whether an index is known to be an integer of 32 bits.
static bool fits32Bits(Value index) {
  OperandFold<bool> known;
  auto isBounded = [](Value value) {
    return isa<arith::SelectOp, arith::MinSIOp, arith::MaxSIOp, arith::DivSIOp,
               arith::FloorDivSIOp, arith::CeilDivSIOp>(value.getDefiningOp());
  };
  auto fits = [&](Value value) { return known.lookup(value); };
  return known.get(index, isBounded, [&](Value value) {
    IntegerAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      return llvm::isInt<32>(constant.getInt());
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (auto cast = dyn_cast<arith::IndexCastOp>(op))
      return cast.getIn().getType().isInteger() &&
             cast.getIn().getType().getIntOrFloatBitWidth() <= 32;
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return fits(select.getTrueValue()) && fits(select.getFalseValue());
    // An extent is at most what another one bounds it by.
    if (isa<arith::MinSIOp>(op) && llvm::any_of(op->getOperands(), fits) &&
        llvm::all_of(op->getOperands(), isNeverNegative))
      return true;
    if (isa<arith::MinSIOp, arith::MaxSIOp>(op))
      return llvm::all_of(op->getOperands(), fits);
    // A positive divisor only makes numbers smaller.
    IntegerAttr divisor;
    return isa<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op) &&
           matchPattern(op->getOperand(1), m_Constant(&divisor)) &&
           divisor.getInt() > 0 && fits(op->getOperand(0));
  });
}

/// Lets launches refuse an index of which an integer of 32 bits has the low
/// bits only.
static void check32Bits(OpBuilder &builder, Location loc, Value index) {
  auto check = [&](arith::CmpIPredicate predicate, int64_t limit) {
    Value bound = arith::ConstantIndexOp::create(builder, loc, limit);
    Value holds = arith::CmpIOp::create(builder, loc, predicate, index, bound);
    cf::AssertOp::create(builder, loc, holds,
                         "expected an index that fits 32 bits");
  };
  check(arith::CmpIPredicate::sle, std::numeric_limits<int32_t>::max());
  if (!isNeverNegative(index))
    check(arith::CmpIPredicate::sge, std::numeric_limits<int32_t>::min());
}

/// The bits that an op needs of the integers that become indices.
enum class Bits {
  Low, ///< the low bits of its result follow from those of its operands
  All, ///< it has another result if an integer has lost bits
};

/// The operands, with indices for integers. Empty if one is neither an index
/// nor a constant, or if nothing can say whether it is more than the integer.
static SmallVector<Value> findIndices(OpBuilder &builder, Operation *op,
                                      Bits needed) {
  SmallVector<Value> unknown;
  for (Value operand : op->getOperands()) {
    if (!isWide(operand.getType()) || matchPattern(operand, m_Constant()))
      continue;
    if (!isIndex(operand))
      return {};
    Value index = operand.getDefiningOp<arith::IndexCastOp>().getIn();
    if (needed == Bits::Low || operand.getType().isInteger(64) ||
        fits32Bits(index))
      continue;
    if (dependsOnData(index))
      return {};
    unknown.push_back(index);
  }
  for (Value index : unknown)
    check32Bits(builder, op->getLoc(), index);
  return llvm::map_to_vector(op->getOperands(), [&](Value operand) -> Value {
    IntegerAttr constant;
    if (!isWide(operand.getType()))
      return operand;
    if (matchPattern(operand, m_Constant(&constant)))
      return arith::ConstantIndexOp::create(builder, op->getLoc(),
                                            constant.getInt());
    return operand.getDefiningOp<arith::IndexCastOp>().getIn();
  });
}

namespace {

/// index_cast(a) + index_cast(b) -> index_cast(a + b)
template <typename Op, Bits needed>
struct IntegersAsIndices : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isOfHost(op) || !isWide(type))
      return rewriter.notifyMatchFailure(op,
                                         "expected a wide integer of the host");
    SmallVector<Value> indices = findIndices(rewriter, op, needed);
    if (indices.empty())
      return rewriter.notifyMatchFailure(op,
                                         "expected operands that are indices");
    Operation *index =
        rewriter.create(op.getLoc(), op->getName().getIdentifier(), indices,
                        Type(rewriter.getIndexType()));
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, type,
                                                    index->getResult(0));
    return success();
  }
};

struct ComparisonOfIntegers : public OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    using Predicate = arith::CmpIPredicate;
    Predicate predicate = op.getPredicate();
    bool isUnsigned =
        predicate == Predicate::ult || predicate == Predicate::ule ||
        predicate == Predicate::ugt || predicate == Predicate::uge;
    if (!isOfHost(op) || !isWide(op.getLhs().getType()) || isUnsigned)
      return rewriter.notifyMatchFailure(
          op, "expected a signed comparison of wide integers of the host");
    SmallVector<Value> indices = findIndices(rewriter, op, Bits::All);
    if (indices.empty())
      return rewriter.notifyMatchFailure(op,
                                         "expected operands that are indices");
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, predicate, indices[0],
                                               indices[1]);
    return success();
  }
};

/// PyTorch asks whether extents are negative, which stand for unknown ones.
struct ComparisonOfExtent : public OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    APInt limit;
    if (!matchPattern(op.getRhs(), m_ConstantInt(&limit)) ||
        !isNeverNegative(op.getLhs()))
      return rewriter.notifyMatchFailure(
          op, "expected a number that is never negative, and a constant");
    unsigned bits = limit.getBitWidth();
    std::optional<bool> result = intrange::evaluatePred(
        static_cast<intrange::CmpPredicate>(op.getPredicate()),
        ConstantIntRanges::fromSigned(APInt(bits, 0),
                                      APInt::getSignedMaxValue(bits)),
        ConstantIntRanges::constant(limit));
    if (!result)
      return rewriter.notifyMatchFailure(
          op, "expected a comparison that the range decides");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getBoolAttr(*result));
    return success();
  }
};

/// Finds the least integer for which float(integer) + added >= limit.
static std::optional<int64_t> findLeast(Value sum, Value limit,
                                        Value &integer) {
  FloatAttr added, constant;
  double least = 0;
  if (auto add = sum.getDefiningOp<arith::AddFOp>();
      add && matchPattern(add.getRhs(), m_Constant(&added))) {
    least = -added.getValueAsDouble();
    sum = add.getLhs();
  }
  auto convert = sum.getDefiningOp<arith::SIToFPOp>();
  if (!convert || !matchPattern(limit, m_Constant(&constant)))
    return std::nullopt;
  least = std::ceil(least + constant.getValueAsDouble());
  integer = convert.getIn();
  // Numbers up to here are exact in all types.
  constexpr double kExact = 2048;
  if (!(std::abs(least) <= kExact))
    return std::nullopt;
  return int64_t(least);
}

/// Compares a number of elements as an integer, which PyTorch does as a float.
struct ComparisonOfFloats : public OpRewritePattern<arith::CmpFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpFOp op,
                                PatternRewriter &rewriter) const override {
    bool isLeast = op.getPredicate() == arith::CmpFPredicate::UGE ||
                   op.getPredicate() == arith::CmpFPredicate::OGE;
    Value integer;
    std::optional<int64_t> least;
    if (isOfHost(op) && isLeast)
      least = findLeast(op.getLhs(), op.getRhs(), integer);
    if (!least || !isWide(integer.getType()))
      return rewriter.notifyMatchFailure(
          op, "expected a wide integer with a least value");
    Value limit = arith::ConstantIntOp::create(rewriter, op.getLoc(),
                                               integer.getType(), *least);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::sge,
                                               integer, limit);
    return success();
  }
};

/// Compares widened floats as what they were, where a constant is exact in that
/// type: front ends compare elements of bf16 with limits of f64.
struct ComparisonOfWidened : public OpRewritePattern<arith::CmpFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpFOp op,
                                PatternRewriter &rewriter) const override {
    auto own = op.getLhs().getDefiningOp<arith::ExtFOp>();
    if (!own)
      return rewriter.notifyMatchFailure(op, "expected a widened float");
    Value limit, value = own.getIn();
    auto type = dyn_cast<FloatType>(value.getType());
    FloatAttr constant;
    if (auto other = op.getRhs().getDefiningOp<arith::ExtFOp>()) {
      limit = other.getIn();
    } else if (type && matchPattern(op.getRhs(), m_Constant(&constant))) {
      APFloat number = constant.getValue();
      bool losesInfo = false;
      number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
      if (!losesInfo)
        limit = arith::ConstantOp::create(rewriter, op.getLoc(),
                                          FloatAttr::get(type, number));
    }
    if (!limit || limit.getType() != value.getType())
      return rewriter.notifyMatchFailure(op, "expected two of one type");
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, op.getPredicate(), value,
                                               limit, op.getFastmath());
    return success();
  }
};

/// Divides by an extent, or by 1 where that is 0, as front ends write
/// remainders: a launch computes the larger one.
struct ExtentOrOne : public OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto isZero = op.getCondition().getDefiningOp<arith::CmpIOp>();
    Value extent = op.getFalseValue();
    if (!isOfHost(op) || !isZero ||
        isZero.getPredicate() != arith::CmpIPredicate::eq ||
        isZero.getLhs() != extent || !matchPattern(isZero.getRhs(), m_Zero()) ||
        !matchPattern(op.getTrueValue(), m_One()) || !isNeverNegative(extent))
      return rewriter.notifyMatchFailure(op, "expected an extent, or 1 for 0");
    rewriter.replaceOpWithNewOp<arith::MaxSIOp>(op, extent, op.getTrueValue());
    return success();
  }
};

} // namespace

void carousel::populateIntegerPatterns(RewritePatternSet &patterns) {
  patterns.add<ExtentOrOne, ComparisonOfIntegers, ComparisonOfExtent,
               ComparisonOfFloats, ComparisonOfWidened,
               IntegersAsIndices<arith::AddIOp, Bits::Low>,
               IntegersAsIndices<arith::SubIOp, Bits::Low>,
               IntegersAsIndices<arith::MulIOp, Bits::Low>,
               IntegersAsIndices<arith::SelectOp, Bits::Low>,
               IntegersAsIndices<arith::MinSIOp, Bits::All>,
               IntegersAsIndices<arith::MaxSIOp, Bits::All>,
               IntegersAsIndices<arith::DivSIOp, Bits::All>,
               IntegersAsIndices<arith::FloorDivSIOp, Bits::All>,
               IntegersAsIndices<arith::CeilDivSIOp, Bits::All>,
               IntegersAsIndices<arith::RemSIOp, Bits::All>>(
      patterns.getContext());
}
