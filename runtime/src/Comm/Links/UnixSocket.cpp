//===- UnixSocket.cpp - messages between processes of one user ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See UnixSocket.h.
//
//===----------------------------------------------------------------------===//

#include "UnixSocket.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

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

} // namespace carousel::runtime
