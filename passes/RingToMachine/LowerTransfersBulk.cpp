//===- LowerTransfersBulk.cpp - bulk and tensor copies of a box -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copies that one thread issues for its scope. A bulk copy moves the whole
// granules that are inside the global memref. The rest of a row, less than a
// granule, is copied element by element. The part of a load's box that is
// outside is filled by whole granules. For loads, the warp of the issuing
// thread does both. If engines access the same bytes later, a fence orders
// these accesses.
//
//===----------------------------------------------------------------------===//

#include "LoopAnnotations.h"
#include "LowerTransfers.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

/// Elements of a granule of bulk copies.
static int64_t getGranule(const TransferShape &shape) {
  return rules::kBulkGranule / shape.elementBytes;
}

/// Elements of a row that a bulk copy can move.
static int64_t getRowPrefix(const TransferShape &shape) {
  return llvm::alignDown(shape.getRowElements(), getGranule(shape));
}

int64_t carousel::getTensorBoxes(TransferOpInterface op) {
  return op.getTileBytes() / op.getMap().getType().getBoxBytes();
}

int64_t carousel::getWholeBytes(const TransferIssue &issue) {
  // Elements that a tensor copy fills count as well.
  if (issue.op.getEngineAttr().getKind() == EngineKind::Tensor)
    return getTensorBoxes(issue.op) * issue.op.getMap().getType().getBoxBytes();
  const TransferShape &shape = *issue.shape;
  return shape.getRows() * getRowPrefix(shape) * shape.elementBytes;
}

bool carousel::hasRowEnds(const TransferIssue &issue) {
  return issue.op.getEngineAttr().getKind() == EngineKind::Bulk &&
         issue.shape->hasRowEnds();
}

void carousel::orderEnds(ImplicitLocOpBuilder &b,
                         ArrayRef<TransferIssue> issues, bool isClipped) {
  for (const TransferIssue &issue : issues) {
    bool isBulk = issue.op.getEngineAttr().getKind() == EngineKind::Bulk;
    bool copiesElements = isBulk && (hasRowEnds(issue) ||
                                     (isClipped && !issue.shape->isInside()));
    if (!copiesElements || !issue.ordersEnds)
      continue;
    // One fence for all: they are loads, or one store.
    FenceProxyOp::create(b, issue.op.isLoad() ? ProxyKind::AsyncSharedCTA
                                              : ProxyKind::AsyncGlobal);
    return;
  }
}

//===----------------------------------------------------------------------===//
// Bulk
//===----------------------------------------------------------------------===//

/// Issues the copy of `bytes` (an i32, or a literal) of a row.
static void issueRow(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                     const BoxValues &box, ArrayRef<Value> positions,
                     Value bytes, IntegerAttr literal) {
  SmallVector<Value> indices =
      createGlobalIndices(b, box, issue.shape->leading, positions);
  auto store = dyn_cast<RingStoreOp>(issue.op.getOperation());
  if (!store)
    BulkLoadOp::create(b, box.global, indices, box.tile, positions, bytes,
                       literal, issue.full.barriers, issue.full.indices,
                       /*multicast_mask=*/Value(), issue.policy);
  else if (ReductionAttr reduce = store.getReduceAttr())
    BulkReduceOp::create(b, reduce.getKind(), reduce.getType(), box.tile,
                         positions, box.global, indices, bytes, literal,
                         issue.policy);
  else
    BulkStoreOp::create(b, box.tile, positions, box.global, indices, bytes,
                        literal, /*byte_mask=*/Value(), issue.policy);
}

/// Positions of the rows, with the innermost one zero.
static void forEachRow(ImplicitLocOpBuilder &b, const TransferShape &shape,
                       function_ref<void(SmallVector<Value> &positions)> body) {
  SmallVector<int64_t> extents;
  for (const BoxDim &dim :
       ArrayRef(shape.dims).drop_front(shape.leading).drop_back())
    extents.push_back(dim.extent);
  createLoop(b, shape.getRows(), [&](Value row) {
    SmallVector<Value> positions = createDelinearized(b, row, extents);
    positions.push_back(createIndex(b, 0));
    body(positions);
  });
}

static void issueBulkWhole(ImplicitLocOpBuilder &b,
                           const TransferIssue &issue) {
  const TransferShape &shape = *issue.shape;
  int64_t prefix = getRowPrefix(shape);
  BoxValues box = createBoxValues(b, issue);
  forEachRow(b, shape, [&](SmallVector<Value> &positions) {
    if (prefix > 0)
      issueRow(b, issue, box, positions, Value(),
               b.getI32IntegerAttr(prefix * shape.elementBytes));
    for (int64_t i = prefix, e = shape.getRowElements(); i < e; ++i) {
      positions.back() = createIndex(b, i);
      copyElement(b, issue, box, positions, /*isInside=*/Value());
    }
  });
}

/// How many of a row's elements are inside, counted from its begin; 0 if it
/// begins before its memref.
static Value createRowCount(ImplicitLocOpBuilder &b, const TransferShape &shape,
                            const BoxValues &box, Value isRowInside) {
  const BoxDim &dim = shape.dims.back();
  Value begin = box.begins.back(), zero = createIndex(b, 0);
  Value count = createIndex(b, dim.extent);
  if (dim.mayEndBehind) {
    Value rest = createFolded<arith::SubIOp>(b, box.ends.back(), begin);
    count = createFolded<arith::MinSIOp>(b, rest, count);
    count = createFolded<arith::MaxSIOp>(b, count, zero);
  }
  Value isInside = isRowInside;
  if (dim.mayBeginBefore)
    isInside = createAnd(
        b, isInside,
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, begin, zero));
  if (!isInside)
    return count;
  return b.createOrFold<arith::SelectOp>(isInside, count, zero);
}

/// Whether the element at the innermost `position` of a row is inside.
static Value createIsElementInside(ImplicitLocOpBuilder &b,
                                   const TransferShape &shape,
                                   const BoxValues &box, Value position,
                                   Value isRowInside) {
  const BoxDim &dim = shape.dims.back();
  Value at = createFolded<arith::AddIOp>(b, box.begins.back(), position);
  Value inside = isRowInside;
  if (dim.mayBeginBefore)
    inside = createAnd(b, inside,
                       b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge,
                                                     at, createIndex(b, 0)));
  if (dim.mayEndBehind)
    inside = createAnd(b, inside,
                       b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                                     at, box.ends.back()));
  return inside;
}

/// A loop over this thread's part of what begins at `begin`, by `size` elements
/// at a time: consecutive threads take consecutive ones.
static void forEachOfThread(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                            Value begin, Value end, int64_t size,
                            function_ref<void(Value)> body) {
  int64_t step = size;
  if (issue.thread) {
    Value thread = createCast(b, issue.thread, b.getIndexType());
    begin = createFolded<arith::AddIOp>(
        b, begin, createFolded<arith::MulIOp>(b, thread, size));
    step *= issue.threads;
  }
  auto loop = scf::ForOp::create(b, begin, end, createIndex(b, step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
  // A few turns in a grid's last tile: copies of it would only be in the way.
  forbidUnrolling(loop);
}

/// What no engine copies of a row, of which the first `count` elements are
/// inside, and a bulk copy makes the first `prefix`: less than a granule that
/// is inside, and all that is outside.
static void fillRow(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                    const BoxValues &box, SmallVector<Value> positions,
                    Value isRowInside, Value prefix, Value count) {
  const TransferShape &shape = *issue.shape;
  auto load = cast<RingLoadOp>(issue.op.getOperation());
  Type element = load.getTile().getType().getElementType();
  int64_t granule = getGranule(shape), row = shape.getRowElements();
  int64_t whole = getRowPrefix(shape);
  // Where the box begins before its memref, what is inside may be anywhere.
  Value edge = createIndex(b, row);
  if (!shape.dims.back().mayBeginBefore && whole > 0) {
    edge = createFolded<arith::AndIOp>(
        b, createFolded<arith::AddIOp>(b, count, granule - 1), -granule);
    if (whole < row)
      edge = createFolded<arith::MinSIOp>(b, edge, createIndex(b, row));
  }
  forEachOfThread(b, issue, prefix, edge, 1, [&](Value position) {
    positions.back() = position;
    copyElement(b, issue, box, positions,
                createIsElementInside(b, shape, box, position, isRowInside));
  });
  if (whole == 0)
    return;
  auto type = VectorType::get({granule}, element);
  Value fill = createFill(b, load, type);
  forEachOfThread(
      b, issue, edge, createIndex(b, whole), granule, [&](Value position) {
        positions.back() = position;
        vector::StoreOp::create(b, fill, box.tile, positions,
                                /*nontemporal=*/false,
                                llvm::MaybeAlign(rules::kBulkGranule));
      });
  if (whole == row)
    return;
  Value rest = createFolded<arith::MaxSIOp>(b, edge, createIndex(b, whole));
  Value single = createFill(b, load, element);
  forEachOfThread(b, issue, rest, createIndex(b, row), 1, [&](Value position) {
    positions.back() = position;
    memref::StoreOp::create(b, single, box.tile, positions);
  });
}

static void issueBulkClipped(ImplicitLocOpBuilder &b,
                             const TransferIssue &issue) {
  const TransferShape &shape = *issue.shape;
  BoxValues box = createBoxValues(b, issue);
  bool isLoad = issue.op.isLoad();
  forEachRow(b, shape, [&](SmallVector<Value> &positions) {
    Value isRowInside =
        createIsRowInside(b, shape, box, ArrayRef(positions).drop_back());
    Value count = createRowCount(b, shape, box, isRowInside);
    Value prefix = createFolded<arith::AndIOp>(b, count, -getGranule(shape));
    Value some = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sgt,
                                               prefix, createIndex(b, 0));
    createIf(b, createAnd(b, issue.leader, some), [&] {
      Value bytes = createCast(
          b, createFolded<arith::MulIOp>(b, prefix, shape.elementBytes),
          b.getI32Type());
      if (isLoad)
        MbarrierExpectTxOp::create(b, issue.full.barriers, issue.full.indices,
                                   bytes, /*static_bytes=*/IntegerAttr());
      issueRow(b, issue, box, positions, bytes, IntegerAttr());
    });
    if (isLoad)
      return fillRow(b, issue, box, positions, isRowInside, prefix, count);
    scf::ForOp rest = createLoop(b, prefix, count, [&](Value position) {
      positions.back() = position;
      copyElement(b, issue, box, positions, /*isInside=*/Value());
    });
    forbidUnrolling(rest);
  });
}

bool carousel::mayFill(TransferOpInterface op, const TransferShape &shape) {
  return op.isLoad() && op.getEngineAttr().getKind() == EngineKind::Bulk &&
         !shape.isInside();
}

//===----------------------------------------------------------------------===//
// Tensor
//===----------------------------------------------------------------------===//

/// The tile of a ring's slot with elements as wide as the map's, in one
/// dimension.
static Value createWideTile(ImplicitLocOpBuilder &b, Value tile,
                            TensorMapType map, int64_t bytes) {
  // C164
  auto view = tile.getDefiningOp<memref::ViewOp>();
  auto type = MemRefType::get({bytes * 8 / map.getElementBits()},
                              b.getIntegerType(map.getElementBits()),
                              MemRefLayoutAttrInterface(),
                              view.getType().getMemorySpace());
  return memref::ViewOp::create(b, type, view.getSource(), view.getByteShift(),
                                /*sizes=*/ValueRange());
}

/// The coordinates of the tile's first element, in elements of the map.
static SmallVector<Value> createCoordinates(ImplicitLocOpBuilder &b,
                                            TransferOpInterface op,
                                            ArrayRef<int64_t> groups,
                                            int64_t factor) {
  SmallVector<Value> coordinates;
  unsigned dim = 0;
  for (int64_t size : groups) {
    Value coordinate = op.getOffsets()[dim++];
    for (int64_t i = 1; i < size; ++i, ++dim) {
      coordinate = createFolded<arith::MulIOp>(
          b, coordinate, op.getGlobal().getType().getDimSize(dim));
      coordinate =
          createFolded<arith::AddIOp>(b, coordinate, op.getOffsets()[dim]);
    }
    coordinates.push_back(coordinate);
  }
  coordinates.back() =
      createFolded<arith::DivSIOp>(b, coordinates.back(), factor);
  for (Value &coordinate : coordinates)
    coordinate = createCast(b, coordinate, b.getI32Type());
  return coordinates;
}

void carousel::issueTensor(ImplicitLocOpBuilder &b,
                           const TransferIssue &issue) {
  TransferOpInterface op = issue.op;
  MemRefType tile = op.getTile().getType();
  TensorMapType map = op.getMap().getType();
  SmallVector<int64_t> groups(op.getEngineAttr().getCollapse());
  if (groups.empty())
    groups.assign(op.getGlobal().getType().getRank(), 1);
  int64_t elementBits = issue.shape->elementBytes * 8;
  SmallVector<Value> first =
      createCoordinates(b, op, groups, map.getElementBits() / elementBits);

  // The grid of boxes, row by row; they are consecutive in the tile.
  SmallVector<int64_t> grid;
  int64_t dim = -static_cast<int64_t>(issue.shape->leading);
  for (auto [index, size] : llvm::enumerate(groups)) {
    int64_t extent = 1;
    for (int64_t i = 0; i < size; ++i, ++dim)
      extent *= dim < 0 ? 1 : tile.getDimSize(dim);
    if (index + 1 == groups.size())
      extent = extent * elementBits / map.getElementBits();
    grid.push_back(extent / map.getBox()[index]);
  }
  Value buffer = op.getTile();
  if (map.getElementBits() != elementBits)
    buffer = createWideTile(b, buffer, map, op.getTileBytes());
  ArrayRef<int64_t> shape = cast<MemRefType>(buffer.getType()).getShape();
  int64_t boxElements = map.getBoxBytes() * 8 / map.getElementBits();

  createLoop(b, getTensorBoxes(op), [&](Value number) {
    SmallVector<Value> coordinates = first;
    SmallVector<Value> box =
        createDelinearized(b, createCast(b, number, b.getI32Type()), grid);
    for (auto [coordinate, position, extent] :
         llvm::zip_equal(coordinates, box, map.getBox())) {
      Value shift = createFolded<arith::MulIOp>(b, position, extent);
      coordinate = createFolded<arith::AddIOp>(b, coordinate, shift);
    }
    SmallVector<Value> indices = createDelinearized(
        b, createFolded<arith::MulIOp>(b, number, boxElements), shape);
    auto store = dyn_cast<RingStoreOp>(op.getOperation());
    if (!store)
      TensorLoadOp::create(b, op.getMap(), coordinates,
                           /*offsets=*/ValueRange(), buffer, indices,
                           issue.full.barriers, issue.full.indices,
                           TensorLoadMode::Tile, /*multicast_mask=*/Value(),
                           issue.policy, /*cta_group=*/IntegerAttr());
    else if (ReductionAttr reduce = store.getReduceAttr())
      TensorReduceOp::create(b, reduce.getKind(), buffer, indices, op.getMap(),
                             coordinates, TensorStoreMode::Tile, issue.policy);
    else
      TensorStoreOp::create(b, buffer, indices, op.getMap(), coordinates,
                            TensorStoreMode::Tile, issue.policy);
  });
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

void carousel::issueWhole(ImplicitLocOpBuilder &b, const TransferIssue &issue) {
  if (issue.op.getEngineAttr().getKind() == EngineKind::Tensor)
    return issueTensor(b, issue);
  issueBulkWhole(b, issue);
}

void carousel::issueClipped(ImplicitLocOpBuilder &b,
                            const TransferIssue &issue) {
  bool isTensor = issue.op.getEngineAttr().getKind() == EngineKind::Tensor;
  if (!isTensor && !issue.shape->isInside())
    return issueBulkClipped(b, issue);
  createIf(b, issue.leader, [&] {
    int64_t bytes = getWholeBytes(issue);
    if (issue.op.isLoad() && bytes > 0)
      MbarrierExpectTxOp::create(b, issue.full.barriers, issue.full.indices,
                                 /*bytes=*/Value(), b.getI32IntegerAttr(bytes));
    issueWhole(b, issue);
  });
}
