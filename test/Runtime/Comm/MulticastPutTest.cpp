//===- MulticastPutTest.cpp - copies to the parts of all ranks ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the host divides a put, with a package like that of runtime/transport and
// a host function for the kernel. On the fake driver only: no test makes a
// multicast object of a GPU. lit-tests/Examples/transport.test has the kernel.
//
//===----------------------------------------------------------------------===//

#include "CommTest.h"
#include "TestPackages.h"

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

std::string makeManifest() {
  std::string arguments, parameters;
  const char *names[] = {"x", "y", "head_x", "head_y"};
  for (int i = 0; i < 4; ++i) {
    arguments += std::string("{\"name\": \"") + names[i] +
                 "\", \"kind\": \"tensor\", \"access\": \"" +
                 (i % 2 ? "out\", \"sharing\": \"multicast" : "in") +
                 "\", \"element\": \"i32\", \"extents\": [null], "
                 "\"strides\": \"contiguous\"}, ";
    std::string number = std::to_string(i);
    parameters += "{\"kind\": \"pointer\", \"argument\": " + number +
                  "}, {\"kind\": \"extent\", \"argument\": " + number +
                  ", \"dim\": 0}, ";
  }
  auto variant = [&](const char *function, const char *guards) {
    return std::string("{\"function\": \"") + function +
           "\", \"module\": \"multicast\", \"chips\": [\"sm_90a\"], "
           "\"guards\": [" +
           guards + "], \"index_bits\": 64, \"parameters\": [" + parameters +
           "{\"kind\": \"scalar\", \"argument\": 4}], \"tensor_maps\": [], "
           "\"grid\": [[\"scalar\", 4], 1, 1], \"block\": [256, 1, 1], "
           "\"cluster\": [1, 1, 1], \"dynamic_shared\": 0}";
  };
  return "{\"format\": \"carousel-package\", \"version\": 3, \"producer\": "
         "\"test\", \"modules\": [{\"name\": \"multicast\", \"images\": "
         "[{\"chip\": \"sm_90a\", \"kind\": \"ptx\", \"file\": "
         "\"multicast.sm_90a.ptx\", \"bytes\": 0, \"hash\": \"\"}]}], "
         "\"kernels\": [{\"name\": \"put_multicast\", \"arguments\": [" +
         arguments +
         "{\"name\": \"ctas\", \"kind\": \"scalar\", \"access\": \"in\", "
         "\"element\": \"index\"}], \"variants\": [" +
         variant("put_multicast_tma",
                 "{\"kind\": \"aligned\", \"argument\": 0, \"bytes\": 16}, "
                 "{\"kind\": \"aligned\", \"argument\": 1, \"bytes\": 16}") +
         ", " + variant("put_multicast", "") + "]}]}";
}

/// The arguments of a kernel: addresses, and numbers of words.
struct Launched {
  uint64_t source = 0, words = 0, target = 0, headSource = 0, head = 0,
           headTarget = 0;
  int64_t ctas = 0;
  std::string function;
};

class MulticastPutTest : public testing::Test {
protected:
  void SetUp() override {
    fake::reset();
    std::string manifest = makeManifest();
    auto files = makeFiles(manifest);
    files["multicast.sm_90a.ptx"] = ".version 8.6\n";
    writePackage(directory / "multicast.pkg", manifest, files);
    for (const char *name : {"put_multicast", "put_multicast_tma"}) {
      fake::setParameterSizes(name, std::vector<size_t>(9, 8));
      fake::setKernel(name, [this, name](const fake::Launch &launch, void **) {
        auto get = [&](size_t i) { return launch.get<uint64_t>(i); };
        EXPECT_EQ(get(1), get(3));
        EXPECT_EQ(get(5), get(7));
        launched = {get(0),
                    get(1),
                    get(2),
                    get(4),
                    get(5),
                    get(6),
                    launch.get<int64_t>(8),
                    name};
      });
    }
    fake::Device device;
    device.attributes[CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED] = 1;
    fake::setDevices({device, device});
    for (int ordinal : {0, 1})
      contexts.push_back(makeContext(ordinal));
    connect(directory / "transport.pkg");
  }

  void connect(const std::string &package) {
    CommOptions options = makeOptions(0, 2, "");
    options.mailboxBytes = 0;
    options.allowMulticast = true;
    options.transportPackage = package;
    source.reset();
    buffers.clear();
    auto made = Comm::connectLocal(contexts, options);
    ASSERT_TRUE(made) << made.error().message;
    comms = *made;
    auto all = SymmetricBuffer::allocateAll(comms, 1 << 20);
    ASSERT_TRUE(all) << all.error().message;
    buffers = std::move(*all);
    auto memory = Buffer::allocate(contexts[0], 1 << 20);
    ASSERT_TRUE(memory);
    source.emplace(std::move(*memory));
  }
  void open() {
    ASSERT_EQ(
        getError(SymmetricBuffer::openMulticast({&buffers[0], &buffers[1]})),
        "");
  }
  void TearDown() override {
    source.reset();
    buffers.clear();
    comms.clear();
    contexts.clear();
    EXPECT_EQ(fake::countPhysical(), 0u);
    EXPECT_EQ(fake::countLoadedModules(), 0u);
  }

  std::string put(uint64_t offset, uint64_t from, uint64_t bytes,
                  int ctas = 0) {
    return getError(buffers[0].putMulticast(offset, source->getAddress() + from,
                                            bytes, nullptr, ctas));
  }

  TempDirectory directory;
  std::vector<Context> contexts;
  std::vector<Comm> comms;
  std::vector<SymmetricBuffer> buffers;
  std::optional<Buffer> source;
  Launched launched;
};

TEST_F(MulticastPutTest, HeadAndBody) {
  open();
  uint64_t all = buffers[0].getMulticastAddress();
  ASSERT_NE(all, buffers[0].getAddress(0));
  for (uint64_t bytes : {4, 12, 16, 20, 16384, 16388, 500000})
    for (uint64_t offset : {0, 4, 12, 16})
      for (uint64_t from : {0, 4, 12}) {
        ASSERT_EQ(put(offset, from, bytes), "");
        uint64_t head = std::min((16 - offset % 16) % 16, bytes);
        EXPECT_EQ(launched.head, head / 4);
        EXPECT_EQ(launched.words, (bytes - head) / 4);
        EXPECT_EQ(launched.headTarget, all + offset);
        EXPECT_EQ(launched.headSource, source->getAddress() + from);
        EXPECT_EQ(launched.target, all + offset + head);
        EXPECT_EQ(launched.source, source->getAddress() + from + head);
        if (bytes > head)
          EXPECT_EQ(launched.function, offset % 16 == from % 16
                                           ? "put_multicast_tma"
                                           : "put_multicast");
      }
}

TEST_F(MulticastPutTest, NumberOfCTAs) {
  open();
  for (auto [bytes, ctas, expected] :
       {std::tuple<uint64_t, int, int64_t>{4, 0, 1},
        {16384, 0, 1},
        {16388, 0, 2},
        {1 << 20, 0, 16},
        {1 << 20, 3, 3}}) {
    ASSERT_EQ(put(0, 0, bytes, ctas), "");
    EXPECT_EQ(launched.ctas, expected);
  }
  EXPECT_EQ(put(0, 0, 4, -1), "ctas: expected at least 0, got -1");
}

TEST_F(MulticastPutTest, NothingIsLaunchedForNoBytes) {
  open();
  uint64_t launches = fake::countLaunches();
  EXPECT_EQ(put(1 << 20, 0, 0), "");
  EXPECT_EQ(fake::countLaunches(), launches);
}

TEST_F(MulticastPutTest, NotOpened) {
  EXPECT_EQ(put(0, 0, 4), "buffer: expected one with a multicast address, got "
                          "one without: openMulticast() makes it");
}

TEST_F(MulticastPutTest, WrongArguments) {
  open();
  uint64_t launches = fake::countLaunches();
  EXPECT_EQ(put(2, 0, 4), "offset: expected a multiple of 4 bytes, got 2");
  EXPECT_EQ(put(0, 0, 7), "bytes: expected a multiple of 4 bytes, got 7");
  EXPECT_EQ(put((1 << 20) - 4, 0, 8),
            "bytes: expected at most 4 at offset 1048572 of a symmetric buffer "
            "of 1048576, got 8");
  EXPECT_EQ(put(0, 1, 4).find("source: expected a multiple of 4 bytes, got 0x"),
            0u);
  EXPECT_EQ(getError(buffers[0].putMulticast(0, 0, 4)),
            "source: expected an address of device memory, got 0x0");
  EXPECT_EQ(fake::countLaunches(), launches);
}

TEST_F(MulticastPutTest, NoPackage) {
  connect(directory / "absent/transport.pkg/");
  open();
  std::string error = put(0, 0, 4);
  EXPECT_EQ(error.find("transport: expected the package of the multicast "
                       "kernel beside that of transport kernels, got none: "),
            0u)
      << error;
}

/// The kernel is loaded when ranks connect.
TEST_F(MulticastPutTest, CanBeCaptured) {
  open();
  CUstream stream = fake::makeStream();
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  ASSERT_EQ(
      getError(buffers[0].putMulticast(0, source->getAddress(), 4096, stream)),
      "");
  EXPECT_TRUE(fake::getLaunches().back().captured);
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
}

} // namespace
