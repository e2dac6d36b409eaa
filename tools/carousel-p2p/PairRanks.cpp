//===- PairRanks.cpp - connects the ranks of a pair ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens the ranks of a PairTimer, their memory and NCCL, and talks with the
// partner. Both processes make the same calls in the same order.
//
//===----------------------------------------------------------------------===//

#include "PairTimer.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <thread>

#include <sys/socket.h>

using namespace carousel;
using namespace carousel::p2p;
using namespace carousel::runtime;

Status Partner::swap(const void *own, void *other, size_t bytes) {
  bool isGood = ::send(socket, own, bytes, MSG_NOSIGNAL) == ssize_t(bytes) &&
                ::recv(socket, other, bytes, MSG_WAITALL) == ssize_t(bytes);
  if (isGood)
    return {};
  return fail(ErrorCode::PeerLost, "expected the other process to go on, got "
                                   "its end");
}

Status PairTimer::open(const Options &options,
                       const std::vector<Context> &contexts) {
  CommOptions commOptions;
  commOptions.transportPackage = options.transportPackage;
  commOptions.mailboxBytes = 0;
  CAROUSEL_TRY_ASSIGN(std::vector<Comm> made,
                      Comm::connectLocal(contexts, commOptions));
  uint64_t most = *std::max_element(options.sizes.begin(), options.sizes.end());
  CAROUSEL_TRY_ASSIGN(auto all, SymmetricBuffer::allocateAll(made, most));
  for (int rank : {0, 1}) {
    comms[rank].emplace(std::move(made[rank]));
    buffers[rank].emplace(std::move(all[rank]));
  }
  return allocate(options);
}

Status PairTimer::open(const Options &options, const Context &context, int rank,
                       const std::string &session, Partner *other) {
  partner = other;
  CommOptions commOptions;
  commOptions.rank = rank, commOptions.size = 2, commOptions.session = session;
  commOptions.transportPackage = options.transportPackage;
  commOptions.mailboxBytes = 0;
  CAROUSEL_TRY_ASSIGN(Comm made, Comm::connect(context, commOptions));
  uint64_t most = *std::max_element(options.sizes.begin(), options.sizes.end());
  CAROUSEL_TRY_ASSIGN(auto buffer, SymmetricBuffer::allocate(made, most));
  comms[rank].emplace(std::move(made));
  buffers[rank].emplace(std::move(buffer));
  return allocate(options);
}

Status PairTimer::allocate(const Options &options) {
  uint64_t most = *std::max_element(options.sizes.begin(), options.sizes.end());
  for (int rank : {0, 1}) {
    if (!isHere(rank))
      continue;
    CAROUSEL_TRY_ASSIGN(auto memory,
                        Buffer::allocate(comms[rank]->getContext(), most));
    mine[rank].emplace(std::move(memory));
  }
  bool wantsNCCL =
      std::find(options.transports.begin(), options.transports.end(),
                TransportKind::NCCL) != options.transports.end();
  if (wantsNCCL)
    if (Status status = openNCCL(); !status)
      ncclNote = std::move(status.error().message);
  return {};
}

Result<std::string> PairTimer::shareNCCLId() {
  struct Shared {
    char id[128] = {}, error[256] = {};
  } own;
  if (isHere(0)) {
    Result<std::string> made = Comm::makeNCCLId(comms[0]->getContext());
    if (made)
      made->copy(own.id, sizeof(own.id));
    else
      made.error().message.copy(own.error, sizeof(own.error) - 1);
  }
  if (partner) {
    CAROUSEL_TRY_ASSIGN(Shared other, partner->swap(own));
    if (!isHere(0))
      own = other;
  }
  if (own.error[0])
    return fail(ErrorCode::NoLibrary, "{}", std::string(own.error));
  return std::string(own.id, sizeof(own.id));
}

Status PairTimer::connectNCCL(size_t group) {
  CAROUSEL_TRY_ASSIGN(std::string id, shareNCCLId());
  // Each rank waits for the other one.
  std::array<std::optional<Result<Comm>>, 2> made;
  std::vector<std::thread> threads;
  for (int rank : {0, 1})
    if (isHere(rank))
      threads.emplace_back([&, rank] {
        CommOptions options;
        options.rank = rank, options.size = 2, options.ncclId = id;
        options.mailboxBytes = 0;
        made[rank].emplace(Comm::connect(comms[rank]->getContext(), options));
      });
  for (std::thread &thread : threads)
    thread.join();
  Status status;
  for (int rank : {0, 1})
    if (isHere(rank) && !*made[rank])
      status = tl::make_unexpected(std::move(made[rank]->error()));
  // The two processes agree about what there is to time.
  Result<double> failed = getLargest(!status);
  if (status && !failed)
    status = tl::make_unexpected(std::move(failed.error()));
  if (status && *failed != 0)
    status = fail(ErrorCode::PeerLost,
                  "expected NCCL to connect both processes, got none");
  for (int rank : {0, 1})
    if (status && isHere(rank))
      nccl[group][rank].emplace(std::move(**made[rank]));
  return status;
}

Status PairTimer::openNCCL() {
  // The partner says it of the rank that isn't here.
  std::array<int, 2> devices = {-1, -1};
  for (int rank : {0, 1})
    if (isHere(rank))
      devices[rank] = comms[rank]->getContext().getDevice().ordinal;
  if (partner) {
    CAROUSEL_TRY_ASSIGN(auto other, partner->swap(devices));
    for (int rank : {0, 1})
      devices[rank] = std::max(devices[rank], other[rank]);
  }
  if (devices[0] == devices[1])
    return fail(ErrorCode::InvalidArgument,
                "expected a GPU of its own for each rank, got GPU {} for both",
                devices[0]);
  for (size_t group = 0; group < nccl.size(); ++group)
    CAROUSEL_TRY(connectNCCL(group));
  return {};
}
