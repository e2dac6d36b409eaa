//===- MulticastTest.cpp - one address for all ranks' parts ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the fake driver only: no test makes a multicast object of a GPU.
//
//===----------------------------------------------------------------------===//

#include "CommTest.h"

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

class MulticastTest : public testing::Test {
protected:
  void SetUp() override { fake::reset(); }
  void TearDown() override {
    buffers.clear();
    comms.clear();
    contexts.clear();
    EXPECT_EQ(fake::countPhysical(), 0u);
    EXPECT_EQ(fake::countRanges(), 0u);
  }

  void open(std::vector<int> devices, bool isSupported, bool isAllowed) {
    fake::Device device;
    device.attributes[CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED] = isSupported;
    fake::setDevices({device, device});
    for (int ordinal : devices)
      contexts.push_back(makeContext(ordinal));
    CommOptions options = makeOptions(0, 2, "");
    options.mailboxBytes = 0;
    options.allowMulticast = isAllowed;
    auto made = Comm::connectLocal(contexts, options);
    ASSERT_TRUE(made) << made.error().message;
    comms = *made;
    auto all = SymmetricBuffer::allocateAll(comms, 4096);
    ASSERT_TRUE(all) << all.error().message;
    buffers = std::move(*all);
  }
  std::string openMulticast() {
    return getError(SymmetricBuffer::openMulticast({&buffers[0], &buffers[1]}));
  }

  std::vector<Context> contexts;
  std::vector<Comm> comms;
  std::vector<SymmetricBuffer> buffers;
};

TEST_F(MulticastTest, AllDevicesAreAddedBeforeAnyIsBound) {
  open({0, 1}, true, true);
  EXPECT_EQ(buffers[0].getMulticastAddress(), 0u);
  ASSERT_EQ(openMulticast(), "");
  EXPECT_NE(buffers[0].getMulticastAddress(), 0u);
  EXPECT_NE(buffers[0].getMulticastAddress(), buffers[0].getAddress(0));
  EXPECT_EQ(fake::getMulticasts(),
            (std::vector<std::string>{"create 2", "add 0", "add 1", "bind 0",
                                      "bind 1"}));
  buffers.clear();
  EXPECT_EQ(fake::getMulticasts().size(), 7u); // and unbound
}

TEST_F(MulticastTest, NotAllowed) {
  open({0, 1}, true, false);
  EXPECT_EQ(openMulticast(), "allowMulticast: expected a Comm that allows "
                             "multicast, got one that doesn't on rank 0");
  EXPECT_TRUE(fake::getMulticasts().empty());
}

TEST_F(MulticastTest, WrongRanks) {
  open({0, 1}, true, true);
  EXPECT_EQ(
      getError(SymmetricBuffer::openMulticast({&buffers[0], &buffers[0]})),
      "ranks: expected all ranks of this process in their order, got rank 0 at "
      "1 of 2");
  EXPECT_EQ(getError(SymmetricBuffer::openMulticast({&buffers[0]})),
            "ranks: expected all ranks of this process in their order, got "
            "rank 0 at 0 of 1");
}

TEST_F(MulticastTest, NotSupported) {
  open({0, 1}, false, true);
  EXPECT_EQ(openMulticast(), "comm: expected GPUs and a driver with multicast, "
                             "got GPU 0 of rank 0 without");
  EXPECT_TRUE(fake::getMulticasts().empty());
}

TEST_F(MulticastTest, RanksThatShareAGPU) {
  open({0, 0}, true, true);
  EXPECT_EQ(openMulticast(), "comm: expected a GPU of its own for each rank, "
                             "got one that ranks 0 and 1 share");
  EXPECT_TRUE(fake::getMulticasts().empty());
}

TEST_F(MulticastTest, EveryCallFails) {
  open({0, 1}, true, true);
  for (const char *call :
       {"cuMulticastGetGranularity", "cuMulticastCreate",
        "cuMulticastAddDevice", "cuMulticastBindAddr", "cuMemAddressReserve",
        "cuMemMap", "cuMemSetAccess"}) {
    unsigned physical = fake::countPhysical(), ranges = fake::countRanges();
    fake::failNext(call, CUDA_ERROR_UNKNOWN);
    EXPECT_NE(openMulticast().find(call), std::string::npos) << call;
    EXPECT_EQ(fake::countPhysical(), physical) << call;
    EXPECT_EQ(fake::countRanges(), ranges) << call;
    EXPECT_EQ(buffers[1].getMulticastAddress(), 0u);
  }
  EXPECT_EQ(openMulticast(), "");
}

} // namespace
