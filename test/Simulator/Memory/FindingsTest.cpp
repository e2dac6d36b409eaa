//===- FindingsTest.cpp - identifiers, texts and the log ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Simulator/Findings.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <fstream>
#include <set>

using namespace carousel::sim;

namespace {

std::string getText(const Finding &finding) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printText(finding, os);
  return text;
}

Finding makeRace() {
  Finding finding;
  finding.kind = FindingKind::EngineRace;
  finding.message = "war: expected an order, found none";
  finding.actor = {3, 32, "tensor.load", 1, "kernel.mlir:12:5"};
  finding.other = Actor{3, 7, "", 2, "kernel.mlir:20:7"};
  finding.buffer = "%slots";
  finding.slot = 2;
  finding.beginByte = 4096;
  finding.endByte = 4112;
  return finding;
}

TEST(FindingKindTest, IdentifiersAreOneToOne) {
  std::set<std::string> seen;
  for (unsigned i = 0; i < kNumFindingKinds; ++i) {
    auto kind = FindingKind(i);
    EXPECT_TRUE(seen.insert(getIdentifier(kind).str()).second);
    EXPECT_EQ(parseFindingKind(getIdentifier(kind)), kind);
    EXPECT_FALSE(getSummary(kind).empty());
  }
  EXPECT_EQ(getIdentifier(FindingKind::DataRace), "data-race");
  EXPECT_EQ(getIdentifier(FindingKind::StepLimit), "step-limit");
  EXPECT_EQ(parseFindingKind("no-such-finding"), std::nullopt);
  EXPECT_EQ(parseFindingKind(""), std::nullopt);
}

TEST(FindingKindTest, EveryIdentifierIsDocumented) {
  std::ifstream file(CAROUSEL_DOCS_DIR "/Findings.md");
  ASSERT_TRUE(file) << "docs/Findings.md is missing";
  std::set<std::string> headings;
  for (std::string line; std::getline(file, line);)
    if (line.rfind("### ", 0) == 0)
      headings.insert(line.substr(4));
  std::set<std::string> identifiers;
  for (unsigned i = 0; i < kNumFindingKinds; ++i)
    identifiers.insert(getIdentifier(FindingKind(i)).str());
  EXPECT_EQ(headings, identifiers);
}

TEST(FindingTest, TextNamesBothSides) {
  Finding finding = makeRace();
  finding.count = 3;
  finding.notes = {"slot 2 is in phase 1"};
  EXPECT_EQ(getText(finding), "kernel.mlir:12:5: finding: [engine-race] war: "
                              "expected an order, found none\n"
                              "  by: CTA 3, thread 32 (tensor.load)\n"
                              "  other: CTA 3, thread 7, at kernel.mlir:20:7\n"
                              "  buffer: %slots[2], bytes 4096 to 4111\n"
                              "  found: 3 times\n"
                              "  note: slot 2 is in phase 1\n");
}

TEST(FindingTest, TextLeavesOutWhatIsUnknown) {
  Finding finding;
  finding.kind = FindingKind::Deadlock;
  finding.message = "expected progress, found none";
  EXPECT_EQ(getText(finding),
            "finding: [deadlock] expected progress, found none\n"
            "  by: CTA 0, thread 0\n");
}

TEST(FindingTest, JSONHasAllKeys) {
  Finding finding = makeRace();
  EXPECT_EQ(llvm::formatv("{0}", toJSON(finding)).str(),
            R"({"actor":{"cta":3,"location":"kernel.mlir:12:5",)"
            R"("operation":"tensor.load","thread":32},"begin":4096,)"
            R"("buffer":"%slots","count":1,"end":4112,"kind":"engine-race",)"
            R"("message":"war: expected an order, found none","notes":[],)"
            R"("other":{"cta":3,"location":"kernel.mlir:20:7",)"
            R"("operation":"","thread":7},"slot":2})");
  Finding bare;
  bare.kind = FindingKind::StepLimit;
  bare.message = "broken \xff text";
  EXPECT_EQ(llvm::formatv("{0}", toJSON(bare)).str(),
            R"({"actor":{"cta":0,"location":"","operation":"","thread":0},)"
            R"("begin":null,"buffer":null,"count":1,"end":null,)"
            R"("kind":"step-limit","message":"broken )"
            "\xEF\xBF\xBD"
            R"( text","notes":[],"other":null,"slot":null})");
}

TEST(FindingLogTest, CountsTheSameSitesOnce) {
  FindingLog log;
  EXPECT_TRUE(log.empty());
  log.report(makeRace());
  Finding again = makeRace();
  again.actor.thread = 33;
  again.slot = 1;
  log.report(again);
  ASSERT_EQ(log.getFindings().size(), 1u);
  EXPECT_EQ(log.getFindings()[0].count, 2u);
  EXPECT_EQ(log.getFindings()[0].actor.thread, 32u);

  Finding otherKind = makeRace();
  otherKind.kind = FindingKind::DataRace;
  Finding otherSite = makeRace();
  otherSite.actor.site = 9;
  Finding otherPartner = makeRace();
  otherPartner.other->site = 9;
  Finding alone = makeRace();
  alone.other.reset();
  Finding otherBuffer = makeRace();
  otherBuffer.buffer = "%bias";
  for (const Finding &finding :
       {otherKind, otherSite, otherPartner, alone, otherBuffer})
    log.report(finding);
  EXPECT_EQ(log.getFindings().size(), 6u);
}

TEST(FindingLogTest, StopsAtItsLimitButCountsOn) {
  FindingLog log(2);
  for (Site site = 1; site <= 3; ++site) {
    Finding finding = makeRace();
    finding.actor.site = site;
    EXPECT_EQ(log.isFull(), site == 3);
    log.report(finding);
  }
  log.report(makeRace());
  ASSERT_EQ(log.getFindings().size(), 2u);
  EXPECT_EQ(log.getFindings()[0].count, 2u);
}

TEST(FindingLogTest, ResolvesLocationsThatAreMissing) {
  FindingLog log;
  log.setLocationResolver(
      [](Site site) { return "k.mlir:" + std::to_string(site); });
  Finding finding = makeRace();
  finding.actor.location.clear();
  log.report(finding);
  Finding unknown;
  unknown.kind = FindingKind::Deadlock;
  log.report(unknown);
  EXPECT_EQ(log.getFindings()[0].actor.location, "k.mlir:1");
  EXPECT_EQ(log.getFindings()[0].other->location, "kernel.mlir:20:7");
  EXPECT_EQ(log.getFindings()[1].actor.location, "");
}

} // namespace
