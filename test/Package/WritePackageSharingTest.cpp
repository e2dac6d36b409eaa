//===- WritePackageSharingTest.cpp - writers and readers of one place -----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writers against readers and against each other, and writers that are killed
// or interrupted.
//
//===----------------------------------------------------------------------===//

#include "WritePackageFixture.h"

#include "carousel/Runtime/Package.h"

#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace carousel;
using namespace carousel::test;
namespace fs = std::filesystem;

namespace {

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

// The next write removes the files of a killed writer, and no others.
TEST_F(WritePackageTest, RemovesWhatKilledWritersLeft) {
  ASSERT_EQ(write(path, 1), "");
  for (int steps = 0; steps < 12; ++steps) {
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      calls.stepsUntilKilled = steps;
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

// A tuner is no other owner of the directory.
TEST_F(WritePackageTest, ReplacesWhatKilledTunersLeft) {
  ASSERT_EQ(write(path, 1), "");
  makeFile(path + "/manifest.json.12-0.tmp", "{");
  EXPECT_EQ(write(path, 2), "");
  EXPECT_EQ(readVersion(path), 2);
  EXPECT_EQ(list(temporary.path), std::vector<std::string>({"pkg"}));
  for (std::string name : {"manifest.json.tmp", "manifest.json.1-.tmp",
                           "manifest.json.a-1.tmp", "manifest.json.1-2"}) {
    makeFile(path + "/" + name, "mine");
    EXPECT_NE(write(path, 3), "") << name;
    fs::remove(path + "/" + name);
  }
}

TEST_F(WritePackageTest, AWriterThatIsAtWorkKeepsItsSibling) {
  ASSERT_EQ(write(path, 1), "");
  // The second writes while the first has all but exchanged.
  calls.beforeExchange = [&] { EXPECT_EQ(write(path, 2), ""); };
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
        calls.stepsUntilKilled = untouched + replaced;
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
