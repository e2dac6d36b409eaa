//===- FakeNCCL.cpp - NCCL for the threads of a process -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeNCCL.h"

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include <unistd.h>

using namespace carousel::runtime::nccl;
using Lock = std::unique_lock<std::mutex>;

namespace {

struct World {
  int joined = 0, gathered = 0;
  uint64_t round = 0;
  std::map<int, const void *> parts; ///< of a gather, by rank
  /// The operands of sends that wait, by source and target.
  std::map<std::pair<int, int>, std::pair<const void *, size_t>> sends;
};

struct Fake {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, World> worlds;
  std::set<Group> groups;
  unsigned ids = 0, aborts = 0;
  std::atomic<Status> fault = kSuccess;

  static Fake &get() {
    static auto *fake = new Fake();
    return *fake;
  }
};

constexpr Status kInternal = 3, kRemote = 6;

} // namespace

namespace carousel::runtime::nccl {
struct OpaqueGroup {
  std::string world;
  int rank, size;
  bool isAborted = false;
};
} // namespace carousel::runtime::nccl

void carousel::fake::nccl::reset() {
  Fake &fake = Fake::get();
  Lock lock(fake.mutex);
  fake.worlds.clear();
  fake.aborts = 0;
  fake.fault = kSuccess;
}
void carousel::fake::nccl::setFault(Status status) {
  Fake::get().fault = status;
}
unsigned carousel::fake::nccl::countGroups() {
  Lock lock(Fake::get().mutex);
  return Fake::get().groups.size();
}
unsigned carousel::fake::nccl::countAborts() {
  Lock lock(Fake::get().mutex);
  return Fake::get().aborts;
}

extern "C" {

Status ncclGetUniqueId(Id *id) {
  Fake &fake = Fake::get();
  Lock lock(fake.mutex);
  std::memset(id->bytes, 0, sizeof(id->bytes));
  // Tests of several processes run at once, and NCCL's ids are unique.
  std::string text =
      "fake " + std::to_string(::getpid()) + " " + std::to_string(++fake.ids);
  std::memcpy(id->bytes, text.data(), text.size());
  return kSuccess;
}

Status ncclCommInitRank(Group *group, int size, Id id, int rank) {
  Fake &fake = Fake::get();
  Lock lock(fake.mutex);
  std::string name(id.bytes, sizeof(id.bytes));
  ++fake.worlds[name].joined;
  fake.changed.notify_all();
  fake.changed.wait(lock, [&] { return fake.worlds[name].joined >= size; });
  *group = new OpaqueGroup{name, rank, size};
  fake.groups.insert(*group);
  return kSuccess;
}

Status ncclCommDestroy(Group group) {
  Fake &fake = Fake::get();
  Lock lock(fake.mutex);
  return fake.groups.erase(group) ? kSuccess : kInternal;
}

Status ncclCommAbort(Group group) {
  Fake &fake = Fake::get();
  Lock lock(fake.mutex);
  if (fake.groups.erase(group) == 0)
    return kInternal;
  group->isAborted = true;
  ++fake.aborts;
  fake.changed.notify_all();
  return kSuccess;
}

Status ncclCommGetAsyncError(Group, Status *status) {
  *status = Fake::get().fault;
  return kSuccess;
}

const char *ncclGetErrorString(Status status) {
  return status == kRemote ? "remote process exited" : "internal error";
}

/// Sends to a peer. Work that has started ends without an error when it is
/// aborted, as a kernel does.
Status ncclSend(const void *from, size_t bytes, DataType, int peer, Group group,
                CUstream) {
  Fake &fake = Fake::get();
  Lock lock(fake.mutex);
  World &world = fake.worlds[group->world];
  std::pair<int, int> key = {group->rank, peer};
  world.sends[key] = {from, bytes};
  fake.changed.notify_all();
  fake.changed.wait(
      lock, [&] { return group->isAborted || world.sends.count(key) == 0; });
  world.sends.erase(key);
  return kSuccess;
}

Status ncclRecv(void *to, size_t bytes, DataType, int peer, Group group,
                CUstream) {
  Fake &fake = Fake::get();
  Lock lock(fake.mutex);
  World &world = fake.worlds[group->world];
  std::pair<int, int> key = {peer, group->rank};
  fake.changed.wait(
      lock, [&] { return group->isAborted || world.sends.count(key) != 0; });
  if (group->isAborted)
    return kSuccess;
  auto [from, sent] = world.sends[key];
  std::memcpy(to, from, std::min(bytes, sent));
  world.sends.erase(key);
  fake.changed.notify_all();
  return kSuccess;
}

Status ncclAllGather(const void *from, void *to, size_t bytes, DataType,
                     Group group, CUstream) {
  Fake &fake = Fake::get();
  Lock lock(fake.mutex);
  World &world = fake.worlds[group->world];
  uint64_t round = world.round;
  world.parts[group->rank] = from;
  if (int(world.parts.size()) == group->size) {
    ++world.round;
    fake.changed.notify_all();
  }
  fake.changed.wait(lock,
                    [&] { return group->isAborted || world.round > round; });
  if (group->isAborted)
    return kSuccess;
  for (auto [rank, part] : world.parts)
    std::memcpy(static_cast<char *>(to) + rank * bytes, part, bytes);
  // The last one to leave clears, and nobody's part ends before.
  if (++world.gathered == group->size) {
    world.gathered = 0;
    world.parts.clear();
    fake.changed.notify_all();
  } else {
    fake.changed.wait(lock, [&] { return world.gathered == 0; });
  }
  return kSuccess;
}

} // extern "C"
