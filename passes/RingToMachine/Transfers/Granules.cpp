//===- Granules.cpp - rows that begin anywhere, by granules ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of rows that begin at any element of global memory, by threads.
//
//===----------------------------------------------------------------------===//

#include "LowerTransfers.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Dialect/Transforms/ShiftedWords.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Rows that begin at any element
//
// Copies by threads between a tile of whole granules (16 bytes) and rows of
// global memory that begin at any element. Global memory is accessed by aligned
// granules only. A granule of the destination comes from two granules of the
// source: the thread reads both, and shifts them by the row's distance from a
// multiple of 16 bytes. The distance is known at run time only. Granules that
// the ends of a row cut are copied element by element. Boxes of the interior
// have none.
//===----------------------------------------------------------------------===//

namespace {

/// The rows of a box, in granules.
class GranuleRows {
public:
  GranuleRows(ImplicitLocOpBuilder &b, const TransferIssue &issue);

  /// The number of elements that `indices` is above a multiple of 16 bytes.
  Value createDistance(ImplicitLocOpBuilder &b, ArrayRef<Value> indices);
  /// The positions of granule `number` of the tile.
  SmallVector<Value> createPositions(ImplicitLocOpBuilder &b, Value number);
  /// The stride of the memref's dimension, in elements.
  Value createStride(ImplicitLocOpBuilder &b, unsigned dim) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, box.global);
    return getValueOrCreateConstantIndexOp(
        b, b.getLoc(), metadata.getConstifiedMixedStrides()[dim]);
  }
  SmallVector<Value> createIndices(ImplicitLocOpBuilder &b,
                                   ArrayRef<Value> positions) {
    return createGlobalIndices(b, box, shape.leading, positions);
  }
  Value createIsRowInside(ImplicitLocOpBuilder &b, ArrayRef<Value> positions) {
    return carousel::createIsRowInside(b, shape, box, positions.drop_back());
  }
  /// Elements [distance, distance + granule) of the words of two consecutive
  /// granules.
  Value createShifted(ImplicitLocOpBuilder &b, Value low, Value high,
                      Value distance);
  /// Its words: each element of 16 bits would be a register.
  Value loadGranule(ImplicitLocOpBuilder &b, Value from, ArrayRef<Value> at);
  /// Where a granule lies in the tile: a swizzle moves whole granules.
  SmallVector<Value> createPlace(ImplicitLocOpBuilder &b,
                                 ArrayRef<Value> positions) {
    return createTileIndices(b, issue, box, positions);
  }

  const TransferIssue &issue;
  const TransferShape &shape;
  BoxValues box;
  int64_t granule; ///< elements
  VectorType type;
  VectorType getWordsType() const {
    return VectorType::get({kWordsOfGranule},
                           IntegerType::get(type.getContext(), 32));
  }

private:
  Value address; ///< of the memref's first element, in elements, an i32
  SmallVector<Value> strides;
};

/// Numbers of a thread below the count of granules, i32, and whether each
/// exists (null: it does).
using GranuleNumbers = SmallVector<std::pair<Value, Value>>;

} // namespace

/// `lhs` rounded down to a multiple of a power of two.
static Value createAlignedDown(ImplicitLocOpBuilder &b, Value lhs,
                               int64_t multiple) {
  return createFolded<arith::AndIOp>(b, lhs, -multiple);
}

GranuleRows::GranuleRows(ImplicitLocOpBuilder &b, const TransferIssue &issue)
    : issue(issue), shape(*issue.shape), box(createBoxValues(b, issue)),
      granule(getGranule(shape)),
      type(VectorType::get({granule},
                           issue.op.getTile().getType().getElementType())) {
  // Only the low bits matter.
  auto getLow = [&](OpFoldResult number) -> Value {
    if (std::optional<int64_t> constant = getConstantIntValue(number))
      return createConstant(b, b.getI32Type(), *constant % granule);
    return createCast(b, cast<Value>(number), b.getI32Type());
  };
  auto metadata = memref::ExtractStridedMetadataOp::create(b, box.global);
  Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(b, box.global);
  address = createFolded<arith::AddIOp>(
      b, getLow(createFolded<arith::DivUIOp>(b, pointer, shape.elementBytes)),
      getLow(metadata.getConstifiedMixedOffset()));
  for (OpFoldResult stride : metadata.getConstifiedMixedStrides())
    strides.push_back(getLow(stride));
}

Value GranuleRows::createDistance(ImplicitLocOpBuilder &b,
                                  ArrayRef<Value> indices) {
  Value sum = address;
  for (auto [index, stride] : llvm::zip_equal(indices, strides))
    sum = createFolded<arith::AddIOp>(
        b, sum,
        createFolded<arith::MulIOp>(b, createCast(b, index, b.getI32Type()),
                                    stride));
  return createFolded<arith::AndIOp>(b, sum, granule - 1);
}

SmallVector<Value> GranuleRows::createPositions(ImplicitLocOpBuilder &b,
                                                Value number) {
  SmallVector<int64_t> extents;
  for (const BoxDim &dim : shape.getTileDims())
    extents.push_back(dim.extent);
  extents.back() /= granule;
  SmallVector<Value> positions = createDelinearized(b, number, extents);
  positions.back() = createFolded<arith::MulIOp>(b, positions.back(), granule);
  for (Value &position : positions)
    position = createCast(b, position, b.getIndexType());
  return positions;
}

Value GranuleRows::loadGranule(ImplicitLocOpBuilder &b, Value from,
                               ArrayRef<Value> at) {
  Value granule =
      vector::LoadOp::create(b, type, from, at, /*nontemporal=*/false,
                             llvm::MaybeAlign(rules::kBulkGranule));
  return vector::BitCastOp::create(b, getWordsType(), granule);
}

Value GranuleRows::createShifted(ImplicitLocOpBuilder &b, Value low, Value high,
                                 Value distance) {
  SmallVector<Value> words;
  for (Value source : {low, high})
    for (int64_t i = 0; i < kWordsOfGranule; ++i)
      words.push_back(vector::ExtractOp::create(b, source, i));
  Value bytes = createFolded<arith::MulIOp>(b, distance, shape.elementBytes);
  return vector::BitCastOp::create(
      b, type,
      vector::FromElementsOp::create(
          b, getWordsType(),
          shiftWords(b, b.getLoc(), words, bytes, shape.elementBytes)));
}

/// The turns in which the threads of a transfer reach `count` granules.
static int64_t countTurns(const TransferIssue &issue, int64_t count) {
  return llvm::divideCeil(count, issue.threads);
}

/// This thread's numbers of the turns from `round` * `batch` on.
static GranuleNumbers createNumbers(ImplicitLocOpBuilder &b,
                                    const TransferIssue &issue, int64_t count,
                                    int64_t batch, Value round) {
  int64_t covered =
      llvm::alignTo(countTurns(issue, count), batch) * issue.threads;
  GranuleNumbers numbers;
  for (int64_t i = 0; i < batch; ++i) {
    Value turn = createFolded<arith::AddIOp>(
        b, createFolded<arith::MulIOp>(b, round, batch), i);
    Value number = createFolded<arith::AddIOp>(
        b, issue.thread,
        createFolded<arith::MulIOp>(b, createCast(b, turn, b.getI32Type()),
                                    issue.threads));
    Value exists;
    if (covered > count)
      exists = createCompare(b, arith::CmpIPredicate::slt, number,
                             createConstant(b, b.getI32Type(), count));
    numbers.emplace_back(number, exists);
  }
  return numbers;
}

/// Calls `body` for all of this thread's numbers, `batch` at a time.
static void forEachOfThread(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                            int64_t count, int64_t batch,
                            function_ref<void(const GranuleNumbers &)> body) {
  int64_t turns = countTurns(issue, count);
  batch = std::min(batch, turns);
  createLoop(b, llvm::divideCeil(turns, batch), [&](Value round) {
    body(createNumbers(b, issue, count, batch, round));
  });
}

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

//===----------------------------------------------------------------------===//
// Stores of rows that begin anywhere
//===----------------------------------------------------------------------===//

/// The number of elements from the row's begin to a multiple of 16 bytes.
static Value createHead(ImplicitLocOpBuilder &b, GranuleRows &rows,
                        ArrayRef<Value> positions) {
  SmallVector<Value> begin(positions);
  begin.back() = createIndex(b, 0);
  Value distance = rows.createDistance(b, rows.createIndices(b, begin));
  Value head = createFolded<arith::AndIOp>(
      b,
      createFolded<arith::SubIOp>(
          b, createConstant(b, b.getI32Type(), rows.granule), distance),
      rows.granule - 1);
  return createCast(b, head, b.getIndexType());
}

/// Stores the aligned granule of global memory that begins in granule `number`
/// of the tile, if it is in the box and inside.
static void storeGranule(ImplicitLocOpBuilder &b, GranuleRows &rows, Value end,
                         Value number, Value exists) {
  SmallVector<Value> low = rows.createPositions(b, number), high = low;
  Value head = createHead(b, rows, low);
  SmallVector<Value> at = low;
  at.back() = createFolded<arith::AddIOp>(b, low.back(), head);
  Value isInside = createAnd(b, exists, rows.createIsRowInside(b, low));
  isInside = createAnd(
      b, isInside,
      createCompare(b, arith::CmpIPredicate::sle,
                    createFolded<arith::AddIOp>(b, at.back(), rows.granule),
                    end));
  createIf(b, isInside, [&] {
    // An aligned granule is its own neighbour.
    Value above = createAlignedDown(
        b, createFolded<arith::AddIOp>(b, head, rows.granule - 1),
        rows.granule);
    high.back() = createFolded<arith::AddIOp>(b, low.back(), above);
    Value value = rows.createShifted(
        b, rows.loadGranule(b, rows.box.tile, rows.createPlace(b, low)),
        rows.loadGranule(b, rows.box.tile, rows.createPlace(b, high)),
        createCast(b, head, b.getI32Type()));
    vector::StoreOp::create(b, value, rows.box.global,
                            rows.createIndices(b, at), /*nontemporal=*/false,
                            llvm::MaybeAlign(rules::kBulkGranule));
  });
}

/// The element `number` of the rows' ends, a granule for each row. The head of
/// a whole row and its tail are a granule together, unless the row is aligned;
/// `isCut`: the tail of a row that the memref's end cuts before that one.
static void storeEnd(ImplicitLocOpBuilder &b, GranuleRows &rows, Value end,
                     Value number, Value exists, bool isCut) {
  int64_t granule = rows.granule, extent = rows.shape.getRowElements();
  Value element = createCast(
      b, createFolded<arith::RemUIOp>(b, number, granule), b.getIndexType());
  SmallVector<Value> positions = createRowPositions(
      b, rows.shape,
      createCast(b, createFolded<arith::DivUIOp>(b, number, granule),
                 b.getIndexType()));
  Value head = createHead(b, rows, positions), isInside = exists;
  auto require = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    isInside = createAnd(b, isInside, createCompare(b, predicate, lhs, rhs));
  };
  Value isAligned =
      createCompare(b, arith::CmpIPredicate::eq, head, createIndex(b, 0));
  Value &position = positions.back();
  if (isCut) {
    Value rest = createFolded<arith::SubIOp>(b, end, head);
    Value tail = createFolded<arith::AddIOp>(
        b, head, createAlignedDown(b, rest, granule));
    require(arith::CmpIPredicate::sge, rest, createIndex(b, 0));
    Value last = b.createOrFold<arith::SelectOp>(
        isAligned, createIndex(b, extent),
        createFolded<arith::AddIOp>(b, head, extent - granule));
    require(arith::CmpIPredicate::slt, tail, last);
    position = createFolded<arith::AddIOp>(b, tail, element);
  } else {
    require(arith::CmpIPredicate::ne, head, createIndex(b, 0));
    Value isHead = createCompare(b, arith::CmpIPredicate::slt, element, head);
    position = b.createOrFold<arith::SelectOp>(
        isHead, element,
        createFolded<arith::AddIOp>(b, element, extent - granule));
  }
  require(arith::CmpIPredicate::slt, position, end);
  isInside = createAnd(b, isInside, rows.createIsRowInside(b, positions));
  copyElement(b, rows.issue, rows.box, positions, isInside);
}

static void storeGranules(ImplicitLocOpBuilder &b, const TransferIssue &issue) {
  GranuleRows rows(b, issue);
  const TransferShape &shape = rows.shape;
  int64_t extent = shape.getRowElements();
  // The row ends here in the tile.
  Value end = createIndex(b, extent);
  if (Value behind = rows.box.ends.back())
    end = createFolded<arith::MinSIOp>(
        b, createFolded<arith::SubIOp>(b, behind, rows.box.begins.back()), end);
  auto forEach = [&](int64_t count, function_ref<void(Value, Value)> body) {
    forEachOfThread(b, issue, count, /*batch=*/1,
                    [&](const GranuleNumbers &numbers) {
                      body(numbers.front().first, numbers.front().second);
                    });
  };
  forEach(issue.op.getTileBytes() / rules::kBulkGranule,
          [&](Value number, Value exists) {
            storeGranule(b, rows, end, number, exists);
          });
  int64_t ends = shape.getRows() * rows.granule;
  forEach(ends, [&](Value number, Value exists) {
    storeEnd(b, rows, end, number, exists, /*isCut=*/false);
  });
  if (!shape.dims.back().mayEndBehind)
    return;
  Value isCut =
      createCompare(b, arith::CmpIPredicate::slt, end, createIndex(b, extent));
  createIf(b, isCut, [&] {
    forEach(ends, [&](Value number, Value exists) {
      storeEnd(b, rows, end, number, exists, /*isCut=*/true);
    });
  });
}

void carousel::copyGranules(ImplicitLocOpBuilder &b,
                            const TransferIssue &issue) {
  if (issue.op.isLoad())
    return loadGranules(b, issue);
  storeGranules(b, issue);
}
