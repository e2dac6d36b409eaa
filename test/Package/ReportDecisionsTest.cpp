//===- ReportDecisionsTest.cpp - what the compiler decided ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Occupancy, the warnings of several variants and chips, and the table.
//
//===----------------------------------------------------------------------===//

#include "carousel/Package/ReportDecisions.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class ReportDecisionsTest : public ::testing::Test {
protected:
  ReportDecisionsTest()
      : handler(&context, [&](Diagnostic &diagnostic) {
          errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
          said += diagnostic.str() + "\n";
          return success();
        }) {}

  MissedRequest makeMiss(Miss miss, StringRef reason) {
    return {miss,
            FileLineColLoc::get(&context, "k.mlir", 3, 5),
            "load of x",
            reason.str(),
            {}};
  }

  VariantDescription makeVariant(StringRef chip, KernelDecisions decisions) {
    VariantDescription variant;
    variant.functionName = "f";
    variant.moduleName = "m";
    variant.chips = {chip.str()};
    variant.block = {128, 1, 1};
    variant.dynamicShared = 100000;
    variant.decisions = std::move(decisions);
    return variant;
  }

  MLIRContext context;
  ScopedDiagnosticHandler handler;
  std::string said;
  unsigned errors = 0;
};

using Misses = CompilePackageOptions::Misses;

TEST_F(ReportDecisionsTest, WarnsOnceForVariantsAndChips) {
  KernelDecisions decisions;
  decisions.misses = {makeMiss(Miss::LoadedTwice, "not ringed: twice")};
  KernelDescription kernel{"k", {}, {}};
  kernel.variants = {makeVariant("sm_90a", decisions),
                     makeVariant("sm_90a", decisions),
                     makeVariant("sm_80", decisions)};
  EXPECT_TRUE(succeeded(reportMisses(kernel, Misses::Warn, {})));
  EXPECT_EQ(said, "load of x: not ringed: twice [not-ringed:loaded-twice]\n");
  EXPECT_EQ(errors, 0u);
}

TEST_F(ReportDecisionsTest, NamesTheChipsIfNotAll) {
  KernelDecisions decisions;
  decisions.misses = {makeMiss(Miss::LoadedTwice, "not ringed: twice")};
  KernelDescription kernel{"k", {}, {}};
  kernel.variants = {makeVariant("sm_90a", {}),
                     makeVariant("sm_80", decisions)};
  EXPECT_TRUE(succeeded(reportMisses(kernel, Misses::Warn, {})));
  EXPECT_EQ(said, "load of x: not ringed: twice, for sm_80 "
                  "[not-ringed:loaded-twice]\n");
}

// Variants that need less of a launch do without swizzles.
TEST_F(ReportDecisionsTest, SwizzlesOfThePreferredVariantOnly) {
  KernelDecisions decisions;
  decisions.misses = {makeMiss(Miss::SwizzleTensor, "swizzle b128 not used")};
  KernelDescription kernel{"k", {}, {}};
  kernel.variants = {makeVariant("sm_90a", {}),
                     makeVariant("sm_90a", decisions)};
  EXPECT_TRUE(succeeded(reportMisses(kernel, Misses::Warn, MissKind::Request)));
  EXPECT_EQ(said, "");
  std::swap(kernel.variants[0], kernel.variants[1]);
  EXPECT_TRUE(failed(reportMisses(kernel, Misses::Warn, MissKind::Request)));
  EXPECT_EQ(errors, 1u);
}

TEST_F(ReportDecisionsTest, ChoicesAreNoWarnings) {
  KernelDecisions decisions;
  decisions.misses = {makeMiss(Miss::StagesSharedMemory, "fewer stages")};
  KernelDescription kernel{"k", {}, {makeVariant("sm_90a", decisions)}};
  EXPECT_TRUE(succeeded(reportMisses(kernel, Misses::Warn, MissKind::Request)));
  decisions.misses = {makeMiss(Miss::StagesNoneFit, "one stage")};
  kernel.variants = {makeVariant("sm_90a", decisions)};
  EXPECT_TRUE(succeeded(reportMisses(kernel, Misses::Ignore, {})));
  EXPECT_EQ(said, "");
  EXPECT_TRUE(failed(reportMisses(kernel, Misses::Warn, MissKind::Request)));
}

// The report has the variant that spills most, after the other decisions.
TEST_F(ReportDecisionsTest, SpillsOfTheLargestVariant) {
  KernelDecisions little, much;
  auto spill = [&](const char *bytes) {
    MissedRequest missed = makeMiss(Miss::SpilledRegisters, bytes);
    missed.notes = {{"bytes", bytes}};
    return missed;
  };
  little.misses = {spill("8"), makeMiss(Miss::ProductTypes, "slow")};
  much.misses = {spill("16")};
  KernelDescription kernel{"k", {}, {}};
  kernel.variants = {makeVariant("sm_90a", little),
                     makeVariant("sm_90a", much)};
  EXPECT_TRUE(succeeded(reportMisses(kernel, Misses::Warn, MissKind::Spills)));
  EXPECT_EQ(said, "load of x: slow [product:types]\n");
  said.clear();
  EXPECT_TRUE(failed(reportMisses(kernel, Misses::Ignore, MissKind::Spills,
                                  /*areSpills=*/true)));
  EXPECT_EQ(said, "load of x: 16 [registers:spilled]\n");
  said.clear();
  EXPECT_TRUE(succeeded(reportMisses(kernel, Misses::Warn, MissKind::Request,
                                     /*areSpills=*/true)));
  EXPECT_EQ(errors, 1u);
}

TEST_F(ReportDecisionsTest, Occupancy) {
  KernelDecisions decisions;
  RingDecision ring;
  ring.loop = FileLineColLoc::get(&context, "k.mlir", 3, 5);
  ring.slotBytes = 1000;
  ring.prefetch = 3;
  decisions.rings = {ring};
  VariantDescription variant = makeVariant("sm_90a", decisions);
  const TargetInfo &chip = *TargetInfo::lookup("sm_90a");
  OccupancyDescription unknown = describeOccupancy(variant, chip, std::nullopt);
  EXPECT_EQ(unknown.ctasPerSM, 2);
  EXPECT_EQ(unknown.limit, OccupancyLimit::SharedMemory);
  EXPECT_EQ(unknown.byThreads, 16);
  EXPECT_FALSE(unknown.byRegisters);
  EXPECT_EQ(unknown.bytesInFlight, 6000);
  variant.block = {512, 1, 1};
  OccupancyDescription known = describeOccupancy(variant, chip, 128);
  EXPECT_EQ(known.ctasPerSM, 1);
  EXPECT_EQ(known.limit, OccupancyLimit::Registers);
  EXPECT_EQ(known.byRegisters, 1);
}

TEST_F(ReportDecisionsTest, EqualVariantsAreExplainedOnce) {
  KernelDecisions slow;
  slow.misses = {makeMiss(Miss::LoadedTwice, "not ringed: twice")};
  Package package;
  VariantDescription first = makeVariant("sm_90a", {}), other = first;
  other.functionName = "f_tma";
  package.manifest.kernels = {
      {"k", {}, {first, makeVariant("sm_90a", slow), other}}};
  std::string text;
  llvm::raw_string_ostream os(text);
  explainDecisions(os, package);
  EXPECT_EQ(text, "k, m::f, m::f_tma\n\n"
                  "k, m::f\n"
                  "  load of x at k.mlir:3:5: not ringed: twice "
                  "[not-ringed:loaded-twice]\n");
}

TEST_F(ReportDecisionsTest, NothingOfKernelsWithoutARecord) {
  Package package;
  VariantDescription variant = makeVariant("sm_90a", {});
  variant.decisions = std::nullopt;
  package.manifest.kernels = {{"k", {}, {variant}}};
  std::string text;
  llvm::raw_string_ostream os(text);
  printDecisions(os, package);
  explainDecisions(os, package);
  EXPECT_EQ(text, "");
}

} // namespace
