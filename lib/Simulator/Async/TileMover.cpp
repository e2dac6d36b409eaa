//===- TileMover.cpp - transfers of the tile phase ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of a tile that are inside its global memref, and their addresses
// on both sides, as rows and as contiguous ranges; then the gathering of the
// scope's threads and the transfer.
//
//===----------------------------------------------------------------------===//

#include "TileMover.h"

#include "Tensors/Reduce.h"

#include "carousel/Support/HardwareLimits.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstring>

namespace carousel::sim {

namespace {

/// The part of a tile that is inside the global memref: [begin, end) for each
/// dimension of the tile.
struct Inside {
  llvm::SmallVector<int64_t, 6> begin, end;
  bool isWhole = true;
  /// The first dimension of the global memref that the box exceeds.
  unsigned leftDim = 0;
  bool isEmpty() const {
    for (size_t dim = 0; dim < begin.size(); ++dim)
      if (begin[dim] >= end[dim])
        return true;
    return false;
  }
};

/// Merges consecutive ranges, so that a contiguous tile is one access.
template <typename Function> class Ranges {
public:
  explicit Ranges(Function function) : function(function) {}
  ~Ranges() { flush(); }
  void add(char *address, uint64_t bytes) {
    if (size != 0 && start + size == address) {
      size += bytes;
      return;
    }
    flush();
    start = address;
    size = bytes;
  }

private:
  void flush() {
    if (size != 0)
      function(start, size);
    size = 0;
  }
  Function function;
  char *start = nullptr;
  uint64_t size = 0;
};

} // namespace

/// Address arithmetic that may leave all memory, for addresses that aren't
/// dereferenced.
static char *addBytes(char *base, uint64_t bytes) {
  return reinterpret_cast<char *>(reinterpret_cast<uint64_t>(base) + bytes);
}

namespace {

/// Calls `row(tile, global, count)` with the first elements of each row of
/// `inside`.
template <typename Function>
void forEachRow(const TileTransfer &transfer, const Inside &inside,
                Function row) {
  if (inside.isEmpty())
    return;
  unsigned rank = transfer.tileExtents.size(),
           leading = transfer.getNumLeadingDims();
  uint64_t bytes = transfer.elementBytes;
  // The offsets of the first element from the element at index zero.
  uint64_t tile = 0, global = 0;
  for (unsigned dim = 0; dim < leading; ++dim)
    global +=
        uint64_t(transfer.offsets[dim]) * uint64_t(transfer.globalStrides[dim]);
  for (unsigned dim = 0; dim < rank; ++dim) {
    tile += uint64_t(inside.begin[dim]) * uint64_t(transfer.tileStrides[dim]);
    global += uint64_t(transfer.offsets[leading + dim] + inside.begin[dim]) *
              uint64_t(transfer.globalStrides[leading + dim]);
  }
  llvm::SmallVector<int64_t, 6> index(inside.begin);
  unsigned inner = rank - 1;
  int64_t count = inside.end[inner] - inside.begin[inner];
  while (true) {
    row(addBytes(transfer.tile, tile * bytes),
        addBytes(transfer.global, global * bytes), count);
    unsigned dim = inner;
    while (dim-- > 0) {
      tile += uint64_t(transfer.tileStrides[dim]);
      global += uint64_t(transfer.globalStrides[leading + dim]);
      if (++index[dim] < inside.end[dim])
        break;
      auto length = uint64_t(inside.end[dim] - inside.begin[dim]);
      tile -= length * uint64_t(transfer.tileStrides[dim]);
      global -= length * uint64_t(transfer.globalStrides[leading + dim]);
      index[dim] = inside.begin[dim];
    }
    if (dim == ~0u)
      return;
  }
}

/// Calls `range(address, bytes)` for each contiguous range of a row.
template <typename Function>
void forEachRange(char *row, int64_t step, int64_t count, int64_t bytes,
                  Function range) {
  if (step == 1)
    return range(row, uint64_t(count * bytes));
  for (int64_t i = 0; i < count; ++i)
    range(row + i * step * bytes, uint64_t(bytes));
}

/// Calls `piece(tile, global, bytes)` for each range of a row that is
/// contiguous on both sides.
template <typename Function>
void forEachPiece(const TileTransfer &transfer, char *tile, char *global,
                  int64_t count, Function piece) {
  int64_t bytes = transfer.elementBytes;
  int64_t tileStep = transfer.tileStrides.back(),
          globalStep = transfer.globalStrides.back();
  if ((tileStep == 1 && globalStep == 1) || count == 1)
    return piece(tile, global, uint64_t(count * bytes));
  for (int64_t i = 0; i < count; ++i)
    piece(tile + i * tileStep * bytes, global + i * globalStep * bytes,
          uint64_t(bytes));
}

} // namespace

static int64_t getBoxExtent(const TileTransfer &transfer, unsigned dim) {
  unsigned leading = transfer.getNumLeadingDims();
  return dim < leading ? 1 : transfer.tileExtents[dim - leading];
}

static Inside getInside(const TileTransfer &transfer) {
  Inside inside;
  unsigned leading = transfer.getNumLeadingDims();
  bool isOutside = false;
  for (unsigned dim = 0; dim < transfer.globalExtents.size(); ++dim) {
    // Offsets may have any value: don't add before they are known to be small.
    int64_t offset = transfer.offsets[dim],
            extent = transfer.globalExtents[dim];
    int64_t box = getBoxExtent(transfer, dim);
    int64_t begin = offset >= 0 ? 0 : offset <= -box ? box : -offset;
    int64_t end = offset >= extent        ? 0
                  : offset < extent - box ? box
                                          : extent - offset;
    if ((begin != 0 || end != box) && inside.isWhole) {
      inside.isWhole = false;
      inside.leftDim = dim;
    }
    if (dim < leading) {
      isOutside |= begin >= end;
      continue;
    }
    inside.begin.push_back(begin);
    inside.end.push_back(std::max(begin, end));
  }
  if (isOutside)
    inside.end = inside.begin;
  return inside;
}

using llvm::Twine;

namespace {

void fillElements(char *address, uint64_t bytes, uint64_t element,
                  uint32_t elementBytes) {
  if (element == 0) {
    std::memset(address, 0, bytes);
    return;
  }
  for (uint64_t at = 0; at + elementBytes <= bytes; at += elementBytes)
    std::memcpy(address + at, &element, elementBytes);
}

std::string describeNumbers(llvm::ArrayRef<int64_t> numbers) {
  std::string text = "[";
  for (int64_t number : numbers)
    text += (text.size() > 1 ? ", " : "") + std::to_string(number);
  return text + "]";
}

} // namespace

class TileMover::Move {
public:
  Move(TileMover &mover, const TileTransfer &transfer,
       llvm::ArrayRef<Thread *> threads, llvm::StringRef name)
      : context(mover.context), ctas(mover.ctas), transfers(mover.transfers),
        transfer(transfer), threads(threads), name(name) {}

  void checkUniform(llvm::ArrayRef<uint64_t> values);
  void run();

private:
  Who first() const { return whoIs(*threads.front()); }
  void begin();
  void finish(uint64_t bytes);
  void checkBounds(const Inside &inside);
  /// Checks all accesses. Returns false if one isn't in live memory.
  bool checkAccesses(const Inside &inside);
  void fillTile(bool asPoison);
  void reduceToTile(const Inside &inside, bool isClean);
  bool isLive(const char *address, uint64_t bytes) const;

  AsyncContext &context;
  ResidentCTAs &ctas;
  TransferLog &transfers;
  const TileTransfer &transfer;
  llvm::ArrayRef<Thread *> threads;
  llvm::StringRef name;
  View view;
  Epoch epoch;
  Access access;
};

void TileMover::Move::checkUniform(llvm::ArrayRef<uint64_t> values) {
  for (size_t i = 1; i < threads.size(); ++i) {
    const auto &other = *reinterpret_cast<const TileTransfer *>(values[i]);
    Who who = whoIs(*threads[i]);
    const char *rule = nullptr;
    if (who.site != first().site)
      rule = "make the same transfer";
    else if (other.reduction.has_value() != transfer.reduction.has_value())
      rule = "agree on whether the box is combined with or replaced, as by an "
             "accumulation's first";
    else if (other.offsets != transfer.offsets)
      rule = "name the same offsets";
    else if (other.tile != transfer.tile)
      rule = "name the same tile";
    else if (other.global != transfer.global ||
             other.globalExtents != transfer.globalExtents ||
             other.globalStrides != transfer.globalStrides)
      rule = "name the same global memref";
    if (!rule)
      continue;
    std::string mine = "one", theirs = "another";
    if (other.offsets != transfer.offsets) {
      mine = describeNumbers(transfer.offsets);
      theirs = describeNumbers(other.offsets);
    }
    context.report(FindingKind::NonUniformTransfer, first().actor(name),
                   "expected the threads of a transfer's scope to " +
                       Twine(rule) + ", found " + mine + " in thread " +
                       Twine(first().thread) + " and " + theirs +
                       " in thread " + Twine(who.thread),
                   transfer.tile, 0, who.actor(name));
    return;
  }
}

/// Gives the transfer its epoch, and the knowledge of its threads.
void TileMover::Move::begin() {
  ++context.progress;
  AsyncCTA &cta = ctas.at(first().cta);
  // Transfers of the same threads follow each other, so they are one agent.
  uint64_t group = uint64_t(threads.front()->index) << 32 | threads.size();
  AgentSlot &slot = cta.transferAgents[group];
  if (slot.agent == 0)
    slot.agent = cta.nextAgent++;
  epoch = Epoch(first().cta, slot.agent, ++slot.time);
  for (const Thread *thread : threads)
    view.order.join(thread->view.order);
  for (const Thread *thread : threads)
    view.fencedAlias.join(thread->view.fencedAlias);
  for (const Thread *thread : threads)
    view.observations.join(thread->view.observations);
  for (const Thread *thread : threads)
    view.order.observe(thread->epoch());

  access.epoch = epoch;
  access.view = &view;
  access.thread = first().thread;
  access.operation = transfers.internName(name);
  access.site = first().site;
  access.isCollective = true;
}

/// Adds the time that an engine takes for the same bytes.
void TileMover::Move::finish(uint64_t bytes) {
  llvm::SmallVector<Clock *, 128> clocks;
  for (Thread *thread : threads)
    clocks.push_back(&thread->view.order);
  Clock::observe(clocks, epoch);

  Thread &mover = context.grid.current();
  uint64_t issued = mover.cycles + kIssueCycles;
  uint64_t landed =
      ctas.at(mover.cta).engine.pass(issued, bytes) + kGlobalLatency;
  mover.cycles = landed + kBarrierCycles;
  transfers.count(bytes, landed);
  if (!context.trace)
    return;
  AsyncTrace::Transfer span{transfers.newId(), name,         first().cta,
                            first().thread,    first().site, bytes,
                            transfer.tile,     issued,       landed};
  context.trace->transferIssued(span);
  context.trace->transferLanded(span);
}

void TileMover::Move::checkBounds(const Inside &inside) {
  if (inside.isWhole)
    return;
  if (transfer.isInBounds) {
    unsigned dim = inside.leftDim;
    context.report(FindingKind::OutOfBounds, first().actor(name),
                   "expected a box in bounds to be inside of the global "
                   "memref, found offset " +
                       Twine(transfer.offsets[dim]) + " and extent " +
                       Twine(getBoxExtent(transfer, dim)) + " in dimension " +
                       Twine(dim) + ", which has extent " +
                       Twine(transfer.globalExtents[dim]),
                   transfer.global, 0);
    return;
  }
  if (transfer.isLoad)
    return;
  for (unsigned dim = 0; dim < transfer.offsets.size(); ++dim) {
    if (transfer.offsets[dim] >= 0)
      continue;
    context.report(FindingKind::InvalidOperand, first().actor(name),
                   "expected offsets of a store that are not negative, found " +
                       describeNumbers(transfer.offsets),
                   transfer.global, 0);
    return;
  }
}

bool TileMover::Move::isLive(const char *address, uint64_t bytes) const {
  const RegionInfo *region = context.memory.find(address);
  return region && bytes <= region->size - uint64_t(address - region->base);
}

bool TileMover::Move::checkAccesses(const Inside &inside) {
  bool isInBounds = true;
  auto check = [&](AccessKind kind, bool isMulticast = false) {
    return [this, &isInBounds, kind, isMulticast](char *address,
                                                  uint64_t bytes) {
      bool isReduction = kind == AccessKind::Reduce;
      access.kind = kind;
      access.form = isReduction ? AtomicForm::Reduce : AtomicForm::None;
      access.elementBytes = isReduction ? uint8_t(transfer.elementBytes) : 0;
      access.isSystem = isReduction && isMulticast;
      access.isMulticast = isMulticast;
      isInBounds &= context.memory.access(address, bytes, access).inBounds;
    };
  };
  auto tileAccess =
      check(transfer.isLoad ? AccessKind::Write : AccessKind::Read);
  auto globalAccess =
      check(transfer.isLoad                               ? AccessKind::Read
            : transfer.reduction && !transfer.isExclusive ? AccessKind::Reduce
                                                          : AccessKind::Write,
            transfer.isMulticast);
  // A reduction also reads its destination.
  auto targetAccess = check(AccessKind::Read);
  auto addRow = [&](auto &ranges, char *row, int64_t step, int64_t count) {
    forEachRange(
        row, step, count, transfer.elementBytes,
        [&](char *address, uint64_t bytes) { ranges.add(address, bytes); });
  };
  if (transfer.reduction && (transfer.isLoad || transfer.isExclusive)) {
    Ranges<decltype(targetAccess)> ranges(targetAccess);
    forEachRow(transfer, inside, [&](char *tile, char *global, int64_t count) {
      addRow(ranges, transfer.isLoad ? tile : global,
             transfer.isLoad ? transfer.tileStrides.back()
                             : transfer.globalStrides.back(),
             count);
    });
  }
  {
    Ranges<decltype(globalAccess)> ranges(globalAccess);
    forEachRow(transfer, inside, [&](char *, char *global, int64_t count) {
      addRow(ranges, global, transfer.globalStrides.back(), count);
    });
  }
  // A load writes the whole tile. A store reads the part that it stores, and
  // orders the rest of the tile, written or not.
  Inside all;
  all.begin.assign(transfer.tileExtents.size(), 0);
  all.end.assign(transfer.tileExtents.begin(), transfer.tileExtents.end());
  auto addTile = [&](const Inside &part) {
    Ranges<decltype(tileAccess)> ranges(tileAccess);
    forEachRow(transfer, part, [&](char *tile, char *, int64_t count) {
      addRow(ranges, tile, transfer.tileStrides.back(), count);
    });
  };
  if (transfer.isLoad || inside.isWhole) {
    addTile(all);
    return isInBounds;
  }
  access.mayBeUnwritten = true;
  addTile(all);
  access.mayBeUnwritten = false;
  addTile(inside);
  return isInBounds;
}

void TileMover::Move::fillTile(bool asPoison) {
  Inside all;
  all.begin.assign(transfer.tileExtents.size(), 0);
  all.end.assign(transfer.tileExtents.begin(), transfer.tileExtents.end());
  forEachRow(transfer, all, [&](char *tile, char *, int64_t count) {
    auto fill = [&](char *to, uint64_t bytes) {
      if (!isLive(to, bytes))
        return;
      if (asPoison)
        poison(to, bytes);
      else
        fillElements(to, bytes, transfer.fill, transfer.elementBytes);
    };
    forEachRange(tile, transfer.tileStrides.back(), count,
                 transfer.elementBytes, fill);
  });
}

/// Combines the tile's elements with the box's, which are the left operands.
void TileMover::Move::reduceToTile(const Inside &inside, bool isClean) {
  std::vector<std::pair<char *, std::vector<char>>> combined;
  uint64_t moved = 0;
  forEachRow(transfer, inside, [&](char *tile, char *global, int64_t count) {
    forEachPiece(transfer, tile, global, count,
                 [&](char *tile, char *global, uint64_t bytes) {
                   if (!isLive(tile, bytes) || !isLive(global, bytes))
                     return;
                   std::vector<char> piece(global, global + bytes);
                   reduce(transfer.reduction->kind, transfer.reduction->type,
                          piece.data(), tile, bytes);
                   combined.emplace_back(tile, std::move(piece));
                   moved += bytes;
                 });
  });
  if (!isClean || !inside.isWhole)
    fillTile(/*asPoison=*/!isClean || transfer.isInBounds);
  for (const auto &[tile, piece] : combined)
    std::memcpy(tile, piece.data(), piece.size());
  finish(moved);
}

void TileMover::Move::run() {
  begin();
  Inside inside = getInside(transfer);
  checkBounds(inside);
  bool isClean = checkAccesses(inside);
  if (transfer.isLoad && transfer.reduction)
    return reduceToTile(inside, isClean);
  if (transfer.isLoad && (!isClean || !inside.isWhole))
    fillTile(/*asPoison=*/!isClean || transfer.isInBounds);
  uint64_t moved = 0;
  forEachRow(transfer, inside, [&](char *tile, char *global, int64_t count) {
    forEachPiece(transfer, tile, global, count,
                 [&](char *tile, char *global, uint64_t bytes) {
                   if (!isClean &&
                       !(isLive(tile, bytes) && isLive(global, bytes)))
                     return;
                   moved += bytes;
                   if (transfer.isLoad) {
                     std::memcpy(tile, global, bytes);
                     if (transfer.rounds)
                       roundToTF32(tile, bytes);
                     return;
                   }
                   if (transfer.reduction)
                     reduce(transfer.reduction->kind, transfer.reduction->type,
                            global, tile, bytes);
                   else
                     std::memcpy(global, tile, bytes);
                 });
  });
  finish(moved);
}

/// A store to a multicast address is one to each of its parts.
std::vector<TileTransfer>
TileMover::divide(const TileTransfer &transfer) const {
  const RegionInfo *region = context.memory.find(transfer.global);
  if (transfer.isLoad || !region || region->parts.empty())
    return {transfer};
  std::vector<TileTransfer> transfers(region->parts.size(), transfer);
  for (auto [part, base] : llvm::zip_equal(transfers, region->parts)) {
    part.global = base + (transfer.global - region->base);
    part.isMulticast = true;
    // No thread reads the parts.
    part.isExclusive = false;
  }
  return transfers;
}

void TileMover::move(const TileTransfer &transfer) {
  Thread &self = context.grid.current();
  auto all = uint32_t(context.grid.getShape().block.count());
  uint32_t begin = 0, count = all;
  if (transfer.scope != TransferScope::CTA) {
    auto size =
        uint32_t(transfer.scope == TransferScope::Warp ? rules::kWarpSize
                                                       : rules::kWarpgroupSize);
    begin = self.index / size * size;
    // The last group may have fewer threads.
    count = std::min(size, all - begin);
  }
  llvm::StringRef name = transfer.isLoad ? "load" : "store";
  context.grid.gather(
      name, begin, count, reinterpret_cast<uint64_t>(&transfer),
      [&](llvm::ArrayRef<uint64_t> values) {
        llvm::SmallVector<Thread *, 128> threads;
        for (uint32_t i = 0; i < count; ++i)
          threads.push_back(context.grid.lookup(self.cta, begin + i));
        // The first thread issues, whichever thread arrived last.
        const auto &first = *reinterpret_cast<const TileTransfer *>(values[0]);
        Move(*this, first, threads, name).checkUniform(values);
        for (const TileTransfer &part : divide(first))
          Move(*this, part, threads, name).run();
      });
  if (context.log.isFull())
    context.grid.abort();
}

} // namespace carousel::sim
