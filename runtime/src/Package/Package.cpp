//===- Package.cpp - an opened package ------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Package.h. All files are opened relative to one descriptor of the
// directory. It refers to the same directory even if another one replaces it at
// its path. If files of it have been removed by then, the path is opened again.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Package.h"

#include "Support/FileDescriptor.h"
#include "Support/Hash.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

namespace carousel::runtime {

namespace {
class Directory;
} // namespace

struct Package::Impl {
  std::string directory;
  std::string manifestText;
  Manifest manifest;
  /// The contents of each image of each module.
  std::vector<std::vector<std::string>> contents;
  /// The constants of all programs; the file is held open, as it isn't read
  /// before a program needs it.
  std::unique_ptr<FileDescriptor> constants;
  std::map<std::string_view, const KernelInfo *> kernels;
  std::map<std::string_view, const ProgramInfo *> programs;

  static Result<Impl> read(const Directory &opened,
                           const std::string &directory);
};

namespace {
/// The directory that a path names, held open.
class Directory {
public:
  explicit Directory(const std::string &path)
      : path(path),
        descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
        error(errno) {}

  Status check() const {
    if (descriptor)
      return {};
    if (error == ENOENT)
      return fail(ErrorCode::NotFound,
                  "expected a package directory, got '{}', which isn't there",
                  path);
    if (error == ENOTDIR)
      return fail(ErrorCode::InvalidPackage,
                  "expected a package directory, got '{}', which is no "
                  "directory",
                  path);
    return fail(ErrorCode::IOError,
                "expected a package directory, got '{}', which can't be "
                "opened: {}",
                path, describeErrno(error));
  }

  /// Whether the path names another directory by now, or none.
  bool isReplaced() const {
    struct stat held, named;
    return fstat(descriptor.get(), &held) != 0 ||
           stat(path.c_str(), &named) != 0 || held.st_dev != named.st_dev ||
           held.st_ino != named.st_ino;
  }

  bool has(const std::string &file) const {
    struct stat ignored;
    return fstatat(descriptor.get(), file.c_str(), &ignored,
                   AT_SYMLINK_NOFOLLOW) == 0;
  }

  /// A regular file of `least` to `most` bytes, and its size.
  struct File {
    std::unique_ptr<FileDescriptor> descriptor;
    uint64_t bytes = 0;
  };
  Result<File> openFile(const std::string &file, uint64_t least,
                        uint64_t most) const;
  /// The whole of such a file.
  Result<std::string> read(const std::string &file, uint64_t least,
                           uint64_t most) const;

private:
  std::string path;
  FileDescriptor descriptor;
  int error;
};

Result<Directory::File> Directory::openFile(const std::string &file,
                                            uint64_t least,
                                            uint64_t most) const {
  std::string name = path + "/" + file;
  // Not blocking: opening a pipe would wait for a writer.
  auto opened = std::make_unique<FileDescriptor>(
      openat(descriptor.get(), file.c_str(),
             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!*opened) {
    if (errno == ENOENT)
      return fail(ErrorCode::InvalidPackage,
                  "{}: expected the file that the manifest names, got none",
                  name);
    // A link, a socket, a device without a driver.
    if (errno == ELOOP || errno == ENXIO || errno == ENODEV)
      return fail(ErrorCode::InvalidPackage,
                  "{}: expected a regular file, got something else", name);
    return fail(ErrorCode::IOError, "{}: expected a readable file, got: {}",
                name, describeErrno(errno));
  }
  struct stat status;
  if (fstat(opened->get(), &status) != 0)
    return fail(ErrorCode::IOError, "{}: expected a readable file, got: {}",
                name, describeErrno(errno));
  if (!S_ISREG(status.st_mode))
    return fail(ErrorCode::InvalidPackage,
                "{}: expected a regular file, got something else", name);
  uint64_t size = static_cast<uint64_t>(status.st_size);
  if (size < least || size > most)
    return fail(ErrorCode::InvalidPackage, "{}: expected {}{} bytes, got {}",
                name, least == most ? "" : "at most ", most, size);
  return File{std::move(opened), size};
}

/// `count` bytes from `offset` on of an open file that should have `size`.
Status readPart(const FileDescriptor &file, const std::string &name, char *to,
                uint64_t count, uint64_t offset, uint64_t size) {
  for (uint64_t done = 0; done < count;) {
    ssize_t got = pread(file.get(), to + done, count - done,
                        static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fail(ErrorCode::IOError, "{}: expected a readable file, got: {}",
                  name, describeErrno(errno));
    if (got == 0)
      return fail(ErrorCode::InvalidPackage,
                  "{}: expected {} bytes, got {}, as the file shrank", name,
                  size, offset + done);
    done += static_cast<uint64_t>(got);
  }
  return {};
}

Result<std::string> Directory::read(const std::string &file, uint64_t least,
                                    uint64_t most) const {
  CAROUSEL_TRY_ASSIGN(File opened, openFile(file, least, most));
  std::string contents(opened.bytes, '\0');
  CAROUSEL_TRY(readPart(*opened.descriptor, path + "/" + file, contents.data(),
                        contents.size(), 0, contents.size()));
  return contents;
}

constexpr const char *kManifestFile = "manifest.json";

Result<std::string> readManifest(const Directory &directory,
                                 const std::string &path) {
  if (!directory.has(kManifestFile))
    return fail(ErrorCode::InvalidPackage,
                "expected a package, got '{}', which has no {}", path,
                kManifestFile);
  return directory.read(kManifestFile, 0, kMaxManifestBytes);
}

/// `info`: an Image or a ConstantFile.
template <typename Info>
Status checkHash(const std::string &hash, const std::string &path,
                 const Info &info) {
  if (hash == info.hash)
    return {};
  return fail(ErrorCode::InvalidPackage,
              "{}/{}: expected contents with the hash {}, got {}", path,
              info.file, info.hash, hash);
}

Result<std::string> readImage(const Directory &directory,
                              const std::string &path, const Image &image) {
  CAROUSEL_TRY_ASSIGN(std::string contents,
                      directory.read(image.file, image.bytes, image.bytes));
  CAROUSEL_TRY(checkHash(hashContents(contents), path, image));
  return contents;
}
} // namespace

Result<Package::Impl> Package::Impl::read(const Directory &opened,
                                          const std::string &directory) {
  Impl impl;
  impl.directory = directory;
  CAROUSEL_TRY_ASSIGN(impl.manifestText, readManifest(opened, directory));
  CAROUSEL_TRY_ASSIGN(impl.manifest,
                      prefixError(parseManifest(impl.manifestText), "{}/{}",
                                  directory, kManifestFile));
  for (const ModuleInfo &module : impl.manifest.modules) {
    std::vector<std::string> &images = impl.contents.emplace_back();
    for (const Image &image : module.images) {
      CAROUSEL_TRY_ASSIGN(std::string contents,
                          readImage(opened, directory, image));
      images.push_back(std::move(contents));
    }
  }
  if (impl.manifest.constants) {
    const ConstantFile &info = *impl.manifest.constants;
    CAROUSEL_TRY_ASSIGN(Directory::File file,
                        opened.openFile(info.file, info.bytes, info.bytes));
    impl.constants = std::move(file.descriptor);
  }
  return impl;
}

Result<Package> Package::open(const std::string &directory) noexcept {
  if (directory.find('\0') != std::string::npos)
    return fail(ErrorCode::InvalidArgument,
                "expected a path without null characters, got '{}'",
                directory.c_str());
  // Each replacement of the package can cost one attempt.
  constexpr int kAttempts = 100;
  for (int attempt = 1;; ++attempt) {
    Directory opened(directory);
    CAROUSEL_TRY(opened.check());
    Result<Impl> impl = Impl::read(opened, directory);
    if (impl) {
      auto shared = std::make_shared<Impl>(std::move(*impl));
      for (const KernelInfo &kernel : shared->manifest.kernels)
        shared->kernels.emplace(kernel.name, &kernel);
      for (const ProgramInfo &program : shared->manifest.programs)
        shared->programs.emplace(program.name, &program);
      return Package(std::move(shared));
    }
    if (attempt == kAttempts || !opened.isReplaced())
      return tl::make_unexpected(std::move(impl.error()));
  }
}

Package::Package(std::shared_ptr<const Impl> impl) : impl(std::move(impl)) {}

const Manifest &Package::getManifest() const noexcept { return impl->manifest; }

const std::string &Package::getManifestText() const noexcept {
  return impl->manifestText;
}

const KernelInfo *Package::findKernel(std::string_view name) const noexcept {
  auto found = impl->kernels.find(name);
  return found == impl->kernels.end() ? nullptr : found->second;
}

const ProgramInfo *Package::findProgram(std::string_view name) const noexcept {
  auto found = impl->programs.find(name);
  return found == impl->programs.end() ? nullptr : found->second;
}

Status Package::readConstants(
    const std::function<Status(uint64_t offset, std::string_view part)> &use)
    const noexcept {
  if (!impl->constants)
    return {};
  const ConstantFile &info = *impl->manifest.constants;
  std::string name = impl->directory + "/" + info.file;
  constexpr uint64_t kPartBytes = 16 << 20;
  std::string part(std::min(info.bytes, kPartBytes), '\0');
  ContentHasher hasher;
  for (uint64_t offset = 0; offset < info.bytes; offset += part.size()) {
    part.resize(std::min(info.bytes - offset, kPartBytes));
    CAROUSEL_TRY(readPart(*impl->constants, name, part.data(), part.size(),
                          offset, info.bytes));
    hasher.add(part);
    CAROUSEL_TRY(use(offset, part));
  }
  return checkHash(hasher.finish(), impl->directory, info);
}

const std::string &Package::getDirectory() const noexcept {
  return impl->directory;
}

std::string_view Package::getContents(uint32_t module,
                                      size_t image) const noexcept {
  assert(module < impl->contents.size() &&
         image < impl->contents[module].size() && "no such image");
  return impl->contents[module][image];
}

} // namespace carousel::runtime
