//===- TransportChoiceTest.cpp - what `auto` takes without a table --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/TransportChoice.h"

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

/// Of no rule but the times' is it that the copy engine is taken.
TEST(TransportChoiceTest, MeasuredPutsDecide) {
  uint64_t last = 0;
  bool hasKernel = false, hasEngine = false;
  for (const MeasuredPut &put : getMeasuredPuts()) {
    EXPECT_GT(put.bytes, last);
    // No more CTAs than tiles of 16 KiB.
    EXPECT_LE(uint64_t(put.ctas), (put.bytes + 16383) / 16384);
    bool pays = put.tma * (132.0 + put.ctas) / 132 < put.copyEngine;
    // Sizes between two rows are as the larger one.
    for (uint64_t bytes : {last + 1, put.bytes}) {
      TransportChoice choice = chooseTransport(makeFacts(bytes));
      EXPECT_EQ(choice.transport,
                pays ? TransportKind::TMA : TransportKind::CopyEngine)
          << bytes;
      EXPECT_EQ(choice.ctas, pays ? put.ctas : 0) << bytes;
      EXPECT_EQ(choice.reason, "");
    }
    (pays ? hasKernel : hasEngine) = true;
    last = put.bytes;
  }
  EXPECT_TRUE(hasKernel && hasEngine);
  for (uint64_t bytes : {last + 1, uint64_t(1) << 40, UINT64_MAX})
    EXPECT_EQ(chooseTransport(makeFacts(bytes)).transport,
              TransportKind::CopyEngine);
}

TEST(TransportChoiceTest, SmallGraphPuts) {
  for (uint64_t bytes : {0, 1, 16, 4096, 16384, 131072})
    EXPECT_EQ(chooseTransport(makeFacts(bytes)).transport, TransportKind::TMA);
  EXPECT_EQ(chooseTransport(makeFacts(16384)).ctas, 1);
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
  EXPECT_EQ(change([](CopyFacts &f) { f.isGet = true; }),
            "a get by a kernel takes as long");
  EXPECT_EQ(change([](CopyFacts &f) { f.isAligned = false; }),
            "source and target differ modulo 16 bytes, and a kernel that "
            "shifts takes as long");
  EXPECT_EQ(change([](CopyFacts &f) { f.bytes = uint64_t(1) << 30; }),
            "in CUDA graphs, puts of more than 1048576 bytes are faster by it");
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
            "in CUDA graphs, a put of 16384 bytes took a kernel 1.99 us on 1 "
            "of 132 multiprocessors, which counts as 2.01 us, and the copy "
            "engine 2.69");
}

} // namespace
