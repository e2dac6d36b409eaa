//===- GridLaunches.cpp - launches, and room for their CTAs ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clusters start as a whole, in the order that the schedule draws, when there
// is room, and leave when all of their CTAs have ended. The schedule chooses
// the amount of room, up to the whole machine, unless the grid is co-resident.
// So a thread that waits for a CTA without room waits forever.
//
// A launch that isn't dependent starts with knowledge of everything. A
// dependent launch starts with what the previous launch started with. When it
// has waited for that launch's end, it also knows that launch's accesses, and
// everything that its threads knew.
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

//===----------------------------------------------------------------------===//
// Shapes and numbers
//===----------------------------------------------------------------------===//

uint32_t Grid::Impl::getLargestStack(llvm::ArrayRef<LaunchState> launches) {
  uint32_t bytes = 0;
  for (const LaunchState &launch : launches)
    bytes = std::max(bytes, launch.shape.stackBytes);
  return bytes;
}

void Grid::Impl::numberCTAs() {
  uint32_t numCTAs = 0;
  for (LaunchState &launch : launches) {
    auto number = uint32_t(&launch - launches.data());
    while (gpus.size() <= launch.gpu)
      gpus.push_back({number, number, number});
    ++gpus[launch.gpu].end;
    launch.firstCTA = numCTAs;
    launch.numCTAs = uint32_t(launch.shape.grid.count());
    numCTAs += launch.numCTAs;
  }
}

bool Grid::Impl::checkShapes() {
  uint32_t firstCTA = 0;
  auto fail = [&](std::string message) {
    Finding finding;
    finding.kind = FindingKind::InvalidOperand;
    finding.message = std::move(message);
    finding.actor.cta = firstCTA;
    log.report(std::move(finding));
    return false;
  };
  auto isValid = [](Dim3 dim, uint64_t limit) {
    return dim.x && dim.y && dim.z && uint64_t(dim.x) * dim.y <= limit &&
           dim.count() <= limit;
  };
  constexpr uint64_t maxCTAs = uint64_t(1) << Epoch::kCTABits;
  uint64_t numCTAs = 0;
  for (const LaunchState &launch : launches) {
    const GridShape &shape = launch.shape;
    firstCTA = launch.firstCTA;
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
    numCTAs += shape.grid.count();
  }
  if (numCTAs > maxCTAs)
    return fail("expected at most " + std::to_string(maxCTAs) +
                " CTAs in all launches, found " + std::to_string(numCTAs));
  return true;
}

void Grid::Impl::prepareLaunches() {
  uint32_t numCTAs = 0, numClusters = 0, numSlots = 0, numClusterSlots = 0;
  uint32_t mostThreads = 0;
  for (const LaunchState &launch : launches) {
    numCTAs += launch.numCTAs;
    mostThreads = std::max(mostThreads, uint32_t(launch.shape.block.count()));
  }
  schedule.begin(numCTAs, uint32_t(llvm::divideCeil(mostThreads, kWarpSize)));
  if (stop)
    stopStep = 1 + pick(Decision::Stop, uint32_t(stop->within));
  for (LaunchState &launch : launches) {
    const GridShape &shape = launch.shape;
    uint32_t size = uint32_t(shape.cluster.count());
    launch.numThreads = uint32_t(shape.block.count());
    launch.unsignalled = launch.unended = launch.numCTAs;
    launch.clusterSize = size;
    launch.firstCluster = numClusters;
    launch.firstSlot = numSlots;
    launch.firstClusterSlot = numClusterSlots;
    launch.end = launch.numCTAs / size;
    for (uint32_t number = 0; number < launch.end; ++number)
      launch.toLaunch.push_back(number);
    launch.capacity = std::max<uint32_t>(shape.residentCTAs / size, 1);
    uint32_t held = std::min(launch.capacity, launch.end);
    if (!shape.isCoresident && held > 1) {
      uint32_t fewer = 1 + pick(Decision::Residency, held);
      if (fewer < held)
        launch.capacity = held = fewer;
    }
    for (uint32_t slot = held; slot-- > 0;)
      launch.freeClusterSlots.push_back(slot);
    numClusters += launch.end;
    numSlots += held * size;
    numClusterSlots += held;
  }
  residents.assign(numCTAs, nullptr);
  slots.resize(numSlots);
  clusterSlots.resize(numClusterSlots);
  readySlots.assign(llvm::divideCeil(slots.size(), 64), 0);
}

const GridShape &Grid::getShape() const {
  return impl->launches[impl->running ? impl->running->launch : 0].shape;
}

const GridShape &Grid::getShape(uint32_t launch) const {
  return impl->launches[launch].shape;
}

uint32_t Grid::getLaunchOf(uint32_t cta) const {
  uint32_t launch = uint32_t(impl->launches.size()) - 1;
  while (launch && cta < impl->launches[launch].firstCTA)
    --launch;
  return launch;
}

std::string Grid::describeCTA(uint32_t cta) const {
  const LaunchState &launch = impl->launches[getLaunchOf(cta)];
  std::string text = "CTA " + std::to_string(cta - launch.firstCTA);
  return impl->hasSeveral() ? text + " of " + launch.name : text;
}

void Grid::nameLaunch(Actor &actor) const {
  if (!impl->hasSeveral())
    return;
  const LaunchState &launch = impl->launches[getLaunchOf(actor.cta)];
  actor.cta -= launch.firstCTA;
  actor.kernel = launch.name;
}

//===----------------------------------------------------------------------===//
// Starts and ends
//===----------------------------------------------------------------------===//

bool Grid::Impl::mayOpen(LaunchState &launch) {
  LaunchState &first = firstOf(launch);
  if (&launch == &first)
    return true;
  LaunchState &before = *(&launch - 1);
  if (!launch.isDependent)
    return std::all_of(&first, &launch, [](const LaunchState &earlier) {
      return earlier.hasEnded;
    });
  if (before.unsignalled)
    return false;
  if (!launch.isLate)
    launch.isLate = pick(Decision::Dependents, 2) == 1;
  return !*launch.isLate || before.hasEnded;
}

void Grid::Impl::open(LaunchState &launch) {
  launch.isOpen = true;
  LaunchState &first = firstOf(launch);
  if (&launch == &first)
    return;
  const LaunchState &before = *(&launch - 1);
  if (launch.isDependent) {
    launch.startView = before.startView;
    launch.startCycles = before.signalCycles;
    return;
  }
  View &view = launch.startView;
  for (Clock *clock :
       {&view.order, &view.fencedShared, &view.fencedGlobal, &view.fencedAlias})
    clock->observeAll(first.firstCTA, launch.firstCTA);
  for (const LaunchState *earlier = &first; earlier != &launch; ++earlier)
    launch.startCycles = std::max(launch.startCycles, earlier->endCycles);
}

void Grid::Impl::noteThreadEnd(const SimThread &thread) {
  LaunchState &launch = launchOf(thread);
  // When it has ended, everything about it is known.
  if (&launch != &launches.back())
    launch.endView.order.joinOutside(thread.view.order, launch.firstCTA,
                                     launch.endCTA());
}

void Grid::Impl::noteSignal(LaunchState &launch, CTAState &cta,
                            uint64_t cycles) {
  if (cta.hasSignalled)
    return;
  cta.hasSignalled = true;
  --launch.unsignalled;
  launch.signalCycles = std::max(launch.signalCycles, cycles);
}

void Grid::Impl::noteCTAEnd(LaunchState &launch, CTAState &cta) {
  noteSignal(launch, cta, cta.cycles);
  launch.endCycles = std::max(launch.endCycles, cta.cycles);
  if (--launch.unended == 0 && hasSeveral())
    ++draining;
}

void Grid::Impl::endLaunches() {
  for (LaunchState &launch : launches) {
    auto index = uint32_t(&launch - launches.data());
    if (launch.unended || launch.hasEnded ||
        (background && !background->isIdle(index)))
      continue;
    --draining;
    launch.hasEnded = true;
    if (background)
      launch.endCycles =
          std::max(launch.endCycles, background->getLastCycles(index));
    // The end of a grid is a fence for every proxy.
    View &view = launch.endView;
    view.order.observeAll(launch.firstCTA, launch.endCTA());
    view.fencedShared = view.fencedGlobal = view.fencedAlias = view.order;
    noteProgress();
    for (SimThread *waiter : launch.waiters)
      unblock(*waiter);
    launch.waiters.clear();
  }
}

//===----------------------------------------------------------------------===//
// Calls of threads
//===----------------------------------------------------------------------===//

void Grid::launchDependents() {
  SimThread &thread = *impl->running;
  impl->noteSignal(impl->launchOf(thread), *thread.home, thread.cycles);
  impl->step();
}

void Grid::waitForPrerequisite() {
  SimThread &thread = *impl->running;
  LaunchState &launch = impl->launchOf(thread);
  if (!launch.isDependent || &launch == &impl->firstOf(launch))
    return impl->step();
  LaunchState &before = impl->launches[thread.launch - 1];
  if (before.hasEnded) {
    impl->step();
  } else {
    before.waiters.push_back(&thread);
    impl->block(SimThread::Wait::Launch);
  }
  thread.view.join(before.endView);
  thread.cycles = std::max(thread.cycles, before.endCycles);
}
