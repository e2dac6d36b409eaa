//===- WritePackageTest.cpp - packages appear as a whole ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writers against readers, killed writers, failing and missing system calls.
// The calls that put a package in place are defined here, so that the library's
// come through this file.
//
//===----------------------------------------------------------------------===//

#include "carousel/Package/WritePackage.h"

#include "PackageFixture.h"

#include "carousel/Runtime/Package.h"
#include "llvm/Support/JSON.h"

#include <atomic>
#include <csignal>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace carousel;
using namespace carousel::test;
namespace fs = std::filesystem;

//===----------------------------------------------------------------------===//
// System calls
//===----------------------------------------------------------------------===//

namespace {
std::atomic<int> fsyncsUntilFailure = -1; ///< negative: none fails
std::atomic<int> fsyncCount = 0;
std::atomic<int> exchangeError = 0;
std::function<void()> beforeExchange;
std::function<void()> afterFirstEntry;  ///< of a directory that is listed
std::atomic<int> stepsUntilKilled = -1; ///< negative: not killed

/// Calls the kernel, unless the process is to end before or after it.
template <typename... Arguments>
int callKernel(long number, Arguments... arguments) {
  auto step = [] {
    if (stepsUntilKilled >= 0 && stepsUntilKilled-- == 0)
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
  ++fsyncCount;
  if (fsyncsUntilFailure >= 0 && fsyncsUntilFailure-- == 0) {
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
  if (exchangeError != 0) {
    errno = exchangeError;
    return -1;
  }
  if (beforeExchange)
    std::exchange(beforeExchange, nullptr)();
  return callKernel(SYS_renameat2, fromDirectory, from, toDirectory, to, flags);
}

extern "C" int unlinkat(int directory, const char *name, int flags) noexcept {
  return callKernel(SYS_unlinkat, directory, name, flags);
}

extern "C" dirent *readdir(DIR *directory) {
  static auto *real =
      reinterpret_cast<dirent *(*)(DIR *)>(::dlsym(RTLD_NEXT, "readdir"));
  dirent *entry = real(directory);
  if (afterFirstEntry)
    std::exchange(afterFirstEntry, nullptr)();
  return entry;
}

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

namespace {

/// A package of three images whose contents, sizes and number of the version
/// differ from those of every other version.
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

/// The message, or an empty string.
std::string write(const std::string &directory, unsigned version) {
  llvm::Error error = writePackage(makePackage(version), directory);
  return llvm::toString(std::move(error));
}

std::optional<std::string> readAt(int directory, const std::string &name) {
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

/// The version of the package behind one open directory; -1 where a file is
/// gone. Fails where files don't belong together.
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

class WritePackageTest : public ::testing::Test {
protected:
  ~WritePackageTest() override {
    fsyncsUntilFailure = -1;
    exchangeError = 0;
    beforeExchange = nullptr;
    afterFirstEntry = nullptr;
  }

  void makeFile(const std::string &path, const std::string &text) {
    std::ofstream(path) << text;
  }

  TemporaryDirectory temporary;
  std::string path = temporary / "pkg";
};

//===----------------------------------------------------------------------===//
// One writer
//===----------------------------------------------------------------------===//

TEST_F(WritePackageTest, WritesAndReplaces) {
  ASSERT_EQ(write(path, 1), "");
  EXPECT_EQ(readVersion(path), 1);
  ASSERT_EQ(write(path, 2), "");
  EXPECT_EQ(readVersion(path), 2);
  EXPECT_EQ(list(path),
            std::vector<std::string>({"2m.sm_80.ptx", "m.sm_100a.ptx",
                                      "m.sm_90a.ptx", "manifest.json"}));
  EXPECT_EQ(list(temporary.path), std::vector<std::string>({"pkg"}));
}

TEST_F(WritePackageTest, FlushesFilesAndBothDirectories) {
  fsyncCount = 0;
  ASSERT_EQ(write(path, 1), "");
  EXPECT_EQ(fsyncCount, 4 + 2);
}

TEST_F(WritePackageTest, NamesMayBeLongAndRelative) {
  std::string name(255, 'n');
  ASSERT_EQ(write(temporary / name, 1), "");
  ASSERT_EQ(write((temporary / name) + "//", 2), "");
  EXPECT_EQ(readVersion(temporary / name), 2);
  std::string longer = temporary / (name + "n");
  EXPECT_EQ(write(longer, 1),
            "can't open the directory '" + longer + "': File name too long");
  fs::path before = fs::current_path();
  fs::current_path(temporary.path);
  EXPECT_EQ(write("relative", 3), "");
  fs::current_path(before);
  EXPECT_EQ(readVersion(temporary / "relative"), 3);
}

TEST_F(WritePackageTest, RefusesFilesThatAreNone) {
  auto check = [&](std::vector<PackageFile> files) {
    return llvm::toString(writePackage(files, path));
  };
  EXPECT_EQ(check({{"a", ""}}),
            "expected manifest.json among the files of a package, got none");
  EXPECT_EQ(check({{"manifest.json", ""}, {"../a", ""}}),
            "expected the name of a file in a package, got '../a'");
  EXPECT_EQ(check({{"manifest.json", ""}, {"..", ""}}),
            "expected the name of a file in a package, got '..'");
  EXPECT_EQ(check({{"manifest.json", ""}, {"", ""}}),
            "expected the name of a file in a package, got ''");
  EXPECT_EQ(check({{"manifest.json", ""}, {"a", ""}, {"a", ""}}),
            "expected each file of a package once, got 'a' twice");
  EXPECT_EQ(list(temporary.path), std::vector<std::string>());
}

TEST_F(WritePackageTest, RefusesPlacesThatAreNone) {
  for (const char *place : {"", ".", "..", "/", "//"})
    EXPECT_EQ(write(place, 1), std::string("expected the name of a directory "
                                           "that can be replaced, got '") +
                                   place + "'");
  makeFile(temporary / "file", "text");
  EXPECT_EQ(write(temporary / "file/pkg", 1), "can't open the directory '" +
                                                  (temporary / "file") +
                                                  "': Not a directory");
  fs::create_symlink("nowhere", temporary / "link");
  EXPECT_EQ(write(temporary / "link", 1), "can't follow the symbolic link '" +
                                              (temporary / "link") +
                                              "': No such file or directory");
}

// What looks like a package at first sight only is not lost.
TEST_F(WritePackageTest, RefusesWhatIsNoPackage) {
  auto expectRefused = [&](const std::string &manifest) {
    fs::remove_all(path);
    fs::create_directory(path);
    makeFile(path + "/manifest.json", manifest);
    EXPECT_EQ(write(path, 1), "expected '" + path +
                                  "' to be a package, empty or absent, got a "
                                  "directory that holds 'manifest.json'")
        << manifest;
    EXPECT_EQ(list(path), std::vector<std::string>({"manifest.json"}));
  };
  expectRefused("");
  expectRefused("{");
  expectRefused("[]");
  expectRefused("{}");
  expectRefused(R"({"format": 1})");
  expectRefused(R"({"format": "other"})");
  expectRefused(std::string(1 << 20, '['));

  fs::remove_all(path);
  fs::create_directories(path + "/manifest.json");
  EXPECT_NE(write(path, 1), "");
  fs::remove_all(path);
  ASSERT_EQ(write(path, 1), "");
  fs::create_directory(path + "/mine");
  EXPECT_EQ(write(path, 2),
            "expected nothing but a package in '" + path +
                "', got 'mine', which its manifest doesn't name");
  EXPECT_EQ(readVersion(path), 1);
  // Nor when the manifest names it.
  fs::remove_all(path);
  fs::create_directories(path + "/mine");
  makeFile(path + "/manifest.json", R"({"format": "carousel-package",
      "modules": [{"images": [{"file": "mine"}]}]})");
  EXPECT_EQ(write(path, 2), "expected nothing but a package in '" + path +
                                "', got the directory 'mine'");
}

// A pipe of that name doesn't hang the writer.
TEST_F(WritePackageTest, RefusesAPipe) {
  fs::create_directory(path);
  ASSERT_EQ(::mkfifo((path + "/manifest.json").c_str(), 0600), 0);
  EXPECT_NE(write(path, 1), "");
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

TEST_F(WritePackageTest, FailureLeavesTheOlderPackageAndNoSibling) {
  ASSERT_EQ(write(path, 1), "");
  for (int call = 0; call < 5; ++call) {
    fsyncsUntilFailure = call;
    std::string message = write(path, 2);
    EXPECT_NE(message.find("can't flush '"), std::string::npos) << message;
    EXPECT_NE(message.find("': No space left on device"), std::string::npos)
        << message;
    EXPECT_EQ(readVersion(path), 1);
    EXPECT_EQ(list(temporary.path), std::vector<std::string>({"pkg"}));
  }
  fsyncsUntilFailure = -1;
  EXPECT_EQ(write(path, 2), "");
}

TEST_F(WritePackageTest, NeedsExchangeOnlyToReplace) {
  for (int code : {EINVAL, ENOSYS, EOPNOTSUPP}) {
    fs::remove_all(path);
    exchangeError = code;
    ASSERT_EQ(write(path, 1), "");
    EXPECT_EQ(write(path, 2),
              "expected a file system that can exchange directories to "
              "replace '" +
                  path + "', got one that can't; remove '" + path + "' first");
    EXPECT_EQ(readVersion(path), 1);
  }
  exchangeError = EACCES;
  EXPECT_EQ(write(path, 2), "can't replace '" + path + "': Permission denied");
  EXPECT_EQ(readVersion(path), 1);
  EXPECT_EQ(list(temporary.path), std::vector<std::string>({"pkg"}));
}

// Between the check and the exchange somebody else comes in.
TEST_F(WritePackageTest, GivesBackWhatIsNoPackage) {
  ASSERT_EQ(write(path, 1), "");
  beforeExchange = [&] {
    fs::remove_all(path);
    fs::create_directory(path);
    makeFile(path + "/thesis.txt", "years of work");
  };
  EXPECT_EQ(write(path, 2), "expected '" + path +
                                "' to be a package, empty or absent, got a "
                                "directory that holds 'thesis.txt'");
  EXPECT_EQ(list(path), std::vector<std::string>({"thesis.txt"}));
  EXPECT_EQ(list(temporary.path), std::vector<std::string>({"pkg"}));
}

TEST_F(WritePackageTest, TriesAgainWhereThePackageIsGone) {
  ASSERT_EQ(write(path, 1), "");
  beforeExchange = [&] { fs::remove_all(path); };
  EXPECT_EQ(write(path, 2), "");
  EXPECT_EQ(readVersion(path), 2);
  EXPECT_EQ(list(temporary.path), std::vector<std::string>({"pkg"}));
}

// Another writer replaces the package while it is looked at, and empties the
// directory that was opened.
TEST_F(WritePackageTest, LooksAgainWhereThePackageWasReplaced) {
  ASSERT_EQ(write(path, 1), "");
  bool replaced = false;
  afterFirstEntry = [&] {
    EXPECT_EQ(write(path, 2), "");
    replaced = true;
  };
  EXPECT_EQ(write(path, 3), "");
  EXPECT_TRUE(replaced);
  EXPECT_EQ(readVersion(path), 3);
  EXPECT_EQ(list(temporary.path), std::vector<std::string>({"pkg"}));
}

//===----------------------------------------------------------------------===//
// Several at once
//===----------------------------------------------------------------------===//

TEST_F(WritePackageTest, ReadersSeeWholePackages) {
  constexpr unsigned kVersions = 200;
  ASSERT_EQ(write(path, 0), "");
  std::atomic<bool> done = false;
  std::atomic<unsigned> whole = 0, changes = 0, opened = 0;
  std::thread ours([&] {
    for (int last = -1; !done;) {
      int version = readVersion(path);
      if (version < 0)
        continue; // replaced meanwhile: open it again
      ++whole;
      changes += version != last;
      EXPECT_GE(version, last);
      last = version;
    }
  });
  std::thread runtimes([&] {
    while (!done) {
      auto package = runtime::Package::open(path);
      EXPECT_TRUE(package) << package.error().message;
      ++opened;
    }
  });
  for (unsigned version = 1; version <= kVersions; ++version)
    EXPECT_EQ(write(path, version), "");
  // On a slow machine the readers may not have had their turn.
  while (whole < 2 || opened < 2)
    std::this_thread::yield();
  done = true;
  ours.join();
  runtimes.join();
  EXPECT_GT(changes, 1u);
  EXPECT_EQ(readVersion(path), static_cast<int>(kVersions));
  EXPECT_EQ(list(temporary.path), std::vector<std::string>({"pkg"}));
}

TEST_F(WritePackageTest, WritersDoNotMeet) {
  std::vector<std::thread> writers;
  for (unsigned writer = 0; writer < 6; ++writer)
    writers.emplace_back([&, writer] {
      for (unsigned i = 0; i < 50; ++i)
        EXPECT_EQ(write(path, 1000 * writer + i), "");
    });
  for (std::thread &writer : writers)
    writer.join();
  EXPECT_EQ(readVersion(path) % 1000, 49);
  EXPECT_EQ(list(temporary.path), std::vector<std::string>({"pkg"}));
}

// What a killed writer left goes with the next write, and nothing else does.
TEST_F(WritePackageTest, RemovesWhatKilledWritersLeft) {
  ASSERT_EQ(write(path, 1), "");
  for (int steps = 0; steps < 12; ++steps) {
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      stepsUntilKilled = steps;
      ::_exit(write(path, 2).empty() ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
  }
  // Somebody's, though the name is a writer's.
  fs::create_directory(temporary / ".pkg.tmp-1-0");
  makeFile(temporary / ".pkg.tmp-1-0/notes.txt", "mine");
  fs::create_directory(temporary / ".pkg.tmp-1-1"); // empty
  fs::create_directory(temporary / ".other.tmp-1-0");
  fs::create_directory(temporary / ".pkg.tmp-mine");
  ASSERT_EQ(write(path, 3), "");
  EXPECT_EQ(readVersion(path), 3);
  EXPECT_EQ(list(temporary.path),
            std::vector<std::string>(
                {".other.tmp-1-0", ".pkg.tmp-1-0", ".pkg.tmp-mine", "pkg"}));
}

TEST_F(WritePackageTest, AWriterThatIsAtWorkKeepsItsSibling) {
  ASSERT_EQ(write(path, 1), "");
  // The second writes while the first has all but exchanged.
  beforeExchange = [&] { EXPECT_EQ(write(path, 2), ""); };
  EXPECT_EQ(write(path, 3), "");
  EXPECT_EQ(readVersion(path), 3);
  EXPECT_EQ(list(temporary.path), std::vector<std::string>({"pkg"}));
}

TEST_F(WritePackageTest, Interrupted) {
  ASSERT_EQ(write(path, 1), "");
  int asked = 0;
  llvm::Error error =
      writePackage(makePackage(2), path, [&] { return ++asked == 3; });
  EXPECT_EQ(llvm::toString(std::move(error)),
            "interrupted before '" + path + "' was written");
  EXPECT_EQ(readVersion(path), 1);
  EXPECT_EQ(list(temporary.path), std::vector<std::string>({"pkg"}));
}

// The writer is killed at each of its steps in turn, until there are no more.
TEST_F(WritePackageTest, KilledWriterLeavesAWholePackage) {
  for (bool isFirst : {false, true}) {
    int untouched = 0, replaced = 0, siblings = 0;
    for (bool finished = false; !finished;) {
      ASSERT_LT(untouched + replaced, 100);
      fs::remove_all(path);
      if (!isFirst)
        ASSERT_EQ(write(path, 1), "");
      pid_t child = ::fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        stepsUntilKilled = untouched + replaced;
        ::_exit(write(path, 2).empty() ? 0 : 1);
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      finished = WIFEXITED(status);
      ASSERT_TRUE(!finished || WEXITSTATUS(status) == 0) << "the write failed";

      if (isFirst && !finished && !fs::exists(path)) {
        ++untouched;
        EXPECT_EQ(replaced, 0);
      } else if (int version = readVersion(path); version == 2) {
        ++replaced;
      } else {
        ++untouched;
        EXPECT_EQ(version, isFirst ? 2 : 1);
        EXPECT_EQ(replaced, 0);
      }
      std::string prefix = ".pkg.tmp-" + std::to_string(child) + "-";
      for (const std::string &name : list(temporary.path)) {
        if (name == "pkg")
          continue;
        EXPECT_FALSE(finished);
        EXPECT_EQ(name.substr(0, prefix.size()), prefix);
        ++siblings;
        fs::remove_all(temporary / name);
      }
    }
    // Files, directory and rename; what is behind the rename, and the end.
    EXPECT_GE(untouched, 2 * 5);
    EXPECT_GE(replaced, 3);
    EXPECT_GE(siblings, 2 * 5);
  }
}

} // namespace
