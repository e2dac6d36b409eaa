//===- CheckFaults.cpp - ranks that die or are late -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process that is killed while it copies, and waits that take too long.
//
//===----------------------------------------------------------------------===//

#include "CommDevice.h"

#include <csignal>
#include <thread>

#include <unistd.h>

using namespace carousel::comm_device;

/// Rank 1 is killed while both copy in a loop. Ranks 0 and 2 go on.
std::string carousel::comm_device::checkKill(int rank) {
  auto context = makeContext(rank);
  GOOD(context);
  auto comm = join(*context, rank, 3);
  GOOD(comm);
  uint64_t bytes = uint64_t(64) << 20;
  auto buffer = SymmetricBuffer::allocate(*comm, bytes);
  GOOD(buffer);
  auto source = Buffer::allocate(*context, bytes);
  GOOD(source);
  GOOD(comm->barrier());
  if (rank == 1) {
    auto end = steady_clock::now() + milliseconds(300);
    // Not waited for, so that some are under way.
    while (steady_clock::now() < end) {
      GOOD(buffer->put(0, 0, source->getAddress(), bytes));
      std::this_thread::sleep_for(milliseconds(1));
    }
    ::kill(::getpid(), SIGKILL);
  }
  if (rank == 0) {
    for (int i = 0; i < 100; ++i) {
      Status status = buffer->get(1, 0, source->getAddress(), bytes);
      CHECK(status || status.error().code == ErrorCode::PeerLost);
    }
    GOOD(buffer->wait(1, 0, 1));
    auto start = steady_clock::now();
    Status status = comm->synchronize();
    auto took = steady_clock::now() - start;
    CHECK(!status && status.error().code == ErrorCode::PeerLost);
    CHECK(took < milliseconds(10000));
    note = status.error().message;
    // The memory of the rank that is gone is still mapped; that of the others
    // is of use.
    GOOD(buffer->get(2, 0, source->getAddress(), bytes));
    GOOD(comm->synchronize());
    GOOD(source->fill(7));
    GOOD(buffer->putSignal(2, 0, source->getAddress(), bytes, 0, 1));
    GOOD(buffer->wait(2, 0, 1));
    GOOD(comm->synchronize());
    Status put = buffer->put(1, 0, source->getAddress(), 16);
    CHECK(!put && put.error().code == ErrorCode::PeerLost);
    return "";
  }
  GOOD(buffer->wait(0, 0, 1));
  std::vector<uint8_t> got(bytes);
  GOOD(buffer->get(2, 0, source->getAddress(), bytes));
  GOOD(source->download(got.data(), bytes));
  GOOD(buffer->signal(0, 0, 1));
  GOOD(comm->synchronize());
  for (uint8_t value : got)
    CHECK(value == 7);
  return "";
}

std::string carousel::comm_device::checkTimeout(int rank) {
  auto context = makeContext(rank);
  GOOD(context);
  auto comm = join(*context, rank, 2);
  GOOD(comm);
  auto buffer = SymmetricBuffer::allocate(*comm, 4096);
  GOOD(buffer);
  if (rank == 0) {
    WaitOptions options;
    options.timeout = milliseconds(200);
    auto start = steady_clock::now();
    GOOD(buffer->wait(1, 5, 9, nullptr, options));
    Status status = comm->synchronize();
    double ms =
        std::chrono::duration<double, std::milli>(steady_clock::now() - start)
            .count();
    CHECK(!status && status.error().code == ErrorCode::Timeout);
    CHECK(ms >= 200 && ms < 1000);
    note = status.error().message;
  }
  GOOD(comm->barrier());
  GOOD(buffer->signal(1 - rank, 0, 3));
  GOOD(buffer->wait(1 - rank, 0, 3));
  GOOD(comm->synchronize());
  return "";
}
