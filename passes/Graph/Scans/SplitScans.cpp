//===- SplitScans.cpp - long scans of few programs ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-split-scans. A program goes along all of a scan. Where few would,
// the scan is divided into parts: their totals, a scan of these, and a scan of
// each part that begins with what comes before it. docs/GraphPhase.md, Scans.
//
//===----------------------------------------------------------------------===//

#include "../../Block/Kernels/NeutralElement.h"
#include "../Products/OneHotIndices.h"
#include "../Reading/ReadScan.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace carousel {
#define GEN_PASS_DEF_SPLITSCANS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;
using utils::IteratorType;

/// Elements of a part, at least: a chunk of the kernel.
static constexpr int64_t kLeastLength = 4096;
/// As many rows have programs enough, and no more parts than that are made.
static constexpr int64_t kEnoughRows = 64, kMostPrograms = 2048;

namespace {

/// Writes a scan of one value as scans of its parts.
class ScanSplitter {
public:
  ScanSplitter(linalg::GenericOp op, Scan scan, int64_t length)
      : op(op), scan(std::move(scan)), length(length), builder(op),
        loc(op.getLoc()) {
    extent = op.getStaticLoopRanges()[this->scan.loop];
    parts = extent / length;
  }

  void write();

private:
  /// The elements that an op goes along: those of parts, or those from an
  /// offset on, which no part has.
  struct Place {
    bool isInParts = true;
    int64_t offset = 0;
  };

  std::optional<unsigned> findScanned(AffineMap map) const;
  /// A map of loops along parts and their elements, in place of the scanned
  /// one.
  AffineMap divide(AffineMap map) const;
  /// The elements of a tensor along the scanned loop, if it has that.
  Value slice(Value tensor, AffineMap map, const Place &place);
  Value createEmpty(ArrayRef<int64_t> shape, Value like);
  SmallVector<IteratorType> getIterators(IteratorType ofParts,
                                         IteratorType ofElements) const;
  void writeBody(OpBuilder &body, ValueRange arguments, const Place &place,
                 ArrayRef<Value> yielded);

  linalg::GenericOp createScan(const Place &place, Value start);
  Value createTotals();
  /// Returns what comes before each part, and what comes before the rest.
  std::pair<Value, Value> scanTotals(Value totals);

  CarriedValue &getCarried() { return scan.carried.front(); }
  OpOperand *getStart() { return op.getDpsInitOperand(getCarried().init); }

  linalg::GenericOp op;
  Scan scan;
  int64_t length, extent = 0, parts = 0;
  OpBuilder builder;
  Location loc;
};

} // namespace

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

std::optional<unsigned> ScanSplitter::findScanned(AffineMap map) const {
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (expr.isFunctionOfDim(scan.loop))
      return dim;
  return std::nullopt;
}

AffineMap ScanSplitter::divide(AffineMap map) const {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) {
    AffineExpr moved =
        expr.shiftDims(map.getNumDims(), 1, /*offset=*/scan.loop + 1);
    if (expr.isFunctionOfDim(scan.loop)) {
      results.push_back(expr);
      moved = getAffineDimExpr(scan.loop + 1, map.getContext());
    }
    results.push_back(moved);
  }
  return AffineMap::get(map.getNumDims() + 1, 0, results, map.getContext());
}

/// The dimensions of a reshape that makes parts and their elements of one.
static SmallVector<ReassociationIndices> divideDim(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t own = 0; own < rank; ++own)
    groups.push_back(own == dim ? ReassociationIndices{own, own + 1}
                                : ReassociationIndices{own + (own > dim)});
  return groups;
}

Value ScanSplitter::slice(Value tensor, AffineMap map, const Place &place) {
  std::optional<unsigned> dim = findScanned(map);
  if (!dim)
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t size = place.isInParts ? parts * length : extent - place.offset;
  if (size != extent) {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, tensor);
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
    offsets[*dim] = builder.getIndexAttr(place.offset);
    sizes[*dim] = builder.getIndexAttr(size);
    tensor = tensor::ExtractSliceOp::create(builder, loc, tensor, offsets,
                                            sizes, strides);
    type = cast<RankedTensorType>(tensor.getType());
  }
  if (!place.isInParts)
    return tensor;
  SmallVector<int64_t> shape(type.getShape());
  shape[*dim] = parts;
  shape.insert(shape.begin() + *dim + 1, length);
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), tensor,
                                       divideDim(type.getRank(), *dim));
}

Value ScanSplitter::createEmpty(ArrayRef<int64_t> shape, Value like) {
  return tensor::EmptyOp::create(builder, loc, shape,
                                 getElementTypeOrSelf(like));
}

SmallVector<IteratorType>
ScanSplitter::getIterators(IteratorType ofParts,
                           IteratorType ofElements) const {
  SmallVector<IteratorType> kinds =
      linalg::GenericOp(op).getIteratorTypesArray();
  kinds[scan.loop] = ofParts;
  kinds.insert(kinds.begin() + scan.loop + 1, ofElements);
  return kinds;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Computes values of the scan's body, and yields them.
void ScanSplitter::writeBody(OpBuilder &body, ValueRange arguments,
                             const Place &place, ArrayRef<Value> yielded) {
  IRMapping mapping;
  size_t inputs = op.getNumDpsInputs();
  for (size_t input = 0; input < inputs; ++input)
    mapping.map(op.getBlock()->getArgument(input), arguments[input]);
  mapping.map(getCarried().before, arguments[inputs + getCarried().init]);
  llvm::SetVector<Operation *> sources;
  for (Value value : yielded)
    sources.insert_range(*findSources(value, op.getBlock()));
  auto moveIndex = [&](linalg::IndexOp index) {
    unsigned loop = index.getDim();
    index.setDim(loop + (place.isInParts && loop > scan.loop));
    if (loop != scan.loop)
      return;
    OpBuilder behind(index->getContext());
    behind.setInsertionPointAfter(index);
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(behind, loc, value);
    };
    SmallPtrSet<Operation *, 4> own;
    Value first = number(place.offset);
    if (place.isInParts) {
      Value along = linalg::IndexOp::create(behind, loc, loop + 1);
      first = along;
    }
    Value scaled = index;
    if (place.isInParts) {
      scaled = arith::MulIOp::create(behind, loc, index, number(length));
      own.insert(scaled.getDefiningOp());
    }
    auto sum = arith::AddIOp::create(behind, loc, scaled, first);
    own.insert(sum);
    index.getResult().replaceAllUsesExcept(sum, own);
  };
  SmallVector<linalg::IndexOp> indices;
  for (Operation &inner : op.getBlock()->without_terminator())
    if (sources.contains(&inner))
      body.clone(inner, mapping)->walk([&](linalg::IndexOp index) {
        indices.push_back(index);
      });
  linalg::YieldOp::create(body, loc,
                          llvm::map_to_vector(yielded, [&](Value value) {
                            return mapping.lookupOrDefault(value);
                          }));
  llvm::for_each(indices, moveIndex);
}

/// Scans the parts, or the elements that follow the last of them.
linalg::GenericOp ScanSplitter::createScan(const Place &place, Value start) {
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  auto divideMap = [&](AffineMap map) {
    return place.isInParts ? divide(map) : map;
  };
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    inputs.push_back(slice(input->get(), map, place));
    maps.push_back(divideMap(map));
  }
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (&init == getStart()) {
      inits.push_back(start);
      AffineMap own = divideMap(map);
      // Each part has a start.
      if (place.isInParts)
        own = own.insertResult(getAffineDimExpr(scan.loop, op.getContext()),
                               own.getNumResults());
      maps.push_back(own);
      continue;
    }
    SmallVector<int64_t> shape;
    AffineMap own = divideMap(map);
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    if (place.isInParts) {
      extents[scan.loop] = parts;
      extents.insert(extents.begin() + scan.loop + 1, length);
    } else {
      extents[scan.loop] = extent - place.offset;
    }
    for (AffineExpr expr : own.getResults())
      shape.push_back(extents[cast<AffineDimExpr>(expr).getPosition()]);
    inits.push_back(createEmpty(shape, init.get()));
    maps.push_back(own);
  }
  SmallVector<IteratorType> iterators =
      place.isInParts
          ? getIterators(IteratorType::parallel, IteratorType::reduction)
          : op.getIteratorTypesArray();
  SmallVector<Value> yielded(op.getBlock()->getTerminator()->getOperands());
  return linalg::GenericOp::create(
      builder, loc, TypeRange(inits), inputs, inits, maps, iterators,
      [&](OpBuilder &body, Location, ValueRange arguments) {
        writeBody(body, arguments, place, yielded);
      });
}

/// The total of each part: the start's shape, and the parts last.
Value ScanSplitter::createTotals() {
  Place place;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    inputs.push_back(slice(input->get(), map, place));
    maps.push_back(divide(map));
  }
  // Where the body extracts elements, no input says how many there are.
  bool hasExtents = llvm::any_of(
      maps, [&](AffineMap map) { return map.isFunctionOfDim(scan.loop + 1); });
  if (!hasExtents) {
    inputs.push_back(createEmpty({length}, getStart()->get()));
    maps.push_back(
        AffineMap::get(op.getNumLoops() + 1, 0,
                       getAffineDimExpr(scan.loop + 1, op.getContext())));
  }
  Value start = getStart()->get();
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(start.getType()).getShape());
  shape.push_back(parts);
  TypedAttr neutral = getNeutralElement(
      builder, *linalg::getCombinerOpKind(getCarried().combiner),
      getElementTypeOrSelf(start));
  Value from = linalg::FillOp::create(
                   builder, loc,
                   arith::ConstantOp::create(builder, loc, neutral).getResult(),
                   createEmpty(shape, start))
                   .getResult(0);
  AffineMap map = divide(op.getMatchingIndexingMap(getStart()));
  maps.push_back(map.insertResult(getAffineDimExpr(scan.loop, op.getContext()),
                                  map.getNumResults()));
  auto totals = linalg::GenericOp::create(
      builder, loc, from.getType(), inputs, from, maps,
      getIterators(IteratorType::parallel, IteratorType::reduction),
      [&](OpBuilder &body, Location, ValueRange arguments) {
        // The carried value is the only result.
        SmallVector<Value> all(arguments.take_front(op.getNumDpsInputs()));
        all.resize(op.getNumDpsInputs() + getCarried().init);
        all.push_back(arguments.back());
        writeBody(body, all, place, {getCarried().upTo});
      });
  return totals.getResult(0);
}

std::pair<Value, Value> ScanSplitter::scanTotals(Value totals) {
  Value start = getStart()->get();
  auto type = cast<RankedTensorType>(totals.getType());
  unsigned rank = type.getRank();
  AffineMap all = builder.getMultiDimIdentityMap(rank);
  AffineMap ofStart = all.dropResult(rank - 1);
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators.back() = IteratorType::reduction;
  Value empty = createEmpty(type.getShape(), totals);
  auto scanned = linalg::GenericOp::create(
      builder, loc, TypeRange{start.getType(), type, type}, totals,
      ValueRange{start, empty, empty}, ArrayRef{all, ofStart, all, all},
      iterators, [&](OpBuilder &body, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(getCarried().before, arguments[1]);
        mapping.map(getCarried().element, arguments[0]);
        Value upTo = body.clone(*getCarried().combiner, mapping)->getResult(0);
        linalg::YieldOp::create(body, loc,
                                ValueRange{upTo, arguments[1], upTo});
      });
  SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0)),
      strides(rank, builder.getIndexAttr(1)),
      sizes = tensor::getMixedSizes(builder, loc, totals);
  offsets.back() = builder.getIndexAttr(parts - 1);
  sizes.back() = builder.getIndexAttr(1);
  Value last = tensor::ExtractSliceOp::create(
      builder, loc, cast<RankedTensorType>(start.getType()),
      scanned.getResult(2), offsets, sizes, strides);
  return {scanned.getResult(1), last};
}

void ScanSplitter::write() {
  auto [before, rest] = scanTotals(createTotals());
  linalg::GenericOp inParts = createScan({}, before);
  linalg::GenericOp behind;
  int64_t covered = parts * length;
  if (covered != extent)
    behind = createScan({/*isInParts=*/false, covered}, rest);
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    if (result.use_empty())
      continue;
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
    unsigned dim = *findScanned(map);
    auto type = cast<RankedTensorType>(result.getType());
    Value whole =
        tensor::CollapseShapeOp::create(builder, loc, inParts.getResult(number),
                                        divideDim(type.getRank(), dim));
    if (behind) {
      Value all = createEmpty(type.getShape(), result);
      for (auto [part, offset] :
           {std::pair(whole, int64_t(0)),
            std::pair(Value(behind.getResult(number)), covered)}) {
        SmallVector<OpFoldResult> offsets(type.getRank(),
                                          builder.getIndexAttr(0)),
            strides(type.getRank(), builder.getIndexAttr(1)),
            sizes = tensor::getMixedSizes(builder, loc, part);
        offsets[dim] = builder.getIndexAttr(offset);
        all = tensor::InsertSliceOp::create(builder, loc, part, all, offsets,
                                            sizes, strides);
      }
      whole = all;
    }
    result.replaceAllUsesWith(whole);
  }
  op.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The elements of a part, or 0 if the scan stays whole: its extents are known,
/// and it has few rows.
static int64_t findPartLength(linalg::GenericOp op, const Scan &scan) {
  if (scan.carried.size() != 1 || !scan.carried.front().combiner ||
      scan.carried.front().begins)
    return 0;
  int64_t rows = 1;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (llvm::any_of(extents, ShapedType::isDynamic))
    return 0;
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (loop != scan.loop)
      rows *= extent;
  auto isPlain = [&](OpOperand &operand) {
    return op.getMatchingIndexingMap(&operand).isProjectedPermutation();
  };
  if (rows == 0 || rows > kEnoughRows ||
      extents[scan.loop] < 4 * kLeastLength ||
      !llvm::all_of(op->getOpOperands(), isPlain))
    return 0;
  int64_t length = llvm::divideCeil(extents[scan.loop], kMostPrograms / rows);
  return llvm::alignTo(length, kLeastLength);
}

namespace {
struct SplitScans : public carousel::impl::SplitScansBase<SplitScans> {
  using SplitScansBase::SplitScansBase;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops)
      if (std::optional<Scan> scan = findScan(op))
        if (int64_t length = findPartLength(op, *scan)) {
          ScanSplitter(op, std::move(*scan), length).write();
          ++split;
        }
  }
};
} // namespace
