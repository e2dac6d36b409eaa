//===- CAPICommTest.cpp - groups of ranks in the C interface --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Comm/CommTest.h"
#include "FakeDriver.h"
#include "TestPackages.h"

#include "carousel_comm.h"

#include <cstring>

using namespace carousel;
using namespace carousel::runtime::test;

extern "C" size_t carousel_test_comm_options(void);

namespace {

class CAPIComm : public testing::Test {
protected:
  void SetUp() override {
    fake::reset();
    setDevices(2);
    for (int device : {0, 1}) {
      carousel_context_options options;
      carousel_context_options_init(&options, sizeof(options));
      options.device = device;
      options.driver = CAROUSEL_FAKE_DRIVER;
      options.cache_bytes = 0;
      ASSERT_EQ(carousel_context_create(&options, &contexts[device]),
                CAROUSEL_OK);
    }
    carousel_comm_options options;
    carousel_comm_options_init(&options, sizeof(options));
    options.timeout_ms = 100;
    options.mailbox_bytes = 4096;
    options.host_signals = 1;
    ASSERT_EQ(carousel_comm_connect_local(contexts, 2, &options, comms),
              CAROUSEL_OK)
        << carousel_last_error();
    ASSERT_EQ(carousel_symmetric_allocate_all(comms, 2, 4096, 8, buffers),
              CAROUSEL_OK)
        << carousel_last_error();
    ASSERT_EQ(carousel_buffer_allocate(contexts[0], 4096, &memory),
              CAROUSEL_OK);
    ASSERT_EQ(carousel_buffer_address(memory, &address), CAROUSEL_OK);
  }
  void TearDown() override {
    carousel_buffer_free(memory);
    for (int rank : {0, 1}) {
      carousel_symmetric_free(buffers[rank]);
      carousel_comm_destroy(comms[rank]);
      carousel_context_destroy(contexts[rank]);
    }
    EXPECT_EQ(fake::countPhysical(), 0u);
  }
  void expectError(carousel_status status, carousel_status wanted,
                   const char *message) {
    EXPECT_EQ(status, wanted);
    EXPECT_STREQ(carousel_last_error(), message);
  }

  carousel_context *contexts[2] = {};
  carousel_comm *comms[2] = {};
  carousel_symmetric *buffers[2] = {};
  carousel_buffer *memory = nullptr;
  uint64_t address = 0;
};

TEST_F(CAPIComm, PutSignalWaitAndGet) {
  ASSERT_EQ(carousel_buffer_fill(memory, 5, nullptr), CAROUSEL_OK);
  ASSERT_EQ(carousel_symmetric_put_signal(buffers[0], 1, 16, address, 100, 7, 3,
                                          CAROUSEL_TRANSPORT_AUTO, 0, nullptr),
            CAROUSEL_OK)
      << carousel_last_error();
  ASSERT_EQ(carousel_symmetric_wait(buffers[1], 0, 7, 3, 0, 0, nullptr),
            CAROUSEL_OK);
  ASSERT_EQ(carousel_comm_synchronize(comms[1], nullptr), CAROUSEL_OK);
  uint64_t part = 0, counter = 0;
  ASSERT_EQ(carousel_symmetric_address(buffers[1], 1, &part), CAROUSEL_OK);
  EXPECT_EQ(*reinterpret_cast<uint8_t *>(part + 115), 5);
  ASSERT_EQ(carousel_symmetric_signal_address(buffers[1], 1, 0, 7, &counter),
            CAROUSEL_OK);
  EXPECT_EQ(*reinterpret_cast<uint64_t *>(counter), 3u);
  ASSERT_EQ(carousel_symmetric_wait(buffers[1], 0, 7, 3,
                                    CAROUSEL_WAIT_EQUAL | CAROUSEL_WAIT_RESET,
                                    50, nullptr),
            CAROUSEL_OK);
  EXPECT_EQ(*reinterpret_cast<uint64_t *>(counter), 0u);
  ASSERT_EQ(carousel_symmetric_get(buffers[0], 1, 16, address, 4,
                                   CAROUSEL_TRANSPORT_COPY_ENGINE, 0, nullptr),
            CAROUSEL_OK);
  const char *text = nullptr;
  ASSERT_EQ(carousel_symmetric_explain_put(buffers[0], 1, 16, address, 100,
                                           CAROUSEL_TRANSPORT_AUTO, 0, nullptr,
                                           &text),
            CAROUSEL_OK);
  EXPECT_EQ(std::string(text).find("copy-engine: "), 0u) << text;
  ASSERT_EQ(carousel_symmetric_explain_get(buffers[0], 1, 16, address, 100,
                                           CAROUSEL_TRANSPORT_COPY_ENGINE, 0,
                                           nullptr, &text),
            CAROUSEL_OK);
  EXPECT_STREQ(text, "copy-engine: it is asked for");
  expectError(carousel_symmetric_explain_get(buffers[0], 2, 16, address, 100,
                                             CAROUSEL_TRANSPORT_AUTO, 0,
                                             nullptr, &text),
              CAROUSEL_INVALID_ARGUMENT,
              "from: expected a rank of 0 to 1, got 2");
  carousel_symmetric *adopted = nullptr;
  uint64_t parts[2] = {0, part};
  ASSERT_EQ(carousel_symmetric_address(buffers[0], 0, &parts[0]), CAROUSEL_OK);
  ASSERT_EQ(
      carousel_symmetric_adopt(comms[0], parts, 4096, nullptr, 0, &adopted),
      CAROUSEL_OK);
  carousel_symmetric_free(adopted);
  ASSERT_EQ(carousel_comm_send(comms[0], 1, address, 16,
                               CAROUSEL_TRANSPORT_AUTO, nullptr),
            CAROUSEL_OK);
  ASSERT_EQ(carousel_comm_recv(comms[1], 0, part, 16, CAROUSEL_TRANSPORT_AUTO,
                               nullptr),
            CAROUSEL_OK);
  carousel_peer_state state = -1;
  ASSERT_EQ(carousel_comm_peer_state(comms[0], 1, &state), CAROUSEL_OK);
  EXPECT_EQ(state, CAROUSEL_PEER_ALIVE);
}

TEST_F(CAPIComm, MulticastNeedsToBeAllowed) {
  expectError(carousel_symmetric_open_multicast(buffers, 2),
              CAROUSEL_INVALID_ARGUMENT,
              "allowMulticast: expected a Comm that allows multicast, got one "
              "that doesn't on rank 0");
  expectError(carousel_symmetric_open_multicast(nullptr, 2),
              CAROUSEL_INVALID_ARGUMENT,
              "buffers: expected a pointer, got null");
  uint64_t multicast = 0;
  expectError(carousel_symmetric_multicast_address(buffers[0], &multicast),
              CAROUSEL_INVALID_ARGUMENT,
              "buffer: expected one with a multicast address, got one without");
  expectError(
      carousel_symmetric_put_multicast(buffers[0], 0, address, 4, 0, nullptr),
      CAROUSEL_INVALID_ARGUMENT,
      "buffer: expected one with a multicast address, got one without: "
      "openMulticast() makes it");
}

TEST(CAPIMulticast, OpensAnAddressWhereItIsAllowed) {
  fake::reset();
  fake::Device device;
  device.attributes[CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED] = 1;
  fake::setDevices({device, device});
  carousel_context *contexts[2];
  for (int ordinal : {0, 1}) {
    carousel_context_options options;
    carousel_context_options_init(&options, sizeof(options));
    options.device = ordinal;
    options.driver = CAROUSEL_FAKE_DRIVER;
    options.cache_bytes = 0;
    ASSERT_EQ(carousel_context_create(&options, &contexts[ordinal]),
              CAROUSEL_OK);
  }
  carousel_comm_options options;
  carousel_comm_options_init(&options, sizeof(options));
  EXPECT_EQ(options.allow_multicast, 0);
  EXPECT_EQ(options.host_signals, 0);
  options.allow_multicast = 1;
  options.transport_package = "/absent/transport.pkg";
  carousel_comm *comms[2];
  ASSERT_EQ(carousel_comm_connect_local(contexts, 2, &options, comms),
            CAROUSEL_OK)
      << carousel_last_error();
  carousel_symmetric *buffers[2];
  ASSERT_EQ(carousel_symmetric_allocate_all(comms, 2, 4096, 1, buffers),
            CAROUSEL_OK);
  ASSERT_EQ(carousel_symmetric_open_multicast(buffers, 2), CAROUSEL_OK)
      << carousel_last_error();
  uint64_t multicast = 0, part = 0;
  ASSERT_EQ(carousel_symmetric_multicast_address(buffers[1], &multicast),
            CAROUSEL_OK);
  ASSERT_EQ(carousel_symmetric_address(buffers[1], 1, &part), CAROUSEL_OK);
  EXPECT_NE(multicast, part);
  // The arguments are right, and the package isn't there.
  EXPECT_NE(
      carousel_symmetric_put_multicast(buffers[1], 0, part, 4, 0, nullptr),
      CAROUSEL_OK);
  EXPECT_EQ(std::string_view(carousel_last_error())
                .rfind("transport: expected the package of the multicast "
                       "kernel",
                       0),
            0u)
      << carousel_last_error();
  for (int rank : {0, 1}) {
    carousel_symmetric_free(buffers[rank]);
    carousel_comm_destroy(comms[rank]);
    carousel_context_destroy(contexts[rank]);
  }
  EXPECT_EQ(fake::countPhysical(), 0u);
}

TEST_F(CAPIComm, Errors) {
  EXPECT_EQ(carousel_symmetric_wait(buffers[1], 0, 0, 1, 0, 20, nullptr),
            CAROUSEL_OK);
  EXPECT_EQ(carousel_comm_check(comms[1]), CAROUSEL_TIMEOUT);
  EXPECT_STREQ(carousel_status_name(CAROUSEL_TIMEOUT), "timeout");
  EXPECT_STREQ(carousel_status_name(CAROUSEL_PEER_LOST), "peer lost");
  expectError(carousel_symmetric_wait(buffers[1], 0, 0, 1, 4, 0, nullptr),
              CAROUSEL_INVALID_ARGUMENT,
              "flags: expected CAROUSEL_WAIT_EQUAL and CAROUSEL_WAIT_RESET "
              "only, got 0x4");
  expectError(
      carousel_symmetric_wait(buffers[1], 0, 0, 1, 0, UINT64_MAX, nullptr),
      CAROUSEL_INVALID_ARGUMENT,
      "timeout_ms: expected at most 2^40, got 18446744073709551615");
  expectError(carousel_symmetric_put(nullptr, 1, 0, address, 1, 0, 0, nullptr),
              CAROUSEL_INVALID_ARGUMENT,
              "buffer: expected a pointer, got null");
  expectError(
      carousel_symmetric_put(buffers[0], 1, 0, address, 1, 9, 0, nullptr),
      CAROUSEL_INVALID_ARGUMENT,
      "transport: expected auto, copy-engine or tma, got 9");
  uint64_t part;
  expectError(carousel_symmetric_address(buffers[0], 2, &part),
              CAROUSEL_INVALID_ARGUMENT,
              "rank: expected a rank of the buffer, got 2");
  carousel_peer_state state;
  expectError(carousel_comm_peer_state(comms[0], -1, &state),
              CAROUSEL_INVALID_ARGUMENT,
              "rank: expected a rank of 0 to 1, got -1");
  carousel_comm_options options;
  carousel_comm_options_init(&options, sizeof(options));
  options.session = "";
  carousel_comm *comm = nullptr;
  expectError(carousel_comm_connect(contexts[0], &options, &comm),
              CAROUSEL_INVALID_ARGUMENT,
              "session: expected 1 to 64 of A-Z a-z 0-9 . _ -, got ''");
  carousel_context_options context;
  carousel_context_options_init(&context, sizeof(context));
  context.reserved = -1;
  carousel_context *none = nullptr;
  expectError(carousel_context_create(&context, &none),
              CAROUSEL_INVALID_ARGUMENT,
              "options: expected 0 in the member 'reserved', got -1");
  options.size = 8;
  EXPECT_EQ(carousel_comm_connect(contexts[0], &options, &comm),
            CAROUSEL_INVALID_ARGUMENT);
  EXPECT_EQ(carousel_test_comm_options(), sizeof(carousel_comm_options));
}

/// A package says which arguments are in symmetric buffers, and a launch checks
/// them unless its context trusts its callers.
TEST_F(CAPIComm, ArgumentsInSymmetricMemory) {
  TempDirectory directory;
  std::string manifest =
      setMember(setMember(makeCopyManifest(), "/kernels/0/arguments/0/sharing",
                          "\"symmetric\""),
                "/kernels/0/arguments/1/sharing", "\"peer\"");
  auto files = makeFiles(manifest);
  for (auto &[name, contents] : files)
    contents = "FAKECUBIN " + name;
  writePackage(directory / "puts.pkg", manifest, files);
  carousel_package *package = nullptr;
  ASSERT_EQ(carousel_package_open((directory / "puts.pkg").c_str(), &package),
            CAROUSEL_OK)
      << carousel_last_error();
  for (size_t i : {0, 1}) {
    carousel_argument_info info = {};
    info.size = sizeof(info);
    ASSERT_EQ(carousel_package_argument(package, 0, i, &info), CAROUSEL_OK);
    EXPECT_EQ(info.sharing,
              i ? CAROUSEL_SHARING_PEER : CAROUSEL_SHARING_SYMMETRIC);
  }
  carousel_context_options options;
  carousel_context_options_init(&options, sizeof(options));
  options.driver = CAROUSEL_FAKE_DRIVER;
  options.cache_bytes = 0;
  options.trust_symmetric = 1;
  carousel_context *trusting = nullptr;
  ASSERT_EQ(carousel_context_create(&options, &trusting), CAROUSEL_OK);
  uint64_t x = 0, y = 0;
  ASSERT_EQ(carousel_symmetric_address(buffers[0], 0, &x), CAROUSEL_OK);
  ASSERT_EQ(carousel_symmetric_address(buffers[0], 1, &y), CAROUSEL_OK);
  auto launch = [&](carousel_context *context, uint64_t source,
                    uint64_t target) {
    carousel_kernel *kernel = nullptr;
    EXPECT_EQ(carousel_kernel_get(context, package, "copy", &kernel),
              CAROUSEL_OK);
    int64_t extent = 64;
    carousel_argument list[2] = {};
    for (int i : {0, 1}) {
      list[i].kind = CAROUSEL_TENSOR;
      list[i].element = CAROUSEL_F32;
      list[i].rank = 1;
      list[i].extents = &extent;
      list[i].data = i ? target : source;
    }
    carousel_status status = carousel_kernel_launch(kernel, list, 2, nullptr);
    carousel_kernel_release(kernel);
    return status;
  };
  EXPECT_EQ(launch(contexts[0], x, y), CAROUSEL_OK) << carousel_last_error();
  EXPECT_EQ(launch(contexts[0], address, y), CAROUSEL_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(carousel_last_error())
                .find("x: expected this rank's part of a symmetric buffer"),
            0u);
  EXPECT_EQ(launch(trusting, address, address + 2048), CAROUSEL_OK);
  carousel_package_close(package);
  carousel_context_destroy(trusting);
}

} // namespace
