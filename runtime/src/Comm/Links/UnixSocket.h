//===- UnixSocket.h - messages between processes of one user ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Connections of whole messages, each with at most one file descriptor. Names
// are abstract, so that no file stays behind. Every descriptor is closed on
// exec. The kernel tells whose process is at the other end.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMM_LINKS_UNIXSOCKET_H
#define CAROUSEL_RUNTIME_SRC_COMM_LINKS_UNIXSOCKET_H

#include "Support/FileDescriptor.h"

#include "carousel/Runtime/Error.h"

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include <sys/types.h>

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
  /// Nothing where nobody listens.
  static Result<std::optional<UnixSocket>> connect(const std::string &name);
  /// Nothing where nobody connected before the deadline.
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

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMM_LINKS_UNIXSOCKET_H
