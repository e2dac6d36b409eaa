//===- TransportChoiceTest.cpp - what `auto` takes without a table --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transport.h"

#include <gtest/gtest.h>

using namespace carousel::runtime;

namespace {

/// A put over NVLink that a graph records.
CopyFacts makeFacts(uint64_t bytes) {
  CopyFacts facts;
  facts.bytes = bytes;
  facts.topology = Topology::Peer;
  facts.hasNVLink = facts.hasKernels = facts.isAligned = facts.isCaptured =
      true;
  facts.multiprocessors = 132;
  return facts;
}

/// Only the times decide.
TEST(TransportChoiceTest, MeasuredCopiesDecide) {
  for (bool isGet : {false, true}) {
    auto choose = [&](uint64_t bytes) {
      CopyFacts facts = makeFacts(bytes);
      facts.isGet = isGet;
      return chooseTransport(facts);
    };
    uint64_t last = 0;
    bool hasKernel = false, hasEngine = false;
    for (const MeasuredCopy &row : getMeasuredCopies(isGet)) {
      EXPECT_GT(row.bytes, last);
      // No more CTAs than tiles of 16 KiB.
      EXPECT_LE(uint64_t(row.ctas), (row.bytes + 16383) / 16384);
      bool pays = row.tma * (132.0 + row.ctas) / 132 < row.copyEngine;
      // Sizes between two rows are as the larger one.
      for (uint64_t bytes : {last + 1, row.bytes}) {
        TransportChoice choice = choose(bytes);
        EXPECT_EQ(choice.transport,
                  pays ? TransportKind::TMA : TransportKind::CopyEngine)
            << bytes;
        EXPECT_EQ(choice.ctas, pays ? row.ctas : 0) << bytes;
        EXPECT_EQ(choice.reason, "");
      }
      (pays ? hasKernel : hasEngine) = true;
      last = row.bytes;
    }
    EXPECT_TRUE(hasKernel && hasEngine);
    for (uint64_t bytes : {last + 1, uint64_t(1) << 40, UINT64_MAX})
      EXPECT_EQ(choose(bytes).transport, TransportKind::CopyEngine);
    for (uint64_t bytes : {0, 1, 4096, 524288})
      EXPECT_EQ(choose(bytes).transport, TransportKind::TMA);
    EXPECT_EQ(choose(16384).ctas, 1);
    EXPECT_EQ(choose(1 << 20).transport, TransportKind::CopyEngine);
  }
}

/// CTAs on a GPU of few multiprocessors cost more than they save.
TEST(TransportChoiceTest, MultiprocessorsCount) {
  CopyFacts facts = makeFacts(131072);
  facts.multiprocessors = 16;
  EXPECT_EQ(chooseTransport(facts).transport, TransportKind::CopyEngine);
  facts.multiprocessors = 0;
  EXPECT_EQ(chooseTransport(facts).transport, TransportKind::CopyEngine);
}

TEST(TransportChoiceTest, EachFactDecides) {
  auto change = [](auto set) {
    CopyFacts facts = makeFacts(4096);
    set(facts);
    EXPECT_FALSE(dependsOnCapture(facts));
    TransportChoice choice = chooseTransport(facts, /*isExplained=*/true);
    EXPECT_EQ(choice.transport, TransportKind::CopyEngine);
    EXPECT_EQ(choice.ctas, 0);
    return choice.reason;
  };
  EXPECT_EQ(change([](CopyFacts &f) { f.topology = Topology::SameGPU; }),
            "the copy stays on the GPU");
  EXPECT_EQ(change([](CopyFacts &f) { f.hasNVLink = false; }),
            "no NVLink connects the GPUs");
  EXPECT_EQ(change([](CopyFacts &f) { f.hasKernels = false; }),
            "no kernels of transports can be used");
  EXPECT_EQ(change([](CopyFacts &f) { f.isSignalled = true; }),
            "a signal after a kernel takes longer than one after a copy");
  EXPECT_EQ(change([](CopyFacts &f) { f.isAligned = false; }),
            "source and target differ modulo 16 bytes, and a kernel that "
            "shifts takes as long");
  EXPECT_EQ(change([](CopyFacts &f) { f.bytes = uint64_t(1) << 30; }),
            "the copy engine makes larger copies faster than was measured of "
            "kernels");
  EXPECT_EQ(change([](CopyFacts &f) { f.bytes = 1 << 20, f.isGet = true; }),
            "in CUDA graphs, a get of 1048576 bytes counts as 5.87 us for "
            "copy-engine, and as 5.96 us for tma on 16 of 132 multiprocessors");
}

/// The stream is asked only about copies that it decides about.
TEST(TransportChoiceTest, StreamsDecide) {
  CopyFacts facts = makeFacts(16384);
  facts.isCaptured = false;
  EXPECT_TRUE(dependsOnCapture(facts));
  TransportChoice choice = chooseTransport(facts, /*isExplained=*/true);
  EXPECT_EQ(choice.transport, TransportKind::CopyEngine);
  EXPECT_EQ(choice.reason, "the stream isn't captured, and the host launches a "
                           "copy faster than a kernel");
  facts.isCaptured = true;
  EXPECT_EQ(chooseTransport(facts, /*isExplained=*/true).reason,
            "in CUDA graphs, a put of 16384 bytes counts as 2.27 us for "
            "copy-engine, and as 1.69 us for tma on 1 of 132 multiprocessors");
}

} // namespace
