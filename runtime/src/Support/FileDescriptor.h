//===- FileDescriptor.h - an open file --------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owns a file descriptor, and describes errors of system calls.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_SUPPORT_FILEDESCRIPTOR_H
#define CAROUSEL_RUNTIME_SRC_SUPPORT_FILEDESCRIPTOR_H

#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace carousel::runtime {

class FileDescriptor {
public:
  /// Negative: nothing is open.
  explicit FileDescriptor(int fd) : fd(fd) {}
  ~FileDescriptor() {
    if (fd >= 0)
      ::close(fd);
  }
  FileDescriptor(const FileDescriptor &) = delete;
  FileDescriptor &operator=(const FileDescriptor &) = delete;
  explicit operator bool() const { return fd >= 0; }
  int get() const { return fd; }
  int release() { return std::exchange(fd, -1); }
  void reset(int other) {
    if (fd >= 0)
      ::close(fd);
    fd = other;
  }
  /// Some file systems report only here that a write failed.
  bool close() { return ::close(std::exchange(fd, -1)) == 0; }

private:
  int fd;
};

/// "Permission denied".
inline std::string describeErrno(int number) {
  return std::generic_category().message(number);
}

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_SUPPORT_FILEDESCRIPTOR_H
