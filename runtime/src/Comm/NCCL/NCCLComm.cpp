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
#include "Support/Process.h"

#include "carousel/Runtime/Comm.h"
#include "carousel/Runtime/Fail.h"

#include <cstring>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace carousel::runtime {

static Error describe(const NCCLTable &table, nccl::Status status,
                      const char *call) {
  const char *text = table.ncclGetErrorString(status);
  return {ErrorCode::DriverError,
          fmt::format("{} failed: {}", call, text ? text : "unknown status")};
}

Status NCCLGroup::check(nccl::Status status, const char *call) const {
  if (status == nccl::kSuccess || status == nccl::kInProgress)
    return {};
  return tl::make_unexpected(describe(*table, status, call));
}

template <typename Call>
Status NCCLGroup::use(const char *name, Call call) const {
  nccl::Group now;
  {
    std::lock_guard<std::mutex> lock(mutex);
    now = group;
    if (!now)
      return fail(
          ErrorCode::PeerLost,
          "expected a group of NCCL, but a fault ended it; connect again");
    ++users;
  }
  Status status = check(call(now), name);
  std::lock_guard<std::mutex> lock(mutex);
  --users;
  changed.notify_all();
  return status;
}

Result<std::string> Comm::makeNCCLId(const Context &context) noexcept {
  CurrentContext current(context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  CAROUSEL_TRY_ASSIGN(const auto *table,
                      context.getImpl().libraries->getNCCL());
  nccl::Id id;
  if (nccl::Status status = table->ncclGetUniqueId(&id);
      status != nccl::kSuccess)
    return tl::make_unexpected(describe(*table, status, "ncclGetUniqueId"));
  return std::string(id.bytes, sizeof(id.bytes));
}

namespace {

/// The call that waits for all ranks. It outlives who gave up on it.
struct Init {
  std::mutex mutex;
  std::condition_variable changed;
  bool isDone = false, isAbandoned = false;
  nccl::Status status = nccl::kSuccess;
  nccl::Group group = nullptr;
};

} // namespace

Result<std::shared_ptr<NCCLGroup>>
NCCLGroup::connect(const Context &context, std::string_view id, int rank,
                   int size, std::chrono::milliseconds timeout) {
  if (id.size() != nccl::kIdBytes)
    return fail(ErrorCode::InvalidArgument,
                "ncclId: expected the {} bytes of makeNCCLId, got {}",
                nccl::kIdBytes, id.size());
  CAROUSEL_TRY_ASSIGN(const auto *table,
                      context.getImpl().libraries->getNCCL());
  nccl::Id wanted;
  std::memcpy(wanted.bytes, id.data(), id.size());
  auto init = std::make_shared<Init>();
  std::thread([init, context, table, wanted, rank, size] {
    CurrentContext current(context.getImpl());
    nccl::Group group = nullptr;
    nccl::Status status = table->ncclCommInitRank(&group, size, wanted, rank);
    std::lock_guard<std::mutex> lock(init->mutex);
    init->status = status;
    init->group = group;
    init->isDone = true;
    if (init->isAbandoned && group)
      table->ncclCommAbort(group);
    init->changed.notify_all();
  }).detach();
  std::unique_lock<std::mutex> lock(init->mutex);
  if (!init->changed.wait_for(lock, timeout, [&] { return init->isDone; })) {
    init->isAbandoned = true;
    return fail(ErrorCode::Timeout,
                "rank {} waited for the other {} ranks of a group of NCCL, "
                "longer than {} ms",
                rank, size - 1, timeout.count());
  }
  if (init->status != nccl::kSuccess)
    return tl::make_unexpected(
        describe(*table, init->status, "ncclCommInitRank"));
  std::shared_ptr<NCCLGroup> made(new NCCLGroup(context, table));
  made->group = init->group;
  return made;
}

NCCLGroup::~NCCLGroup() {
  if (!group || isForkedFromUser())
    return;
  CurrentContext current(context.getImpl());
  table->ncclCommDestroy(group);
}

void NCCLGroup::abort() {
  std::unique_lock<std::mutex> lock(mutex);
  nccl::Group ended = std::exchange(group, nullptr);
  if (!ended)
    return;
  // A call that itself waits for a lost peer is ended only by the abort.
  changed.wait_for(lock, std::chrono::milliseconds(200),
                   [&] { return users == 0; });
  lock.unlock();
  CurrentContext current(context.getImpl());
  table->ncclCommAbort(ended);
}

std::string NCCLGroup::getFault() const {
  nccl::Status status = nccl::kSuccess;
  bool isKnown = false;
  (void)use("ncclCommGetAsyncError", [&](nccl::Group now) {
    nccl::Status asked = table->ncclCommGetAsyncError(now, &status);
    isKnown = asked == nccl::kSuccess;
    return asked;
  });
  if (!isKnown || status == nccl::kSuccess || status == nccl::kInProgress)
    return "";
  const char *text = table->ncclGetErrorString(status);
  return text ? text : "unknown status";
}

Status NCCLGroup::gather(uint64_t own, uint64_t all, uint64_t bytes,
                         Stream stream) {
  return use("ncclAllGather", [&](nccl::Group now) {
    return table->ncclAllGather(reinterpret_cast<const void *>(own),
                                reinterpret_cast<void *>(all), bytes,
                                nccl::kByte, now, stream);
  });
}

Status NCCLGroup::send(int to, uint64_t source, uint64_t bytes, Stream stream) {
  return use("ncclSend", [&](nccl::Group now) {
    return table->ncclSend(reinterpret_cast<const void *>(source), bytes,
                           nccl::kByte, to, now, stream);
  });
}

Status NCCLGroup::recv(int from, uint64_t target, uint64_t bytes,
                       Stream stream) {
  return use("ncclRecv", [&](nccl::Group now) {
    return table->ncclRecv(reinterpret_cast<void *>(target), bytes, nccl::kByte,
                           from, now, stream);
  });
}

namespace {

/// A rank's place for the others. Ranks of one place can connect by sockets.
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
