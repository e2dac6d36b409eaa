//===- UsageJournal.cpp - tracks the size of the cache --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record is a sign, 16 hexadecimal digits and a line feed, written by one
// call in append mode. A new count replaces the file by a rename, with the
// records that were appended meanwhile. A writer that appended to the old file
// notices that, and appends again.
//
//===----------------------------------------------------------------------===//

#include "UsageJournal.h"

#include "CacheDirectory.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace carousel::runtime {
namespace {

constexpr size_t kRecordBytes = 18;
/// A directory is read through once for so many changes.
constexpr size_t kMaxRecords = 1024;

std::string makeRecord(int64_t change) {
  return fmt::format("{}{:016x}\n", change < 0 ? '-' : '+',
                     static_cast<uint64_t>(std::llabs(change)));
}

/// None where the records are damaged, or say that less than nothing is left:
/// then a change is missing.
std::optional<uint64_t> sum(std::string_view records) {
  int64_t total = 0;
  for (; records.size() >= kRecordBytes; records.remove_prefix(kRecordBytes)) {
    std::string digits(records.substr(1, kRecordBytes - 2));
    bool isPlain =
        (records[0] == '+' || records[0] == '-') &&
        records[kRecordBytes - 1] == '\n' && digits.substr(0, 4) == "0000" &&
        digits.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!isPlain)
      return std::nullopt;
    auto change =
        static_cast<int64_t>(std::strtoull(digits.c_str(), nullptr, 16));
    // Below 2^48, so that all of them together don't overflow. On the way it
    // may be negative: processes don't append in the order of their changes.
    total += records[0] == '-' ? -change : change;
  }
  if (!records.empty() || total < 0)
    return std::nullopt;
  return static_cast<uint64_t>(total);
}

bool writeWhole(int file, std::string_view bytes) {
  return ::write(file, bytes.data(), bytes.size()) ==
         static_cast<ssize_t>(bytes.size());
}

} // namespace

int UsageJournal::open() const {
  return ::openat(directory, kFile,
                  O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
                      O_CLOEXEC);
}

std::optional<UsageJournal::Contents> UsageJournal::read(int file) const {
  struct stat status;
  if (::fstat(file, &status) != 0 || !isOwnFile(status) ||
      static_cast<size_t>(status.st_size) > 2 * kMaxRecords * kRecordBytes)
    return std::nullopt;
  Contents contents = {status.st_ino, {}};
  contents.records.resize(static_cast<size_t>(status.st_size));
  ssize_t count =
      ::pread(file, contents.records.data(), contents.records.size(), 0);
  if (count != static_cast<ssize_t>(contents.records.size()))
    return std::nullopt;
  return contents;
}

std::optional<uint64_t> UsageJournal::append(int64_t change) const {
  constexpr int kAttempts = 4;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    FileDescriptor file(open());
    struct stat opened, named;
    if (!file || ::fstat(file.get(), &opened) != 0 || !isOwnFile(opened) ||
        !writeWhole(file.get(), makeRecord(change)))
      return std::nullopt;
    if (::fstatat(directory, kFile, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
        named.st_ino != opened.st_ino)
      continue;
    std::optional<Contents> contents = read(file.get());
    if (!contents || contents->records.size() > kMaxRecords * kRecordBytes)
      return std::nullopt;
    return sum(contents->records);
  }
  return std::nullopt;
}

/// The sum with what was appended since `before` was read. None on failure, or
/// where another process has counted meanwhile.
std::optional<uint64_t> UsageJournal::replace(uint64_t counted,
                                              const Contents &before) const {
  std::string name = makeTemporaryName("journal");
  FileDescriptor made(
      ::openat(temporary, name.c_str(),
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  // Other processes remove temporary files without a lock.
  if (made)
    (void)::flock(made.get(), LOCK_EX | LOCK_NB);
  std::string records = makeRecord(static_cast<int64_t>(counted));
  FileDescriptor old(open());
  std::optional<Contents> now =
      old ? read(old.get()) : std::optional<Contents>();
  bool isSame = now && now->inode == before.inode;
  if (isSame && now->records.size() > before.records.size())
    records += now->records.substr(before.records.size());
  auto rename = [&] {
    return ::renameat(temporary, name.c_str(), directory, kFile) == 0;
  };
  auto replaceFile = [&] {
    if (rename())
      return true;
    if (errno != EISDIR)
      return false;
    removeDirectory(directory, kFile, temporary);
    return rename();
  };
  bool isReplaced = made && (isSame || !now) &&
                    writeWhole(made.get(), records) && replaceFile();
  if (isReplaced)
    return sum(records);
  ::unlinkat(temporary, name.c_str(), 0);
  return std::nullopt;
}

void UsageJournal::recount(uint64_t most,
                           const std::function<uint64_t()> &count) const {
  constexpr int kAttempts = 8;
  constexpr auto kPause = std::chrono::milliseconds(2);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    FileDescriptor file(open());
    if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 &&
        errno == EWOULDBLOCK) {
      // The process that holds the lock sees the record of this one, or ends
      // soon.
      std::this_thread::sleep_for(kPause);
      continue;
    }
    std::optional<Contents> before =
        file ? read(file.get()) : std::optional<Contents>();
    std::optional<uint64_t> total =
        replace(count(), before.value_or(Contents()));
    if (!total || *total <= most)
      return;
  }
}

} // namespace carousel::runtime
