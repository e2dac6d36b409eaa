//===- GridResidency.cpp - which CTAs are on the machine ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clusters start whole, in the order that the schedule draws, when there is
// room, and leave when all of their CTAs ended.
//
//===----------------------------------------------------------------------===//

#include "GridState.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace carousel::sim;

static Dim3 delinearize(uint64_t number, Dim3 extents) {
  return {uint32_t(number % extents.x),
          uint32_t(number / extents.x % extents.y),
          uint32_t(number / extents.x / extents.y)};
}

bool Grid::Impl::checkShape() {
  auto fail = [&](std::string message) {
    Finding finding;
    finding.kind = FindingKind::InvalidOperand;
    finding.message = std::move(message);
    log.report(std::move(finding));
    return false;
  };
  auto isValid = [](Dim3 dim, uint64_t limit) {
    return dim.x && dim.y && dim.z && uint64_t(dim.x) * dim.y <= limit &&
           dim.count() <= limit;
  };
  constexpr uint64_t maxCTAs = uint64_t(1) << Epoch::kCTABits;
  if (!isValid(shape.block, kMaxThreads))
    return fail("expected 1 to 1024 threads in a CTA, found " +
                std::to_string(shape.block.count()));
  if (!isValid(shape.grid, maxCTAs))
    return fail("expected 1 to " + std::to_string(maxCTAs) +
                " CTAs in the grid, found " +
                std::to_string(shape.grid.count()));
  if (!isValid(shape.cluster, maxCTAs) || shape.grid.x % shape.cluster.x ||
      shape.grid.y % shape.cluster.y || shape.grid.z % shape.cluster.z)
    return fail("expected the cluster's extents to divide the grid's");
  return true;
}

void Grid::Impl::launch() {
  while (launchBegin < launchEnd && !freeClusterSlots.empty()) {
    // What is left stays in order as long as picks are from the ends.
    uint32_t picked =
        launchBegin + pick(Decision::LaunchOrder, launchEnd - launchBegin);
    uint32_t number = toLaunch[picked];
    if (picked == launchBegin)
      ++launchBegin;
    else
      std::swap(toLaunch[picked], toLaunch[--launchEnd]);
    uint32_t slot = freeClusterSlots.back();
    freeClusterSlots.pop_back();
    startCluster(number, slot);
  }
}

void Grid::Impl::startCluster(uint32_t number, uint32_t clusterSlot) {
  ClusterState &cluster = clusterSlots[clusterSlot];
  uint32_t size = uint32_t(shape.cluster.count());
  // The multiprocessors are free when the last ones there ended.
  uint64_t startCycles = 0;
  for (CTAState *cta : cluster.ctas)
    startCycles = std::max(startCycles, cta->cycles);
  cluster = ClusterState();
  cluster.number = number;
  cluster.liveCTAs = size;
  cluster.live = cluster.pending = size * numThreads;

  Dim3 clusters{shape.grid.x / shape.cluster.x, shape.grid.y / shape.cluster.y,
                shape.grid.z / shape.cluster.z};
  Dim3 clusterId = delinearize(number, clusters);
  for (uint32_t rank = 0; rank < size; ++rank) {
    Dim3 in = delinearize(rank, shape.cluster);
    Dim3 id{clusterId.x * shape.cluster.x + in.x,
            clusterId.y * shape.cluster.y + in.y,
            clusterId.z * shape.cluster.z + in.z};
    CTAState &cta = slots[clusterSlot * size + rank];
    std::unique_ptr<Strand[]> threads = std::move(cta.threads);
    if (!threads)
      threads = std::make_unique<Strand[]>(numThreads);
    cta = CTAState();
    cta.number = id.x + shape.grid.x * (id.y + shape.grid.y * id.z);
    cta.slot = clusterSlot * size + rank;
    cta.cluster = &cluster;
    cta.live = numThreads;
    cta.threads = std::move(threads);
    cta.warps.resize(llvm::divideCeil(numThreads, kWarpSize));
    cluster.ctas.push_back(&cta);
    residents[cta.number] = &cta;
    live += numThreads;
    for (uint32_t index = 0; index < numThreads; ++index) {
      Strand &strand = cta.threads[index] = Strand();
      strand.cta = cta.number;
      strand.index = index;
      strand.cluster = number;
      strand.rankInCluster = rank;
      strand.threadId = delinearize(index, shape.block);
      strand.ctaId = id;
      strand.idInCluster = in;
      strand.clusterId = clusterId;
      strand.cycles = startCycles;
      strand.home = &cta;
      cta.warps[strand.warp()].lanes |= bitOf(strand);
    }
  }
  noteProgress();
  // All of the cluster is there before any of it starts.
  for (CTAState *cta : cluster.ctas) {
    if (events.start)
      events.start(cta->number);
    for (uint32_t index = 0; index < numThreads; ++index)
      makeReady(cta->threads[index]);
    cta->wokenWarps = 0;
    for (WarpState &warp : cta->warps)
      warp.woken = 0;
  }
}

void Grid::Impl::finishThread(Strand &strand) {
  CTAState &cta = *strand.home;
  noteProgress();
  makeUnready(strand);
  cta.warps[strand.warp()].exited |= bitOf(strand);
  cta.cycles = std::max(cta.cycles, strand.cycles);
  ++cta.exited;
  --cta.live;
  --live;
  exitFromBarriers(strand);
  exitFromCollectives(strand);
  if (cta.live)
    return;
  if (events.exit)
    events.exit(cta.number);
  residents[cta.number] = nullptr;
  ClusterState &cluster = *cta.cluster;
  if (--cluster.liveCTAs == 0)
    freeClusterSlots.push_back(uint32_t(&cluster - clusterSlots.data()));
}
