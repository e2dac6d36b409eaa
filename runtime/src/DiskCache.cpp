//===- DiskCache.cpp - compiled code on disk ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry is a file named by the hash of its key:
//   "carousel cache 1\n" <key bytes> " " <payload bytes> "\n" key payload hash
// with both sizes as 16 and the hash of all before it as 32 hexadecimal digits.
// It is written to a temporary file, flushed, and put in place by a rename, so
// there are no locks. Files of other names are never touched.
//
//===----------------------------------------------------------------------===//

#include "DiskCache.h"

#include "Fail.h"
#include "FileDescriptor.h"
#include "Hash.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace carousel::runtime {
namespace {

constexpr std::string_view kMagic = "carousel cache 1\n";
constexpr size_t kHashDigits = 32;
constexpr std::string_view kEntrySuffix = ".entry";
constexpr std::string_view kTemporarySuffix = ".tmp";
/// A temporary file of this age belongs to a writer that died.
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

bool endsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.substr(text.size() - suffix.size()) == suffix;
}

bool startsWithHash(std::string_view name) {
  return name.size() >= kHashDigits &&
         name.substr(0, kHashDigits).find_first_not_of("0123456789abcdef") ==
             std::string_view::npos;
}

bool isEntryName(std::string_view name) {
  return name.size() == kHashDigits + kEntrySuffix.size() &&
         startsWithHash(name) && endsWith(name, kEntrySuffix);
}

bool isTemporaryName(std::string_view name) {
  return startsWithHash(name) && name.size() > kHashDigits &&
         name[kHashDigits] == '.' && endsWith(name, kTemporarySuffix);
}

/// Unique among all processes that share the directory, other machines' and
/// other containers' too; O_EXCL catches the rest.
std::string makeTemporaryName(std::string_view entryName) {
  static std::atomic<uint64_t> counter = 0;
  uint64_t random = 0;
  if (::getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
    random = static_cast<uint64_t>(::clock());
  return fmt::format("{}.{}-{}-{:016x}{}", entryName.substr(0, kHashDigits),
                     ::getpid(),
                     counter.fetch_add(1, std::memory_order_relaxed), random,
                     kTemporarySuffix);
}

int openDirectory(const std::string &path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/// Makes the directory and those above it where there is none; for this user
/// only, as the XDG base directory specification asks. Negative on failure.
int openOrMakeDirectory(const std::string &path) {
  int fd = openDirectory(path);
  if (fd >= 0 || errno != ENOENT)
    return fd;
  for (size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    if (::mkdir(path.substr(0, end).c_str(), 0700) != 0 &&
        end == std::string::npos && errno != EEXIST)
      return -1;
  }
  return openDirectory(path);
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

/// Unlinks a file found bad, unless a writer has replaced it since. (Replaced
/// between the two calls, a good entry is lost and will be made again.)
void removeBad(int directory, const std::string &name, const struct stat &bad) {
  struct stat now;
  if (::fstatat(directory, name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0 &&
      now.st_ino == bad.st_ino && now.st_dev == bad.st_dev)
    ::unlinkat(directory, name.c_str(), 0);
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

/// Removes temporary files of dead writers and, beyond the bound, the entries
/// used longest ago, but not `kept`. Several processes may do it at once: they
/// see the same order, so they remove the same files.
void evict(const std::string &path, const std::string &kept,
           uint64_t maxBytes) {
  DIR *stream = ::opendir(path.c_str());
  if (!stream)
    return;
  int directory = ::dirfd(stream);
  std::vector<UsedFile> entries;
  uint64_t total = 0;
  time_t now = ::time(nullptr);
  while (const struct dirent *item = ::readdir(stream)) {
    std::string_view name = item->d_name;
    bool temporary = isTemporaryName(name);
    struct stat status;
    if ((!temporary && !isEntryName(name)) ||
        ::fstatat(directory, item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (temporary) {
      if (now - status.st_mtim.tv_sec > kStaleSeconds)
        ::unlinkat(directory, item->d_name, 0);
      continue;
    }
    total += static_cast<uint64_t>(status.st_size);
    if (name != kept)
      entries.push_back({std::string(name),
                         static_cast<uint64_t>(status.st_size),
                         status.st_mtim});
  }
  if (total > maxBytes) {
    // Some room, so that not every store from now on has to remove a file.
    uint64_t target = maxBytes - maxBytes / 10;
    std::sort(entries.begin(), entries.end());
    for (const UsedFile &entry : entries) {
      if (total <= target)
        break;
      if (::unlinkat(directory, entry.name.c_str(), 0) == 0 || errno == ENOENT)
        total -= entry.bytes;
    }
  }
  ::closedir(stream);
}

} // namespace

DiskCache::DiskCache(std::string directory, uint64_t maxBytes)
    : directory(std::move(directory)), maxBytes(maxBytes) {}

std::optional<std::string> DiskCache::lookup(std::string_view key) const {
  if (maxBytes == 0 || directory.empty())
    return std::nullopt;
  FileDescriptor parent(openDirectory(directory));
  std::string name = getEntryName(key);
  struct stat status;
  if (!parent ||
      ::fstatat(parent.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  // What isn't a plain file isn't ours: no link is followed, and a pipe under
  // this name must not block.
  if (!S_ISREG(status.st_mode)) {
    removeBad(parent.get(), name, status);
    return std::nullopt;
  }
  FileDescriptor file(
      ::openat(parent.get(), name.c_str(),
               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  // An entry that another process with a larger bound keeps is left to it.
  auto bytes = static_cast<uint64_t>(status.st_size);
  if (bytes > maxBytes)
    return std::nullopt;
  std::optional<std::string> payload = readEntry(file.get(), bytes, key);
  if (!payload) {
    removeBad(parent.get(), name, status);
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

  FileDescriptor parent(openOrMakeDirectory(directory));
  if (!parent)
    return fail(ErrorCode::IOError,
                "can't make or open the cache directory '{}': {}", directory,
                describeErrno(errno));
  std::string name = getEntryName(key);
  std::string temporary;
  int fd;
  do {
    temporary = makeTemporaryName(name);
    fd = ::openat(parent.get(), temporary.c_str(),
                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EEXIST);
  FileDescriptor file(fd);
  if (!file)
    return fail(ErrorCode::IOError,
                "can't make a file in the cache directory '{}': {}", directory,
                describeErrno(errno));
  if (!write(file.get(), contents) || !flush(file.get()) || !file.close() ||
      ::renameat(parent.get(), temporary.c_str(), parent.get(), name.c_str()) !=
          0) {
    int error = errno;
    ::unlinkat(parent.get(), temporary.c_str(), 0);
    return fail(ErrorCode::IOError, "can't write the cache entry '{}/{}': {}",
                directory, name, describeErrno(error));
  }
  evict(directory, name, maxBytes);
  return {};
}

void DiskCache::remove(std::string_view key) const {
  if (directory.empty())
    return;
  if (FileDescriptor parent(openDirectory(directory)); parent)
    ::unlinkat(parent.get(), getEntryName(key).c_str(), 0);
}

std::string DiskCache::getDefaultDirectory() {
  // The specification has a relative path ignored. A program with the rights of
  // another user doesn't trust the environment.
  const char *cache = ::secure_getenv("XDG_CACHE_HOME");
  if (cache && cache[0] == '/')
    return fmt::format("{}/carousel", cache);
  const char *home = ::secure_getenv("HOME");
  if (home && home[0] == '/')
    return fmt::format("{}/.cache/carousel", home);
  struct passwd entry, *found = nullptr;
  std::vector<char> buffer(16384);
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) ==
          0 &&
      found && found->pw_dir && found->pw_dir[0] == '/')
    return fmt::format("{}/.cache/carousel", found->pw_dir);
  return {};
}

} // namespace carousel::runtime
