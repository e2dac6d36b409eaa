//===- NCCLComm.cpp - groups of ranks that NCCL connects ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Once NCCL has connected the ranks, they tell each other by it where they are.
// Those of one machine go on by sockets, in a session of their own.
//
//===----------------------------------------------------------------------===//

#include "../CommImpl.h"

#include "Support/Hash.h"

#include "carousel/Runtime/Fail.h"

#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

namespace carousel::runtime {

namespace {

/// What ranks tell each other. Ranks of one place can connect by sockets.
struct Place {
  char boot[40] = {};
  uint64_t network = 0; ///< the namespace
  uint64_t user = 0;
  int64_t process = 0;
  DeviceUUID device = {};

  bool isSame(const Place &other) const {
    return std::memcmp(boot, other.boot, sizeof(boot)) == 0 &&
           network == other.network && user == other.user;
  }
};

Place findPlace(const DeviceUUID &device) {
  Place place;
  std::ifstream("/proc/sys/kernel/random/boot_id")
      .read(place.boot, sizeof(place.boot) - 1);
  struct stat about = {};
  if (::stat("/proc/self/ns/net", &about) == 0)
    place.network = about.st_ino;
  place.user = ::geteuid();
  place.process = ::getpid();
  place.device = device;
  return place;
}

} // namespace

Result<std::string> Comm::Impl::connectNCCL(const DeviceUUID &device) {
  CAROUSEL_TRY_ASSIGN(nccl,
                      NCCLGroup::connect(context, options.ncclId, getRank(),
                                         getSize(), options.timeout));
  Place own = findPlace(device);
  std::string all;
  startWatching(); // a rank that ends now must not hold up this one
  Status status = gather(toBytes(own), all);
  stopWatching();
  CAROUSEL_TRY(std::move(status));
  bool isOnePlace = true;
  for (int rank = 0; rank < getSize(); ++rank) {
    Place place;
    fromBytes(std::string_view(all).substr(rank * sizeof(Place), sizeof(Place)),
              place);
    isOnePlace &= place.isSame(own);
    peers->set(rank, static_cast<pid_t>(place.process), place.device);
  }
  if (!isOnePlace)
    return std::string();
  return options.session.empty()
             ? "nccl-" + hashContents(options.ncclId).substr(0, 32)
             : options.session;
}

Status Comm::Impl::gather(std::string_view own, std::string &all) {
  auto size = static_cast<uint64_t>(getSize());
  CAROUSEL_TRY_ASSIGN(auto buffer,
                      Buffer::allocate(context, own.size() * (size + 1)));
  CurrentContext current(context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  uint64_t to = buffer.getAddress(), from = to + own.size() * size;
  all.resize(own.size() * size);
  CAROUSEL_TRY(buffer.upload(own.data(), own.size(), own.size() * size));
  CAROUSEL_TRY(runNCCL(
      getRank(), "rank", "what all ranks gather",
      [group = nccl, from, to, bytes = own.size()] {
        return group->gather(from, to, bytes, nullptr);
      },
      nullptr));
  CAROUSEL_TRY(buffer.download(all.data(), all.size()));
  CAROUSEL_TRY(context.synchronize());
  CUstream stream = nullptr;
  return waits.takeFault(&stream);
}

Status Comm::Impl::runNCCL(int peer, const char *argument, std::string what,
                           std::function<Status()> work, Stream stream) {
  CAROUSEL_TRY(checkRank(peer, argument));
  if (!nccl)
    return fail(ErrorCode::InvalidArgument,
                "transport: expected a Comm with an ncclId for nccl, got one "
                "without");
  Wait wait;
  wait.kind = Wait::Kind::NCCL;
  wait.from = peer;
  wait.timeout = options.timeout;
  wait.what = std::move(what);
  wait.work = std::move(work);
  wait.getFault = [group = nccl] { return group->getFault(); };
  wait.abort = [group = nccl] { group->abort(); };
  return enqueueWait(wait, stream);
}

} // namespace carousel::runtime
