//===- DiskCacheStressTest.cpp - processes that die, and clocks that jump -===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several processes store, look up and remove entries in one small cache. They
// are killed at any moment, put directories in the place of entries and of the
// journal, damage the journal, and give files times in the past and in the
// future. The decisions are seeded; the timing of the processes differs from
// run to run.
//
//===----------------------------------------------------------------------===//

#include "Cache/CacheDirectory.h"
#include "Cache/DiskCache.h"
#include "DiskCacheTest.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

using namespace carousel::runtime;
using namespace carousel::runtime::test;
namespace fs = std::filesystem;

namespace {

constexpr uint64_t kBound = 60000;
constexpr int kKeys = 24;

std::string makeKey(int number) { return fmt::format("key {}", number); }

/// Each store of a key has the same payload; three fill a fifth of the cache.
std::string payloadOf(int number) {
  return makePayload(makeKey(number), 500 + number * 250);
}

/// One process of those that share the cache.
class Worker {
public:
  Worker(const std::string &path, uint64_t seed)
      : path(path), cache(path, kBound), random(seed) {}

  /// An exit code: 0 where all that was found was right.
  int run(int steps) {
    for (int step = 0; step < steps; ++step)
      if (int wrong = act(); wrong != 0)
        return wrong;
    return 0;
  }

private:
  int below(int n) { return std::uniform_int_distribution<>(0, n - 1)(random); }

  int act() {
    int key = below(kKeys);
    switch (below(12)) {
    case 0:
      cache.remove(makeKey(key));
      return 0;
    case 1:
      return obstruct();
    case 2:
      return jump();
    case 3:
    case 4:
    case 5:
    case 6: {
      std::optional<std::string> payload = cache.lookup(makeKey(key));
      return payload && *payload != payloadOf(key) ? 1 : 0;
    }
    default:
      // Another process may have put a directory in the way meanwhile.
      (void)cache.store(makeKey(key), payloadOf(key));
      return 0;
    }
  }

  /// Replaces an entry or the journal by a directory, or damages the latter.
  int obstruct() {
    std::error_code ignored;
    std::string journal = path + "/" + UsageJournal::kFile;
    std::string victim = journal;
    std::vector<fs::path> files = listFiles(path);
    if (below(2) == 0 && !files.empty())
      victim = files[below(int(files.size()))].string();
    if (victim == journal && below(2) == 0) {
      std::ofstream(journal, std::ios::app) << "+0000";
      return 0;
    }
    if (fs::path(victim).extension() == ".tmp")
      return 0;
    fs::remove(victim, ignored);
    fs::create_directories(victim + "/below/deeper", ignored);
    return 0;
  }

  /// A clock that was wrong when a file was used.
  int jump() {
    std::vector<fs::path> files = listFiles(path);
    if (files.empty())
      return 0;
    time_t seconds = (below(2) ? 1 : -1) * time_t(below(1 << 20));
    struct timespec times[2] = {{0, UTIME_OMIT},
                                {::time(nullptr) + seconds, 0}};
    ::utimensat(AT_FDCWD, files[below(int(files.size()))].c_str(), times,
                AT_SYMLINK_NOFOLLOW);
    return 0;
  }

  std::string path;
  DiskCache cache;
  std::mt19937_64 random;
};

/// Checks the directory when all processes have ended and one store has tidied
/// up.
void expectSound(const std::string &path) {
  DiskCache cache(path, kBound);
  for (int key = 0; key < kKeys; ++key)
    if (std::optional<std::string> payload = cache.lookup(makeKey(key)))
      EXPECT_EQ(*payload, payloadOf(key)) << key;
  // Counted anew, as after so many changes.
  std::error_code ignored;
  fs::remove_all(path + "/" + UsageJournal::kFile, ignored);
  for (int key = 0; key < kKeys; ++key) {
    ASSERT_TRUE(cache.store(makeKey(key), payloadOf(key))) << key;
    EXPECT_EQ(cache.lookup(makeKey(key)), payloadOf(key)) << key;
  }
  EXPECT_LE(countBytes(path), kBound);
  EXPECT_GE(countBytes(path), kBound / 2) << "too much went";
  for (const fs::path &file : listFiles(path)) {
    EXPECT_TRUE(fs::is_regular_file(file)) << file;
    EXPECT_EQ(file.extension(), ".entry") << "left by a process that died";
  }
  // The journal is what is there.
  int opened = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  EXPECT_EQ(UsageJournal(opened, -1).append(0), countBytes(path));
  ::close(opened);
}

TEST(DiskCacheStress, KilledObstructedAndLate) {
  std::mt19937_64 random(20);
  for (int round = 0; round < 6; ++round) {
    TempDirectory directory;
    std::string path = directory / "cache";
    fs::create_directory(path);
    fs::permissions(path, fs::perms(0700));
    for (int wave = 0; wave < 4; ++wave) {
      std::vector<pid_t> workers;
      for (int i = 0; i < 3; ++i) {
        uint64_t seed = random();
        workers.push_back(
            startProcess([&] { return Worker(path, seed).run(1000); }));
      }
      // In the midst.
      std::this_thread::sleep_for(
          std::chrono::milliseconds(10 + random() % 40));
      for (pid_t worker : workers)
        ::kill(worker, SIGKILL);
      for (pid_t worker : workers) {
        int status = waitFor(worker);
        EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0)
            << "round " << round << ": a process found what wasn't stored";
      }
    }
    SCOPED_TRACE(fmt::format("round {}", round));
    expectSound(path);
  }
}

} // namespace
