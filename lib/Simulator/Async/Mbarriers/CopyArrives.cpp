//===- CopyArrives.cpp - arrives that wait for cp.async copies ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.mbarrier.arrive, at once or when copies complete.
//
//===----------------------------------------------------------------------===//

#include "CopyArrives.h"

#include "carousel/Support/HardwareLimits.h"

namespace carousel::sim {

using llvm::Twine;

void CopyArrives::arrive(void *address, bool noIncrement) {
  ++context.progress;
  Mbarrier *barrier = barriers.useOwn(address, "a cp.async arrive on");
  if (!barrier)
    return;
  Thread &thread = context.grid.current();
  ThreadState &state = ctas.stateOf(thread);
  thread.cycles += kBarrierCycles;
  if (!noIncrement && barrier->pending++ >= rules::kMaxArrivals)
    context.report(FindingKind::CountOutOfRange, context.here().actor(),
                   "expected at most 1048575 pending arrivals, got one more",
                   address, rules::kMbarrierBytes);
  GroupQueue &copies = state.copies;
  Epoch epoch;
  if (copies.writeAgent != 0) {
    epoch = Epoch(thread.cta, copies.writeAgent, copies.stamp);
    copies.coveredStamp = copies.stamp++;
  }
  ++barrier->operationsInFlight;
  state.arrives.push_back({barrier, copies.open(), epoch, whoIs(thread)});
  fire(state);
}

void CopyArrives::fire(ThreadState &state) {
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
    arrivals.arrive(*next.barrier, 1, &view, next.copies, cycles, next.who,
                    /*noComplete=*/false);
  }
}

} // namespace carousel::sim
