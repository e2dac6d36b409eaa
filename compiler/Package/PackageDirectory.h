//===- PackageDirectory.h - directories that hold packages ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the directory for a package, checks what it holds, and removes it. All
// calls use file descriptors. So a check and the change after it see the same
// directory, even if another process renames directories meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_PACKAGEDIRECTORY_H
#define CAROUSEL_COMPILER_PACKAGE_PACKAGEDIRECTORY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <cerrno>
#include <string>
#include <utility>

namespace carousel {

/// The number of attempts while another process interferes.
inline constexpr int kMaxAttempts = 100;

/// Owns a file descriptor.
class Descriptor {
public:
  explicit Descriptor(int fd) : fd(fd) {}
  Descriptor(Descriptor &&other) : fd(std::exchange(other.fd, -1)) {}
  Descriptor &operator=(Descriptor &&) = delete;
  ~Descriptor();

  explicit operator bool() const { return fd >= 0; }
  int get() const { return fd; }
  int release() { return std::exchange(fd, -1); }

private:
  int fd;
};

/// The place of a package: its parent directory and its name there.
struct PackagePlace {
  Descriptor parent;
  std::string name;
  std::string path;       ///< for messages
  std::string parentPath; ///< for messages

  /// Follows symbolic links: a package replaces the target, not the link.
  static llvm::Expected<PackagePlace> find(llvm::StringRef directory);

  std::string getSiblingPath(llvm::StringRef sibling) const {
    return parentPath + "/" + sibling.str();
  }
  /// Fails unless `sibling`, by default the package itself, is absent, empty,
  /// or holds a package and nothing else.
  llvm::Error checkReplaceable(llvm::StringRef sibling) const;
  llvm::Error checkReplaceable() const { return checkReplaceable(name); }
  /// Removes a directory beside the package that has only files in it.
  llvm::Error remove(llvm::StringRef sibling) const;

  /// The first part of the names of siblings that are unfinished packages.
  std::string getTemporaryStem() const;
  /// Opens a new sibling and locks it until it is closed. Returns nothing if
  /// another process took it for an abandoned one and removed it first.
  Descriptor openLocked(llvm::StringRef sibling) const;
  /// Removes siblings that killed writers left and that no process has locked:
  /// whole packages, unfinished ones, and empty directories.
  void removeAbandoned() const;
};

/// The file that marks a sibling as an unfinished package.
inline constexpr const char *kUnfinishedFile = ".unfinished";

/// "can't DO 'PATH': REASON", with the reason of errno.
llvm::Error makeSystemError(const llvm::Twine &action, const llvm::Twine &path);

/// Repeats a system call that a signal interrupted.
template <typename Call> auto retryCall(Call call) {
  decltype(call()) result;
  do
    result = call();
  while (result < 0 && errno == EINTR);
  return result;
}

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_PACKAGEDIRECTORY_H
