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

/// Reads what a granule of the tile lies in, if that may be read: it may be in
/// the box's interior.
static LoadedGranule readGranule(ImplicitLocOpBuilder &b, GranuleRows &rows,
                                 const ReadableRow &readable, Value number,
                                 Value exists, bool isInterior) {
  LoadedGranule piece;
  piece.exists = exists;
  piece.positions = rows.createPositions(b, number);
  if (!isInterior)
    piece.isRowInside = rows.createIsRowInside(b, piece.positions);
  SmallVector<Value> low = rows.createIndices(b, piece.positions), high = low;
  piece.distance = rows.createDistance(b, low);
  // An aligned granule is its own neighbour.
  Value ahead = createFolded<arith::AndIOp>(
      b,
      createFolded<arith::SubIOp>(
          b, createConstant(b, b.getI32Type(), rows.granule), piece.distance),
      rows.granule - 1);
  Value begin = low.back();
  low.back() = createFolded<arith::SubIOp>(
      b, begin, createCast(b, piece.distance, b.getIndexType()));
  high.back() = createFolded<arith::AddIOp>(
      b, begin, createCast(b, ahead, b.getIndexType()));
  piece.isWhole = createAnd(b, exists, piece.isRowInside);
  if (!isInterior) {
    piece.isWhole = createAnd(b, piece.isWhole,
                              createCompare(b, arith::CmpIPredicate::sge,
                                            low.back(), readable.begin));
    Value last = createFolded<arith::AddIOp>(b, high.back(), rows.granule);
    piece.isWhole = createAnd(
        b, piece.isWhole,
        createCompare(b, arith::CmpIPredicate::sle, last, readable.end));
  }
  if (!piece.isWhole) {
    piece.low = rows.loadGranule(b, rows.box.global, low);
    piece.high = rows.loadGranule(b, rows.box.global, high);
    return piece;
  }
  auto branch = scf::IfOp::create(
      b, piece.isWhole,
      [&](OpBuilder &nested, Location loc) {
        ImplicitLocOpBuilder inner(loc, nested);
        Value first = rows.loadGranule(inner, rows.box.global, low);
        Value second = rows.loadGranule(inner, rows.box.global, high);
        scf::YieldOp::create(inner, ValueRange{first, second});
      },
      [&](OpBuilder &nested, Location loc) {
        Value none = arith::ConstantOp::create(
            nested, loc, nested.getZeroAttr(rows.getWordsType()));
        scf::YieldOp::create(nested, loc, ValueRange{none, none});
      });
  piece.low = branch.getResult(0);
  piece.high = branch.getResult(1);
  return piece;
}

static void writeGranule(ImplicitLocOpBuilder &b, GranuleRows &rows,
                         const LoadedGranule &piece, bool isInterior) {
  createIf(
      b, piece.isWhole,
      [&] {
        Value value = createRounded(
            b, rows.issue.op,
            rows.createShifted(b, piece.low, piece.high, piece.distance));
        vector::StoreOp::create(
            b, value, rows.box.tile, rows.createPlace(b, piece.positions),
            /*nontemporal=*/false, llvm::MaybeAlign(rules::kBulkGranule));
      },
      [&] {
        if (isInterior)
          return;
        createIf(b, piece.exists, [&] {
          copyCutPiece(b, rows.issue, rows.box, piece.positions, rows.granule,
                       piece.isRowInside);
        });
      });
}

/// Those that a thread reads before it writes them. Each has eight registers
/// meanwhile.
static constexpr int64_t kBatch = 4, kMostInFlight = 8;

static int64_t countGranules(const TransferIssue &issue) {
  return issue.op.getTileBytes() / rules::kBulkGranule;
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
      return readGranule(b, rows, readable, pair.first, pair.second,
                         isInterior);
    });
  }
  void write(ImplicitLocOpBuilder &b, ArrayRef<LoadedGranule> pieces,
             bool isInterior) {
    for (const LoadedGranule &piece : pieces)
      writeGranule(b, rows, piece, isInterior);
  }
  /// Copies in batches.
  void copy(ImplicitLocOpBuilder &b, bool isInterior) {
    forEachOfThread(b, rows.issue, countGranules(rows.issue), kBatch,
                    [&](const GranuleNumbers &numbers) {
                      write(b, read(b, numbers, isInterior), isInterior);
                    });
  }

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
    turns += countTurns(load.rows.issue, countGranules(load.rows.issue));
  if (turns > kMostInFlight) {
    for (GranuleLoad &load : loads)
      load.copy(b, /*isInterior=*/true);
    return;
  }
  SmallVector<SmallVector<LoadedGranule>> read;
  Value round = createIndex(b, 0);
  for (GranuleLoad &load : loads) {
    int64_t count = countGranules(load.rows.issue);
    read.push_back(
        load.read(b,
                  createNumbers(b, load.rows.issue, count,
                                countTurns(load.rows.issue, count), round),
                  /*isInterior=*/true));
  }
  for (auto [load, pieces] : llvm::zip_equal(loads, read))
    load.write(b, pieces, /*isInterior=*/true);
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
      load.copy(b, /*isInterior=*/false);
  };
  // Most boxes are: each granule has 24 instructions then, and 55 otherwise.
  if (!mayBeInterior)
    return copyAny();
  createIf(b, areInterior, [&] { copyInteriors(b, loads); }, copyAny);
}
