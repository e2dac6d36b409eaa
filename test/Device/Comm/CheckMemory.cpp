//===- CheckMemory.cpp - kinds of memory ---------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies between memory of the rank itself, a peer's part of a symmetric
// buffer, and memory that CUDA IPC opens and a buffer adopts.
//
//===----------------------------------------------------------------------===//

#include "CommDevice.h"

#include <cstring>
#include <optional>

using namespace carousel::comm_device;

namespace {

enum class Place {
  Local, ///< of this rank: from the allocator, or its part of a buffer
  Part,  ///< a peer's part, mapped by the driver's virtual memory
  IPC,   ///< a peer's allocation, opened by CUDA IPC
};
const char *toString(Place place) {
  constexpr const char *kNames[] = {"local", "part", "ipc"};
  return kNames[int(place)];
}

constexpr uint64_t kHalf = uint64_t(2) << 20; ///< sources, then targets
constexpr uint32_t kSignals = 4;

/// A rank's memory of all kinds.
class Memory {
public:
  Memory(const Context &context, const Comm &comm)
      : context(context), comm(comm), rank(comm.getRank()) {}

  std::string open() {
    auto made = SymmetricBuffer::allocate(comm, 2 * kHalf);
    GOOD(made);
    part.emplace(std::move(*made));
    for (std::optional<Buffer> *memory : {&local, &given}) {
      auto buffer = Buffer::allocate(context, 2 * kHalf);
      GOOD(buffer);
      memory->emplace(std::move(*buffer));
    }
    auto words = Buffer::allocate(context, 2 * kHalf);
    GOOD(words);
    counters.emplace(std::move(*words));
    GOOD(counters->fill(0));
    return openIPC();
  }

  bool hasIPC() const { return ipc.has_value(); }

  /// Copies `bytes` from one place to another one.
  std::string copy(Place from, Place to, uint64_t shift, uint64_t bytes,
                   const TransferOptions &options) const {
    int other = 1 - rank;
    uint64_t target = kHalf + shift;
    if (to == Place::Local && from != Place::Local) {
      GOOD(get(from).get(other, shift, local->getAddress() + target, bytes,
                         nullptr, options));
      return "";
    }
    uint64_t source = from == Place::Local ? local->getAddress()
                                           : get(from).getAddress(other);
    GOOD(get(to).put(to == Place::Local ? rank : other, target, source + shift,
                     bytes, nullptr, options));
    return "";
  }

  /// Both by the rank that has the memory.
  std::string write(Place place, const void *from, uint64_t bytes) {
    Buffer &memory = place == Place::IPC ? *given : *local;
    GOOD(memory.upload(from, bytes));
    if (place == Place::Part)
      GOOD(part->put(rank, 0, memory.getAddress(), bytes));
    GOOD(comm.synchronize());
    return "";
  }
  /// The target. A local copy between two local places ends in this rank's
  /// part.
  std::string read(Place place, bool isPart, std::vector<uint8_t> &got) {
    if (place == Place::Part || isPart) {
      auto copy = Buffer::allocate(context, got.size());
      GOOD(copy);
      GOOD(part->get(rank, kHalf, copy->getAddress(), got.size()));
      GOOD(copy->download(got.data(), got.size()));
      GOOD(comm.synchronize());
      return "";
    }
    const Buffer &memory = place == Place::IPC ? *given : *local;
    GOOD(memory.download(got.data(), got.size(), kHalf));
    GOOD(comm.synchronize());
    return "";
  }
  /// 0xa5 in all targets.
  std::string clear() {
    auto pattern = Buffer::allocate(context, kHalf);
    GOOD(pattern);
    GOOD(pattern->fill(0xa5));
    for (Buffer *memory : {&*local, &*given}) {
      GOOD(memory->fill(0xa5));
    }
    GOOD(part->put(rank, kHalf, pattern->getAddress(), kHalf));
    GOOD(comm.synchronize());
    return "";
  }

  /// Signals through adopted counters.
  std::string signal(uint64_t value) {
    GOOD(ipc->signal(1 - rank, 2, value));
    GOOD(ipc->wait(1 - rank, 2, value));
    GOOD(comm.synchronize());
    return "";
  }

private:
  const SymmetricBuffer &get(Place place) const {
    return place == Place::IPC ? *ipc : *part;
  }

  /// The ranks hand each other handles through the symmetric buffer.
  std::string openIPC() {
    auto getHandle = findDriver<CUresult (*)(CUipcMemHandle *, CUdeviceptr)>(
        "cuIpcGetMemHandle");
    auto openHandle =
        findDriver<CUresult (*)(CUdeviceptr *, CUipcMemHandle, unsigned)>(
            "cuIpcOpenMemHandle_v2");
    if (!getHandle || !openHandle)
      return "";
    std::array<CUipcMemHandle, 2> handles = {};
    {
      CurrentContext current(context.getImpl());
      CHECK(getHandle(&handles[0], given->getAddress()) == CUDA_SUCCESS);
      CHECK(getHandle(&handles[1], counters->getAddress()) == CUDA_SUCCESS);
    }
    GOOD(local->upload(handles.data(), sizeof(handles)));
    GOOD(part->put(rank, 0, local->getAddress(), sizeof(handles)));
    GOOD(comm.synchronize());
    GOOD(comm.barrier());
    GOOD(part->get(1 - rank, 0, local->getAddress(), sizeof(handles)));
    GOOD(local->download(handles.data(), sizeof(handles)));
    GOOD(comm.synchronize());
    GOOD(comm.barrier());
    std::array<CUdeviceptr, 2> opened = {};
    {
      CurrentContext current(context.getImpl());
      for (int i : {0, 1})
        CHECK(openHandle(&opened[i], handles[i],
                         CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) == CUDA_SUCCESS);
    }
    std::vector<uint64_t> addresses(2), words(2);
    addresses[rank] = given->getAddress(), addresses[1 - rank] = opened[0];
    words[rank] = counters->getAddress(), words[1 - rank] = opened[1];
    auto adopted =
        SymmetricBuffer::adopt(comm, addresses, 2 * kHalf, words, {kSignals});
    GOOD(adopted);
    ipc.emplace(std::move(*adopted));
    return "";
  }

  const Context &context;
  const Comm &comm;
  int rank;
  std::optional<SymmetricBuffer> part, ipc;
  std::optional<Buffer> local, given, counters; ///< `given`: opened by the peer
};

} // namespace

std::string carousel::comm_device::checkMemory(int rank) {
  auto context = makeContext(rank);
  GOOD(context);
  auto comm = join(*context, rank, 2);
  GOOD(comm);
  Memory memory(*context, *comm);
  if (std::string problem = memory.open(); !problem.empty())
    return problem;
  uint64_t step = 0;
  for (int actor : {0, 1})
    for (TransportKind kind : {TransportKind::CopyEngine, TransportKind::TMA})
      for (Place from : {Place::Local, Place::Part, Place::IPC})
        for (Place to : {Place::Local, Place::Part, Place::IPC})
          for (uint64_t shift : {0, 5}) {
            if (!memory.hasIPC() && (from == Place::IPC || to == Place::IPC))
              continue;
            uint64_t bytes = (uint64_t(1) << 20) + 17;
            auto words = makeWords(bytes + 64, ++step);
            TransferOptions options;
            options.transport = kind;
            if (std::string problem = memory.clear(); !problem.empty())
              return problem;
            // The actor's own memory, or that of the other rank.
            if ((rank == actor) == (from == Place::Local))
              if (std::string problem =
                      memory.write(from, words.data(), bytes + 64);
                  !problem.empty())
                return problem;
            GOOD(comm->barrier());
            if (rank == actor)
              if (std::string problem =
                      memory.copy(from, to, shift, bytes, options);
                  !problem.empty())
                return problem;
            GOOD(comm->synchronize());
            GOOD(comm->barrier());
            if ((rank == actor) == (to == Place::Local)) {
              std::vector<uint8_t> got(bytes + 64);
              bool isPart = from == Place::Local && to == Place::Local;
              std::string problem = memory.read(to, isPart, got);
              if (problem.empty())
                problem = compare(
                    got, shift,
                    reinterpret_cast<uint8_t *>(words.data()) + shift, bytes);
              if (!problem.empty())
                return std::string(toString(from)) + " to " + toString(to) +
                       " by " + runtime::toString(kind) + ", offset " +
                       std::to_string(shift) + ": " + problem;
            }
            GOOD(comm->barrier());
          }
  if (memory.hasIPC())
    for (uint64_t value : {1, 2, 3})
      if (std::string problem = memory.signal(value); !problem.empty())
        return problem;
  note = std::to_string(step) + " copies" +
         (memory.hasIPC() ? "" : ", no CUDA IPC here");
  GOOD(comm->barrier());
  return "";
}
