//===- GridBarriers.cpp - CTA, named and cluster barriers -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX barrier.cta and barrier.cluster. At CTA barriers the hardware counts
// warps. This implementation counts threads, to detect warps that arrive in
// parts. Participants leave a barrier with one view, whose parts they share.
//
//===----------------------------------------------------------------------===//

#include "GridState.h"

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
