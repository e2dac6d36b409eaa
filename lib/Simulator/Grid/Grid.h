//===- Grid.h - threads as fibres, CTAs, clusters and their barriers ---------//
//-*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a kernel's entry once per thread, each thread a fibre, as many CTAs at a
// time as fit the machine, under a schedule. Has what joins threads: CTA,
// named, warp and cluster barriers and warp collectives, with divergence and
// deadlock found. A run may be several launches in a row, whose CTAs are
// numbered on.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_GRID_GRID_H
#define CAROUSEL_LIB_SIMULATOR_GRID_GRID_H

#include "../Memory/View.h"
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
  /// All CTAs are resident at once. Else the schedule may have fewer than there
  /// is room for, since other work may have it.
  bool isCoresident = false;
  uint64_t stepLimit = 1ull << 32;
  /// Of each thread, without its guard.
  uint32_t stackBytes = 64 * 1024;
};

/// One launch of a run of several. Unless it is dependent, it starts when all
/// before it have ended, and sees all that they did.
struct GridLaunch {
  GridShape shape;
  /// A programmatic dependent launch: may start when each CTA of the launch
  /// before has executed grid.launch_dependents or ended, which orders nothing.
  bool isDependent = false;
  /// "@k", for findings where several launches are.
  std::string name;
};

class Thread;

/// Something that threads wait for, as a deadlock shows it.
struct WaitDescription {
  /// "mbarrier full[2], phase parity 0", "CTA barrier", "bulk group wait".
  std::string what;
  /// "1 of 2 arrivals and 4096 bytes".
  std::string missing;
  /// Who could have provided it, if known: "CTA 0 thread 32 (last arrived at
  /// kernel.mlir:3:4)".
  std::vector<std::string> providers;
};

/// An object with a queue of waiting threads. Lives as long as any thread waits
/// on it.
class Waitable {
public:
  virtual ~Waitable();
  virtual WaitDescription describe(const Thread &waiter) const = 0;

private:
  friend class Grid;
  std::vector<Thread *> waiters;
};

/// Engines: they act between the steps of threads. `ready` is how many landings
/// may happen now.
class Background {
public:
  virtual ~Background();
  virtual uint32_t ready() const = 0;
  virtual void run(uint32_t which, Schedule &schedule) = 0;
  /// True if nothing is left to do of what a launch's threads have issued, and
  /// when the last of it was done.
  virtual bool isIdle(uint32_t launch) const { return ready() == 0; }
  virtual uint64_t getLastCycles(uint32_t launch) const { return 0; }
};

/// One thread. Its fields are the machine's to read and write while the thread
/// runs.
class Thread {
public:
  // Linear numbers of CTA and cluster; they go on over the launches of a run.
  uint32_t cta = 0, cluster = 0;
  uint32_t index = 0; // linear number in the CTA
  uint32_t launch = 0;
  uint32_t rankInCluster = 0;
  Dim3 threadId{0, 0, 0}, ctaId{0, 0, 0}, idInCluster{0, 0, 0},
      clusterId{0, 0, 0};
  uint32_t warp() const { return index / 32; }
  uint32_t lane() const { return index % 32; }

  View view;
  uint32_t time = 1;
  Epoch epoch() const { return Epoch(cta, index, time); }
  /// After giving its view to others (release, issue): later accesses are not
  /// covered by it.
  void tick() {
    view.order.observe(epoch());
    ++time;
  }
  /// Where it is, for findings and deadlock reports.
  Site site = 0;
  /// Simulated time, see docs/Simulator.md.
  uint64_t cycles = 0;
  /// The thread's last atomic, what it found and when; how often in a row it
  /// has found the same, with nothing else done in between.
  const void *polled = nullptr;
  uint64_t polledValue = 0, polledCycles = 0;
  uint32_t polls = 0;
  /// State of the async machine for this thread (groups); owned by it.
  void *asyncState = nullptr;
};

/// What may be done about a CTA by others: shared memory, barriers.
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
  /// Several launches, in their order. The step limit is that of the first, the
  /// stack that of the largest.
  Grid(std::vector<GridLaunch> launches, Schedule &schedule, FindingLog &log,
       std::function<std::string(Site)> describeSite);
  ~Grid();

  void setBackground(Background *background);
  void setEvents(CTAEvents events);

  /// Runs `entry` for every thread; once per grid. Returns when all ended and
  /// the background is idle, or when the run can't go on; fibres that are left
  /// are dropped where they are, so what their frames own is not freed. A full
  /// log ends the run as well.
  RunEnd run(llvm::function_ref<void(Thread &)> entry);

  /// Of the running thread's launch; where no thread runs, of the first one.
  const GridShape &getShape() const;
  const GridShape &getShape(uint32_t launch) const;
  uint32_t getLaunchOf(uint32_t cta) const;
  /// "CTA 3"; where several launches are, by its number in its own: "CTA 1 of
  /// @k".
  std::string describeCTA(uint32_t cta) const;
  /// The same for the actors of findings, when they are reported.
  void nameLaunch(Actor &actor) const;
  /// The running thread. Only inside `entry`.
  Thread &current();
  /// The thread of a resident CTA, or null. Valid until the CTA's exit event.
  Thread *lookup(uint32_t cta, uint32_t index);
  uint64_t getSteps() const;

  // All below: only inside `entry`, by the running thread. Each call counts as
  // a step.

  /// Counts a step; the schedule may let others run first.
  void step();
  /// Others run first, for certain (a failed poll).
  void yield();
  /// The running thread's atomic found these bytes at the address.
  void notePoll(const void *address, uint64_t size);
  /// Blocks until another agent calls `wake` on it. Spurious wake-ups happen:
  /// test again.
  void wait(Waitable &on);
  /// May be called by the background too. All waiters become runnable.
  void wake(Waitable &on);
  /// May be called by the background and in events too: the run ends before the
  /// next turn.
  void requestAbort();

  /// gpu.barrier, barrier.sync / arrive (PTX bar.sync a, b: `count` threads, 0:
  /// all of the CTA). Joins the views of the participants. An exited thread
  /// makes an all-CTA barrier diverge; it then counts as arrived. A
  /// participant's own earlier accesses are in the joined view.
  void barrierSync(uint32_t name, uint32_t count);
  void barrierArrive(uint32_t name, uint32_t count);
  /// bar.warp.sync among the lanes of `mask`. As for `exchange`: mask 0 is all
  /// lanes that exist, lanes beyond the end of the CTA don't count, and a lane
  /// that exited is a finding and is left out.
  void barrierWarp(uint32_t mask);
  /// barrier.cluster.arrive [.release/.relaxed] and .wait [.acquire]. Exited
  /// threads count as arrived.
  void clusterArrive(bool release);
  void clusterWait(bool acquire);

  /// A collective of the lanes in `mask`: each gives `value`, and gets all
  /// values of the lanes (by lane; 0 where not in the mask). `kind` names it
  /// ("shuffle", "elect"): lanes that meet with different kinds or masks
  /// diverge. Mask 0: all lanes of the warp that exist.
  std::array<uint64_t, 32> exchange(llvm::StringRef kind, uint32_t mask,
                                    uint64_t value);

  /// elect.sync: true in one lane of those in `mask`, which the schedule
  /// chooses. Lanes of one mask have one leader in the whole run.
  bool elect(uint32_t mask);

  /// A collective of `count` threads of a CTA that start at thread `first` (a
  /// whole CTA, a warpgroup): each blocks until all have come; the last to come
  /// runs `action` on its fibre, then all go on. `values` are what the threads
  /// gave, by thread. Joins no views. A thread that exited makes it diverge,
  /// which ends the run.
  void gather(llvm::StringRef kind, uint32_t first, uint32_t count,
              uint64_t value,
              llvm::function_ref<void(llvm::ArrayRef<uint64_t> values)> action);

  /// griddepcontrol.launch_dependents: what may start when all CTAs came here.
  void launchDependents();
  /// griddepcontrol.wait: blocks until the launch that this one depends on has
  /// ended; all that it did is seen then.
  void waitForPrerequisite();

  /// Ends the run at once (a finding that leaves nothing to go on with, a full
  /// log).
  [[noreturn]] void abort();

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_GRID_GRID_H
