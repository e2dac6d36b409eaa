//===- BatchedAccesses.cpp - memory that several programs access ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BatchedAccesses.h. A transfer gets a dimension for programs. Programs
// that don't execute it are masked.
//
//===----------------------------------------------------------------------===//

#include "BatchedAccesses.h"

#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// The body of several programs
//===----------------------------------------------------------------------===//

void BatchedBody::refuse(Operation *op, const Twine &why) {
  if (refusal.empty())
    refusal = ("'" + op->getName().getStringRef() + "' " + why).str();
}

VectorType BatchedBody::getType(Type type) const {
  SmallVector<int64_t> shape = {programs};
  if (auto vector = dyn_cast<VectorType>(type)) {
    llvm::append_range(shape, vector.getShape());
    type = vector.getElementType();
  }
  return VectorType::get(shape, type);
}

Value BatchedBody::broadcast(Location loc, Value vector, VectorType to) const {
  auto from = cast<VectorType>(vector.getType());
  if (from == to)
    return vector;
  SmallVector<int64_t> shape = {programs};
  shape.append(to.getRank() - from.getRank(), 1);
  llvm::append_range(shape, from.getShape().drop_front());
  auto padded = VectorType::get(shape, from.getElementType());
  if (padded != from)
    vector = vector::ShapeCastOp::create(builder, loc, padded, vector);
  if (padded == to)
    return vector;
  return vector::BroadcastOp::create(builder, loc, to, vector);
}

Value BatchedBody::broadcastAlong(Location loc, Value vector, unsigned dim,
                                  VectorType to) const {
  auto from = cast<VectorType>(vector.getType());
  SmallVector<int64_t> shape(to.getRank() - dim, 1);
  shape.front() = from.getDimSize(0);
  auto padded = VectorType::get(shape, from.getElementType());
  if (padded != from)
    vector = vector::ShapeCastOp::create(builder, loc, padded, vector);
  to = to.clone(from.getElementType());
  if (padded == to)
    return vector;
  return vector::BroadcastOp::create(builder, loc, to, vector);
}

Value BatchedBody::toVector(Location loc, Value value) const {
  if (Value known = vectors.lookup(value))
    return known;
  VectorType type = getType(value.getType());
  if (Value base = bases.lookup(value)) {
    Value steps = vector::StepOp::create(builder, loc, type);
    Value copies = vector::BroadcastOp::create(builder, loc, type, base);
    return arith::AddIOp::create(builder, loc, steps, copies);
  }
  Value common = uniform.lookup(value);
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(type, splat.getSplatValue<Attribute>()));
  if (auto copies = common.getDefiningOp<vector::BroadcastOp>())
    if (!isa<VectorType>(copies.getSourceType()))
      return vector::BroadcastOp::create(builder, loc, type,
                                         copies.getSource());
  if (auto mask = common.getDefiningOp<vector::CreateMaskOp>()) {
    SmallVector<Value> sizes = {makeIndex(loc, programs)};
    llvm::append_range(sizes, mask.getOperands());
    return vector::CreateMaskOp::create(builder, loc, type, sizes);
  }
  return vector::BroadcastOp::create(builder, loc, type, common);
}

SmallVector<Value> BatchedBody::toVectors(Location loc,
                                          ValueRange values) const {
  return llvm::map_to_vector(values,
                             [&](Value value) { return toVector(loc, value); });
}

Value BatchedBody::select(Location loc, Value mask, Value taken,
                          Value other) const {
  auto type = cast<VectorType>(taken.getType());
  return arith::SelectOp::create(
      builder, loc, broadcast(loc, mask, type.clone(builder.getI1Type())),
      taken, other);
}

Value BatchedBody::reduce(Location loc, Value numbers,
                          vector::CombiningKind kind) const {
  Type type = cast<VectorType>(numbers.getType()).getElementType();
  return vector::MultiDimReductionOp::create(
      builder, loc, numbers, makeZero(loc, type), ArrayRef(true), kind);
}

Value BatchedBody::isAny(Location loc, Value mask) const {
  Type i32 = builder.getI32Type();
  Value numbers = arith::ExtUIOp::create(builder, loc,
                                         VectorType::get(programs, i32), mask);
  Value any = reduce(loc, numbers, vector::CombiningKind::OR);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, any,
                               makeZero(loc, i32));
}

Value BatchedBody::findMost(Location loc, Value numbers) const {
  return reduce(loc, numbers, vector::CombiningKind::MAXSI);
}

Value BatchedBody::makeZero(Location loc, Type type) const {
  return arith::ConstantOp::create(builder, loc,
                                   cast<TypedAttr>(builder.getZeroAttr(type)));
}

Value BatchedBody::makeIndex(Location loc, int64_t number) const {
  return arith::ConstantIndexOp::create(builder, loc, number);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The memref's dimension along which programs have places beside each other.
std::optional<unsigned> BatchedAccesses::findProgramDim(Operation *op,
                                                        ValueRange indices) {
  std::optional<unsigned> found;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    bool isBase = body.bases.contains(index);
    if (body.vectors.contains(index) || (isBase && found)) {
      body.refuse(op, "has an index that isn't the program's plus a constant");
      return std::nullopt;
    }
    if (isBase)
      found = dim;
  }
  if (!found)
    body.refuse(op, "accesses the same elements in all programs");
  return found;
}

SmallVector<Value> BatchedAccesses::getIndices(ValueRange indices) {
  return llvm::map_to_vector(indices, [&](Value index) {
    Value base = body.bases.lookup(index);
    return base ? base : body.uniform.lookup(index);
  });
}

/// The permutation of a transfer with programs first; null if a dimension of
/// the vector goes along the programs' one.
AffineMap BatchedAccesses::getMap(Operation *op, AffineMap map, unsigned dim) {
  SmallVector<AffineExpr> results = {getAffineDimExpr(dim, op->getContext())};
  for (AffineExpr result : map.getResults()) {
    if (result == results.front()) {
      body.refuse(op, "goes along the dimension that counts programs");
      return {};
    }
    results.push_back(result);
  }
  return AffineMap::get(map.getNumDims(), 0, results, op->getContext());
}

ArrayAttr BatchedAccesses::getInBounds(VectorTransferOpInterface op) {
  SmallVector<bool> inBounds = {false};
  for (int64_t dim = 0; dim < op.getTransferRank(); ++dim)
    inBounds.push_back(op.isDimInBounds(dim));
  return builder.getBoolArrayAttr(inBounds);
}

AffineMapAttr BatchedAccesses::getElementMap(MemRefType type, unsigned dim) {
  return AffineMapAttr::get(AffineMap::get(
      type.getRank(), 0, getAffineDimExpr(dim, builder.getContext())));
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// A memref that ends elsewhere in each program has masks in its place.
void BatchedAccesses::batch(memref::SubViewOp op) {
  bool begins = op.getSourceType().getRank() == op.getType().getRank() &&
                llvm::all_of(op.getMixedOffsets(), [](OpFoldResult offset) {
                  return isConstantIntValue(offset, 0);
                });
  if (!begins || !op.hasUnitStride())
    return body.refuse(op, "begins elsewhere in each program");
  body.views[op] = op;
}

/// Finds the memref below such views.
Value BatchedAccesses::findMemRef(Value memref) {
  while (memref::SubViewOp view = body.views.lookup(memref))
    memref = view.getSource();
  return memref;
}

/// The number of elements that a transfer may access along a dimension of a
/// view: one, or a vector of those of all programs. Null if the view ends where
/// its memref does.
Value BatchedAccesses::getLimit(VectorTransferOpInterface op,
                                memref::SubViewOp view, unsigned dim) {
  Location loc = op.getLoc();
  OpFoldResult size = view.getMixedSizes()[dim];
  auto value = dyn_cast<Value>(size);
  auto extent = value ? value.getDefiningOp<memref::DimOp>() : memref::DimOp();
  if (extent && extent.getSource() == view.getSource() &&
      extent.getConstantIndex() == dim)
    return nullptr;
  Value index = op.getIndices()[dim];
  Value first = body.bases.lookup(index);
  if (!first)
    first = body.uniform.lookup(index);
  if (value && body.varies(value)) {
    Value sizes = body.toVector(loc, value);
    Value firsts =
        vector::BroadcastOp::create(builder, loc, sizes.getType(), first);
    return arith::SubIOp::create(builder, loc, sizes, firsts);
  }
  Value common = value ? body.uniform.lookup(value)
                       : body.makeIndex(loc, *getConstantIntValue(size));
  return arith::SubIOp::create(builder, loc, common, first);
}

/// The mask of a transfer by `map`, whose dimensions are in the order of the
/// memref's; null without one.
Value BatchedAccesses::getMask(VectorTransferOpInterface op, AffineMap map,
                               unsigned dim) {
  Location loc = op.getLoc();
  VectorType type =
      vector::inferTransferOpMaskType(body.getType(op.getVectorType()), map);
  Value all;
  auto require = [&](Value mask) {
    all =
        all ? arith::AndIOp::create(builder, loc, all, mask).getResult() : mask;
  };
  SmallVector<unsigned> dims; // of the memref, by those of the mask
  for (AffineExpr result : map.getResults())
    if (auto along = dyn_cast<AffineDimExpr>(result))
      dims.push_back(along.getPosition());
  llvm::sort(dims);
  unsigned programs = llvm::find(dims, dim) - dims.begin();
  if (body.mask)
    require(body.broadcastAlong(loc, body.mask, programs, type));
  VectorType numbers = type.clone(builder.getIndexType());
  Value memref = op.getBase();
  for (; memref::SubViewOp view = body.views.lookup(memref);
       memref = view.getSource())
    for (auto [position, along] : llvm::enumerate(dims)) {
      Value limit = getLimit(op, view, along);
      if (!limit)
        continue;
      Value at = vector::StepOp::create(
          builder, loc,
          VectorType::get(type.getDimSize(position), builder.getIndexType()));
      limit = isa<VectorType>(limit.getType())
                  ? body.broadcastAlong(loc, limit, programs, numbers)
                  : vector::BroadcastOp::create(builder, loc, numbers, limit)
                        .getResult();
      require(arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::slt,
          body.broadcastAlong(loc, at, position, numbers), limit));
    }
  if (op.getMask()) {
    Value own = body.toVector(loc, op.getMask());
    if (programs != 0) {
      SmallVector<int64_t> order(type.getRank());
      std::iota(order.begin(), order.end(), 0);
      order.erase(order.begin());
      order.insert(order.begin() + programs, 0);
      own = vector::TransposeOp::create(builder, loc, own, order);
    }
    require(own);
  }
  return all;
}

LaunchAttr BatchedAccesses::getLaunch() {
  return kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
}

Value BatchedAccesses::narrowMask(Operation *op, Value mask) {
  Location loc = op->getLoc();
  ExprAttr grid = getLaunch().getGrid().front();
  Value size;
  if (grid.getKind() == ExprKind::Constant) {
    size = body.makeIndex(loc, grid.getValue());
  } else if (grid.getKind() == ExprKind::Extent) {
    Value argument = kernel.getBody().front().getArgument(
        getArgumentPositions(kernel)[grid.getArgument()]);
    size = memref::DimOp::create(builder, loc, body.uniform.lookup(argument),
                                 grid.getValue());
  } else {
    body.refuse(op,
                "isn't the same in all programs, whose number isn't an extent");
    return nullptr;
  }
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value first = arith::MulIOp::create(builder, loc, block,
                                      body.makeIndex(loc, body.programs));
  Value rest = arith::SubIOp::create(builder, loc, size, first);
  auto type = VectorType::get(body.programs, builder.getI1Type());
  Value exist = vector::CreateMaskOp::create(builder, loc, type, rest);
  Value all = arith::AndIOp::create(builder, loc, mask, exist);
  if (body.mask)
    all = arith::AndIOp::create(builder, loc, all, body.mask);
  return all;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

void BatchedAccesses::batch(vector::TransferReadOp op) {
  if (isRowByIndex(op))
    return gather(op);
  std::optional<unsigned> dim = findProgramDim(op, op.getIndices());
  AffineMap map = dim ? getMap(op, op.getPermutationMap(), *dim) : AffineMap();
  if (!map)
    return;
  if (body.varies(op.getPadding()))
    return body.refuse(op, "has padding of its own in each program");
  body.vectors[op] = vector::TransferReadOp::create(
      builder, op.getLoc(), body.getType(op.getType()),
      body.uniform.lookup(findMemRef(op.getBase())),
      getIndices(op.getIndices()), AffineMapAttr::get(map),
      body.uniform.lookup(op.getPadding()), getMask(op, map, *dim),
      getInBounds(op));
}

void BatchedAccesses::batch(vector::TransferWriteOp op) {
  std::optional<unsigned> dim = findProgramDim(op, op.getIndices());
  AffineMap map = dim ? getMap(op, op.getPermutationMap(), *dim) : AffineMap();
  if (!map)
    return;
  requireExtent(op, op.getBase(), *dim);
  vector::TransferWriteOp::create(
      builder, op.getLoc(), body.toVector(op.getLoc(), op.getValueToStore()),
      body.uniform.lookup(findMemRef(op.getBase())),
      getIndices(op.getIndices()), AffineMapAttr::get(map),
      getMask(op, map, *dim), getInBounds(op));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Whether an access has places that programs don't have beside each other, and
/// distances from the memref's first element.
bool BatchedAccesses::isIndexed(Value memref, ValueRange indices) {
  SmallVector<int64_t> strides;
  int64_t first;
  auto type = cast<MemRefType>(memref.getType());
  return llvm::any_of(
             indices,
             [&](Value index) { return body.vectors.contains(index); }) &&
         !body.views.contains(memref) &&
         succeeded(type.getStridesAndOffset(strides, first)) &&
         strides.back() == 1;
}

bool BatchedAccesses::isRowByIndex(vector::TransferReadOp op) {
  return isIndexed(op.getBase(), op.getIndices()) &&
         !body.varies(op.getIndices().back()) && !op.getMask() &&
         !body.varies(op.getPadding()) && op.getVectorType().getRank() == 1 &&
         op.getPermutationMap().isMinorIdentity();
}

/// The distance of each program's element from the first one. Adds to `exist`
/// the programs whose indices are inside: one beyond the grid may have others.
Value BatchedAccesses::findPlaces(Location loc, Value memref,
                                  ValueRange indices, Value &exist) {
  auto type = VectorType::get(body.programs, builder.getIndexType());
  auto copies = [&](Value scalar) {
    return vector::BroadcastOp::create(builder, loc, type, scalar);
  };
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  exist = body.mask;
  Value places;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Value own = body.toVector(loc, index);
    if (body.varies(index)) {
      Value inside = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, own,
          copies(memref::DimOp::create(builder, loc, memref, dim)));
      exist =
          exist ? arith::AndIOp::create(builder, loc, exist, inside).getResult()
                : inside;
    }
    if (dim + 1 < indices.size())
      own = arith::MulIOp::create(builder, loc, own,
                                  copies(metadata.getStrides()[dim]));
    places = places
                 ? arith::AddIOp::create(builder, loc, places, own).getResult()
                 : own;
  }
  return places;
}

SmallVector<Value> BatchedAccesses::makeOffsets(Location loc, size_t count) {
  return SmallVector<Value>(count, body.makeIndex(loc, 0));
}

/// An element by an index of each program.
void BatchedAccesses::gather(memref::LoadOp op) {
  Location loc = op.getLoc();
  Value memref = body.uniform.lookup(op.getMemRef()), exist;
  Value places = findPlaces(loc, memref, op.getIndices(), exist);
  VectorType type = body.getType(op.getType());
  body.vectors[op] = vector::GatherOp::create(
      builder, loc, type, memref, makeOffsets(loc, op.getIndices().size()),
      places, exist, body.makeZero(loc, type));
}

/// A part of a row by an index of each program.
void BatchedAccesses::gather(vector::TransferReadOp op) {
  Location loc = op.getLoc();
  Value memref = body.uniform.lookup(op.getBase()), exist;
  Value places = findPlaces(loc, memref, op.getIndices(), exist);
  VectorType type = body.getType(op.getType());
  VectorType numbers = type.clone(builder.getIndexType());
  Value steps = vector::StepOp::create(
      builder, loc,
      VectorType::get(op.getVectorType().getShape(), builder.getIndexType()));
  Value columns = body.broadcastAlong(loc, steps, 1, numbers);
  Value mask =
      body.broadcastAlong(loc, exist, 0, type.clone(builder.getI1Type()));
  if (!op.isDimInBounds(0)) {
    int64_t last = op.getIndices().size() - 1;
    Value rest = arith::SubIOp::create(
        builder, loc, memref::DimOp::create(builder, loc, memref, last),
        body.uniform.lookup(op.getIndices().back()));
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, columns,
        vector::BroadcastOp::create(builder, loc, numbers, rest));
    mask = arith::AndIOp::create(builder, loc, inside, mask);
  }
  Value indices = arith::AddIOp::create(
      builder, loc, body.broadcastAlong(loc, places, 0, numbers), columns);
  body.vectors[op] = vector::GatherOp::create(
      builder, loc, type, memref, makeOffsets(loc, op.getIndices().size()),
      indices, mask,
      vector::BroadcastOp::create(builder, loc, type,
                                  body.uniform.lookup(op.getPadding())));
}

void BatchedAccesses::batch(memref::LoadOp op) {
  if (isIndexed(op.getMemRef(), op.getIndices()))
    return gather(op);
  std::optional<unsigned> dim = findProgramDim(op, op.getIndices());
  if (!dim)
    return;
  Location loc = op.getLoc();
  body.vectors[op] = vector::TransferReadOp::create(
      builder, loc, body.getType(op.getType()),
      body.uniform.lookup(findMemRef(op.getMemRef())),
      getIndices(op.getIndices()), getElementMap(op.getMemRefType(), *dim),
      body.makeZero(loc, op.getType()), body.mask,
      builder.getBoolArrayAttr(false));
}

void BatchedAccesses::batch(memref::StoreOp op) {
  std::optional<unsigned> dim = findProgramDim(op, op.getIndices());
  if (!dim)
    return;
  requireExtent(op, op.getMemRef(), *dim);
  vector::TransferWriteOp::create(
      builder, op.getLoc(), body.toVector(op.getLoc(), op.getValueToStore()),
      body.uniform.lookup(findMemRef(op.getMemRef())),
      getIndices(op.getIndices()), getElementMap(op.getMemRefType(), *dim),
      body.mask, builder.getBoolArrayAttr(false));
}

/// Programs beyond the grid, which the last CTA may have, find no place in the
/// memref, unless they are masked.
void BatchedAccesses::requireExtent(Operation *op, Value memref, unsigned dim) {
  if (body.mask)
    return;
  auto argument = dyn_cast<BlockArgument>(findMemRef(memref));
  LaunchAttr launch = getLaunch();
  SmallVector<unsigned> positions = getArgumentPositions(kernel);
  const auto *found =
      argument ? llvm::find(positions, argument.getArgNumber()) : nullptr;
  if (!argument || argument.getOwner()->getParentOp() != kernel ||
      found == positions.end())
    return body.refuse(op, "writes to a memref that isn't an argument");
  auto type = cast<MemRefType>(argument.getType());
  MLIRContext *context = kernel.getContext();
  auto make = [&](ExprKind kind, int64_t value, int64_t number) {
    return ExprAttr::get(context, kind, value, number, {}, {});
  };
  ExprAttr extent = type.isDynamicDim(dim)
                        ? make(ExprKind::Extent, dim, found - positions.begin())
                        : make(ExprKind::Constant, type.getDimSize(dim), 0);
  ExprAttr grid = launch.getGrid().front();
  if (extent == grid)
    return;
  guards.push_back(GuardAttr::get(context, GuardKind::Equal, /*argument=*/0,
                                  extent, grid, /*least=*/0, /*most=*/0));
}
