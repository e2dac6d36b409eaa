//===- WritePackage.cpp - packages on disk --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills and flushes a sibling directory. Then renames it to the package's path,
// or exchanges it with the directory there.
//
//===----------------------------------------------------------------------===//

#include "carousel/Package/WritePackage.h"

#include "PackageDirectory.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"

#include <atomic>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace carousel;

Error carousel::checkPackageDirectory(StringRef directory) {
  Expected<PackagePlace> place = PackagePlace::find(directory);
  if (!place)
    return place.takeError();
  return place->checkReplaceable();
}

/// A package's files lie in its directory, and a manifest is among them.
static Error checkFiles(ArrayRef<PackageFile> files) {
  StringSet<> names;
  for (const PackageFile &file : files) {
    StringRef name = file.name;
    if (name.empty() || name == "." || name == ".." || name.contains('/') ||
        name.contains('\0'))
      return createStringError("expected the name of a file in a package, got "
                               "'" +
                               name + "'");
    if (!names.insert(name).second)
      return createStringError("expected each file of a package once, got '" +
                               name + "' twice");
  }
  if (!names.contains(kManifestFile))
    return createStringError("expected " + kManifestFile +
                             " among the files of a package, got none");
  return Error::success();
}

/// Makes an empty directory beside the package. Its name says whose it is,
/// should the process be killed.
namespace {
/// A new directory beside the package, locked.
struct Sibling {
  std::string name;
  Descriptor fd;
};
} // namespace

static Expected<Sibling> makeSibling(const PackagePlace &place) {
  static std::atomic<unsigned> counter = 0;
  std::string stem =
      place.getTemporaryStem() + std::to_string(::getpid()) + "-";
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    std::string sibling = stem + std::to_string(counter++);
    bool made = ::mkdirat(place.parent.get(), sibling.c_str(), 0777) == 0;
    if (made)
      if (Descriptor fd = place.openLocked(sibling))
        return Sibling{sibling, std::move(fd)};
    if (errno != EEXIST && !(made && errno == ENOENT))
      return makeSystemError("make the directory",
                             place.getSiblingPath(sibling));
  }
  return makeSystemError("make the directory",
                         place.getSiblingPath(stem + "*"));
}

/// Writes a file that isn't there yet, down to the disk.
static Error writeFile(int directory, const PackageFile &file) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  Descriptor fd(retryCall(
      [&] { return ::openat(directory, file.name.c_str(), kFlags, 0666); }));
  if (!fd)
    return makeSystemError("make the file", file.name);
  StringRef rest = file.contents;
  while (!rest.empty()) {
    ssize_t count =
        retryCall([&] { return ::write(fd.get(), rest.data(), rest.size()); });
    if (count < 0)
      return makeSystemError("write", file.name);
    rest = rest.drop_front(count);
  }
  if (retryCall([&] { return ::fsync(fd.get()); }) != 0)
    return makeSystemError("flush", file.name);
  if (::close(fd.release()) != 0)
    return makeSystemError("close", file.name);
  return Error::success();
}

static Error fillSibling(const PackagePlace &place, const Sibling &sibling,
                         ArrayRef<PackageFile> files,
                         function_ref<bool()> isInterrupted) {
  // Removed before any reader can open it, so it isn't flushed.
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  if (!Descriptor(retryCall([&] {
        return ::openat(sibling.fd.get(), kUnfinishedFile, kFlags, 0666);
      })))
    return makeSystemError("make the file", kUnfinishedFile);
  for (const PackageFile &file : files) {
    if (isInterrupted())
      return createStringError("interrupted before '" + place.path +
                               "' was written");
    if (Error error = writeFile(sibling.fd.get(), file))
      return error;
  }
  if (::unlinkat(sibling.fd.get(), kUnfinishedFile, 0) != 0)
    return makeSystemError("remove", kUnfinishedFile);
  if (retryCall([&] { return ::fsync(sibling.fd.get()); }) != 0)
    return makeSystemError("flush", place.getSiblingPath(sibling.name));
  return Error::success();
}

static bool exchangeWith(const PackagePlace &place,
                         const std::string &sibling) {
  int parent = place.parent.get();
  return ::renameat2(parent, sibling.c_str(), parent, place.name.c_str(),
                     RENAME_EXCHANGE) == 0;
}

namespace {
enum class Placed { Alone, Exchanged };
} // namespace

/// Puts the sibling in place. After an exchange its name stands for the older
/// package.
static Expected<Placed> putInPlace(const PackagePlace &place,
                                   const std::string &sibling) {
  int parent = place.parent.get();
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    // Takes the place of nothing, or of an empty directory.
    if (::renameat(parent, sibling.c_str(), parent, place.name.c_str()) == 0)
      return Placed::Alone;
    if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
      return makeSystemError("rename to", place.path);
    if (Error error = place.checkReplaceable())
      return error;
    if (exchangeWith(place, sibling))
      return Placed::Exchanged;
    if (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)
      return createStringError("expected a file system that can exchange "
                               "directories to replace '" +
                               place.path + "', got one that can't; remove '" +
                               place.path + "' first");
    // Gone since the check: try again.
    if (errno != ENOENT)
      return makeSystemError("replace", place.path);
  }
  return createStringError("can't replace '" + place.path +
                           "': others keep changing it");
}

Error carousel::writePackage(ArrayRef<PackageFile> files, StringRef directory,
                             function_ref<bool()> isInterrupted) {
  if (Error error = checkFiles(files))
    return error;
  Expected<PackagePlace> place = PackagePlace::find(directory);
  if (!place)
    return place.takeError();
  if (Error error = place->checkReplaceable())
    return error;
  place->removeAbandoned();
  Expected<Sibling> made = makeSibling(*place);
  if (!made)
    return made.takeError();
  const std::string &sibling = made->name;
  llvm::scope_exit cleanUp([&] { consumeError(place->remove(sibling)); });
  if (Error error = fillSibling(*place, *made, files, isInterrupted))
    return error;
  Expected<Placed> placed = putInPlace(*place, sibling);
  if (!placed)
    return placed.takeError();

  if (*placed == Placed::Exchanged) {
    // Another process may have replaced the directory after the check.
    if (Error error = place->checkReplaceable(sibling)) {
      if (exchangeWith(*place, sibling))
        return error;
      cleanUp.release();
      return joinErrors(
          std::move(error),
          createStringError("what was in '" + place->path + "' is now '" +
                            place->getSiblingPath(sibling) + "'"));
    }
  }
  cleanUp.release();
  if (retryCall([&] { return ::fsync(place->parent.get()); }) != 0)
    return makeSystemError("flush", place->parentPath);
  return *placed == Placed::Exchanged ? place->remove(sibling)
                                      : Error::success();
}
