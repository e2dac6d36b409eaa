//===- LowerTransfersBulk.cpp - bulk and tensor copies of a box -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copies that one thread issues for its scope: boxes that are inside,
// tensor copies, and the bulk copies of boxes that reach outside.
//
//===----------------------------------------------------------------------===//

#include "LowerTransfers.h"

#include "../LoopAnnotations.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Bulk and tensor copies of a box
//===----------------------------------------------------------------------===//

int64_t carousel::getGranule(const TransferShape &shape) {
  return rules::kBulkGranule / shape.elementBytes;
}
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

/// Issues the bulk copy of `bytes` (an i32, or a literal) of a row.
//===----------------------------------------------------------------------===//
// Bulk
//===----------------------------------------------------------------------===//
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

static void issueBulkWhole(ImplicitLocOpBuilder &b,
                           const TransferIssue &issue) {
  const TransferShape &shape = *issue.shape;
  int64_t prefix = getRowPrefix(shape);
  if (prefix == 0)
    return;
  BoxValues box = createBoxValues(b, issue);
  createLoop(b, shape.getRows(), [&](Value row) {
    SmallVector<Value> positions = createRowPositions(b, shape, row);
    issueRow(b, issue, box, positions, Value(),
             b.getI32IntegerAttr(prefix * shape.elementBytes));
  });
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

/// Issues loads, stores and reductions through a tensor map, box by box.
static void issueTensor(ImplicitLocOpBuilder &b, const TransferIssue &issue) {
  TransferOpInterface op = issue.op;
  MemRefType tile = op.getTile().getType();
  TensorMapType map = op.getMap().getType();
  SmallVector<int64_t> groups(op.getEngineAttr().getCollapse());
  if (groups.empty())
    groups.assign(op.getGlobal().getType().getRank(), 1);
  int64_t elementBits = issue.shape->elementBytes * 8;
  SmallVector<Value> first =
      createCoordinates(b, op, groups, map.getElementBits() / elementBits);

  // The grid of boxes, row by row; they are consecutive in the tile. So are
  // panels, each with the boxes of all rows that a table names.
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

  auto issueBox = [&](Value number, Value place) {
    SmallVector<Value> coordinates = first;
    SmallVector<Value> box =
        createDelinearized(b, createCast(b, number, b.getI32Type()), grid);
    for (auto [coordinate, position, extent] :
         llvm::zip_equal(coordinates, box, map.getBox())) {
      Value shift = createFolded<arith::MulIOp>(b, position, extent);
      coordinate = createFolded<arith::AddIOp>(b, coordinate, shift);
    }
    SmallVector<Value> indices = createDelinearized(
        b, createFolded<arith::MulIOp>(b, place, boxElements), shape);
    auto store = dyn_cast<RingStoreOp>(op.getOperation());
    auto load = [&] {
      Value mask;
      if (issue.turn)
        mask = createConstant(b, b.getI16Type(), (1 << issue.ctas) - 1);
      TensorLoadOp::create(b, op.getMap(), coordinates,
                           /*offsets=*/ValueRange(), buffer, indices,
                           issue.full.barriers, issue.full.indices,
                           TensorLoadMode::Tile, mask, issue.policy,
                           /*cta_group=*/IntegerAttr());
    };
    if (issue.turn) {
      Value own = createFolded<arith::RemUIOp>(
          b, createCast(b, place, b.getI32Type()), issue.ctas);
      createIf(b, createCompare(b, arith::CmpIPredicate::eq, own, issue.turn),
               load);
    } else if (!store)
      load();
    else if (ReductionAttr reduce = store.getReduceAttr())
      TensorReduceOp::create(b, reduce.getKind(), buffer, indices, op.getMap(),
                             coordinates, TensorStoreMode::Tile, issue.policy);
    else
      TensorStoreOp::create(b, buffer, indices, op.getMap(), coordinates,
                            TensorStoreMode::Tile, issue.policy);
  };
  RowsOp rows = getRows(op);
  int64_t boxes = getTensorBoxes(op);
  if (!rows)
    return createLoop(b, boxes,
                      [&](Value number) { issueBox(number, number); });
  int64_t named = std::exchange(grid.front(), 1), each = boxes / named;
  bool arePanels = map.getSwizzle() != Swizzle::None && grid.back() > 1;
  createLoop(b, named, [&](Value row) {
    Value position =
        createFolded<arith::AddIOp>(b, op.getOffsets().front(), row);
    // Copies fill where a coordinate is outside: that of a row that doesn't
    // exist, too, unless 32 bits of it are one that does.
    bool isCoordinate =
        rows.getTable().getType().getElementType().isInteger(32);
    Value number = isCoordinate ? createTableNumber(b, rows, position)
                                : createRowNumber(b, rows, position);
    first.front() = createCast(b, number, b.getI32Type());
    createLoop(b, each, [&](Value box) {
      Value outer = arePanels ? box : row, inner = arePanels ? row : box;
      outer = createFolded<arith::MulIOp>(b, outer, arePanels ? named : each);
      issueBox(box, createFolded<arith::AddIOp>(b, outer, inner));
    });
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

//===----------------------------------------------------------------------===//
// Bulk copies that reach outside
//
// A bulk copy moves the whole granules of a row that are inside the global
// memref. Threads do the rest, usually the issuing warp: they copy the end of a
// row, which is less than a granule, and fill the part of a load's tile that is
// outside. Each lane issues its own rows of a load, and copies their ends; then
// all lanes fill, granule by granule. If engines access the same bytes later, a
// fence orders these accesses.
//===----------------------------------------------------------------------===//

bool carousel::mayEndInGranule(TransferOpInterface op,
                               const TransferShape &shape) {
  return shape.hasRowEnds() || mayCutPieces(op, shape, getGranule(shape));
}

bool carousel::hasRowEnds(const TransferIssue &issue) {
  return issue.op.getEngineAttr().getKind() == EngineKind::Bulk &&
         issue.shape->hasRowEnds();
}

bool carousel::needsThreads(TransferOpInterface op,
                            const TransferShape &shape) {
  if (op.getEngineAttr().getKind() != EngineKind::Bulk)
    return false;
  return mayEndInGranule(op, shape) || (op.isLoad() && !shape.isInside());
}

void carousel::orderEnds(ImplicitLocOpBuilder &b,
                         ArrayRef<TransferIssue> issues, bool isClipped) {
  for (const TransferIssue &issue : issues) {
    bool copiesElements =
        needsThreads(issue.op, *issue.shape) &&
        (hasRowEnds(issue) || (isClipped && !issue.shape->isInside()));
    if (!copiesElements || !issue.ordersEnds)
      continue;
    // One fence for all: they are loads, or one store.
    FenceProxyOp::create(b, issue.op.isLoad() ? ProxyKind::AsyncSharedCTA
                                              : ProxyKind::AsyncGlobal);
    return;
  }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {

/// The rows of a box, and what is inside of those that are inside.
struct ClippedRows {
  ClippedRows(ImplicitLocOpBuilder &b, const TransferIssue &issue);

  /// Whether the row at `positions` is inside; null if it is known to be, or if
  /// it is the only one: then the numbers below say it.
  Value createIsInside(ImplicitLocOpBuilder &b, ArrayRef<Value> positions);

  const TransferIssue &issue;
  const TransferShape &shape;
  BoxValues box;
  bool isOne;    ///< there is one row
  Value count;   ///< elements inside
  Value prefix;  ///< those of whole granules
  Value hasMany; ///< whether there are whole granules
  Value bytes;   ///< their bytes, an i32
};

} // namespace

ClippedRows::ClippedRows(ImplicitLocOpBuilder &b, const TransferIssue &issue)
    : issue(issue), shape(*issue.shape), box(createBoxValues(b, issue)),
      isOne(shape.getRows() == 1) {
  const BoxDim &dim = shape.dims.back();
  Value begin = box.begins.back(), zero = createIndex(b, 0);
  count = createIndex(b, dim.extent);
  if (dim.mayEndBehind) {
    Value rest = createFolded<arith::SubIOp>(b, box.ends.back(), begin);
    count = createFolded<arith::MinSIOp>(b, rest, count);
    count = createFolded<arith::MaxSIOp>(b, count, zero);
  }
  // Where a row begins before its memref, no engine copies anything of it.
  Value isInside;
  if (dim.mayBeginBefore)
    isInside =
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, begin, zero);
  if (isOne)
    isInside = createAnd(
        b, isInside,
        createIsRowInside(b, shape, box, createRowPositions(b, shape, zero)));
  if (isInside)
    count = b.createOrFold<arith::SelectOp>(isInside, count, zero);
  prefix = createFolded<arith::AndIOp>(b, count, -getGranule(shape));
  hasMany =
      b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sgt, prefix, zero);
  bytes =
      createCast(b, createFolded<arith::MulIOp>(b, prefix, shape.elementBytes),
                 b.getI32Type());
}

Value ClippedRows::createIsInside(ImplicitLocOpBuilder &b,
                                  ArrayRef<Value> positions) {
  if (isOne)
    return {};
  return createIsRowInside(b, shape, box, positions.drop_back());
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
  // A few iterations in a grid's last tile: copies of it would only be in the
  // way.
  forbidUnrolling(loop);
}

/// The rows that this thread takes. The leader takes the only one.
static void
forEachRowOfThread(ImplicitLocOpBuilder &b, ClippedRows &rows,
                   function_ref<void(SmallVector<Value> &positions)> body) {
  auto visit = [&](Value row) {
    SmallVector<Value> positions = createRowPositions(b, rows.shape, row);
    body(positions);
  };
  if (rows.isOne)
    return createIf(b, rows.issue.leader, [&] { visit(createIndex(b, 0)); });
  forEachOfThread(b, rows.issue, createIndex(b, 0),
                  createIndex(b, rows.shape.getRows()), 1, visit);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Whether one instruction of cp.async copies the end of a row, and fills the
/// rest of its granule with zero.
static bool copiesEndsAsync(const TransferIssue &issue) {
  auto load = cast<RingLoadOp>(issue.op.getOperation());
  return issue.hasAsyncEnds && load.getFill() == OutOfBoundsFill::Zero &&
         !load.getFillValueAttr() && !issue.shape->hasRowEnds();
}

/// Copies what of a row is inside, less than a granule, and fills the granule.
static void copyEnd(ImplicitLocOpBuilder &b, ClippedRows &rows,
                    ArrayRef<Value> begin) {
  const TransferIssue &issue = rows.issue;
  const TransferShape &shape = rows.shape;
  SmallVector<Value> positions(begin);
  positions.back() = rows.prefix;
  SmallVector<Value> indices =
      createGlobalIndices(b, rows.box, shape.leading, positions);
  Value count = createFolded<arith::SubIOp>(b, rows.count, rows.prefix);
  if (!copiesEndsAsync(issue))
    return copyCutPiece(b, issue, rows.box, positions, getGranule(shape),
                        /*isRowInside=*/Value());
  Value valid =
      createCast(b, createFolded<arith::MulIOp>(b, count, shape.elementBytes),
                 b.getI32Type());
  CpAsyncCopyOp::create(b, CpAsyncCache::CG, rows.box.global, indices,
                        rows.box.tile, positions, rules::kBulkGranule, valid,
                        /*ignore=*/Value(), /*l2_prefetch=*/IntegerAttr(),
                        /*cache=*/Value());
  // Adds an arrival to the phase, and makes it when the copy has completed.
  CpAsyncMbarrierArriveOp::create(b, issue.full.barriers, issue.full.indices,
                                  /*noinc=*/false);
}

/// The copies of the rows, and of their ends.
static void copyRows(ImplicitLocOpBuilder &b, ClippedRows &rows,
                     bool copiesEnds) {
  const TransferIssue &issue = rows.issue;
  Value hasEnd;
  if (copiesEnds)
    hasEnd = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne, rows.count,
                                           rows.prefix);
  forEachRowOfThread(b, rows, [&](SmallVector<Value> &positions) {
    Value isInside = rows.createIsInside(b, positions);
    createIf(b, createAnd(b, isInside, rows.hasMany), [&] {
      MbarrierExpectTxOp::create(b, issue.full.barriers, issue.full.indices,
                                 rows.bytes, /*static_bytes=*/IntegerAttr());
      issueRow(b, issue, rows.box, positions, rows.bytes, IntegerAttr());
    });
    if (copiesEnds)
      createIf(b, createAnd(b, isInside, hasEnd),
               [&] { copyEnd(b, rows, positions); });
  });
}

static void storeFill(ImplicitLocOpBuilder &b, ClippedRows &rows, Value fill,
                      ValueRange positions) {
  vector::StoreOp::create(b, fill, rows.box.tile, positions,
                          /*nontemporal=*/false,
                          llvm::MaybeAlign(rules::kBulkGranule));
}

/// Fills the granules that are outside. In rows that are inside, these granules
/// begin at `edge`.
static void fillRows(ImplicitLocOpBuilder &b, ClippedRows &rows, Value edge) {
  const TransferIssue &issue = rows.issue;
  const TransferShape &shape = rows.shape;
  auto load = cast<RingLoadOp>(issue.op.getOperation());
  int64_t granule = getGranule(shape), row = shape.getRowElements(),
          granules = row / granule;
  Value fill = createFill(
      b, load,
      VectorType::get({granule}, load.getTile().getType().getElementType()));
  Value zero = createIndex(b, 0);
  auto getBegin = [&](ArrayRef<Value> positions) {
    Value isInside = rows.createIsInside(b, positions);
    return isInside ? b.createOrFold<arith::SelectOp>(isInside, edge, zero)
                    : edge;
  };
  // A warp fills a row at a time, or several short ones.
  if (rows.isOne || !issue.thread || granules >= issue.threads) {
    createLoop(b, shape.getRows(), [&](Value number) {
      SmallVector<Value> positions = createRowPositions(b, shape, number);
      Value begin = getBegin(positions);
      forEachOfThread(b, issue, begin, createIndex(b, row), granule,
                      [&](Value position) {
                        positions.back() = position;
                        storeFill(b, rows, fill, positions);
                      });
    });
    return;
  }
  Value pieces = createIndex(b, shape.getRows() * granules);
  forEachOfThread(b, issue, zero, pieces, 1, [&](Value piece) {
    SmallVector<Value> positions = createRowPositions(
        b, shape, createFolded<arith::DivUIOp>(b, piece, granules));
    Value position = createFolded<arith::MulIOp>(
        b, createFolded<arith::RemUIOp>(b, piece, granules), granule);
    Value isOutside = b.createOrFold<arith::CmpIOp>(
        arith::CmpIPredicate::sge, position, getBegin(positions));
    createIf(b, isOutside, [&] {
      positions.back() = position;
      storeFill(b, rows, fill, positions);
    });
  });
}

/// All that no engine copies of rows that aren't whole granules, one by one.
static void copyElementsOfRows(ImplicitLocOpBuilder &b, ClippedRows &rows) {
  const TransferIssue &issue = rows.issue;
  const TransferShape &shape = rows.shape;
  const BoxDim &dim = shape.dims.back();
  createLoop(b, shape.getRows(), [&](Value number) {
    SmallVector<Value> positions = createRowPositions(b, shape, number);
    Value isRowInside =
        createIsRowInside(b, shape, rows.box, ArrayRef(positions).drop_back());
    Value begin = rows.prefix;
    if (isRowInside)
      begin = b.createOrFold<arith::SelectOp>(isRowInside, begin,
                                              createIndex(b, 0));
    forEachOfThread(
        b, issue, begin, createIndex(b, dim.extent), 1, [&](Value position) {
          positions.back() = position;
          Value at =
              createFolded<arith::AddIOp>(b, rows.box.begins.back(), position);
          Value inside = isRowInside;
          auto require = [&](arith::CmpIPredicate predicate, Value rhs) {
            inside = createAnd(
                b, inside, b.createOrFold<arith::CmpIOp>(predicate, at, rhs));
          };
          if (dim.mayBeginBefore)
            require(arith::CmpIPredicate::sge, createIndex(b, 0));
          if (dim.mayEndBehind)
            require(arith::CmpIPredicate::slt, rows.box.ends.back());
          copyElement(b, issue, rows.box, positions, inside);
        });
  });
}

/// Rows that begin before the memref: pieces of a granule, wherever the begin
/// and the end are in them.
static void copyPiecesOfRows(ImplicitLocOpBuilder &b, ClippedRows &rows) {
  const TransferShape &shape = rows.shape;
  int64_t granule = getGranule(shape),
          granules = shape.getRowElements() / granule;
  Value pieces = createIndex(b, shape.getRows() * granules);
  forEachOfThread(
      b, rows.issue, createIndex(b, 0), pieces, 1, [&](Value piece) {
        SmallVector<Value> positions = createRowPositions(
            b, shape, createFolded<arith::DivUIOp>(b, piece, granules));
        positions.back() = createFolded<arith::MulIOp>(
            b, createFolded<arith::RemUIOp>(b, piece, granules), granule);
        copyCutPiece(b, rows.issue, rows.box, positions, granule,
                     createIsRowInside(b, shape, rows.box,
                                       ArrayRef(positions).drop_back()));
      });
}

/// Rows that don't begin before the memref.
static void issueRowsFromBegin(ImplicitLocOpBuilder &b, ClippedRows &rows) {
  const TransferIssue &issue = rows.issue;
  const TransferShape &shape = rows.shape;
  bool hasEnds = mayEndInGranule(issue.op, shape);
  // The lanes share the end of an only row, unless one instruction copies it.
  bool sharesEnd = hasEnds && rows.isOne && !copiesEndsAsync(issue);
  copyRows(b, rows, hasEnds && !sharesEnd);
  int64_t granule = getGranule(shape);
  Value edge = rows.count;
  if (hasEnds)
    edge = createFolded<arith::AndIOp>(
        b, createFolded<arith::AddIOp>(b, edge, granule - 1), -granule);
  if (sharesEnd)
    forEachOfThread(b, issue, rows.prefix, edge, 1, [&](Value position) {
      SmallVector<Value> positions =
          createRowPositions(b, shape, createIndex(b, 0));
      positions.back() = position;
      copyElement(b, issue, rows.box, positions,
                  b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                                position, rows.count));
    });
  fillRows(b, rows, edge);
}

static void issueClippedLoad(ImplicitLocOpBuilder &b,
                             const TransferIssue &issue) {
  const TransferShape &shape = *issue.shape;
  ClippedRows rows(b, issue);
  if (shape.hasRowEnds()) {
    copyRows(b, rows, /*copiesEnds=*/false);
    return copyElementsOfRows(b, rows);
  }
  if (!shape.dims.back().mayBeginBefore)
    return issueRowsFromBegin(b, rows);
  Value beginsInside = b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::sge, rows.box.begins.back(), createIndex(b, 0));
  createIf(
      b, beginsInside, [&] { issueRowsFromBegin(b, rows); },
      [&] { copyPiecesOfRows(b, rows); });
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void carousel::issueClippedRows(ImplicitLocOpBuilder &b,
                                const TransferIssue &issue) {
  ClippedRows rows(b, issue);
  createIf(b, rows.hasMany, [&] {
    createLoop(b, rows.shape.getRows(), [&](Value number) {
      SmallVector<Value> positions = createRowPositions(b, rows.shape, number);
      createIf(b, rows.createIsInside(b, positions), [&] {
        issueRow(b, issue, rows.box, positions, rows.bytes, IntegerAttr());
      });
    });
  });
}

Value carousel::createHasRowEnds(ImplicitLocOpBuilder &b,
                                 const TransferIssue &issue) {
  if (issue.shape->isInside())
    return {};
  ClippedRows rows(b, issue);
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne, rows.count,
                                       rows.prefix);
}

void carousel::copyRowEnds(ImplicitLocOpBuilder &b,
                           const TransferIssue &issue) {
  ClippedRows rows(b, issue);
  const TransferShape &shape = rows.shape;
  if (rows.isOne)
    return forEachOfThread(
        b, issue, rows.prefix, rows.count, 1, [&](Value position) {
          SmallVector<Value> positions =
              createRowPositions(b, shape, createIndex(b, 0));
          positions.back() = position;
          copyElement(b, issue, rows.box, positions, /*isInside=*/Value());
        });
  int64_t granule = getGranule(shape);
  Value elements = createIndex(b, shape.getRows() * granule);
  forEachOfThread(b, issue, createIndex(b, 0), elements, 1, [&](Value number) {
    SmallVector<Value> positions = createRowPositions(
        b, shape, createFolded<arith::DivUIOp>(b, number, granule));
    Value isRowInside = rows.createIsInside(b, positions);
    positions.back() = createFolded<arith::AddIOp>(
        b, rows.prefix, createFolded<arith::RemUIOp>(b, number, granule));
    Value isInside = b.createOrFold<arith::CmpIOp>(
        arith::CmpIPredicate::slt, positions.back(), rows.count);
    copyElement(b, issue, rows.box, positions,
                createAnd(b, isRowInside, isInside));
  });
}

void carousel::issueClipped(ImplicitLocOpBuilder &b,
                            const TransferIssue &issue) {
  bool isBulk = issue.op.getEngineAttr().getKind() == EngineKind::Bulk;
  if (isBulk && (!issue.shape->isInside() || hasRowEnds(issue))) {
    if (issue.op.isLoad())
      return issueClippedLoad(b, issue);
    createIf(b, issue.leader, [&] { issueClippedRows(b, issue); });
    if (mayEndInGranule(issue.op, *issue.shape))
      copyRowEnds(b, issue);
    return;
  }
  createIf(b, issue.leader, [&] {
    int64_t bytes = getWholeBytes(issue);
    if (issue.op.isLoad() && bytes > 0)
      MbarrierExpectTxOp::create(b, issue.full.barriers, issue.full.indices,
                                 /*bytes=*/Value(), b.getI32IntegerAttr(bytes));
    issueWhole(b, issue);
  });
}
