//===- CpAsync.cpp - cp.async ---------------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async copies are weak accesses of the generic proxy that are performed
// later. The thread sees them after a group wait, and other threads after an
// mbarrier arrive that follows them.
//
//===----------------------------------------------------------------------===//

#include "AsyncImpl.h"

#include "carousel/Support/HardwareLimits.h"

namespace carousel::sim {

using llvm::Twine;

void AsyncMachine::cpAsync(const void *global, void *shared, uint32_t size,
                           uint32_t valid) {
  constexpr llvm::StringLiteral kName = "cp_async.copy";
  Impl &machine = *impl;
  if (size != 4 && size != 8 && size != 16)
    machine.invalid(kName,
                    "expected a size of 4, 8 or 16 bytes, got " + Twine(size),
                    shared, size);
  if (valid > size)
    machine.invalid(kName,
                    "expected at most the " + Twine(size) +
                        " bytes of the copy to be valid, got " + Twine(valid),
                    shared, size);
  machine.checkShared(kName, shared, size, "the destination", size);
  if (uint64_t past = reinterpret_cast<uint64_t>(global) % size;
      valid != 0 && past != 0)
    machine.invalid(kName,
                    "expected a source aligned to " + Twine(size) +
                        " bytes, got an address " + Twine(past) +
                        " bytes past that",
                    global, size);
  Operation &operation =
      machine.newOperation(OperationKind::GlobalToShared, kName);
  operation.proxy = Proxy::Generic;
  operation.source = static_cast<const char *>(global);
  operation.destination = static_cast<char *>(shared);
  operation.bytes = size;
  operation.validBytes = valid;
  machine.issue(operation, &machine.stateOf(machine.grid.current()).copies,
                kGlobalLatency);
}

void AsyncMachine::cpAsyncCommitGroup() {
  impl->commit(impl->stateOf(impl->grid.current()).copies);
}

void AsyncMachine::cpAsyncWaitGroup(uint32_t pending) {
  ThreadState &state = impl->stateOf(impl->grid.current());
  impl->waitGroups(state.copies, /*read=*/false, pending,
                   /*includesOpen=*/false);
}

void AsyncMachine::cpAsyncWaitAll() {
  ThreadState &state = impl->stateOf(impl->grid.current());
  impl->waitGroups(state.copies, /*read=*/false, 0, /*includesOpen=*/true);
}

void AsyncMachine::cpAsyncMbarrierArrive(void *address, bool noIncrement) {
  Impl &machine = *impl;
  ++machine.progress;
  Mbarrier *barrier = machine.useOwnBarrier(address, "a cp.async arrive on");
  if (!barrier)
    return;
  Thread &thread = machine.grid.current();
  ThreadState &state = machine.stateOf(thread);
  thread.cycles += kBarrierCycles;
  if (!noIncrement && barrier->pending++ >= rules::kMaxArrivals)
    machine.report(FindingKind::CountOutOfRange, machine.here().actor(),
                   "expected at most 1048575 pending arrivals, got one more",
                   address, rules::kMbarrierBytes);
  GroupQueue &copies = state.copies;
  Epoch epoch;
  if (copies.writeAgent != 0) {
    epoch = Epoch(thread.cta, copies.writeAgent, copies.stamp);
    copies.coveredStamp = copies.stamp++;
  }
  ++barrier->operationsInFlight;
  state.arrives.push_back({barrier, copies.open(), epoch, Impl::whoIs(thread)});
  machine.fireArrives(state);
}

void AsyncMachine::Impl::fireArrives(ThreadState &state) {
  uint32_t unfinished = state.copies.first;
  for (const Group &group : state.copies.groups) {
    if (group.writesLeft != 0)
      break;
    ++unfinished;
  }
  uint64_t cycles = state.copies.writeCycles;
  for (const Group &group : state.copies.groups)
    cycles = std::max(cycles, group.writeCycles);
  // Arrives are in the order of their groups. The first one may complete
  // phases, but doesn't call back here.
  while (!state.arrives.empty() && state.arrives.front().group < unfinished) {
    DeferredArrive next = state.arrives.front();
    state.arrives.erase(state.arrives.begin());
    --next.barrier->operationsInFlight;
    if (next.barrier->life != Mbarrier::Life::Live)
      continue;
    View view;
    if (next.copies) {
      // The reads complete with the writes. A later copy may then overwrite the
      // source.
      view.order.observe(next.copies);
      view.order.observe(
          Epoch(state.cta, state.copies.readAgent, next.copies.time()));
    }
    arrive(*next.barrier, 1, &view, next.copies, cycles, next.who,
           /*noComplete=*/false);
  }
}

} // namespace carousel::sim
