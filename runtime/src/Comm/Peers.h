//===- Peers.h - the other ranks --------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps what a rank knows of the others: who they are, whether they are there,
// and which messages they sent. Messages come from a socket, which one thread
// reads, or from ranks of the same process. Thread-safe. Sockets carry whole
// messages, each with at most one file descriptor. Their names are abstract, so
// that no file stays behind; every descriptor is closed on exec; the kernel
// tells whose process is at the other end.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMM_PEERS_H
#define CAROUSEL_RUNTIME_SRC_COMM_PEERS_H

#include "Support/FileDescriptor.h"

#include "carousel/Runtime/Comm.h"
#include "carousel/Runtime/Error.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace carousel::runtime {

using Deadline = std::chrono::steady_clock::time_point;

/// Who is at the other end.
struct Credentials {
  pid_t process = 0; ///< 0: of another PID namespace
  uid_t user = 0;
};

/// One message that arrived.
struct Packet {
  std::string bytes;
  std::shared_ptr<FileDescriptor> file; ///< or null
};

class UnixSocket {
public:
  static constexpr size_t kMaxBytes = 4096;

  explicit UnixSocket(int fd = -1) : fd(fd) {}

  /// Listens on an abstract name. Fails with `isTaken` set where another socket
  /// has the name.
  static Result<UnixSocket> listen(const std::string &name, bool &isTaken);
  /// Returns no socket where nobody listens.
  static Result<std::optional<UnixSocket>> connect(const std::string &name);
  /// Returns no socket where nobody connected before the deadline.
  Result<std::optional<UnixSocket>> accept(Deadline deadline);

  Result<Credentials> getCredentials() const;
  /// Sends `bytes`, and a copy of `file` unless negative.
  Status send(std::string_view bytes, int file, Deadline deadline);
  /// The next message; nothing where none is there. IOError where the other end
  /// is closed, which an empty message means too; InvalidArgument for a message
  /// that is too long or has more than one file; OutOfMemory where this process
  /// has no descriptor free for its file. Closes all other files.
  Result<std::optional<Packet>> receive();
  /// Ends the connection for both ends.
  void shutDown();
  /// Waits until a message is there, or the deadline.
  bool waitForMessage(Deadline deadline) const;
  /// A descriptor that is readable when the process at the other end has ended,
  /// also if a child of it keeps the connection open; negative: none.
  int openProcess() const;

  int get() const { return fd.get(); }
  UnixSocket(UnixSocket &&other) noexcept : fd(other.fd.release()) {}
  UnixSocket &operator=(UnixSocket &&other) noexcept {
    fd.reset(other.fd.release());
    return *this;
  }

private:
  FileDescriptor fd;
};

using Clock = std::chrono::system_clock;
using DeviceUUID = std::array<char, 16>;

/// Clocks count in ns, so that greater ones would overflow.
constexpr std::chrono::milliseconds kMaxTimeout(int64_t(1) << 40);

/// "2026-11-24T07:00:41.123Z".
std::string formatTime(Clock::time_point time);

enum class MessageKind : uint32_t {
  Hello = 1, ///< the first on a connection
  Allocate = 2,
  Mapped = 3,
  Barrier = 4,
  Bye = 5, ///< the last on a connection
  Multicast = 6,
  Signals = 7, ///< follows Allocate where signals are words of the host
};
/// "an allocation of a symmetric buffer".
const char *describe(MessageKind kind);

/// A message of one collective call, which has the same number on all ranks.
struct Message {
  MessageKind kind = MessageKind::Barrier;
  uint64_t sequence = 0;
  std::string bytes;
  /// A file to send, which isn't owned, or one that was received, which the
  /// Message owns that has it last.
  std::shared_ptr<FileDescriptor> file;
  /// The object that `file` stands for between ranks of one process.
  std::shared_ptr<void> object;
};

/// The contents of messages: plain structs. False where sizes differ.
template <typename T> std::string toBytes(const T &value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::string(reinterpret_cast<const char *>(&value), sizeof(T));
}

template <typename T> bool fromBytes(std::string_view bytes, T &value) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (bytes.size() != sizeof(T))
    return false;
  __builtin_memcpy(&value, bytes.data(), sizeof(T));
  return true;
}

struct Peer {
  PeerState state = PeerState::Alive;
  pid_t process = 0;
  DeviceUUID device = {};
  Clock::time_point end; ///< when it left or died
  /// Why this rank ended the connection; empty: it didn't.
  std::string fault;
};

class Peers {
public:
  Peers(int rank, int size);

  const int rank, size;
  /// The most messages of a peer that this rank hasn't taken. A collective call
  /// has at most 4, and ranks are at most one call apart, unless calls fail: a
  /// rank that is stopped for a while finds those of all calls that ended by
  /// their timeout.
  static constexpr size_t kMaxMessages = 4096;
  /// The most of these with a file: descriptors are scarce.
  static constexpr size_t kMaxFiles = 64;

  Peer get(int peer) const;
  void set(int peer, pid_t process, const DeviceUUID &device);
  PeerState getState(int peer) const;
  /// Notes that a peer is gone; the first note counts.
  void setGone(int peer, PeerState state);
  /// An error where the peer is gone: "to: rank 1 (process 4711) died at ...".
  Status requireAlive(int peer, const char *argument) const;
  /// "rank 1 (process 4711)".
  std::string describe(int peer) const;

  /// Puts a message into the mailbox. A peer that sends many more than this
  /// rank asks for is cut off.
  void deliver(int from, Message message);
  /// Notes that the peer is gone because of what it sent, and forgets that.
  void cutOff(int peer, std::string fault);
  /// The message of a collective call from a peer; fails if the peer is gone
  /// first, made another call, or is late.
  Result<Message> receive(int from, MessageKind kind, uint64_t sequence,
                          std::chrono::milliseconds timeout);

private:
  struct Entry {
    Peer peer;
    std::deque<Message> messages;
  };
  std::string describeLocked(int peer) const;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::vector<Entry> entries;
};

/// How messages get to the other ranks.
class Link {
public:
  virtual ~Link() = default;
  virtual Status send(int to, const Message &message, Deadline deadline) = 0;
  /// Tells the others that this rank leaves.
  virtual void leave() = 0;
  /// A connection to poll, and a descriptor that is readable when the peer's
  /// process has ended; negative where there is none.
  virtual int getConnection(int peer) const { return -1; }
  virtual int getProcess(int peer) const { return -1; }
  /// Reads what arrived on a connection into the mailbox. False: it is closed.
  virtual bool read(int peer) { return true; }
};

/// Connects the processes of a session. `peers` gets who they are.
Result<std::unique_ptr<Link>> connectSockets(Peers &peers,
                                             const std::string &session,
                                             const DeviceUUID &device,
                                             uint64_t mailboxBytes,
                                             std::chrono::milliseconds timeout);
/// Connects ranks of this process, which have all of the others' Peers.
std::unique_ptr<Link> connectLocalRank(int rank,
                                       std::vector<std::weak_ptr<Peers>> peers);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMM_PEERS_H
