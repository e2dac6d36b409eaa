//===- GridPeers.cpp - grids of several GPUs ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The GPUs of a run, one of which may stop at a step that the schedule draws,
// and waits that end by themselves when no agent can act any more.
//
//===----------------------------------------------------------------------===//

#include "GridState.h"

#include "llvm/ADT/STLExtras.h"

using namespace carousel::sim;

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
