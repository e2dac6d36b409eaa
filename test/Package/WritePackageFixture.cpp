//===- WritePackageFixture.cpp - numbered packages, and system calls ------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines the system calls that put a package in place, so that the library
// calls these definitions.
//
//===----------------------------------------------------------------------===//

#include "WritePackageFixture.h"

#include "llvm/Support/JSON.h"

#include <csignal>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace carousel;
using namespace carousel::test;
namespace fs = std::filesystem;

//===----------------------------------------------------------------------===//
// System calls
//===----------------------------------------------------------------------===//

namespace carousel::test {
SystemCalls calls;
} // namespace carousel::test

namespace {
/// Calls the kernel, unless the process is to end before or after it.
template <typename... Arguments>
int callKernel(long number, Arguments... arguments) {
  auto step = [] {
    if (calls.stepsUntilKilled >= 0 && calls.stepsUntilKilled-- == 0)
      ::kill(::getpid(), SIGKILL);
  };
  step();
  auto result = static_cast<int>(::syscall(number, arguments...));
  int error = errno;
  step();
  errno = error;
  return result;
}
} // namespace

extern "C" int fsync(int fd) {
  ++calls.fsyncCount;
  if (calls.fsyncsUntilFailure >= 0 && calls.fsyncsUntilFailure-- == 0) {
    errno = ENOSPC;
    return -1;
  }
  return callKernel(SYS_fsync, fd);
}

extern "C" int renameat(int fromDirectory, const char *from, int toDirectory,
                        const char *to) noexcept {
  return callKernel(SYS_renameat2, fromDirectory, from, toDirectory, to, 0);
}

extern "C" int renameat2(int fromDirectory, const char *from, int toDirectory,
                         const char *to, unsigned flags) noexcept {
  if (calls.exchangeError != 0) {
    errno = calls.exchangeError;
    return -1;
  }
  if (calls.beforeExchange)
    std::exchange(calls.beforeExchange, nullptr)();
  return callKernel(SYS_renameat2, fromDirectory, from, toDirectory, to, flags);
}

extern "C" int unlinkat(int directory, const char *name, int flags) noexcept {
  return callKernel(SYS_unlinkat, directory, name, flags);
}

extern "C" dirent *readdir(DIR *directory) {
  static auto *real =
      reinterpret_cast<dirent *(*)(DIR *)>(::dlsym(RTLD_NEXT, "readdir"));
  dirent *entry = real(directory);
  if (calls.afterFirstEntry)
    std::exchange(calls.afterFirstEntry, nullptr)();
  return entry;
}

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

namespace carousel::test {

std::vector<PackageFile> makePackage(unsigned version) {
  Manifest manifest;
  manifest.producer = std::to_string(version);
  std::vector<PackageFile> files;
  ModuleDescription &module = manifest.modules.emplace_back();
  module.name = "m";
  for (const char *chip : {"sm_80", "sm_90a", "sm_100a"}) {
    std::string contents(1000 + version % 100, static_cast<char>(version));
    contents += chip + std::to_string(version);
    // One of the names changes from version to version.
    std::string name = "m." + std::string(chip) + ".ptx";
    if (files.empty())
      name = std::to_string(version % 3) + name;
    module.images.push_back(
        {chip, "ptx", name, contents.size(), hashContents(contents)});
    files.push_back({name, contents});
  }
  files.push_back({kManifestFile.str(), printManifest(manifest)});
  return files;
}

std::string write(const std::string &directory, unsigned version) {
  llvm::Error error = writePackage(makePackage(version), directory);
  return llvm::toString(std::move(error));
}

static std::optional<std::string> readAt(int directory,
                                         const std::string &name) {
  int fd = ::openat(directory, name.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return std::nullopt;
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = ::read(fd, buffer, sizeof(buffer))) > 0;)
    text.append(buffer, count);
  ::close(fd);
  return text;
}

int readVersion(const std::string &path) {
  int directory = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) {
    ADD_FAILURE() << "no directory " << path;
    return -1;
  }
  int version = -1;
  if (std::optional<std::string> text = readAt(directory, "manifest.json")) {
    llvm::Expected<llvm::json::Value> manifest = llvm::json::parse(*text);
    if (!manifest) {
      ADD_FAILURE() << llvm::toString(manifest.takeError());
      ::close(directory);
      return -1;
    }
    const llvm::json::Object &object = *manifest->getAsObject();
    version = std::stoi(object.getString("producer")->str());
    const llvm::json::Object &module =
        *(*object.getArray("modules"))[0].getAsObject();
    for (const llvm::json::Value &value : *module.getArray("images")) {
      const llvm::json::Object &image = *value.getAsObject();
      std::optional<std::string> contents =
          readAt(directory, image.getString("file")->str());
      if (!contents) {
        version = -1;
        break;
      }
      EXPECT_EQ(hashContents(*contents), image.getString("hash")->str())
          << path << " of version " << version;
    }
  }
  ::close(directory);
  return version;
}

std::vector<std::string> list(const fs::path &directory) {
  std::vector<std::string> names;
  for (const fs::directory_entry &entry : fs::directory_iterator(directory))
    names.push_back(entry.path().filename().string());
  llvm::sort(names);
  return names;
}

} // namespace carousel::test
