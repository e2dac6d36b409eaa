//===- BulkGroups.cpp - groups of asynchronous operations -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Commits and waits of bulk groups and of cp.async groups, which belong to one
// thread each. Reports a thread that waits for another thread's groups, or that
// exits too early.
//
//===----------------------------------------------------------------------===//

#include "AsyncImpl.h"

#include "llvm/ADT/StringExtras.h"

namespace carousel::sim {

using llvm::Twine;

void AsyncMachine::Impl::commit(GroupQueue &queue) {
  queue.groups.back().stamp = queue.stamp++;
  queue.groups.emplace_back();
}

void AsyncMachine::Impl::prune(GroupQueue &queue) {
  uint32_t waited = std::max(queue.readWaited, queue.completeWaited);
  while (queue.groups.size() > 1 && queue.first <= waited) {
    Group &group = queue.groups.front();
    if (group.readsLeft != 0 || group.writesLeft != 0)
      return;
    queue.readCycles = std::max(queue.readCycles, group.readCycles);
    queue.writeCycles = std::max(queue.writeCycles, group.writeCycles);
    queue.dropped = group;
    queue.groups.pop_front();
    ++queue.first;
  }
}

/// Whether no operation of the groups up to `target` is in flight.
static bool isDone(const GroupQueue &queue, uint32_t target, bool read) {
  for (size_t i = 0; i < queue.groups.size() && queue.first + i <= target; ++i)
    if (queue.groups[i].readsLeft != 0 ||
        (!read && queue.groups[i].writesLeft != 0))
      return false;
  return true;
}

void AsyncMachine::Impl::waitGroups(GroupQueue &queue, bool read,
                                    uint32_t pending, bool includesOpen) {
  Thread &thread = grid.current();
  ThreadState &state = stateOf(thread);
  uint32_t committed = queue.open() - 1;
  uint32_t target =
      includesOpen ? queue.open() : committed - std::min(pending, committed);
  if (!isDone(queue, target, read)) {
    state.waitingOn = &queue;
    state.waitTarget = target;
    state.waitRead = read;
    do
      grid.wait(state);
    while (!isDone(queue, target, read));
    state.waitingOn = nullptr;
  }
  uint64_t cycles = read ? queue.readCycles : queue.writeCycles;
  for (size_t i = 0; i < queue.groups.size() && queue.first + i <= target; ++i)
    cycles = std::max(cycles, read ? queue.groups[i].readCycles
                                   : queue.groups[i].writeCycles);
  thread.cycles = std::max(thread.cycles, cycles);
  if (target == 0)
    return;
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
  prune(queue);
  if (read || !queue.isBulk)
    return;
  // Of the completed writes, keep the newest, which represents all.
  std::vector<GlobalWrite> &writes = ctaOf(thread.cta).globalWrites;
  llvm::erase_if(writes, [&](const GlobalWrite &write) {
    return write.thread == thread.index && write.group < target;
  });
}

//===----------------------------------------------------------------------===//
// Waits for other threads' groups
//===----------------------------------------------------------------------===//

void AsyncMachine::Impl::noteForeignWait(Thread &thread, bool read,
                                         uint32_t pending) {
  // All lanes may execute a wait that is meant for one of them. The fault is
  // that this lane doesn't, which shows when it ends.
  for (ThreadState *other : ctaOf(thread.cta).threads) {
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

void AsyncMachine::Impl::reportForeignWait(const ThreadState &state,
                                           const ForeignWait &wait) {
  report(FindingKind::ForeignGroupWait, wait.waiter.actor("bulk.wait_group"),
         "expected a group wait in the thread that committed the group, "
         "thread " +
             Twine(state.thread) + ", got one in thread " +
             Twine(wait.waiter.thread) + ", which has issued no transfer",
         nullptr, 0, Who{state.cta, state.thread, wait.issued}.actor());
}

void AsyncMachine::Impl::exitGroups(Thread &thread, ThreadState &state) {
  Actor actor = whoIs(thread).actor();
  GroupQueue &bulk = state.bulk;
  state.hasEnded = true;
  for (const ForeignWait &wait : state.foreignWaits)
    reportForeignWait(state, wait);
  if (const Group &last = bulk.groups.back(); last.operations != 0) {
    actor.site = last.site;
    report(FindingKind::UncommittedTransfer, actor,
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
    report(FindingKind::InFlight, actor,
           "expected bulk.wait_group before the thread that committed a group "
           "exits, found a "
           "group whose sources may still be read");
  }
  GroupQueue &copies = state.copies;
  for (size_t i = 0; i < copies.groups.size(); ++i) {
    const Group &group = copies.groups[i];
    if (group.operations == 0 || group.lastIssue <= copies.coveredStamp)
      continue;
    bool isOpen = i + 1 == copies.groups.size();
    actor.site = group.site;
    report(isOpen ? FindingKind::UncommittedTransfer : FindingKind::InFlight,
           actor,
           "expected a wait or an mbarrier arrive for all cp.async of a thread "
           "before it exits, "
           "found " +
               Twine(group.operations) + " copies without");
  }
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

void AsyncMachine::bulkCommitGroup() {
  ++impl->progress;
  impl->commit(impl->stateOf(impl->grid.current()).bulk);
}

void AsyncMachine::bulkWaitGroup(bool read, uint32_t pending) {
  Thread &thread = impl->grid.current();
  ThreadState &state = impl->stateOf(thread);
  if (!state.bulk.isUsed())
    impl->noteForeignWait(thread, read, pending);
  impl->waitGroups(state.bulk, read, pending, /*includesOpen=*/false);
  llvm::erase_if(state.foreignWaits, [&](const ForeignWait &wait) {
    return wait.waiter.site == thread.site;
  });
}

WaitDescription ThreadState::describe(const Thread &) const {
  WaitDescription description;
  if (!waitingOn)
    return description;
  description.what =
      waitingOn->isBulk ? "bulk group wait" : "cp.async group wait";
  if (waitRead)
    description.what += " (read)";
  uint32_t left = 0;
  for (size_t i = 0;
       i < waitingOn->groups.size() && waitingOn->first + i <= waitTarget; ++i)
    left += waitRead ? waitingOn->groups[i].readsLeft
                     : waitingOn->groups[i].writesLeft;
  description.missing = llvm::utostr(left) + " operations in flight";
  return description;
}

} // namespace carousel::sim
