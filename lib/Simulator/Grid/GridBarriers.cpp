//===- GridBarriers.cpp - CTA, named and cluster barriers -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX barrier.cta and barrier.cluster. The hardware counts warps at CTA
// barriers; here threads count, so that a warp which comes in parts is seen.
// Participants leave a barrier with one view, whose parts they share.
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
  Strand &strand = *running;
  CTAState &cta = *strand.home;
  if (name >= kNumBarriers) {
    report(FindingKind::InvalidOperand, strand,
           "expected a barrier from 0 to 15, found " + std::to_string(name));
    abort();
  }
  uint32_t numThreads = cta.numThreads;
  // The lanes that the last warp lacks are counted by the hardware.
  uint32_t rounded = uint32_t(llvm::alignTo(numThreads, kWarpSize));
  if (count % kWarpSize || count > rounded)
    report(FindingKind::InvalidOperand, strand,
           "expected the count of barrier " + std::to_string(name) +
               " to be a multiple of 32 up to the " + std::to_string(rounded) +
               " threads of the CTA, found " + std::to_string(count));
  uint32_t expected = count == 0 || count == rounded ? numThreads : count;

  CTABarrier &barrier = cta.barriers[name];
  if (barrier.arrived == 0) {
    barrier.expected = expected;
    barrier.first = &strand;
    barrier.firstSite = strand.site;
    if (cta.exited && expected == numThreads)
      for (uint32_t index = 0; index < numThreads; ++index)
        if (cta.threads[index].hasExited) {
          report(FindingKind::BarrierDivergence, strand,
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
    report(FindingKind::BarrierDivergence, strand,
           "expected one count at barrier " + std::to_string(name) +
               ", found " + std::to_string(barrier.expected) + " and " +
               std::to_string(expected),
           first);
    abort();
  }
  if (contains(barrier.arrivers, strand))
    report(FindingKind::BarrierDivergence, strand,
           "expected a thread to arrive once at " +
               nameBarrier(name, expected) +
               " until it completes, found the second arrival",
           first);

  ++barrier.arrived;
  insert(barrier.arrivers, strand);
  barrier.join.add(strand);
  barrier.cycles = std::max(barrier.cycles, strand.cycles);
  return barrier;
}

uint32_t Grid::Impl::countMissing(const CTAState &cta,
                                  const CTABarrier &barrier) const {
  uint32_t arrived = barrier.arrived;
  // A finding already; counted as arrived, as the hardware does.
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
  for (Strand *waiter : barrier.waiters) {
    waiter->view = view;
    ++waiter->time;
    waiter->cycles = barrier.cycles;
    if (waiter->wait == Strand::Wait::Barrier)
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
  Strand &strand = *impl->running;
  barrier.waiters.push_back(&strand);
  strand.barrier = name;
  if (impl->completeIfReady(*strand.home, barrier))
    impl->step();
  else
    impl->block(Strand::Wait::Barrier);
}

void Grid::barrierArrive(uint32_t name, uint32_t count) {
  CTABarrier &barrier = impl->arrive(name, count);
  Strand &strand = *impl->running;
  strand.tick();
  impl->completeIfReady(*strand.home, barrier);
  impl->step();
}

//===----------------------------------------------------------------------===//
// Cluster barrier
//===----------------------------------------------------------------------===//

void Grid::Impl::completeIfReady(ClusterState &cluster) {
  if (cluster.pending || !cluster.live)
    return;
  noteProgress();
  // Nobody waits for the phase before: who did not wait yet has not arrived at
  // this one.
  cluster.completed = cluster.join.finish();
  cluster.join.clear();
  cluster.completedCycles = cluster.cycles;
  cluster.pending = cluster.live;
  ++cluster.phase;
  for (Strand *waiter : cluster.waiters)
    unblock(*waiter);
  cluster.waiters.clear();
}

void Grid::clusterArrive(bool release) {
  Strand &strand = *impl->running;
  ClusterState &cluster = *strand.home->cluster;
  if (strand.hasArrived) {
    impl->report(FindingKind::BarrierDivergence, strand,
                 "expected a wait at the cluster barrier after each arrive, "
                 "found a second arrive");
    return impl->step();
  }
  strand.hasArrived = true;
  strand.arrivedPhase = cluster.phase;
  if (release) {
    cluster.join.add(strand);
    strand.tick();
  }
  cluster.cycles = std::max(cluster.cycles, strand.cycles);
  --cluster.pending;
  impl->completeIfReady(cluster);
  impl->step();
}

void Grid::clusterWait(bool acquire) {
  Strand &strand = *impl->running;
  ClusterState &cluster = *strand.home->cluster;
  if (!strand.hasArrived) {
    impl->report(FindingKind::BarrierDivergence, strand,
                 "expected an arrive at the cluster barrier before each wait, "
                 "found none");
    return impl->step();
  }
  if (cluster.phase == strand.arrivedPhase) {
    cluster.waiters.push_back(&strand);
    impl->block(Strand::Wait::Cluster);
  } else {
    impl->step();
  }
  strand.hasArrived = false;
  if (acquire)
    strand.view.join(cluster.completed);
  strand.cycles = std::max(strand.cycles, cluster.completedCycles);
}

void Grid::Impl::exitFromBarriers(Strand &strand) {
  CTAState &cta = *strand.home;
  uint32_t numThreads = cta.numThreads;
  for (uint32_t name = 0; name < kNumBarriers; ++name) {
    CTABarrier &barrier = cta.barriers[name];
    if (!barrier.arrived || barrier.expected != numThreads ||
        contains(barrier.arrivers, strand))
      continue;
    if (!barrier.waiters.empty())
      report(FindingKind::BarrierDivergence, *barrier.waiters.front(),
             "expected every thread at " + nameBarrier(name, numThreads) +
                 ", which are all of the CTA, found that " +
                 std::to_string(cta.exited) + " exited",
             actorOf(strand));
    completeIfReady(cta, barrier);
  }

  ClusterState &cluster = *cta.cluster;
  --cluster.live;
  if (!strand.hasArrived || strand.arrivedPhase != cluster.phase)
    --cluster.pending;
  completeIfReady(cluster);
}
