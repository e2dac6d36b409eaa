//===- LowerTransfersThreads.cpp - copies by all threads ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers cp.async and vector copies. A tile is divided into pieces of the
// engine's width, and consecutive threads copy consecutive pieces. The part of
// a piece that is outside the global memref is filled or skipped.
//
//===----------------------------------------------------------------------===//

#include "LowerTransfers.h"

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselReduceOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace carousel;

/// Whether `count` elements from the innermost `position` of a row on are
/// inside of the global memref; null if they are known to be.
//===----------------------------------------------------------------------===//
// Copies by all threads
//===----------------------------------------------------------------------===//
static Value createAreInside(ImplicitLocOpBuilder &b,
                             const TransferShape &shape, const BoxValues &box,
                             Value position, int64_t count, Value isRowInside) {
  const BoxDim &dim = shape.dims.back();
  Value inside = isRowInside;
  if (dim.mayBeginBefore)
    inside = createAnd(b, inside,
                       createCompare(b, arith::CmpIPredicate::sge, position,
                                     createIndex(b, 0)));
  // An element that a table names has no end: its number is negative outside.
  if (dim.mayEndBehind && box.ends.back())
    inside =
        createAnd(b, inside,
                  createCompare(b, arith::CmpIPredicate::sle,
                                createFolded<arith::AddIOp>(b, position, count),
                                box.ends.back()));
  return inside;
}

/// Where the piece called `number` (i32) begins in the box.
static SmallVector<Value> createPositions(ImplicitLocOpBuilder &b,
                                          const TransferIssue &issue,
                                          Value number) {
  const TransferShape &shape = *issue.shape;
  int64_t elements = issue.op.getEngineAttr().getWidth() / shape.elementBytes;
  SmallVector<int64_t> extents;
  for (const BoxDim &dim : ArrayRef(shape.dims).drop_front(shape.leading))
    extents.push_back(dim.extent);
  extents.back() /= elements;
  SmallVector<Value> positions = createDelinearized(b, number, extents);
  positions.back() = createFolded<arith::MulIOp>(b, positions.back(), elements);
  for (Value &position : positions)
    position = createCast(b, position, b.getIndexType());
  return positions;
}

/// The piece that begins at `positions` of the box.
static Piece createPiece(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                         const BoxValues &box, SmallVector<Value> positions) {
  const TransferShape &shape = *issue.shape;
  Piece piece;
  piece.elements =
      issue.op.getEngineAttr().getWidth() / issue.shape->elementBytes;
  piece.positions = std::move(positions);
  piece.place = createTileIndices(b, issue, box, piece.positions);
  piece.box = createRowBox(b, shape, box, piece.positions);
  piece.globalIndices =
      createGlobalIndices(b, piece.box, shape.leading, piece.positions);
  piece.isRowInside = createIsRowInside(b, shape, piece.box,
                                        ArrayRef(piece.positions).drop_back());
  piece.isInside =
      createAreInside(b, shape, piece.box, piece.globalIndices.back(),
                      piece.elements, piece.isRowInside);
  return piece;
}

/// Each element of a piece on its own.
static void copyElements(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                         const BoxValues &box, const Piece &piece) {
  createLoop(b, piece.elements, [&](Value i) {
    SmallVector<Value> positions = piece.positions;
    positions.back() = createFolded<arith::AddIOp>(b, positions.back(), i);
    Value at = createFolded<arith::AddIOp>(b, piece.globalIndices.back(), i);
    copyElement(
        b, issue, box, positions,
        createAreInside(b, *issue.shape, box, at, 1, piece.isRowInside));
  });
}

/// A piece that isn't inside as a whole. A load fills it if it can't be inside
/// in part.
static void copyRest(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                     const BoxValues &box, const Piece &piece) {
  if (mayCutPieces(issue.op, *issue.shape, piece.elements))
    return copyCutPiece(b, issue, box, piece.positions, piece.elements,
                        piece.isRowInside);
  auto load = dyn_cast<RingLoadOp>(issue.op.getOperation());
  if (!load)
    return;
  auto type = VectorType::get({piece.elements},
                              load.getTile().getType().getElementType());
  vector::StoreOp::create(b, createFill(b, load, type), box.tile, piece.place,
                          /*nontemporal=*/false,
                          llvm::MaybeAlign(load.getEngineAttr().getWidth()));
}

//===----------------------------------------------------------------------===//
// Vector
//===----------------------------------------------------------------------===//

static void copyVector(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                       const BoxValues &box, const Piece &piece) {
  auto store = dyn_cast<RingStoreOp>(issue.op.getOperation());
  ReductionAttr reduce = getReduction(issue.op);
  bool isAtomic = store && reduce && !store.getExclusive();
  // A program may ask for a width that its reduction has no vectors of.
  if (piece.elements == 1 ||
      (isAtomic && !hasVectorReduction(reduce.getKind(), reduce.getType())))
    return copyElements(b, issue, box, piece);
  auto type = VectorType::get({piece.elements},
                              issue.op.getTile().getType().getElementType());
  llvm::MaybeAlign width(issue.op.getEngineAttr().getWidth());
  auto copy = [&](Value from, ValueRange fromIndices, Value to,
                  ValueRange toIndices) {
    Value value = vector::LoadOp::create(b, type, from, fromIndices,
                                         /*nontemporal=*/false, width);
    value = createRounded(b, issue.op, value);
    if (isAtomic) {
      VectorReduceOp::create(b, reduce.getKind(), reduce.getType(), value, to,
                             toIndices);
      return;
    }
    if (reduce) {
      Value other = vector::LoadOp::create(b, type, to, toIndices,
                                           /*nontemporal=*/false, width);
      // The element in global memory stands on the left, as in PTX.
      value = store ? createCombined(b, reduce, other, value)
                    : createCombined(b, reduce, value, other);
    }
    vector::StoreOp::create(b, value, to, toIndices, /*nontemporal=*/false,
                            width);
  };
  auto copyWhole = [&] {
    if (store)
      copy(box.tile, piece.place, box.global, piece.globalIndices);
    else
      copy(box.global, piece.globalIndices, box.tile, piece.place);
  };
  auto copyOthers = [&] {
    // Each element of a piece that is cut is added on its own.
    if (!isAtomic)
      copyRest(b, issue, box, piece);
    else if (mayCutPieces(issue.op, *issue.shape, piece.elements))
      copyElements(b, issue, box, piece);
  };
  createIf(b, piece.isInside, copyWhole, copyOthers);
}

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

/// The bytes of a piece that are inside, an i32: it may begin before its memref
/// as a whole only.
static Value createValidBytes(ImplicitLocOpBuilder &b,
                              const TransferIssue &issue, const BoxValues &box,
                              const Piece &piece) {
  const TransferShape &shape = *issue.shape;
  const BoxDim &dim = shape.dims.back();
  if (!mayCutPieces(issue.op, shape, piece.elements)) {
    auto createBytes = [&](int64_t bytes) {
      return createConstant(b, b.getI32Type(), bytes);
    };
    return arith::SelectOp::create(
        b, piece.isInside, createBytes(piece.elements * shape.elementBytes),
        createBytes(0));
  }
  Value zero = createIndex(b, 0), count = createIndex(b, piece.elements);
  Value begin = piece.globalIndices.back();
  if (dim.mayEndBehind) {
    Value rest = createFolded<arith::SubIOp>(b, box.ends.back(), begin);
    count = createFolded<arith::MinSIOp>(b, rest, count);
    count = createFolded<arith::MaxSIOp>(b, count, zero);
  }
  Value inside = piece.isRowInside;
  if (dim.mayBeginBefore)
    inside = createAnd(
        b, inside, createCompare(b, arith::CmpIPredicate::sge, begin, zero));
  if (inside)
    count = b.createOrFold<arith::SelectOp>(inside, count, zero);
  return createCast(b,
                    createFolded<arith::MulIOp>(b, count, shape.elementBytes),
                    b.getI32Type());
}

/// `areColumnsInside`: the piece is in one row, and inside if the row is.
static void copyAsync(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                      const BoxValues &box, const Piece &piece,
                      bool areColumnsInside = false) {
  auto load = cast<RingLoadOp>(issue.op.getOperation());
  int64_t width = load.getEngineAttr().getWidth();
  CpAsyncCache cache =
      width == rules::kCpAsyncBypassSize ? CpAsyncCache::CG : CpAsyncCache::CA;
  auto copy = [&](ValueRange indices, Value valid, Value ignore = {}) {
    CpAsyncCopyOp::create(b, cache, box.global, indices, box.tile, piece.place,
                          width, valid, ignore,
                          /*l2_prefetch=*/IntegerAttr(), issue.policy);
  };
  if (!piece.isInside)
    return copy(piece.globalIndices, Value());
  if (mayStoreByThreads(load, *issue.shape))
    return createIf(
        b, piece.isInside, [&] { copy(piece.globalIndices, Value()); },
        [&] { copyRest(b, issue, box, piece); });
  if (areColumnsInside) {
    Value isOutside;
    if (piece.isRowInside)
      isOutside = arith::XOrIOp::create(b, piece.isRowInside,
                                        createConstant(b, b.getI1Type(), 1));
    return copy(piece.globalIndices, Value(), isOutside);
  }
  Value valid = createValidBytes(b, issue, box, piece);
  // No element is read then, but the address should still be one. The address
  // of a row of a table is computed once for a loop, and may be one row before
  // the memref.
  Value some = createCompare(b, arith::CmpIPredicate::ne, valid,
                             createConstant(b, b.getI32Type(), 0));
  SmallVector<Value> indices(piece.globalIndices);
  Value zero = createIndex(b, 0);
  for (Value &index : MutableArrayRef(indices).drop_front(box.rows ? 1 : 0))
    index = b.createOrFold<arith::SelectOp>(some, index, zero);
  copy(indices, valid);
}

//===----------------------------------------------------------------------===//
// Stores to multicast addresses
//
// A thread reads its piece of the tile at once, and stores or reduces it by one
// multimem op. If the end of the memref cuts it, the thread stores each unit of
// it that is inside. C238 makes sure that no unit is inside in part.
//===----------------------------------------------------------------------===//

static void createMultimem(ImplicitLocOpBuilder &b, ReductionAttr reduce,
                           Value value, const BoxValues &box,
                           ValueRange indices) {
  if (!reduce) {
    MultimemStoreOp::create(b, value, box.global, indices);
    return;
  }
  MultimemReduceOp::create(b, reduce.getKind(), reduce.getType(), value,
                           box.global, indices);
}

/// The elements from `first` on: a number, or a part of the piece.
static Value createUnit(ImplicitLocOpBuilder &b, Value piece, int64_t first,
                        int64_t elements) {
  if (elements == 1)
    return vector::ExtractOp::create(b, piece, first);
  return vector::ExtractStridedSliceOp::create(b, piece, first, elements,
                                               /*strides=*/1);
}

/// Stores or reduces a piece to a multicast address, in units of at least 4
/// bytes, each of which is inside or outside as a whole.
static void storeMulticast(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                           const BoxValues &box, const Piece &piece) {
  ReductionAttr reduce = getReduction(issue.op);
  const TransferShape &shape = *issue.shape;
  if (piece.elements == 1)
    return createIf(b, piece.isInside, [&] {
      Value value = memref::LoadOp::create(b, box.tile, piece.place);
      createMultimem(b, reduce, value, box, piece.globalIndices);
    });
  auto type = VectorType::get({piece.elements},
                              issue.op.getTile().getType().getElementType());
  Value value = vector::LoadOp::create(
      b, type, box.tile, piece.place, /*nontemporal=*/false,
      llvm::MaybeAlign(piece.elements * shape.elementBytes));
  int64_t unit = std::max<int64_t>(kMulticastUnit / shape.elementBytes, 1);
  auto storeUnits = [&] {
    if (!mayCutPieces(issue.op, shape, piece.elements))
      return;
    for (int64_t first = 0; first < piece.elements; first += unit) {
      SmallVector<Value> indices = piece.globalIndices;
      indices.back() = createFolded<arith::AddIOp>(b, indices.back(), first);
      createIf(b,
               createAreInside(b, shape, box, indices.back(), unit,
                               piece.isRowInside),
               [&] {
                 createMultimem(b, reduce, createUnit(b, value, first, unit),
                                box, indices);
               });
    }
  };
  createIf(
      b, piece.isInside,
      [&] { createMultimem(b, reduce, value, box, piece.globalIndices); },
      storeUnits);
}

//===----------------------------------------------------------------------===//
// Elements in batches
//===----------------------------------------------------------------------===//

/// The result of `load`, or `otherwise` where `condition` doesn't hold.
static Value createGuarded(ImplicitLocOpBuilder &b, Value condition,
                           Value otherwise,
                           function_ref<Value(ImplicitLocOpBuilder &)> load) {
  if (!condition)
    return load(b);
  auto branch = scf::IfOp::create(
      b, condition,
      [&](OpBuilder &nested, Location loc) {
        ImplicitLocOpBuilder inner(loc, nested);
        scf::YieldOp::create(nested, loc, load(inner));
      },
      [&](OpBuilder &nested, Location loc) {
        scf::YieldOp::create(nested, loc, otherwise);
      });
  return branch.getResult(0);
}

/// Copies pieces of one element: all are read before the first one is written,
/// so that the thread waits once.
static void copyBatch(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                      const BoxValues &box,
                      ArrayRef<std::pair<Value, Value>> numbers) {
  auto load = dyn_cast<RingLoadOp>(issue.op.getOperation());
  Type element = issue.op.getTile().getType().getElementType();
  Value fill =
      load ? createFill(b, load, element)
           : arith::ConstantOp::create(b, b.getZeroAttr(element)).getResult();
  std::vector<Piece> pieces;
  SmallVector<Value> values;
  for (auto [number, exists] : numbers) {
    pieces.push_back(
        createPiece(b, issue, box, createPositions(b, issue, number)));
    Piece &piece = pieces.back();
    if (exists)
      piece.isInside = createAnd(b, exists, piece.isInside);
    values.push_back(createGuarded(
        b, load ? piece.isInside : exists, fill, [&](ImplicitLocOpBuilder &at) {
          return load ? memref::LoadOp::create(at, box.global,
                                               piece.globalIndices)
                      : memref::LoadOp::create(at, box.tile, piece.place);
        }));
  }
  for (auto [number, piece, value] : llvm::zip_equal(numbers, pieces, values))
    createIf(b, load ? number.second : piece.isInside,
             [&, piece = &piece, value = value] {
               if (load)
                 memref::StoreOp::create(b, createRounded(b, load, value),
                                         box.tile, piece->place);
               else
                 memref::StoreOp::create(b, value, box.global,
                                         piece->globalIndices);
             });
}

//===----------------------------------------------------------------------===//
// Distribution
//===----------------------------------------------------------------------===//

/// So many rows of a table are looked up before a loop of transfers.
static constexpr int64_t kMostRowsKept = 16;

/// The rows of pieces, before the loops that copy the same rows each time.
static SmallVector<Value> lookRowsUp(ImplicitLocOpBuilder &b,
                                     const TransferIssue &issue,
                                     const BoxValues &box, int64_t turns) {
  OpBuilder::InsertionGuard guard(b);
  RowsOp names = box.rows;
  SmallVector<Value> needed = {issue.thread, box.begins.front(),
                               names.getTable(), names.getSource()};
  Operation *loop = nullptr;
  for (Operation *outer = b.getInsertionBlock()->getParentOp();
       isa<scf::ForOp, scf::IfOp>(outer); outer = outer->getParentOp()) {
    auto isOutside = [&](Value value) {
      return !outer->isAncestor(value.getParentBlock()->getParentOp());
    };
    if (!llvm::all_of(needed, isOutside))
      break;
    if (isa<scf::ForOp>(outer))
      loop = outer;
  }
  if (loop)
    b.setInsertionPoint(loop);
  SmallVector<Value> rows;
  for (int64_t turn = 0; turn < turns; ++turn) {
    Value number =
        createFolded<arith::AddIOp>(b, issue.thread, turn * issue.threads);
    rows.push_back(
        createRow(b, *issue.shape, box, createPositions(b, issue, number)));
  }
  return rows;
}

/// Whether cp.async by narrow pieces takes many turns, in each of which threads
/// copy whole rows.
static bool hasManyRows(const TransferIssue &issue, int64_t turns) {
  constexpr int64_t kManyTurns = 8;
  const TransferShape &shape = *issue.shape;
  EngineAttr engine = issue.op.getEngineAttr();
  if (engine.getKind() != EngineKind::CpAsync ||
      engine.getWidth() == rules::kCpAsyncBypassSize || turns < kManyTurns ||
      getRows(issue.op) || shape.dims.size() - shape.leading != 2)
    return false;
  int64_t ofRow =
      shape.dims.back().extent * shape.elementBytes / engine.getWidth();
  return issue.threads % ofRow == 0 &&
         issue.op.getTileBytes() % (issue.threads * engine.getWidth()) == 0;
}

/// Whether all of the box is inside; null if it always is.
static Value createIsWhole(ImplicitLocOpBuilder &b, const TransferShape &shape,
                           const BoxValues &box) {
  Value inside;
  for (auto [dim, begin, end] :
       llvm::zip_equal(shape.dims, box.begins, box.ends)) {
    if (dim.mayBeginBefore)
      inside = createAnd(b, inside,
                         createCompare(b, arith::CmpIPredicate::sge, begin,
                                       createIndex(b, 0)));
    if (end)
      inside = createAnd(
          b, inside,
          createCompare(b, arith::CmpIPredicate::sle,
                        createFolded<arith::AddIOp>(b, begin, dim.extent),
                        end));
  }
  return inside;
}

/// Copies a box that is inside: a thread's pieces are in one column, and need
/// one addition each.
static void copyRows(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                     const BoxValues &box, int64_t turns) {
  SmallVector<Value> first = createPositions(b, issue, issue.thread);
  int64_t rows = issue.threads * issue.op.getEngineAttr().getWidth() /
                 (issue.shape->dims.back().extent * issue.shape->elementBytes);
  createLoop(b, turns, [&](Value turn) {
    SmallVector<Value> positions(first);
    positions.front() = createFolded<arith::AddIOp>(
        b, positions.front(), createFolded<arith::MulIOp>(b, turn, rows));
    Piece piece = createPiece(b, issue, box, positions);
    piece.isInside = {};
    copyAsync(b, issue, piece.box, piece);
  });
}

/// Whether a box has no column outside of its memref, which it may have.
static Value createAreColumnsInside(ImplicitLocOpBuilder &b,
                                    const TransferShape &shape,
                                    const BoxValues &box) {
  return createAreInside(b, shape, box, box.begins.back(),
                         shape.dims.back().extent, /*isRowInside=*/Value());
}

void carousel::copyByThreads(ImplicitLocOpBuilder &b,
                             const TransferIssue &issue) {
  if (copiesGranules(issue.op, *issue.shape))
    return copyGranules(b, issue);
  EngineAttr engine = issue.op.getEngineAttr();
  int64_t pieces = issue.op.getTileBytes() / engine.getWidth();
  BoxValues box = createBoxValues(b, issue);
  int64_t turns = llvm::divideCeil(pieces, issue.threads);
  auto getNumber = [&](Value turn) {
    Value shift = createFolded<arith::MulIOp>(
        b, createCast(b, turn, b.getI32Type()), issue.threads);
    return createFolded<arith::AddIOp>(b, issue.thread, shift);
  };
  auto getExists = [&](Value number) {
    return createCompare(b, arith::CmpIPredicate::slt, number,
                         createConstant(b, b.getI32Type(), pieces));
  };
  // More would need registers that the kernel may not have.
  constexpr int64_t kBatch = 8;
  bool isBatched = engine.getKind() == EngineKind::Vector &&
                   engine.getWidth() == issue.shape->elementBytes &&
                   turns > 1 && !getReduction(issue.op) &&
                   !isMulticast(issue.op.getGlobal());
  if (isBatched) {
    int64_t batch = std::min(turns, kBatch),
            covered = llvm::alignTo(turns, batch) * issue.threads;
    createLoop(b, llvm::divideCeil(turns, batch), [&](Value round) {
      SmallVector<std::pair<Value, Value>> numbers;
      Value first = createFolded<arith::MulIOp>(b, round, batch);
      for (int64_t i = 0; i < batch; ++i) {
        Value number = getNumber(createFolded<arith::AddIOp>(b, first, i));
        numbers.emplace_back(number,
                             covered > pieces ? getExists(number) : Value());
      }
      copyBatch(b, issue, box, numbers);
    });
    return;
  }
  auto copyPiece = [&](const BoxValues &box, Value number,
                       bool areColumnsInside = false) {
    Value exists;
    if (pieces % issue.threads != 0)
      exists = getExists(number);
    createIf(b, exists, [&] {
      Piece piece =
          createPiece(b, issue, box, createPositions(b, issue, number));
      if (engine.getKind() == EngineKind::CpAsync)
        copyAsync(b, issue, piece.box, piece, areColumnsInside);
      else if (isMulticast(issue.op.getGlobal()))
        storeMulticast(b, issue, piece.box, piece);
      else
        copyVector(b, issue, piece.box, piece);
    });
  };
  if (box.rows && turns <= kMostRowsKept) {
    SmallVector<Value> rows = lookRowsUp(b, issue, box, turns);
    auto copyRows = [&](bool areColumnsInside) {
      BoxValues own = box;
      for (auto [turn, row] : llvm::enumerate(rows)) {
        own.row = row;
        copyPiece(own, getNumber(createIndex(b, turn)), areColumnsInside);
      }
    };
    if (engine.getKind() != EngineKind::CpAsync ||
        mayStoreByThreads(cast<RingLoadOp>(issue.op.getOperation()),
                          *issue.shape) ||
        !mayCutPieces(issue.op, *issue.shape,
                      engine.getWidth() / issue.shape->elementBytes))
      return copyRows(false);
    // Whether a row is inside is known before a loop. How many bytes of a piece
    // are is computed in it, by more instructions than the copy has.
    return createIf(
        b, createAreColumnsInside(b, *issue.shape, box),
        [&] { copyRows(true); }, [&] { copyRows(false); });
  }
  auto copyPieces = [&] {
    createLoop(b, turns, [&](Value turn) { copyPiece(box, getNumber(turn)); });
  };
  if (hasManyRows(issue, turns))
    if (Value isWhole = createIsWhole(b, *issue.shape, box))
      return createIf(
          b, isWhole, [&] { copyRows(b, issue, box, turns); }, copyPieces);
  copyPieces();
}

//===----------------------------------------------------------------------===//
// Reductions by threads
//
// Lowers reductions of transfers without an engine. They are atomic, element by
// element. If no other access reaches the box, they load, combine and store
// instead. Results equal those of the engines' reductions, except for subnormal
// f32 numbers, which bulk copies flush.
//===----------------------------------------------------------------------===//

ReductionAttr carousel::getReduction(TransferOpInterface op) {
  if (auto load = dyn_cast<RingLoadOp>(op.getOperation()))
    return load.getReduceAttr();
  return cast<RingStoreOp>(op.getOperation()).getReduceAttr();
}

/// How memref.atomic_rmw spells a reduction; nothing if it can't.
static std::optional<arith::AtomicRMWKind> getAtomicKind(ReductionAttr reduce,
                                                         Type element) {
  bool isFloat = isa<FloatType>(element);
  bool isSigned = reduce.getType() == ReduceType::S32 ||
                  reduce.getType() == ReduceType::S64;
  switch (reduce.getKind()) {
  case ReduceKind::Add:
    return isFloat ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi;
  case ReduceKind::Min:
    if (isFloat)
      return arith::AtomicRMWKind::minnumf;
    return isSigned ? arith::AtomicRMWKind::mins : arith::AtomicRMWKind::minu;
  case ReduceKind::Max:
    if (isFloat)
      return arith::AtomicRMWKind::maxnumf;
    return isSigned ? arith::AtomicRMWKind::maxs : arith::AtomicRMWKind::maxu;
  case ReduceKind::And:
    return arith::AtomicRMWKind::andi;
  case ReduceKind::Or:
    return arith::AtomicRMWKind::ori;
  case ReduceKind::Xor:
    return arith::AtomicRMWKind::xori;
  case ReduceKind::Inc:
  case ReduceKind::Dec:
    return std::nullopt;
  }
  llvm_unreachable("all kinds are handled");
}

/// Increment up to a bound and decrement from it, as PTX wraps them: no kind of
/// memref.atomic_rmw does.
static Value createWrapped(ImplicitLocOpBuilder &b, ReduceKind kind, Value old,
                           Value bound) {
  auto constant = [&](int64_t value) -> Value {
    auto attr = b.getIntegerAttr(getElementTypeOrSelf(bound.getType()), value);
    if (auto vector = dyn_cast<VectorType>(bound.getType()))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, attr));
    return arith::ConstantOp::create(b, attr);
  };
  Value zero = constant(0), one = constant(1);
  Value next, wraps, wrapped;
  if (kind == ReduceKind::Inc) {
    next = arith::AddIOp::create(b, old, one);
    wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, old, bound);
    wrapped = zero;
  } else {
    next = arith::SubIOp::create(b, old, one);
    wraps = arith::OrIOp::create(
        b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, old, zero),
        arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, old, bound));
    wrapped = bound;
  }
  return arith::SelectOp::create(b, wraps, wrapped, next);
}

void carousel::createAtomicReduction(ImplicitLocOpBuilder &b,
                                     ReductionAttr reduce, Value value,
                                     Value memref, ValueRange indices) {
  if (std::optional<arith::AtomicRMWKind> kind =
          getAtomicKind(reduce, value.getType())) {
    memref::AtomicRMWOp::create(b, *kind, value, memref, indices);
    return;
  }
  auto update = memref::GenericAtomicRMWOp::create(b, memref, indices);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(update.getBody());
  memref::AtomicYieldOp::create(
      b, createWrapped(b, reduce.getKind(), update.getCurrentValue(), value));
}

/// f32, or a vector of it, for elements of fewer bits. The sum of two of them
/// has few enough digits that rounding it twice gives what rounding it once
/// does.
static Type getWide(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() >= 32)
    return type;
  Type wide = Float32Type::get(type.getContext());
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(wide);
  return wide;
}

static Value createWide(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                        function_ref<Value(Value, Value)> combine) {
  Type type = lhs.getType(), wide = getWide(type);
  if (wide == type)
    return combine(lhs, rhs);
  Value result = combine(arith::ExtFOp::create(b, wide, lhs),
                         arith::ExtFOp::create(b, wide, rhs));
  return arith::TruncFOp::create(b, type, result);
}

Value carousel::createCombined(ImplicitLocOpBuilder &b, ReductionAttr reduce,
                               Value lhs, Value rhs) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(lhs.getType()));
  bool isSigned = reduce.getType() == ReduceType::S32 ||
                  reduce.getType() == ReduceType::S64;
  switch (reduce.getKind()) {
  case ReduceKind::Add:
    if (!isFloat)
      return arith::AddIOp::create(b, lhs, rhs);
    return createWide(b, lhs, rhs, [&](Value l, Value r) -> Value {
      return arith::AddFOp::create(b, l, r);
    });
  case ReduceKind::Min:
    if (isFloat)
      return createWide(b, lhs, rhs, [&](Value l, Value r) -> Value {
        return arith::MinNumFOp::create(b, l, r);
      });
    if (isSigned)
      return arith::MinSIOp::create(b, lhs, rhs);
    return arith::MinUIOp::create(b, lhs, rhs);
  case ReduceKind::Max:
    if (isFloat)
      return createWide(b, lhs, rhs, [&](Value l, Value r) -> Value {
        return arith::MaxNumFOp::create(b, l, r);
      });
    if (isSigned)
      return arith::MaxSIOp::create(b, lhs, rhs);
    return arith::MaxUIOp::create(b, lhs, rhs);
  case ReduceKind::And:
    return arith::AndIOp::create(b, lhs, rhs);
  case ReduceKind::Or:
    return arith::OrIOp::create(b, lhs, rhs);
  case ReduceKind::Xor:
    return arith::XOrIOp::create(b, lhs, rhs);
  case ReduceKind::Inc:
  case ReduceKind::Dec:
    return createWrapped(b, reduce.getKind(), lhs, rhs);
  }
  llvm_unreachable("all kinds are handled");
}
