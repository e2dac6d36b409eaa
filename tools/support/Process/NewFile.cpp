//===- NewFile.cpp - writes files atomically ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See NewFile.h. A writer holds a lock on its temporary file as long as it
// lives. If the lock is free, the writer has ended, on whatever machine it ran.
//
//===----------------------------------------------------------------------===//

#include "NewFile.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace carousel;
using namespace carousel::tools;
using runtime::ErrorCode;
using runtime::fail;
using runtime::Status;

static constexpr std::string_view kSuffix = ".tmp";

static Status failSystem(const std::string &path) {
  return fail(ErrorCode::IOError, "{}: cannot write: {}", path,
              std::strerror(errno));
}

/// Whether a name is BASE.PID-N.tmp.
static bool isTemporary(std::string_view name, std::string_view base) {
  if (name.size() <= base.size() + 1 + kSuffix.size() ||
      name.substr(0, base.size()) != base || name[base.size()] != '.' ||
      name.substr(name.size() - kSuffix.size()) != kSuffix)
    return false;
  name.remove_prefix(base.size() + 1);
  name.remove_suffix(kSuffix.size());
  auto areDigits = [](std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
      return c >= '0' && c <= '9';
    });
  };
  size_t dash = name.find('-');
  return dash != std::string_view::npos && areDigits(name.substr(0, dash)) &&
         areDigits(name.substr(dash + 1));
}

static void removeAbandoned(const std::string &path) {
  size_t slash = path.rfind('/');
  bool isHere = slash == std::string::npos;
  std::string directory = isHere ? "." : path.substr(0, slash + 1);
  std::string base = isHere ? path : path.substr(slash + 1);
  DIR *stream = opendir(directory.c_str());
  if (!stream)
    return;
  int parent = dirfd(stream);
  while (const dirent *entry = readdir(stream)) {
    if (!isTemporary(entry->d_name, base))
      continue;
    int found = openat(parent, entry->d_name,
                       O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    if (found >= 0 && fstat(found, &info) == 0 && S_ISREG(info.st_mode) &&
        info.st_uid == geteuid() && flock(found, LOCK_EX | LOCK_NB) == 0)
      unlinkat(parent, entry->d_name, 0);
    if (found >= 0)
      close(found);
  }
  closedir(stream);
}

NewFile::NewFile(std::string path) : path(std::move(path)) {}

NewFile::~NewFile() {
  if (!temporary.empty())
    unlink(temporary.c_str());
  if (descriptor >= 0)
    close(descriptor);
}

Status NewFile::create() {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    return descriptor < 0 ? failSystem(path) : Status();
  }
  removeAbandoned(path);
  static std::atomic<unsigned> counter = 0;
  for (;;) {
    temporary = fmt::format("{}.{}-{}{}", path, getpid(), counter++, kSuffix);
    descriptor = ::open(temporary.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST)
      continue;
    if (descriptor < 0) {
      temporary.clear();
      return failSystem(path);
    }
    // Without locks, no process takes the file for an abandoned one. One that
    // did so before this lock has removed the file.
    (void)flock(descriptor, LOCK_EX);
    if (fstat(descriptor, &info) == 0 && info.st_nlink != 0)
      return {};
    close(std::exchange(descriptor, -1));
  }
}

Status NewFile::write(const void *data, uint64_t count) {
  constexpr uint64_t kPiece = 1 << 20;
  auto *next = static_cast<const char *>(data);
  while (count > 0) {
    if (InterruptGuard::isInterrupted())
      return fail(ErrorCode::IOError, "{}: interrupted", path);
    ssize_t put = ::write(descriptor, next, std::min(count, kPiece));
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return failSystem(path);
    next += put;
    count -= static_cast<uint64_t>(put);
  }
  return {};
}

Status NewFile::flush() {
  // A pipe or a device may have nothing to flush.
  if (fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS)
    return failSystem(path);
  return {};
}

Status NewFile::finish() {
  // Closing may fail, and the lock has to stay until the file has its name.
  int lock = dup(descriptor);
  Status status;
  if (close(std::exchange(descriptor, -1)) != 0 ||
      (!temporary.empty() && rename(temporary.c_str(), path.c_str()) != 0))
    status = failSystem(path);
  else
    temporary.clear();
  if (lock >= 0)
    close(lock);
  return status;
}

Status tools::writeText(const std::string &path, std::string_view text) {
  NewFile file(path);
  CAROUSEL_TRY(file.create());
  CAROUSEL_TRY(file.write(text.data(), text.size()));
  return file.finish();
}
