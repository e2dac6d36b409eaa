//===- TMATest.cpp - the transport of bulk copies -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the host divides a copy, with a package like that of runtime/transport
// and a host function for the kernel. lit-tests/Examples/transport.test has the
// kernel itself.
//
//===----------------------------------------------------------------------===//

#include "TMATest.h"

#include <cstring>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

TEST_F(TMATest, HeadBodyAndTail) {
  TransferOptions options;
  options.transport = TransportKind::TMA;
  for (uint64_t bytes : {1, 15, 16, 17, 31, 33, 16384, 16385, 500000})
    for (uint64_t offset : {0, 1, 15, 16})
      for (uint64_t from : {0, 1, 15}) {
        ASSERT_EQ(
            getError(buffers[0].put(1, offset, source->getAddress() + from,
                                    bytes, nullptr, options)),
            "");
        EXPECT_EQ(
            std::memcmp(
                reinterpret_cast<void *>(buffers[0].getAddress(1) + offset),
                reinterpret_cast<void *>(source->getAddress() + from), bytes),
            0);
        EXPECT_EQ(parts.head + parts.body + parts.tail, bytes);
        EXPECT_LT(parts.head, 16u);
        EXPECT_LT(parts.tail, 16u);
        EXPECT_EQ(parts.body % 16, 0u);
        if (parts.body > 0)
          EXPECT_EQ(parts.target % 16, 0u);
        bool isAligned = offset % 16 == from % 16 || parts.body == 0;
        if (parts.body > 0)
          EXPECT_EQ(parts.function,
                    isAligned ? "copy_bytes_tma" : "copy_shifted_tma");
      }
}

/// A first load while a stream waits would wait for it, without a bound.
TEST_F(TMATest, ConnectLoadsTheKernels) {
  unsigned loaded = fake::countLoadedModules();
  EXPECT_GT(loaded, 0u);
  TransferOptions options;
  options.transport = TransportKind::TMA;
  for (uint64_t from : {0, 1})
    EXPECT_EQ(getError(buffers[0].put(1, 0, source->getAddress() + from, 99,
                                      nullptr, options)),
              "");
  EXPECT_EQ(getError(buffers[0].putAdd(1, 0, source->getAddress(), 4,
                                       ElementType::F32)),
            "");
  EXPECT_EQ(fake::countLoadedModules(), loaded);
}

TEST_F(TMATest, NumberOfCTAs) {
  TransferOptions options;
  options.transport = TransportKind::TMA;
  auto put = [&](uint64_t bytes) {
    EXPECT_TRUE(
        buffers[0].put(1, 0, source->getAddress(), bytes, nullptr, options));
    return parts.ctas;
  };
  EXPECT_EQ(put(1), 1);
  EXPECT_EQ(put(16384), 1);
  EXPECT_EQ(put(16400), 2);
  EXPECT_EQ(put(1 << 20), 16);
  options.ctas = 3;
  EXPECT_EQ(put(1 << 20), 3);
  options.ctas = -1;
  EXPECT_EQ(getError(buffers[0].put(1, 0, source->getAddress(), 16, nullptr,
                                    options)),
            "ctas: expected at least 0, got -1");
}

/// The driver's calls are most of a put's time on the host.
TEST_F(TMATest, CallsOfTheDriver) {
  auto list = [&](TransportKind kind) {
    TransferOptions options;
    options.transport = kind;
    size_t before = fake::getCalls().size();
    EXPECT_EQ(getError(buffers[0].put(1, 0, source->getAddress(), 64, nullptr,
                                      options)),
              "");
    std::vector<std::string> names;
    std::vector<fake::Call> calls = fake::getCalls();
    for (size_t i = before; i < calls.size(); ++i)
      names.push_back(calls[i].function);
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(
      list(TransportKind::CopyEngine),
      (Names{"cuCtxGetCurrent", "cuCtxPushCurrent", "cuPointerGetAttribute",
             "cuMemcpyDtoDAsync", "cuCtxPopCurrent"}));
  EXPECT_EQ(list(TransportKind::Auto), list(TransportKind::CopyEngine));
  EXPECT_EQ(
      list(TransportKind::TMA),
      (Names{"cuCtxGetCurrent", "cuCtxPushCurrent", "cuPointerGetAttribute",
             "cuCtxGetCurrent", "cuLaunchKernelEx", "cuCtxPopCurrent"}));
}

TEST_F(TMATest, Adds) {
  auto *from = reinterpret_cast<float *>(source->getAddress());
  auto *to = reinterpret_cast<float *>(buffers[0].getAddress(1) + 4);
  for (int i = 0; i < 10000; ++i)
    from[i] = float(i), to[i] = 1;
  auto add = [&](int rank, uint64_t offset, uint64_t address, uint64_t count,
                 ElementType element) {
    return getError(buffers[0].putAdd(rank, offset, address, count, element));
  };
  ASSERT_EQ(add(1, 4, source->getAddress(), 10000, ElementType::F32), "");
  EXPECT_EQ(parts.ctas, 3);
  for (int i = 0; i < 10000; ++i)
    ASSERT_EQ(to[i], float(i + 1));
  EXPECT_EQ(add(1, 4, source->getAddress(), 0, ElementType::F32), "");
  EXPECT_EQ(add(1, 0, source->getAddress(), 4, ElementType::F64),
            "element: expected f32, f16, bf16 or i32, got f64");
  std::string error = add(1, 2, source->getAddress(), 4, ElementType::F32);
  EXPECT_EQ(error.find("offset: expected a target at a multiple of 4 bytes, "
                       "got 0x"),
            0u);
  error = add(1, 0, source->getAddress() + 1, 4, ElementType::F16);
  EXPECT_EQ(error.find("source: expected a multiple of 2 bytes, got 0x"), 0u);
  EXPECT_EQ(add(1, 1 << 20, source->getAddress(), 1, ElementType::F32),
            "bytes: expected at most 0 at offset 1048576 of a symmetric buffer "
            "of 1048576, got 4");
  EXPECT_EQ(add(1, 0, source->getAddress(), UINT64_MAX, ElementType::F32),
            "count: expected fewer than 2^62 elements, got "
            "18446744073709551615");
  EXPECT_NE(
      add(1, 0, source->getAddress(), 4, ElementType::BF16).find("add_bf16"),
      std::string::npos); // the package hasn't it
}

/// Launches don't check again what connect() has checked.
TEST_F(TMATest, OtherArguments) {
  auto getPutError = [&](const char *from, const char *to, uint64_t offset) {
    std::string manifest = makeTransportManifest();
    size_t at = manifest.find(from);
    EXPECT_NE(at, std::string::npos);
    manifest.replace(at, std::string(from).size(), to);
    auto files = makeFiles(manifest);
    files["transport.sm_90a.ptx"] = ".version 8.6\n";
    writePackage(directory / "other.pkg", manifest, files);
    connect(directory / "other.pkg");
    TransferOptions options;
    options.transport = TransportKind::TMA;
    uint64_t before = fake::countLaunches();
    std::string error = getError(
        buffers[0].put(1, offset, source->getAddress(), 64, nullptr, options));
    EXPECT_EQ(fake::countLaunches(), before);
    return error;
  };
  const char *bytes = "copy_bytes: expected the arguments of a transport's "
                      "kernel, got others";
  EXPECT_EQ(getPutError("[null]", "[64]", 0), bytes);
  EXPECT_EQ(getPutError("\"element\": \"i8\"", "\"element\": \"i16\"", 0),
            bytes);
  EXPECT_EQ(getPutError("\"i32\"}, {\"name\": \"ctas\"",
                        "\"i64\"}, {\"name\": \"ctas\"", 1),
            "copy_shifted: expected the arguments of a transport's kernel, got "
            "others");
}

TEST_F(TMATest, NoPackage) {
  connect(directory / "absent");
  TransferOptions options;
  options.transport = TransportKind::TMA;
  std::string error = getError(
      buffers[0].put(1, 0, source->getAddress(), 16, nullptr, options));
  EXPECT_EQ(error.find("transport: expected the package of transport kernels "
                       "for tma, got none: "),
            0u)
      << error;
  EXPECT_EQ(getError(buffers[0].put(1, 0, source->getAddress(), 16)), "");
}

} // namespace
