//===- Grid.h - threads, CTAs, clusters and barriers ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a kernel's entry once per thread, under a schedule. Each thread is a
// fibre, and as many CTAs run at a time as fit the machine. Implements CTA,
// named, warp and cluster barriers and warp collectives, and detects divergence
// and deadlock. A run may be several launches in a row, with consecutive
// numbers for all their CTAs.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_GRID_GRID_H
#define CAROUSEL_LIB_SIMULATOR_GRID_GRID_H

#include "../Memory/Clock.h"
#include "Schedule.h"

#include "carousel/Simulator/Findings.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <functional>
#include <memory>

namespace carousel::sim {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

struct GridShape {
  Dim3 grid, block, cluster;
  /// CTAs that may be resident at once: multiprocessors times CTAs per
  /// multiprocessor. At least one cluster is always resident.
  uint32_t residentCTAs = 132;
  /// CTAs become resident in the order of their ids.
  bool startsInOrder = false;
  /// All CTAs are resident at once. Otherwise the schedule may have fewer
  /// resident than there is room for, as if other work took the room.
  bool isCoresident = false;
  uint64_t stepLimit = 1ull << 32;
  /// Once it returns true, the run ends. Only that of the first launch counts.
  std::function<bool()> isCancelled;
  /// The stack of each thread, without its guard.
  uint32_t stackBytes = 64 * 1024;
};

/// One launch in a run of several. Unless it is dependent, it starts when all
/// earlier launches have ended, and sees all their effects.
struct GridLaunch {
  GridShape shape;
  /// A programmatic dependent launch, which may start when each CTA of the
  /// previous launch has executed grid.launch_dependents or ended. This orders
  /// nothing.
  bool isDependent = false;
  /// "@k", for findings if a run has several launches.
  std::string name;
  /// The GPU. Launches of one GPU are adjacent. Those of several run at the
  /// same time, and know nothing of each other.
  uint32_t gpu = 0;
};

/// A GPU that stops, as if its process had been killed: its threads act no
/// more, and its CTAs start no more. What its engines have begun is completed.
struct GPUStop {
  uint32_t gpu = 0;
  /// The schedule draws the step, of all threads together, from 1 to this one.
  uint64_t within = 1;
};

class Thread;

/// A wait, as a deadlock report shows it.
struct WaitDescription {
  /// "mbarrier full[2], phase parity 0", "CTA barrier", "bulk group wait".
  std::string what;
  /// "1 of 2 arrivals and 4096 bytes".
  std::string missing;
  /// The threads that could have provided it, if known: "CTA 0 thread 32 (last
  /// arrived at kernel.mlir:3:4)".
  std::vector<std::string> providers;
};

/// An object with a queue of waiting threads. It must outlive all waits on it.
class Waitable {
public:
  virtual ~Waitable();
  virtual WaitDescription describe(const Thread &waiter) const = 0;

private:
  friend class Grid;
  std::vector<Thread *> waiters;
};

/// The engines, which act between the steps of threads. `ready` is the number
/// of possible landings.
class Background {
public:
  virtual ~Background();
  virtual uint32_t ready() const = 0;
  virtual void run(uint32_t which, Schedule &schedule) = 0;
  /// Whether everything that a launch's threads have issued is complete. `when`
  /// is the completion of the last operation.
  virtual bool isIdle(uint32_t launch) const { return ready() == 0; }
  virtual uint64_t getLastCycles(uint32_t launch) const { return 0; }
};

/// One thread. The machine reads and writes its fields while the thread runs.
class Thread {
public:
  // Linear numbers of CTA and cluster, consecutive over the launches of a run.
  uint32_t cta = 0, cluster = 0;
  uint32_t index = 0; // linear number in the CTA
  uint32_t launch = 0, gpu = 0;
  uint32_t rankInCluster = 0;
  Dim3 threadId{0, 0, 0}, ctaId{0, 0, 0}, idInCluster{0, 0, 0},
      clusterId{0, 0, 0};
  uint32_t warp() const { return index / 32; }
  uint32_t lane() const { return index % 32; }

  View view;
  uint32_t time = 1;
  Epoch epoch() const { return Epoch(cta, index, time); }
  /// Call after giving the thread's view to others (release, issue), so that
  /// the view doesn't cover later accesses.
  void tick() {
    view.order.observe(epoch());
    ++time;
  }
  /// The current site, for findings and deadlock reports.
  Site site = 0;
  /// Simulated time, see docs/Simulator.md.
  uint64_t cycles = 0;
  /// State of the asynchronous machine for this thread (groups), which owns it.
  void *asyncState = nullptr;
};

/// Events by which others set up and remove a CTA's shared memory and barriers.
struct CTAEvents {
  /// Before the CTA's first thread starts, and after its last one ended.
  std::function<void(uint32_t cta)> start, exit;
  /// When a thread ends.
  std::function<void(Thread &)> threadExit;
};

enum class RunEnd : uint8_t { Finished, Deadlock, StepLimit, Aborted };

class Grid {
public:
  Grid(GridShape shape, Schedule &schedule, FindingLog &log,
       std::function<std::string(Site)> describeSite);
  /// Runs several launches in order. The step limit is that of the first
  /// launch, and the stack size is the largest one.
  Grid(std::vector<GridLaunch> launches, Schedule &schedule, FindingLog &log,
       std::function<std::string(Site)> describeSite);
  ~Grid();

  void setBackground(Background *background);
  void setEvents(CTAEvents events);
  /// Call it before `run`.
  void setStop(GPUStop stop);
  /// Whether a GPU stops in this run.
  bool hasStop() const;

  /// Runs `entry` in every thread. Call it once per grid. Returns when all
  /// threads have ended and the background is idle, or when the run can't
  /// continue. Remaining fibres are then dropped, and objects in their frames
  /// aren't destroyed. A full log ends the run, too.
  RunEnd run(llvm::function_ref<void(Thread &)> entry);

  /// The shape of the running thread's launch, or of the first launch if no
  /// thread runs.
  const GridShape &getShape() const;
  const GridShape &getShape(uint32_t launch) const;
  uint32_t getNumGPUs() const;
  uint32_t getGPU(uint32_t cta) const;
  /// The first CTA of each GPU, which the run numbers consecutively.
  std::vector<uint32_t> getFirstCTAs() const;
  /// "GPU 1 stopped after 20 steps", or empty.
  std::string describeStop() const;
  uint32_t getLaunchOf(uint32_t cta) const;
  /// Describes a CTA by its number: "CTA 3". With several launches, this is the
  /// number in its own launch: "CTA 1 of @k".
  std::string describeCTA(uint32_t cta) const;
  /// Does the same for the actors of findings, when they are reported.
  void nameLaunch(Actor &actor) const;
  /// The running thread, which there is only inside `entry`.
  Thread &current();
  /// The thread of a resident CTA, or null. Valid until the CTA's exit event.
  Thread *lookup(uint32_t cta, uint32_t index);
  uint64_t getSteps() const;

  // The functions below are for the running thread, and only inside `entry`.
  // Each call counts as a step.

  /// Counts a step. The schedule may let other threads run first.
  void step();
  /// Lets other threads run first, for example after a failed poll.
  void yield();
  /// Notes that the running thread's last op changes nothing that it polls.
  void noteIdle();
  /// Forgets polls: the running thread may go on differently for equal values.
  void forgetPolls();
  /// The running thread is at the end of a loop's iteration, with these values.
  void noteTurn(uint64_t values);
  /// The running thread's atomic found these bytes at the address.
  void notePoll(const void *address, uint64_t size);
  /// Blocks until another agent calls `wake` on the object. Spurious wake-ups
  /// happen, so the caller must test again.
  void wait(Waitable &on);
  /// The same, until no other agent can act, and no wait with fewer
  /// cycles left. Then the result is false.
  bool waitFor(Waitable &on, uint64_t cycles);
  /// Makes all waiters runnable. The background may call it, too.
  void wake(Waitable &on);
  /// Ends the run before the next turn. The background and events may call it,
  /// too.
  void requestAbort();

  /// gpu.barrier, barrier.sync / arrive (PTX bar.sync a, b: `count` threads, 0
  /// for all of the CTA). Joins the views of the participants, including each
  /// participant's own earlier accesses. An exited thread makes a barrier of
  /// the whole CTA diverge, and then counts as arrived.
  void barrierSync(uint32_t name, uint32_t count);
  void barrierArrive(uint32_t name, uint32_t count);
  /// bar.warp.sync among the lanes of `mask`. As for `exchange`, mask 0 means
  /// all lanes that exist. Lanes beyond the end of the CTA don't count. An
  /// exited lane is a finding, and is left out.
  void barrierWarp(uint32_t mask);
  /// barrier.cluster.arrive [.release/.relaxed] and .wait [.acquire]. Exited
  /// threads count as arrived.
  void clusterArrive(bool release);
  void clusterWait(bool acquire);

  /// A collective of the lanes in `mask`. Each gives `value` and gets the
  /// values of all lanes (by lane; 0 for lanes not in the mask). `kind` names
  /// it ("shuffle", "elect"). Lanes that come together with different kinds or
  /// masks diverge. Mask 0 means all lanes of the warp that exist.
  std::array<uint64_t, 32> exchange(llvm::StringRef kind, uint32_t mask,
                                    uint64_t value);

  /// elect.sync: true in one lane of `mask`, which the schedule chooses. Lanes
  /// of one mask have the same leader in the whole run.
  bool elect(uint32_t mask);

  /// A collective of `count` threads of a CTA, from thread `first` on (a whole
  /// CTA, a warpgroup). Each thread blocks until all have arrived. The last one
  /// runs `action` on its fibre, and then all continue. `values` has the values
  /// of the threads, by thread. Joins no views. An exited thread makes it
  /// diverge, which ends the run.
  void gather(llvm::StringRef kind, uint32_t first, uint32_t count,
              uint64_t value,
              llvm::function_ref<void(llvm::ArrayRef<uint64_t> values)> action);

  /// griddepcontrol.launch_dependents: a dependent launch may start when all
  /// CTAs have called it.
  void launchDependents();
  /// griddepcontrol.wait: blocks until the launch that this one depends on has
  /// ended, and then makes all its effects visible.
  void waitForPrerequisite();

  /// Ends the run at once (after a finding that leaves no way to continue, or
  /// when the log is full).
  [[noreturn]] void abort();

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_GRID_GRID_H
