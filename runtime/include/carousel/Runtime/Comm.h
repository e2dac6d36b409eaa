//===- Comm.h - memory that several GPUs share ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks of one machine, each with one GPU: processes, or Contexts of one
// process. They allocate symmetric buffers, copy into each other's parts on a
// stream, and signal. docs/Comm.md has the protocol and the faults.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_COMM_H
#define CAROUSEL_RUNTIME_COMM_H

#include "carousel/Runtime/Context.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace carousel::runtime {

/// How bytes move. The numbers are part of the C ABI.
enum class TransportKind : int32_t {
  Auto = 0,       ///< the fastest by a table
  CopyEngine = 1, ///< the driver's copies: no SM is used
  TMA = 2,        ///< a kernel of bulk copies on a few SMs
  NCCL = 3,       ///< send and recv only
};
/// "copy-engine".
const char *toString(TransportKind kind) noexcept;

struct CommOptions {
  int rank = 0;
  int size = 1;
  /// A name that the ranks share, and no other group of this user at the same
  /// time: 1 to 64 of A-Z a-z 0-9 . _ -
  std::string session;
  /// How long a call waits for other ranks, and a stream for a signal, unless a
  /// wait says otherwise. It must be at least 1 ms.
  std::chrono::milliseconds timeout = std::chrono::seconds(30);
  /// Each rank has twice this many bytes for what each other rank sends, in
  /// which send() and recv() take turns. 0: no send and recv. There are at most
  /// 2^34.
  uint64_t mailboxBytes = uint64_t(4) << 20;
  /// Puts the signals of allocated buffers, and those of send() and recv(),
  /// into memory of the host: a wait ends whatever calls of the driver go on,
  /// and takes about 1 us longer. The same on all ranks. docs/Comm.md says
  /// which calls keep other waits from ending.
  bool hostSignals = false;
  /// Lets openMulticast make objects of the NVLink switch. Off, none is made.
  bool allowMulticast = false;
  /// The package of transport kernels. Empty: $CAROUSEL_TRANSPORT_PACKAGE, else
  /// share/carousel/transport.pkg beside the folder of the library or program.
  /// The kernel of multicast puts is in multicast.pkg beside it.
  std::string transportPackage;
  /// The table that carousel-p2p --measure wrote. Empty:
  /// $CAROUSEL_TRANSPORT_TABLE, else what was measured between two H100: the
  /// copy engine, but for small copies over NVLink of captured streams.
  std::string transportTable;
  /// The bytes of Comm::makeNCCLId, the same on all ranks: NCCL connects them,
  /// across machines too. Needs no session. Empty: NCCL isn't used.
  std::string ncclId;
};

enum class PeerState : int32_t {
  Alive = 0,
  Left = 1, ///< its Comm was destroyed
  Died = 2, ///< its process ended, or closed its connection, without that
};

/// How one copy is made.
struct TransferOptions {
  TransportKind transport = TransportKind::Auto;
  /// CTAs of the TMA transport, at most; 0: the table decides.
  int ctas = 0;
};

/// How a stream waits for a signal.
struct WaitOptions {
  /// Zero: that of the Comm.
  std::chrono::milliseconds timeout{0};
  /// Wait for exactly the value, not for at least the value.
  bool isEqual = false;
  /// Set the signal to 0 after the wait, for handshakes of 0 and 1.
  bool reset = false;
};

/// A group of ranks. Copies share ownership. Any thread may call all members.
/// Collective calls are made by all ranks in the same order.
class Comm {
public:
  /// Collective over the processes of one machine and one user: connects them
  /// by Unix sockets. With an ncclId, NCCL connects them first; on several
  /// machines there is only send, recv and barrier then.
  static Result<Comm> connect(const Context &context,
                              const CommOptions &options) noexcept;
  /// The ranks of one process, a Context each; `options.rank` and `size` don't
  /// count. Two ranks may have the same Context.
  static Result<std::vector<Comm>>
  connectLocal(const std::vector<Context> &contexts,
               const CommOptions &options = {}) noexcept;

  /// Makes the id that one rank makes and the program hands to all others.
  static Result<std::string> makeNCCLId(const Context &context) noexcept;

  int getRank() const noexcept;
  int getSize() const noexcept;
  const Context &getContext() const noexcept;
  PeerState getPeerState(int rank) const noexcept;

  /// Two-sided copies of any device memory, in the order of the calls between
  /// two ranks. A recv of other bytes than the send is an error of the wait.
  /// With TransportKind::NCCL on both sides, or across machines, NCCL copies.
  /// Otherwise a message waits for the one before it, also in another stream,
  /// unless it is captured: what a graph sends, its edges order.
  Status send(int to, uint64_t source, uint64_t bytes, Stream stream = nullptr,
              const TransferOptions &options = {}) const noexcept;
  Status recv(int from, uint64_t target, uint64_t bytes,
              Stream stream = nullptr,
              const TransferOptions &options = {}) const noexcept;

  /// Collective: returns when all ranks called it. Waits for no stream.
  Status barrier() const noexcept;
  /// Reports the earliest wait of any stream that ended by a fault since the
  /// last report.
  Status check() const noexcept;
  /// Waits for a stream; reports its waits that ended by a fault.
  Status synchronize(Stream stream = nullptr) const noexcept;

  struct Impl;
  const std::shared_ptr<Impl> &share() const { return impl; }

private:
  friend class SymmetricBuffer;
  explicit Comm(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl;
};

struct SymmetricOptions {
  /// Signals that each rank has from each rank.
  uint32_t signals = 64;
};

/// Memory of the same size on each rank, mapped on all of them, and counters to
/// signal. Movable. Its destructor unmaps it; peers keep their mappings.
class SymmetricBuffer {
public:
  /// Collective. Fails on all ranks if they disagree about `bytes` or signals.
  static Result<SymmetricBuffer>
  allocate(const Comm &comm, uint64_t bytes,
           const SymmetricOptions &options = {}) noexcept;
  /// For all ranks of one process at once, so that one thread can.
  static Result<std::vector<SymmetricBuffer>>
  allocateAll(const std::vector<Comm> &comms, uint64_t bytes,
              const SymmetricOptions &options = {}) noexcept;
  /// Takes memory that something else shares, such as PyTorch's symmetric
  /// memory or a window of NCCL: `addresses[rank]` is that rank's part as
  /// mapped here. `signals[rank]` is its memory of size * options.signals * 8
  /// zeroed bytes; empty: the buffer has no signals. The caller keeps the
  /// memory.
  static Result<SymmetricBuffer>
  adopt(const Comm &comm, const std::vector<uint64_t> &addresses,
        uint64_t bytes, const std::vector<uint64_t> &signals = {},
        const SymmetricOptions &options = {}) noexcept;

  SymmetricBuffer(SymmetricBuffer &&other) noexcept;
  SymmetricBuffer &operator=(SymmetricBuffer &&other) noexcept;
  ~SymmetricBuffer();

  /// Collective; `ranks` are those of this process, in their order. Gives the
  /// buffer an address that stands for all ranks' parts, for kernels with
  /// multimem instructions. Needs CommOptions::allowMulticast, GPUs that are
  /// capable of it, and one GPU for each rank.
  static Status
  openMulticast(const std::vector<SymmetricBuffer *> &ranks) noexcept;
  /// 0 before openMulticast.
  uint64_t getMulticastAddress() const noexcept;

  uint64_t getBytes() const noexcept;
  /// A rank's part as mapped here; 0 if there is no such rank.
  uint64_t getAddress(int rank) const noexcept;
  /// The counter of rank `at` that rank `from` writes, as mapped here; 0 if
  /// there is none.
  uint64_t getSignalAddress(int at, int from, uint32_t signal) const noexcept;

  /// Copies local memory to offset `offset` of another rank's part.
  Status put(int to, uint64_t offset, uint64_t source, uint64_t bytes,
             Stream stream = nullptr,
             const TransferOptions &options = {}) const noexcept;
  /// Copies from offset `offset` of another rank's part to local memory.
  Status get(int from, uint64_t offset, uint64_t target, uint64_t bytes,
             Stream stream = nullptr,
             const TransferOptions &options = {}) const noexcept;
  /// How put() and get() would copy, and why: "tma with 8 CTAs: ...". Puts
  /// nothing into the stream; an error where they would fail.
  Result<std::string>
  explainPut(int to, uint64_t offset, uint64_t source, uint64_t bytes,
             Stream stream = nullptr,
             const TransferOptions &options = {}) const noexcept;
  Result<std::string>
  explainGet(int from, uint64_t offset, uint64_t target, uint64_t bytes,
             Stream stream = nullptr,
             const TransferOptions &options = {}) const noexcept;
  /// Adds `count` elements of local memory to those at offset `offset` of
  /// another rank's part, by the TMA transport: f32, f16, bf16 or i32. Only the
  /// additions of one GPU are atomic among each other; those of two GPUs need a
  /// signal between them.
  Status putAdd(int to, uint64_t offset, uint64_t source, uint64_t count,
                ElementType element, Stream stream = nullptr,
                int ctas = 0) const noexcept;
  /// Copies local memory to offset `offset` of all ranks' parts, this one's
  /// too, by a kernel of multimem stores. Needs openMulticast. Offset, size and
  /// source are multiples of 4. `ctas`: at most; 0: 16. A signal to each rank
  /// tells it that the bytes are there.
  Status putMulticast(uint64_t offset, uint64_t source, uint64_t bytes,
                      Stream stream = nullptr, int ctas = 0) const noexcept;
  /// Sets this rank's counter at `to`, after all earlier work of the stream.
  Status signal(int to, uint32_t signal, uint64_t value,
                Stream stream = nullptr) const noexcept;
  /// A put, then a signal.
  Status putSignal(int to, uint64_t offset, uint64_t source, uint64_t bytes,
                   uint32_t signal, uint64_t value, Stream stream = nullptr,
                   const TransferOptions &options = {}) const noexcept;
  /// The stream waits until rank `from` has set the counter here. The wait
  /// ends, with an error of Comm::check() and synchronize(), when it takes
  /// longer than its timeout or the rank dies.
  Status wait(int from, uint32_t signal, uint64_t value,
              Stream stream = nullptr,
              const WaitOptions &options = {}) const noexcept;

  /// The largest value of a signal; the library writes greater ones to end
  /// waits.
  static constexpr uint64_t kMaxSignal = (uint64_t(1) << 62) - 1;

  struct Impl;
  const std::shared_ptr<Impl> &share() const { return impl; }

private:
  explicit SymmetricBuffer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_COMM_H
