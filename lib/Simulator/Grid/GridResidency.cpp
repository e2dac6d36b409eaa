//===- GridResidency.cpp - resident CTAs ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clusters start as a whole, in the order that the schedule draws, when there
// is room. They leave when all of their CTAs have ended. The schedule chooses
// the amount of room, up to the whole machine, unless the grid is co-resident.
// So a thread that waits for a CTA without room waits forever.
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

/// Resident launches share the machine. Each cluster takes the fraction of it
/// that is one over the number of clusters that fit. A host that has too little
/// memory for the stacks of one more makes room when others have ended.
bool Grid::Impl::hasRoom(const LaunchState &launch) const {
  if (launch.freeClusterSlots.empty())
    return false;
  uint64_t threads = uint64_t(launch.clusterSize) * launch.numThreads;
  if (!launch.shape.isCoresident && launch.liveClusters != 0 &&
      !stacks->reserve(live + threads))
    return false;
  if (!hasSeveral())
    return true;
  double used = 1.0 / launch.capacity;
  for (const LaunchState &other : launches)
    if (other.gpu == launch.gpu)
      used += double(other.liveClusters) / other.capacity;
  return used <= 1 + 1e-6;
}

void Grid::Impl::startCTAs() {
  for (GPUState &gpu : gpus)
    if (gpu.mayStart())
      startCTAs(gpu);
}

void Grid::Impl::startCTAs(GPUState &gpu) {
  for (; gpu.front < gpu.end; ++gpu.front) {
    LaunchState &launch = launches[gpu.front];
    if (!launch.isOpen) {
      if (!mayOpen(launch))
        return;
      open(launch);
    }
    while (launch.begin < launch.end) {
      if (!hasRoom(launch))
        return;
      // The remaining ones stay in order as long as picks are from the ends.
      uint32_t picked = launch.begin;
      if (!launch.shape.startsInOrder)
        picked += pick(Decision::LaunchOrder, launch.end - launch.begin);
      uint32_t number = launch.toLaunch[picked];
      if (picked == launch.begin)
        ++launch.begin;
      else
        std::swap(launch.toLaunch[picked], launch.toLaunch[--launch.end]);
      uint32_t slot = launch.freeClusterSlots.back();
      launch.freeClusterSlots.pop_back();
      startCluster(launch, number, slot);
    }
  }
}

bool Grid::Impl::waitsForRoom() const {
  return llvm::any_of(gpus, [&](const GPUState &gpu) {
    return gpu.mayStart() && launches[gpu.front].isOpen;
  });
}

void Grid::Impl::startCluster(LaunchState &launch, uint32_t number,
                              uint32_t slotInLaunch) {
  const GridShape &shape = launch.shape;
  ClusterState &cluster = clusterSlots[launch.firstClusterSlot + slotInLaunch];
  uint32_t size = launch.clusterSize, numThreads = launch.numThreads;
  // The multiprocessors are free when the last CTAs on them have ended.
  uint64_t startCycles = launch.startCycles;
  for (CTAState *cta : cluster.ctas)
    startCycles = std::max(startCycles, cta->cycles);
  cluster = ClusterState();
  cluster.number = launch.firstCluster + number;
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
    CTAState &cta = slots[launch.firstSlot + slotInLaunch * size + rank];
    std::unique_ptr<SimThread[]> threads = std::move(cta.threads);
    if (!threads)
      threads = std::make_unique<SimThread[]>(numThreads);
    cta = CTAState();
    cta.number =
        launch.firstCTA + id.x + shape.grid.x * (id.y + shape.grid.y * id.z);
    cta.slot = uint32_t(&cta - slots.data());
    cta.numThreads = numThreads;
    cta.cluster = &cluster;
    cta.live = numThreads;
    cta.threads = std::move(threads);
    cta.warps.resize(llvm::divideCeil(numThreads, kWarpSize));
    cluster.ctas.push_back(&cta);
    residents[cta.number] = &cta;
    live += numThreads;
    for (uint32_t index = 0; index < numThreads; ++index) {
      SimThread &thread = cta.threads[index] = SimThread();
      thread.cta = cta.number;
      thread.index = index;
      thread.cluster = cluster.number;
      thread.launch = uint32_t(&launch - launches.data());
      thread.gpu = launch.gpu;
      thread.view = launch.startView;
      thread.rankInCluster = rank;
      thread.threadId = delinearize(index, shape.block);
      thread.ctaId = id;
      thread.idInCluster = in;
      thread.clusterId = clusterId;
      thread.cycles = startCycles;
      thread.home = &cta;
      cta.warps[thread.warp()].lanes |= bitOf(thread);
    }
  }
  ++launch.liveClusters;
  noteProgress();
  // The whole cluster is resident before any part of it starts.
  for (CTAState *cta : cluster.ctas) {
    if (events.start)
      events.start(cta->number);
    for (uint32_t index = 0; index < cta->numThreads; ++index)
      makeReady(cta->threads[index]);
    cta->wokenWarps = 0;
    for (WarpState &warp : cta->warps)
      warp.woken = 0;
  }
}

void Grid::Impl::finishThread(SimThread &thread) {
  CTAState &cta = *thread.home;
  noteProgress();
  makeUnready(thread);
  cta.warps[thread.warp()].exited |= bitOf(thread);
  cta.cycles = std::max(cta.cycles, thread.cycles);
  ++cta.exited;
  --cta.live;
  --live;
  exitFromBarriers(thread);
  exitFromCollectives(thread);
  noteThreadEnd(thread);
  if (cta.live)
    return;
  if (events.exit)
    events.exit(cta.number);
  residents[cta.number] = nullptr;
  LaunchState &launch = launchOf(thread);
  ClusterState &cluster = *cta.cluster;
  if (--cluster.liveCTAs == 0) {
    --launch.liveClusters;
    launch.freeClusterSlots.push_back(
        uint32_t(&cluster - &clusterSlots[launch.firstClusterSlot]));
  }
  noteCTAEnd(launch, cta);
}
