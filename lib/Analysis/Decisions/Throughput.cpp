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
#include <limits>
#include <vector>

using namespace carousel;

/// Predictions within this factor of the fastest one are the same.
static constexpr double kSame = 1.015;
/// How limits add up that hide each other only in part, and those that hide
/// each other well (ThroughputTest.cpp).
static constexpr double kPartlyHidden = 2, kHidden = 8;

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
  case LoopLimit::SharedMemory:
    return "shared memory bandwidth";
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

static double combine(std::initializer_list<double> times, double power) {
  double sum = 0;
  for (double time : times)
    sum += std::pow(time, power);
  return std::pow(sum, 1 / power);
}

/// The nanoseconds in which `ctas` CTAs do an iteration each, if each needs a
/// unit of the SM for `busy` and then waits for `wait`. The mean value analysis
/// of a closed network: a CTA finds the queue that there is with a CTA less.
static double shareUnit(int64_t ctas, double busy, double wait) {
  double queued = 0, round = 0;
  for (int64_t count = 1; count <= ctas; ++count) {
    double response = busy * (1 + queued);
    round = response + wait;
    queued = static_cast<double>(count) * response / round;
  }
  return round;
}

/// The prediction for `ctas` CTAs on an SM that moves `bytesPerNs`.
static LoopPrediction predict(int64_t ctas, double bytesPerNs,
                              const ChipModel &chip, const LoopWork &work,
                              const LoopChoice &choice) {
  LoopPrediction result;
  result.ctasPerSM = ctas;
  auto count = static_cast<double>(ctas);
  double bytes = work.loadBytes + work.storeBytes;
  // Without a load ahead, an iteration waits for its own load.
  int64_t ahead = std::max<int64_t>(choice.prefetch, 1);
  result.bytesInFlight = ctas * ahead * work.loadBytes;
  result.memoryNs = count * bytes / bytesPerNs;
  double load = work.loadBytes == 0 ? 0 : chip.loadLatency;
  result.latencyNs = load / static_cast<double>(ahead);

  double issue = work.instructions / chip.issuePerCycle / chip.clockGHz;
  double special =
      work.specialInstructions / chip.specialPerCycle / chip.clockGHz;
  double shared = static_cast<double>(work.sharedBytes) /
                  chip.sharedBytesPerCycle / chip.clockGHz;
  result.issueNs = count * issue;
  result.specialNs = count * special;
  result.sharedNs = count * shared;
  double busy = std::max({issue, special, shared});
  result.aloneNs = std::max(busy, work.chainCycles / chip.clockGHz) +
                   work.barriers * chip.barrier + chip.slotOverhead;
  // Threads that wait for their own load do nothing else.
  if (choice.prefetch == 0)
    result.aloneNs += load;
  if (work.storeBytes != 0 && !choice.storesFromRegisters && choice.stages == 1)
    result.aloneNs += chip.storeReadLatency;
  result.threadsNs = shareUnit(ctas, busy, result.aloneNs - busy);

  double memory = combine({result.memoryNs, result.latencyNs}, kPartlyHidden);
  result.iterationNs = combine({memory, result.threadsNs}, kHidden);
  result.throughput = count * bytes * double(chip.sms) / result.iterationNs;
  double drain = work.storeBytes == 0 || choice.storesFromRegisters
                     ? 0
                     : chip.storeReadLatency + chip.barrier;
  // On average half of the last round is missing.
  result.fixedNs =
      chip.launchOverhead + load + drain + 0.5 * result.iterationNs;
  double waits = std::max(result.latencyNs, result.aloneNs), most = waits;
  result.limit = LoopLimit::Latency;
  for (auto [time, limit] :
       {std::pair(result.memoryNs, LoopLimit::Memory),
        std::pair(result.issueNs, LoopLimit::Issue),
        std::pair(result.specialNs, LoopLimit::SpecialFunctions),
        std::pair(result.sharedNs, LoopLimit::SharedMemory)})
    if (time >= most) {
      most = time;
      result.limit = limit;
    }
  return result;
}

LoopPrediction carousel::predictLoop(const ChipModel &chip,
                                     const LoopWork &work,
                                     const LoopChoice &choice) {
  OccupancyLimit limit;
  int64_t ctas = computeCTAsPerSM(chip, work.threads, work.registers,
                                  choice.sharedBytes, limit);
  LoopPrediction result;
  if (ctas != 0)
    result =
        predict(ctas, chip.bytesPerNs / double(chip.sms), chip, work, choice);
  result.occupancyLimit = limit;
  return result;
}

double carousel::predictLaunch(const ChipModel &chip, const LoopWork &work,
                               const LoopPrediction &loop, double bytes) {
  double perRound = (work.loadBytes + work.storeBytes) *
                    static_cast<double>(loop.ctasPerSM) * double(chip.sms);
  return loop.fixedNs + bytes / std::max(perRound, 1.0) * loop.iterationNs;
}

std::optional<unsigned>
carousel::chooseFastest(const ChipModel &chip, const LoopWork &work,
                        llvm::ArrayRef<LoopChoice> choices) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  // The launches with as many CTAs as fit, and with one on each SM.
  std::vector<double> full(choices.size(), kNone), alone = full;
  for (auto [number, choice] : llvm::enumerate(choices)) {
    LoopPrediction loop = predictLoop(chip, work, choice);
    if (loop.ctasPerSM == 0)
      continue;
    full[number] = predictLaunch(chip, work, loop, kNominalBytes);
    LoopPrediction one = predict(1, chip.bytesPerNsOfSM, chip, work, choice);
    alone[number] = predictLaunch(chip, work, one, kNominalBytes);
  }
  if (choices.empty())
    return std::nullopt;
  double leastFull = *llvm::min_element(full),
         leastAlone = *llvm::min_element(alone);
  if (leastFull == kNone)
    return std::nullopt;
  // How much slower than the best a choice is, at worst.
  auto getLoss = [&](size_t number) {
    double loss = full[number] / leastFull;
    return work.mayBeFewCTAs ? std::max(loss, alone[number] / leastAlone)
                             : loss;
  };
  double least = kNone;
  for (size_t number = 0; number < choices.size(); ++number)
    least = std::min(least, getLoss(number));
  for (size_t number = 0; number < choices.size(); ++number)
    if (getLoss(number) <= least * kSame)
      return number;
  return std::nullopt;
}

void LoopWork::print(llvm::raw_ostream &os) const {
  os << "loads " << loadBytes << " bytes, stores " << storeBytes << " bytes, "
     << sharedBytes << " bytes of shared memory, "
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
     << llvm::format("%.0f", specialNs) << " ns, shared memory "
     << llvm::format("%.0f", sharedNs) << " ns, a CTA alone "
     << llvm::format("%.0f", aloneNs) << " ns, together "
     << llvm::format("%.0f", iterationNs) << " ns, "
     << llvm::format("%.0f", throughput) << " GB/s, limited by "
     << stringifyLoopLimit(limit);
}
