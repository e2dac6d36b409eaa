//===- KernelDecisionsTest.cpp - the record of a kernel's decisions -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The record as an attribute and as JSON, and what follows from it. Also the
// list of reasons.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/KernelDecisions.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace carousel;

namespace {

class KernelDecisionsTest : public ::testing::Test {
protected:
  LocationAttr at(unsigned line) {
    return FileLineColLoc::get(&context, "folder/k.mlir", line, 7);
  }

  RingDecision makeRing(unsigned line, int64_t slotBytes, int64_t prefetch) {
    RingDecision ring;
    ring.loop = at(line);
    ring.memrefs = {"x", "y"};
    ring.engines = {"tensor"};
    ring.stages = prefetch + 2;
    ring.slotBytes = slotBytes;
    ring.prefetch = prefetch;
    return ring;
  }

  MLIRContext context;
};

TEST_F(KernelDecisionsTest, SurvivesTheAttribute) {
  KernelDecisions decisions;
  RingDecision ring = makeRing(3, 512, 2);
  ring.isLoad = false;
  ring.scope = TransferScope::Warp;
  ring.mode = PipelineMode::Specialized;
  ring.release = SlotRelease::WarpBarrier;
  ring.notes = {{"predicted", "3 us"}};
  decisions.rings = {ring};
  TransferDecision transfer;
  transfer.location = at(4);
  transfer.memref = "x";
  transfer.bytes = 64;
  transfer.engine = "bulk";
  transfer.instructions = 2;
  transfer.cost = 21;
  transfer.rejections = {{"tensor", "stride 0"}};
  decisions.transfers = {transfer};
  decisions.misses = {
      {Miss::LoadedTwice, at(5), "load of x", "loaded twice", {{"a", "b"}}}};
  decisions.notes = {{"key", "value"}};

  DictionaryAttr attr = toAttribute(decisions, &context);
  std::string error;
  FailureOr<KernelDecisions> parsed = parseDecisions(attr, error);
  ASSERT_TRUE(succeeded(parsed)) << error;
  EXPECT_EQ(toAttribute(*parsed, &context), attr);
  ASSERT_EQ(parsed->rings.size(), 1u);
  EXPECT_FALSE(parsed->rings[0].isLoad);
  EXPECT_EQ(parsed->rings[0].scope, TransferScope::Warp);
  EXPECT_EQ(parsed->rings[0].mode, PipelineMode::Specialized);
  EXPECT_EQ(parsed->rings[0].release, SlotRelease::WarpBarrier);
  EXPECT_EQ(parsed->rings[0].memrefs, ring.memrefs);
  EXPECT_EQ(parsed->rings[0].notes[0].value, "3 us");
  EXPECT_EQ(parsed->transfers[0].cost, 21);
  EXPECT_EQ(parsed->transfers[0].rejections[0].key, "tensor");
  EXPECT_EQ(parsed->misses[0].miss, Miss::LoadedTwice);
  EXPECT_EQ(parsed->misses[0].location, at(5));
}

TEST_F(KernelDecisionsTest, EmptyRecord) {
  std::string error;
  DictionaryAttr attr = toAttribute({}, &context);
  EXPECT_TRUE(attr.empty());
  EXPECT_TRUE(succeeded(parseDecisions(attr, error)));
  EXPECT_EQ(KernelDecisions().getBytesInFlight(), 0);
}

TEST_F(KernelDecisionsTest, BytesInFlight) {
  KernelDecisions decisions;
  // Two rings of one loop add up, those of loops one after the other don't.
  decisions.rings = {makeRing(3, 100, 2), makeRing(3, 10, 3),
                     makeRing(9, 50, 1)};
  EXPECT_EQ(decisions.getBytesInFlight(), 230);
  decisions.rings.push_back(makeRing(20, 1000, 4));
  decisions.rings.back().isLoad = false;
  EXPECT_EQ(decisions.getBytesInFlight(), 230);
  // Producers fill all slots but the one that is read.
  decisions.rings.push_back(makeRing(30, 100, 2));
  decisions.rings.back().mode = PipelineMode::Specialized;
  EXPECT_EQ(decisions.getBytesInFlight(), 300);
}

TEST_F(KernelDecisionsTest, PlacesHaveNoFolders) {
  EXPECT_EQ(formatPlace(at(12)), "k.mlir:12:7");
  EXPECT_EQ(formatPlace(UnknownLoc::get(&context)), "?");
  EXPECT_EQ(formatPlace(
                NameLoc::get(StringAttr::get(&context, "v"), Location(at(2)))),
            "k.mlir:2:7");
  // A place of a model in Python has no column.
  auto line = FileLineColLoc::get(&context, "/home/block.py", 31, 0);
  EXPECT_EQ(formatPlace(line), "block.py:31");
  auto module = FusedLoc::get(
      {line}, StringAttr::get(&context, "layers.0.norm"), &context);
  EXPECT_EQ(formatPlace(module), "block.py:31 layers.0.norm");
  EXPECT_EQ(formatSourceLine(FusedLoc::get(&context, {module, at(2)})),
            "block.py:31 layers.0.norm");
  EXPECT_EQ(formatSourceLine(at(2)), "k.mlir:2");
  EXPECT_EQ(formatSourceLine(UnknownLoc::get(&context)), "");
}

TEST_F(KernelDecisionsTest, JSON) {
  KernelDecisions decisions;
  decisions.misses = {{Miss::Scope, at(5), "load of x", "other scope", {}}};
  EXPECT_EQ(llvm::formatv("{0}", toJSON(decisions)).str(),
            R"({"misses":[{"id":"not-ringed:scope","location":"k.mlir:5:7",)"
            R"("reason":"other scope","subject":"load of x"}]})");
}

TEST(Misses, HaveIdsAndRemedies) {
  std::set<std::string_view> ids;
  for (Miss miss : {
#define MISS(Name, id, Kind, ...) Miss::Name,
#include "carousel/Support/Misses.def"
       }) {
    std::string_view id = getId(miss);
    EXPECT_TRUE(ids.insert(id).second) << id;
    EXPECT_NE(id.find(':'), id.npos) << id;
    EXPECT_FALSE(getRemedy(miss).empty()) << id;
    EXPECT_EQ(findMiss(id), miss) << id;
  }
  EXPECT_EQ(findMiss("not-ringed:bad-weather"), std::nullopt);
}

} // namespace
