//===- Throughput.cpp - predict how fast a pipelined loop runs ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Decisions/Throughput.h"

#include "carousel/Support/HardwareLimits.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace carousel;

/// A choice with more stages must be worth its shared memory.
static constexpr double kWorthwhile = 0.99;

llvm::StringRef carousel::stringifyLoopLimit(LoopLimit limit) {
  switch (limit) {
  case LoopLimit::Memory:
    return "memory bandwidth";
  case LoopLimit::Latency:
    return "latency";
  case LoopLimit::Issue:
    return "instruction issue";
  case LoopLimit::SpecialFunctions:
    return "special functions";
  }
  llvm_unreachable("a limit");
}

llvm::StringRef carousel::stringifyOccupancyLimit(OccupancyLimit limit) {
  switch (limit) {
  case OccupancyLimit::SharedMemory:
    return "shared memory";
  case OccupancyLimit::Registers:
    return "registers";
  case OccupancyLimit::Threads:
    return "threads";
  case OccupancyLimit::Blocks:
    return "blocks";
  }
  llvm_unreachable("a limit");
}

int64_t carousel::computeCTAsPerSM(const TargetInfo &target, int64_t threads,
                                   int64_t registers, int64_t sharedBytes,
                                   OccupancyLimit &limit) {
  int64_t warps = llvm::divideCeil(std::max<int64_t>(threads, 1),
                                   int64_t(rules::kWarpSize));
  int64_t most = target.maxBlocksPerSM;
  limit = OccupancyLimit::Blocks;
  auto restrict = [&](int64_t count, OccupancyLimit by) {
    if (count >= most)
      return;
    most = count;
    limit = by;
  };
  restrict(target.maxThreadsPerSM / (warps * rules::kWarpSize),
           OccupancyLimit::Threads);
  // A warp gets its registers in units of eight for each of its threads.
  int64_t perWarp = llvm::alignTo(std::max<int64_t>(registers, 1), 8) *
                    int64_t(rules::kWarpSize);
  restrict(target.registersPerSM / (perWarp * warps),
           OccupancyLimit::Registers);
  restrict(target.sharedPerSM / (sharedBytes + target.sharedReservedPerBlock),
           OccupancyLimit::SharedMemory);
  return most;
}

/// Limits that hide each other only in part add up like this. With a power of
/// two, copies by rings are met within 10 percent (ThroughputTest.cpp).
static double combine(std::initializer_list<double> times, double power) {
  double sum = 0;
  for (double time : times)
    sum += std::pow(time, power);
  return std::pow(sum, 1 / power);
}

LoopPrediction carousel::predictLoop(const TargetInfo &target,
                                     const ChipRates &rates,
                                     const LoopWork &work,
                                     const LoopChoice &choice) {
  LoopPrediction result;
  result.ctasPerSM =
      computeCTAsPerSM(target, work.threads, work.registers, choice.sharedBytes,
                       result.occupancyLimit);
  if (result.ctasPerSM == 0)
    return result;
  double ctas = result.ctasPerSM;
  double bytes = work.loadBytes + work.storeBytes;
  // Without a load ahead, an iteration waits for its own load.
  int64_t ahead = std::max<int64_t>(choice.prefetch, 1);
  result.bytesInFlight = result.ctasPerSM * ahead * work.loadBytes;
  result.memoryNs = ctas * bytes / (rates.bytesPerNs / rates.sms);
  result.issueNs =
      ctas * work.instructions / rates.issuePerCycle / rates.clockGHz;
  result.specialNs =
      ctas * work.specialInstructions / rates.specialPerCycle / rates.clockGHz;
  double chain =
      work.chainCycles / rates.clockGHz + work.barriers * rates.barrier;
  double load = work.loadBytes == 0 ? 0 : rates.loadLatency;
  // A load ahead returns while the iterations before it run. Threads that wait
  // for their own load do nothing else.
  result.latencyNs =
      choice.prefetch == 0 ? load + chain : std::max(load / ahead, chain);
  if (work.storeBytes != 0 && !choice.storesFromRegisters && choice.stages == 1)
    result.latencyNs += rates.storeReadLatency;
  double memory = combine({result.memoryNs, result.latencyNs}, 2);
  result.iterationNs =
      combine({memory, std::max(result.issueNs, result.specialNs)}, 4);
  result.throughput = ctas * bytes * rates.sms / result.iterationNs;
  double most = std::max(
      {result.memoryNs, result.latencyNs, result.issueNs, result.specialNs});
  result.limit = most == result.memoryNs    ? LoopLimit::Memory
                 : most == result.latencyNs ? LoopLimit::Latency
                 : most == result.issueNs   ? LoopLimit::Issue
                                            : LoopLimit::SpecialFunctions;
  return result;
}

double carousel::predictLaunch(const ChipRates &rates, const LoopWork &work,
                               const LoopChoice &choice,
                               const LoopPrediction &loop, double bytes) {
  double perRound = (work.loadBytes + work.storeBytes) *
                    static_cast<double>(loop.ctasPerSM) * rates.sms;
  double rounds = bytes / std::max(perRound, 1.0);
  // On average half of the last round is missing.
  double fill = rates.loadLatency;
  double drain = work.storeBytes == 0 || choice.storesFromRegisters
                     ? 0
                     : rates.storeReadLatency + rates.barrier;
  return rates.launchOverhead + fill + drain +
         (rounds + 0.5) * loop.iterationNs;
}

std::optional<unsigned>
carousel::chooseFastest(const TargetInfo &target, const ChipRates &rates,
                        const LoopWork &work,
                        llvm::ArrayRef<LoopChoice> choices) {
  std::optional<unsigned> best;
  double least = 0;
  for (auto [number, choice] : llvm::enumerate(choices)) {
    LoopPrediction loop = predictLoop(target, rates, work, choice);
    if (loop.ctasPerSM == 0)
      continue;
    double time = predictLaunch(rates, work, choice, loop, kNominalBytes);
    if (best && time >= least * kWorthwhile)
      continue;
    best = number;
    least = time;
  }
  return best;
}

void LoopWork::print(llvm::raw_ostream &os) const {
  os << "loads " << loadBytes << " bytes, stores " << storeBytes << " bytes, "
     << llvm::format("%.0f", instructions) << " instructions, "
     << llvm::format("%.0f", specialInstructions) << " special, chain "
     << llvm::format("%.0f", chainCycles) << " cycles, "
     << llvm::format("%g", barriers) << " barriers, " << threads
     << " threads of " << registers << " registers";
}

void LoopPrediction::print(llvm::raw_ostream &os) const {
  os << ctasPerSM << " CTAs per SM by "
     << stringifyOccupancyLimit(occupancyLimit) << ", " << bytesInFlight
     << " bytes in flight, memory " << llvm::format("%.0f", memoryNs)
     << " ns, latency " << llvm::format("%.0f", latencyNs) << " ns, issue "
     << llvm::format("%.0f", issueNs) << " ns, special "
     << llvm::format("%.0f", specialNs) << " ns, together "
     << llvm::format("%.0f", iterationNs) << " ns, "
     << llvm::format("%.0f", throughput) << " GB/s, limited by "
     << stringifyLoopLimit(limit);
}
