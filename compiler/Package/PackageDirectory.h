//===- PackageDirectory.h - directories that hold packages ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a package goes, what is there already, and its removal. Everything goes
// through descriptors, so that what was checked is what is changed, whatever
// others rename meanwhile.
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

/// How often another process may come in between before we give up.
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

/// The place of a package: the directory around it and its name in there.
struct PackagePlace {
  Descriptor parent;
  std::string name;
  std::string path;       ///< for messages
  std::string parentPath; ///< for messages

  /// Follows symbolic links: what they point to is replaced, not the link.
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

  /// How names of siblings begin that are packages in the making.
  std::string getTemporaryStem() const;
  /// Opens a new sibling and locks it, for as long as it isn't closed; nothing
  /// if another process took it for an abandoned one before that.
  Descriptor openLocked(llvm::StringRef sibling) const;
  /// Removes siblings that writers left which were killed: packages, parts of
  /// one that have the marker, and empty directories, if nobody holds the lock.
  void removeAbandoned() const;
};

/// "can't DO 'PATH': REASON", the reason from errno.
/// A file of a sibling for as long as it isn't a whole package.
inline constexpr const char *kUnfinishedFile = ".unfinished";

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
