//===- CommImpl.h - the connections of a rank -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rank's connections, waits and transports, and the thread that watches over
// peers and waits. Physical memory of a GPU is mapped to a range of addresses;
// the driver counts who has it mapped, and it stays until the last process
// unmaps it or ends. A communicator of NCCL may span machines. A fault ends it:
// NCCL has no other way to end an operation that a peer doesn't join.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMM_COMMIMPL_H
#define CAROUSEL_RUNTIME_SRC_COMM_COMMIMPL_H

#include "Context/ContextImpl.h"
#include "Support/FileDescriptor.h"
#include "Transport.h"
#include "Waits.h"

#include "carousel/Runtime/Event.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

namespace carousel::runtime {

class Mapping {
public:
  /// New memory of the context's device, of at least `bytes`, that `devices`
  /// may read and write. `file`, unless null, receives a descriptor for other
  /// processes.
  static Result<std::shared_ptr<Mapping>>
  create(const std::shared_ptr<Context::Impl> &context, uint64_t bytes,
         const std::vector<CUdevice> &devices,
         std::shared_ptr<FileDescriptor> *file);
  /// Memory that another process created with exactly `bytes` (getBytes()).
  static Result<std::shared_ptr<Mapping>>
  import(const std::shared_ptr<Context::Impl> &context, int file,
         uint64_t bytes);
  ~Mapping();
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;

  uint64_t getAddress() const { return address; }
  uint64_t getBytes() const { return bytes; }

private:
  explicit Mapping(std::shared_ptr<Context::Impl> context)
      : context(std::move(context)) {}
  Status map(CUmemGenericAllocationHandle handle,
             const std::vector<CUdevice> &devices);

  std::shared_ptr<Context::Impl> context;
  CUdeviceptr address = 0;
  uint64_t bytes = 0;
  bool isMapped = false;
};

class NCCLGroup {
public:
  /// Collective. Fails after `timeout`; a thread of NCCL stays then.
  static Result<std::shared_ptr<NCCLGroup>>
  connect(const Context &context, std::string_view id, int rank, int size,
          std::chrono::milliseconds timeout);
  ~NCCLGroup();
  NCCLGroup(const NCCLGroup &) = delete;
  NCCLGroup &operator=(const NCCLGroup &) = delete;

  /// Collective: `bytes` at `own` of all ranks to `all`, in their order.
  Status gather(uint64_t own, uint64_t all, uint64_t bytes, Stream stream);
  Status send(int to, uint64_t source, uint64_t bytes, Stream stream);
  Status recv(int from, uint64_t target, uint64_t bytes, Stream stream);

  /// Returns the fault in the background; empty if there was none.
  std::string getFault() const;
  /// Ends all operations. Thread-safe.
  void abort();

private:
  NCCLGroup(const Context &context, const NCCLTable *table)
      : context(context), table(table) {}
  Status check(nccl::Status status, const char *call) const;
  /// Calls NCCL with the group, which abort() doesn't free meanwhile.
  template <typename Call> Status use(const char *name, Call call) const;

  Context context;
  const NCCLTable *table;
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  mutable unsigned users = 0; ///< calls of NCCL under way
  nccl::Group group = nullptr;
};

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

  /// The mailboxes of send() and recv(), or why there are none.
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
