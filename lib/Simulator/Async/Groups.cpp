//===- Groups.cpp - groups of asynchronous operations ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Commits and waits of groups. A wait takes the groups' time and makes their
// accesses known to the thread.
//
//===----------------------------------------------------------------------===//

#include "Groups.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace carousel::sim {

uint32_t GroupWaits::wait(GroupQueue &queue, bool read, uint32_t pending,
                          bool includesOpen) {
  Thread &thread = context.grid.current();
  ThreadState &state = ctas.stateOf(thread);
  uint32_t committed = queue.open() - 1;
  uint32_t target =
      includesOpen ? queue.open() : committed - std::min(pending, committed);
  if (!queue.isDone(target, read)) {
    state.waitingOn = &queue;
    state.waitTarget = target;
    state.waitRead = read;
    do
      context.grid.wait(state);
    while (!queue.isDone(target, read));
    state.waitingOn = nullptr;
  }
  uint64_t cycles = read ? queue.readCycles : queue.writeCycles;
  for (size_t i = 0; i < queue.groups.size() && queue.first + i <= target; ++i)
    cycles = std::max(cycles, read ? queue.groups[i].readCycles
                                   : queue.groups[i].writeCycles);
  thread.cycles = std::max(thread.cycles, cycles);
  if (target == 0)
    return 0;
  uint32_t stamp = includesOpen ? queue.stamp : queue.stampOf(target);
  if (queue.readAgent != 0) {
    thread.view.order.observe(Epoch(thread.cta, queue.readAgent, stamp));
    if (!read)
      thread.view.order.observe(Epoch(thread.cta, queue.writeAgent, stamp));
  }
  uint32_t waited = includesOpen ? committed : target;
  queue.readWaited = std::max(queue.readWaited, waited);
  queue.coveredStamp = std::max(queue.coveredStamp, stamp);
  queue.waitedStamp = std::max(queue.waitedStamp, stamp);
  if (!read)
    queue.completeWaited = std::max(queue.completeWaited, waited);
  if (includesOpen)
    ++queue.stamp;
  queue.prune();
  return target;
}

using llvm::Twine;

void BulkGroups::commit() {
  ++context.progress;
  ctas.stateOf(context.grid.current()).bulk.commit();
}

void BulkGroups::wait(bool read, uint32_t pending) {
  Thread &thread = context.grid.current();
  ThreadState &state = ctas.stateOf(thread);
  if (!state.bulk.isUsed())
    noteForeignWait(thread, read, pending);
  uint32_t target =
      waits.wait(state.bulk, read, pending, /*includesOpen=*/false);
  // Keep the newest one of the completed writes, which represents all.
  if (target != 0 && !read)
    llvm::erase_if(
        ctas.at(thread.cta).globalWrites, [&](const GlobalWrite &write) {
          return write.thread == thread.index && write.group < target;
        });
  llvm::erase_if(state.foreignWaits, [&](const ForeignWait &wait) {
    return wait.waiter.site == thread.site;
  });
}

//===----------------------------------------------------------------------===//
// Waits for other threads' groups
//===----------------------------------------------------------------------===//

void BulkGroups::noteForeignWait(Thread &thread, bool read, uint32_t pending) {
  // All lanes may execute a wait that is meant for one of them. The fault is
  // that this lane doesn't, which shows when it ends.
  for (ThreadState *other : ctas.at(thread.cta).threads) {
    GroupQueue &queue = other->bulk;
    if (other->thread == thread.index || !queue.isUsed())
      continue;
    // Groups of whose commit the thread can't know aren't meant.
    auto isKnown = [&](const Group &group) {
      return group.operations != 0 && thread.view.order.covers(group.issue);
    };
    uint32_t known = queue.open() - 1;
    while (known >= queue.first && !isKnown(queue.at(known)))
      --known;
    if (known <= pending || (known < queue.first && !isKnown(queue.dropped)))
      continue;
    uint32_t target = known - pending;
    uint32_t waited = read ? queue.readWaited : queue.completeWaited;
    const Group &group =
        target < queue.first ? queue.dropped : queue.at(target);
    Epoch done(thread.cta, read ? queue.readAgent : queue.writeAgent,
               queue.stampOf(target));
    if (target <= waited || group.operations == 0 ||
        thread.view.order.covers(done))
      continue;
    ForeignWait wait{whoIs(thread), group.site};
    if (other->hasEnded)
      reportForeignWait(*other, wait);
    else if (llvm::none_of(other->foreignWaits, [&](const ForeignWait &noted) {
               return noted.waiter.site == thread.site;
             }))
      other->foreignWaits.push_back(wait);
  }
}

void BulkGroups::reportForeignWait(const ThreadState &state,
                                   const ForeignWait &wait) {
  context.report(
      FindingKind::ForeignGroupWait, wait.waiter.actor("bulk.wait_group"),
      "expected a group wait in the thread that committed the group, "
      "thread " +
          Twine(state.thread) + ", got one in thread " +
          Twine(wait.waiter.thread) + ", which has issued no transfer",
      nullptr, 0, Who{state.cta, state.thread, wait.issued}.actor());
}

void BulkGroups::threadExit(Thread &thread, ThreadState &state) {
  Actor actor = whoIs(thread).actor();
  GroupQueue &bulk = state.bulk;
  state.hasEnded = true;
  for (const ForeignWait &wait : state.foreignWaits)
    reportForeignWait(state, wait);
  if (const Group &last = bulk.groups.back(); last.operations != 0) {
    actor.site = last.site;
    context.report(
        FindingKind::UncommittedTransfer, actor,
        "expected bulk.commit_group after the last transfer of a thread, "
        "found " +
            Twine(last.operations) +
            " transfers in a group that is never committed");
  }
  for (size_t i = 0; i + 1 < bulk.groups.size(); ++i) {
    const Group &group = bulk.groups[i];
    if (group.operations == 0 || bulk.first + i <= bulk.readWaited)
      continue;
    actor.site = group.site;
    context.report(
        FindingKind::InFlight, actor,
        "expected bulk.wait_group before the thread that committed a group "
        "exits, found a "
        "group whose sources may still be read");
  }
}

} // namespace carousel::sim
