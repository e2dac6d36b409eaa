//===- GridState.h - what a grid keeps ---------------------------*- C++
//-*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Grid*.cpp: threads with their fibres, and warps, CTAs and clusters
// with the meetings of their threads. Threads that can run are bits: lanes in
// warps, warps in CTAs, CTAs in the grid.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_GRIDSTATE_H
#define CAROUSEL_LIB_SIMULATOR_GRIDSTATE_H

#include "FiberPool.h"
#include "Grid.h"

#include <boost/context/detail/fcontext.hpp>

namespace carousel::sim {

constexpr uint32_t kWarpSize = 32;
constexpr uint32_t kMaxThreads = 1024;
constexpr uint32_t kNumBarriers = 16;
/// Threads of a CTA, by warp and lane.
using ThreadMask = std::array<uint32_t, kMaxThreads / kWarpSize>;

inline bool contains(const ThreadMask &mask, const Thread &thread) {
  return mask[thread.warp()] >> thread.lane() & 1;
}
inline void insert(ThreadMask &mask, const Thread &thread) {
  mask[thread.warp()] |= 1u << thread.lane();
}

/// The joined views of the participants of a barrier. Epochs are added last:
/// until then threads that share a clock stay known to share it.
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

struct Strand : Thread {
  enum class Wait : uint8_t { None, Object, Barrier, Lanes, Cluster, Gather };

  CTAState *home = nullptr;
  boost::context::detail::fcontext_t context = nullptr;
  FiberPool::Stack stack;
  bool hasExited = false;
  Wait wait = Wait::None;
  uint32_t barrier = 0;       // of Wait::Barrier
  Waitable *object = nullptr; // of Wait::Object
  /// Of Wait::Lanes by `exchange`: where the values go.
  std::array<uint64_t, 32> *values = nullptr;
  /// Cluster barrier: arrived, and not waited since; at which phase.
  bool hasArrived = false;
  uint64_t arrivedPhase = 0;
};

inline uint32_t bitOf(const Strand &strand) { return 1u << strand.lane(); }

/// CTA barrier or named barrier.
struct CTABarrier {
  uint32_t expected = 0, arrived = 0; // 0 arrived: nobody is there
  ThreadMask arrivers = {};
  std::vector<Strand *> waiters;
  const Strand *first = nullptr; // to arrive, and where it did
  Site firstSite = 0;
  ViewJoin join;
  uint64_t cycles = 0;
};

/// Lanes of a warp that come together.
struct LaneMeeting {
  llvm::StringRef kind; // of the first lane; it waits, so the text lives
  bool isBarrier = false;
  uint32_t mask = 0, arrived = 0; // 0 arrived: free for another one
  std::array<uint64_t, 32> values = {};
  ViewJoin join;
};

/// Threads of a CTA that come together.
struct Gathering {
  llvm::StringRef kind;
  uint32_t first = 0, count = 0;
  std::vector<uint64_t> values;
  ThreadMask arrivers = {};
  uint32_t arrived = 0; // 0: free for another one
  Site firstSite = 0;
};

struct WarpState {
  uint32_t lanes = 0;   // that exist
  uint32_t ready = 0;   // can run
  uint32_t yielded = 0; // can run, after all others
  uint32_t woken = 0;   // ready since they were woken
  uint32_t exited = 0;
  std::vector<LaneMeeting> meetings;
};

struct ClusterState {
  uint32_t number = 0;
  uint32_t liveCTAs = 0;
  std::vector<CTAState *> ctas;
  // The cluster barrier.
  uint64_t phase = 0;
  uint32_t live = 0, pending = 0; // threads; of them not arrived at this phase
  ViewJoin join;
  View completed; // what waits for the last phase acquire
  uint64_t cycles = 0, completedCycles = 0;
  std::vector<Strand *> waiters;
};

struct CTAState {
  uint32_t number = 0; // in the grid
  uint32_t slot = 0;
  ClusterState *cluster = nullptr;
  std::unique_ptr<Strand[]> threads;
  std::vector<WarpState> warps;
  uint32_t readyWarps = 0, yieldedWarps = 0, wokenWarps = 0;
  uint32_t live = 0, exited = 0;
  std::array<CTABarrier, kNumBarriers> barriers;
  std::vector<std::unique_ptr<Gathering>> gatherings;
  uint64_t cycles = 0; // of its last thread to end
};

struct Grid::Impl {
  Impl(GridShape shape, Schedule &schedule, FindingLog &log,
       std::function<std::string(Site)> describeSite)
      : shape(shape), schedule(schedule), log(log),
        describeSite(std::move(describeSite)), stacks(shape.stackBytes) {}

  GridShape shape;
  Schedule &schedule;
  FindingLog &log;
  std::function<std::string(Site)> describeSite;
  Background *background = nullptr;
  CTAEvents events;
  llvm::function_ref<void(Thread &)> entry;

  FiberPool stacks;
  boost::context::detail::fcontext_t mainContext = nullptr;
  Strand *running = nullptr;
  /// Steps left of this turn, and of those that were given.
  uint64_t quantum = 0, granted = 0, steps = 0;
  std::optional<RunEnd> end;

  // Residency.
  uint32_t numThreads = 0;        // of a CTA
  std::vector<uint32_t> toLaunch; // clusters; of them [launchBegin, launchEnd)
  uint32_t launchBegin = 0, launchEnd = 0;
  std::vector<CTAState> slots;
  std::vector<ClusterState> clusterSlots;
  std::vector<uint32_t> freeClusterSlots;
  std::vector<CTAState *> residents; // by number, null if not resident
  uint64_t live = 0;                 // threads

  // Who can run.
  std::vector<uint64_t> readySlots; // bits
  uint32_t numReadySlots = 0;
  std::vector<CTAState *> yieldedCTAs;
  uint64_t turnsSinceRelease = 0;
  CTAState *focus = nullptr;
  uint32_t turnsLeft = 0;
  std::vector<Candidate> candidates;

  // Fairness, see Grid.cpp.
  static constexpr uint64_t kPatience = 4096, kFairPatience = 65536;
  uint64_t idleTurns = 0, patience = kPatience;
  uint64_t fairTurns = 0, fairPatience = kFairPatience;
  unsigned forcedBursts = 0;
  std::vector<Strand *> fairRound; // in reverse

  // GridResidency.cpp
  bool checkShape();
  void launch();
  void startCluster(uint32_t number, uint32_t clusterSlot);
  void finishThread(Strand &strand);

  // Grid.cpp: the run.
  void loop();
  void runEngines(bool isForced);
  Strand *pickThread();
  CTAState *pickCTA();
  void startFairRound();
  void resume(Strand &strand, bool isFair);
  static void enter(boost::context::detail::transfer_t transfer);
  void releaseYielded();

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
  void makeReady(Strand &strand);
  void makeUnready(Strand &strand);
  /// Waits for others; `makeReady` ends it.
  void block(Strand::Wait wait) {
    Strand &strand = *running;
    strand.wait = wait;
    makeUnready(strand);
    --quantum;
    switchOut();
  }
  void unblock(Strand &strand) {
    strand.wait = Strand::Wait::None;
    makeReady(strand);
  }
  /// Something went on that is not the spinning of a loop.
  void noteProgress() {
    idleTurns = 0;
    patience = kPatience;
    forcedBursts = 0;
  }

  static Actor actorOf(const Thread &thread);
  void report(FindingKind kind, const Thread &thread, std::string message,
              std::optional<Actor> other = std::nullopt);

  // GridBarriers.cpp
  CTABarrier &arrive(uint32_t name, uint32_t count);
  uint32_t countMissing(const CTAState &cta, const CTABarrier &barrier) const;
  bool completeIfReady(CTAState &cta, CTABarrier &barrier);
  void completeIfReady(ClusterState &cluster);
  void exitFromBarriers(Strand &strand);

  // GridCollectives.cpp
  void meet(llvm::StringRef kind, bool isBarrier, uint32_t mask, uint64_t value,
            std::array<uint64_t, 32> &values);
  bool completeIfReady(CTAState &cta, WarpState &warp, LaneMeeting &meeting);
  Gathering &gather(llvm::StringRef kind, uint32_t first, uint32_t count);
  void exitFromCollectives(Strand &strand);

  // GridPicture.cpp
  void reportDeadlock();
  void reportStepLimit();
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_GRIDSTATE_H
