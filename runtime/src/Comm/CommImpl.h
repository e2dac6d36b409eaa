//===- CommImpl.h - the state of a group of ranks ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rank's connections, waits and transports, and the thread that watches over
// peers and waits.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMM_COMMIMPL_H
#define CAROUSEL_RUNTIME_SRC_COMM_COMMIMPL_H

#include "Mapping.h"
#include "NCCL/NCCLGroup.h"
#include "Transport.h"
#include "Waits.h"

#include "carousel/Runtime/Event.h"

#include <atomic>
#include <map>
#include <optional>
#include <thread>

namespace carousel::runtime {

struct Comm::Impl {
  Impl(const Context &context, const CommOptions &options);
  ~Impl();
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  Context context;
  CommOptions options;
  std::shared_ptr<Peers> peers;
  /// Null where the ranks are on several machines.
  std::unique_ptr<Link> link;
  /// Null without an ncclId.
  std::shared_ptr<NCCLGroup> nccl;
  Waits waits;
  Transports transports;
  /// The devices of the ranks of this process, each once, which all map what
  /// one allocates. Empty: ranks are processes.
  std::vector<CUdevice> localDevices;
  std::vector<Route> routes; ///< by rank

  /// Collective calls of a rank come one after the other.
  std::mutex collective;
  uint64_t sequence = 0;

  int getRank() const { return peers->rank; }
  int getSize() const { return peers->size; }
  /// "to: expected a rank of 0 to 1, got 2".
  Status checkRank(int rank, const char *argument) const;
  /// An error where ranks are on several machines.
  Status requireOneMachine() const;
  Topology getTopology(int peer) const;
  /// The peer's GPU, if this rank sees it.
  Result<std::optional<CUdevice>> findDevice(int peer) const;
  /// Asks which peers NVLink reaches, once peers are known, and loads the
  /// kernels of transports.
  void findLinks();
  /// Whether this GPU can reach that of a peer.
  Status checkPeerAccess(int peer) const;

  Status open();
  /// Connects the ranks by NCCL, and says which session those of one machine
  /// have; empty if there are several machines.
  Result<std::string> connectNCCL(const DeviceUUID &device);
  /// Copies by NCCL, as a wait that is watched.
  Status runNCCL(int peer, const char *argument, std::string what,
                 std::function<Status()> work, Stream stream);
  /// Collective: appends the `own` bytes of all ranks, by NCCL.
  Status gather(std::string_view own, std::string &all);
  void startWatching();
  void stopWatching();
  /// Sends a message of a collective call to all other ranks.
  void sendToAll(const Message &message);

  /// Puts a wait into a stream, and has the thread watch it.
  Status enqueueWait(const Wait &wait, Stream stream);

  /// What send() and recv() use, or why there is none.
  Result<std::shared_ptr<SymmetricBuffer::Impl>> mailboxes;
  /// Two messages at once would mix their parts.
  std::mutex sending, receiving;
  /// Events after the last message to and from each peer, in whatever stream;
  /// guarded by the mutexes. Captured messages don't count.
  std::map<int, Event> sent, received;

private:
  void watch();

  FileDescriptor wake{-1};
  std::unique_ptr<std::thread> thread;
  std::atomic<bool> isEnding = false, isIdle = false;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMM_COMMIMPL_H
