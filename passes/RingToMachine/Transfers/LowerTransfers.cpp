//===- LowerTransfers.cpp - boxes, bounds and single elements -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common parts of all engines' copies: the position of a box, the part of
// it that is inside, and element copies by one thread where no engine can copy.
//
//===----------------------------------------------------------------------===//

#include "LowerTransfers.h"

#include "../../Ring/CutStores.h"

#include "../../Ring/TilePermutation.h"

#include "carousel/Dialect/IR/FillValue.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Arithmetic that folds
//===----------------------------------------------------------------------===//

Value carousel::createConstant(ImplicitLocOpBuilder &b, Type type,
                               int64_t value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

Value carousel::createCast(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return b.createOrFold<arith::IndexCastOp>(type, value);
}

Value carousel::createCompare(ImplicitLocOpBuilder &b,
                              arith::CmpIPredicate predicate, Value lhs,
                              Value rhs) {
  return b.createOrFold<arith::CmpIOp>(predicate, lhs, rhs);
}

Value carousel::createAnd(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return b.createOrFold<arith::AndIOp>(lhs, rhs);
}

SmallVector<Value> carousel::createDelinearized(ImplicitLocOpBuilder &b,
                                                Value linear,
                                                ArrayRef<int64_t> extents) {
  SmallVector<Value> positions(extents.size());
  Value zero;
  // The outermost dimension takes what is left.
  unsigned outermost = 0;
  while (outermost + 1 < extents.size() && extents[outermost] == 1)
    ++outermost;
  for (unsigned dim = extents.size(); dim-- > 0;) {
    if (extents[dim] == 1 && dim != outermost) {
      if (!zero)
        zero = createConstant(b, linear.getType(), 0);
      positions[dim] = zero;
      continue;
    }
    if (dim == outermost) {
      positions[dim] = linear;
      continue;
    }
    positions[dim] = createFolded<arith::RemUIOp>(b, linear, extents[dim]);
    linear = createFolded<arith::DivUIOp>(b, linear, extents[dim]);
  }
  return positions;
}

scf::ForOp carousel::createLoop(ImplicitLocOpBuilder &b, Value begin, Value end,
                                function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, begin, end, createIndex(b, 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
  return loop;
}

void carousel::createLoop(ImplicitLocOpBuilder &b, int64_t count,
                          function_ref<void(Value)> body) {
  // Straight-line code where it stays short.
  constexpr int64_t kUnrolled = 4;
  if (count > kUnrolled) {
    createLoop(b, createIndex(b, 0), createIndex(b, count), body);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    body(createIndex(b, i));
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

BoxValues carousel::createBoxValues(ImplicitLocOpBuilder &b,
                                    const TransferIssue &issue) {
  TransferOpInterface op = issue.op;
  const TransferShape &shape = *issue.shape;
  BoxValues box;
  box.rows = getRows(op);
  box.global = box.rows ? box.rows.getSource() : op.getGlobal();
  box.tile = op.getTile();
  for (auto [group, dim] : llvm::zip_equal(shape.globalGroups, shape.dims)) {
    Value begin = op.getOffsets()[group.front()];
    box.begins.push_back(createFolded<arith::MulIOp>(b, begin, dim.inner));
    if (!dim.mayEndBehind) {
      box.ends.emplace_back();
      continue;
    }
    Value extent = b.createOrFold<memref::DimOp>(box.global, group.front());
    box.ends.push_back(createFolded<arith::MulIOp>(b, extent, dim.inner));
  }
  if (shape.isCollapsed()) {
    box.global =
        memref::CollapseShapeOp::create(b, box.global, shape.globalGroups);
    box.tile = memref::CollapseShapeOp::create(b, box.tile, shape.tileGroups);
  }
  // A memref that is known to be smaller than a copy would be refused, though
  // the copy that is too long is never made.
  auto type = cast<MemRefType>(box.global.getType());
  bool isTooSmall = llvm::any_of(
      llvm::zip_equal(type.getShape(), shape.dims), [](const auto &pair) {
        const auto &[extent, dim] = pair;
        return !ShapedType::isDynamic(extent) && extent < dim.extent;
      });
  if (isTooSmall) {
    SmallVector<int64_t> open(type.getRank(), ShapedType::kDynamic);
    MemRefType unknown = MemRefType::Builder(type).setShape(open);
    box.global = memref::CastOp::create(b, unknown, box.global);
  }
  return box;
}

Value carousel::createRow(ImplicitLocOpBuilder &b, const TransferShape &shape,
                          const BoxValues &box, ValueRange positions) {
  Value position = box.begins.front();
  if (shape.leading == 0)
    position = createFolded<arith::AddIOp>(b, position, positions.front());
  return createRowNumber(b, box.rows, position);
}

BoxValues carousel::createRowBox(ImplicitLocOpBuilder &b,
                                 const TransferShape &shape,
                                 const BoxValues &box, ValueRange positions) {
  if (!box.rows)
    return box;
  BoxValues own = box;
  Value number = box.row;
  if (!number)
    number = createRow(b, shape, box, positions);
  own.begins.front() =
      shape.leading > 0
          ? number
          : createFolded<arith::SubIOp>(b, number, positions.front());
  // Rows that don't exist have negative numbers.
  own.ends.front() = Value();
  return own;
}

bool carousel::mayCutPieces(TransferOpInterface op, const TransferShape &shape,
                            int64_t elements) {
  const BoxDim &dim = shape.dims.back();
  if (dim.inner % elements == 0 || (!dim.mayBeginBefore && !dim.mayEndBehind))
    return false;
  if (shape.innerDivisor % elements != 0)
    return true;
  int64_t extent =
      op.getGlobal().getType().getDimSize(shape.globalGroups.back().front());
  return dim.mayEndBehind &&
         (ShapedType::isDynamic(extent) || extent * dim.inner % elements != 0);
}

/// Whether `extent` elements from `position` on are inside, in one dimension.
static Value createIsDimInside(ImplicitLocOpBuilder &b, const BoxDim &dim,
                               Value position, Value end, int64_t extent) {
  Value inside;
  if (dim.mayBeginBefore)
    inside = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, position,
                                           createIndex(b, 0));
  if (dim.mayEndBehind && end) {
    Value last = createFolded<arith::AddIOp>(b, position, extent);
    inside = createAnd(
        b, inside,
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sle, last, end));
  }
  return inside;
}

Value carousel::createIsInside(ImplicitLocOpBuilder &b,
                               const TransferIssue &issue) {
  // Tensor copies know their bounds by themselves.
  if (issue.shape->isInside() ||
      issue.op.getEngineAttr().getKind() == EngineKind::Tensor)
    return {};
  BoxValues box = createBoxValues(b, issue);
  Value inside;
  for (auto [dim, begin, end] :
       llvm::zip_equal(issue.shape->dims, box.begins, box.ends))
    inside =
        createAnd(b, inside, createIsDimInside(b, dim, begin, end, dim.extent));
  return inside;
}

Value carousel::createIsRowInside(ImplicitLocOpBuilder &b,
                                  const TransferShape &shape,
                                  const BoxValues &box, ValueRange positions) {
  Value inside;
  for (unsigned i = 0, e = shape.dims.size() - 1; i < e; ++i) {
    Value position = box.begins[i];
    if (i >= shape.leading)
      position = createFolded<arith::AddIOp>(b, position,
                                             positions[i - shape.leading]);
    inside = createAnd(
        b, inside,
        createIsDimInside(b, shape.dims[i], position, box.ends[i], 1));
  }
  return inside;
}

SmallVector<Value> carousel::createRowPositions(ImplicitLocOpBuilder &b,
                                                const TransferShape &shape,
                                                Value row) {
  SmallVector<int64_t> extents;
  for (const BoxDim &dim :
       ArrayRef(shape.dims).drop_front(shape.leading).drop_back())
    extents.push_back(dim.extent);
  SmallVector<Value> positions = createDelinearized(b, row, extents);
  positions.push_back(createIndex(b, 0));
  return positions;
}

SmallVector<Value> carousel::createGlobalIndices(ImplicitLocOpBuilder &b,
                                                 const BoxValues &box,
                                                 unsigned leading,
                                                 ValueRange positions) {
  SmallVector<Value> indices(ArrayRef(box.begins).take_front(leading));
  for (auto [begin, position] :
       llvm::zip_equal(ArrayRef(box.begins).drop_front(leading), positions))
    indices.push_back(createFolded<arith::AddIOp>(b, begin, position));
  return indices;
}

static Value createLinearized(ImplicitLocOpBuilder &b, ValueRange positions,
                              ArrayRef<int64_t> extents) {
  Value linear = createIndex(b, 0);
  for (auto [position, extent] : llvm::zip_equal(positions, extents)) {
    linear = createFolded<arith::MulIOp>(b, linear, extent);
    linear = createFolded<arith::AddIOp>(b, linear, position);
  }
  return linear;
}

SmallVector<Value> carousel::createTileIndices(ImplicitLocOpBuilder &b,
                                               const TransferIssue &issue,
                                               const BoxValues &box,
                                               ValueRange positions) {
  Swizzle swizzle = getTileSwizzle(issue.op);
  if (swizzle == Swizzle::None)
    return SmallVector<Value>(positions);
  MemRefType tile = issue.op.getTile().getType();
  TilePermutation permutation(b, b.getLoc(), tile, swizzle);
  if (!issue.shape->isCollapsed())
    return permutation.apply(positions);
  // The permutation is that of the tile's own rows.
  ArrayRef<int64_t> groups = cast<MemRefType>(box.tile.getType()).getShape();
  SmallVector<Value> place = permutation.apply(createDelinearized(
      b, createLinearized(b, positions, groups), tile.getShape()));
  return createDelinearized(b, createLinearized(b, place, tile.getShape()),
                            groups);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value carousel::createFill(ImplicitLocOpBuilder &b, RingLoadOp load,
                           Type type) {
  Type element = load.getTile().getType().getElementType();
  TypedAttr fill =
      getFillConstant(load.getFill(), load.getFillValueAttr(), element);
  if (auto vector = dyn_cast<VectorType>(type))
    fill = SplatElementsAttr::get(vector, fill);
  return arith::ConstantOp::create(b, fill);
}

Value carousel::createRounded(ImplicitLocOpBuilder &b, TransferOpInterface op,
                              Value value) {
  auto load = dyn_cast<RingLoadOp>(op.getOperation());
  if (!load || !load.getRoundTf32())
    return value;
  return RoundTF32Op::create(b, value);
}

void carousel::copyElement(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                           const BoxValues &box, ValueRange positions,
                           Value isInside) {
  SmallVector<Value> indices =
      createGlobalIndices(b, box, issue.shape->leading, positions);
  SmallVector<Value> place = createTileIndices(b, issue, box, positions);
  if (auto load = dyn_cast<RingLoadOp>(issue.op.getOperation())) {
    auto loadElement = [&](ImplicitLocOpBuilder &at) -> Value {
      Value loaded = memref::LoadOp::create(at, box.global, indices);
      if (!load.getReduceAttr())
        return createRounded(at, load, loaded);
      Value other = memref::LoadOp::create(at, box.tile, place);
      return createCombined(at, load.getReduceAttr(), loaded, other);
    };
    Type type = load.getTile().getType().getElementType();
    Value value;
    if (isInside) {
      auto branch = scf::IfOp::create(
          b, isInside,
          [&](OpBuilder &nested, Location loc) {
            ImplicitLocOpBuilder inner(loc, nested);
            scf::YieldOp::create(nested, loc, loadElement(inner));
          },
          [&](OpBuilder &nested, Location loc) {
            ImplicitLocOpBuilder inner(loc, nested);
            scf::YieldOp::create(nested, loc, createFill(inner, load, type));
          });
      value = branch.getResult(0);
    } else {
      value = loadElement(b);
    }
    memref::StoreOp::create(b, value, box.tile, place);
    return;
  }
  auto store = cast<RingStoreOp>(issue.op.getOperation());
  createIf(b, isInside, [&] {
    Value value = memref::LoadOp::create(b, box.tile, place);
    ReductionAttr reduce = store.getReduceAttr();
    if (!reduce) {
      memref::StoreOp::create(b, value, box.global, indices);
      return;
    }
    if (!store.getExclusive())
      return createAtomicReduction(b, reduce, value, box.global, indices);
    Value other = memref::LoadOp::create(b, box.global, indices);
    memref::StoreOp::create(b, createCombined(b, reduce, other, value),
                            box.global, indices);
  });
}

/// Copies a piece of `type` of which a part is inside: some of its elements
/// from `first` (null: 0) to before `end` (null: all), indices in the piece.
/// Global memory is read at once: what is outside stands for the element next
/// to it that is inside.
static void copyPart(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                     const BoxValues &box, ValueRange place,
                     ValueRange globalIndices, VectorType type, Value first,
                     Value end) {
  auto load = dyn_cast<RingLoadOp>(issue.op.getOperation());
  ReductionAttr reduce = getReduction(issue.op);
  int64_t elements = type.getNumElements();
  llvm::MaybeAlign width(elements * issue.shape->elementBytes);
  auto getIndices = [&](Value shift) {
    SmallVector<Value> indices(globalIndices);
    indices.back() = createFolded<arith::AddIOp>(b, indices.back(), shift);
    return indices;
  };
  Value last;
  if (end)
    last = createFolded<arith::SubIOp>(b, end, 1);
  SmallVector<Value> isInside, values;
  for (int64_t i = 0; i < elements; ++i) {
    Value number = createIndex(b, i), nearest = number;
    if (last)
      nearest = createFolded<arith::MinSIOp>(b, nearest, last);
    if (first)
      nearest = createFolded<arith::MaxSIOp>(b, nearest, first);
    isInside.push_back(b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                                     nearest, number));
    if (load || reduce)
      values.push_back(
          memref::LoadOp::create(b, box.global, getIndices(nearest)));
  }
  Value piece;
  if (!load || reduce)
    piece = vector::LoadOp::create(b, type, box.tile, place,
                                   /*nontemporal=*/false, width);
  if (load) {
    Value fill = createFill(b, load, type.getElementType());
    for (auto [i, value, inside] : llvm::enumerate(values, isInside)) {
      if (reduce)
        value = createCombined(b, reduce, value,
                               vector::ExtractOp::create(b, piece, i));
      value = arith::SelectOp::create(b, inside, value, fill);
    }
    Value whole = vector::FromElementsOp::create(b, type, values);
    vector::StoreOp::create(b, createRounded(b, load, whole), box.tile, place,
                            /*nontemporal=*/false, width);
    return;
  }
  if (end && !first && !reduce)
    return createCutStore(b, piece, end, box.global, globalIndices,
                          width->value());
  for (int64_t i = 0; i < elements; ++i)
    createIf(b, isInside[i], [&] {
      Value value = vector::ExtractOp::create(b, piece, i);
      if (reduce)
        value = createCombined(b, reduce, values[i], value);
      memref::StoreOp::create(b, value, box.global,
                              getIndices(createIndex(b, i)));
    });
}

void carousel::copyCutPiece(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                            const BoxValues &box, ValueRange positions,
                            int64_t elements, Value isRowInside) {
  const TransferShape &shape = *issue.shape;
  const BoxDim &dim = shape.dims.back();
  auto load = dyn_cast<RingLoadOp>(issue.op.getOperation());
  auto type = VectorType::get({elements},
                              issue.op.getTile().getType().getElementType());
  SmallVector<Value> place = createTileIndices(b, issue, box, positions);
  auto fill = [&] {
    if (load)
      vector::StoreOp::create(b, createFill(b, load, type), box.tile, place,
                              /*nontemporal=*/false,
                              llvm::MaybeAlign(elements * shape.elementBytes));
  };
  SmallVector<Value> indices =
      createGlobalIndices(b, box, shape.leading, positions);
  Value begin = indices.back(), zero = createIndex(b, 0);
  Value first, end, some = isRowInside;
  auto require = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    some =
        createAnd(b, some, b.createOrFold<arith::CmpIOp>(predicate, lhs, rhs));
  };
  if (dim.mayBeginBefore) {
    first = createFolded<arith::MaxSIOp>(
        b, createFolded<arith::SubIOp>(b, zero, begin), zero);
    require(arith::CmpIPredicate::slt, first, createIndex(b, elements));
  }
  if (dim.mayEndBehind) {
    end = createFolded<arith::MinSIOp>(
        b, createFolded<arith::SubIOp>(b, box.ends.back(), begin),
        createIndex(b, elements));
    require(arith::CmpIPredicate::sgt, end, first ? first : zero);
  }
  createIf(
      b, some,
      [&] { copyPart(b, issue, box, place, indices, type, first, end); },
      load ? function_ref<void()>(fill) : nullptr);
}
