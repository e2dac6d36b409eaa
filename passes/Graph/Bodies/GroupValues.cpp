//===- GroupValues.cpp - vectors with dimensions of a group ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupValues.h.
//
//===----------------------------------------------------------------------===//

#include "GroupValues.h"

#include "../../Block/Kernels/NeutralElement.h"

#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/Utils/VectorUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

bool carousel::isNeutral(TypedAttr element, vector::CombiningKind kind) {
  // Sums may lose the sign of a zero.
  if (kind == vector::CombiningKind::ADD)
    return matchPattern(element, m_AnyZeroFloat()) ||
           matchPattern(element, m_Zero());
  OpBuilder builder(element.getContext());
  return element == getNeutralElement(builder, kind, element.getType());
}

Value GroupVectors::getBegin(unsigned position) {
  return begins[position] ? begins[position]
                          : arith::ConstantIndexOp::create(builder, loc, 0);
}

SmallVector<unsigned>
GroupVectors::findVectorDims(ArrayRef<unsigned> positions) const {
  SmallVector<unsigned> dims;
  for (unsigned position : positions)
    if (isVector(position))
      dims.push_back(position);
  llvm::sort(dims);
  dims.erase(llvm::unique(dims), dims.end());
  return dims;
}

Type GroupVectors::getType(Type element, ArrayRef<unsigned> dims) const {
  if (dims.empty())
    return element;
  SmallVector<int64_t> shape;
  for (unsigned dim : dims)
    shape.push_back(schedule.dims[dim].tile);
  return VectorType::get(shape, element);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value GroupVectors::createSplat(TypedAttr element, ArrayRef<unsigned> dims) {
  Type type = getType(element.getType(), dims);
  auto vector = dyn_cast<VectorType>(type);
  TypedAttr value =
      vector ? DenseElementsAttr::get(vector, Attribute(element)) : element;
  return arith::ConstantOp::create(builder, loc, value);
}

Value GroupVectors::expand(const GroupValue &value, ArrayRef<unsigned> dims) {
  if (ArrayRef(value.dims) == dims)
    return value.value;
  Type element = getElementTypeOrSelf(value.value);
  auto target = cast<VectorType>(getType(element, dims));
  Value from = value.value;
  if (!value.dims.empty() &&
      ArrayRef(value.dims) != dims.take_back(value.dims.size())) {
    // Extents of 1 where dimensions are added behind others.
    SmallVector<int64_t> shape;
    for (unsigned dim : dims)
      shape.push_back(
          llvm::is_contained(value.dims, dim) ? schedule.dims[dim].tile : 1);
    while (shape.front() == 1 && shape.size() > value.dims.size())
      shape.erase(shape.begin());
    from = vector::ShapeCastOp::create(builder, loc,
                                       VectorType::get(shape, element), from);
  }
  return vector::BroadcastOp::create(builder, loc, target, from);
}

GroupValue GroupVectors::createIndices(unsigned position) {
  if (!isVector(position))
    return {getBegin(position), {}, {}, {}};
  SmallVector<unsigned> dims = {position};
  auto type = cast<VectorType>(getType(builder.getIndexType(), dims));
  Value steps = vector::StepOp::create(builder, loc, type);
  if (begins[position])
    steps = arith::AddIOp::create(
        builder, loc, steps,
        vector::BroadcastOp::create(builder, loc, type, begins[position]));
  return {steps, dims, {}, getBegin(position)};
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value GroupVectors::createMask(ArrayRef<unsigned> dims) {
  SmallVector<Value> ends;
  SmallVector<int64_t> shape;
  for (unsigned dim : dims) {
    shape.push_back(schedule.dims[dim].tile);
    if (!isRagged(dim))
      ends.push_back(
          arith::ConstantIndexOp::create(builder, loc, shape.back()));
    else if (begins[dim])
      ends.push_back(
          arith::SubIOp::create(builder, loc, extents[dim], begins[dim]));
    else
      ends.push_back(extents[dim]);
  }
  return vector::CreateMaskOp::create(
      builder, loc, VectorType::get(shape, builder.getI1Type()), ends);
}

Value GroupVectors::maskReduced(const GroupValue &value, TypedAttr neutral) {
  // Elements behind the end of other dimensions aren't written.
  SmallVector<unsigned> open;
  for (unsigned dim : value.dims)
    if (schedule.dims[dim].isReduced && isRagged(dim))
      open.push_back(dim);
  if (open.empty() || value.padding == neutral)
    return value.value;
  Value mask = expand({createMask(open), open, {}}, value.dims);
  Value others = createSplat(neutral, value.dims);
  return arith::SelectOp::create(builder, loc, mask, value.value, others);
}

Value GroupVectors::maskReduced(const GroupValue &value,
                                vector::CombiningKind kind) {
  if (value.padding && isNeutral(value.padding, kind))
    return value.value;
  return maskReduced(
      value,
      getNeutralElement(builder, kind, getElementTypeOrSelf(value.value)));
}

GroupValue GroupVectors::reduce(const GroupValue &value,
                                ArrayRef<unsigned> summed,
                                vector::CombiningKind kind) {
  SmallVector<bool> isReduced;
  GroupValue result;
  for (unsigned dim : value.dims) {
    isReduced.push_back(llvm::is_contained(summed, dim));
    if (!isReduced.back())
      result.dims.push_back(dim);
  }
  if (!llvm::is_contained(isReduced, true))
    return {value.value, value.dims, {}};
  Type element = getElementTypeOrSelf(value.value);
  TypedAttr neutral = getNeutralElement(builder, kind, element);
  Value start = createSplat(neutral, result.dims);
  result.value = vector::MultiDimReductionOp::create(builder, loc, value.value,
                                                     start, isReduced, kind);
  return result;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

SmallVector<Value> GroupVectors::getIndices(ArrayRef<unsigned> positions) {
  return llvm::map_to_vector(
      positions, [&](unsigned position) { return getBegin(position); });
}

SmallVector<bool> GroupVectors::getInBounds(ArrayRef<unsigned> dims) const {
  return llvm::map_to_vector(dims,
                             [&](unsigned dim) { return !isRagged(dim); });
}

/// The dimensions of a memref that a vector has, as a permutation map.
static AffineMap getVectorMap(MLIRContext *context,
                              ArrayRef<unsigned> positions,
                              ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> exprs;
  for (unsigned dim : dims)
    exprs.push_back(getAffineDimExpr(
        llvm::find(positions, dim) - positions.begin(), context));
  return AffineMap::get(positions.size(), 0, exprs, context);
}

Value GroupVectors::readAsStored(Value memref, ArrayRef<unsigned> positions,
                                 TypedAttr padding) {
  SmallVector<unsigned> stored;
  for (unsigned position : positions)
    if (isVector(position))
      stored.push_back(position);
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  SmallVector<Value> indices = getIndices(positions);
  if (stored.empty())
    return memref::LoadOp::create(builder, loc, memref, indices);
  Value pad = arith::ConstantOp::create(builder, loc, padding);
  return vector::TransferReadOp::create(
      builder, loc, cast<VectorType>(getType(element, stored)), memref, indices,
      pad, getVectorMap(builder.getContext(), positions, stored),
      getInBounds(stored));
}

ArrayRef<unsigned> carousel::findBox(const GroupSchedule &schedule,
                                     ArrayRef<unsigned> positions) {
  constexpr size_t kMostDims = 4; // of vectors
  while (!positions.empty() && schedule.dims[positions.front()].tile == 1)
    positions = positions.drop_front();
  if (positions.size() > kMostDims || positions.empty() ||
      schedule.dims[positions.back()].tile == 1)
    return {};
  return positions;
}

/// The schedule of a memref in which a dimension is one with that before it.
static GroupSchedule joinDims(const GroupSchedule &schedule, unsigned few) {
  GroupSchedule joined = schedule;
  ScheduledDim &around = joined.dims[few - 1];
  joined.few = std::nullopt;
  around.tile *= schedule.dims[few].tile;
  around.extent *= schedule.dims[few].tile;
  return joined;
}

void GroupVectors::setJoinedBegins(GroupVectors &joined) {
  for (unsigned position = 0; position != begins.size(); ++position)
    joined.setBegin(position, begins[position]);
  unsigned around = *schedule.few - 1;
  Value count = arith::ConstantIndexOp::create(
      builder, loc, schedule.dims[*schedule.few].tile);
  joined.setBegin(around, builder.createOrFold<arith::MulIOp>(
                              loc, getBegin(around), count));
}

Value GroupVectors::readJoined(Value memref, ArrayRef<unsigned> positions,
                               unsigned joined, TypedAttr padding) {
  GroupSchedule ofMemRef = joinDims(schedule, positions[joined]);
  GroupVectors inner(builder, loc, ofMemRef);
  setJoinedBegins(inner);
  SmallVector<unsigned> rest(positions);
  rest.erase(rest.begin() + joined);
  Value read = inner.readBox(memref, rest, padding);
  SmallVector<int64_t> shape;
  for (unsigned position : positions)
    if (isVector(position))
      shape.push_back(schedule.dims[position].tile);
  auto type = VectorType::get(shape, getElementTypeOrSelf(read));
  return vector::ShapeCastOp::create(builder, loc, type, read);
}

Operation *GroupVectors::writeJoined(const GroupValue &value, Value memref,
                                     ArrayRef<unsigned> positions,
                                     unsigned joined) {
  unsigned few = positions[joined];
  GroupSchedule ofMemRef = joinDims(schedule, few);
  GroupVectors inner(builder, loc, ofMemRef);
  setJoinedBegins(inner);
  SmallVector<unsigned> rest(positions);
  rest.erase(rest.begin() + joined);
  GroupValue whole;
  SmallVector<unsigned> dims = findVectorDims(positions);
  GroupValue source = value;
  // A value without the few elements has each of its own several times in a
  // row. MLIR 22 folds the shape_cast of a broadcast to another dimension.
  if (!llvm::is_contained(source.dims, few)) {
    SmallVector<unsigned> single(dims);
    llvm::erase(single, few);
    Value repeated = expand(source, single);
    for (int64_t count = 1; count != schedule.dims[few].tile; count *= 2)
      repeated = vector::InterleaveOp::create(builder, loc, repeated, repeated);
    source.value = vector::ShapeCastOp::create(
        builder, loc,
        cast<VectorType>(getType(getElementTypeOrSelf(repeated), dims)),
        repeated);
    source.dims = dims;
  }
  Value all = expand(source, dims);
  whole.dims = inner.findVectorDims(rest);
  whole.value = vector::ShapeCastOp::create(
      builder, loc,
      cast<VectorType>(inner.getType(getElementTypeOrSelf(all), whole.dims)),
      all);
  return inner.write(whole, memref, rest);
}

Value GroupVectors::readBox(Value memref, ArrayRef<unsigned> positions,
                            TypedAttr padding) {
  if (std::optional<unsigned> joined = schedule.findJoined(positions))
    return readJoined(memref, positions, *joined, padding);
  ArrayRef<unsigned> box = findBox(schedule, positions);
  if (llvm::all_of(box, [&](unsigned position) { return isVector(position); }))
    return readAsStored(memref, positions, padding);
  SmallVector<int64_t> shape;
  SmallVector<bool> inBounds;
  SmallVector<unsigned> stored;
  for (unsigned position : box) {
    shape.push_back(schedule.dims[position].tile);
    inBounds.push_back(!isVector(position) || !isRagged(position));
    if (isVector(position))
      stored.push_back(position);
  }
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  Value read = vector::TransferReadOp::create(
      builder, loc, VectorType::get(shape, element), memref,
      getIndices(positions), arith::ConstantOp::create(builder, loc, padding),
      AffineMap::getMinorIdentityMap(positions.size(), shape.size(),
                                     builder.getContext()),
      inBounds);
  return vector::ShapeCastOp::create(
      builder, loc, cast<VectorType>(getType(element, stored)), read);
}

GroupValue GroupVectors::read(Value memref, ArrayRef<unsigned> positions,
                              TypedAttr padding) {
  GroupValue result;
  bool hasRing = schedule.family == ScheduleFamily::Contraction ||
                 schedule.family == ScheduleFamily::Stream;
  result.value = hasRing || schedule.few
                     ? readBox(memref, positions, padding)
                     : readAsStored(memref, positions, padding);
  result.dims = findVectorDims(positions);
  // Behind the end of each reduced dimension.
  bool hasAll = true;
  for (auto [position, dim] : llvm::enumerate(schedule.dims))
    if (dim.isReduced && isVector(position))
      hasAll &= llvm::is_contained(result.dims, position);
  if (hasAll)
    result.padding = padding;
  SmallVector<int64_t> permutation;
  for (unsigned dim : result.dims) {
    int64_t at = 0;
    for (unsigned position : positions) {
      if (position == dim)
        break;
      at += isVector(position);
    }
    permutation.push_back(at);
  }
  if (!llvm::is_sorted(permutation))
    result.value =
        vector::TransposeOp::create(builder, loc, result.value, permutation);
  return result;
}

/// The read of a vector of a table, of which `numbers` are the indices. A table
/// with more dimensions has one of rows for each of their elements.
static vector::TransferReadOp findTableRead(Value numbers) {
  auto index = numbers.getDefiningOp<arith::IndexCastOp>();
  auto read = index ? index.getIn().getDefiningOp<vector::TransferReadOp>()
                    : vector::TransferReadOp();
  if (!read || !isa<BlockArgument>(read.getBase()) ||
      !read.getPermutationMap().isMinorIdentity())
    return {};
  Type element = getElementTypeOrSelf(read.getBase());
  return element.isInteger(32) || element.isInteger(64)
             ? read
             : vector::TransferReadOp();
}

/// The row of a table at the indices before its last dimension.
static Value findRowTable(OpBuilder &builder, Location loc,
                          TypedValue<MemRefType> table, ValueRange indices) {
  unsigned rank = table.getType().getRank();
  if (rank == 1)
    return table;
  SmallVector<OpFoldResult> offsets(indices),
      sizes(rank, builder.getIndexAttr(1)),
      strides(rank, builder.getIndexAttr(1));
  offsets.push_back(builder.getIndexAttr(0));
  sizes.back() = memref::getMixedSize(builder, loc, table, rank - 1);
  int64_t rows = table.getType().getShape().back();
  MemRefType type = memref::SubViewOp::inferRankReducedResultType(
      rows, table.getType(), offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, type, table, offsets, sizes,
                                   strides);
}

std::optional<GroupValue> GroupVectors::readRows(Value memref,
                                                 ArrayRef<GroupValue> indices) {
  auto type = cast<MemRefType>(memref.getType());
  if (schedule.family != ScheduleFamily::Contraction || type.getRank() != 2 ||
      !isa<BlockArgument>(memref))
    return std::nullopt;
  const GroupValue &row = indices[0], &column = indices[1];
  vector::TransferReadOp table = findTableRead(row.value);
  if (!table || !column.first || row.dims.size() != 1 ||
      row.dims.front() >= column.dims.front() ||
      !schedule.dims[column.dims.front()].isReduced)
    return std::nullopt;
  GroupValue result;
  result.dims = {row.dims.front(), column.dims.front()};
  result.padding = cast<TypedAttr>(builder.getZeroAttr(type.getElementType()));
  Value rows = RowsOp::create(
      builder, loc, memref,
      findRowTable(builder, loc, cast<TypedValue<MemRefType>>(table.getBase()),
                   table.getIndices().drop_back()),
      ReductionAttr());
  Value zero = arith::ConstantOp::create(builder, loc, result.padding);
  // A number that isn't one of a row stands for a row behind the end.
  SmallVector<bool> inBounds = {false, !isRagged(result.dims[1])};
  result.value = vector::TransferReadOp::create(
      builder, loc,
      cast<VectorType>(getType(type.getElementType(), result.dims)), rows,
      {table.getIndices().back(), column.first}, zero,
      builder.getMultiDimIdentityMap(2), inBounds);
  return result;
}

GroupValue GroupVectors::readPages(Value memref, Value table,
                                   ValueRange ofTable,
                                   ArrayRef<GroupValue> indices, unsigned row) {
  auto type = cast<MemRefType>(memref.getType());
  Type element = type.getElementType();
  Value pages = RowsOp::create(
      builder, loc, memref,
      findRowTable(builder, loc, cast<TypedValue<MemRefType>>(table), ofTable),
      ReductionAttr());
  // A tile begins at a page, or is a part of one.
  int64_t rows = type.getDimSize(row + 1),
          tile = schedule.dims[indices[row].dims.front()].tile;
  Value ofPage = arith::ConstantIndexOp::create(builder, loc, rows);
  SmallVector<Value> begins = {
      arith::DivUIOp::create(builder, loc, indices[row].first, ofPage)};
  SmallVector<int64_t> box = {std::max<int64_t>(tile / rows, 1)};
  SmallVector<bool> inBounds = {false};
  SmallVector<unsigned> stored;
  for (auto [at, index] : llvm::enumerate(indices)) {
    bool isVector = !index.dims.empty(), isRow = at == row;
    Value begin = isVector ? index.first : index.value;
    if (isRow)
      begin =
          tile < rows
              ? arith::RemUIOp::create(builder, loc, begin, ofPage).getResult()
              : arith::ConstantIndexOp::create(builder, loc, 0).getResult();
    begins.push_back(begin);
    int64_t extent = isVector ? schedule.dims[index.dims.front()].tile : 1;
    box.push_back(isRow ? std::min(extent, rows) : extent);
    inBounds.push_back(isRow || !isVector || !isRagged(index.dims.front()));
    if (isVector)
      stored.push_back(index.dims.front());
  }
  GroupValue result;
  result.padding = cast<TypedAttr>(builder.getZeroAttr(element));
  Value zero = arith::ConstantOp::create(builder, loc, result.padding);
  Value read = vector::TransferReadOp::create(
      builder, loc, VectorType::get(box, element), pages, begins, zero,
      builder.getMultiDimIdentityMap(box.size()), inBounds);
  result.value = vector::ShapeCastOp::create(
      builder, loc, cast<VectorType>(getType(element, stored)), read);
  result.dims = findVectorDims(stored);
  if (result.dims != stored) {
    SmallVector<int64_t> order;
    for (unsigned dim : result.dims)
      order.push_back(llvm::find(stored, dim) - stored.begin());
    result.value =
        vector::TransposeOp::create(builder, loc, result.value, order);
  }
  return result;
}

Operation *GroupVectors::write(const GroupValue &value, Value memref,
                               ArrayRef<unsigned> positions) {
  if (std::optional<unsigned> joined = schedule.findJoined(positions))
    return writeJoined(value, memref, positions, *joined);
  SmallVector<unsigned> stored;
  SmallVector<int64_t> permutation;
  SmallVector<unsigned> dims = findVectorDims(positions);
  for (unsigned position : positions)
    if (isVector(position)) {
      stored.push_back(position);
      permutation.push_back(llvm::find(dims, position) - dims.begin());
    }
  Value vector = expand(value, dims);
  SmallVector<Value> indices = getIndices(positions);
  if (stored.empty())
    return memref::StoreOp::create(builder, loc, vector, memref, indices);
  if (!llvm::is_sorted(permutation))
    vector = vector::TransposeOp::create(builder, loc, vector, permutation);
  return vector::TransferWriteOp::create(
      builder, loc, vector, memref, indices,
      getVectorMap(builder.getContext(), positions, stored),
      getInBounds(stored));
}
