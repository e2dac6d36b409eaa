//===- SeveralGPUsTest.cpp - arguments by GPU -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../tools/carousel-sim/SeveralGPUs.h"

#include "gtest/gtest.h"

using namespace carousel;
using namespace carousel::simtool;

namespace {

TEST(SeveralGPUs, PeersHaveDistances) {
  auto next = parsePeer("remote=inbox");
  ASSERT_TRUE(next);
  EXPECT_EQ(next->name, "remote");
  EXPECT_EQ(next->other, "inbox");
  EXPECT_EQ(next->distance, 1);
  EXPECT_EQ(parsePeer("left=inbox-1")->distance, -1);
  EXPECT_EQ(parsePeer("far=inbox+3")->distance, 3);
  for (const char *text : {"", "=", "x", "x=", "=y", "x=y+", "x=y-", "x=y+z",
                           "x=y+1+", "x=y+99999999999999999999"})
    EXPECT_FALSE(parsePeer(text)) << text;
}

TEST(SeveralGPUs, NamesAreThoseOfTheOwner) {
  runtime::SignatureInfo kernel;
  for (const char *name : {"x", "remote", "left"})
    kernel.arguments.emplace_back().name = name;
  std::vector<PeerArgument> peers = {
      {"remote", "x", 1}, {"left", "inbox", -1}, {"none", "x", 1}};
  runtime::SignatureInfo first = kernel, last = kernel;
  nameArguments(first, 0, 3, peers);
  nameArguments(last, 2, 3, peers);
  EXPECT_EQ(first.arguments[0].name, "x@0");
  EXPECT_EQ(first.arguments[1].name, "x@1");
  EXPECT_EQ(first.arguments[2].name, "inbox@2");
  EXPECT_EQ(last.arguments[1].name, "x@0");
  EXPECT_EQ(last.arguments[2].name, "inbox@1");
  runtime::Status unused = checkUsed(peers, "k");
  ASSERT_FALSE(unused);
  EXPECT_EQ(unused.error().message,
            "expected --peer with an argument of k, got none");
  peers.pop_back();
  EXPECT_TRUE(checkUsed(peers, "k"));
}

TEST(SeveralGPUs, MulticastsHaveParts) {
  for (const char *text : {"", "all", "=inbox", "all="})
    EXPECT_FALSE(parseMulticast(text)) << text;
  auto multicast = parseMulticast("all=inbox");
  ASSERT_TRUE(multicast);
  runtime::SignatureInfo kernel;
  for (const char *name : {"x", "all", "inbox"})
    kernel.arguments.emplace_back().name = name;
  std::vector<PeerArgument> peers = {*multicast, {"other", "x", 1, true}};
  nameArguments(kernel, 1, 3, peers);
  EXPECT_EQ(kernel.arguments[0].name, "x@1");
  EXPECT_EQ(kernel.arguments[1].name, "inbox@*");
  EXPECT_EQ(kernel.arguments[2].name, "inbox@1");
  // Parts that no kernel has are added; unused addresses have none.
  auto parts = addParts(kernel, 3, peers);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts.at(1), (std::vector<size_t>{3, 2, 4}));
  ASSERT_EQ(kernel.arguments.size(), 5u);
  EXPECT_EQ(kernel.arguments[3].name, "inbox@0");
  EXPECT_EQ(kernel.arguments[4].name, "inbox@2");
  EXPECT_EQ(makeMulticastValues(peers),
            (std::vector<std::string>{"inbox@*=like:inbox@0", "x@*=like:x@0"}));
  runtime::Status unused = checkUsed(peers, "k");
  ASSERT_FALSE(unused);
  EXPECT_EQ(unused.error().message,
            "expected --multicast with an argument of k, got other");
}

TEST(SeveralGPUs, ValuesNameTheGPU) {
  using Options = std::vector<std::string>;
  EXPECT_EQ(repeatForGPUs({"x=random:9:{rank}"}, 2),
            (Options{"x@0=random:9:0", "x@1=random:9:1"}));
  EXPECT_EQ(repeatForGPUs({"x={rank-1}{rank+2}/{gpus}"}, 3),
            (Options{"x@0=22/3", "x@1=00/3", "x@2=11/3"}));
  EXPECT_EQ(repeatForGPUs({"x@1=like:y", "z=like:y"}, 2),
            (Options{"x@1=like:y@1", "z@0=like:y@0", "z@1=like:y@1"}));
  // Unknown names stay, for the error of their reader.
  EXPECT_EQ(repeatForGPUs({"x={rank", "y"}, 1), (Options{"x@0={rank", "y"}));
  EXPECT_EQ(repeatForGPUs({"x={ranks}{rank+}"}, 1),
            (Options{"x@0={ranks}{rank+}"}));
}

} // namespace
