//===- GroupSchedule.cpp - which part of a group a program has ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupSchedule.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/GroupSchedule.h"

#include "CollapsedDims.h"

#include "carousel/Analysis/Graph/ConvolutionTiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace carousel;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

/// The widest rows that variants are made for; docs/BlockPhase.md, Variants.
static constexpr int64_t kWidestRow = 262144;
/// Elements of vectors that threads have four 16-byte accesses of.
static constexpr int64_t kVector = 4096;
/// The elements beside each other in a tile of several rows.
static constexpr int64_t kTileWidth = 512;
/// Bytes of rows that one program reads, of columns that it adds.
static constexpr int64_t kColumnBytes = 128;
/// Rows that a program of columns reads together.
static constexpr int64_t kColumnRows = 128;
/// Vectors have the dimension that a scan goes along.
static constexpr int64_t kLeastScanned = 2;

unsigned GroupSchedule::find(unsigned dim) const {
  for (auto [position, scheduled] : llvm::enumerate(dims))
    if (llvm::is_contained(scheduled.dims, dim))
      return position;
  llvm_unreachable("each dimension is scheduled");
}

int64_t GroupSchedule::countElements(llvm::ArrayRef<unsigned> shapeDims) const {
  int64_t elements = 1;
  for (const ScheduledDim &own : dims)
    if (llvm::any_of(own.dims, [&](unsigned dim) {
          return llvm::is_contained(shapeDims, dim);
        }))
      elements *= own.tile;
  return elements;
}

std::optional<unsigned>
GroupSchedule::findJoined(llvm::ArrayRef<unsigned> positions) const {
  for (unsigned at = 1; at < positions.size(); ++at)
    if (few == positions[at] && positions[at - 1] + 1 == positions[at])
      return at;
  return std::nullopt;
}

namespace {

constexpr size_t kMostVectorDims = 4;

class Scheduler {
public:
  Scheduler(const GraphProblem &problem, const OpGroup &group,
            const GroupShape &shape)
      : problem(problem), group(group), shape(shape) {
    schedule.family = shape.family;
    CollapsedDims collapsed = collapseDims(problem, group, shape);
    schedule.dims = std::move(collapsed.dims);
    accesses = std::move(collapsed.accesses);
  }

  GroupSchedule run() {
    if (std::optional<size_t> sort = group.findSort(problem)) {
      scheduleSort(*sort);
      return std::move(schedule);
    }
    switch (shape.family) {
    case ScheduleFamily::Row:
      scheduleRow();
      break;
    case ScheduleFamily::Column:
      scheduleColumn();
      break;
    case ScheduleFamily::Elementwise:
      scheduleElementwise();
      break;
    case ScheduleFamily::Contraction:
      if (shape.stream)
        scheduleOnlineReduction(problem, group, shape, schedule);
      else
        scheduleContraction();
      break;
    case ScheduleFamily::Stream:
      scheduleOnlineReduction(problem, group, shape, schedule);
      break;
    case ScheduleFamily::Loops:
      scheduleLoops();
      break;
    }
    return std::move(schedule);
  }

private:
  //===--------------------------------------------------------------------===//
  // Families
  //===--------------------------------------------------------------------===//

  /// The tile has as many elements as the dimension has, or fewer. An empty
  /// dimension has a tile of one element, so that tiles divide extents.
  static int64_t clampTile(const ScheduledDim &dim, int64_t tile) {
    if (dim.extent == kUnknownExtent)
      return tile;
    return std::clamp<int64_t>(llvm::PowerOf2Ceil(dim.extent), 1, tile);
  }

  /// The scheduled dimension in which a tensor's neighbours are, if any.
  std::optional<unsigned> findInner(const DimAccess &access) const {
    if (access.dims.empty() || !access.dims.back())
      return std::nullopt;
    return schedule.find(*access.dims.back());
  }

  SmallVector<unsigned> findReduced() const {
    SmallVector<unsigned> reduced;
    for (auto [position, dim] : llvm::enumerate(schedule.dims))
      if (dim.isReduced)
        reduced.push_back(position);
    return reduced;
  }

  bool isScanned(unsigned position) const {
    return shape.dims[schedule.dims[position].dims.front()].isScanned;
  }

  /// Vectors have all that an iteration reduces of what it scans. Returns the
  /// number of these elements.
  int64_t holdReduced(SmallVectorImpl<unsigned> &reduced) {
    int64_t elements = 1;
    size_t held = 0;
    if (!group.scans(problem))
      return elements;
    llvm::erase_if(reduced, [&](unsigned position) {
      if (isScanned(position))
        return false;
      ScheduledDim &dim = schedule.dims[position];
      dim.walk = DimWalk::None;
      dim.tile = llvm::PowerOf2Ceil(std::max<int64_t>(dim.extent, 1));
      elements *= dim.tile;
      held += dim.tile != 1;
      return true;
    });
    // Columns or rows are beside these, and what is scanned.
    if (held + 2 > kMostVectorDims)
      schedule.refusal = "vectors of what is scanned and reduced would have "
                         "more than four dimensions";
    return elements;
  }

  void setLoop(unsigned position, int64_t tile) {
    schedule.dims[position].walk = DimWalk::Loop;
    schedule.dims[position].tile = tile;
  }

  bool fitBlock(llvm::ArrayRef<unsigned> positions) const {
    constexpr int64_t kMostElements = 65536;
    if (positions.size() > kMostVectorDims)
      return false;
    int64_t elements = 1;
    for (unsigned position : positions) {
      int64_t extent = schedule.dims[position].extent;
      if (extent == kUnknownExtent || extent > kMostElements)
        return false;
      elements *= llvm::PowerOf2Ceil(extent);
    }
    return elements <= kMostElements;
  }

  /// A chunk of the row at once, and several short rows.
  void scheduleScannedRow(unsigned position, int64_t beside) {
    ScheduledDim &row = schedule.dims[position];
    setLoop(position,
            std::max(clampTile(row, kVector / beside), kLeastScanned));
    constexpr int64_t kPrograms = 1024;
    int64_t rows = 1;
    for (const ScheduledDim &dim : schedule.dims)
      if (!dim.isReduced)
        rows *= assumeExtent(dim.extent);
    int64_t most = std::min(kVector / beside / row.tile, rows / kPrograms);
    if (position > 0 && most > 1 && !schedule.dims[position - 1].isReduced)
      schedule.dims[position - 1].tile = clampTile(
          schedule.dims[position - 1], llvm::bit_floor<uint64_t>(most));
  }

  /// All of what is sorted at once, and several short lines beside each other.
  void scheduleSort(size_t at) {
    const GraphOp &op = problem.ops[group.ops[at]];
    int64_t line = 1, lines = 1;
    std::optional<unsigned> joined;
    unsigned places = schedule.find(shape.loops[at][*op.places]);
    for (auto [position, dim] : llvm::enumerate(schedule.dims)) {
      bool isLine = dim.isReduced || position == places;
      if (!isLine) {
        lines *= assumeExtent(dim.extent);
        joined = position;
        continue;
      }
      dim.walk = DimWalk::None;
      dim.tile = std::max<int64_t>(dim.extent, 1);
      if (dim.isReduced)
        line = llvm::PowerOf2Ceil(dim.tile);
    }
    // Neighbours in memory, if there are any.
    for (const DimAccess &access : accesses)
      if (std::optional<unsigned> inner = findInner(access);
          inner && *inner != places && !schedule.dims[*inner].isReduced)
        joined = inner;
    constexpr int64_t kPrograms = 1024;
    int64_t most = std::min(kVector / line, lines / kPrograms);
    if (joined && most > 1)
      schedule.dims[*joined].tile =
          clampTile(schedule.dims[*joined], llvm::bit_floor<uint64_t>(most));
  }

  void scheduleRow() {
    SmallVector<unsigned> reduced = findReduced();
    int64_t beside = holdReduced(reduced);
    if (group.scans(problem))
      return scheduleScannedRow(reduced.front(), beside);
    if (reduced.size() > 1 && !fitBlock(reduced)) {
      if (shape.hasSeveralPasses)
        schedule.refusal = "rows in several dimensions don't fit a CTA";
      for (unsigned position : reduced)
        setLoop(position, 1);
      setLoop(reduced.back(),
              clampTile(schedule.dims[reduced.back()], kVector));
      return;
    }
    for (unsigned position : reduced) {
      ScheduledDim &dim = schedule.dims[position];
      dim.walk = DimWalk::None;
      dim.tile = std::max<int64_t>(dim.extent, 1);
    }
    if (joinShortRows(reduced) || reduced.size() != 1)
      return;
    ScheduledDim &dim = schedule.dims[reduced.front()];
    schedule.covered = reduced.front();
    constexpr int64_t kNarrowestRow = 64;
    dim.tile = dim.extent == kUnknownExtent
                   ? kWidestRow
                   : std::clamp<int64_t>(llvm::PowerOf2Ceil(dim.extent),
                                         kNarrowestRow, kWidestRow);
  }

  /// Programs of one short row each would take longer to start than to run, so
  /// each has several rows, where many programs are left.
  bool joinShortRows(llvm::ArrayRef<unsigned> reduced) {
    constexpr int64_t kLongRow = 256, kElements = 2048, kPrograms = 1024;
    constexpr size_t kMostDims = 4; // of vectors
    std::optional<unsigned> joined;
    int64_t row = 1, results = 1;
    for (auto [position, dim] : llvm::enumerate(schedule.dims)) {
      if (dim.isReduced) {
        if (dim.extent == kUnknownExtent || dim.extent > kLongRow)
          return false;
        row *= clampTile(dim, kLongRow);
      } else {
        results *=
            dim.extent == kUnknownExtent ? kPrograms * kElements : dim.extent;
        if (dim.extent != 1)
          joined = position;
      }
    }
    // Neighbours among the results, if there are any.
    for (const DimAccess &access : accesses)
      if (std::optional<unsigned> inner = findInner(access);
          access.isWrite && inner && !schedule.dims[*inner].isReduced &&
          schedule.dims[*inner].extent != 1)
        joined = inner;
    if (!joined || reduced.size() == kMostDims || gathersMost())
      return false;
    ScheduledDim &rows = schedule.dims[*joined];
    int64_t most = std::min(kElements / row, results / kPrograms);
    if (row > kLongRow || most < 2)
      return false;
    rows.tile = clampTile(rows, llvm::bit_floor<uint64_t>(most));
    for (unsigned position : reduced)
      schedule.dims[position].tile =
          clampTile(schedule.dims[position], kLongRow);
    return true;
  }

  /// An iteration reduces what it scans: threads have whole lines of a few
  /// elements, and what is reduced of these. Few programs wait for one
  /// iteration after the other: 2048 steps of 768 channels with 16 states take
  /// 178 us with lines of 8, 106 with 16 and 86 with 32, on an H200. Fewer
  /// lines than threads are shared by lanes, where longer ones take longer.
  void scheduleReducedScan(ScheduledDim &columns,
                           SmallVectorImpl<unsigned> &reduced) {
    constexpr int64_t kMostColumns = 128, kFewColumns = 8, kPrograms = 128,
                      kElements = 8192, kLines = 128;
    int64_t beside = holdReduced(reduced), programs = 1;
    for (const ScheduledDim &dim : schedule.dims)
      if (!dim.isReduced)
        programs *= assumeExtent(dim.extent);
    columns.tile = clampTile(columns, kMostColumns);
    while (columns.tile > kFewColumns && programs / columns.tile < kPrograms)
      columns.tile /= 2;
    int64_t lines = columns.tile * beside, longest = lines < kLines ? 8 : 32;
    setLoop(reduced.front(),
            std::clamp(kElements / lines, kLeastScanned, longest));
  }

  void scheduleColumn() {
    for (auto [at, number] : llvm::enumerate(group.ops))
      if (problem.ops[number].kind == GraphOpKind::Stencil)
        return scheduleStencil(problem.ops[number], at);
    SmallVector<unsigned> reduced = findReduced();
    const DimAccess *largest = nullptr;
    for (const DimAccess &access : accesses)
      if (findInner(access) && !schedule.dims[*findInner(access)].isReduced &&
          (!largest || access.bytes > largest->bytes))
        largest = &access;
    if (largest) {
      ScheduledDim &inner = schedule.dims[*findInner(*largest)];
      if (group.scans(problem) && reduced.size() > 1)
        return scheduleReducedScan(inner, reduced);
      inner.tile = clampTile(inner, kColumnBytes / largest->elementBytes);
      widenColumns(inner);
    }
    // The innermost loops take several rows at once: vectors have four
    // dimensions, of which two may be columns'.
    int64_t rows = kColumnRows / holdReduced(reduced);
    for (unsigned position : reduced)
      setLoop(position, 1);
    constexpr size_t kMostDims = 2;
    for (unsigned position :
         llvm::reverse(llvm::ArrayRef(reduced).take_back(kMostDims))) {
      ScheduledDim &dim = schedule.dims[position];
      dim.tile = clampTile(dim, rows);
      if (group.scans(problem))
        dim.tile = std::max(dim.tile, kLeastScanned);
      rows /= dim.tile;
    }
  }

  /// Programs that add few rows wait for memory about once: where there are
  /// many, each takes more columns.
  void widenColumns(ScheduledDim &columns) const {
    constexpr int64_t kFewRows = 16, kElements = 2048, kPrograms = 512;
    int64_t rows = 1, results = 1;
    for (const ScheduledDim &dim : schedule.dims) {
      if (dim.extent == kUnknownExtent)
        return;
      (dim.isReduced ? rows : results) *= dim.extent;
    }
    while (rows <= kFewRows && 2 * columns.tile * rows <= kElements &&
           columns.tile < columns.extent &&
           results >= 2 * columns.tile * kPrograms)
      columns.tile *= 2;
  }

  /// A loop goes along what an update changes. Other dimensions are the grid's
  /// but for neighbours, of which vectors have several.
  void scheduleUpdate(unsigned loop) {
    setLoop(schedule.find(shape.loops[0][loop]), 1);
    ScheduledDim &inner = schedule.dims[schedule.find(shape.loops[0].back())];
    inner.tile = clampTile(inner, kTileWidth);
  }

  void scheduleElementwise() {
    if (const auto &update = problem.ops[group.ops.front()].update)
      return scheduleUpdate(update->loop);
    // Dimensions in which neighbours are, by the bytes of their tensors.
    SmallVector<int64_t> bytes(schedule.dims.size());
    int64_t elementBytes = 1;
    for (const DimAccess &access : accesses)
      if (std::optional<unsigned> inner = findInner(access)) {
        bytes[*inner] += access.bytes;
        elementBytes = std::max(elementBytes, access.elementBytes);
      }
    SmallVector<unsigned> inners;
    for (unsigned position = 0; position < bytes.size(); ++position)
      if (bytes[position] != 0)
        inners.push_back(position);
    llvm::sort(inners, [&](unsigned a, unsigned b) {
      return std::pair(-bytes[a], a) < std::pair(-bytes[b], b);
    });
    if (inners.empty())
      return;
    if (joinFew(inners[0]))
      return scheduleRows(inners[0] - 1, schedule.dims[inners[0]].tile);
    ScheduledDim &first = schedule.dims[inners[0]];
    // Neighbours of large tensors in two dimensions: a transpose.
    if (inners.size() > 1 && 4 * bytes[inners[1]] >= bytes[inners[0]]) {
      int64_t tile = elementBytes >= 4 ? 64 : 128;
      first.tile = clampTile(first, tile);
      ScheduledDim &second = schedule.dims[inners[1]];
      second.tile = clampTile(second, tile);
      return;
    }
    scheduleRows(inners[0], /*few=*/1);
  }

  /// Vectors of neighbours, of which each has `few` elements, and of rows.
  void scheduleRows(unsigned inner, int64_t few) {
    // Where much is read, threads have two accesses of each tensor
    // (--carousel-specialize-blocks), and small CTAs wait less for each other.
    int64_t elements = (countLargeReads() > 2 ? kVector / 4 : kVector) / few;
    ScheduledDim &first = schedule.dims[inner];
    if (inner == 0) {
      first.tile = clampTile(first, elements);
      return;
    }
    bool isDecodeRow = few == 1 && first.extent >= kTileWidth && gathersMost();
    first.tile = clampTile(first, isDecodeRow ? elements : kTileWidth / few);
    if (isDecodeRow)
      return;
    // The one above, and others where all of it is taken.
    elements /= first.tile;
    unsigned taken = few == 1 ? 1 : 2;
    unsigned most = std::min<unsigned>(inner, kMostVectorDims - taken);
    for (unsigned count = 1; count <= most && elements > 1; ++count) {
      ScheduledDim &above = schedule.dims[inner - count];
      above.tile = clampTile(above, elements);
      elements /= above.tile;
      if (above.extent == kUnknownExtent || above.tile < above.extent)
        return;
    }
  }

  /// Whether elements at computed indices are most of what is read. Those of a
  /// row may be neighbours in one row of their tensor, and in no tile of rows.
  bool gathersMost() const {
    int64_t gathered = 0, others = 0;
    for (unsigned op : group.ops)
      for (const GraphAccess &read : problem.ops[op].reads) {
        int64_t &bytes = read.isGather ? gathered : others;
        bytes = std::max(bytes, problem.tensors[read.tensor].getBytes());
      }
    return gathered > others;
  }

  /// Tensors of at least a quarter of the largest one's bytes.
  int64_t countLargeReads() const {
    int64_t largest = 0;
    for (const DimAccess &access : accesses)
      if (!access.isWrite)
        largest = std::max(largest, access.bytes);
    llvm::SmallDenseSet<unsigned> tensors;
    for (const DimAccess &access : accesses)
      if (!access.isWrite && 4 * access.bytes >= largest)
        tensors.insert(access.tensor);
    return tensors.size();
  }

  void scheduleContraction();
  bool joinFew(unsigned position);
  static bool isLoop(const ScheduledDim &dim) {
    return dim.walk == DimWalk::Loop;
  }
  void scheduleConvolution(const GraphOp &product, size_t at);
  void scheduleStencil(const GraphOp &op, size_t at);
  int64_t countReductions() const {
    return llvm::count_if(
        group.ops, [&](unsigned op) { return problem.ops[op].reduces(); });
  }
  /// The extents of pixels along which boxes go, and their positions.
  ConvolutionExtents findPixels(const GraphOp &op, size_t at,
                                SmallVectorImpl<unsigned> &pixels) const;

  /// Vectors go along the results' neighbours, all else is scalar.
  void scheduleLoops() {
    for (unsigned position : findReduced())
      setLoop(position, 1);
    for (const DimAccess &access : accesses)
      if (access.isWrite)
        if (std::optional<unsigned> inner = findInner(access);
            inner && !schedule.dims[*inner].isReduced) {
          ScheduledDim &dim = schedule.dims[*inner];
          constexpr int64_t kLoopVector = 512;
          dim.tile = clampTile(dim, kLoopVector);
          return;
        }
  }

  const GraphProblem &problem;
  const OpGroup &group;
  const GroupShape &shape;
  std::vector<DimAccess> accesses; ///< to memory
  GroupSchedule schedule;
};

} // namespace

void Scheduler::scheduleContraction() {
  // The factors' dimensions tell rows, columns and batches apart.
  size_t at =
      llvm::find_if(group.ops,
                    [&](unsigned op) { return problem.ops[op].isProduct(); }) -
      group.ops.begin();
  const GraphOp &product = problem.ops[group.ops[at]];
  if (product.kind == GraphOpKind::Convolution)
    return scheduleConvolution(product, at);
  auto hasDim = [&](const GraphAccess &access, unsigned position) {
    return llvm::any_of(access.loops, [&](std::optional<unsigned> loop) {
      return loop && schedule.find(shape.loops[at][*loop]) == position;
    });
  };
  constexpr int64_t kRows = 128, kColumns = 128, kDepthBytes = 128;
  std::optional<unsigned> row, column, depth;
  // The innermost of each kind that fills a tile, or else the longest: a model
  // with batches inside of positions has few of the former.
  auto take = [&](std::optional<unsigned> &best, unsigned position,
                  int64_t tile) {
    if (!best || clampTile(schedule.dims[position], tile) >=
                     clampTile(schedule.dims[*best], tile))
      best = position;
  };
  for (unsigned position = 0; position < schedule.dims.size(); ++position) {
    bool isLeft = hasDim(product.reads[0], position);
    bool isRight = hasDim(product.reads[1], position);
    if (schedule.dims[position].isReduced)
      depth = position;
    else if (isLeft && !isRight)
      take(row, position, kRows);
    else if (isRight && !isLeft)
      take(column, position, kColumns);
  }
  int64_t elementBytes =
      std::min(problem.tensors[product.reads[0].tensor].elementBytes,
               problem.tensors[product.reads[1].tensor].elementBytes);
  for (unsigned position : findReduced())
    setLoop(position, 1);
  constexpr int64_t kLeast = 16;
  int64_t few = 1;
  if (joinFew(*depth)) {
    few = schedule.dims[*depth].tile;
    --*depth;
  }
  schedule.hasOneLoop = llvm::count_if(schedule.dims, isLoop) > 1;
  auto tile = [&](unsigned position, int64_t most, int64_t least) {
    ScheduledDim &dim = schedule.dims[position];
    dim.tile = std::max(clampTile(dim, most), least);
  };
  tile(*row, kRows, kLeast);
  tile(*column, kColumns, kLeast);
  tile(*depth, kDepthBytes / elementBytes / few, kLeast / few);
}

/// Vectors have all of a few elements, such as the weights in a byte, so that
/// programs and loops go along the dimension before them.
bool Scheduler::joinFew(unsigned position) {
  constexpr int64_t kMostOfFew = 8;
  ScheduledDim &few = schedule.dims[position];
  if (position == 0 || few.extent < 2 || few.extent > kMostOfFew ||
      !llvm::isPowerOf2_64(few.extent))
    return false;
  const ScheduledDim &around = schedule.dims[position - 1];
  if (around.isReduced != few.isReduced || around.extent == kUnknownExtent ||
      !areNeighbours(problem, accesses, around.dims.back(), few.dims.front()))
    return false;
  few.walk = DimWalk::None;
  few.tile = few.extent;
  schedule.few = position;
  return true;
}

ConvolutionExtents
Scheduler::findPixels(const GraphOp &op, size_t at,
                      SmallVectorImpl<unsigned> &pixels) const {
  const GraphAccess &image = op.reads.front();
  ConvolutionExtents extents;
  for (unsigned dim = 0; dim + 1 < image.loops.size(); ++dim) {
    const GraphWindow *window = image.findWindow(dim);
    std::optional<unsigned> loop = window ? window->along : image.loops[dim];
    bool isGroup = dim + 2 == image.loops.size() && image.hasGroups;
    if (!loop || isGroup || op.loops[*loop].isReduction != op.isWgrad())
      continue;
    extents.first += !isInBox(image, dim);
    pixels.push_back(schedule.find(shape.loops[at][*loop]));
    extents.pixels.push_back(schedule.dims[pixels.back()].extent);
    extents.isWindow.push_back(window);
  }
  return extents;
}

/// A program has a box of pixels and some channels, and a loop goes along the
/// kernel. Neighbours read the same elements of the image, most of which are in
/// the L1 then. Where pixels are summed, a program has an element of the kernel
/// and some channels, and the loop goes along boxes of pixels.
void Scheduler::scheduleStencil(const GraphOp &op, size_t at) {
  SmallVector<unsigned> pixels;
  ConvolutionExtents extents = findPixels(op, at, pixels);
  for (unsigned position : findReduced())
    setLoop(position, 1);
  schedule.hasOneLoop = op.isWgrad();
  constexpr int64_t kMostChannels = 128, kMostOfEach = 4;
  // Programs of several sums have few channels: there are many without parts.
  constexpr int64_t kFewChannels = 32;
  bool hasMany = countReductions() > 1;
  int64_t rest = hasMany ? kVector / 2 : kVector;
  // Boxes have what is left of a vector's four dimensions, and at least one.
  int64_t &dimsLeft = extents.mostDims = 4;
  auto setTile = [&](unsigned loop, int64_t most) {
    ScheduledDim &dim = schedule.dims[schedule.find(shape.loops[at][loop])];
    dim.tile = clampTile(dim, dimsLeft > 1 ? most : 1);
    rest /= dim.tile;
    dimsLeft -= dim.tile != 1;
  };
  setTile(*op.reads.front().loops.back(),
          hasMany ? kFewChannels : kMostChannels);
  // Several channels of the result may be of one of the image.
  for (std::optional<unsigned> loop : op.reads[op.reads.size() > 1].loops)
    if (loop && !op.loops[*loop].isReduction && !op.reads.front().has(*loop))
      setTile(*loop, kMostOfEach);
  // Images have no pixels in common.
  while (extents.first < extents.isWindow.size() &&
         !extents.isWindow[extents.first])
    ++extents.first;
  SmallVector<int64_t> box =
      hasMany ? planWgrad(extents, rest) : planBox(extents, rest);
  for (auto [position, tile] : llvm::zip_equal(pixels, box))
    schedule.dims[position].tile = tile;
}

/// A program has a box of pixels and some channels of the result. One loop goes
/// along the kernel and, innermost, the channels of the image. Where pixels are
/// summed, a program has an element of the kernel and channels of both factors,
/// and the loop goes along boxes of pixels.
void Scheduler::scheduleConvolution(const GraphOp &product, size_t at) {
  const GraphAccess &image = product.reads[0], &weights = product.reads[1];
  bool isWgrad = product.isWgrad();
  auto getPosition = [&](unsigned loop) {
    return schedule.find(shape.loops[at][loop]);
  };
  SmallVector<unsigned> pixels;
  ConvolutionExtents extents = findPixels(product, at, pixels);
  unsigned channels = getPosition(product.getOwnChannels());
  unsigned depth = getPosition(*image.loops.back());
  extents.channels = schedule.dims[channels].extent;
  if (image.hasGroups)
    extents.groups =
        schedule.dims[getPosition(**(image.loops.end() - 2))].extent;
  for (unsigned position : findReduced())
    setLoop(position, 1);
  schedule.hasOneLoop = true;
  // An instruction's depth, at least: 8 of tf32, 16 of narrower elements.
  constexpr int64_t kDepthBytes = 128, kBytesOfTF32 = 4;
  int64_t elementBytes = std::min(problem.tensors[image.tensor].elementBytes,
                                  problem.tensors[weights.tensor].elementBytes);
  if (isWgrad) {
    SmallVector<int64_t> box = planWgrad(extents, kDepthBytes / elementBytes);
    for (auto [position, tile] : llvm::zip_equal(pixels, box))
      schedule.dims[position].tile = tile;
    constexpr int64_t kMostChannels = 128, kLeastChannels = 16;
    for (unsigned position : {depth, channels})
      schedule.dims[position].tile = std::max(
          clampTile(schedule.dims[position], kMostChannels), kLeastChannels);
    return;
  }
  ConvolutionTiles tiles = planConvolutionTiles(extents, problem.chip);
  for (auto [position, tile] : llvm::zip_equal(pixels, tiles.pixels))
    schedule.dims[position].tile = tile;
  schedule.dims[channels].tile = tiles.channels;
  int64_t least = elementBytes >= kBytesOfTF32 ? 8 : 16;
  schedule.dims[depth].tile = std::max(
      clampTile(schedule.dims[depth], kDepthBytes / elementBytes), least);
}

GroupSchedule carousel::scheduleGroup(const GraphProblem &problem,
                                      const OpGroup &group,
                                      const GroupShape &shape) {
  return Scheduler(problem, group, shape).run();
}

std::string carousel::findMisfit(const GraphProblem &problem,
                                 const OpGroup &group, const GroupShape &shape,
                                 const GroupSchedule &schedule) {
  auto haveSame = [](const ScheduledDim &own, const ScheduledDim &known) {
    return own.dims == known.dims;
  };
  if (!llvm::equal(schedule.dims, collapseDims(problem, group, shape).dims,
                   haveSame))
    return "its dimensions aren't those of the group's tensors, in their order";
  const auto &update = problem.ops[group.ops.front()].update;
  for (auto [position, dim] : llvm::enumerate(schedule.dims)) {
    std::string name = "dimension " + std::to_string(position);
    if (shape.dims[dim.dims.front()].isScanned &&
        (dim.walk != DimWalk::Loop || dim.tile < kLeastScanned))
      return "no loop goes along " + name +
             ", which is scanned, by several elements";
    bool isUpdated =
        update && schedule.find(shape.loops[0][update->loop]) == position;
    if (isUpdated && (dim.walk != DimWalk::Loop || dim.tile != 1))
      return "no loop goes along " + name +
             " by single elements, of which an "
             "update changes some";
    if (dim.walk == DimWalk::Grid && dim.isReduced)
      return "the grid goes along " + name + ", which is reduced";
    if (dim.walk == DimWalk::Loop && !dim.isReduced && !isUpdated)
      return "a loop goes along " + name + ", which isn't reduced";
    bool isWhole = dim.extent != kUnknownExtent && dim.extent <= dim.tile;
    if (dim.walk == DimWalk::None && !isWhole && schedule.covered != position)
      return "a vector of " + std::to_string(dim.tile) +
             " elements hasn't all of " + name;
  }
  auto hasWalk = [&](std::optional<unsigned> position, DimWalk walk) {
    return !position || schedule.dims[*position].walk == walk;
  };
  if (!hasWalk(schedule.covered, DimWalk::None) ||
      (schedule.covered && !schedule.dims[*schedule.covered].isReduced))
    return "the covered dimension isn't a reduced one that vectors have";
  if (schedule.division && !hasWalk(schedule.division->position, DimWalk::Loop))
    return "no loop goes along the divided dimension";
  if (!hasWalk(schedule.fewRows, DimWalk::Grid))
    return "the grid doesn't go along the dimension of few rows";
  return {};
}

bool carousel::isKernel(const GraphProblem &problem, const OpGroup &group) {
  GroupShapeResult result = computeGroupShape(problem, group);
  return result.shape &&
         scheduleGroup(problem, group, *result.shape).refusal.empty();
}
