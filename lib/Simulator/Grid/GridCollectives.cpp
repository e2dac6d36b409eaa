//===- GridCollectives.cpp - barriers and exchanges of threads ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX barrier.cta and barrier.cluster, warp barriers and exchanges, and
// gatherings of a CTA or a part of it. At CTA barriers the hardware counts
// warps. This implementation counts threads, to detect warps that arrive in
// parts. Participants leave a barrier with one view, whose parts they share. A
// warp can have several collectives at a time, of different lanes. Two
// collectives that wait for each other's lanes can never complete, which shows
// a mismatch.
//
//===----------------------------------------------------------------------===//

#include "GridState.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace carousel::sim;

static std::string nameBarrier(uint32_t name, uint32_t count) {
  return "barrier " + std::to_string(name) + " of " + std::to_string(count) +
         " threads";
}

//===----------------------------------------------------------------------===//
// CTA and named barriers
//===----------------------------------------------------------------------===//

CTABarrier &Grid::Impl::arrive(uint32_t name, uint32_t count) {
  SimThread &thread = *running;
  CTAState &cta = *thread.home;
  if (name >= kNumBarriers) {
    report(FindingKind::InvalidOperand, thread,
           "expected a barrier from 0 to 15, found " + std::to_string(name));
    abort();
  }
  uint32_t numThreads = cta.numThreads;
  // The hardware also counts the missing lanes of the last warp.
  uint32_t rounded = uint32_t(llvm::alignTo(numThreads, kWarpSize));
  if (count % kWarpSize || count > rounded)
    report(FindingKind::InvalidOperand, thread,
           "expected the count of barrier " + std::to_string(name) +
               " to be a multiple of 32 up to the " + std::to_string(rounded) +
               " threads of the CTA, found " + std::to_string(count));
  uint32_t expected = count == 0 || count == rounded ? numThreads : count;

  CTABarrier &barrier = cta.barriers[name];
  if (barrier.arrived == 0) {
    barrier.expected = expected;
    barrier.first = &thread;
    barrier.firstSite = thread.site;
    if (cta.exited && expected == numThreads)
      for (uint32_t index = 0; index < numThreads; ++index)
        if (cta.threads[index].hasExited) {
          report(FindingKind::BarrierDivergence, thread,
                 "expected every thread at " + nameBarrier(name, expected) +
                     ", which are all of the CTA, found that " +
                     std::to_string(cta.exited) + " exited",
                 actorOf(cta.threads[index]));
          break;
        }
  }
  Actor first = actorOf(*barrier.first);
  first.site = barrier.firstSite;
  if (barrier.expected != expected) {
    report(FindingKind::BarrierDivergence, thread,
           "expected one count at barrier " + std::to_string(name) +
               ", found " + std::to_string(barrier.expected) + " and " +
               std::to_string(expected),
           first);
    abort();
  }
  if (contains(barrier.arrivers, thread))
    report(FindingKind::BarrierDivergence, thread,
           "expected a thread to arrive once at " +
               nameBarrier(name, expected) +
               " until it completes, found the second arrival",
           first);

  ++barrier.arrived;
  insert(barrier.arrivers, thread);
  barrier.join.add(thread);
  barrier.cycles = std::max(barrier.cycles, thread.cycles);
  return barrier;
}

uint32_t Grid::Impl::countMissing(const CTAState &cta,
                                  const CTABarrier &barrier) const {
  uint32_t arrived = barrier.arrived;
  // Already a finding. Counts as arrived, as on hardware.
  if (cta.exited && barrier.expected == cta.numThreads)
    for (size_t warp = 0; warp < cta.warps.size(); ++warp)
      arrived += uint32_t(
          llvm::popcount(cta.warps[warp].exited & ~barrier.arrivers[warp]));
  return barrier.expected - std::min(arrived, barrier.expected);
}

bool Grid::Impl::completeIfReady(CTAState &cta, CTABarrier &barrier) {
  if (countMissing(cta, barrier))
    return false;
  noteProgress();
  const View &view = barrier.join.finish();
  for (SimThread *waiter : barrier.waiters) {
    waiter->view = view;
    ++waiter->time;
    waiter->cycles = barrier.cycles;
    if (waiter->wait == SimThread::Wait::Barrier)
      unblock(*waiter);
  }
  barrier.waiters.clear();
  barrier.arrivers = {};
  barrier.join.clear();
  barrier.arrived = 0;
  barrier.cycles = 0;
  return true;
}

void Grid::barrierSync(uint32_t name, uint32_t count) {
  CTABarrier &barrier = impl->arrive(name, count);
  SimThread &thread = *impl->running;
  barrier.waiters.push_back(&thread);
  thread.barrier = name;
  if (impl->completeIfReady(*thread.home, barrier))
    impl->step();
  else
    impl->block(SimThread::Wait::Barrier);
}

void Grid::barrierArrive(uint32_t name, uint32_t count) {
  CTABarrier &barrier = impl->arrive(name, count);
  SimThread &thread = *impl->running;
  thread.tick();
  impl->completeIfReady(*thread.home, barrier);
  impl->step();
}

//===----------------------------------------------------------------------===//
// Cluster barrier
//===----------------------------------------------------------------------===//

void Grid::Impl::completeIfReady(ClusterState &cluster) {
  if (cluster.pending || !cluster.live)
    return;
  noteProgress();
  // No thread waits for the previous phase: a thread that hasn't waited yet
  // hasn't arrived at this one.
  cluster.completed = cluster.join.finish();
  cluster.join.clear();
  cluster.completedCycles = cluster.cycles;
  cluster.pending = cluster.live;
  ++cluster.phase;
  for (SimThread *waiter : cluster.waiters)
    unblock(*waiter);
  cluster.waiters.clear();
}

void Grid::clusterArrive(bool release) {
  SimThread &thread = *impl->running;
  ClusterState &cluster = *thread.home->cluster;
  if (thread.hasArrived) {
    impl->report(FindingKind::BarrierDivergence, thread,
                 "expected a wait at the cluster barrier after each arrive, "
                 "found a second arrive");
    return impl->step();
  }
  thread.hasArrived = true;
  thread.arrivedPhase = cluster.phase;
  if (release) {
    cluster.join.add(thread);
    thread.tick();
  }
  cluster.cycles = std::max(cluster.cycles, thread.cycles);
  --cluster.pending;
  impl->completeIfReady(cluster);
  impl->step();
}

void Grid::clusterWait(bool acquire) {
  SimThread &thread = *impl->running;
  ClusterState &cluster = *thread.home->cluster;
  if (!thread.hasArrived) {
    impl->report(FindingKind::BarrierDivergence, thread,
                 "expected an arrive at the cluster barrier before each wait, "
                 "found none");
    return impl->step();
  }
  if (cluster.phase == thread.arrivedPhase) {
    cluster.waiters.push_back(&thread);
    impl->block(SimThread::Wait::Cluster);
  } else {
    impl->step();
  }
  thread.hasArrived = false;
  if (acquire)
    thread.view.join(cluster.completed);
  thread.cycles = std::max(thread.cycles, cluster.completedCycles);
}

void Grid::Impl::exitFromBarriers(SimThread &thread) {
  CTAState &cta = *thread.home;
  uint32_t numThreads = cta.numThreads;
  for (uint32_t name = 0; name < kNumBarriers; ++name) {
    CTABarrier &barrier = cta.barriers[name];
    if (!barrier.arrived || barrier.expected != numThreads ||
        contains(barrier.arrivers, thread))
      continue;
    if (!barrier.waiters.empty())
      report(FindingKind::BarrierDivergence, *barrier.waiters.front(),
             "expected every thread at " + nameBarrier(name, numThreads) +
                 ", which are all of the CTA, found that " +
                 std::to_string(cta.exited) + " exited",
             actorOf(thread));
    completeIfReady(cta, barrier);
  }

  ClusterState &cluster = *cta.cluster;
  --cluster.live;
  if (!thread.hasArrived || thread.arrivedPhase != cluster.phase)
    --cluster.pending;
  completeIfReady(cluster);
}

//===----------------------------------------------------------------------===//
// Lanes of a warp
//===----------------------------------------------------------------------===//

static std::string toHex(uint32_t mask) {
  return "0x" + llvm::utohexstr(mask, /*LowerCase=*/true);
}

static std::string quote(llvm::StringRef kind) {
  return ("'" + kind + "'").str();
}

static const SimThread &getLane(const CTAState &cta, const SimThread &sibling,
                                uint32_t mask) {
  return cta.threads[sibling.warp() * kWarpSize + llvm::countr_zero(mask)];
}

void Grid::Impl::joinCollective(llvm::StringRef kind, bool isBarrier,
                                uint32_t mask, uint64_t value,
                                std::array<uint64_t, 32> &values) {
  SimThread &thread = *running;
  CTAState &cta = *thread.home;
  WarpState &warp = cta.warps[thread.warp()];
  uint32_t bit = 1u << thread.lane();
  if (mask && !(mask & bit)) {
    report(FindingKind::BarrierDivergence, thread,
           "expected the mask of a " + quote(kind) +
               " to have the lane itself, found lane " +
               std::to_string(thread.lane()) + " and mask " + toHex(mask));
    values[thread.lane()] = value;
    return step();
  }
  mask = mask ? mask & warp.lanes : warp.lanes;

  LaneCollective *collective = nullptr, *unused = nullptr;
  for (LaneCollective &other : warp.collectives) {
    if (!other.arrived) {
      unused = &other;
    } else if (other.mask == mask && other.kind == kind) {
      collective = &other;
    } else if ((other.mask & bit) && (other.arrived & mask)) {
      bool isSameKind = other.kind == kind;
      report(FindingKind::BarrierDivergence, thread,
             "expected the lanes of a warp to meet at one collective with one "
             "mask, found " +
                 (isSameKind ? "masks " + toHex(other.mask) + " and " +
                                   toHex(mask) + " at a " + quote(kind)
                             : quote(other.kind) + " and " + quote(kind)),
             actorOf(getLane(cta, thread, other.arrived & mask)));
      abort();
    }
  }
  if (!collective) {
    collective = unused ? unused : &warp.collectives.emplace_back();
    collective->kind = kind;
    collective->isBarrier = isBarrier;
    collective->mask = mask;
    collective->values = {};
    if (uint32_t exited = mask & warp.exited)
      report(FindingKind::BarrierDivergence, thread,
             "expected the lanes in the mask of a " + quote(kind) +
                 " to come, found that lane " +
                 std::to_string(llvm::countr_zero(exited)) + " exited",
             actorOf(getLane(cta, thread, exited)));
  }
  collective->arrived |= bit;
  collective->values[thread.lane()] = value;
  if (isBarrier)
    collective->join.add(thread);
  thread.values = &values;
  if (completeIfReady(cta, warp, *collective))
    step();
  else
    block(SimThread::Wait::Lanes);
}

bool Grid::Impl::completeIfReady(CTAState &cta, WarpState &warp,
                                 LaneCollective &collective) {
  if (collective.mask & ~(collective.arrived | warp.exited))
    return false;
  SimThread *lanes = &cta.threads[size_t(&warp - cta.warps.data()) * kWarpSize];
  uint64_t cycles = 0;
  for (uint32_t left = collective.arrived; left; left &= left - 1)
    cycles = std::max(cycles, lanes[llvm::countr_zero(left)].cycles);
  if (collective.isBarrier)
    collective.join.finish();
  for (uint32_t left = collective.arrived; left; left &= left - 1) {
    SimThread &thread = lanes[llvm::countr_zero(left)];
    thread.cycles = cycles;
    if (collective.isBarrier) {
      thread.view = collective.join.view;
      ++thread.time;
    } else {
      *thread.values = collective.values;
    }
    thread.values = nullptr;
    if (thread.wait == SimThread::Wait::Lanes)
      unblock(thread);
  }
  collective.join.clear();
  collective.arrived = 0;
  return true;
}

void Grid::barrierWarp(uint32_t mask) {
  std::array<uint64_t, 32> unused;
  impl->joinCollective("warp barrier", /*isBarrier=*/true, mask, 0, unused);
}

std::array<uint64_t, 32> Grid::exchange(llvm::StringRef kind, uint32_t mask,
                                        uint64_t value) {
  std::array<uint64_t, 32> values = {};
  impl->joinCollective(kind, /*isBarrier=*/false, mask, value, values);
  return values;
}

bool Grid::elect(uint32_t mask) {
  exchange("elect", mask, 0);
  SimThread &thread = *impl->running;
  uint32_t lanes = thread.home->warps[thread.warp()].lanes;
  if (mask)
    lanes &= mask;
  auto [leader, isNew] = impl->leaders.try_emplace(lanes, 0);
  if (isNew && lanes) {
    uint32_t left = lanes;
    for (uint32_t skip =
             impl->pick(Decision::Leader, uint32_t(llvm::popcount(lanes)));
         skip > 0; --skip)
      left &= left - 1;
    leader->second = uint32_t(llvm::countr_zero(left));
  }
  return thread.lane() == leader->second;
}

//===----------------------------------------------------------------------===//
// Threads of a CTA
//===----------------------------------------------------------------------===//

Gathering &Grid::Impl::gather(llvm::StringRef kind, uint32_t first,
                              uint32_t count) {
  SimThread &thread = *running;
  CTAState &cta = *thread.home;
  uint32_t numThreads = cta.numThreads;
  uint64_t end = uint64_t(first) + count;
  if (thread.index < first || thread.index >= end || end > numThreads) {
    report(FindingKind::InvalidOperand, thread,
           "expected a thread of the CTA's " + std::to_string(numThreads) +
               " at a " + quote(kind) + " of the threads from " +
               std::to_string(first) + " up to " + std::to_string(end) +
               ", found thread " + std::to_string(thread.index));
    abort();
  }
  Gathering *gathering = nullptr, *unused = nullptr;
  for (const std::unique_ptr<Gathering> &other : cta.gatherings) {
    if (!other->arrived) {
      unused = other.get();
      continue;
    }
    if (other->first == first && other->count == count && other->kind == kind) {
      gathering = other.get();
      continue;
    }
    if (thread.index < other->first ||
        thread.index - other->first >= other->count)
      continue;
    for (uint64_t index = std::max(first, other->first);
         index < std::min<uint64_t>(end, other->first + other->count);
         ++index) {
      const SimThread &waiter = cta.threads[index];
      if (!contains(other->arrivers, waiter))
        continue;
      report(FindingKind::BarrierDivergence, thread,
             "expected threads to meet at one collective, found " +
                 quote(other->kind) + " of " + std::to_string(other->count) +
                 " threads and " + quote(kind) + " of " + std::to_string(count),
             actorOf(waiter));
      abort();
    }
  }
  if (!gathering) {
    if (!unused)
      unused = cta.gatherings.emplace_back(std::make_unique<Gathering>()).get();
    gathering = unused;
    gathering->kind = kind;
    gathering->first = first;
    gathering->count = count;
    gathering->values.assign(count, 0);
    gathering->arrivers = {};
    for (uint32_t index = first; cta.exited && index < end; ++index)
      if (cta.threads[index].hasExited) {
        report(FindingKind::BarrierDivergence, thread,
               "expected all " + std::to_string(count) + " threads at a " +
                   quote(kind) + ", found that thread " +
                   std::to_string(index) + " exited",
               actorOf(cta.threads[index]));
        abort();
      }
  }
  ++gathering->arrived;
  insert(gathering->arrivers, thread);
  return *gathering;
}

void Grid::gather(
    llvm::StringRef kind, uint32_t first, uint32_t count, uint64_t value,
    llvm::function_ref<void(llvm::ArrayRef<uint64_t> values)> action) {
  Gathering &gathering = impl->gather(kind, first, count);
  SimThread &thread = *impl->running;
  gathering.values[thread.index - first] = value;
  if (gathering.arrived < count)
    return impl->block(SimThread::Wait::Gather);

  impl->noteProgress();
  SimThread *members = &thread.home->threads[first];
  for (uint32_t i = 0; i < count; ++i)
    thread.cycles = std::max(thread.cycles, members[i].cycles);
  action(gathering.values);
  for (uint32_t i = 0; i < count; ++i) {
    members[i].cycles = thread.cycles;
    if (&members[i] != &thread)
      impl->unblock(members[i]);
  }
  gathering.arrived = 0;
  impl->step();
}

void Grid::Impl::exitFromCollectives(SimThread &thread) {
  CTAState &cta = *thread.home;
  WarpState &warp = cta.warps[thread.warp()];
  uint32_t bit = 1u << thread.lane();
  for (LaneCollective &collective : warp.collectives) {
    if (!collective.arrived || !(collective.mask & bit))
      continue;
    report(FindingKind::BarrierDivergence,
           getLane(cta, thread, collective.arrived),
           "expected the lanes in the mask of a " + quote(collective.kind) +
               " to come, found that lane " + std::to_string(thread.lane()) +
               " exited",
           actorOf(thread));
    completeIfReady(cta, warp, collective);
  }
  for (const std::unique_ptr<Gathering> &gathering : cta.gatherings) {
    if (!gathering->arrived || thread.index < gathering->first ||
        thread.index - gathering->first >= gathering->count)
      continue;
    auto isWaiting = [&](const SimThread &other) {
      return contains(gathering->arrivers, other);
    };
    const SimThread *waiter = std::find_if(
        &cta.threads[0], &cta.threads[0] + cta.numThreads, isWaiting);
    report(FindingKind::BarrierDivergence, *waiter,
           "expected all " + std::to_string(gathering->count) +
               " threads at a " + quote(gathering->kind) +
               ", found that thread " + std::to_string(thread.index) +
               " exited",
           actorOf(thread));
    end = RunEnd::Aborted;
  }
}
