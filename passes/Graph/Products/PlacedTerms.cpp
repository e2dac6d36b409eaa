//===- PlacedTerms.cpp - terms that know their sums -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PlacedTerms.h.
//
//===----------------------------------------------------------------------===//

#include "PlacedTerms.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace carousel;
using utils::IteratorType;

/// Behind all terms.
static constexpr int64_t kNoTerm = std::numeric_limits<int32_t>::max();

PlacedTerms::PlacedTerms(linalg::GenericOp op)
    : op(op), term(findTerm(op)), extents(op.getStaticLoopRanges()),
      points(findOneHotPoints(op, term, IteratorType::parallel)) {
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind == IteratorType::reduction)
      summed = loop;
    else
      sums.push_back(loop);
  }
  for (unsigned loop : sums)
    if (isPlaced(loop))
      placed.push_back(loop);
  if (succeeded(findSources(term, op.getBody())))
    findSelectors();
  for (unsigned loop : sums)
    if (!isPlaced(loop) && !isFree(loop))
      batch.push_back(loop);
}

bool PlacedTerms::isPlaced(unsigned loop) const {
  return llvm::any_of(points.front(), [&](const OneHotPlace &place) {
    return place.loop == loop;
  });
}

bool PlacedTerms::isFree(unsigned loop) const {
  return !isPlaced(loop) && llvm::all_of(selectors, [&](Value selector) {
    return isFixedAlong(op, selector, loop);
  });
}

/// The factors of a product, each once.
static SmallVector<Value> findFactors(Value product) {
  auto isProduct = [](Value value) {
    return isa_and_present<arith::ExtFOp, arith::TruncFOp, arith::MulFOp,
                           arith::MulIOp>(value.getDefiningOp());
  };
  SmallVector<Value> factors;
  walkOperands(product, isProduct, [&](Value value) {
    if (!isProduct(value))
      factors.push_back(value);
    return WalkResult::advance();
  });
  return factors;
}

/// Those that have points say which loops are free. Others may be zero where a
/// term has no place, as those beyond a capacity.
void PlacedTerms::findSelectors() {
  SmallVector<Value> factors = findFactors(term);
  for (Value factor : factors)
    if (!findOneHotPoints(op, factor, IteratorType::parallel).empty())
      selectors.push_back(factor);
  SmallVector<Value> more;
  for (Value factor : factors) {
    if (llvm::is_contained(selectors, factor))
      continue;
    bool isFixed = llvm::all_of(sums, [&](unsigned loop) {
      return !isFree(loop) || isFixedAlong(op, factor, loop);
    });
    (isFixed ? more : others).push_back(factor);
  }
  if (!selectors.empty())
    llvm::append_range(selectors, more);
}

std::string PlacedTerms::explain() {
  // Sums of fewer elements are tables themselves, and those of fewer terms part
  // of what reads them.
  constexpr int64_t kLeastElements = 8, kLeastTerms = 16;
  // Where places are fewer, each has several terms, which a product adds.
  constexpr int64_t kMostTermsOfPlace = 2;
  if (op.getNumReductionLoops() != 1)
    return "it sums along several dimensions";
  if (llvm::is_contained(extents, ShapedType::kDynamic))
    return "the extent of what it goes along isn't known";
  if (selectors.empty())
    return "what is summed has branches";
  int64_t elements = 1, places = 1;
  for (unsigned loop : sums)
    (isFree(loop) ? elements : places) *= extents[loop];
  if (elements < kLeastElements || extents[summed] < kLeastTerms)
    return "the numbers are those of terms: they say to which sum each belongs";
  int64_t terms = extents[summed] * int64_t(points.size());
  // Most of the places that a term has in each of a batch may be none, unless
  // all are the same.
  for (unsigned loop : batch) {
    bool haveNumbers = llvm::any_of(points, [&](const OneHotPoint &point) {
      return llvm::any_of(point, [&](const OneHotPlace &place) {
        return !isFixedAlong(op, place.number, loop);
      });
    });
    if (!haveNumbers || !llvm::all_of(others, [&](Value factor) {
          return isFixedAlong(op, factor, loop);
        }))
      terms *= extents[loop];
  }
  if (terms > kMostTermsOfPlace * places)
    return std::to_string(terms) + " terms have " + std::to_string(places) +
           " places: several belong to each";
  if (terms >= kNoTerm || places >= kNoTerm)
    return "numbers of 32 bits don't tell terms and places apart";
  if (llvm::any_of(points, [&](const OneHotPoint &point) {
        return orderPlaces(op, point).empty();
      }))
    return "its numbers depend on each other";
  for (OpOperand *input : op.getDpsInputOperands())
    if (!op.getMatchingIndexingMap(input).isProjectedPermutation())
      return "an operand isn't read at loops";
  return "";
}

AffineMap PlacedTerms::getMap(ArrayRef<unsigned> from, ArrayRef<unsigned> to) {
  SmallVector<AffineExpr> exprs;
  for (unsigned loop : to)
    exprs.push_back(getAffineDimExpr(llvm::find(from, loop) - from.begin(),
                                     op.getContext()));
  return AffineMap::get(from.size(), 0, exprs, op.getContext());
}

Value PlacedTerms::flatten(OpBuilder &builder, ValueRange numbers) {
  Location loc = op.getLoc();
  Value flat;
  for (auto [loop, number] : llvm::zip_equal(placed, numbers)) {
    if (flat) {
      Value extent =
          arith::ConstantIndexOp::create(builder, loc, extents[loop]);
      flat = arith::MulIOp::create(builder, loc, flat, extent);
      flat = arith::AddIOp::create(builder, loc, flat, number);
    } else {
      flat = number;
    }
  }
  return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), flat);
}

static Value createI32(OpBuilder &builder, Location loc, int64_t number) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(number));
}

Value PlacedTerms::writePlaces(IRRewriter &rewriter, const OneHotPoint &point) {
  Location loc = op.getLoc();
  SmallVector<unsigned> loops(batch);
  loops.push_back(summed);
  SmallVector<int64_t> shape;
  for (unsigned loop : loops)
    shape.push_back(extents[loop]);
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, shape, rewriter.getI32Type());
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), ValueRange(), empty,
             rewriter.getMultiDimIdentityMap(loops.size()),
             SmallVector<IteratorType>(loops.size(), IteratorType::parallel),
             [&](OpBuilder &builder, Location, ValueRange) {
               PointReader reader(op);
               for (auto [number, loop] : llvm::enumerate(loops))
                 reader.setLoop(loop,
                                linalg::IndexOp::create(builder, loc, number));
               ComputedPoint computed =
                   computePoint(builder, op, point, reader);
               Value no = createI32(builder, loc, -1);
               // What isn't zero: a place that no term has costs nothing.
               Value isThere = createBranch(
                   builder, loc, builder.getI1Type(), computed.exists,
                   [&](OpBuilder &inner) {
                     PointReader there =
                         goToPoint(inner, point, computed, reader);
                     Value all;
                     for (Value selector : selectors) {
                       Value own = isNotZero(inner, loc,
                                             there.compute(inner, selector));
                       all = all ? arith::AndIOp::create(inner, loc, all, own)
                                       .getResult()
                                 : own;
                     }
                     return all;
                   });
               Value place = flatten(builder, computed.numbers);
               linalg::YieldOp::create(
                   builder, loc,
                   arith::SelectOp::create(builder, loc, isThere, place, no)
                       .getResult());
             })
      .getResult(0);
}

/// Whether one of the places is the sum's own.
static Value hasPlace(OpBuilder &builder, Location loc, ValueRange places,
                      Value own) {
  Value any;
  for (Value place : places) {
    Value is = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     place, own);
    any = any ? arith::OrIOp::create(builder, loc, any, is).getResult() : is;
  }
  return any;
}

Value PlacedTerms::writeEnds(IRRewriter &rewriter, ValueRange places,
                             bool isLast) {
  Location loc = op.getLoc();
  // Those of the result, then the one that is summed.
  SmallVector<unsigned> loops, written, read(batch);
  for (unsigned loop : sums)
    if (!isFree(loop))
      loops.push_back(loop);
  written = loops;
  loops.push_back(summed);
  read.push_back(summed);
  SmallVector<int64_t> shape;
  for (unsigned loop : written)
    shape.push_back(extents[loop]);
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, shape, rewriter.getI32Type());
  Value none = createI32(rewriter, loc, isLast ? -1 : kNoTerm);
  Value init = linalg::FillOp::create(rewriter, loc, none, empty).getResult(0);
  SmallVector<AffineMap> maps(places.size(), getMap(loops, read));
  maps.push_back(getMap(loops, written));
  SmallVector<IteratorType> kinds(written.size(), IteratorType::parallel);
  kinds.push_back(IteratorType::reduction);
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), places, init, maps, kinds,
             [&](OpBuilder &builder, Location, ValueRange elements) {
               SmallVector<Value> numbers;
               for (unsigned loop : placed)
                 numbers.push_back(linalg::IndexOp::create(
                     builder, loc, llvm::find(loops, loop) - loops.begin()));
               Value own = flatten(builder, numbers);
               Value number = arith::IndexCastOp::create(
                   builder, loc, builder.getI32Type(),
                   linalg::IndexOp::create(builder, loc, written.size()));
               Value isOwn = hasPlace(builder, loc, elements.drop_back(), own);
               Value other = createI32(builder, loc, isLast ? -1 : kNoTerm);
               number =
                   arith::SelectOp::create(builder, loc, isOwn, number, other);
               Value before = elements.back();
               Value end =
                   isLast ? arith::MaxSIOp::create(builder, loc, before, number)
                                .getResult()
                          : arith::MinSIOp::create(builder, loc, before, number)
                                .getResult();
               linalg::YieldOp::create(builder, loc, end);
             })
      .getResult(0);
}

/// Whether a factor is 1 where it isn't 0.
static bool isCondition(Value factor) {
  auto number = factor.getDefiningOp<arith::UIToFPOp>();
  return number && number.getIn().getType().isInteger(1);
}

Value PlacedTerms::writeSums(IRRewriter &rewriter, ValueRange places,
                             Value first, Value last) {
  Location loc = op.getLoc();
  SmallVector<unsigned> ends;
  for (unsigned loop : sums)
    if (!isFree(loop))
      ends.push_back(loop);
  SmallVector<Value> inputs = {first, last};
  SmallVector<AffineMap> maps(2, getMap(sums, ends));
  SmallVector<BlockArgument> arguments;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.isFunctionOfDim(summed))
      continue;
    SmallVector<unsigned> loops;
    for (AffineExpr expr : map.getResults())
      loops.push_back(cast<AffineDimExpr>(expr).getPosition());
    inputs.push_back(input->get());
    maps.push_back(getMap(sums, loops));
    arguments.push_back(op.getMatchingBlockArgument(input));
  }
  OpOperand *init = op.getDpsInitOperand(0);
  SmallVector<unsigned> written;
  for (AffineExpr expr : op.getMatchingIndexingMap(init).getResults())
    written.push_back(cast<AffineDimExpr>(expr).getPosition());
  maps.push_back(getMap(sums, written));
  Value empty = init->get().getDefiningOp<linalg::FillOp>().getOutputs()[0];
  auto write = [&](OpBuilder &builder, ValueRange elements) {
    PointReader reader(op);
    for (auto [number, loop] : llvm::enumerate(sums))
      reader.setLoop(loop, linalg::IndexOp::create(builder, loc, number));
    for (auto [argument, element] :
         llvm::zip_equal(arguments, elements.drop_front(2).drop_back()))
      reader.set(argument, element);
    auto getIndex = [&](Value number) -> Value {
      return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                        number);
    };
    auto readAt = [&](OpBuilder &inner, Value number) {
      PointReader there = reader;
      there.setLoop(summed, number);
      // The term has the place, so that its conditions hold.
      for (Value selector : selectors)
        if (isCondition(selector))
          there.set(selector,
                    arith::ConstantOp::create(
                        inner, loc, inner.getFloatAttr(selector.getType(), 1)));
      return there.compute(inner, term);
    };
    Value begin = getIndex(elements[0]);
    Value extent =
        arith::ConstantIndexOp::create(builder, loc, extents[summed]);
    Value exists = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, begin, extent);
    Value sum =
        createBranch(builder, loc, term.getType(), exists,
                     [&](OpBuilder &inner) { return readAt(inner, begin); });
    // Where places are all different, there is nothing left to add.
    Value zero = createI32(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value ofOthers =
        arith::SubIOp::create(builder, loc, elements[1], elements[0]);
    ofOthers = arith::MaxSIOp::create(builder, loc, ofOthers, zero);
    Value count = arith::AddIOp::create(builder, loc, getIndex(ofOthers), one);
    SmallVector<Value> numbers;
    for (unsigned loop : placed)
      numbers.push_back(linalg::IndexOp::create(
          builder, loc, llvm::find(sums, loop) - sums.begin()));
    Value own = flatten(builder, numbers);
    SmallVector<Value> indices;
    for (unsigned loop : batch)
      indices.push_back(linalg::IndexOp::create(
          builder, loc, llvm::find(sums, loop) - sums.begin()));
    auto loop = scf::ForOp::create(
        builder, loc, one, count, one, sum,
        [&](OpBuilder &inner, Location, Value step, ValueRange sums) {
          Value number = arith::AddIOp::create(inner, loc, begin, step);
          SmallVector<Value> at(indices), here;
          at.push_back(number);
          for (Value table : places)
            here.push_back(tensor::ExtractOp::create(inner, loc, table, at));
          Value element = createBranch(
              inner, loc, term.getType(), hasPlace(inner, loc, here, own),
              [&](OpBuilder &branch) { return readAt(branch, number); });
          scf::YieldOp::create(inner, loc,
                               addElements(inner, loc, sums.front(), element));
        });
    linalg::YieldOp::create(builder, loc, loop.getResult(0));
  };
  return linalg::GenericOp::create(
             rewriter, loc, op.getResultTypes(), inputs, empty, maps,
             SmallVector<IteratorType>(sums.size(), IteratorType::parallel),
             [&](OpBuilder &builder, Location, ValueRange elements) {
               write(builder, elements);
             })
      .getResult(0);
}

Value PlacedTerms::write(IRRewriter &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> places;
  for (const OneHotPoint &point : points)
    places.push_back(writePlaces(rewriter, point));
  Value first = writeEnds(rewriter, places, /*isLast=*/false);
  Value last = writeEnds(rewriter, places, /*isLast=*/true);
  return writeSums(rewriter, places, first, last);
}
