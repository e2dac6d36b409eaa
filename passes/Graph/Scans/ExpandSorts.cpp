//===- ExpandSorts.cpp - sorts that a CTA hasn't the threads for ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-split-sorts and --carousel-expand-sorts. The first elements of
// long lines are those of parts' first elements. Other lines count: an
// element's rank is how many come before it, and comparisons of all ranks find
// the element of each. That is what a sort means, by ops that upstream has.
// docs/GraphPhase.md, Sorts.
//
//===----------------------------------------------------------------------===//

#include "../Decisions/DecisionLog.h"
#include "../Products/OneHotIndices.h"
#include "../Reading/ReadScan.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

namespace carousel {
#define GEN_PASS_DEF_EXPANDSORTS
#define GEN_PASS_DEF_SPLITSORTS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

/// Writes other ops in place of a sort.
class SortWriter {
public:
  SortWriter(linalg::GenericOp op, const Sort &sort)
      : op(op), sort(sort), sorted(sort.op), builder(op), loc(op.getLoc()),
        count(op.getNumLoops()) {
    auto structured = cast<linalg::LinalgOp>(op.getOperation());
    for (Range range : structured.createLoopRanges(builder, loc))
      extents.push_back(range.size);
  }

  /// Counts.
  void expand();
  /// Sorts parts of the lines, and then their first elements.
  void split(int64_t parts);

private:
  /// A loop's number without another one.
  static unsigned without(unsigned loop, unsigned other) {
    return loop - (loop > other);
  }
  SmallVector<AffineExpr> getLoops(unsigned all,
                                   function_ref<bool(unsigned)> isLeft) {
    SmallVector<AffineExpr> loops;
    for (unsigned loop = 0; loop < all; ++loop)
      if (isLeft(loop))
        loops.push_back(builder.getAffineDimExpr(loop));
    return loops;
  }
  AffineMap getMap(unsigned all, ArrayRef<AffineExpr> loops) {
    return AffineMap::get(all, 0, loops, builder.getContext());
  }
  /// The extents of all loops but one.
  SmallVector<OpFoldResult> getExtents(unsigned other) {
    SmallVector<OpFoldResult> all(extents);
    all.erase(all.begin() + other);
    return all;
  }
  Value createEmpty(ArrayRef<OpFoldResult> sizes, Type element) {
    return tensor::EmptyOp::create(builder, loc, sizes, element);
  }
  /// An i32 for each of some loops, a sum along another one of what the body
  /// yields.
  Value createSum(ValueRange inputs, ArrayRef<AffineMap> maps,
                  ArrayRef<OpFoldResult> sizes, unsigned reduced,
                  function_ref<Value(OpBuilder &, ValueRange)> write);
  void computeOperands();
  Value countBefore();
  Value findOrder(Value rank);
  void replaceByOrder(Value order);
  /// A sort of tensors along dimension `dim`: the places, and the values.
  SmallVector<Value> createSort(ValueRange tensors, unsigned dim,
                                int64_t first);
  Value padParts(Value tensor, int64_t length, Attribute padding);
  Value convert(OpBuilder &body, Value index) {
    return arith::IndexCastOp::create(body, loc, body.getI32Type(), index);
  }

  linalg::GenericOp op;
  const Sort sort;
  SortedOp sorted;
  OpBuilder builder;
  Location loc;
  unsigned count; ///< of loops
  SmallVector<OpFoldResult> extents;
  /// The key and the values, as tensors of all loops but that of the places.
  SmallVector<Value> operands;
};

} // namespace

void SortWriter::computeOperands() {
  llvm::SetVector<Operation *> sources;
  for (Value operand : sorted->getOperands())
    sources.insert_range(*findSources(operand, op.getBlock()));
  auto drop = [&](AffineMap map) {
    SmallVector<AffineExpr> loops;
    for (unsigned loop = 0; loop < count; ++loop)
      loops.push_back(builder.getAffineDimExpr(
          loop == sort.places ? 0 : without(loop, sort.places)));
    return map.replaceDimsAndSymbols(loops, {}, count - 1, 0);
  };
  SmallVector<Value> inits;
  SmallVector<AffineMap> maps;
  SmallVector<Type> types;
  for (OpOperand *input : op.getDpsInputOperands())
    maps.push_back(drop(op.getMatchingIndexingMap(input)));
  for (Type element : sorted->getOperandTypes()) {
    inits.push_back(createEmpty(getExtents(sort.places), element));
    types.push_back(inits.back().getType());
    maps.push_back(builder.getMultiDimIdentityMap(count - 1));
  }
  SmallVector<utils::IteratorType> parallel(count - 1,
                                            utils::IteratorType::parallel);
  auto computed = linalg::GenericOp::create(
      builder, loc, types, op.getInputs(), inits, maps, parallel,
      [&](OpBuilder &body, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(op.getRegionInputArgs(),
                    arguments.take_front(op.getNumDpsInputs()));
        for (Operation &inner : op.getBlock()->without_terminator())
          if (sources.contains(&inner))
            body.clone(inner, mapping)->walk([&](linalg::IndexOp index) {
              index.setDim(without(index.getDim(), sort.places));
            });
        linalg::YieldOp::create(
            body, loc,
            llvm::map_to_vector(sorted->getOperands(), [&](Value value) {
              return mapping.lookupOrDefault(value);
            }));
      });
  operands = SmallVector<Value>(computed.getResults());
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

Value SortWriter::createSum(
    ValueRange inputs, ArrayRef<AffineMap> maps, ArrayRef<OpFoldResult> sizes,
    unsigned reduced, function_ref<Value(OpBuilder &, ValueRange)> write) {
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
  Value start = linalg::FillOp::create(builder, loc, zero,
                                       createEmpty(sizes, builder.getI32Type()))
                    .getResult(0);
  unsigned all = maps.front().getNumDims();
  SmallVector<AffineMap> both(maps);
  both.push_back(getMap(
      all, getLoops(all, [&](unsigned loop) { return loop != reduced; })));
  SmallVector<utils::IteratorType> iterators(all,
                                             utils::IteratorType::parallel);
  iterators[reduced] = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
             builder, loc, start.getType(), inputs, start, both, iterators,
             [&](OpBuilder &body, Location, ValueRange arguments) {
               Value term = write(body, arguments);
               linalg::YieldOp::create(
                   body, loc,
                   arith::AddIOp::create(body, loc, arguments.back(), term)
                       .getResult());
             })
      .getResult(0);
}

/// How many elements come before each one.
Value SortWriter::countBefore() {
  // The last loop goes along the others of the line.
  unsigned along = without(sort.reduced, sort.places), other = count - 1;
  SmallVector<AffineExpr> own =
      getLoops(count, [&](unsigned loop) { return loop != other; });
  SmallVector<AffineExpr> others(own);
  others[along] = builder.getAffineDimExpr(other);
  Value key = operands.front();
  return createSum(
      {key, key}, {getMap(count, others), getMap(count, own)},
      getExtents(sort.places), other, [&](OpBuilder &body, ValueRange keys) {
        auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
          return arith::CmpIOp::create(body, loc, predicate, a, b);
        };
        Value isEarlier = compare(arith::CmpIPredicate::ult,
                                  linalg::IndexOp::create(body, loc, other),
                                  linalg::IndexOp::create(body, loc, along));
        Value precedes = arith::SelectOp::create(
            body, loc, isEarlier,
            compare(arith::CmpIPredicate::sle, keys[0], keys[1]),
            compare(arith::CmpIPredicate::slt, keys[0], keys[1]));
        return arith::ExtUIOp::create(body, loc, body.getI32Type(), precedes)
            .getResult();
      });
}

/// Where the element of each rank is.
Value SortWriter::findOrder(Value rank) {
  AffineMap ofRanks = getMap(count, getLoops(count, [&](unsigned loop) {
                               return loop != sort.places;
                             }));
  return createSum(
      rank, ofRanks, getExtents(sort.reduced), sort.reduced,
      [&](OpBuilder &body, ValueRange ranks) {
        Value own = linalg::IndexOp::create(body, loc, sort.places),
              other = linalg::IndexOp::create(body, loc, sort.reduced);
        Value isThere =
            arith::CmpIOp::create(body, loc, arith::CmpIPredicate::eq,
                                  ranks.front(), convert(body, own));
        Value zero = arith::ConstantIntOp::create(body, loc, 0, 32);
        return arith::SelectOp::create(body, loc, isThere, convert(body, other),
                                       zero)
            .getResult();
      });
}

/// Reads what is at these places.
void SortWriter::replaceByOrder(Value order) {
  unsigned all = count - 1;
  SmallVector<AffineMap> maps = {builder.getMultiDimIdentityMap(all)};
  for (OpOperand &init : op.getDpsInitsMutable()) {
    SmallVector<AffineExpr> loops;
    for (unsigned loop = 0; loop < count; ++loop)
      loops.push_back(builder.getAffineDimExpr(
          loop == sort.reduced ? 0 : without(loop, sort.reduced)));
    maps.push_back(op.getMatchingIndexingMap(&init).replaceDimsAndSymbols(
        loops, {}, all, 0));
  }
  SmallVector<utils::IteratorType> parallel(all, utils::IteratorType::parallel);
  auto other = linalg::GenericOp::create(
      builder, loc, op->getResultTypes(), order, op.getOutputs(), maps,
      parallel, [&](OpBuilder &body, Location, ValueRange arguments) {
        SmallVector<Value> indices, results;
        for (unsigned loop = 0; loop < count; ++loop)
          if (loop == sort.reduced)
            indices.push_back(arith::IndexCastOp::create(
                body, loc, body.getIndexType(), arguments.front()));
          else if (loop != sort.places)
            indices.push_back(linalg::IndexOp::create(
                body, loc, without(loop, sort.reduced)));
        for (Value result : op.getBlock()->getTerminator()->getOperands()) {
          unsigned number = cast<OpResult>(result).getResultNumber();
          results.push_back(number == 0
                                ? arguments.front()
                                : tensor::ExtractOp::create(
                                      body, loc, operands[number], indices)
                                      .getResult());
        }
        linalg::YieldOp::create(body, loc, results);
      });
  op->replaceAllUsesWith(other);
  op.erase();
}

void SortWriter::expand() {
  computeOperands();
  // Results and operands of values count from 1.
  replaceByOrder(findOrder(countBefore()));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

SmallVector<Value> SortWriter::createSort(ValueRange tensors, unsigned dim,
                                          int64_t first) {
  auto type = cast<RankedTensorType>(tensors.front().getType());
  unsigned rank = type.getRank();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, tensors.front());
  sizes[dim] = builder.getIndexAttr(first);
  SmallVector<AffineExpr> own =
      getLoops(rank + 1, [&](unsigned loop) { return loop != rank; });
  AffineMap ofResults = getMap(rank + 1, own);
  own[dim] = builder.getAffineDimExpr(rank);
  SmallVector<AffineMap> maps(tensors.size(), getMap(rank + 1, own));
  SmallVector<Value> inits = {createEmpty(sizes, builder.getI32Type())};
  for (Value tensor : tensors)
    inits.push_back(createEmpty(sizes, getElementTypeOrSelf(tensor)));
  maps.append(inits.size(), ofResults);
  SmallVector<Type> types =
      llvm::map_to_vector(inits, [](Value init) { return init.getType(); });
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  auto generic = linalg::GenericOp::create(
      builder, loc, types, tensors, inits, maps, iterators,
      [&](OpBuilder &body, Location, ValueRange arguments) {
        auto inOrder = SortedOp::create(body, loc, arguments.front(),
                                        arguments.take_front(tensors.size()));
        linalg::YieldOp::create(body, loc, inOrder->getResults());
      });
  return SmallVector<Value>(generic.getResults());
}

/// The tensor with more elements along the sorted dimension.
Value SortWriter::padParts(Value tensor, int64_t length, Attribute padding) {
  auto type = cast<RankedTensorType>(tensor.getType());
  unsigned dim = without(sort.reduced, sort.places);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<OpFoldResult> low(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> high(low);
  high[dim] = builder.getIndexAttr(length - shape[dim]);
  shape[dim] = length;
  Value number =
      arith::ConstantOp::create(builder, loc, cast<TypedAttr>(padding));
  return tensor::PadOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), tensor,
      low, high, number);
}

void SortWriter::split(int64_t parts) {
  computeOperands();
  unsigned dim = without(sort.reduced, sort.places);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t length = ranges[sort.reduced], first = ranges[sort.places];
  int64_t own = llvm::divideCeil(length, parts);
  for (auto [number, tensor] : llvm::enumerate(operands)) {
    Type element = getElementTypeOrSelf(tensor);
    // Padding comes last.
    Attribute padding =
        number == 0
            ? Attribute(builder.getIntegerAttr(
                  element,
                  APInt::getSignedMaxValue(element.getIntOrFloatBitWidth())))
            : builder.getZeroAttr(element);
    if (own * parts != length)
      tensor = padParts(tensor, own * parts, padding);
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = parts;
    shape.insert(shape.begin() + dim + 1, own);
    SmallVector<ReassociationIndices> groups;
    for (int64_t at = 0; at < type.getRank(); ++at) {
      groups.push_back({at + (at > int64_t(dim))});
      if (at == int64_t(dim))
        groups.back().push_back(at + 1);
    }
    tensor = tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(shape, type.getElementType()),
        tensor, groups);
  }
  SmallVector<Value> ofParts = createSort(operands, dim + 1, first);
  // Places in the line.
  auto type = cast<RankedTensorType>(ofParts.front().getType());
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  ofParts.front() =
      linalg::GenericOp::create(
          builder, loc, type, ofParts.front(),
          createEmpty(tensor::getMixedSizes(builder, loc, ofParts.front()),
                      type.getElementType()),
          ArrayRef{map, map}, parallel,
          [&](OpBuilder &body, Location, ValueRange arguments) {
            Value part = convert(body, linalg::IndexOp::create(body, loc, dim));
            Value begin = arith::MulIOp::create(
                body, loc, part,
                arith::ConstantIntOp::create(body, loc, own, 32));
            linalg::YieldOp::create(
                body, loc,
                arith::AddIOp::create(body, loc, arguments.front(), begin)
                    .getResult());
          })
          .getResult(0);
  SmallVector<ReassociationIndices> groups;
  for (int64_t at = 0; at + 1 < type.getRank(); ++at) {
    groups.push_back({at + (at > int64_t(dim))});
    if (at == int64_t(dim))
      groups.back().push_back(at + 1);
  }
  for (Value &tensor : ofParts)
    tensor = tensor::CollapseShapeOp::create(builder, loc, tensor, groups);
  // The key, the places, and the values.
  std::swap(ofParts[0], ofParts[1]);
  SmallVector<Value> results = createSort(ofParts, dim, first);
  for (auto [number, value] :
       llvm::enumerate(op.getBlock()->getTerminator()->getOperands())) {
    unsigned from = cast<OpResult>(value).getResultNumber();
    // Behind the places among parts and the key: the places, and the values.
    op->getResult(number).replaceAllUsesWith(results[from + 2]);
  }
  op.erase();
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The elements that are read of a result along a dimension, if slices read the
/// first ones alone.
static std::optional<int64_t> countRead(Value result, unsigned dim) {
  int64_t most = 0;
  auto type = cast<RankedTensorType>(result.getType());
  for (Operation *user : result.getUsers()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    if (!slice || slice.getStaticOffsets()[dim] != 0 ||
        slice.getStaticStrides()[dim] != 1)
      return std::nullopt;
    int64_t size = slice.getStaticSizes()[dim];
    if (ShapedType::isDynamic(size) ||
        slice.getType().getRank() != type.getRank())
      return std::nullopt;
    most = std::max(most, size);
  }
  return most;
}

/// Sorts no more elements than slices read. Some passes drop loops of one
/// iteration, and a sort's isn't like others.
static linalg::GenericOp shrink(linalg::GenericOp op, const Sort &sort) {
  constexpr int64_t kLeast = 2;
  int64_t most = kLeast;
  SmallVector<unsigned> dims;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    unsigned dim = 0;
    while (!map.getResult(dim).isFunctionOfDim(sort.places))
      ++dim;
    dims.push_back(dim);
    std::optional<int64_t> read = countRead(op.getTiedOpResult(&init), dim);
    if (!read)
      return op;
    most = std::max(most, *read);
  }
  if (op.getStaticLoopRanges()[sort.places] <= most)
    return op;
  OpBuilder builder(op);
  SmallVector<Value> inits;
  for (auto [init, dim] : llvm::zip_equal(op.getOutputs(), dims)) {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, op.getLoc(), init);
    sizes[dim] = builder.getIndexAttr(most);
    inits.push_back(tensor::EmptyOp::create(builder, op.getLoc(), sizes,
                                            getElementTypeOrSelf(init)));
  }
  SmallVector<Type> types =
      llvm::map_to_vector(inits, [](Value init) { return init.getType(); });
  auto fewer = linalg::GenericOp::create(
      builder, op.getLoc(), types, op.getInputs(), inits,
      op.getIndexingMapsArray(), op.getIteratorTypesArray());
  fewer.getRegion().takeBody(op.getRegion());
  for (auto [from, to] : llvm::zip_equal(op->getResults(), fewer->getResults()))
    for (Operation *user : llvm::make_early_inc_range(from.getUsers())) {
      auto slice = cast<tensor::ExtractSliceOp>(user);
      slice.getSourceMutable().assign(to);
      if (slice.getType() == to.getType() && slice.getType().hasStaticShape() &&
          slice.hasZeroOffset() && slice.hasUnitStride()) {
        slice.replaceAllUsesWith(to);
        slice.erase();
      }
    }
  op.erase();
  return fewer;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// How many parts of a line are sorted, each apart; 0 for lines that aren't
/// divided. Parts are equal where there are divisors. Few lines have more
/// parts, for more programs.
static int64_t chooseParts(ArrayRef<int64_t> ranges, const Sort &sort,
                           int64_t most) {
  constexpr int64_t kFirst = 1024, kPrograms = 512, kLeastPart = 2048;
  int64_t length = ranges[sort.reduced], first = ranges[sort.places];
  if (ShapedType::isDynamic(length) || ShapedType::isDynamic(first) ||
      length <= most || first > kFirst || 2 * first > most)
    return 0;
  int64_t lines = 1;
  for (auto [loop, extent] : llvm::enumerate(ranges))
    if (loop != sort.reduced && loop != sort.places)
      lines *= ShapedType::isDynamic(extent) ? kPrograms
                                             : std::max<int64_t>(extent, 1);
  int64_t least = llvm::divideCeil(length, most);
  int64_t wanted = std::clamp<int64_t>(
      llvm::divideCeil(kPrograms, lines), least,
      std::max(least, length / std::max(kLeastPart, 2 * first)));
  for (int64_t parts = wanted; parts <= 2 * wanted; ++parts)
    if (length % parts == 0 && length / parts > 2 * first)
      return parts;
  return wanted;
}

template <typename Take>
static void forEachSort(func::FuncOp function, Take take) {
  SmallVector<linalg::GenericOp> ops;
  function.walk([&](linalg::GenericOp op) {
    if (findSort(op))
      ops.push_back(op);
  });
  for (linalg::GenericOp op : ops)
    take(op, *findSort(op));
}

namespace {

struct SplitSorts : public carousel::impl::SplitSortsBase<SplitSorts> {
  using SplitSortsBase::SplitSortsBase;

  void runOnOperation() override {
    bool changed = true;
    while (changed) {
      changed = false;
      forEachSort(getOperation(), [&](linalg::GenericOp op, const Sort &sort) {
        op = shrink(op, sort);
        int64_t parts =
            chooseParts(op.getStaticLoopRanges(), *findSort(op), most);
        if (parts == 0)
          return;
        SortWriter(op, *findSort(op)).split(parts);
        ++split;
        changed = true;
      });
    }
  }
};

struct ExpandSorts : public carousel::impl::ExpandSortsBase<ExpandSorts> {
  using ExpandSortsBase::ExpandSortsBase;

  void runOnOperation() override {
    DecisionLog log(getOperation(), "carousel-normalize-graph");
    forEachSort(getOperation(), [&](linalg::GenericOp op, const Sort &sort) {
      int64_t extent = op.getStaticLoopRanges()[sort.reduced];
      if (extent > 1 && extent <= std::min<int64_t>(most, kMostSorted))
        return;
      std::string found = ShapedType::isDynamic(extent)
                              ? "an unknown number"
                              : std::to_string(extent);
      if (most != 0 && (extent < 0 || extent > 1))
        log.warned(op, "Sort",
                   "each element is compared with all others: the threads of a "
                   "CTA sort 2 to " +
                       Twine(kMostSorted) + " elements, got " + found);
      SortWriter(op, sort).expand();
      ++expanded;
    });
  }
};
} // namespace
