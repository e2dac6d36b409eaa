//===- CacheDirectory.cpp - where the cache is ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens a path element by element, each relative to the one before, so that the
// directory checked is the directory used. Each element must belong to the user
// or to root. If others can write to an element, its sticky bit must keep them
// from replacing files of the user, as in /tmp.
//
// A program that runs with another user's rights than its caller ignores the
// environment.
//
//===----------------------------------------------------------------------===//

#include "CacheDirectory.h"

#include "Support/FileDescriptor.h"
#include "Support/User.h"

#include "carousel/Runtime/Fail.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <pwd.h>
#include <set>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

namespace carousel::runtime {

namespace {

constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;
constexpr int kMaxLinks = 40; // as the kernel
constexpr std::string_view kTemporarySuffix = ".tmp";

std::deque<std::string> split(const std::string &path) {
  std::deque<std::string> elements;
  for (size_t begin = 0; begin < path.size();) {
    size_t end = std::min(path.find('/', begin), path.size());
    if (end != begin)
      elements.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return elements;
}

/// A walk from the root to a directory.
class Walk {
public:
  explicit Walk(const std::string &path) : path(path) {}
  Result<int> run(bool make);

private:
  Status enter(const std::string &element, bool make);
  Status follow(const std::string &element);
  Status check(const struct stat &status, const std::string &what,
               bool isLast) const;
  /// Fails to open, with the reason as errno.
  tl::unexpected<Error> failToOpen() const;
  tl::unexpected<Error> distrust(std::string reason) const;

  const std::string &path;
  std::deque<std::string> elements;
  FileDescriptor here{-1};
  /// The name of `here`.
  std::string where;
  int links = 0;
};

tl::unexpected<Error> Walk::failToOpen() const {
  int error = errno;
  return fail(error == ENOENT ? ErrorCode::NotFound : ErrorCode::IOError,
              "can't make or open the cache directory '{}': {}", path,
              describeErrno(error));
}

tl::unexpected<Error> Walk::distrust(std::string reason) const {
  tl::unexpected<Error> error =
      fail(ErrorCode::IOError, "the compilation cache '{}' isn't used: {}",
           path, reason);
  sayOnce(error.value().message);
  return error;
}

Status Walk::check(const struct stat &status, const std::string &what,
                   bool isLast) const {
  uid_t user = ::geteuid();
  if (status.st_uid != user && (isLast || status.st_uid != 0))
    return distrust(fmt::format(
        "expected '{}' to belong to user {}{}, got user {}", what, user,
        isLast || user == 0 ? "" : " or to root", status.st_uid));
  bool isSticky = !isLast && (status.st_mode & S_ISVTX);
  if (!S_ISLNK(status.st_mode) && (status.st_mode & kWritableByOthers) &&
      !isSticky)
    return distrust(
        fmt::format("expected '{}' to be writable by its owner only, got mode "
                    "{:o}",
                    what, status.st_mode & 07777));
  return {};
}

/// Puts what a link says in its place.
Status Walk::follow(const std::string &element) {
  std::string target(4096, '\0');
  ssize_t size =
      ::readlinkat(here.get(), element.c_str(), target.data(), target.size());
  if (size < 0)
    return failToOpen();
  errno = ELOOP;
  if (++links > kMaxLinks || static_cast<size_t>(size) == target.size())
    return failToOpen();
  target.resize(static_cast<size_t>(size));
  std::deque<std::string> more = split(target);
  elements.insert(elements.begin(), more.begin(), more.end());
  if (target.front() == '/') {
    here.reset(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    where.clear();
  }
  return here ? Status() : failToOpen();
}

Status Walk::enter(const std::string &element, bool make) {
  std::string what = where + "/" + element;
  struct stat status;
  int found =
      ::fstatat(here.get(), element.c_str(), &status, AT_SYMLINK_NOFOLLOW);
  if (found != 0 && errno == ENOENT && make) {
    if (::mkdirat(here.get(), element.c_str(), 0700) != 0 && errno != EEXIST)
      return failToOpen();
    found =
        ::fstatat(here.get(), element.c_str(), &status, AT_SYMLINK_NOFOLLOW);
  }
  if (found != 0)
    return failToOpen();
  if (S_ISLNK(status.st_mode)) {
    CAROUSEL_TRY(check(status, what, /*isLast=*/false));
    return follow(element);
  }
  FileDescriptor next(::openat(here.get(), element.c_str(),
                               O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!next || ::fstat(next.get(), &status) != 0)
    return failToOpen();
  here.reset(next.release());
  where = std::move(what);
  return check(status, where, elements.empty());
}

Result<int> Walk::run(bool make) {
  if (Status user = checkOwnUser(); !user)
    return distrust(user.error().message);
  std::error_code error;
  elements = split(std::filesystem::absolute(path, error).string());
  here.reset(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat status;
  if (error || !here || ::fstat(here.get(), &status) != 0)
    return failToOpen();
  CAROUSEL_TRY(check(status, "/", elements.empty()));
  while (!elements.empty()) {
    std::string element = std::move(elements.front());
    elements.pop_front();
    if (element == ".")
      continue;
    CAROUSEL_TRY(enter(element, make));
  }
  // So far it only has a name.
  int opened = ::openat(here.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0)
    return failToOpen();
  return opened;
}

} // namespace

Result<int> openOwnDirectory(const std::string &path, bool make) {
  return Walk(path).run(make);
}

Result<int> openOwnDirectory(int parent, const std::string &name) {
  struct stat status;
  (void)::mkdirat(parent, name.c_str(), 0700);
  FileDescriptor opened(::openat(
      parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened || ::fstat(opened.get(), &status) != 0 ||
      status.st_uid != ::geteuid() || (status.st_mode & kWritableByOthers))
    return fail(ErrorCode::IOError,
                "can't make or open the directory '{}' of the cache: {}", name,
                opened ? "others can write to it" : describeErrno(errno));
  return opened.release();
}

std::vector<std::string> listNames(int directory) {
  std::vector<std::string> names;
  int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = copy < 0 ? nullptr : ::fdopendir(copy);
  if (!stream) {
    FileDescriptor closed(copy);
    return names;
  }
  while (const struct dirent *item = ::readdir(stream))
    names.emplace_back(item->d_name);
  ::closedir(stream);
  return names;
}

/// Removes as long as there are descriptors for one more level.
static void removeBelow(int parent, const std::string &name, unsigned levels) {
  if (::unlinkat(parent, name.c_str(), 0) == 0 ||
      ::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0 || levels == 0)
    return;
  FileDescriptor directory(::openat(
      parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory)
    return;
  for (const std::string &below : listNames(directory.get()))
    if (below != "." && below != "..")
      removeBelow(directory.get(), below, levels - 1);
  ::unlinkat(parent, name.c_str(), AT_REMOVEDIR);
}

void removeTree(int parent, const std::string &name) {
  constexpr unsigned kMaxLevels = 64;
  removeBelow(parent, name, kMaxLevels);
}

void removeDirectory(int parent, const std::string &name, int temporaries) {
  if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0)
    return;
  FileDescriptor directory(::openat(
      parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory)
    return;
  // Held while it is removed, so that others leave it alone.
  (void)::flock(directory.get(), LOCK_EX | LOCK_NB);
  std::string aside = makeTemporaryName("directory");
  if (::renameat(parent, name.c_str(), temporaries, aside.c_str()) == 0)
    removeTree(temporaries, aside);
}

void sayOnce(const std::string &message) {
  static std::mutex mutex;
  static auto *said = new std::set<std::string>();
  std::lock_guard<std::mutex> lock(mutex);
  if (said->insert(message).second)
    std::fprintf(stderr, "carousel: %s\n", message.c_str());
}

std::string makeTemporaryName(std::string_view start) {
  static std::atomic<uint64_t> counter = 0;
  uint64_t random = 0;
  if (::getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
    random = static_cast<uint64_t>(::clock());
  return fmt::format("{}.{}-{}-{:016x}{}", start, ::getpid(),
                     counter.fetch_add(1, std::memory_order_relaxed), random,
                     kTemporarySuffix);
}

bool isTemporaryName(std::string_view name) {
  return name.size() > kTemporarySuffix.size() &&
         name.substr(name.size() - kTemporarySuffix.size()) == kTemporarySuffix;
}

bool isOwnFile(const struct stat &status) {
  return S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
         !(status.st_mode & kWritableByOthers);
}

uint64_t countBytes(const struct stat &status) {
  constexpr uint64_t kSector = 512, kInline = 4096;
  auto size = static_cast<uint64_t>(status.st_size);
  uint64_t stored = static_cast<uint64_t>(status.st_blocks) * kSector;
  return size <= stored + kInline ? size : stored;
}

namespace {

constexpr uint64_t kDefaultBytes = uint64_t(1) << 30;

/// Empty where it isn't set, too.
std::string_view getVariable(const char *name) {
  const char *value = ::secure_getenv(name);
  return value ? value : "";
}

std::string getDefaultDirectory() {
  // The XDG specification has a relative path ignored.
  std::string_view cache = getVariable("XDG_CACHE_HOME");
  if (cache.substr(0, 1) == "/")
    return fmt::format("{}/carousel", cache);
  std::string_view home = getVariable("HOME");
  if (home.substr(0, 1) == "/")
    return fmt::format("{}/.cache/carousel", home);
  struct passwd entry, *found = nullptr;
  std::vector<char> buffer(16384);
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) ==
          0 &&
      found && found->pw_dir && found->pw_dir[0] == '/')
    return fmt::format("{}/.cache/carousel", found->pw_dir);
  return {};
}

Result<std::string> readDirectory() {
  constexpr const char *kName = "CAROUSEL_CACHE_DIR";
  std::string_view value = getVariable(kName);
  if (value.empty())
    return getDefaultDirectory();
  if (value.front() != '/')
    return fail(ErrorCode::InvalidArgument,
                "{}: expected an absolute path, got '{}'", kName, value);
  return std::string(value);
}

Result<uint64_t> readMaxBytes() {
  constexpr const char *kDisable = "CAROUSEL_CACHE_DISABLE";
  constexpr const char *kMaxBytes = "CAROUSEL_CACHE_MAX_BYTES";
  std::string_view disable = getVariable(kDisable);
  if (!disable.empty() && disable != "0" && disable != "1")
    return fail(ErrorCode::InvalidArgument, "{}: expected 0 or 1, got '{}'",
                kDisable, disable);
  std::string_view value = getVariable(kMaxBytes);
  uint64_t bytes = kDefaultBytes;
  const char *end = value.data() + value.size();
  auto [at, error] = std::from_chars(value.data(), end, bytes);
  if (!value.empty() && (error != std::errc() || at != end))
    return fail(ErrorCode::InvalidArgument,
                "{}: expected a number of bytes below 2^64, got '{}'",
                kMaxBytes, value);
  return disable == "1" ? 0 : bytes;
}

} // namespace

Result<CacheOptions> readCacheOptions(const ContextOptions &options) {
  CacheOptions read = {options.cacheDirectory, options.cacheBytes.value_or(0)};
  if (!options.cacheBytes) {
    CAROUSEL_TRY_ASSIGN(read.maxBytes, readMaxBytes());
  }
  if (read.directory.empty() && read.maxBytes != 0) {
    CAROUSEL_TRY_ASSIGN(read.directory, readDirectory());
  }
  return read;
}

} // namespace carousel::runtime
