//===- SharedMemoryPlan.cpp - places of buffers ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The placement knows nothing of IR. The plan of a kernel combines it with the
// buffers' uses, and adds barriers. By docs/MemoryModel.md, between the last
// access to the old buffer and the first one to the new buffer all threads
// execute a barrier, which orders their own accesses, and those of loads that
// one of them has waited for. Before that, threads whose engines or cp.async
// copies still read or write the old bytes wait for them, since no other thread
// can, and threads that wrote the old bytes execute a fence for the async
// proxy, if it is to write the new ones.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/SharedMemory/SharedMemoryPlan.h"

#include "carousel/Analysis/Decisions/Throughput.h"
#include "carousel/Analysis/Values/Alignment.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <numeric>
#include <tuple>

using namespace mlir;
using namespace carousel;

namespace {

/// Bytes that a later buffer reuses.
struct Handover {
  const PlannedBuffer *from;
  const PlannedBuffer *to;
};

} // namespace

/// Whether this is a barrier of all threads of the CTA.
static bool isThreadBarrier(Operation *op) {
  if (auto named = dyn_cast<BarrierSyncOp>(op))
    return !named.getThreads();
  return isa<gpu::BarrierOp>(op);
}

static bool isBulkWait(Operation *op) {
  auto wait = dyn_cast<BulkWaitGroupOp>(op);
  return wait && wait.getPending() == 0;
}

static bool isAsyncFence(Operation *op) {
  auto fence = dyn_cast<FenceProxyOp>(op);
  return fence && (fence.getProxy() == ProxyKind::Async ||
                   fence.getProxy() == ProxyKind::AsyncSharedCTA);
}

/// The next op that is `wanted`, and that each thread which executes `op` also
/// executes before `end` at the top of the kernel; or null.
static Operation *findAfter(Operation *op, Operation *end,
                            function_ref<bool(Operation *)> wanted) {
  for (; !isa<gpu::GPUFuncOp>(op); op = op->getParentOp())
    for (Operation *next = op->getNextNode(); next;
         next = next->getNextNode()) {
      if (next == end)
        return nullptr;
      if (wanted(next))
        return next;
    }
  return nullptr;
}

/// The wait for a barrier's first phase, which the copy completes: all of the
/// barrier's ops are at the top of the kernel, and one of them arrives.
static Operation *findFirstPhaseWait(Operation *copy, Operation *end) {
  auto arrive = dyn_cast_or_null<CpAsyncMbarrierArriveOp>(
      findAfter(copy, end, [](Operation *op) {
        return isa<CpAsyncMbarrierArriveOp>(op);
      }));
  auto isAtTop = [](Operation *op) {
    return isa<gpu::GPUFuncOp>(op->getParentOp());
  };
  if (!arrive || !isAtTop(arrive) ||
      !llvm::all_of(arrive.getBarriers().getUsers(), [&](Operation *user) {
        return user == arrive || isa<MbarrierInitOp, MbarrierWaitOp>(user);
      }))
    return nullptr;
  return findAfter(arrive, end, [&](Operation *op) {
    auto wait = dyn_cast<MbarrierWaitOp>(op);
    return wait && isAtTop(wait) &&
           wait.getBarriers() == arrive.getBarriers() &&
           wait.getIndices() == arrive.getIndices() && wait.getParity() &&
           matchPattern(wait.getParity(), m_Zero()) &&
           wait.getSemantics() == MemSemantics::Acquire;
  });
}

/// The wait after which this thread's cp.async is complete.
static Operation *findCpAsyncWait(Operation *copy, Operation *end) {
  if (Operation *wait = findFirstPhaseWait(copy, end))
    return wait;
  Operation *commit = findAfter(
      copy, end, [](Operation *op) { return isa<CpAsyncCommitGroupOp>(op); });
  Operation *all = findAfter(
      copy, end, [](Operation *op) { return isa<CpAsyncWaitAllOp>(op); });
  if (all || !commit)
    return all;
  return findAfter(commit, end, [](Operation *op) {
    auto wait = dyn_cast<CpAsyncWaitGroupOp>(op);
    return wait && wait.getPending() == 0;
  });
}

/// Adds to `barrier` the steps that the handover needs before it.
static void addNeeds(PlannedBarrier &barrier, const Handover &handover,
                     const TargetSpec &target) {
  const BufferUses &from = handover.from->uses;
  for (Operation *store : from.asyncReads) {
    Operation *commit = findAfter(store, barrier.at, [](Operation *op) {
      return isa<BulkCommitGroupOp>(op);
    });
    barrier.commitsBulk |= !commit;
    barrier.waitsForBulkReads |=
        !commit || !findAfter(commit, barrier.at, isBulkWait);
  }
  bool needsFence = !handover.to->uses.asyncWrites.empty() &&
                    target.info->sm >= rules::kBulkSM;
  for (Operation *write : from.genericWrites)
    barrier.fencesAsyncProxy |=
        needsFence && !findAfter(write, barrier.at, isAsyncFence);
  for (Operation *copy : from.cpAsyncWrites) {
    Operation *wait = findCpAsyncWait(copy, barrier.at);
    barrier.waitsForCpAsync |= !wait;
    // cp.async writes through the generic proxy, but only when it is performed.
    barrier.fencesAsyncProxy |=
        needsFence && !(wait && findAfter(wait, barrier.at, isAsyncFence));
  }
}

static unsigned countInsertions(const PlannedBarrier &barrier) {
  return barrier.insertsBarrier + barrier.commitsBulk +
         barrier.waitsForBulkReads + barrier.waitsForCpAsync +
         barrier.fencesAsyncProxy;
}

static SmallVector<Handover> getHandovers(ArrayRef<PlannedBuffer> buffers) {
  SmallVector<Handover> handovers;
  for (const PlannedBuffer &from : buffers)
    for (const PlannedBuffer &to : buffers)
      if (from.lives.last < to.lives.first && !from.lives.isEmpty() &&
          !to.lives.isEmpty() && from.sharesBytesWith(to))
        handovers.push_back({&from, &to});
  // The latest barrier that the first of them allows serves the most handovers.
  llvm::sort(handovers, [](const Handover &lhs, const Handover &rhs) {
    return std::make_tuple(lhs.to->lives.first, lhs.from, lhs.to) <
           std::make_tuple(rhs.to->lives.first, rhs.from, rhs.to);
  });
  return handovers;
}

/// The steps to insert for each pair of buffers that share bytes, except those
/// that the kernel already has.
static SmallVector<PlannedBarrier> planBarriers(gpu::GPUFuncOp kernel,
                                                ArrayRef<PlannedBuffer> buffers,
                                                const TargetSpec &target) {
  SmallVector<Operation *> ops = getTopLevelOps(kernel);
  // Existing barriers, and those to insert before an op, by position.
  SmallVector<std::pair<int64_t, PlannedBarrier>> candidates;
  for (auto [position, op] : llvm::enumerate(ops))
    if (isThreadBarrier(op)) {
      candidates.emplace_back(position, PlannedBarrier());
      candidates.back().second.at = op;
    }
  for (const Handover &handover : getHandovers(buffers)) {
    std::pair<int64_t, PlannedBarrier> *best = nullptr;
    PlannedBarrier bestBarrier;
    unsigned bestCost = 0;
    for (auto &candidate : candidates) {
      auto &[position, barrier] = candidate;
      // An inserted barrier stands before the op at its position.
      int64_t latest = handover.to->lives.first - !barrier.insertsBarrier;
      if (position <= handover.from->lives.last || position > latest)
        continue;
      PlannedBarrier extended = barrier;
      addNeeds(extended, handover, target);
      unsigned cost = countInsertions(extended) - countInsertions(barrier);
      // A later wait blocks for less time.
      if (best &&
          (cost > bestCost || (cost == bestCost && position < best->first)))
        continue;
      best = &candidate;
      bestBarrier = extended;
      bestCost = cost;
    }
    if (best) {
      best->second = bestBarrier;
      continue;
    }
    PlannedBarrier barrier;
    barrier.at = ops[handover.to->lives.first];
    barrier.insertsBarrier = true;
    addNeeds(barrier, handover, target);
    candidates.emplace_back(handover.to->lives.first, barrier);
  }
  llvm::sort(candidates, llvm::less_first());
  SmallVector<PlannedBarrier> barriers;
  for (const auto &[position, barrier] : candidates)
    if (countInsertions(barrier) > 0)
      barriers.push_back(barrier);
  return barriers;
}

/// The alignment of everything in shared memory, on which later vector accesses
/// and bulk copies rely.
static constexpr int64_t kLeastAlignment = 16;

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

/// The strictest alignment first. This needs less padding than rounding each
/// buffer up to its own alignment.
static int64_t placeByAlignment(MutableArrayRef<PlacedBuffer> buffers,
                                int64_t base) {
  SmallVector<PlacedBuffer *> order;
  for (PlacedBuffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::sort(order, [](PlacedBuffer *lhs, PlacedBuffer *rhs) {
    return std::make_pair(-lhs->alignment, lhs) <
           std::make_pair(-rhs->alignment, rhs);
  });
  int64_t end = base;
  for (PlacedBuffer *buffer : order) {
    buffer->offset = llvm::alignTo(end, buffer->alignment);
    end = buffer->getEnd();
  }
  return end;
}

/// The cost of an offset. The least is taken: first the growth, then the pairs
/// of buffers that share bytes, since each may cost a barrier, then the room
/// that remains for the next buffer (best fit).
using PlaceCost = std::tuple<int64_t, int64_t, int64_t, int64_t>;

/// The cost of `buffer` at its offset, or nullopt if the offset isn't possible.
static std::optional<PlaceCost> getCost(const PlacedBuffer &buffer,
                                        ArrayRef<PlacedBuffer *> placed,
                                        int64_t end) {
  int64_t sharing = 0;
  int64_t slack = std::numeric_limits<int64_t>::max();
  for (const PlacedBuffer *other : placed) {
    bool together = buffer.lives.overlaps(other->lives);
    if (buffer.sharesBytesWith(*other)) {
      if (together)
        return std::nullopt;
      ++sharing;
    }
    if (together && other->offset >= buffer.getEnd())
      slack = std::min(slack, other->offset - buffer.getEnd());
  }
  return PlaceCost(std::max(end, buffer.getEnd()), sharing, slack,
                   buffer.offset);
}

static int64_t placeGreedily(MutableArrayRef<PlacedBuffer> buffers,
                             int64_t base) {
  SmallVector<PlacedBuffer *> order;
  for (PlacedBuffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::sort(order, [](PlacedBuffer *lhs, PlacedBuffer *rhs) {
    return std::make_tuple(-lhs->bytes, -lhs->alignment, lhs) <
           std::make_tuple(-rhs->bytes, -rhs->alignment, rhs);
  });
  SmallVector<PlacedBuffer *> placed;
  int64_t end = base;
  for (PlacedBuffer *buffer : order) {
    // The best offset is where the memory starts, or where another buffer ends.
    SmallVector<int64_t> starts{base};
    for (const PlacedBuffer *other : placed)
      starts.push_back(other->getEnd());
    std::optional<PlaceCost> best;
    for (int64_t start : starts) {
      buffer->offset = llvm::alignTo(start, buffer->alignment);
      std::optional<PlaceCost> cost = getCost(*buffer, placed, end);
      if (cost && (!best || *cost < *best))
        best = cost;
    }
    // After all others there is always room.
    buffer->offset = std::get<3>(*best);
    end = std::get<0>(*best);
    placed.push_back(buffer);
  }
  return end;
}

int64_t carousel::placeSeparately(MutableArrayRef<PlacedBuffer> buffers,
                                  int64_t base) {
  SmallVector<PlacedBuffer> together(buffers);
  for (PlacedBuffer &buffer : together)
    buffer.lives = Lifetime::whole();
  int64_t greedyEnd = placeGreedily(together, base);
  int64_t end = placeByAlignment(buffers, base);
  if (end < greedyEnd)
    return end;
  for (auto [buffer, place] : llvm::zip(buffers, together))
    buffer.offset = place.offset;
  return greedyEnd;
}

int64_t carousel::placeByLifetime(MutableArrayRef<PlacedBuffer> buffers,
                                  int64_t base) {
  SmallVector<PlacedBuffer> separate(buffers);
  int64_t separateEnd = placeSeparately(separate, base);
  int64_t end = placeGreedily(buffers, base);
  if (end < separateEnd)
    return end;
  // Sharing without a gain would only cost barriers.
  llvm::copy(separate, buffers.begin());
  return separateEnd;
}

//===----------------------------------------------------------------------===//
// The plan of a kernel
//===----------------------------------------------------------------------===//

/// The number of elements from the buffer's first to its last, or nullopt if
/// the layout isn't known.
static std::optional<uint64_t> getSpannedElements(MemRefType type) {
  // The number of elements may overflow the type's own count.
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  uint64_t elements = 1;
  if (type.getLayout().isIdentity()) {
    for (int64_t extent : type.getShape())
      elements = llvm::SaturatingMultiply<uint64_t>(elements, extent);
    return elements;
  }
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset) || offset < 0)
    return std::nullopt;
  elements += offset;
  for (auto [extent, stride] : llvm::zip(type.getShape(), strides)) {
    if (ShapedType::isDynamic(stride) || stride < 0)
      return std::nullopt;
    elements =
        llvm::SaturatingMultiplyAdd<uint64_t>(extent - 1, stride, elements);
  }
  return elements;
}

std::optional<int64_t> carousel::getAllocationBytes(MemRefType type) {
  if (!type.hasStaticShape())
    return std::nullopt;
  std::optional<uint64_t> elementBytes =
      getMostElementBytes(type.getElementType());
  std::optional<uint64_t> elements = getSpannedElements(type);
  if (!elements || !elementBytes)
    return std::nullopt;
  uint64_t bytes = llvm::SaturatingMultiply(*elements, *elementBytes);
  return std::min<uint64_t>(bytes, std::numeric_limits<int64_t>::max());
}

static std::string getBufferName(Location location, size_t number) {
  if (auto name = dyn_cast<NameLoc>(location))
    return "%" + name.getName().str();
  if (auto place = location->findInstanceOf<FileLineColLoc>())
    return (llvm::sys::path::filename(place.getFilename()) + ":" +
            Twine(place.getLine()) + ":" + Twine(place.getColumn()))
        .str();
  return "buffer " + std::to_string(number);
}

/// Places buffers of a few bytes, as reductions have, where no others are: a
/// barrier costs more than the bytes. Returns the end.
static int64_t placeFewBytesApart(MutableArrayRef<PlacedBuffer> buffers,
                                  int64_t base) {
  constexpr int64_t kFewBytes = 128;
  SmallVector<PlacedBuffer> apart(buffers);
  for (PlacedBuffer &buffer : apart)
    if (buffer.bytes <= kFewBytes && !buffer.lives.isEmpty())
      buffer.lives = Lifetime::whole();
  int64_t end = placeByLifetime(apart, base);
  for (auto [buffer, place] : llvm::zip_equal(buffers, apart))
    buffer.offset = place.offset;
  return end;
}

/// The CTAs of a kernel that an SM has shared memory and threads for.
static int64_t countResident(gpu::GPUFuncOp kernel, const TargetSpec &target,
                             int64_t bytes) {
  int64_t threads = 1;
  if (auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch))
    for (int64_t extent : launch.getBlock())
      threads *= extent;
  OccupancyLimit limit;
  return computeCTAsPerSM(*target.info, threads, /*registers=*/1, bytes, limit);
}

SharedMemoryPlan carousel::planSharedMemory(gpu::GPUFuncOp kernel,
                                            ArrayRef<memref::AllocOp> allocs,
                                            const TargetSpec &target,
                                            int64_t staticBytes, int64_t base,
                                            bool reuse) {
  SharedMemoryPlan plan;
  plan.chip = target.info->chip;
  plan.limit = target.info->maxSharedPerBlock;
  plan.staticBytes = padStaticShared(staticBytes);
  plan.base = base;

  SmallVector<PlacedBuffer> placed;
  for (BufferUses &uses : computeBufferUses(kernel, allocs)) {
    PlannedBuffer buffer;
    buffer.bytes = *getAllocationBytes(uses.alloc.getType());
    buffer.alignment = std::max(uses.alignment, kLeastAlignment);
    buffer.lives = uses.lives;
    buffer.name = getBufferName(uses.alloc.getLoc(), plan.buffers.size());
    buffer.uses = std::move(uses);
    placed.push_back(buffer);
    plan.buffers.push_back(std::move(buffer));
  }
  SmallVector<PlacedBuffer> separate(placed);
  plan.separateEnd = placeSeparately(separate, base);
  plan.end = reuse ? placeByLifetime(placed, base) : plan.separateEnd;
  if (reuse) {
    SmallVector<PlacedBuffer> apart(placed);
    int64_t end = placeFewBytesApart(apart, base);
    if (countResident(kernel, target, plan.staticBytes + end) ==
        countResident(kernel, target, plan.getTotal())) {
      placed = apart;
      plan.end = end;
    }
  }
  for (auto [buffer, place] :
       llvm::zip(plan.buffers, reuse ? placed : separate))
    buffer.offset = place.offset;
  plan.barriers = planBarriers(kernel, plan.buffers, target);
  return plan;
}

static std::string formatLifetime(const Lifetime &lives) {
  if (lives.isEmpty())
    return "never";
  if (lives.isWhole())
    return "all";
  return std::to_string(lives.first) + "-" + std::to_string(lives.last);
}

void SharedMemoryPlan::print(raw_ostream &os, StringRef kernel) const {
  os << "shared memory of @" << kernel << " on " << chip << ": " << getTotal()
     << " of " << limit << " bytes, " << separateEnd - end
     << " saved by reuse\n";
  auto printRow = [&](const Twine &offset, const Twine &bytes,
                      const Twine &alignment, const Twine &lives,
                      const Twine &name) {
    os << llvm::right_justify(offset.str(), 8)
       << llvm::right_justify(bytes.str(), 9)
       << llvm::right_justify(alignment.str(), 7)
       << llvm::right_justify(lives.str(), 9) << "  " << name << "\n";
  };
  printRow("offset", "bytes", "align", "lives", "buffer");
  if (staticBytes > 0)
    printRow("-", Twine(staticBytes), "-", "all", "static, padded");
  if (base > 0)
    printRow("0", Twine(base), "-", "all", "dynamic, in use before");
  SmallVector<const PlannedBuffer *> order;
  for (const PlannedBuffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::sort(order, [](const PlannedBuffer *lhs, const PlannedBuffer *rhs) {
    return std::make_pair(lhs->offset, lhs) < std::make_pair(rhs->offset, rhs);
  });
  for (const PlannedBuffer *buffer : order)
    printRow(Twine(buffer->offset), Twine(buffer->bytes),
             Twine(buffer->alignment), formatLifetime(buffer->lives),
             buffer->name);
}
