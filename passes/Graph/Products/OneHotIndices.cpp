//===- OneHotIndices.cpp - what one-hot factors compare -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OneHotIndices.h. Points follow from what ops mean: a product vanishes
// where one of its factors does, and a sum where all of its terms do.
//
//===----------------------------------------------------------------------===//

#include "OneHotIndices.h"

#include "../Reading/FusedOps.h"
#include "../Tables/TableOps.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

namespace {

/// The loop whose number a value is, in the body of an op.
struct LoopIndex {
  unsigned loop;
  bool isWhole; ///< whether no cast loses bits of an index of the loop
};

} // namespace

/// Whether a type has all numbers of a loop, of which no one is negative.
static bool hasNumbers(Type type, int64_t extent) {
  constexpr unsigned kUnknownBits = 32;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() >= 64)
    return true;
  return ShapedType::isDynamic(extent)
             ? integer.getWidth() >= kUnknownBits
             : extent - 1 <= llvm::maxIntN(integer.getWidth());
}

/// The loop whose index a value of a body is, also as an element of a tensor
/// that has the indices of a dimension. Such a tensor is an operand where
/// nothing else has the extent of the loop.
static std::optional<LoopIndex> findLoop(linalg::GenericOp op, Value value) {
  SmallVector<Type, 2> types;
  auto passCasts = [&] {
    while (auto cast = value.getDefiningOp<arith::IndexCastOp>()) {
      types.push_back(cast.getType());
      value = cast.getIn();
    }
  };
  passCasts();
  Block *body = op.getBody();
  AffineMap map =
      AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext());
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == body) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    if (!producer || !op.isDpsInput(operand) || !isOfIndices(producer) ||
        !producer.getIndexingMapsArray().front().isIdentity())
      return std::nullopt;
    map = op.getMatchingIndexingMap(operand);
    body = producer.getBody();
    value = body->getTerminator()->getOperand(0);
    passCasts();
  }
  auto index = value.getDefiningOp<linalg::IndexOp>();
  if (!index || index->getBlock() != body)
    return std::nullopt;
  auto loop = dyn_cast<AffineDimExpr>(map.getResult(index.getDim()));
  if (!loop)
    return std::nullopt;
  int64_t extent = op.getStaticLoopRanges()[loop.getPosition()];
  return LoopIndex{loop.getPosition(), llvm::all_of(types, [&](Type type) {
                     return hasNumbers(type, extent);
                   })};
}

FailureOr<llvm::SetVector<Operation *>> carousel::findSources(Value value,
                                                              Block *body) {
  llvm::SetVector<Operation *> sources;
  Operation *last = value.getDefiningOp();
  if (!last || last->getBlock() != body)
    return sources;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *op) { return op->getBlock() == body; };
  if (failed(getBackwardSlice(last, &sources, options)) ||
      !llvm::all_of(sources,
                    [](Operation *op) { return isMemoryEffectFree(op); }))
    return failure();
  return sources;
}

bool carousel::isFixedAlong(linalg::GenericOp op, Value value, unsigned loop) {
  auto isOfBody = [&](Value inner) {
    return inner.getParentBlock() == op.getBody();
  };
  return !isComputedOf(value, isOfBody, [&](Value inner) {
    if (!isOfBody(inner))
      return false;
    if (auto argument = dyn_cast<BlockArgument>(inner)) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      return !op.isDpsInput(operand) ||
             op.getMatchingIndexingMap(operand).isFunctionOfDim(loop);
    }
    auto index = inner.getDefiningOp<linalg::IndexOp>();
    return index ? index.getDim() == loop
                 : !isMemoryEffectFree(inner.getDefiningOp());
  });
}

/// Whether a body compares, for equality, an index of a loop that is accepted.
static bool comparesLoops(linalg::GenericOp op,
                          llvm::function_ref<bool(const LoopIndex &)> accepts) {
  return llvm::any_of(
      op.getBody()->getOps<arith::CmpIOp>(), [&](arith::CmpIOp compare) {
        return compare.getPredicate() == arith::CmpIPredicate::eq &&
               llvm::any_of(compare->getOperands(), [&](Value side) {
                 std::optional<LoopIndex> number = findLoop(op, side);
                 return number && accepts(*number);
               });
      });
}

bool carousel::comparesLoops(linalg::GenericOp op) {
  return ::comparesLoops(op, [](const LoopIndex &) { return true; });
}

bool carousel::comparesNarrowLoops(linalg::GenericOp op) {
  return ::comparesLoops(
      op, [](const LoopIndex &number) { return !number.isWhole; });
}

Value carousel::findSummand(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0)
    return {};
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!fill || !isZeroIntegerOrFloat(fill.getInputs()[0]))
    return {};
  Operation *sum = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  Value before = op.getRegionOutputArgs()[0];
  if (!isa_and_present<arith::AddFOp, arith::AddIOp>(sum) ||
      sum->getBlock() != op.getBody() || !before.hasOneUse() ||
      !llvm::is_contained(sum->getOperands(), before))
    return {};
  return sum->getOperand(sum->getOperand(0) == before ? 1 : 0);
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

namespace {

using Points = SmallVector<OneHotIndices>;

/// Reads values of one body. Nothing is known of a value without points; one
/// that is always zero has an empty list of them.
class OneHotIndexFinder {
public:
  OneHotIndexFinder(linalg::GenericOp op, utils::IteratorType kind)
      : op(op), kinds(op.getIteratorTypesArray()), kind(kind) {}

  std::optional<Points> find(Value value);
  std::optional<Points> findProduct(ValueRange values) {
    std::optional<Points> points;
    for (Value value : values)
      points = multiply(points, find(value));
    return points;
  }

private:
  std::optional<Points> findOfOp(Operation *source);
  std::optional<Points> findPlace(arith::CmpIOp compare);
  /// Finds the points of a comparison that is false where both sides are equal.
  std::optional<Points> findUnequal(Value lhs, Value rhs);
  std::optional<Points> multiply(std::optional<Points> lhs,
                                 std::optional<Points> rhs);
  std::optional<Points> add(std::optional<Points> lhs,
                            std::optional<Points> rhs);

  linalg::GenericOp op;
  SmallVector<utils::IteratorType> kinds;
  utils::IteratorType kind;
  OperandFold<std::optional<Points>> known;
};

} // namespace

/// Each point is read, and compared with the others.
static constexpr size_t kMostOneHotIndices = 8;

std::optional<Points> OneHotIndexFinder::multiply(std::optional<Points> lhs,
                                                  std::optional<Points> rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  if (lhs->size() * rhs->size() > kMostOneHotIndices)
    return lhs->size() < rhs->size() ? lhs : rhs;
  Points products;
  for (const OneHotIndices &a : *lhs)
    for (const OneHotIndices &b : *rhs) {
      OneHotIndices &product = products.emplace_back(a);
      for (const OneHotIndex &place : b)
        if (llvm::none_of(a, [&](const OneHotIndex &other) {
              return other.loop == place.loop;
            }))
          product.push_back(place);
      llvm::sort(product, [](const OneHotIndex &a, const OneHotIndex &b) {
        return a.loop < b.loop;
      });
    }
  return products;
}

std::optional<Points> OneHotIndexFinder::add(std::optional<Points> lhs,
                                             std::optional<Points> rhs) {
  if (!lhs || !rhs || lhs->size() + rhs->size() > kMostOneHotIndices)
    return std::nullopt;
  llvm::append_range(*lhs, *rhs);
  return lhs;
}

std::optional<Points> OneHotIndexFinder::findPlace(arith::CmpIOp compare) {
  for (auto [number, own] : {std::pair(compare.getLhs(), compare.getRhs()),
                             std::pair(compare.getRhs(), compare.getLhs())}) {
    std::optional<LoopIndex> found = findLoop(op, own);
    if (found && found->isWhole && kinds[found->loop] == kind &&
        isFixedAlong(op, number, found->loop))
      return Points{{{found->loop, number, compare}}};
  }
  return std::nullopt;
}

std::optional<Points> OneHotIndexFinder::findUnequal(Value lhs, Value rhs) {
  if (isZeroIntegerOrFloat(rhs))
    return find(lhs);
  return isZeroIntegerOrFloat(lhs) ? find(rhs) : std::nullopt;
}

std::optional<Points> OneHotIndexFinder::find(Value value) {
  auto isOfBody = [&](Value inner) {
    Operation *source = inner.getDefiningOp();
    return source && source->getBlock() == op.getBody();
  };
  return known.get(value, isOfBody, [&](Value inner) -> std::optional<Points> {
    if (isZeroIntegerOrFloat(inner))
      return Points();
    if (!isOfBody(inner))
      return std::nullopt;
    auto branch = inner.getDefiningOp<scf::IfOp>();
    if (!branch)
      return findOfOp(inner.getDefiningOp());
    unsigned result = cast<OpResult>(inner).getResultNumber();
    return isZeroIntegerOrFloat(branch.elseYield().getOperand(result))
               ? find(branch.getCondition())
               : std::nullopt;
  });
}

std::optional<Points> OneHotIndexFinder::findOfOp(Operation *source) {
  if (auto compare = dyn_cast<arith::CmpIOp>(source)) {
    using Predicate = arith::CmpIPredicate;
    Predicate predicate = compare.getPredicate();
    if (predicate == Predicate::eq)
      return findPlace(compare);
    bool isUnequal =
        llvm::is_contained({Predicate::ne, Predicate::slt, Predicate::sgt,
                            Predicate::ult, Predicate::ugt},
                           predicate);
    return isUnequal ? findUnequal(compare.getLhs(), compare.getRhs())
                     : std::nullopt;
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(source)) {
    using Predicate = arith::CmpFPredicate;
    bool isUnequal =
        llvm::is_contained({Predicate::UNE, Predicate::ONE, Predicate::OGT,
                            Predicate::OLT, Predicate::UGT, Predicate::ULT},
                           compare.getPredicate());
    return isUnequal ? findUnequal(compare.getLhs(), compare.getRhs())
                     : std::nullopt;
  }
  if (auto select = dyn_cast<arith::SelectOp>(source))
    return add(
        multiply(find(select.getCondition()), find(select.getTrueValue())),
        find(select.getFalseValue()));
  if (isa<arith::UIToFPOp, arith::SIToFPOp, arith::FPToSIOp, arith::FPToUIOp,
          arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp, arith::ExtFOp,
          arith::TruncFOp, arith::NegFOp, math::AbsFOp, math::AbsIOp>(source))
    return find(source->getOperand(0));
  if (isa<arith::MulFOp, arith::MulIOp, arith::AndIOp>(source))
    return multiply(find(source->getOperand(0)), find(source->getOperand(1)));
  if (isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp,
          arith::OrIOp, arith::XOrIOp, arith::MaximumFOp, arith::MaxNumFOp,
          arith::MinimumFOp, arith::MinNumFOp, arith::MaxSIOp, arith::MaxUIOp,
          arith::MinSIOp, arith::MinUIOp>(source))
    return add(find(source->getOperand(0)), find(source->getOperand(1)));
  return std::nullopt;
}

SmallVector<OneHotIndices>
carousel::findOneHotIndices(linalg::GenericOp op, ValueRange values,
                            utils::IteratorType kind) {
  std::optional<Points> points =
      OneHotIndexFinder(op, kind).findProduct(values);
  if (!points || points->empty())
    return {};
  // A point with fewer places covers more.
  auto isOfAll = [&](const OneHotIndex &place) {
    return llvm::all_of(*points, [&](const OneHotIndices &point) {
      return llvm::any_of(point, [&](const OneHotIndex &other) {
        return other.loop == place.loop;
      });
    });
  };
  llvm::SmallDenseSet<unsigned> common;
  for (const OneHotIndex &place : points->front())
    if (isOfAll(place))
      common.insert(place.loop);
  if (common.empty())
    return {};
  for (OneHotIndices &point : *points)
    llvm::erase_if(point, [&](const OneHotIndex &place) {
      return !common.contains(place.loop);
    });
  return *points;
}

//===----------------------------------------------------------------------===//
// Reads at points
//===----------------------------------------------------------------------===//

Value BodyEvaluator::readInput(OpBuilder &builder, BlockArgument argument) {
  OpOperand *input = op.getMatchingOpOperand(argument);
  assert(op.isDpsInput(input) && "expected no value of an earlier iteration");
  SmallVector<Value> indices;
  for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults())
    indices.push_back(loops[cast<AffineDimExpr>(expr).getPosition()]);
  constexpr unsigned kMostProducers = 16;
  if (!isComputed || depth == kMostProducers || !isComputed(input->get()))
    return tensor::ExtractOp::create(builder, op.getLoc(), input->get(),
                                     indices);
  std::vector<const void *> key = {input->get().getAsOpaquePointer()};
  for (Value index : indices)
    key.push_back(index.getAsOpaquePointer());
  if (auto known = elements.find(key); known != elements.end())
    return known->second;
  auto producer = input->get().getDefiningOp<linalg::GenericOp>();
  BodyEvaluator there(producer, isComputed);
  there.depth = depth + 1;
  there.elements = std::move(elements);
  AffineMap written =
      producer.getMatchingIndexingMap(producer.getDpsInitOperand(0));
  for (auto [expr, index] : llvm::zip_equal(written.getResults(), indices))
    there.setLoop(cast<AffineDimExpr>(expr).getPosition(), index);
  Value element = there.compute(
      builder, producer.getBody()->getTerminator()->getOperand(0));
  elements = std::move(there.elements);
  return elements[key] = element;
}

Value BodyEvaluator::compute(OpBuilder &builder, Value value) {
  auto isOpen = [&](Value inner) {
    return op.getRegion().isAncestor(inner.getParentRegion()) &&
           !mapping.contains(inner);
  };
  walkOperands(value, isOpen, [&](Value inner) {
    if (!isOpen(inner))
      return WalkResult::advance();
    Operation *source = inner.getDefiningOp();
    if (!source)
      mapping.map(inner, readInput(builder, cast<BlockArgument>(inner)));
    else if (auto index = dyn_cast<linalg::IndexOp>(source);
             index && loops[index.getDim()])
      mapping.map(inner, loops[index.getDim()]);
    else
      builder.clone(*source, mapping);
    return WalkResult::advance();
  });
  return mapping.lookupOrDefault(value);
}

SmallVector<unsigned> carousel::orderIndices(linalg::GenericOp op,
                                             const OneHotIndices &point) {
  SmallVector<unsigned> order;
  llvm::SmallBitVector done(point.size());
  while (order.size() != point.size()) {
    size_t before = order.size();
    for (auto [number, place] : llvm::enumerate(point)) {
      bool isReady = !done.test(number);
      for (auto [other, otherPlace] : llvm::enumerate(point))
        isReady &=
            done.test(other) || isFixedAlong(op, place.number, otherPlace.loop);
      if (!isReady)
        continue;
      order.push_back(number);
      done.set(number);
    }
    if (order.size() == before)
      return {};
  }
  return order;
}

ComputedIndices carousel::computeIndices(OpBuilder &builder,
                                         linalg::GenericOp op,
                                         const OneHotIndices &point,
                                         BodyEvaluator reader) {
  Location loc = op.getLoc();
  IndexBuilder n(builder, loc);
  ComputedIndices result;
  result.numbers.resize(point.size());
  Value first;
  for (unsigned at : orderIndices(op, point)) {
    const OneHotIndex &place = point[at];
    Value number = reader.compute(builder, place.number);
    // An index may have the low bits alone of an integer of more than 32.
    auto type = dyn_cast<IntegerType>(number.getType());
    Value whole = type && type.getWidth() > 32 ? number : Value();
    number = n.index(number);
    if (!whole)
      whole = number;
    result.numbers[at] = number;
    // Negative numbers are large ones.
    Value extent = arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(whole.getType(),
                               op.getStaticLoopRanges()[place.loop]));
    Value isInside = n.compare(arith::CmpIPredicate::ult, whole, extent);
    result.exists = n.both(result.exists, isInside);
    // Another number may be read there, in all cases.
    bool isNeeded = llvm::any_of(point, [&](const OneHotIndex &other) {
      return !isFixedAlong(op, other.number, place.loop);
    });
    if (!isNeeded)
      continue;
    if (!first)
      first = n.constant(0);
    reader.setLoop(place.loop, n.choose(isInside, number, first));
  }
  return result;
}

BodyEvaluator carousel::evaluateAt(OpBuilder &builder,
                                   const OneHotIndices &point,
                                   const ComputedIndices &computed,
                                   BodyEvaluator reader) {
  for (auto [place, number] : llvm::zip_equal(point, computed.numbers)) {
    OneHotIndex own = place;
    reader.setLoop(own.loop, number);
    reader.set(own.condition.getResult(),
               arith::ConstantOp::create(builder, own.condition.getLoc(),
                                         builder.getBoolAttr(true)));
  }
  return reader;
}

Value carousel::isNotZero(OpBuilder &builder, Location loc, Value number) {
  if (number.getType().isInteger(1))
    return number;
  Value zero = arith::getZeroConstant(builder, loc, number.getType());
  if (isa<FloatType>(number.getType()))
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                 number, zero);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, number,
                               zero);
}
