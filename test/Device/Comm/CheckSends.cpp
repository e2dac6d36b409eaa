//===- CheckSends.cpp - sends, sums and NCCL ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two-sided copies through mailboxes and by NCCL, and additions to the memory
// of a peer.
//
//===----------------------------------------------------------------------===//

#include "CommDevice.h"

#include <algorithm>
#include <cstring>
#include <thread>

using namespace carousel::comm_device;

std::string carousel::comm_device::checkSend(int rank) {
  auto context = makeContext(rank);
  GOOD(context);
  auto comm = join(*context, rank, 2);
  GOOD(comm);
  for (uint64_t bytes :
       {uint64_t(1), uint64_t(4) << 20, (uint64_t(33) << 20) + 7}) {
    auto memory = Buffer::allocate(*context, bytes);
    GOOD(memory);
    auto words = makeWords(bytes, bytes);
    if (rank == 0) {
      GOOD(memory->upload(words.data(), bytes));
      GOOD(comm->send(1, memory->getAddress(), bytes));
      GOOD(comm->synchronize());
      continue;
    }
    std::vector<uint8_t> got(bytes);
    GOOD(comm->recv(0, memory->getAddress(), bytes));
    GOOD(memory->download(got.data(), bytes));
    GOOD(comm->synchronize());
    CHECK(std::memcmp(got.data(), words.data(), bytes) == 0);
  }
  return "";
}

/// Each rank adds into the other's part, of sizes and offsets that need all
/// variants; what lies beside stays.
std::string carousel::comm_device::checkAdd(int rank) {
  auto context = makeContext(rank);
  GOOD(context);
  auto comm = join(*context, rank, 2);
  GOOD(comm);
  constexpr uint64_t kMost = (uint64_t(1) << 22) + 3;
  auto buffer = SymmetricBuffer::allocate(*comm, 4 * kMost + 128);
  GOOD(buffer);
  auto source = Buffer::allocate(*context, 4 * kMost + 64);
  GOOD(source);
  uint64_t step = 0;
  for (uint64_t count : {uint64_t(1), uint64_t(3), uint64_t(4), uint64_t(4096),
                         uint64_t(4097), uint64_t(100003), kMost})
    for (uint64_t offset : {uint64_t(0), uint64_t(4), uint64_t(16)}) {
      std::vector<float> own(count), before(count + 16), got(count + 16);
      for (uint64_t i = 0; i < count; ++i)
        own[i] = float(i % 1000 + rank);
      for (uint64_t i = 0; i < count + 16; ++i)
        before[i] = float(i % 77);
      uint64_t bytes = 4 * (count + 16);
      auto memory = Buffer::allocate(*context, bytes);
      GOOD(memory);
      GOOD(memory->upload(before.data(), bytes));
      GOOD(buffer->put(rank, 0, memory->getAddress(), bytes));
      GOOD(source->upload(own.data(), 4 * count));
      GOOD(comm->synchronize());
      GOOD(comm->barrier());
      GOOD(buffer->putAdd(1 - rank, offset, source->getAddress(), count,
                          ElementType::F32));
      GOOD(buffer->signal(1 - rank, 0, ++step));
      GOOD(buffer->wait(1 - rank, 0, step));
      GOOD(buffer->get(rank, 0, memory->getAddress(), bytes));
      GOOD(memory->download(got.data(), bytes));
      GOOD(comm->synchronize());
      for (uint64_t i = 0; i < count + 16; ++i) {
        uint64_t at = i - offset / 4;
        float added = at < count ? float(at % 1000 + (1 - rank)) : 0;
        if (got[i] != before[i] + added)
          return "element " + std::to_string(i) + " of " +
                 std::to_string(count) + " at offset " +
                 std::to_string(offset) + ": got " + std::to_string(got[i]);
      }
      GOOD(comm->barrier());
    }
  return "";
}

/// NCCL itself: ranks with a GPU each, or one alone.
std::string carousel::comm_device::checkNCCL(int rank) {
  if (rank >= countDevices())
    return "";
  auto context = makeContext(rank);
  GOOD(context);
  // One process makes the id, and this program has no way to hand it on: the
  // ranks of this process are threads.
  auto id = Comm::makeNCCLId(*context);
  if (!id && id.error().code == ErrorCode::NoLibrary) {
    note = "no NCCL here";
    return "";
  }
  GOOD(id);
  int size = std::min(2, countDevices());
  std::vector<std::string> problems(size);
  std::vector<std::thread> threads;
  auto body = [&](int self) -> std::string {
    auto own = makeContext(self);
    GOOD(own);
    CommOptions options;
    options.rank = self, options.size = size, options.ncclId = *id;
    auto comm = Comm::connect(*own, options);
    GOOD(comm);
    GOOD(comm->barrier());
    if (size == 1)
      return "";
    constexpr uint64_t kBytes = (uint64_t(1) << 24) + 3;
    auto memory = Buffer::allocate(*own, kBytes);
    GOOD(memory);
    auto words = makeWords(kBytes, 5);
    TransferOptions nccl;
    nccl.transport = TransportKind::NCCL;
    if (self == 0) {
      GOOD(memory->upload(words.data(), kBytes));
      GOOD(comm->send(1, memory->getAddress(), kBytes, nullptr, nccl));
      GOOD(comm->synchronize());
      return "";
    }
    std::vector<uint8_t> got(kBytes);
    GOOD(comm->recv(0, memory->getAddress(), kBytes, nullptr, nccl));
    GOOD(memory->download(got.data(), kBytes));
    GOOD(comm->synchronize());
    CHECK(std::memcmp(got.data(), words.data(), kBytes) == 0);
    return "";
  };
  for (int self = 0; self < size; ++self)
    threads.emplace_back([&, self] { problems[self] = body(self); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &problem : problems)
    if (!problem.empty())
      return problem;
  note = std::to_string(size) + " ranks";
  return "";
}

/// The same for processes with a GPU each: sends in turn, in both directions.
std::string carousel::comm_device::checkNCCLProcesses(int rank) {
  if (countDevices() < 2) {
    note = "one GPU only";
    return "";
  }
  auto context = makeContext(rank);
  GOOD(context);
  if (rank == 0) {
    auto id = Comm::makeNCCLId(*context);
    bool isMissing = !id && id.error().code == ErrorCode::NoLibrary;
    if (id)
      std::memcpy(shared->ncclId, id->data(), sizeof(shared->ncclId));
    shared->isReady = id ? 1 : 2;
    if (!id && !isMissing)
      return id.error().message;
  }
  auto end = steady_clock::now() + milliseconds(20000);
  while (shared->isReady == 0 && steady_clock::now() < end)
    std::this_thread::sleep_for(milliseconds(1));
  if (shared->isReady != 1) {
    note = "no NCCL here";
    return "";
  }
  CommOptions options;
  options.rank = rank, options.size = 2;
  options.ncclId.assign(shared->ncclId, sizeof(shared->ncclId));
  auto comm = Comm::connect(*context, options);
  GOOD(comm);
  TransferOptions nccl;
  nccl.transport = TransportKind::NCCL;
  for (uint64_t bytes : {uint64_t(1), uint64_t(4096), (uint64_t(1) << 26) + 5})
    for (int from : {0, 1}) {
      auto words = makeWords(bytes, bytes + uint64_t(from));
      auto memory = Buffer::allocate(*context, bytes);
      GOOD(memory);
      if (rank == from) {
        GOOD(memory->upload(words.data(), bytes));
        GOOD(comm->send(1 - from, memory->getAddress(), bytes, nullptr, nccl));
        GOOD(comm->synchronize());
        continue;
      }
      std::vector<uint8_t> got(bytes);
      GOOD(comm->recv(from, memory->getAddress(), bytes, nullptr, nccl));
      GOOD(memory->download(got.data(), bytes));
      GOOD(comm->synchronize());
      CHECK(std::memcmp(got.data(), words.data(), bytes) == 0);
    }
  note = "a GPU for each process";
  return "";
}
