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

#include "carousel/Package/DescribePackage.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace llvm;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Directories that hold packages
//
// Finds the directory for a package, checks what it holds, and removes it. All
// calls use file descriptors. So a check and the change after it see the same
// directory, even if another process renames directories meanwhile. A directory
// may be replaced and removed only if its manifest names every file in it.
// Other files belong to the user and must not be lost.
//===----------------------------------------------------------------------===//

namespace {

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

} // namespace

/// Repeats a system call that a signal interrupted.
template <typename Call> static auto retryCall(Call call) {
  decltype(call()) result;
  do
    result = call();
  while (result < 0 && errno == EINTR);
  return result;
}

static constexpr int kOpenDirectory =
    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Descriptor::~Descriptor() {
  if (fd >= 0)
    ::close(fd);
}

/// "can't DO 'PATH': REASON", with the reason of errno.
static Error makeSystemError(const Twine &action, const Twine &path) {
  std::error_code code(errno, std::generic_category());
  return createStringError(code, "can't " + action + " '" + path +
                                     "': " + code.message());
}

Expected<PackagePlace> PackagePlace::find(StringRef directory) {
  SmallString<256> path(directory);
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  if (sys::fs::is_symlink_file(path)) {
    SmallString<256> target;
    if (std::error_code code = sys::fs::real_path(path, target))
      return createStringError(code, "can't follow the symbolic link '" +
                                         directory + "': " + code.message());
    path = target;
  }
  StringRef name = sys::path::filename(path);
  if (name.empty() || name == "." || name == ".." || name == "/")
    return createStringError("expected the name of a directory that can be "
                             "replaced, got '" +
                             directory + "'");
  std::string parentPath = sys::path::parent_path(path).str();
  if (parentPath.empty())
    parentPath = ".";
  Descriptor parent(retryCall([&] {
    return ::open(parentPath.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }));
  if (!parent)
    return makeSystemError("open the directory", parentPath);
  return PackagePlace{std::move(parent), name.str(), path.str().str(),
                      parentPath};
}

/// The names in the directory `fd`.
static Expected<std::vector<std::string>> readNames(int fd, StringRef path) {
  Descriptor again(
      retryCall([&] { return ::openat(fd, ".", kOpenDirectory); }));
  DIR *stream = again ? ::fdopendir(again.get()) : nullptr;
  if (!stream)
    return makeSystemError("read the directory", path);
  again.release();
  llvm::scope_exit close([&] { ::closedir(stream); });
  std::vector<std::string> names;
  errno = 0;
  while (dirent *entry = ::readdir(stream)) {
    StringRef name = entry->d_name;
    if (name != "." && name != "..")
      names.push_back(name.str());
    errno = 0;
  }
  if (errno != 0)
    return makeSystemError("read the directory", path);
  llvm::sort(names);
  return names;
}

/// The text of the manifest in the directory `fd`, or nothing.
static std::optional<std::string> readManifest(int fd) {
  // The flags let the call not hang on a pipe that has the name.
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  Descriptor file(
      retryCall([&] { return ::openat(fd, kManifestFile.data(), kFlags); }));
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size > static_cast<off_t>(kMaxManifestBytes))
    return std::nullopt;
  std::string text(status.st_size, '\0');
  for (size_t size = 0; size < text.size();) {
    ssize_t count = retryCall([&] {
      return ::read(file.get(), text.data() + size, text.size() - size);
    });
    if (count <= 0)
      return std::nullopt;
    size += count;
  }
  return text;
}

/// The parser recurses; docs/Package.md allows this many levels.
static bool nestsTooDeep(StringRef text) {
  constexpr int kMaxLevels = 256;
  int levels = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size() && levels <= kMaxLevels; ++i) {
    char c = text[i];
    if (c == '"')
      inString = !inString;
    else if (inString)
      i += c == '\\';
    else if (c == '[' || c == '{')
      ++levels;
    else if (c == ']' || c == '}')
      --levels;
  }
  return levels > kMaxLevels;
}

/// The files of the package in the directory `fd`, or nothing if it is none.
static std::optional<StringSet<>> readFileNames(int fd) {
  std::optional<std::string> text = readManifest(fd);
  if (!text || nestsTooDeep(*text))
    return std::nullopt;
  Expected<json::Value> value = json::parse(*text);
  if (!value) {
    consumeError(value.takeError());
    return std::nullopt;
  }
  const json::Object *manifest = value->getAsObject();
  if (!manifest || manifest->getString("format") != StringRef(kManifestFormat))
    return std::nullopt;
  StringSet<> names;
  names.insert(kManifestFile);
  auto forEach = [](const json::Object *object, StringRef list, auto call) {
    if (const json::Array *array = object->getArray(list))
      for (const json::Value &value : *array)
        if (const json::Object *element = value.getAsObject())
          call(element);
  };
  forEach(manifest, "modules", [&](const json::Object *module) {
    forEach(module, "images", [&](const json::Object *image) {
      if (std::optional<StringRef> file = image->getString("file"))
        names.insert(*file);
    });
  });
  if (const json::Object *constants = manifest->getObject("constants"))
    if (std::optional<StringRef> file = constants->getString("file"))
      names.insert(*file);
  return names;
}

static bool isDirectory(int parent, const std::string &file) {
  struct stat status;
  return ::fstatat(parent, file.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(status.st_mode);
}

/// Whether a name is manifest.json.PID-N.tmp. A carousel-tune that is killed
/// leaves it.
static bool isTuners(StringRef name) {
  StringRef numbers = name;
  if (!numbers.consume_front(kManifestFile) || !numbers.consume_front(".") ||
      !numbers.consume_back(".tmp"))
    return false;
  auto isNumber = [](StringRef text) {
    return !text.empty() && llvm::all_of(text, isDigit);
  };
  auto [process, count] = numbers.split('-');
  return isNumber(process) && isNumber(count);
}

/// Checks that the directory `fd` is empty or holds a package and nothing else.
static Error checkContents(int fd, StringRef path) {
  Expected<std::vector<std::string>> entries = readNames(fd, path);
  if (!entries)
    return entries.takeError();
  if (entries->empty())
    return Error::success();
  std::optional<StringSet<>> names = readFileNames(fd);
  if (!names)
    return createStringError("expected '" + path +
                             "' to be a package, empty or absent, got a "
                             "directory that holds '" +
                             entries->front() + "'");
  for (const std::string &entry : *entries) {
    if (!names->contains(entry) && !isTuners(entry))
      return createStringError("expected nothing but a package in '" + path +
                               "', got '" + entry +
                               "', which its manifest doesn't name");
    if (isDirectory(fd, entry))
      return createStringError("expected nothing but a package in '" + path +
                               "', got the directory '" + entry + "'");
  }
  return Error::success();
}

/// Whether `file` in the directory `parent` still is what `fd` was opened for.
static bool isStillThere(int fd, int parent, const std::string &file) {
  struct stat opened, present;
  return ::fstat(fd, &opened) == 0 &&
         ::fstatat(parent, file.c_str(), &present, AT_SYMLINK_NOFOLLOW) == 0 &&
         opened.st_dev == present.st_dev && opened.st_ino == present.st_ino;
}

Error PackagePlace::checkReplaceable(StringRef sibling) const {
  std::string file = sibling.str();
  for (int attempt = 0;; ++attempt) {
    Descriptor fd(retryCall(
        [&] { return ::openat(parent.get(), file.c_str(), kOpenDirectory); }));
    if (!fd && errno == ENOENT)
      return Error::success();
    if (!fd && (errno == ENOTDIR || errno == ELOOP))
      return createStringError(
          "expected '" + path +
          "' to be a package, empty or absent, got a file");
    if (!fd)
      return makeSystemError("open the directory", path);
    Error error = checkContents(fd.get(), path);
    // Another writer may have replaced the package meanwhile, and emptied this
    // directory before our eyes.
    if (!error || attempt == kMaxAttempts ||
        isStillThere(fd.get(), parent.get(), file))
      return error;
    consumeError(std::move(error));
  }
}

Error PackagePlace::remove(StringRef sibling) const {
  std::string file = sibling.str();
  Descriptor fd(retryCall(
      [&] { return ::openat(parent.get(), file.c_str(), kOpenDirectory); }));
  if (!fd && errno == ENOENT)
    return Error::success();
  if (!fd)
    return makeSystemError("open the directory", getSiblingPath(sibling));
  Expected<std::vector<std::string>> entries =
      readNames(fd.get(), getSiblingPath(sibling));
  if (!entries)
    return entries.takeError();
  // Remove the mark of an unfinished package last, so that the next writer
  // recognises the directory if this one is killed here.
  llvm::sort(*entries, [](StringRef left, StringRef right) {
    auto rank = [](StringRef name) {
      int last = name == kUnfinishedFile ? 2 : name == kManifestFile ? 1 : 0;
      return std::pair(last, name);
    };
    return rank(left) < rank(right);
  });
  // Another process may be at it, too, if it takes the directory for abandoned.
  for (const std::string &entry : *entries)
    if (::unlinkat(fd.get(), entry.c_str(), 0) != 0 && errno != ENOENT)
      return makeSystemError("remove", getSiblingPath(sibling) + "/" + entry);
  if (::unlinkat(parent.get(), file.c_str(), AT_REMOVEDIR) != 0 &&
      errno != ENOENT)
    return makeSystemError("remove", getSiblingPath(sibling));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Leftovers of killed writers
//===----------------------------------------------------------------------===//

std::string PackagePlace::getTemporaryStem() const {
  // A name has at most 255 bytes.
  return ("." + StringRef(name).take_front(200) + ".tmp-").str();
}

Descriptor PackagePlace::openLocked(StringRef sibling) const {
  std::string file = sibling.str();
  Descriptor fd(retryCall(
      [&] { return ::openat(parent.get(), file.c_str(), kOpenDirectory); }));
  if (!fd)
    return fd;
  // Where there are no locks, no directory is taken for abandoned.
  (void)retryCall([&] { return ::flock(fd.get(), LOCK_EX); });
  if (!isStillThere(fd.get(), parent.get(), file)) {
    errno = ENOENT;
    return Descriptor(-1);
  }
  return fd;
}

/// Whether a directory holds the files that a killed writer leaves. A directory
/// that a writer has exchanged for the package doesn't.
static bool isWriters(int fd, const std::vector<std::string> &entries) {
  if (entries.empty() || is_contained(entries, kUnfinishedFile))
    return llvm::none_of(entries, [&](const std::string &entry) {
      return isDirectory(fd, entry);
    });
  Error error = checkContents(fd, "");
  bool isPackage = !error;
  consumeError(std::move(error));
  return isPackage;
}

void PackagePlace::removeAbandoned() const {
  Expected<std::vector<std::string>> names =
      readNames(parent.get(), parentPath);
  if (!names)
    return consumeError(names.takeError());
  std::string stem = getTemporaryStem();
  for (const std::string &sibling : *names) {
    StringRef rest = sibling;
    if (!rest.consume_front(stem) || rest.empty() ||
        !llvm::all_of(rest, [](char c) { return isDigit(c) || c == '-'; }))
      continue;
    Descriptor fd(retryCall([&] {
      return ::openat(parent.get(), sibling.c_str(), kOpenDirectory);
    }));
    struct stat status;
    if (!fd || ::fstat(fd.get(), &status) != 0 ||
        status.st_uid != ::geteuid() ||
        ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0)
      continue;
    Expected<std::vector<std::string>> entries = readNames(fd.get(), sibling);
    if (!entries)
      consumeError(entries.takeError());
    else if (isWriters(fd.get(), *entries))
      consumeError(remove(sibling));
  }
}

//===----------------------------------------------------------------------===//
// Packages on disk
//===----------------------------------------------------------------------===//

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
