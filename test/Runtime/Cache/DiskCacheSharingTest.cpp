//===- DiskCacheSharingTest.cpp - a directory that processes share --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Directories that can't be written, full disks, writers that die at any
// moment, and several processes at once.
//
//===----------------------------------------------------------------------===//

#include "DiskCacheTest.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include <grp.h>
#include <sys/resource.h>

using namespace carousel::runtime;
using namespace carousel::runtime::test;
namespace fs = std::filesystem;

namespace {

constexpr uid_t kNobody = 65534;

/// Gives up the rights of root, for whom nothing is unwritable.
void becomeNobody() {
  if (::geteuid() != 0)
    return;
  (void)::setgroups(0, nullptr);
  if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)
    ::_exit(99);
}

TEST(DiskCacheDirectory, IsAFile) {
  TempDirectory directory;
  std::string path = directory / "file";
  writeFile(path, "text");
  for (const std::string &used : {path, path + "/below"}) {
    DiskCache cache(used, kLarge);
    EXPECT_FALSE(cache.lookup("key"));
    Status status = cache.store("key", "payload");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::IOError);
    EXPECT_EQ(status.error().message,
              fmt::format("can't make or open the cache directory '{}': Not a "
                          "directory",
                          used));
  }
  EXPECT_EQ(readFile(path), "text");
}

TEST(DiskCacheDirectory, ReadOnly) {
  TempDirectory directory;
  std::string path = directory / "cache";
  fs::permissions(directory.getPath(), fs::perms(0755));
  ASSERT_TRUE(DiskCache(path, kLarge).store("key", "payload"));
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(path.c_str(), kNobody, kNobody), 0);
    ASSERT_EQ(::chown(onlyFile(path).c_str(), kNobody, kNobody), 0);
  }
  DiskCache cache(path, kLarge);
  fs::permissions(onlyFile(path), fs::perms(0400));
  fs::permissions(path, fs::perms(0500));
  EXPECT_EXITED_WITH_0(waitFor(startProcess([&] {
    becomeNobody();
    if (cache.lookup("key") != "payload")
      return 1;
    Status status = cache.store("other", "payload");
    if (status || status.error().code != ErrorCode::IOError ||
        status.error().message.find(fmt::format(
            "can't make a file in the cache directory '{}': ", path)) != 0)
      return 2;
    DiskCache below(path + "/below", kLarge);
    status = below.store("other", "payload");
    if (status || status.error().message !=
                      fmt::format("can't make or open the cache directory "
                                  "'{}/below': Permission denied",
                                  path))
      return 3;
    return 0;
  })));
  fs::permissions(path, fs::perms(0000));
  EXPECT_EXITED_WITH_0(waitFor(startProcess([&] {
    becomeNobody();
    return cache.lookup("key") ? 1 : cache.store("key", "payload") ? 2 : 0;
  })));
  fs::permissions(path, fs::perms(0755));
}

/// No file of this process may be longer, as if the disk were full there.
void limitFileSize(rlim_t bytes) {
  struct rlimit limit = {bytes, bytes}, none = {0, 0};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::setrlimit(RLIMIT_CORE, &none);
}

TEST(DiskCacheDirectory, FullDisk) {
  TempDirectory directory;
  DiskCache cache(directory.getPath(), kLarge);
  ASSERT_TRUE(cache.store("key", "payload"));
  EXPECT_EXITED_WITH_0(waitFor(startProcess([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    limitFileSize(4096);
    auto fails = [&](const char *key) {
      Status status = cache.store(key, std::string(100000, 'x'));
      return !status && status.error().message.find("': File too large") !=
                            std::string::npos;
    };
    return fails("key") && fails("new") ? 0 : 1;
  })));
  EXPECT_EQ(cache.lookup("key"), "payload");
  EXPECT_EQ(listFiles(directory.getPath()).size(), 1u) << "no file is left";
}

TEST(DiskCacheDirectory, WriterDiesInTheMiddle) {
  TempDirectory directory;
  DiskCache cache(directory.getPath(), kLarge);
  ASSERT_TRUE(cache.store("key", "payload"));
  int status = waitFor(startProcess([&] {
    limitFileSize(4096); // SIGXFSZ kills the writer after 4096 bytes
    return cache.store("key", std::string(100000, 'x')) ? 1 : 2;
  }));
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
  EXPECT_EQ(cache.lookup("key"), "payload");
  ASSERT_EQ(listFiles(directory.getPath()).size(), 2u);
  ASSERT_TRUE(cache.store("key", "another"));
  EXPECT_EQ(cache.lookup("key"), "another");
  EXPECT_EQ(listFiles(directory.getPath()).size(), 1u) << "the next one tidies";
}

TEST(DiskCacheDirectory, WriterIsKilledAnywhere) {
  TempDirectory directory;
  DiskCache cache(directory.getPath(), kLarge);
  auto makeKey = [](int i) { return fmt::format("key {}", i % 3); };
  for (int round = 0; round < 20; ++round) {
    pid_t pid = startProcess([&] {
      for (int i = 0;; ++i)
        if (!cache.store(makeKey(i), makePayload(makeKey(i), 100000)))
          return 1;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(2 + 3 * round % 17));
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    int status = waitFor(pid);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer failed by itself";
    size_t entries = 0, found = 0;
    for (const fs::path &file : listFiles(directory.getPath()))
      entries += file.extension() == ".entry";
    for (int i = 0; i < 3; ++i)
      if (std::optional<std::string> payload = cache.lookup(makeKey(i))) {
        EXPECT_TRUE(*payload == makePayload(makeKey(i), 100000));
        ++found;
      }
    EXPECT_EQ(found, entries) << "an entry was torn";
  }
}

/// Threads of two processes store at once: keys of their own and keys that all
/// of them share. A third process reads: what it sees is right, and what it saw
/// once it sees again.
TEST(DiskCacheConcurrency, NothingLostNothingTorn) {
  TempDirectory directory;
  DiskCache cache(directory / "cache", kLarge);
  constexpr int kProcesses = 2, kThreads = 4, kKeys = 12;
  std::vector<std::string> keys;
  for (int i = 0; i < kKeys; ++i) {
    keys.push_back(fmt::format("shared {}", i));
    for (int process = 0; process < kProcesses; ++process)
      for (int thread = 0; thread < kThreads; ++thread)
        keys.push_back(fmt::format("own {} {} {}", process, thread, i));
  }
  // Payloads have very different sizes, so that tearing would show.
  auto payloadOf = [](const std::string &key) {
    return makePayload(key, std::hash<std::string>()(key) % 90000);
  };

  int done[2];
  ASSERT_EQ(::pipe(done), 0);
  pid_t reader = startProcess([&] {
    ::close(done[1]);
    ::fcntl(done[0], F_SETFL, O_NONBLOCK);
    std::vector<bool> seen(keys.size());
    for (bool last = false;;) {
      char byte;
      last = ::read(done[0], &byte, 1) == 0; // all writers have ended
      for (size_t i = 0; i < keys.size(); ++i) {
        std::optional<std::string> payload = cache.lookup(keys[i]);
        if (payload ? *payload != payloadOf(keys[i]) : seen[i] || last)
          return payload ? 1 : 2;
        seen[i] = payload.has_value();
      }
      if (last)
        return 0;
    }
  });
  std::vector<pid_t> writers;
  for (int process = 0; process < kProcesses; ++process)
    writers.push_back(startProcess([&, process] {
      std::atomic<int> failures = 0;
      std::vector<std::thread> threads;
      for (int thread = 0; thread < kThreads; ++thread)
        threads.emplace_back([&, thread] {
          for (int i = 0; i < kKeys; ++i)
            for (const std::string &key :
                 {fmt::format("own {} {} {}", process, thread, i),
                  fmt::format("shared {}", i)})
              if (!cache.store(key, payloadOf(key)) ||
                  cache.lookup(key) != payloadOf(key))
                ++failures;
        });
      for (std::thread &thread : threads)
        thread.join();
      return failures ? 1 : 0;
    }));
  ::close(done[0]);
  for (pid_t writer : writers)
    EXPECT_EXITED_WITH_0(waitFor(writer));
  ::close(done[1]);
  EXPECT_EXITED_WITH_0(waitFor(reader));
  EXPECT_EQ(listFiles(directory / "cache").size(), keys.size());
}

TEST(DiskCacheConcurrency, EvictionsAtOnce) {
  TempDirectory directory;
  constexpr uint64_t kBound = 40000;
  DiskCache cache(directory.getPath(), kBound);
  std::vector<pid_t> writers;
  for (int process = 0; process < 2; ++process)
    writers.push_back(startProcess([&, process] {
      for (int i = 0; i < 100; ++i) {
        std::string key = fmt::format("{} {}", process, i);
        if (!cache.store(key, makePayload(key, 1000 + i * 20)))
          return 1;
        std::string other = fmt::format("{} {}", 1 - process, i / 2);
        std::optional<std::string> payload = cache.lookup(other);
        if (payload && *payload != makePayload(other, 1000 + i / 2 * 20))
          return 2;
      }
      return 0;
    }));
  for (pid_t writer : writers)
    EXPECT_EXITED_WITH_0(waitFor(writer));
  EXPECT_LE(countBytes(directory.getPath()), kBound);
  EXPECT_GE(countBytes(directory.getPath()), kBound / 2) << "too much went";
}

} // namespace
