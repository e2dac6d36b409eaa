//===- TransportTableTest.cpp - which transport is fastest ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommTest.h"

#include "carousel/Runtime/TransportTable.h"

#include <fstream>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

std::string write(const std::string &text) {
  std::string file = testing::TempDir() + "transport-table-" +
                     std::to_string(::getpid()) + ".json";
  std::ofstream(file) << text;
  return file;
}

/// The error of a table, without its file's name.
std::string getReadError(const std::string &text) {
  std::string file = write(text);
  std::string error = getError(TransportTable::read(file));
  return error.find(file + ": ") == 0 ? error.substr(file.size() + 2) : error;
}

TEST(TransportTableTest, RoundTripAndChoice) {
  TransportTable table;
  table.device = "A \"GPU\"";
  table.entries = {{Topology::SameGPU, 4096, TransportKind::CopyEngine, 0},
                   {Topology::Peer, 4096, TransportKind::TMA, 4},
                   {Topology::Peer, 1 << 20, TransportKind::TMA, 16},
                   {Topology::Peer, 1 << 30, TransportKind::CopyEngine, 0}};
  Result<TransportTable> read = TransportTable::read(write(table.toJSON()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->device, table.device);
  EXPECT_EQ(read->toJSON(), table.toJSON());
  EXPECT_EQ(read->choose(Topology::Peer, 1).ctas, 4);
  EXPECT_EQ(read->choose(Topology::Peer, 4096).ctas, 4);
  EXPECT_EQ(read->choose(Topology::Peer, 4097).ctas, 16);
  EXPECT_EQ(read->choose(Topology::Peer, uint64_t(1) << 40).transport,
            TransportKind::CopyEngine);
  EXPECT_EQ(read->choose(Topology::SameGPU, 1 << 20).transport,
            TransportKind::CopyEngine);
}

TEST(TransportTableTest, WrongTables) {
  EXPECT_EQ(getReadError("[]"), "table: expected an object, got a list of 0");
  EXPECT_EQ(getReadError("{\"carousel_transport_table\": 2}"),
            "expected version 1 of a transport table, got 2");
  EXPECT_EQ(getReadError("{\"carousel_transport_table\": 1}"),
            "entries: expected a list, got null");
  auto entry = [](const char *text) {
    return getReadError(
        std::string("{\"carousel_transport_table\": 1, \"entries\": [") + text +
        "]}");
  };
  EXPECT_EQ(entry("1"), "entries: expected objects, got 1");
  EXPECT_EQ(entry("{\"topology\": \"x\"}"),
            "topology: expected same-gpu or peer, got 'x'");
  EXPECT_EQ(entry("{\"topology\": \"peer\", \"transport\": \"nccl\"}"),
            "transport: expected copy-engine or tma, got 'nccl'");
  EXPECT_EQ(entry("{\"topology\": \"peer\", \"transport\": \"tma\", "
                  "\"bytes\": -1, \"ctas\": 0}"),
            "bytes: expected an integer of 0 to 9223372036854775807, got -1");
  const char *same = "{\"topology\": \"peer\", \"transport\": \"tma\", "
                     "\"bytes\": 5, \"ctas\": 0}";
  EXPECT_EQ(entry((std::string(same) + "," + same).c_str()),
            "entries: expected growing bytes for each topology, got 5 after 5");
  EXPECT_NE(getReadError("{"), "");
  EXPECT_NE(getError(TransportTable::read("/nonexistent")), "");
}

TEST(TransportTableTest, AGroupReadsTheTable) {
  fake::reset();
  CommOptions options = makeOptions(0, 1, "");
  options.transportTable = write("{}");
  std::string error = getError(Comm::connectLocal({makeContext()}, options));
  EXPECT_NE(error.find("carousel_transport_table: expected an integer"),
            std::string::npos)
      << error;
}

} // namespace
