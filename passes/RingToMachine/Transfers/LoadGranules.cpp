//===- LoadGranules.cpp - loads of rows that begin anywhere ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GranuleRows.h.
//
//===----------------------------------------------------------------------===//

#include "GranuleRows.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// Whether the kernel writes nothing of the memref: then a thread may read
/// elements next to its box.
static bool isReadOnly(Value global) {
  auto argument = dyn_cast<BlockArgument>(getRootBuffer(global));
  if (!argument)
    return false;
  auto kernel = dyn_cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp());
  if (!kernel || argument.getOwner() != &kernel.getBody().front())
    return false;
  auto isSame = [&](const KernelArgument &known) {
    return getAliasedRoot(kernel.getArgument(known.position)) ==
           getAliasedRoot(argument);
  };
  return llvm::all_of(
      getKernelArguments(kernel), [&](const KernelArgument &known) {
        return known.access == ArgumentAccess::In || !isSame(known);
      });
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

namespace {

/// A granule of the tile, and the two of global memory that it lies in.
struct LoadedGranule {
  Value exists; ///< null: it does
  SmallVector<Value> positions;
  Value isRowInside;
  Value distance;
  Value isWhole; ///< whether both granules may be read
  SmallVector<Value> lowIndices, highIndices;
  Value low, high;
};

/// The indices of a row that may be read.
struct ReadableRow {
  Value begin, end;
};

} // namespace

static ReadableRow createReadable(ImplicitLocOpBuilder &b, GranuleRows &rows) {
  const BoxDim &dim = rows.shape.dims.back();
  Value zero = createIndex(b, 0), end = rows.box.ends.back();
  if (isReadOnly(rows.issue.op.getGlobal())) {
    if (!end)
      end = createFolded<arith::MulIOp>(
          b,
          b.createOrFold<memref::DimOp>(rows.issue.op.getGlobal(),
                                        rows.shape.globalGroups.back().front()),
          dim.inner);
    return {zero, end};
  }
  Value begin = rows.box.begins.back();
  Value behind = createFolded<arith::AddIOp>(b, begin, dim.extent);
  if (end)
    behind = createFolded<arith::MinSIOp>(b, behind, end);
  if (dim.mayBeginBefore)
    begin = createFolded<arith::MaxSIOp>(b, begin, zero);
  return {begin, behind};
}

/// Whether all granules that the box's lie in may be read, and are inside; null
/// if that is never known.
static Value createIsInterior(ImplicitLocOpBuilder &b, GranuleRows &rows,
                              const ReadableRow &readable) {
  if (!isReadOnly(rows.issue.op.getGlobal()))
    return {};
  Value begin = rows.box.begins.back();
  Value first = createFolded<arith::SubIOp>(b, begin, rows.granule - 1);
  Value last = createFolded<arith::AddIOp>(
      b, begin, rows.shape.getRowElements() + rows.granule - 1);
  Value hasBegin =
      createCompare(b, arith::CmpIPredicate::sge, first, readable.begin);
  Value hasEnd =
      createCompare(b, arith::CmpIPredicate::sle, last, readable.end);
  // Where rows follow each other without gaps, others of them lie before and
  // behind.
  unsigned rank = rows.shape.dims.size();
  if (rank > 1) {
    const BoxDim &dim = rows.shape.dims[rank - 2];
    Value row = rows.box.begins[rank - 2], count = rows.box.ends[rank - 2];
    if (!count)
      count = createFolded<arith::MulIOp>(
          b,
          b.createOrFold<memref::DimOp>(
              rows.issue.op.getGlobal(),
              rows.shape.globalGroups[rank - 2].front()),
          dim.inner);
    Value isDense = createCompare(b, arith::CmpIPredicate::eq,
                                  rows.createStride(b, rank - 2), readable.end);
    Value isLater =
        createCompare(b, arith::CmpIPredicate::sgt, row, createIndex(b, 0));
    Value isEarlier =
        createCompare(b, arith::CmpIPredicate::slt,
                      createFolded<arith::AddIOp>(b, row, dim.extent), count);
    auto createOr = [&](Value lhs, Value rhs) {
      return b.createOrFold<arith::OrIOp>(lhs, createAnd(b, isDense, rhs));
    };
    hasBegin = createOr(hasBegin, isLater);
    hasEnd = createOr(hasEnd, isEarlier);
  }
  return createAnd(b, createIsInside(b, rows.issue),
                   createAnd(b, hasBegin, hasEnd));
}

/// Where a granule of the tile lies: it may be in the box's interior.
static LoadedGranule locateGranule(ImplicitLocOpBuilder &b, GranuleRows &rows,
                                   const ReadableRow &readable, Value number,
                                   Value exists, bool isInterior) {
  LoadedGranule piece;
  piece.exists = exists;
  piece.positions = rows.createPositions(b, number);
  if (!isInterior)
    piece.isRowInside = rows.createIsRowInside(b, piece.positions);
  piece.lowIndices = piece.highIndices = rows.createIndices(b, piece.positions);
  piece.distance = rows.createDistance(b, piece.lowIndices);
  // An aligned granule is its own neighbour.
  Value ahead = createFolded<arith::AndIOp>(
      b,
      createFolded<arith::SubIOp>(
          b, createConstant(b, b.getI32Type(), rows.granule), piece.distance),
      rows.granule - 1);
  Value begin = piece.lowIndices.back();
  Value low = createFolded<arith::SubIOp>(
      b, begin, createCast(b, piece.distance, b.getIndexType()));
  Value high = createFolded<arith::AddIOp>(
      b, begin, createCast(b, ahead, b.getIndexType()));
  piece.lowIndices.back() = low;
  piece.highIndices.back() = high;
  piece.isWhole = createAnd(b, exists, piece.isRowInside);
  if (isInterior)
    return piece;
  auto require = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    piece.isWhole =
        createAnd(b, piece.isWhole, createCompare(b, predicate, lhs, rhs));
  };
  require(arith::CmpIPredicate::sge, low, readable.begin);
  require(arith::CmpIPredicate::sle,
          createFolded<arith::AddIOp>(b, high, rows.granule), readable.end);
  return piece;
}

/// Reads what the granule lies in, if that may be read.
static void readGranule(ImplicitLocOpBuilder &b, GranuleRows &rows,
                        LoadedGranule &piece) {
  if (!piece.isWhole) {
    piece.low = rows.loadGranule(b, rows.box.global, piece.lowIndices);
    piece.high = rows.loadGranule(b, rows.box.global, piece.highIndices);
    return;
  }
  auto branch = scf::IfOp::create(
      b, piece.isWhole,
      [&](OpBuilder &nested, Location loc) {
        ImplicitLocOpBuilder inner(loc, nested);
        Value first =
            rows.loadGranule(inner, rows.box.global, piece.lowIndices);
        Value second =
            rows.loadGranule(inner, rows.box.global, piece.highIndices);
        scf::YieldOp::create(inner, ValueRange{first, second});
      },
      [&](OpBuilder &nested, Location loc) {
        Value none = arith::ConstantOp::create(
            nested, loc, nested.getZeroAttr(rows.getWordsType()));
        scf::YieldOp::create(nested, loc, ValueRange{none, none});
      });
  piece.low = branch.getResult(0);
  piece.high = branch.getResult(1);
}

static void writeGranule(ImplicitLocOpBuilder &b, GranuleRows &rows,
                         const LoadedGranule &piece) {
  createIf(b, piece.isWhole, [&] {
    Value value = createRounded(
        b, rows.issue.op,
        rows.createShifted(b, piece.low, piece.high, piece.distance));
    vector::StoreOp::create(
        b, value, rows.box.tile, rows.createPlace(b, piece.positions),
        /*nontemporal=*/false, llvm::MaybeAlign(rules::kBulkGranule));
  });
}

/// Whether the granule exists and has elements of which a neighbour may not be
/// read.
static Value createIsCut(ImplicitLocOpBuilder &b, const LoadedGranule &piece) {
  Value isNot = createFolded<arith::XOrIOp>(
      b, piece.isWhole, createConstant(b, b.getI1Type(), 1));
  return createAnd(b, piece.exists, isNot);
}

/// Those that a thread reads before it writes them. Each has eight registers
/// meanwhile.
static constexpr int64_t kBatch = 4, kMostInFlight = 8;

static int64_t countGranules(const TransferIssue &issue) {
  return issue.op.getTileBytes() / rules::kBulkGranule;
}

/// A loop, or its only iteration.
static void createRolledLoop(ImplicitLocOpBuilder &b, int64_t count,
                             function_ref<void(Value)> body) {
  if (count == 1)
    return body(createIndex(b, 0));
  createLoop(b, createIndex(b, 0), createIndex(b, count), body);
}

namespace {

/// A load of rows that begin at any element.
struct GranuleLoad {
  GranuleLoad(ImplicitLocOpBuilder &b, const TransferIssue &issue)
      : rows(b, issue), readable(createReadable(b, rows)),
        isInterior(createIsInterior(b, rows, readable)) {}

  SmallVector<LoadedGranule> read(ImplicitLocOpBuilder &b,
                                  const GranuleNumbers &numbers,
                                  bool isInterior) {
    return llvm::map_to_vector(numbers, [&](const auto &pair) {
      LoadedGranule piece =
          locateGranule(b, rows, readable, pair.first, pair.second, isInterior);
      readGranule(b, rows, piece);
      return piece;
    });
  }
  void write(ImplicitLocOpBuilder &b, ArrayRef<LoadedGranule> pieces) {
    for (const LoadedGranule &piece : pieces)
      writeGranule(b, rows, piece);
  }

  /// In batches.
  void copyInterior(ImplicitLocOpBuilder &b) {
    int64_t count = countGranules(rows.issue), batch = getBatch();
    createLoop(b, getRounds(), [&](Value round) {
      write(b, read(b, createNumbers(b, rows.issue, count, batch, round),
                    /*isInterior=*/true));
    });
  }

  /// In batches, and those that are cut one by one. The code is short, as it
  /// stands beside that for the interior.
  void copyAny(ImplicitLocOpBuilder &b) {
    int64_t count = countGranules(rows.issue), batch = getBatch();
    auto copyBatch = [&](Value round) {
      SmallVector<LoadedGranule> pieces =
          read(b, createNumbers(b, rows.issue, count, batch, round),
               /*isInterior=*/false);
      write(b, pieces);
      Value isAnyCut = createConstant(b, b.getI1Type(), 0);
      for (const LoadedGranule &piece : pieces)
        isAnyCut =
            createFolded<arith::OrIOp>(b, isAnyCut, createIsCut(b, piece));
      createIf(b, isAnyCut, [&] {
        Value first = createFolded<arith::MulIOp>(b, round, batch);
        createRolledLoop(b, batch, [&](Value i) {
          copyIfCut(b, createFolded<arith::AddIOp>(b, first, i));
        });
      });
    };
    createRolledLoop(b, getRounds(), copyBatch);
  }

  /// Copies the granule of a turn of this thread if it is cut.
  void copyIfCut(ImplicitLocOpBuilder &b, Value turn) {
    Value number = createFolded<arith::AddIOp>(
        b, rows.issue.thread,
        createFolded<arith::MulIOp>(b, createCast(b, turn, b.getI32Type()),
                                    rows.issue.threads));
    Value exists = createCompare(
        b, arith::CmpIPredicate::slt, number,
        createConstant(b, b.getI32Type(), countGranules(rows.issue)));
    LoadedGranule piece = locateGranule(b, rows, readable, number, exists,
                                        /*isInterior=*/false);
    createIf(b, createIsCut(b, piece), [&] {
      copyCutPiece(b, rows.issue, rows.box, piece.positions, rows.granule,
                   piece.isRowInside);
    });
  }

  int64_t getTurns() const {
    return countTurns(rows.issue, countGranules(rows.issue));
  }
  int64_t getBatch() const { return std::min(kBatch, getTurns()); }
  int64_t getRounds() const { return llvm::divideCeil(getTurns(), getBatch()); }

  GranuleRows rows;
  ReadableRow readable;
  Value isInterior;
};

} // namespace

/// Boxes of the interior, of several loads at once if a thread has registers
/// for them: it waits for memory once.
static void copyInteriors(ImplicitLocOpBuilder &b,
                          MutableArrayRef<GranuleLoad> loads) {
  int64_t turns = 0;
  for (const GranuleLoad &load : loads)
    turns += load.getTurns();
  if (turns > kMostInFlight) {
    for (GranuleLoad &load : loads)
      load.copyInterior(b);
    return;
  }
  SmallVector<SmallVector<LoadedGranule>> read;
  Value round = createIndex(b, 0);
  for (GranuleLoad &load : loads) {
    int64_t count = countGranules(load.rows.issue);
    read.push_back(load.read(
        b, createNumbers(b, load.rows.issue, count, load.getTurns(), round),
        /*isInterior=*/true));
  }
  for (auto [load, pieces] : llvm::zip_equal(loads, read))
    load.write(b, pieces);
}

void carousel::loadGranules(ImplicitLocOpBuilder &b,
                            ArrayRef<TransferIssue> issues) {
  SmallVector<GranuleLoad, 2> loads;
  Value areInterior;
  bool mayBeInterior = true;
  for (const TransferIssue &issue : issues) {
    GranuleLoad &load = loads.emplace_back(b, issue);
    mayBeInterior &= load.isInterior != nullptr;
    areInterior = createAnd(b, areInterior, load.isInterior);
  }
  auto copyAny = [&] {
    for (GranuleLoad &load : loads)
      load.copyAny(b);
  };
  // Most boxes are: each granule has 24 instructions then, and 55 otherwise.
  if (!mayBeInterior)
    return copyAny();
  createIf(b, areInterior, [&] { copyInteriors(b, loads); }, copyAny);
}
