//===- SocketLink.cpp - ranks of several processes ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rank r listens on an abstract name, connects to the ranks below it and
// accepts those above it. Both ends check the other's user before they read
// anything, then exchange a Hello. The listener is closed when all are there. A
// rank of a user that the kernel doesn't tell from others connects to none.
//
//===----------------------------------------------------------------------===//

#include "Comm/Peers.h"

#include "../Peers.h"
#include "Support/User.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <thread>

namespace carousel::runtime {

static tl::unexpected<Error> failCall(const char *call) {
  return fail(ErrorCode::IOError, "{} failed: {}", call, describeErrno(errno));
}

/// The length is that of the name, without a NUL at its end.
static socklen_t makeAddress(const std::string &name, sockaddr_un &address) {
  address = {};
  address.sun_family = AF_UNIX;
  size_t length = std::min(name.size(), sizeof(address.sun_path) - 1);
  std::memcpy(address.sun_path + 1, name.data(), length);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
}

static int openSocket() {
  return ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/// Whether `fd` has one of `events` before the deadline.
static bool pollUntil(int fd, short events, Deadline deadline) {
  while (true) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd entry = {fd, events, 0};
    int ready =
        ::poll(&entry, 1,
               static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1 << 30)));
    if (ready > 0)
      return true;
    if (ready == 0 && left.count() <= 0)
      return false;
    if (ready < 0 && errno != EINTR)
      return false;
  }
}

Result<UnixSocket> UnixSocket::listen(const std::string &name, bool &isTaken) {
  isTaken = false;
  UnixSocket made(openSocket());
  if (made.get() < 0)
    return failCall("socket");
  sockaddr_un address;
  socklen_t length = makeAddress(name, address);
  if (::bind(made.get(), reinterpret_cast<sockaddr *>(&address), length) != 0) {
    isTaken = errno == EADDRINUSE;
    return failCall("bind");
  }
  if (::listen(made.get(), 128) != 0)
    return failCall("listen");
  return made;
}

Result<std::optional<UnixSocket>> UnixSocket::connect(const std::string &name) {
  UnixSocket made(openSocket());
  if (made.get() < 0)
    return failCall("socket");
  sockaddr_un address;
  socklen_t length = makeAddress(name, address);
  if (::connect(made.get(), reinterpret_cast<sockaddr *>(&address), length) ==
      0)
    return std::optional(std::move(made));
  // EAGAIN: its queue is full.
  if (errno == ECONNREFUSED || errno == ENOENT || errno == EAGAIN ||
      errno == EINTR)
    return std::optional<UnixSocket>();
  return failCall("connect");
}

Result<std::optional<UnixSocket>> UnixSocket::accept(Deadline deadline) {
  // Checked first, as others may connect without end.
  while (std::chrono::steady_clock::now() < deadline) {
    int accepted =
        ::accept4(get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted >= 0)
      return std::optional(UnixSocket(accepted));
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
      return failCall("accept");
    (void)pollUntil(get(), POLLIN, deadline);
  }
  return std::optional<UnixSocket>();
}

Result<Credentials> UnixSocket::getCredentials() const {
  ucred found = {};
  socklen_t length = sizeof(found);
  if (::getsockopt(get(), SOL_SOCKET, SO_PEERCRED, &found, &length) != 0)
    return failCall("getsockopt");
  return Credentials{found.pid, found.uid};
}

Status UnixSocket::send(std::string_view bytes, int file, Deadline deadline) {
  iovec part = {const_cast<char *>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (file >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &file, sizeof(int));
  }
  while (true) {
    if (::sendmsg(get(), &message, MSG_NOSIGNAL) >= 0)
      return {};
    if (errno == EINTR)
      continue;
    if (errno != EAGAIN)
      return failCall("sendmsg");
    if (!pollUntil(get(), POLLOUT, deadline))
      return fail(ErrorCode::Timeout, "sendmsg: the other process reads "
                                      "nothing");
  }
}

/// The files that came with a message.
static std::vector<std::shared_ptr<FileDescriptor>>
takeFiles(const msghdr &message) {
  std::vector<std::shared_ptr<FileDescriptor>> files;
  auto *first = const_cast<msghdr *>(&message);
  for (cmsghdr *header = CMSG_FIRSTHDR(first); header;
       header = CMSG_NXTHDR(first, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
      continue;
    size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      files.push_back(std::make_shared<FileDescriptor>(fd));
    }
  }
  return files;
}

Result<std::optional<Packet>> UnixSocket::receive() {
  Packet packet;
  packet.bytes.resize(kMaxBytes);
  iovec part = {packet.bytes.data(), packet.bytes.size()};
  constexpr size_t kRoom = 8;
  // Room for more than one, so that two are told from one. The kernel closes
  // those that don't fit.
  alignas(cmsghdr) char control[CMSG_SPACE(kRoom * sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  ssize_t got;
  do
    got = ::recvmsg(get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  while (got < 0 && errno == EINTR);
  if (got < 0 && errno == EAGAIN)
    return std::optional<Packet>();
  if (got < 0)
    return failCall("recvmsg");
  // Owned before anything else is looked at: empty messages have files, too.
  std::vector<std::shared_ptr<FileDescriptor>> files = takeFiles(message);
  if (got == 0)
    return fail(ErrorCode::IOError, "the other process closed the connection");
  // Files are missing though there is room: this process has too many open.
  if (message.msg_flags & MSG_CTRUNC && files.size() < kRoom)
    return fail(ErrorCode::OutOfMemory,
                "expected a free file descriptor for a message's file, got "
                "none");
  if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC) || files.size() > 1)
    return fail(ErrorCode::InvalidArgument,
                "expected a message of at most {} bytes with at most one file, "
                "got a longer one or more files",
                kMaxBytes);
  packet.bytes.resize(static_cast<size_t>(got));
  if (!files.empty())
    packet.file = std::move(files.front());
  return std::optional(std::move(packet));
}

void UnixSocket::shutDown() { (void)::shutdown(get(), SHUT_RDWR); }

bool UnixSocket::waitForMessage(Deadline deadline) const {
  return pollUntil(get(), POLLIN, deadline);
}

int UnixSocket::openProcess() const {
#ifndef SO_PEERPIDFD
  constexpr int SO_PEERPIDFD = 77; // Linux 6.5
#endif
  int fd = -1;
  socklen_t length = sizeof(fd);
  if (::getsockopt(get(), SOL_SOCKET, SO_PEERPIDFD, &fd, &length) == 0)
    return fd;
#ifdef SYS_pidfd_open
  // The process may have ended since, and another one have its number; the
  // connection is closed then, which is noticed first.
  if (Result<Credentials> found = getCredentials(); found && found->process > 0)
    return static_cast<int>(::syscall(SYS_pidfd_open, found->process, 0));
#endif
  return -1;
}

namespace {

constexpr uint64_t kMagic = 0x336d6d6f43726143; // "CarComm3"

struct Hello {
  uint64_t magic = kMagic;
  int32_t rank = 0, size = 0;
  DeviceUUID device = {};
  uint64_t mailboxBytes = 0;
};

/// This stands before the contents of every message.
struct Header {
  uint32_t kind = 0, hasFile = 0;
  uint64_t sequence = 0;
};

struct Connection {
  UnixSocket socket;
  FileDescriptor process{-1};
  std::mutex sending;
};

class SocketLink : public Link {
public:
  explicit SocketLink(Peers &peers)
      : peers(peers), connections(static_cast<size_t>(peers.size)) {}

  Status connectAll(const std::string &session, const DeviceUUID &device,
                    uint64_t mailboxBytes, std::chrono::milliseconds timeout);

  Status send(int to, const Message &message, Deadline deadline) override {
    Header header;
    header.kind = static_cast<uint32_t>(message.kind);
    header.hasFile = message.file != nullptr;
    header.sequence = message.sequence;
    Connection &connection = *connections[to];
    std::lock_guard<std::mutex> lock(connection.sending);
    return connection.socket.send(toBytes(header) + message.bytes,
                                  message.file ? message.file->get() : -1,
                                  deadline);
  }

  void leave() override {
    Message bye;
    bye.kind = MessageKind::Bye;
    for (int to = 0; to < peers.size; ++to)
      if (connections[to])
        (void)send(to, bye, std::chrono::steady_clock::now());
  }

  int getConnection(int peer) const override {
    return connections[peer] ? connections[peer]->socket.get() : -1;
  }
  int getProcess(int peer) const override {
    return connections[peer] ? connections[peer]->process.get() : -1;
  }
  bool read(int peer) override;

private:
  Result<UnixSocket> reach(const std::string &name, int peer,
                           Deadline deadline);
  Status greet(UnixSocket socket, int expected, Deadline deadline);
  Status acceptOne(UnixSocket &listener, Deadline deadline);

  Peers &peers;
  Hello own;
  Clock::time_point start = Clock::now();
  std::chrono::milliseconds timeout{0};
  std::string session;
  unsigned refused = 0; ///< connections of other users
  std::vector<std::unique_ptr<Connection>> connections;
};

std::string getName(const std::string &session, int rank) {
  return fmt::format("carousel-comm-{}-{}-{}", ::geteuid(), session, rank);
}

Result<UnixSocket> SocketLink::reach(const std::string &name, int peer,
                                     Deadline deadline) {
  while (true) {
    CAROUSEL_TRY_ASSIGN(std::optional<UnixSocket> found,
                        UnixSocket::connect(name));
    if (found)
      return std::move(*found);
    if (std::chrono::steady_clock::now() >= deadline)
      return fail(ErrorCode::Timeout,
                  "rank {} waited for rank {} of session '{}' since {}, longer "
                  "than {} ms",
                  peers.rank, peer, session, formatTime(start),
                  timeout.count());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

/// Checks who is there, and exchanges Hellos. `expected`: the rank, or -1 for
/// any rank above this one.
Status SocketLink::greet(UnixSocket socket, int expected, Deadline deadline) {
  CAROUSEL_TRY_ASSIGN(Credentials found, socket.getCredentials());
  if (found.user != ::geteuid())
    return fail(ErrorCode::InvalidArgument,
                "session: expected a process of user {} at '{}', got process "
                "{} of user {}",
                ::geteuid(), session, found.process, found.user);
  CAROUSEL_TRY(socket.send(toBytes(own), -1, deadline));
  if (!socket.waitForMessage(deadline))
    return fail(ErrorCode::Timeout,
                "rank {} waited for an answer of process {} in session '{}' "
                "since {}, longer than {} ms",
                peers.rank, found.process, session, formatTime(start),
                timeout.count());
  CAROUSEL_TRY_ASSIGN(std::optional<Packet> answer, socket.receive());
  Hello hello;
  if (!answer || answer->file || !fromBytes(answer->bytes, hello) ||
      hello.magic != kMagic)
    return fail(ErrorCode::UnsupportedVersion,
                "session: expected ranks that use the same version of this "
                "library, got another one in process {}",
                found.process);
  if (hello.size != peers.size)
    return fail(ErrorCode::InvalidArgument,
                "size: expected the same number of ranks everywhere, got {} on "
                "rank {} and {} on rank {}",
                peers.size, peers.rank, hello.size, hello.rank);
  if (hello.mailboxBytes != own.mailboxBytes)
    return fail(ErrorCode::InvalidArgument,
                "mailboxBytes: expected the same on all ranks, got {} on rank "
                "{} and {} on rank {}",
                own.mailboxBytes, peers.rank, hello.mailboxBytes, hello.rank);
  bool isGood = expected >= 0
                    ? hello.rank == expected
                    : hello.rank > peers.rank && hello.rank < peers.size &&
                          !connections[hello.rank];
  if (!isGood)
    return fail(ErrorCode::InvalidArgument,
                "rank: expected each rank once in session '{}', got rank {} "
                "again in process {}",
                session, hello.rank, found.process);
  auto connection = std::make_unique<Connection>();
  connection->process.reset(socket.openProcess());
  connection->socket = std::move(socket);
  connections[hello.rank] = std::move(connection);
  peers.set(hello.rank, found.process, hello.device);
  return {};
}

Status SocketLink::acceptOne(UnixSocket &listener, Deadline deadline) {
  while (true) {
    CAROUSEL_TRY_ASSIGN(std::optional<UnixSocket> accepted,
                        listener.accept(deadline));
    if (!accepted) {
      std::string missing;
      for (int peer = peers.rank + 1; peer < peers.size; ++peer)
        if (!connections[peer])
          missing += fmt::format("{}{}", missing.empty() ? "" : ", ", peer);
      return fail(ErrorCode::Timeout,
                  "rank {} waited for rank {} of session '{}' since {}, longer "
                  "than {} ms{}",
                  peers.rank, missing, session, formatTime(start),
                  timeout.count(),
                  refused == 0 ? ""
                               : fmt::format("; {} connections of other users "
                                             "were refused",
                                             refused));
    }
    // Another user can't keep the ranks from connecting.
    Result<Credentials> found = accepted->getCredentials();
    if (!found || found->user != ::geteuid()) {
      ++refused;
      continue;
    }
    return greet(std::move(*accepted), -1, deadline);
  }
}

Status SocketLink::connectAll(const std::string &session,
                              const DeviceUUID &device, uint64_t mailboxBytes,
                              std::chrono::milliseconds timeout) {
  CAROUSEL_TRY(prefixError(checkOwnUser(), "session"));
  this->session = session;
  this->timeout = timeout;
  own.rank = peers.rank;
  own.size = peers.size;
  own.device = device;
  own.mailboxBytes = mailboxBytes;
  Deadline deadline = std::chrono::steady_clock::now() + timeout;
  bool isTaken = false;
  Result<UnixSocket> listener =
      UnixSocket::listen(getName(session, peers.rank), isTaken);
  if (!listener && isTaken)
    return fail(ErrorCode::InvalidArgument,
                "session: expected a name that no other group uses, got '{}', "
                "where another process is rank {}",
                session, peers.rank);
  CAROUSEL_TRY(listener);
  for (int peer = 0; peer < peers.rank; ++peer) {
    CAROUSEL_TRY_ASSIGN(UnixSocket socket,
                        reach(getName(session, peer), peer, deadline));
    CAROUSEL_TRY(greet(std::move(socket), peer, deadline));
  }
  for (int peer = peers.rank + 1; peer < peers.size; ++peer)
    CAROUSEL_TRY(acceptOne(*listener, deadline));
  return {};
}

bool mayHaveFile(MessageKind kind) {
  return kind == MessageKind::Allocate || kind == MessageKind::Signals ||
         kind == MessageKind::Multicast;
}

/// The message that a packet holds; nothing where this library sends none such.
std::optional<Message> toMessage(Packet packet) {
  Header header;
  if (packet.bytes.size() < sizeof(header) ||
      !fromBytes(std::string_view(packet.bytes).substr(0, sizeof(header)),
                 header) ||
      header.kind <= static_cast<uint32_t>(MessageKind::Hello) ||
      header.kind > static_cast<uint32_t>(MessageKind::Signals) ||
      (header.hasFile != 0) != (packet.file != nullptr))
    return std::nullopt;
  Message message;
  message.kind = static_cast<MessageKind>(header.kind);
  if (packet.file && !mayHaveFile(message.kind))
    return std::nullopt;
  message.sequence = header.sequence;
  message.bytes = packet.bytes.substr(sizeof(header));
  message.file = std::move(packet.file);
  return message;
}

bool SocketLink::read(int peer) {
  UnixSocket &socket = connections[peer]->socket;
  // One that sends without end mustn't keep the thread from looking at waits.
  for (int i = 0; i < 64; ++i) {
    Result<std::optional<Packet>> got = socket.receive();
    if (got && !*got)
      return true;
    std::optional<Message> message;
    if (got)
      message = toMessage(std::move(**got));
    if (!got && got.error().code == ErrorCode::IOError)
      return false;
    if (!message)
      peers.cutOff(peer, got ? "it sent a message that isn't this library's"
                             : got.error().message);
    else
      peers.deliver(peer, std::move(*message));
    if (peers.getState(peer) == PeerState::Alive)
      continue;
    if (!peers.get(peer).fault.empty())
      socket.shutDown();
    return false;
  }
  return true;
}

} // namespace

Result<std::unique_ptr<Link>>
connectSockets(Peers &peers, const std::string &session,
               const DeviceUUID &device, uint64_t mailboxBytes,
               std::chrono::milliseconds timeout) {
  auto link = std::make_unique<SocketLink>(peers);
  CAROUSEL_TRY(link->connectAll(session, device, mailboxBytes, timeout));
  return std::unique_ptr<Link>(std::move(link));
}

} // namespace carousel::runtime
