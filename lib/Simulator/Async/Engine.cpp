//===- Engine.cpp - operations in flight ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations from issue to completion. An operation moves its pieces of 16
// bytes in a few batches that the schedule chooses: all remaining pieces, a
// half, one piece, or every other range. It reads everything before it writes,
// or reads and writes batch by batch.
//
//===----------------------------------------------------------------------===//

#include "AsyncImpl.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace carousel::sim {

/// After this number of events an operation does everything that remains.
static constexpr uint32_t kMaxBatches = 5;

Pieces Pieces::take(uint32_t choice) {
  Pieces taken = *this;
  if (alternate)
    choice = 0;
  uint32_t size = end - begin;
  // Split at lines of 128 bytes if possible, because swizzles stay inside them.
  uint32_t middle = begin + size / 2;
  if (size >= 16)
    middle = llvm::alignDown(middle, 8u);
  bool isSingle = size > 2;
  if (choice == 3 && size > 1 && middle > begin) {
    taken.end = begin = middle;
  } else if (choice == 4 && size > 1 && middle > begin) {
    taken.begin = end = middle;
  } else if (choice == 5 && isSingle) {
    taken.end = ++begin;
  } else if (choice == 6 && isSingle) {
    taken.begin = --end;
  } else if (choice == 7 && isSingle) {
    unit = size >= 128 ? llvm::alignTo(size / 16, 8u) : size >= 32 ? 8 : 1;
    alternate = true;
    taken = *this;
    taken.odd = true;
  } else {
    begin = end;
  }
  return taken;
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

Operation &AsyncMachine::Impl::newOperation(OperationKind kind,
                                            llvm::StringRef name) {
  Operation *operation;
  if (freeOperations.empty()) {
    operation = operationPool.emplace_back(std::make_unique<Operation>()).get();
  } else {
    operation = freeOperations.back();
    freeOperations.pop_back();
  }
  Operation &it = *operation;
  it.id = ++lastId;
  it.kind = kind;
  it.name = name;
  // Names are literals, so their addresses identify them.
  uint16_t &index = operationNames[reinterpret_cast<uint64_t>(name.data())];
  if (index == 0)
    index = memory.internOperation(name);
  it.nameIndex = index;
  it.issuer = here();
  it.proxy = Proxy::Async;
  it.source = nullptr;
  it.destination = nullptr;
  it.bytes = it.validBytes = it.tileOffset = 0;
  it.isTensor = it.isReduction = it.isRelease = false;
  it.byteMask = 0xffff;
  it.barrier = nullptr;
  it.state = nullptr;
  it.queue = nullptr;
  it.group = it.slot = it.events = 0;
  it.readFirst = false;
  it.readDone = kind == OperationKind::Immediate;
  return it;
}

uint64_t EngineTime::pass(uint64_t from, uint64_t bytes) {
  uint64_t duration = bytes / kEngineBytesPerCycle;
  if (duration == 0)
    return from;
  // New intervals mostly come last.
  size_t at = busy.size();
  while (at > 0 && busy[at - 1].second > from)
    --at;
  for (; at < busy.size() && busy[at].first < from + duration; ++at)
    from = std::max(from, busy[at].second);
  uint64_t end = from + duration;
  bool joinsBefore = at > 0 && busy[at - 1].second == from;
  bool joinsAfter = at < busy.size() && busy[at].first == end;
  if (joinsBefore && joinsAfter) {
    busy[at - 1].second = busy[at].second;
    busy.erase(busy.begin() + long(at));
  } else if (joinsBefore) {
    busy[at - 1].second = end;
  } else if (joinsAfter) {
    busy[at].first = from;
  } else {
    busy.insert(busy.begin() + long(at), {from, end});
  }
  // Gaps in the far past are rarely needed.
  constexpr size_t kMostGaps = 64;
  if (busy.size() > kMostGaps)
    busy.erase(busy.begin());
  return end;
}

void AsyncMachine::Impl::lendAgent(Operation &operation, Thread &thread) {
  AsyncCTA &cta = ctaOf(thread.cta);
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

void AsyncMachine::Impl::joinGroup(Operation &operation, GroupQueue &queue,
                                   Thread &thread, Epoch issueEpoch) {
  AsyncCTA &cta = ctaOf(thread.cta);
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

void AsyncMachine::Impl::issue(Operation &operation, GroupQueue *queue,
                               uint64_t latency) {
  ++progress;
  Thread &thread = grid.current();
  Epoch issueEpoch = thread.epoch();
  thread.tick();
  operation.view = thread.view;
  operation.cluster = thread.cluster;
  operation.state = &stateOf(thread);
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
      ctaOf(thread.cta).engine.pass(thread.cycles, operation.bytes) + latency;
  active.push_back(&operation);
  LaunchWork &work = workOf(operation);
  ++work.active;
  work.lastCycles = std::max(work.lastCycles, operation.landCycles);
  ++figures.transfers;
  figures.transferredBytes += operation.bytes;
  figures.lastCycles = std::max(figures.lastCycles, operation.landCycles);
  if (trace)
    trace->transferIssued(describeTransfer(operation));
}

AsyncMachine::Impl::LaunchWork &
AsyncMachine::Impl::workOf(const Operation &operation) {
  uint32_t launch = grid.getLaunchOf(operation.issuer.cta);
  if (launch >= launchWork.size())
    launchWork.resize(launch + 1);
  return launchWork[launch];
}

AsyncTrace::Transfer
AsyncMachine::Impl::describeTransfer(const Operation &operation) const {
  const void *shared = operation.kind == OperationKind::SharedToGlobal
                           ? static_cast<const void *>(operation.source)
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

//===----------------------------------------------------------------------===//
// Landing
//===----------------------------------------------------------------------===//

static uint64_t countBytes(const Operation &operation, const Pieces &pieces) {
  uint64_t bytes = 0;
  pieces.forEachRun([&](uint32_t begin, uint32_t end) {
    bytes += std::min<uint64_t>(end * 16ull, operation.bytes) - begin * 16ull;
  });
  return bytes;
}

void AsyncMachine::Impl::act(uint32_t which, Schedule &schedule) {
  Operation &operation = *active[which];
  uint32_t choice = 0;
  if (operation.events == 0) {
    choice = schedule.pick(Decision::EngineEvent, 16);
    operation.readFirst = choice >= 8;
    choice %= 8;
  } else if (operation.events < kMaxBatches) {
    choice = schedule.pick(Decision::EngineEvent, 8);
  }
  ++operation.events;

  if (!operation.readDone && operation.readFirst) {
    read(operation, operation.reads.take(choice));
    if (operation.reads.isEmpty()) {
      endReads(operation);
      operation.events = 1;
    }
    return;
  }
  Pieces batch = operation.writes.take(choice);
  bool isLast = operation.writes.isEmpty();
  if (!operation.readDone)
    read(operation, batch);
  write(operation, batch);
  if (isLast && !operation.readDone)
    endReads(operation);
  if (operation.barrier)
    land(operation, countBytes(operation, batch), isLast);
  if (isLast)
    finish(which);
}

void AsyncMachine::Impl::endReads(Operation &operation) {
  operation.readDone = true;
  if (!operation.queue)
    return;
  Group &group = operation.queue->at(operation.group);
  --group.readsLeft;
  group.readCycles = std::max(group.readCycles, operation.landCycles);
  grid.wake(*operation.state);
}

void AsyncMachine::Impl::finish(uint32_t which) {
  Operation &operation = *active[which];
  if (operation.isRelease) {
    AtomicWrite write;
    write.epoch = operation.writeEpoch;
    write.site = operation.issuer.site;
    write.cta = operation.issuer.cta;
    write.cluster = operation.cluster;
    write.cycles = operation.landCycles;
    write.known = &operation.view;
    write.release(operation.view);
    publish(operation.destination, write, operation.isReduction);
  }
  if (trace)
    trace->transferLanded(describeTransfer(operation));
  ThreadState &state = *operation.state;
  if (GroupQueue *queue = operation.queue) {
    Group &group = queue->at(operation.group);
    --group.writesLeft;
    group.writeCycles = std::max(group.writeCycles, operation.landCycles);
    prune(*queue);
    if (!queue->isBulk)
      fireArrives(state);
    grid.wake(state);
  }
  --state.references;
  releaseState(state);
  if (operation.slot != 0)
    if (auto it = ctas.find(operation.issuer.cta); it != ctas.end())
      it->second->freeSlots.push_back(
          {operation.slot, operation.writeEpoch.time(), operation.writeEpoch});
  operation.view = View();
  --workOf(operation).active;
  active[which] = active.back();
  active.pop_back();
  freeOperations.push_back(&operation);
}

void AsyncMachine::Impl::expel(uint32_t which) {
  Operation &operation = *active[which];
  Pieces rest = operation.readFirst ? operation.reads : operation.writes;
  if (operation.kind == OperationKind::SharedToGlobal) {
    if (operation.readDone)
      return;
    read(operation, rest);
    endReads(operation);
    operation.readFirst = true;
    return;
  }
  // This is one of the possible schedules: the operation lands at the last
  // moment. So its errors are found in all schedules.
  if (!operation.readDone)
    read(operation, rest);
  write(operation, operation.writes);
  if (!operation.readDone)
    endReads(operation);
  uint64_t bytes = countBytes(operation, operation.writes);
  operation.writes.begin = operation.writes.end;
  if (operation.barrier)
    land(operation, bytes, /*last=*/true);
  finish(which);
}

} // namespace carousel::sim
