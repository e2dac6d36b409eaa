//===- DiskCache.cpp - code on disk ---------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record of the journal is a sign, 16 hexadecimal digits and a line feed,
// written by one call in append mode. A new count replaces the file by a
// rename, with the records that were appended meanwhile. A writer that appended
// to the old file notices that, and appends again.
//
// An entry is a file named by the hash of its key:
//   "carousel cache 2\n" <key bytes> " " <payload bytes> "\n" key payload hash
// with both sizes as 16 and the hash of all before it as 64 hexadecimal digits.
// It is written to a temporary file in "tmp", flushed, and put in place by a
// rename, so there are no locks but one: a writer holds one on its temporary
// file, so that others see whether it lives. Files of other names are never
// touched.
//
//===----------------------------------------------------------------------===//

#include "DiskCache.h"

#include "CacheDirectory.h"
#include "Support/Hash.h"

#include "carousel/Runtime/CodeCache.h"
#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

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

namespace {

constexpr std::string_view kMagic = "carousel cache 2\n";
constexpr const char *kTemporaries = "tmp";
constexpr std::string_view kEntrySuffix = ".entry";
/// The digits of entries that earlier versions of this library made.
constexpr size_t kFormerDigits = 32;
/// A temporary file of this age belongs to a writer that died, even where the
/// file system has no locks.
constexpr time_t kStaleSeconds = 3600;

std::string makePrefix(std::string_view key, uint64_t payloadBytes) {
  return fmt::format("{}{:016x} {:016x}\n{}", kMagic, key.size(), payloadBytes,
                     key);
}

/// The format's version is hashed too, so entries of another version have
/// other names and stay.
std::string getEntryName(std::string_view key) {
  return hashContents(fmt::format("{}{}", kMagic, key)) +
         std::string(kEntrySuffix);
}

bool startsWithHash(std::string_view name, size_t digits) {
  return name.size() > digits && name[digits] == '.' &&
         name.substr(0, digits).find_first_not_of("0123456789abcdef") ==
             std::string_view::npos;
}

bool startsWithHash(std::string_view name) {
  return startsWithHash(name, kHashDigits) ||
         startsWithHash(name, kFormerDigits);
}

bool isEntryName(std::string_view name) {
  return startsWithHash(name) && name.substr(name.find('.')) == kEntrySuffix;
}

/// Appends `count` bytes of a file.
bool read(int fd, std::string &bytes, size_t count) {
  size_t done = bytes.size();
  bytes.resize(done + count);
  while (done < bytes.size()) {
    ssize_t got = ::read(fd, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

bool write(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

/// Without this a crash of the machine could leave an empty file under the
/// final name. Where the file system has no such call, the checksum must do.
bool flush(int fd) {
  return ::fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
}

/// The payload, if the file of `bytes` bytes is an intact entry of `key`. Its
/// start is checked before the rest is given memory: a foreign file may be of
/// any size.
std::optional<std::string> readEntry(int fd, uint64_t bytes,
                                     std::string_view key) {
  uint64_t framing = makePrefix(key, 0).size() + kHashDigits;
  if (bytes < framing)
    return std::nullopt;
  uint64_t payloadBytes = bytes - framing;
  std::string prefix = makePrefix(key, payloadBytes);
  std::string contents;
  if (!read(fd, contents, prefix.size()) || contents != prefix ||
      !read(fd, contents, payloadBytes + kHashDigits))
    return std::nullopt;
  std::string_view hashed(contents.data(), contents.size() - kHashDigits);
  if (contents.compare(hashed.size(), kHashDigits, hashContents(hashed)) != 0)
    return std::nullopt;
  return contents.substr(prefix.size(), payloadBytes);
}

/// A cache's directory, open, with what belongs to it.
class Opened {
public:
  /// For lookups, where nothing is made.
  static Result<Opened> open(const std::string &path);
  /// Makes the file of a store.
  static Result<Opened> make(const std::string &path);

  int get() const { return directory->get(); }
  int getTemporaries() const { return temporaries->get(); }
  UsageJournal getJournal() const { return {get(), getTemporaries()}; }

private:
  std::shared_ptr<FileDescriptor> directory, temporaries;
};

Result<Opened> Opened::open(const std::string &path) {
  CAROUSEL_TRY_ASSIGN(int fd, openOwnDirectory(path, /*make=*/false));
  Opened opened;
  opened.directory = std::make_shared<FileDescriptor>(fd);
  return opened;
}

Result<Opened> Opened::make(const std::string &path) {
  CAROUSEL_TRY_ASSIGN(int directory, openOwnDirectory(path, /*make=*/true));
  Opened opened;
  opened.directory = std::make_shared<FileDescriptor>(directory);
  Result<int> temporaries = openOwnDirectory(opened.get(), kTemporaries);
  if (!temporaries)
    return fail(ErrorCode::IOError,
                "can't make a file in the cache directory '{}': {}", path,
                temporaries.error().message);
  opened.temporaries = std::make_shared<FileDescriptor>(*temporaries);
  return opened;
}

/// Unlinks what was found bad, unless a writer has replaced it since. (Replaced
/// between the two calls, a good entry is lost and will be made again.)
void removeBad(int directory, const std::string &name, const struct stat &bad) {
  struct stat now;
  if (::fstatat(directory, name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0 &&
      now.st_ino == bad.st_ino && now.st_dev == bad.st_dev)
    ::unlinkat(directory, name.c_str(), 0);
}

/// Removes temporary files of writers that died, and directories that were put
/// aside by processes that died. Without `haveLocks`, it removes only files
/// that are old.
void removeStale(int directory, const std::vector<std::string> &names,
                 bool haveLocks) {
  time_t now = ::time(nullptr);
  for (const std::string &name : names) {
    if (!isTemporaryName(name))
      continue;
    FileDescriptor file(
        ::openat(directory, name.c_str(),
                 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status;
    if (!file || ::fstat(file.get(), &status) != 0)
      continue;
    bool isDirectory = haveLocks && S_ISDIR(status.st_mode);
    if (!isDirectory && !S_ISREG(status.st_mode))
      continue;
    bool isDead = haveLocks && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
    bool isAlive = haveLocks && !isDead && errno == EWOULDBLOCK;
    bool isOld = now - status.st_mtim.tv_sec > kStaleSeconds;
    if (!isDead && (!isOld || isAlive))
      continue;
    if (isDirectory)
      removeTree(directory, name);
    else
      ::unlinkat(directory, name.c_str(), 0);
  }
}

struct UsedFile {
  std::string name;
  uint64_t bytes;
  struct timespec used;
  bool operator<(const UsedFile &other) const {
    if (used.tv_sec != other.used.tv_sec)
      return used.tv_sec < other.used.tv_sec;
    if (used.tv_nsec != other.used.tv_nsec)
      return used.tv_nsec < other.used.tv_nsec;
    return name < other.name;
  }
};

/// Removes, beyond the bound, the entries used longest ago, but not `kept`.
/// Returns what is left. Several processes may do it at once: they see the same
/// order, so they remove the same files.
uint64_t evict(int directory, const std::string &kept, uint64_t maxBytes) {
  std::vector<UsedFile> entries;
  std::vector<std::string> former;
  uint64_t total = 0;
  for (std::string &name : listNames(directory)) {
    struct stat status;
    // Earlier versions had temporary files beside the entries.
    if (isTemporaryName(name) && startsWithHash(name))
      former.push_back(name);
    if (!isEntryName(name) ||
        ::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    // A store that replaces a directory or a link doesn't subtract its bytes.
    if (!S_ISREG(status.st_mode))
      continue;
    uint64_t bytes = countBytes(status);
    // An entry of a process with a larger bound, or a damaged one: no other
    // entry has to go for it.
    if (bytes > maxBytes)
      continue;
    total += bytes;
    if (name != kept)
      entries.push_back({std::move(name), bytes, status.st_mtim});
  }
  removeStale(directory, former, /*haveLocks=*/false);
  if (total <= maxBytes)
    return total;
  // Some room, so that not every store from now on has to remove a file.
  uint64_t target = maxBytes - maxBytes / 10, left = total;
  std::sort(entries.begin(), entries.end());
  for (const UsedFile &entry : entries) {
    if (total <= target)
      break;
    bool isRemoved = ::unlinkat(directory, entry.name.c_str(), 0) == 0;
    if (isRemoved)
      left -= entry.bytes;
    // If another process removed it, that one has recorded it.
    if (isRemoved || errno == ENOENT)
      total -= entry.bytes;
  }
  return left;
}

/// A file that this process alone writes to, until it is renamed.
class TemporaryFile {
public:
  /// Not open on failure, with the reason as errno.
  TemporaryFile(int directory, const std::string &start);
  ~TemporaryFile() {
    if (!isRenamed)
      ::unlinkat(directory, name.c_str(), 0);
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  explicit operator bool() const { return static_cast<bool>(file); }
  FileDescriptor &get() { return file; }
  bool rename(int other, const std::string &to) {
    return isRenamed =
               ::renameat(directory, name.c_str(), other, to.c_str()) == 0;
  }

private:
  int directory;
  std::string name;
  FileDescriptor file{-1};
  bool isRenamed = false;
};

TemporaryFile::TemporaryFile(int directory, const std::string &start)
    : directory(directory) {
  constexpr int kAttempts = 16;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    name = makeTemporaryName(start);
    file.reset(::openat(directory, name.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        0600));
    if (!file && errno != EEXIST)
      return;
    // Before the lock another process could take it for a dead one's: it has
    // the lock then, or has unlinked the file.
    struct stat status;
    bool isTaken = file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 &&
                   errno == EWOULDBLOCK;
    if (file && !isTaken && ::fstat(file.get(), &status) == 0 &&
        status.st_nlink != 0)
      return;
  }
  file.reset(-1);
}

} // namespace

DiskCache::DiskCache(std::string directory, uint64_t maxBytes)
    : directory(std::move(directory)), maxBytes(maxBytes) {}

std::optional<std::string> DiskCache::lookup(std::string_view key) const {
  if (maxBytes == 0 || directory.empty())
    return std::nullopt;
  Result<Opened> cache = Opened::open(directory);
  if (!cache)
    return std::nullopt;
  // No link is followed, and a pipe under this name must not block.
  std::string name = getEntryName(key);
  FileDescriptor file(
      ::openat(cache->get(), name.c_str(),
               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status;
  if (!file) {
    // A link or a socket isn't ours.
    if (errno != ENOENT &&
        ::fstatat(cache->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) ==
            0 &&
        !S_ISREG(status.st_mode))
      removeBad(cache->get(), name, status);
    return std::nullopt;
  }
  if (::fstat(file.get(), &status) != 0)
    return std::nullopt;
  if (!isOwnFile(status)) {
    if (S_ISREG(status.st_mode))
      sayOnce(fmt::format("the cache entry '{}/{}' isn't used: expected it to "
                          "belong to user {} and to be writable by its owner "
                          "only, got user {} and mode {:o}",
                          directory, name, ::geteuid(), status.st_uid,
                          status.st_mode & 07777));
    removeBad(cache->get(), name, status);
    return std::nullopt;
  }
  // An entry that another process with a larger bound keeps is left to it.
  auto bytes = static_cast<uint64_t>(status.st_size);
  if (bytes > maxBytes)
    return std::nullopt;
  std::optional<std::string> payload = readEntry(file.get(), bytes, key);
  if (!payload) {
    removeBad(cache->get(), name, status);
    return std::nullopt;
  }
  // A directory that is only read keeps its times.
  struct timespec times[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
  (void)::futimens(file.get(), times);
  return payload;
}

Status DiskCache::store(std::string_view key, std::string_view payload) const {
  if (maxBytes == 0)
    return {};
  if (directory.empty())
    return fail(ErrorCode::IOError,
                "no directory for the compilation cache: there is no home "
                "directory and XDG_CACHE_HOME isn't an absolute path");
  std::string prefix = makePrefix(key, payload.size());
  if (uint64_t bytes = prefix.size() + payload.size() + kHashDigits;
      bytes > maxBytes)
    return fail(ErrorCode::InvalidArgument,
                "expected a cache entry of at most {} bytes, got {}", maxBytes,
                bytes);
  std::string contents;
  contents.reserve(prefix.size() + payload.size() + kHashDigits);
  contents.append(prefix).append(payload);
  contents += hashContents(contents);

  CAROUSEL_TRY_ASSIGN(Opened cache, Opened::make(directory));
  removeStale(cache.getTemporaries(), listNames(cache.getTemporaries()),
              /*haveLocks=*/true);
  std::string name = getEntryName(key);
  TemporaryFile temporary(cache.getTemporaries(), name.substr(0, kHashDigits));
  if (!temporary)
    return fail(ErrorCode::IOError,
                "can't make a file in the cache directory '{}': {}", directory,
                describeErrno(errno));
  struct stat written, former;
  bool isWritten = write(temporary.get().get(), contents) &&
                   flush(temporary.get().get()) &&
                   ::fstat(temporary.get().get(), &written) == 0;
  if (!isWritten)
    return fail(ErrorCode::IOError, "can't write the cache entry '{}/{}': {}",
                directory, name, describeErrno(errno));
  bool hasFormer =
      ::fstatat(cache.get(), name.c_str(), &former, AT_SYMLINK_NOFOLLOW) == 0;
  if (hasFormer && S_ISDIR(former.st_mode))
    removeDirectory(cache.get(), name, cache.getTemporaries());
  if (!temporary.rename(cache.get(), name) || !temporary.get().close())
    return fail(ErrorCode::IOError, "can't write the cache entry '{}/{}': {}",
                directory, name, describeErrno(errno));

  auto change = static_cast<int64_t>(countBytes(written));
  if (hasFormer && S_ISREG(former.st_mode))
    change -= static_cast<int64_t>(countBytes(former));
  UsageJournal journal = cache.getJournal();
  std::optional<uint64_t> total = journal.append(change);
  if (!total || *total > maxBytes)
    journal.recount(maxBytes,
                    [&] { return evict(cache.get(), name, maxBytes); });
  return {};
}

void DiskCache::remove(std::string_view key) const {
  if (directory.empty())
    return;
  if (Result<Opened> cache = Opened::open(directory))
    ::unlinkat(cache->get(), getEntryName(key).c_str(), 0);
}

Result<CodeCache> CodeCache::open() noexcept {
  CAROUSEL_TRY_ASSIGN(CacheOptions options, readCacheOptions({}));
  return CodeCache(std::move(options.directory), options.maxBytes);
}

std::optional<std::string>
CodeCache::lookup(std::string_view key) const noexcept {
  return DiskCache(directory, maxBytes).lookup(key);
}

Status CodeCache::store(std::string_view key,
                        std::string_view code) const noexcept {
  return DiskCache(directory, maxBytes).store(key, code);
}

} // namespace carousel::runtime
