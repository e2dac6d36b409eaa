//===- AsyncEngine.cpp - issues and completes operations ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of an operation (rows of tensors, swizzled tiles in shared memory,
// and linear ranges), then its life from issue to completion. It reads all
// before it writes, or batch by batch.
//
//===----------------------------------------------------------------------===//

#include "AsyncEngine.h"

#include "../Tensors/Reduce.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace carousel::sim {

/// A swizzle permutes within lines of this size.
static constexpr uint64_t kLine = 128;

AccessResult ByteMover::access(AsyncOperation &operation, const void *address,
                               uint64_t size, bool isWrite) {
  Access access;
  bool isGeneric = operation.proxy == Proxy::Generic;
  if (isWrite && operation.isReduction) {
    access.kind = isGeneric ? AccessKind::Atomic : AccessKind::Reduce;
    access.form = AtomicForm::Reduce;
    access.elementBytes = uint8_t(getElementBytes(operation.reduceType));
  } else if (isWrite && operation.isRelease) {
    access.kind = AccessKind::Atomic;
    access.form = AtomicForm::Store;
    access.elementBytes = uint8_t(operation.bytes);
  } else if (isWrite) {
    access.kind = AccessKind::Write;
  }
  access.mayBeUnwritten = operation.isRelease && !operation.isReduction;
  access.proxy = operation.proxy;
  access.epoch = isWrite ? operation.writeEpoch : operation.readEpoch;
  access.view = &operation.view;
  access.thread = operation.issuer.thread;
  access.operation = operation.nameIndex;
  access.site = operation.issuer.site;
  access.operationId = operation.id;
  return memory.access(address, size, access);
}

void ByteMover::readRange(AsyncOperation &operation, const char *address,
                          uint64_t size, char *to) {
  AccessResult result = access(operation, address, size, /*isWrite=*/false);
  if (result.inBounds)
    std::memcpy(to, address, size);
  if (!result.inBounds ||
      (result.stale && schedule.pick(Decision::Bytes, 2) == 1))
    poison(to, size);
}

void ByteMover::writeRange(AsyncOperation &operation, char *address,
                           uint64_t size, const char *from) {
  if (!access(operation, address, size, /*isWrite=*/true).inBounds)
    return;
  if (operation.isReduction)
    reduce(operation.reduceKind, operation.reduceType, address, from, size);
  else
    std::memcpy(address, from, size);
}

//===----------------------------------------------------------------------===//
// Rows of a tensor
//===----------------------------------------------------------------------===//

/// For bytes [begin, end) of the tile, calls `inside(address, size, offset)`
/// for the parts in the tensor, in ranges that are contiguous on both sides,
/// and `outside(size, offset)` for the others.
template <typename Inside, typename Outside>
static void forEachRow(const TensorBox &box, uint64_t begin, uint64_t end,
                       Inside inside, Outside outside) {
  uint64_t address = 0, size = 0, offset = 0;
  auto add = [&](uint64_t from, uint64_t bytes, uint64_t at) {
    if (size != 0 && address + size == from && offset + size == at) {
      size += bytes;
      return;
    }
    if (size != 0)
      inside(reinterpret_cast<char *>(address), size, offset);
    address = from;
    size = bytes;
    offset = at;
  };
  uint64_t row = begin / box.rowBytes, inRow = begin % box.rowBytes;
  for (uint64_t at = begin; at < end; ++row, inRow = 0) {
    uint64_t rowStart = at - inRow;
    uint64_t last = std::min<uint64_t>(box.rowBytes, end - rowStart);
    const BoxRow &it = box.rows[row];
    uint64_t first = std::clamp<uint64_t>(it.begin, inRow, last);
    uint64_t stop = std::clamp<uint64_t>(it.end, first, last);
    if (first > inRow)
      outside(first - inRow, rowStart + inRow);
    if (stop > first)
      add(it.address + first, stop - first, rowStart + first);
    if (last > stop)
      outside(last - stop, rowStart + stop);
    at = rowStart + last;
  }
  if (size != 0)
    inside(reinterpret_cast<char *>(address), size, offset);
}

//===----------------------------------------------------------------------===//
// Tiles in shared memory
//===----------------------------------------------------------------------===//

/// Calls `range(address, size, offset)` for the accesses to bytes [begin, end)
/// of a tile, and `move(address, size, offset)` for each contiguous part.
template <typename Range, typename Move>
static void forEachChunk(const AsyncOperation &operation, char *tile,
                         uint64_t begin, uint64_t end, Range range, Move move) {
  Swizzle swizzle = operation.isTensor ? operation.map.swizzle : Swizzle::None;
  if (swizzle == Swizzle::None) {
    if (range(tile + begin, end - begin))
      move(tile + begin, end - begin, begin);
    return;
  }
  char *base = tile - operation.tileOffset;
  uint64_t step = swizzle == Swizzle::B128Atom32Flip8 ? 8 : 16;
  bool isWhole = begin % kLine == 0 && end % kLine == 0 &&
                 operation.tileOffset % kLine == 0;
  if (isWhole && !range(tile + begin, end - begin))
    return;
  for (uint64_t at = begin; at < end; at += step) {
    char *address = base + swizzleAddress(swizzle, operation.tileOffset + at);
    if (isWhole || range(address, step))
      move(address, step, at);
  }
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

void ByteMover::read(AsyncOperation &operation, const Pieces &pieces) {
  if (operation.kind == OperationKind::Immediate)
    return;
  char *staging = operation.staging.get();
  pieces.forEachRun([&](uint64_t first, uint64_t last) {
    uint64_t begin = first * 16, end = std::min(last * 16, operation.bytes);
    if (operation.isTensor && operation.kind == OperationKind::GlobalToShared) {
      forEachRow(
          operation.box, begin, end,
          [&](char *address, uint64_t size, uint64_t offset) {
            readRange(operation, address, size, staging + offset);
          },
          [&](uint64_t size, uint64_t offset) {
            fillOutOfBounds(operation.map, staging + offset, size);
          });
      if (operation.map.element == TensorElement::F32FTZ)
        flushSubnormals(staging + begin, end - begin);
      // Also with FTZ, hardware keeps subnormal numbers of tf32.
      if (operation.map.element == TensorElement::TF32 ||
          operation.map.element == TensorElement::TF32FTZ)
        roundToTF32(staging + begin, end - begin);
      return;
    }
    if (operation.isTensor) {
      auto *tile = const_cast<char *>(operation.source);
      bool isPoisoned = false;
      forEachChunk(
          operation, tile, begin, end,
          [&](char *address, uint64_t size) {
            AccessResult result =
                access(operation, address, size, /*isWrite=*/false);
            if (!result.inBounds)
              poison(staging + begin, end - begin);
            isPoisoned |=
                result.stale && schedule.pick(Decision::Bytes, 2) == 1;
            return result.inBounds;
          },
          [&](char *address, uint64_t size, uint64_t offset) {
            std::memcpy(staging + offset, address, size);
          });
      if (isPoisoned)
        poison(staging + begin, end - begin);
      return;
    }
    uint64_t valid = std::clamp(operation.validBytes, begin, end);
    if (valid > begin)
      readRange(operation, operation.source + begin, valid - begin,
                staging + begin);
    std::memset(staging + valid, 0, end - valid);
  });
}

void ByteMover::write(AsyncOperation &operation, const Pieces &pieces) {
  const char *staging = operation.staging.get();
  pieces.forEachRun([&](uint64_t first, uint64_t last) {
    uint64_t begin = first * 16, end = std::min(last * 16, operation.bytes);
    if (operation.isTensor && operation.kind == OperationKind::SharedToGlobal) {
      forEachRow(
          operation.box, begin, end,
          [&](char *address, uint64_t size, uint64_t offset) {
            writeRange(operation, address, size, staging + offset);
          },
          [](uint64_t, uint64_t) {});
      return;
    }
    if (operation.isTensor) {
      forEachChunk(
          operation, operation.destination, begin, end,
          [&](char *address, uint64_t size) {
            return access(operation, address, size, /*isWrite=*/true).inBounds;
          },
          [&](char *address, uint64_t size, uint64_t offset) {
            std::memcpy(address, staging + offset, size);
          });
      return;
    }
    if (operation.byteMask == 0xffff) {
      writeRange(operation, operation.destination + begin, end - begin,
                 staging + begin);
      return;
    }
    for (uint64_t at = begin; at < end; ++at) {
      uint64_t from = at;
      while (at < end && (operation.byteMask >> (at % 16) & 1) != 0)
        ++at;
      if (at != from)
        writeRange(operation, operation.destination + from, at - from,
                   staging + from);
    }
  });
}

/// After this number of events an operation does everything that remains.
static constexpr uint32_t kMaxBatches = 5;

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

void AsyncEngine::lendAgent(AsyncOperation &operation, Thread &thread) {
  AsyncCTA &cta = ctas.at(thread.cta);
  AgentSlot slot;
  size_t lookAt = std::min<size_t>(cta.freeSlots.size(), 4);
  for (size_t i = 0; i < lookAt; ++i) {
    if (!thread.view.order.covers(cta.freeSlots[i].last))
      continue;
    slot = cta.freeSlots[i];
    cta.freeSlots.erase(cta.freeSlots.begin() + long(i));
    break;
  }
  if (slot.agent == 0) {
    constexpr uint32_t kLastAgent = (1u << Epoch::kAgentBits) - 1;
    if (cta.nextAgent < kLastAgent || cta.freeSlots.empty()) {
      slot.agent = std::min(cta.nextAgent++, kLastAgent);
    } else {
      slot = cta.freeSlots.front();
      cta.freeSlots.pop_front();
    }
  }
  operation.slot = slot.agent;
  operation.readEpoch = Epoch(thread.cta, slot.agent, slot.time + 1);
  operation.writeEpoch = Epoch(thread.cta, slot.agent, slot.time + 2);
}

void AsyncEngine::joinGroup(AsyncOperation &operation, GroupQueue &queue,
                            Thread &thread, Epoch issueEpoch) {
  AsyncCTA &cta = ctas.at(thread.cta);
  if (queue.readAgent == 0) {
    queue.readAgent = cta.nextAgent++;
    queue.writeAgent = cta.nextAgent++;
  }
  operation.queue = &queue;
  operation.group = queue.open();
  operation.readEpoch = Epoch(thread.cta, queue.readAgent, queue.stamp);
  operation.writeEpoch = Epoch(thread.cta, queue.writeAgent, queue.stamp);
  Group &group = queue.groups.back();
  group.readsLeft += !operation.readDone;
  ++group.writesLeft;
  ++group.operations;
  group.issue = issueEpoch;
  group.site = thread.site;
  group.stamp = group.lastIssue = queue.stamp;

  if (operation.kind != OperationKind::SharedToGlobal)
    return;
  // For the writes of a group the first issue counts. A thread that knows of it
  // must wait for all.
  for (size_t i = cta.globalWrites.size(), stop = i > 8 ? i - 8 : 0;
       i-- > stop;)
    if (cta.globalWrites[i].thread == thread.index &&
        cta.globalWrites[i].group == operation.group)
      return;
  cta.globalWrites.push_back({thread.index, operation.group, issueEpoch,
                              operation.writeEpoch, operation.issuer});
}

static AsyncTrace::Transfer describeTransfer(const AsyncOperation &operation) {
  bool isRead = operation.kind == OperationKind::SharedToGlobal ||
                operation.kind == OperationKind::Product;
  const void *shared = isRead ? static_cast<const void *>(operation.source)
                              : operation.destination;
  return {operation.id,
          operation.name,
          operation.issuer.cta,
          operation.issuer.thread,
          operation.issuer.site,
          operation.bytes,
          shared,
          operation.issueCycles,
          operation.landCycles,
          operation.barrier ? operation.barrier->address : nullptr};
}

void AsyncEngine::issue(AsyncOperation &operation, GroupQueue *queue,
                        uint64_t latency) {
  ++context.progress;
  Thread &thread = context.grid.current();
  Epoch issueEpoch = thread.epoch();
  thread.tick();
  operation.view = thread.view;
  operation.cluster = thread.cluster;
  operation.state = &ctas.stateOf(thread);
  ++operation.state->references;
  if (queue)
    joinGroup(operation, *queue, thread, issueEpoch);
  else
    lendAgent(operation, thread);

  auto pieces = uint32_t(llvm::divideCeil(operation.bytes, 16));
  operation.reads = operation.writes = Pieces{0, pieces, 1, false, false};
  if (operation.stagingSize < pieces * 16) {
    operation.stagingSize = pieces * 16;
    operation.staging = std::make_unique<char[]>(operation.stagingSize);
  }
  thread.cycles += kIssueCycles;
  operation.issueCycles = thread.cycles;
  operation.landCycles =
      ctas.at(thread.cta).engine.pass(thread.cycles, operation.bytes) + latency;
  operations.start(operation);
  transfers.count(operation.bytes, operation.landCycles);
  if (context.trace)
    context.trace->transferIssued(describeTransfer(operation));
}

void AsyncEngine::issueProduct(AsyncOperation &operation, uint32_t pieces) {
  ++context.progress;
  Thread &thread = context.grid.current();
  operation.cluster = thread.cluster;
  operation.state = &ctas.stateOf(thread);
  ++operation.state->references;
  operation.reads = Pieces{0, pieces, 1, false, false};
  operation.writes = Pieces();
  operations.start(operation);
  if (context.trace)
    context.trace->transferIssued(describeTransfer(operation));
}

//===----------------------------------------------------------------------===//
// Landing
//===----------------------------------------------------------------------===//

static uint64_t countBytes(const AsyncOperation &operation,
                           const Pieces &pieces) {
  uint64_t bytes = 0;
  pieces.forEachRun([&](uint32_t begin, uint32_t end) {
    bytes += std::min<uint64_t>(end * 16ull, operation.bytes) - begin * 16ull;
  });
  return bytes;
}

void AsyncEngine::act(uint32_t which, Schedule &schedule) {
  AsyncOperation &operation = operations[which];
  uint32_t choice = 0;
  if (operation.events == 0) {
    choice = schedule.pick(Decision::EngineEvent, 16);
    operation.readFirst = choice >= 8;
    choice %= 8;
  } else if (operation.events < kMaxBatches) {
    choice = schedule.pick(Decision::EngineEvent, 8);
  }
  ++operation.events;

  if (operation.reader) {
    operation.reader->read(operation, operation.reads.take(choice));
    if (operation.reads.isEmpty())
      finishReader(which);
    return;
  }
  if (!operation.readDone && operation.readFirst) {
    mover.read(operation, operation.reads.take(choice));
    if (operation.reads.isEmpty()) {
      endReads(operation);
      operation.events = 1;
    }
    return;
  }
  Pieces batch = operation.writes.take(choice);
  bool isLast = operation.writes.isEmpty();
  if (!operation.readDone)
    mover.read(operation, batch);
  mover.write(operation, batch);
  if (isLast && !operation.readDone)
    endReads(operation);
  if (operation.barrier)
    arrivals.land(operation, countBytes(operation, batch), isLast);
  if (isLast)
    finish(which);
}

void AsyncEngine::endReads(AsyncOperation &operation) {
  operation.readDone = true;
  if (!operation.queue)
    return;
  Group &group = operation.queue->at(operation.group);
  --group.readsLeft;
  group.readCycles = std::max(group.readCycles, operation.landCycles);
  context.grid.wake(*operation.state);
}

void AsyncEngine::finishReader(uint32_t which) {
  AsyncOperation &operation = operations[which];
  operation.readDone = true;
  operation.reader->finish();
  finish(which);
}

void AsyncEngine::finish(uint32_t which) {
  AsyncOperation &operation = operations[which];
  if (operation.isRelease) {
    AtomicWrite write;
    write.epoch = operation.writeEpoch;
    write.site = operation.issuer.site;
    write.cta = operation.issuer.cta;
    write.cluster = operation.cluster;
    write.gpu = context.grid.getGPU(operation.issuer.cta);
    write.cycles = operation.landCycles;
    write.known = &operation.view;
    write.release(operation.view);
    atomics.publish(operation.destination, write, operation.isReduction);
  }
  if (context.trace)
    context.trace->transferLanded(describeTransfer(operation));
  ThreadState &state = *operation.state;
  if (GroupQueue *queue = operation.queue) {
    Group &group = queue->at(operation.group);
    --group.writesLeft;
    group.writeCycles = std::max(group.writeCycles, operation.landCycles);
    queue->prune();
    if (!queue->isBulk)
      copyArrives.fire(state);
    context.grid.wake(state);
  }
  --state.references;
  ctas.releaseState(state);
  if (operation.slot != 0)
    if (AsyncCTA *cta = ctas.find(operation.issuer.cta))
      cta->freeSlots.push_back(
          {operation.slot, operation.writeEpoch.time(), operation.writeEpoch});
  operation.view = View();
  operations.finish(which);
}

//===----------------------------------------------------------------------===//
// CTAs that exit
//===----------------------------------------------------------------------===//

/// Finishes an operation whose CTA exits, except for its writes to global
/// memory.
void AsyncEngine::expel(uint32_t which) {
  AsyncOperation &operation = operations[which];
  if (operation.reader) {
    operation.reader->read(operation, operation.reads);
    return finishReader(which);
  }
  Pieces rest = operation.readFirst ? operation.reads : operation.writes;
  if (operation.kind == OperationKind::SharedToGlobal) {
    if (operation.readDone)
      return;
    mover.read(operation, rest);
    endReads(operation);
    operation.readFirst = true;
    return;
  }
  // This is one of the possible schedules: the operation lands at the last
  // moment. So its errors are found in all schedules.
  if (!operation.readDone)
    mover.read(operation, rest);
  mover.write(operation, operation.writes);
  if (!operation.readDone)
    endReads(operation);
  uint64_t bytes = countBytes(operation, operation.writes);
  operation.writes.begin = operation.writes.end;
  if (operation.barrier)
    arrivals.land(operation, bytes, /*last=*/true);
  finish(which);
}

static bool usesShared(const AsyncOperation &operation, const AsyncCTA &cta) {
  return (!operation.readDone && cta.contains(operation.source)) ||
         cta.contains(operation.destination) ||
         (operation.barrier && cta.contains(operation.barrier->address));
}

void AsyncEngine::ctaExit(uint32_t cta, const AsyncCTA &state) {
  for (size_t which = operations.size(); which-- > 0;) {
    AsyncOperation &operation = operations[which];
    // The exit of a thread reports products.
    if (operation.reader && operation.issuer.cta == cta)
      expel(uint32_t(which));
    if (operation.reader || !usesShared(operation, state))
      continue;
    bool isSource = state.contains(operation.source);
    bool isOwnGroup = operation.queue && operation.issuer.cta == cta;
    // The exit of a thread already reports groups that it didn't wait for.
    if (!isOwnGroup && !operation.barrier)
      context.report(
          FindingKind::InFlight, operation.issuer.actor(operation.name),
          "expected no operation in flight on the shared memory of a CTA that "
          "exits",
          isSource ? operation.source : operation.destination, operation.bytes);
    if (operation.barrier && operation.barrier->cta != cta)
      context.report(
          FindingKind::InFlight, operation.issuer.actor(operation.name),
          "expected the source of a copy to be read before its CTA exits",
          operation.source, operation.bytes);
    expel(uint32_t(which));
  }
}

} // namespace carousel::sim
