//===- ThroughputTest.cpp - tests for Throughput.h ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Decisions/Throughput.h"

#include "gtest/gtest.h"

using namespace carousel;

namespace {

const ChipModel &getHopper() {
  static const ChipModel chip = ChipModel::getDefault();
  return chip;
}

/// A copy by tiles of `bytes`: an in-place ring, with a slot in use.
LoopWork makeCopy(int64_t bytes) {
  LoopWork work;
  work.loadBytes = work.storeBytes = bytes;
  work.sharedBytes = 2 * bytes;
  work.threads = 128;
  work.registers = 32;
  work.instructions = 80;
  work.chainCycles = 10;
  work.barriers = 1;
  return work;
}

LoopChoice makeRing(const LoopWork &work, int64_t stages) {
  LoopChoice choice;
  choice.stages = stages;
  choice.prefetch = stages > 2 ? stages - 2 : stages - 1;
  choice.sharedBytes = stages * work.loadBytes;
  return choice;
}

/// gelu(x + b) * r by tiles of 16x256 bf16: about 16 elements for a thread.
LoopWork makeGelu() {
  LoopWork work;
  work.loadBytes = 2 * 8192;
  work.storeBytes = 8192;
  work.sharedBytes = 2 * (16384 + 8192);
  work.threads = 256;
  work.registers = 51;
  work.instructions = 3952;
  work.specialInstructions = 128;
  work.chainCycles = 464;
  work.barriers = 1;
  return work;
}

LoopPrediction predict(const LoopWork &work, const LoopChoice &choice) {
  return predictLoop(getHopper(), work, choice);
}

TEST(Throughput, everyChipHasRates) {
  for (const TargetInfo &info : TargetInfo::all())
    EXPECT_GT(ChipModel::of(info).bytesPerNs, 0) << info.chip.str();
}

TEST(Throughput, occupancyNamesItsLimit) {
  OccupancyLimit limit;
  EXPECT_EQ(computeCTAsPerSM(getHopper(), 256, 32, 98 * 1024, limit), 2);
  EXPECT_EQ(limit, OccupancyLimit::SharedMemory);
  EXPECT_EQ(computeCTAsPerSM(getHopper(), 256, 32, 1024, limit), 8);
  EXPECT_EQ(limit, OccupancyLimit::Threads);
  EXPECT_EQ(computeCTAsPerSM(getHopper(), 256, 128, 1024, limit), 2);
  EXPECT_EQ(limit, OccupancyLimit::Registers);
  EXPECT_EQ(computeCTAsPerSM(getHopper(), 32, 32, 0, limit), 32);
  EXPECT_EQ(limit, OccupancyLimit::Blocks);
}

TEST(Throughput, aCTAThatDoesNotFitIsNoChoice) {
  LoopWork work = makeCopy(16384);
  LoopChoice large = makeRing(work, 2);
  large.sharedBytes = 300 * 1024;
  EXPECT_EQ(predict(work, large).ctasPerSM, 0);
  EXPECT_EQ(chooseFastest(getHopper(), work, large), std::nullopt);
}

/// Rings of the same bytes in flight, one CTA on each SM, as they were measured
/// on an H200 (GB/s).
TEST(Throughput, meetsCopiesWithFewBytesInFlight) {
  struct {
    int64_t tile, stages;
    double measured;
  } rows[] = {{16384, 4, 3843}, {16384, 6, 3914}, {32768, 4, 3926}};
  for (auto &row : rows) {
    LoopWork work = makeCopy(row.tile);
    LoopChoice choice = makeRing(work, row.stages);
    choice.sharedBytes = 200 * 1024; // alone on its SM
    EXPECT_NEAR(predict(work, choice).throughput / row.measured, 1, 0.1)
        << row.tile << " x " << row.stages;
  }
}

/// As they were measured on an H200, with 2 CTAs on each SM (GB/s).
TEST(Throughput, meetsGeluWithFewStages) {
  struct {
    int64_t stages;
    double measured;
  } rows[] = {{2, 3593}, {3, 3762}, {4, 3726}};
  for (auto &row : rows) {
    LoopWork work = makeGelu();
    LoopChoice choice;
    choice.stages = row.stages;
    choice.prefetch = row.stages - 1;
    choice.sharedBytes = 98 * 1024;
    EXPECT_NEAR(predict(work, choice).throughput / row.measured, 1, 0.15)
        << row.stages;
  }
}

/// gelu in bf16 by tiles of 4096 elements: about as much to compute as to move.
LoopWork makeLongGelu() {
  LoopWork work;
  work.loadBytes = work.storeBytes = 8192;
  work.sharedBytes = 4 * 8192;
  work.threads = 256;
  work.registers = 32;
  work.instructions = 4768;
  work.specialInstructions = 128;
  work.chainCycles = 416;
  work.barriers = 1;
  return work;
}

/// A product with a scalar in f32 by tiles of 4096 elements, in place.
LoopWork makeScale() {
  LoopWork work = makeCopy(16384);
  work.sharedBytes = 4 * 16384;
  work.threads = 256;
  work.instructions = 800;
  work.chainCycles = 80;
  return work;
}

/// Launches as they were measured on an H200, with all numbers of stages, and
/// with all that a CTA on its own can't hide.
TEST(Throughput, meetsASweep) {
  struct {
    LoopWork work;
    double bytes;
    int64_t stages, prefetch, ctas;
    double measured;
  } rows[] = {
      {makeLongGelu(), 268.4e6, 2, 1, 6, 93.5},
      {makeLongGelu(), 268.4e6, 3, 2, 5, 92.2},
      {makeLongGelu(), 268.4e6, 4, 3, 4, 91.6},
      {makeLongGelu(), 268.4e6, 6, 5, 3, 93.6},
      {makeLongGelu(), 268.4e6, 8, 7, 2, 100.3},
      {makeScale(), 268.4e6, 2, 1, 6, 73.1},
      {makeScale(), 268.4e6, 4, 2, 3, 72.3},
      {makeScale(), 268.4e6, 6, 4, 2, 72.0},
      {makeScale(), 268.4e6, 8, 6, 1, 75.0},
  };
  for (auto &row : rows) {
    LoopChoice choice;
    choice.stages = row.stages;
    choice.prefetch = row.prefetch;
    choice.sharedBytes = 224 * 1024 / row.ctas - 1024;
    LoopPrediction loop = predict(row.work, choice);
    ASSERT_EQ(loop.ctasPerSM, row.ctas);
    double microseconds =
        predictLaunch(getHopper(), row.work, loop, row.bytes) / 1e3;
    EXPECT_NEAR(microseconds / row.measured, 1, 0.07) << row.stages;
  }
}

/// A grid of its own size may leave SMs with a CTA each, which needs more loads
/// ahead than a full SM.
TEST(Throughput, fewCTAsNeedDeeperRings) {
  LoopWork work = makeCopy(16384);
  std::vector<LoopChoice> choices;
  for (int64_t stages = 2; stages <= 8; ++stages)
    choices.push_back(makeRing(work, stages));
  std::optional<unsigned> full = chooseFastest(getHopper(), work, choices);
  work.mayBeFewCTAs = true;
  std::optional<unsigned> few = chooseFastest(getHopper(), work, choices);
  ASSERT_TRUE(full && few);
  EXPECT_GT(*few, *full);
}

TEST(Throughput, latencyLimitsWithoutLoadsAhead) {
  LoopWork work = makeCopy(4096);
  LoopChoice choice = makeRing(work, 1);
  choice.sharedBytes = 200 * 1024;
  LoopPrediction one = predict(work, choice);
  EXPECT_EQ(one.limit, LoopLimit::Latency);
  choice.stages = 4;
  choice.prefetch = 3;
  EXPECT_GT(predict(work, choice).throughput, 1.9 * one.throughput);
}

TEST(Throughput, instructionsLimitLongChains) {
  LoopWork work = makeGelu();
  work.instructions *= 10;
  LoopChoice choice;
  choice.stages = 4;
  choice.prefetch = 3;
  choice.sharedBytes = 80 * 1024;
  EXPECT_EQ(predict(work, choice).limit, LoopLimit::Issue);
  work = makeGelu();
  work.specialInstructions = 20000;
  EXPECT_EQ(predict(work, choice).limit, LoopLimit::SpecialFunctions);
}

TEST(Throughput, aDeeperRingMustBeFaster) {
  LoopWork work = makeCopy(16384);
  std::vector<LoopChoice> choices = {makeRing(work, 2), makeRing(work, 3)};
  // The same in all respects: the first one.
  choices[1] = choices[0];
  EXPECT_EQ(chooseFastest(getHopper(), work, choices), 0u);
  // One tile in flight is too few.
  work = makeCopy(4096);
  choices = {makeRing(work, 2), makeRing(work, 8)};
  for (LoopChoice &choice : choices)
    choice.sharedBytes = 200 * 1024;
  EXPECT_EQ(chooseFastest(getHopper(), work, choices), 1u);
}

/// CTAs run whole iterations, so with many CTAs more of the last round is idle.
TEST(Throughput, fewerCTAsEndTogether) {
  LoopWork work = makeCopy(16384);
  LoopChoice few = makeRing(work, 6), many = makeRing(work, 6);
  few.sharedBytes = 200 * 1024;
  many.sharedBytes = 20 * 1024;
  LoopPrediction ofFew = predict(work, few), ofMany = predict(work, many);
  ASSERT_GT(ofMany.ctasPerSM, ofFew.ctasPerSM);
  EXPECT_LT(predictLaunch(getHopper(), work, ofFew, 64e6),
            predictLaunch(getHopper(), work, ofMany, 64e6));
}

TEST(Throughput, prints) {
  std::string text;
  llvm::raw_string_ostream os(text);
  makeGelu().print(os);
  EXPECT_EQ(text, "loads 16384 bytes, stores 8192 bytes, 49152 bytes of shared "
                  "memory, 3952 instructions, 128 special, chain 464 cycles, 1 "
                  "barriers, 256 threads of 51 registers");
  text.clear();
  LoopWork work = makeCopy(16384);
  predict(work, makeRing(work, 4)).print(os);
  EXPECT_NE(text.find("3 CTAs per SM by shared memory, 98304 bytes in flight"),
            std::string::npos)
      << text;
}

} // namespace
