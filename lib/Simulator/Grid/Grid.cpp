//===- Grid.cpp - turns of threads ----------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop of turns: a thread runs on its fibre until it blocks, yields or has
// used its steps. Engines land operations in between. The loop runs on the
// caller's stack, as do engines and the events of CTAs.
//
// No policy can starve a thread. A thread that yields runs again when no other
// thread can, or after a while. If there is no progress for long except steps,
// the schedule may grant a fair round, in which all agents that can act do so.
// One GPU of a run may stop at a step that the schedule draws, and some waits
// end by themselves when no agent can act any more.
//
//===----------------------------------------------------------------------===//

#include "GridState.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>

using namespace carousel::sim;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

static constexpr uint32_t kMaxSteps = 256, kMaxTurns = 4096, kMaxLandings = 64;
/// While fair rounds are needed they come more often, down to these limits.
static constexpr uint64_t kMinPatience = 64, kMinFairPatience = 1024;

Waitable::~Waitable() = default;
Background::~Background() = default;

//===----------------------------------------------------------------------===//
// Runnable threads
//===----------------------------------------------------------------------===//

/// The index of the k-th set bit.
static uint32_t selectBit(uint64_t mask, uint32_t k) {
  while (k--)
    mask &= mask - 1;
  return uint32_t(llvm::countr_zero(mask));
}

void Grid::Impl::makeReady(SimThread &thread) {
  CTAState &cta = *thread.home;
  WarpState &warp = cta.warps[thread.warp()];
  warp.ready |= bitOf(thread);
  warp.woken |= bitOf(thread);
  cta.wokenWarps |= 1u << thread.warp();
  if (!cta.readyWarps) {
    readySlots[cta.slot / 64] |= uint64_t(1) << cta.slot % 64;
    ++numReadySlots;
  }
  cta.readyWarps |= 1u << thread.warp();
}

void Grid::Impl::makeUnready(SimThread &thread) {
  CTAState &cta = *thread.home;
  WarpState &warp = cta.warps[thread.warp()];
  warp.ready &= ~bitOf(thread);
  if (warp.ready)
    return;
  cta.readyWarps &= ~(1u << thread.warp());
  if (cta.readyWarps)
    return;
  readySlots[cta.slot / 64] &= ~(uint64_t(1) << cta.slot % 64);
  --numReadySlots;
}

void Grid::Impl::releaseYielded() {
  turnsSinceRelease = 0;
  for (CTAState *cta : yieldedCTAs) {
    for (uint32_t left = cta->yieldedWarps; left; left &= left - 1) {
      WarpState &warp = cta->warps[llvm::countr_zero(left)];
      warp.ready |= warp.yielded;
      warp.yielded = 0;
    }
    if (!cta->readyWarps) {
      readySlots[cta->slot / 64] |= uint64_t(1) << cta->slot % 64;
      ++numReadySlots;
    }
    cta->readyWarps |= cta->yieldedWarps;
    cta->yieldedWarps = 0;
  }
  yieldedCTAs.clear();
}

CTAState *Grid::Impl::pickCTA() {
  candidates.clear();
  if (numReadySlots > 1 && schedule.looksAt(Decision::CTA))
    for (size_t word = 0; word < readySlots.size(); ++word)
      for (uint64_t left = readySlots[word]; left; left &= left - 1) {
        CTAState &cta = slots[word * 64 + llvm::countr_zero(left)];
        candidates.push_back({cta.number, cta.wokenWarps != 0, cta.readyWarps});
      }
  uint32_t k = pick(Decision::CTA, numReadySlots, candidates);
  for (size_t word = 0;; ++word) {
    uint32_t count = uint32_t(llvm::popcount(readySlots[word]));
    if (k < count)
      return &slots[word * 64 + selectBit(readySlots[word], k)];
    k -= count;
  }
}

SimThread *Grid::Impl::pickThread() {
  while (!fairRound.empty()) {
    SimThread *thread = fairRound.back();
    fairRound.pop_back();
    if (thread->home->warps[thread->warp()].ready & bitOf(*thread))
      return thread;
  }
  if (turnsLeft == 0 || !focus || !focus->readyWarps) {
    turnsLeft = 1;
    focus = pickCTA();
    if (numReadySlots > 1)
      turnsLeft += pick(Decision::Turns, kMaxTurns);
  }
  --turnsLeft;

  CTAState &cta = *focus;
  candidates.clear();
  uint32_t numWarps = uint32_t(llvm::popcount(cta.readyWarps));
  if (numWarps > 1 && schedule.looksAt(Decision::Warp))
    for (uint32_t left = cta.readyWarps; left; left &= left - 1) {
      uint32_t index = uint32_t(llvm::countr_zero(left));
      candidates.push_back({index, cta.warps[index].woken != 0, cta.number});
    }
  uint32_t warpIndex =
      selectBit(cta.readyWarps, pick(Decision::Warp, numWarps, candidates));

  WarpState &warp = cta.warps[warpIndex];
  candidates.clear();
  uint32_t numLanes = uint32_t(llvm::popcount(warp.ready));
  if (numLanes > 1 && schedule.looksAt(Decision::Lane))
    for (uint32_t left = warp.ready; left; left &= left - 1) {
      uint32_t lane = uint32_t(llvm::countr_zero(left));
      candidates.push_back({lane, (warp.woken >> lane & 1) != 0, 0});
    }
  uint32_t lane =
      selectBit(warp.ready, pick(Decision::Lane, numLanes, candidates));
  return &cta.threads[warpIndex * kWarpSize + lane];
}

void Grid::Impl::startFairRound() {
  releaseYielded();
  for (CTAState &cta : llvm::reverse(slots))
    for (uint32_t warp = uint32_t(cta.warps.size()); warp-- > 0;)
      for (uint32_t lane = kWarpSize; lane-- > 0;)
        if (cta.warps[warp].ready >> lane & 1)
          fairRound.push_back(&cta.threads[warp * kWarpSize + lane]);
  if (background && background->ready())
    runEngines(/*isForced=*/true);
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

void Grid::Impl::enter(transfer_t transfer) {
  Impl &impl = *static_cast<Impl *>(transfer.data);
  impl.mainContext = transfer.fctx;
  SimThread &thread = *impl.running;
  impl.entry(thread);
  if (impl.events.threadExit)
    impl.events.threadExit(thread);
  thread.hasExited = true;
  impl.switchOut();
  llvm_unreachable("a thread runs after its end");
}

void Grid::Impl::switchOut() {
  mainContext = jump_fcontext(mainContext, nullptr).fctx;
}

void Grid::Impl::abort() {
  if (!running) // an engine or an event has called it by mistake
    llvm::report_fatal_error("only a running thread may abort the run");
  end = RunEnd::Aborted;
  switchOut();
  llvm_unreachable("a thread runs after the end of the run");
}

void Grid::Impl::resume(SimThread &thread, bool isFair) {
  if (steps >= stepLimit) {
    reportStepLimit();
    end = RunEnd::StepLimit;
    return;
  }
  if (!thread.context) {
    thread.stack = stacks->acquire();
    if (!thread.stack) {
      report(FindingKind::InvalidOperand, thread,
             "expected the stacks of all resident threads to fit the host's "
             "memory, found no room for one more after " +
                 std::to_string(stacks->getNumStacks()) + " stacks of " +
                 std::to_string(stackBytes) + " bytes");
      end = RunEnd::Aborted;
      return;
    }
    thread.context = make_fcontext(
        thread.stack.top, size_t(thread.stack.top - thread.stack.low), &enter);
  }
  CTAState &cta = *thread.home;
  WarpState &warp = cta.warps[thread.warp()];
  warp.woken &= ~bitOf(thread);
  if (!warp.woken)
    cta.wokenWarps &= ~(1u << thread.warp());

  quantum = isFair ? kMaxSteps : 1 + pick(Decision::Steps, kMaxSteps);
  quantum = std::min(quantum, stepLimit - steps);
  if (stopStep > steps)
    quantum = std::min(quantum, stopStep - steps);
  granted = quantum;
  running = &thread;
  thread.context = jump_fcontext(thread.context, this).fctx;
  running = nullptr;
  steps += granted - quantum;
  if (thread.hasExited) {
    thread.context = nullptr;
    stacks->release(thread.stack);
    thread.stack = {};
    finishThread(thread);
  } else if (static_cast<char *>(thread.context) < thread.stack.low) {
    // Without a guard the overflow may have destroyed another fibre's frames,
    // so this one must not run again.
    report(FindingKind::InvalidOperand, thread,
           "expected the frames of a thread to fit its stack of " +
               std::to_string(stackBytes) + " bytes, found more");
    end = RunEnd::Aborted;
  }
}

void Grid::Impl::runEngines(bool isForced) {
  uint32_t landings = 1 + pick(Decision::Landings, kMaxLandings);
  if (isForced) // all threads wait for the engines, so hurry
    landings = std::max(landings, 1u << std::min(forcedBursts++, 12u));
  while (landings--) {
    uint32_t ready = background->ready();
    if (!ready || end)
      return;
    background->run(pick(Decision::EngineEvent, ready), schedule);
  }
}

/// Three looks are enough: between each two, each thread polled and did nothing
/// else. So nobody wrote between the first two, and all polls since then, which
/// are all that there will be, find what they found. Atomics that write and
/// find the same value each time undo each other, and so find different ones.
bool Grid::Impl::onlyPolls() {
  constexpr unsigned kLooks = 3;
  if (spunNewPolls != newPolls)
    spins = 0;
  spunNewPolls = newPolls;
  bool arePolling = true, havePolled = true;
  llvm::SmallDenseMap<const void *, uint64_t> values;
  auto forEachThread = [&](llvm::function_ref<void(SimThread &)> function) {
    for (CTAState *cta : residents)
      for (uint32_t index = 0; cta && index < cta->numThreads; ++index)
        if (SimThread &thread = cta->threads[index];
            !thread.hasExited && !thread.isStopped)
          function(thread);
  };
  forEachThread([&](const SimThread &thread) {
    if (thread.wait != SimThread::Wait::None)
      return;
    arePolling &= isPolling(thread);
    for (auto [address, found] : thread.polled)
      arePolling &= values.try_emplace(address, found).first->second == found;
    havePolled &= thread.polls > thread.seenPolls;
  });
  if (arePolling && spins != 0 && !havePolled)
    return false;
  forEachThread([](SimThread &thread) { thread.seenPolls = thread.polls; });
  spins = arePolling ? spins + 1 : 0;
  return spins == kLooks;
}

void Grid::Impl::endWaits() {
  spins = 0;
  if (expireWait())
    return;
  if (waitsForRoom())
    reportNoRoom();
  else
    reportDeadlock();
  end = RunEnd::Deadlock;
}

void Grid::Impl::loop() {
  // Some milliseconds of work.
  constexpr uint64_t kRoundsPerCheck = 1 << 14;
  const std::function<bool()> &isCancelled = launches.front().shape.isCancelled;
  for (uint64_t round = 1; !end; ++round) {
    if (log.isFull() ||
        (isCancelled && round % kRoundsPerCheck == 0 && isCancelled())) {
      end = RunEnd::Aborted;
      return;
    }
    if (stopStep && steps >= stopStep && !gpus[stop->gpu].isStopped)
      stopGPU();
    if (draining)
      endLaunches();
    startCTAs();
    bool canLand = background && background->ready() > 0;
    if (numReadySlots == 0) {
      bool isSpinning = !yieldedCTAs.empty();
      if (canLand)
        runEngines(/*isForced=*/isSpinning);
      if (isSpinning)
        releaseYielded();
      if (canLand || isSpinning)
        continue;
      if (live)
        endWaits();
      else
        end = RunEnd::Finished;
      continue;
    }
    if (canLand && pick(Decision::Agent, 2) == 1) {
      runEngines(/*isForced=*/false);
      continue;
    }
    bool isFair = !fairRound.empty();
    resume(*pickThread(), isFair);
    if (maySpin && !end) {
      maySpin = false;
      if (!(background && background->ready()) && onlyPolls())
        endWaits();
    }

    if (++turnsSinceRelease >= std::max<uint64_t>(256, 2 * live))
      releaseYielded();
    if (!fairRound.empty())
      continue;
    ++idleTurns;
    ++fairTurns;
    bool isLate = fairTurns >= fairPatience;
    if (end || (idleTurns < patience && !isLate))
      continue;
    idleTurns = fairTurns = 0;
    if (pick(Decision::Fair, 2) == 0)
      continue;
    patience = std::max(patience / 2, kMinPatience);
    if (isLate)
      fairPatience = std::max(fairPatience / 2, kMinFairPatience);
    startFairRound();
  }
}

//===----------------------------------------------------------------------===//
// Grid
//===----------------------------------------------------------------------===//

Grid::Grid(std::vector<GridLaunch> launches, Schedule &schedule,
           FindingLog &log, std::function<std::string(Site)> describeSite)
    : impl(std::make_unique<Impl>(std::move(launches), schedule, log,
                                  std::move(describeSite))) {}
Grid::Grid(GridShape shape, Schedule &schedule, FindingLog &log,
           std::function<std::string(Site)> describeSite)
    : Grid(std::vector<GridLaunch>{{shape}}, schedule, log,
           std::move(describeSite)) {}
Grid::~Grid() = default;

void Grid::setBackground(Background *background) {
  impl->background = background;
}

void Grid::setEvents(CTAEvents events) { impl->events = std::move(events); }

RunEnd Grid::run(llvm::function_ref<void(Thread &)> entry) {
  if (!impl->checkShapes())
    return RunEnd::Aborted;
  impl->entry = entry;
  impl->prepareLaunches();
  impl->loop();
  return *impl->end;
}

Thread &Grid::current() { return *impl->running; }

Thread *Grid::lookup(uint32_t cta, uint32_t index) {
  if (cta >= impl->residents.size() || !impl->residents[cta] ||
      index >= impl->residents[cta]->numThreads)
    return nullptr;
  return &impl->residents[cta]->threads[index];
}

uint64_t Grid::getSteps() const {
  return impl->steps + (impl->running ? impl->granted - impl->quantum : 0);
}

void Grid::requestAbort() { impl->end = RunEnd::Aborted; }
void Grid::abort() { impl->abort(); }
void Grid::step() { impl->step(); }

void Grid::yield() {
  SimThread &thread = *impl->running;
  CTAState &cta = *thread.home;
  impl->makeUnready(thread);
  if (!cta.yieldedWarps)
    impl->yieldedCTAs.push_back(&cta);
  cta.yieldedWarps |= 1u << thread.warp();
  cta.warps[thread.warp()].yielded |= bitOf(thread);
  --impl->quantum;
  impl->switchOut();
}

void Grid::noteIdle() { ++impl->running->polledCycles; }

void Grid::forgetPolls() {
  SimThread &thread = *impl->running;
  thread.turn.reset();
  thread.polled.clear();
  thread.isRepeating = false;
  thread.again = thread.polls = 0;
  ++impl->newPolls;
}

void Grid::noteTurn(uint64_t values) {
  SimThread &thread = *impl->running;
  if (thread.cycles != thread.polledCycles)
    forgetPolls();
  thread.polledCycles = thread.cycles;
  if (!thread.turn)
    thread.turn = values;
  else if (*thread.turn != values || thread.polled.empty())
    return; // another place or iteration
  else if (!thread.isRepeating)
    thread.isRepeating = true;
  else if (thread.again != thread.polled.size())
    forgetPolls();
  else if (++thread.polls % kPollsOfWaiting == 0)
    impl->maySpin = true;
  thread.again = 0;
}

void Grid::notePoll(const void *address, uint64_t size) {
  // In a round. The thread may have gone past a place for ever.
  constexpr size_t kMostPolls = 64;
  SimThread &thread = *impl->running;
  std::pair<const void *, uint64_t> found(address, 0);
  std::memcpy(&found.second, address, std::min(size, sizeof(found.second)));
  bool isNext = thread.cycles - thread.polledCycles <= 1;
  thread.polledCycles = thread.cycles;
  if (!thread.turn)
    return;
  if (isNext && !thread.isRepeating && thread.polled.size() < kMostPolls)
    thread.polled.push_back(found);
  else if (isNext && thread.isRepeating &&
           thread.again < thread.polled.size() &&
           thread.polled[thread.again] == found)
    ++thread.again;
  else
    forgetPolls();
}

void Grid::wait(Waitable &on) {
  SimThread &thread = *impl->running;
  on.waiters.push_back(&thread);
  thread.object = &on;
  impl->noteProgress();
  impl->block(SimThread::Wait::Object);
}

void Grid::wake(Waitable &on) {
  if (on.waiters.empty())
    return;
  impl->noteProgress();
  for (Thread *thread : on.waiters)
    impl->unblock(*static_cast<SimThread *>(thread));
  on.waiters.clear();
}

Actor Grid::Impl::actorOf(const Thread &thread) {
  Actor actor;
  actor.cta = thread.cta;
  actor.thread = thread.index;
  actor.site = thread.site;
  return actor;
}

void Grid::Impl::report(FindingKind kind, const Thread &thread,
                        std::string message, std::optional<Actor> other) {
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.actor = actorOf(thread);
  finding.other = std::move(other);
  log.report(std::move(finding));
}

uint32_t Grid::getNumGPUs() const { return uint32_t(impl->gpus.size()); }

uint32_t Grid::getGPU(uint32_t cta) const {
  return impl->launches[getLaunchOf(cta)].gpu;
}

std::vector<uint32_t> Grid::getFirstCTAs() const {
  std::vector<uint32_t> first;
  for (const GPUState &gpu : impl->gpus)
    first.push_back(gpu.begin < impl->launches.size()
                        ? impl->launches[gpu.begin].firstCTA
                        : impl->launches.back().endCTA());
  return first;
}

//===----------------------------------------------------------------------===//
// A GPU that stops
//===----------------------------------------------------------------------===//

void Grid::setStop(GPUStop stop) { impl->stop = stop; }

bool Grid::hasStop() const { return impl->stop.has_value(); }

std::string Grid::describeStop() const {
  if (!impl->stop || !impl->gpus[impl->stop->gpu].isStopped)
    return "";
  return impl->describeStop();
}

std::string Grid::Impl::describeStop() const {
  return "GPU " + std::to_string(stop->gpu) + " stopped at step " +
         std::to_string(stopStep);
}

void Grid::Impl::stopGPU() {
  gpus[stop->gpu].isStopped = true;
  releaseYielded();
  for (CTAState *cta : residents) {
    if (!cta || launches[cta->threads[0].launch].gpu != stop->gpu)
      continue;
    for (uint32_t index = 0; index < cta->numThreads; ++index) {
      SimThread &thread = cta->threads[index];
      if (thread.hasExited)
        continue;
      if (cta->warps[thread.warp()].ready & bitOf(thread))
        makeUnready(thread);
      thread.isStopped = true;
      --live;
    }
    residents[cta->number] = nullptr;
  }
  noteProgress();
}

//===----------------------------------------------------------------------===//
// Waits that end by themselves
//===----------------------------------------------------------------------===//

bool Grid::waitFor(Waitable &on, uint64_t cycles) {
  SimThread &thread = *impl->running;
  thread.deadline = thread.cycles + std::min(cycles, UINT64_MAX / 2);
  thread.hasExpired = false;
  wait(on);
  thread.deadline.reset();
  return !thread.hasExpired;
}

bool Grid::Impl::expireWait() {
  SimThread *first = nullptr;
  for (const CTAState *cta : residents)
    for (uint32_t index = 0; cta && index < cta->numThreads; ++index) {
      SimThread &thread = cta->threads[index];
      if (!thread.hasExited && thread.deadline &&
          thread.wait == SimThread::Wait::Object &&
          (!first || *thread.deadline < *first->deadline))
        first = &thread;
    }
  if (!first)
    return false;
  llvm::erase(first->object->waiters, static_cast<Thread *>(first));
  first->hasExpired = true;
  first->cycles = std::max(first->cycles, *first->deadline);
  noteProgress();
  unblock(*first);
  return true;
}
