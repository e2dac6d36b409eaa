//===- TMAChoiceTest.cpp - when bulk copies are chosen --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether `auto` takes bulk copies or the copy engine: by a table, without one,
// for each peer and in graphs; and what explainPut says about it.
//
//===----------------------------------------------------------------------===//

#include "TMATest.h"

#include "carousel/Runtime/TransportTable.h"

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

class TMAChoiceTest : public TMATest {};

TEST_F(TMAChoiceTest, AutoFollowsTheTable) {
  TransportTable table;
  table.entries = {{Topology::SameGPU, 4096, TransportKind::CopyEngine, 0},
                   {Topology::SameGPU, 65536, TransportKind::TMA, 5}};
  writeFile(directory / "table.json", table.toJSON());
  CommOptions options = makeOptions(0, 2, "");
  options.transportPackage = directory / "transport.pkg";
  options.transportTable = directory / "table.json";
  auto made = Comm::connectLocal({*context, *context}, options);
  ASSERT_TRUE(made) << made.error().message;
  auto all = SymmetricBuffer::allocateAll(*made, 1 << 20);
  ASSERT_TRUE(all) << all.error().message;
  uint64_t launches = fake::countLaunches();
  ASSERT_TRUE((*all)[0].put(1, 0, source->getAddress(), 4096));
  EXPECT_EQ(fake::countLaunches(), launches);
  ASSERT_TRUE((*all)[0].put(1, 0, source->getAddress(), 1 << 20));
  EXPECT_EQ(fake::countLaunches(), launches + 1);
  EXPECT_EQ(parts.ctas, 5);
  ASSERT_TRUE((*all)[0].put(1, 1, source->getAddress(), 65536));
  EXPECT_EQ(fake::countLaunches(), launches + 2);
  EXPECT_EQ(parts.function, "copy_shifted_tma");
}

/// Without a table: bulk copies over NVLink in graphs, if they are there and
/// can do it.
TEST_F(TMAChoiceTest, AutoWithoutATable) {
  source.reset(), buffers.clear(), comms.clear(), context.reset();
  setDevices(2);
  std::vector<Context> contexts = {makeContext(0), makeContext(1)};
  CUstream plain = fake::makeStream(), stream = fake::makeStream();
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  auto count = [&](const CommOptions &options, CUstream inStream,
                   uint64_t bytes, uint64_t offset, bool isGet) -> uint64_t {
    auto made = Comm::connectLocal(contexts, options);
    EXPECT_TRUE(made) << getError(made);
    auto all = SymmetricBuffer::allocateAll(*made, (uint64_t(1) << 20) + 64);
    EXPECT_TRUE(all) << getError(all);
    SymmetricBuffer &own = all->front();
    uint64_t before = fake::countLaunches(), local = own.getAddress(0);
    Status status = isGet ? own.get(1, offset, local, bytes, inStream)
                          : own.put(1, offset, local, bytes, inStream);
    EXPECT_EQ(getError(status), "");
    return fake::countLaunches() - before;
  };
  auto countCaptured = [&](const CommOptions &options, uint64_t bytes,
                           uint64_t offset = 0, bool isGet = false) {
    return count(options, stream, bytes, offset, isGet);
  };
  auto countLaunched = [&](const CommOptions &options, uint64_t bytes,
                           uint64_t offset = 0, bool isGet = false) {
    return count(options, plain, bytes, offset, isGet);
  };
  CommOptions options = makeOptions(0, 2, "");
  options.transportPackage = directory / "transport.pkg";
  EXPECT_EQ(countCaptured(options, 4096), 0u); // over PCIe
  EXPECT_EQ(fake::countLoadedModules(), 0u);
  fake::setNVLink(0, 1);
  EXPECT_EQ(countCaptured(options, 1), 1u);
  EXPECT_EQ(countCaptured(options, 131072), 1u);
  EXPECT_EQ(fake::getLaunches().back().grid[0], 8u);
  EXPECT_EQ(countCaptured(options, 1 << 20), 0u);
  EXPECT_EQ(countLaunched(options, 4096), 0u); // by the host
  EXPECT_EQ(countCaptured(options, 4096, 0, /*isGet=*/true), 1u);
  EXPECT_EQ(countCaptured(options, 4096, 4), 0u); // it would shift
  EXPECT_EQ(countCaptured(options, 4096, 16), 1u);
  TransportTable table;
  table.entries = {{Topology::Peer, 4096, TransportKind::CopyEngine, 0},
                   {Topology::Peer, 8192, TransportKind::TMA, 3}};
  writeFile(directory / "table.json", table.toJSON());
  CommOptions measured = options;
  measured.transportTable = directory / "table.json";
  EXPECT_EQ(countCaptured(measured, 4096), 0u);
  EXPECT_EQ(countLaunched(measured, 8192, 4, /*isGet=*/true), 1u);
  // No package, and one for other chips.
  options.transportPackage = directory / "absent";
  EXPECT_EQ(countCaptured(options, 4096), 0u);
  options.transportPackage = directory / "transport.pkg";
  fake::setMissingFunctions({"copy_bytes_tma"});
  EXPECT_EQ(countCaptured(options, 4096), 0u);
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
}

/// The same checks as of a copy, then its way and why.
TEST_F(TMAChoiceTest, Explains) {
  auto explain = [&](uint64_t bytes, const TransferOptions &options = {}) {
    auto text = buffers[0].explainPut(1, 0, source->getAddress(), bytes,
                                      nullptr, options);
    return text ? *text : text.error().message;
  };
  uint64_t launches = fake::countLaunches();
  EXPECT_EQ(explain(64), "copy-engine: the copy stays on the GPU");
  TransferOptions options;
  options.transport = TransportKind::TMA;
  EXPECT_EQ(explain(64, options), "tma: it is asked for");
  options.ctas = 4;
  EXPECT_EQ(explain(64, options), "tma with at most 4 CTAs: it is asked for");
  options.ctas = -1;
  EXPECT_EQ(explain(64, options), "ctas: expected at least 0, got -1");
  options.transport = TransportKind::NCCL;
  options.ctas = 0;
  EXPECT_NE(explain(64, options).find("expected one that puts and gets"),
            std::string::npos);
  EXPECT_NE(explain((1 << 20) + 1).find("bytes: expected at most 1048576"),
            std::string::npos);
  auto get = buffers[0].explainGet(2, 0, source->getAddress(), 4);
  EXPECT_EQ(getError(get), "from: expected a rank of 0 to 1, got 2");
  EXPECT_EQ(fake::countLaunches(), launches);
}

/// A peer that only PCIe reaches, beside one that NVLink does.
TEST_F(TMAChoiceTest, AutoKnowsEachPeer) {
  source.reset(), buffers.clear(), comms.clear(), context.reset();
  setDevices(3);
  fake::setNVLink(0, 2);
  CommOptions options = makeOptions(0, 3, "");
  options.transportPackage = directory / "transport.pkg";
  auto made = Comm::connectLocal(
      {makeContext(0), makeContext(1), makeContext(2)}, options);
  ASSERT_TRUE(made) << getError(made);
  auto all = SymmetricBuffer::allocateAll(*made, 4096);
  ASSERT_TRUE(all) << getError(all);
  CUstream stream = fake::makeStream();
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  auto countLaunches = [&](int to) {
    uint64_t before = fake::countLaunches();
    EXPECT_EQ(
        getError((*all)[0].put(to, 0, (*all)[0].getAddress(0), 4096, stream)),
        "");
    return fake::countLaunches() - before;
  };
  EXPECT_EQ(countLaunches(0), 0u);
  EXPECT_EQ(countLaunches(1), 0u);
  EXPECT_EQ(countLaunches(2), 1u);
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
}

/// The kernels are loaded when ranks connect, so that a graph can record them.
TEST_F(TMAChoiceTest, AutoCanBeCaptured) {
  source.reset(), buffers.clear(), comms.clear(), context.reset();
  setDevices(2);
  fake::setNVLink(0, 1);
  CommOptions options = makeOptions(0, 2, "");
  options.transportPackage = directory / "transport.pkg";
  auto made = Comm::connectLocal({makeContext(0), makeContext(1)}, options);
  ASSERT_TRUE(made) << getError(made);
  auto all = SymmetricBuffer::allocateAll(*made, 4096);
  ASSERT_TRUE(all) << getError(all);
  CUstream stream = fake::makeStream();
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(
      getError((*all)[0].put(1, 0, (*all)[0].getAddress(0), 4096, stream)), "");
  EXPECT_TRUE(fake::getLaunches().back().captured);
  TransferOptions byKernel; // one that shifts
  byKernel.transport = TransportKind::TMA;
  EXPECT_EQ(getError((*all)[0].put(1, 1, (*all)[0].getAddress(0), 999, stream,
                                   byKernel)),
            "");
  EXPECT_TRUE(fake::getLaunches().back().captured);
  // A signal follows.
  uint64_t before = fake::countLaunches();
  EXPECT_EQ(getError((*all)[0].putSignal(1, 0, (*all)[0].getAddress(0), 4096, 0,
                                         1, stream)),
            "");
  EXPECT_EQ(getError((*made)[0].send(1, (*all)[0].getAddress(0), 4096, stream)),
            "");
  EXPECT_EQ(fake::countLaunches(), before);
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
}

} // namespace
