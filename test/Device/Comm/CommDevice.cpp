//===- CommDevice.cpp - what checks of transfers share --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CommDevice.h.
//
//===----------------------------------------------------------------------===//

#include "CommDevice.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include <unistd.h>

using namespace carousel::comm_device;

uint64_t carousel::comm_device::mostBytes = uint64_t(1) << 30;
std::string carousel::comm_device::note;
Shared *carousel::comm_device::shared = nullptr;

void carousel::comm_device::setNote(std::string text) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  note = std::move(text);
}

int carousel::comm_device::countDevices() {
  const char *count = std::getenv("CAROUSEL_DEVICES");
  return count ? std::max(1, std::atoi(count)) : 1;
}

Result<Context> carousel::comm_device::makeContext(int rank) {
  ContextOptions options;
  options.cacheBytes = 0;
  options.device = rank % countDevices();
  return Context::create(options);
}

Result<Comm> carousel::comm_device::join(const Context &context, int rank,
                                         int size, milliseconds timeout) {
  CommOptions options;
  options.rank = rank;
  options.size = size;
  options.session = "device-" + std::to_string(::getppid());
  options.timeout = timeout;
  return Comm::connect(context, options);
}

std::vector<uint64_t> carousel::comm_device::makeWords(uint64_t bytes,
                                                       uint64_t seed) {
  std::vector<uint64_t> words(bytes / 8 + 1);
  uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  for (uint64_t &word : words) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    word = state;
  }
  return words;
}

int carousel::comm_device::countRanks() {
  int devices = countDevices();
  return devices > 1 ? devices : 4;
}

Result<CUstream> carousel::comm_device::makeStream(const Context &context) {
  auto create =
      findDriver<CUresult (*)(CUstream *, unsigned)>("cuStreamCreate");
  CurrentContext current(context.getImpl());
  CUstream stream = nullptr;
  if (create(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS)
    return stream;
  return tl::make_unexpected(
      Error(ErrorCode::DriverError, "cuStreamCreate failed"));
}

std::string carousel::comm_device::compare(const std::vector<uint8_t> &got,
                                           uint64_t offset,
                                           const uint8_t *expected,
                                           uint64_t bytes) {
  if (std::memcmp(got.data() + offset, expected, bytes) != 0) {
    uint64_t at = 0;
    while (got[offset + at] == expected[at])
      ++at;
    return "byte " + std::to_string(at) + " of " + std::to_string(bytes);
  }
  for (uint64_t i = 0; i < offset; ++i)
    if (got[i] != 0xa5)
      return "written before the target, at " + std::to_string(i);
  for (uint64_t i = offset + bytes; i < got.size(); ++i)
    if (got[i] != 0xa5)
      return "written after the target, at " + std::to_string(i);
  return "";
}

std::string LocalRanks::open(int count, uint64_t bytes, milliseconds timeout) {
  for (int rank = 0; rank < count; ++rank) {
    auto context = makeContext(rank);
    GOOD(context);
    auto stream = makeStream(*context);
    GOOD(stream);
    contexts.push_back(*context);
    streams.push_back(*stream);
  }
  CommOptions options;
  options.timeout = timeout;
  auto made = Comm::connectLocal(contexts, options);
  GOOD(made);
  comms = *made;
  auto all = SymmetricBuffer::allocateAll(comms, bytes);
  GOOD(all);
  buffers = std::move(*all);
  return "";
}

std::string
LocalRanks::forRanks(const std::function<std::string(int)> &body) const {
  std::vector<std::string> problems(comms.size());
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < comms.size(); ++rank)
    threads.emplace_back(
        [&, rank] { problems[rank] = body(static_cast<int>(rank)); });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t rank = 0; rank < problems.size(); ++rank)
    if (!problems[rank].empty())
      return "rank " + std::to_string(rank) + ": " + problems[rank];
  return "";
}
