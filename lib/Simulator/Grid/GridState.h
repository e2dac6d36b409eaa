//===- GridState.h - the state of a grid ------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Grid*.cpp: threads with their fibres, and warps, CTAs and clusters
// with the collectives of their threads. Bits mark the runnable threads: lanes
// in warps, warps in CTAs, CTAs in the grid.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_GRID_GRIDSTATE_H
#define CAROUSEL_LIB_SIMULATOR_GRID_GRIDSTATE_H

#include "FiberPool.h"
#include "Grid.h"

#include "carousel/Support/HardwareLimits.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <boost/context/detail/fcontext.hpp>

namespace carousel::sim {

constexpr uint32_t kWarpSize = rules::kWarpSize;
constexpr uint32_t kMaxThreads = rules::kMaxThreadsPerBlock;
constexpr uint32_t kNumBarriers = rules::kNamedBarriers;
/// Threads of a CTA, by warp and lane.
using ThreadMask = std::array<uint32_t, kMaxThreads / kWarpSize>;

inline bool contains(const ThreadMask &mask, const Thread &thread) {
  return mask[thread.warp()] >> thread.lane() & 1;
}
inline void insert(ThreadMask &mask, const Thread &thread) {
  mask[thread.warp()] |= 1u << thread.lane();
}

/// The joined views of the participants of a barrier. Epochs are added last, so
/// that threads with a shared clock keep sharing it until then.
struct ViewJoin {
  View view;
  std::vector<Epoch> epochs;
  bool isEmpty = true;

  void add(const Thread &thread) {
    if (isEmpty)
      view = thread.view;
    else
      view.join(thread.view);
    isEmpty = false;
    epochs.push_back(thread.epoch());
  }
  const View &finish() {
    for (Epoch epoch : epochs)
      view.order.observe(epoch);
    epochs.clear();
    return view;
  }
  void clear() {
    if (!isEmpty)
      view = View();
    epochs.clear();
    isEmpty = true;
  }
};

struct CTAState;

struct SimThread : Thread {
  enum class Wait : uint8_t {
    None,
    Object,
    Barrier,
    Lanes,
    Cluster,
    Gather,
    Launch
  };

  CTAState *home = nullptr;
  boost::context::detail::fcontext_t context = nullptr;
  FiberPool::Stack stack;
  bool hasExited = false;
  /// Its GPU has stopped.
  bool isStopped = false;
  /// For Wait::Object: the time at which the wait may end by itself, and
  /// whether it did.
  std::optional<uint64_t> deadline;
  bool hasExpired = false;
  Wait wait = Wait::None;
  uint32_t barrier = 0;       // of Wait::Barrier
  Waitable *object = nullptr; // of Wait::Object
  /// The destination of the values of Wait::Lanes by `exchange`.
  std::array<uint64_t, 32> *values = nullptr;
  /// Whether the thread has arrived at the cluster barrier and not waited
  /// since, and at which phase.
  bool hasArrived = false;
  uint64_t arrivedPhase = 0;

  /// A place in a loop, with the values of all that its loops change, and what
  /// atomics found since then.
  std::optional<uint64_t> turn;
  llvm::SmallVector<std::pair<const void *, uint64_t>, 2> polled;
  /// Whether the thread was there again, how many of them it has found again
  /// since, and how often in a row it found all of them and did nothing else.
  bool isRepeating = false;
  uint32_t again = 0, polls = 0;
  /// Those that the last look at all threads knew (Grid.cpp).
  uint32_t seenPolls = 0;
  /// The time of the last poll, or of what counts as none.
  uint64_t polledCycles = 0;
};

/// A thread with at least this many polls in a row counts as waiting.
constexpr uint32_t kPollsOfWaiting = 4096;
inline bool isPolling(const SimThread &thread) {
  return !thread.hasExited && thread.wait == SimThread::Wait::None &&
         thread.polls >= kPollsOfWaiting;
}

inline uint32_t bitOf(const SimThread &thread) { return 1u << thread.lane(); }

/// A CTA barrier or a named barrier.
struct CTABarrier {
  uint32_t expected = 0, arrived = 0; // 0 arrived if it is free
  ThreadMask arrivers = {};
  std::vector<SimThread *> waiters;
  const SimThread *first = nullptr; // to arrive, and where it did
  Site firstSite = 0;
  ViewJoin join;
  uint64_t cycles = 0;
};

/// A collective of the lanes of a warp.
struct LaneCollective {
  llvm::StringRef kind; // of the first lane, whose wait keeps the text alive
  bool isBarrier = false;
  uint32_t mask = 0, arrived = 0; // 0 arrived if it is free
  std::array<uint64_t, 32> values = {};
  ViewJoin join;
};

/// A collective of threads of a CTA.
struct Gathering {
  llvm::StringRef kind;
  uint32_t first = 0, count = 0;
  std::vector<uint64_t> values;
  ThreadMask arrivers = {};
  uint32_t arrived = 0; // 0 if it is free
  Site firstSite = 0;
};

struct WarpState {
  uint32_t lanes = 0;   // that exist
  uint32_t ready = 0;   // can run
  uint32_t yielded = 0; // can run, after all others
  uint32_t woken = 0;   // ready since they were woken
  uint32_t exited = 0;
  std::vector<LaneCollective> collectives;
};

struct ClusterState {
  uint32_t number = 0; // in the run
  uint32_t liveCTAs = 0;
  std::vector<CTAState *> ctas;
  // The cluster barrier.
  uint64_t phase = 0;
  // Threads, and those that haven't arrived at this phase.
  uint32_t live = 0, pending = 0;
  ViewJoin join;
  View completed; // the view that a wait for the last phase acquires
  uint64_t cycles = 0, completedCycles = 0;
  std::vector<SimThread *> waiters;
};

struct CTAState {
  uint32_t number = 0; // in the run
  uint32_t slot = 0;
  uint32_t numThreads = 0;
  ClusterState *cluster = nullptr;
  std::unique_ptr<SimThread[]> threads;
  std::vector<WarpState> warps;
  uint32_t readyWarps = 0, yieldedWarps = 0, wokenWarps = 0;
  uint32_t live = 0, exited = 0;
  std::array<CTABarrier, kNumBarriers> barriers;
  std::vector<std::unique_ptr<Gathering>> gatherings;
  uint64_t cycles = 0;       // of its last thread to end
  bool hasSignalled = false; // launch_dependents
};

/// A launch and its progress.
struct LaunchState : GridLaunch {
  explicit LaunchState(GridLaunch launch) : GridLaunch(std::move(launch)) {}

  uint32_t numThreads = 0; // of a CTA
  uint32_t firstCTA = 0, numCTAs = 0, firstCluster = 0;
  uint32_t clusterSize = 1;
  /// The number of clusters that fit the machine if it runs no other launch.
  uint32_t capacity = 1;
  std::vector<uint32_t> toLaunch; // clusters; of them [begin, end)
  uint32_t begin = 0, end = 0;
  uint32_t firstSlot = 0, firstClusterSlot = 0;
  std::vector<uint32_t> freeClusterSlots; // in the launch

  uint32_t liveClusters = 0;
  uint32_t unsignalled = 0; // CTAs that dependents wait for
  uint32_t unended = 0;     // CTAs that haven't ended
  bool isOpen = false, hasEnded = false;
  /// Chosen for a dependent launch: it starts only when the previous one has
  /// ended.
  std::optional<bool> isLate;
  uint64_t startCycles = 0, signalCycles = 0, endCycles = 0;
  /// The view that its threads start with, and what all of them knew in the
  /// end.
  View startView, endView;
  std::vector<SimThread *> waiters; // for its end

  uint32_t endCTA() const { return firstCTA + numCTAs; }
};

/// The launches of one GPU, [begin, end).
struct GPUState {
  uint32_t begin = 0, end = 0;
  uint32_t front = 0; // the first launch whose CTAs haven't all started
  bool isStopped = false;

  bool mayStart() const { return !isStopped && front != end; }
};

struct Grid::Impl {
  Impl(std::vector<GridLaunch> given, Schedule &schedule, FindingLog &log,
       std::function<std::string(Site)> describeSite)
      : launches(std::make_move_iterator(given.begin()),
                 std::make_move_iterator(given.end())),
        stepLimit(launches.front().shape.stepLimit),
        stackBytes(getLargestStack(launches)), schedule(schedule), log(log),
        describeSite(std::move(describeSite)), stacks(stackBytes) {
    numberCTAs();
  }

  static uint32_t getLargestStack(llvm::ArrayRef<LaunchState> launches);

  std::vector<LaunchState> launches;
  uint64_t stepLimit;
  uint32_t stackBytes;
  Schedule &schedule;
  FindingLog &log;
  std::function<std::string(Site)> describeSite;
  Background *background = nullptr;
  CTAEvents events;
  llvm::function_ref<void(Thread &)> entry;

  FiberPoolLease stacks;
  boost::context::detail::fcontext_t mainContext = nullptr;
  SimThread *running = nullptr;
  /// Remaining steps of this turn, the steps that it was given, and all steps.
  uint64_t quantum = 0, granted = 0, steps = 0;
  std::optional<RunEnd> end;

  // Residency.
  std::vector<GPUState> gpus;
  uint32_t draining = 0; // launches whose CTAs ended, with operations in flight
  /// Each launch has its own range.
  std::vector<CTAState> slots;
  std::vector<ClusterState> clusterSlots;
  std::vector<CTAState *> residents; // by number, null if not resident
  uint64_t live = 0;                 // threads

  // Runnable threads.
  std::vector<uint64_t> readySlots; // bits
  uint32_t numReadySlots = 0;
  std::vector<CTAState *> yieldedCTAs;
  uint64_t turnsSinceRelease = 0;
  CTAState *focus = nullptr;
  uint32_t turnsLeft = 0;
  std::vector<Candidate> candidates;
  llvm::DenseMap<uint64_t, uint32_t> leaders; // leaders of elect, by lanes

  std::optional<GPUStop> stop;
  uint64_t stopStep = 0; // drawn; 0 for never

  /// A thread has polled so often that it may be the only one that runs.
  bool maySpin = false;
  /// How often in a row each look at all threads found that they had polled
  /// since the one before, and how many polls had found something new.
  unsigned spins = 0;
  uint64_t newPolls = 0, spunNewPolls = 0;

  // Fairness, see Grid.cpp.
  static constexpr uint64_t kPatience = 4096, kFairPatience = 65536;
  uint64_t idleTurns = 0, patience = kPatience;
  uint64_t fairTurns = 0, fairPatience = kFairPatience;
  unsigned forcedBursts = 0;
  std::vector<SimThread *> fairRound; // in reverse

  // GridLaunches.cpp
  void numberCTAs();
  bool checkShapes();
  void prepareLaunches();
  bool mayOpen(LaunchState &launch);
  void open(LaunchState &launch);
  void endLaunches();
  void noteThreadEnd(const SimThread &thread);
  void noteSignal(LaunchState &launch, CTAState &cta, uint64_t cycles);
  void noteCTAEnd(LaunchState &launch, CTAState &cta);
  LaunchState &launchOf(const Thread &thread) {
    return launches[thread.launch];
  }
  bool hasSeveral() const { return launches.size() > 1; }
  /// The first launch of the same GPU.
  LaunchState &firstOf(const LaunchState &launch) {
    return launches[gpus[launch.gpu].begin];
  }

  void stopGPU();
  std::string describeStop() const;
  /// Ends the wait with the earliest deadline, if there is one.
  bool expireWait();

  // GridLaunches.cpp
  bool hasRoom(const LaunchState &launch) const;
  void startCTAs();
  void startCTAs(GPUState &gpu);
  /// Whether CTAs without room could cause what resident threads wait for.
  bool waitsForRoom() const;
  void startCluster(LaunchState &launch, uint32_t number,
                    uint32_t slotInLaunch);
  void finishThread(SimThread &thread);

  // Grid.cpp: the run.
  void loop();
  void runEngines(bool isForced);
  SimThread *pickThread();
  CTAState *pickCTA();
  void startFairRound();
  void resume(SimThread &thread, bool isFair);
  static void enter(boost::context::detail::transfer_t transfer);
  void releaseYielded();
  /// Whether all threads wait or poll, and will always find the same values.
  bool onlyPolls();
  /// No thread can go on.
  void endWaits();

  // Grid.cpp: for what threads call.
  uint32_t pick(Decision decision, uint32_t n,
                llvm::ArrayRef<Candidate> from = {}) {
    return n <= 1 ? 0 : schedule.pick(decision, n, from);
  }
  void switchOut();
  [[noreturn]] void abort();
  void step() {
    if (--quantum == 0)
      switchOut();
  }
  void makeReady(SimThread &thread);
  void makeUnready(SimThread &thread);
  /// Waits for other threads. `makeReady` ends the wait.
  void block(SimThread::Wait wait) {
    SimThread &thread = *running;
    thread.wait = wait;
    makeUnready(thread);
    --quantum;
    switchOut();
  }
  void unblock(SimThread &thread) {
    if (thread.isStopped)
      return;
    thread.wait = SimThread::Wait::None;
    makeReady(thread);
  }
  /// Records progress other than the spinning of a loop.
  void noteProgress() {
    idleTurns = 0;
    patience = kPatience;
    forcedBursts = 0;
  }

  static Actor actorOf(const Thread &thread);
  void report(FindingKind kind, const Thread &thread, std::string message,
              std::optional<Actor> other = std::nullopt);

  // GridCollectives.cpp
  CTABarrier &arrive(uint32_t name, uint32_t count);
  uint32_t countMissing(const CTAState &cta, const CTABarrier &barrier) const;
  bool completeIfReady(CTAState &cta, CTABarrier &barrier);
  void completeIfReady(ClusterState &cluster);
  void exitFromBarriers(SimThread &thread);

  // GridCollectives.cpp
  void joinCollective(llvm::StringRef kind, bool isBarrier, uint32_t mask,
                      uint64_t value, std::array<uint64_t, 32> &values);
  bool completeIfReady(CTAState &cta, WarpState &warp,
                       LaneCollective &collective);
  Gathering &gather(llvm::StringRef kind, uint32_t first, uint32_t count);
  void exitFromCollectives(SimThread &thread);

  // DeadlockReport.cpp
  void reportDeadlock();
  void reportNoRoom();
  void reportStepLimit();
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_GRID_GRIDSTATE_H
