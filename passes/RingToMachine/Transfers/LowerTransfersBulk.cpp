//===- LowerTransfersBulk.cpp - bulk and tensor copies of a box -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copies that one thread issues for its scope: boxes that are inside, and
// tensor copies. LowerTransfersClipped.cpp has the bulk copies of boxes that
// reach outside.
//
//===----------------------------------------------------------------------===//

#include "LowerTransfers.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace carousel;

int64_t carousel::getGranule(const TransferShape &shape) {
  return rules::kBulkGranule / shape.elementBytes;
}

int64_t carousel::getRowPrefix(const TransferShape &shape) {
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

//===----------------------------------------------------------------------===//
// Bulk
//===----------------------------------------------------------------------===//

void carousel::issueRow(ImplicitLocOpBuilder &b, const TransferIssue &issue,
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
          b, createCast(b, number, b.getI32Type()), issue.ctas);
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
