//===- DiskCacheTest.cpp - round trips and damaged entries of a cache -----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Round trips, every way in which a file can be damaged, and the size limit.
//
//===----------------------------------------------------------------------===//

#include "DiskCacheTest.h"
#include "Cache/DiskCache.h"

#include <fmt/format.h>

#include <sys/file.h>

using namespace carousel::runtime;
using namespace carousel::runtime::test;
namespace fs = std::filesystem;

namespace {

TEST(DiskCache, RoundTrip) {
  TempDirectory directory;
  std::string path = directory / "a/b/cache";
  DiskCache cache(path, kLarge);
  EXPECT_EQ(cache.getDirectory(), path);
  EXPECT_FALSE(cache.lookup("key"));
  EXPECT_FALSE(fs::exists(path)) << "a lookup makes nothing";

  ASSERT_TRUE(cache.store("key", "payload"));
  EXPECT_EQ(cache.lookup("key"), "payload");
  EXPECT_FALSE(cache.lookup("kez"));
  EXPECT_FALSE(cache.lookup("ke"));
  EXPECT_FALSE(cache.lookup("keyp"));

  ASSERT_TRUE(cache.store("key", "another"));
  EXPECT_EQ(cache.lookup("key"), "another");
  EXPECT_EQ(listFiles(path).size(), 1u);
  EXPECT_EQ(DiskCache(path, kLarge).lookup("key"), "another");

  for (const char *made : {"a", "a/b", "a/b/cache"})
    EXPECT_EQ(fs::status(directory / made).permissions(), fs::perms::owner_all);
}

TEST(DiskCache, AnyBytes) {
  TempDirectory directory;
  DiskCache cache(directory.getPath(), kLarge);
  std::string all;
  for (int byte = 0; byte < 256; ++byte)
    all += static_cast<char>(byte);
  std::string large = makePayload("large", 3 << 20);
  ASSERT_TRUE(cache.store("empty", ""));
  ASSERT_TRUE(cache.store("", "no key"));
  ASSERT_TRUE(cache.store(all, all));
  ASSERT_TRUE(cache.store("large", large));
  EXPECT_EQ(cache.lookup("empty"), "");
  EXPECT_EQ(cache.lookup(""), "no key");
  EXPECT_EQ(cache.lookup(all), all);
  EXPECT_EQ(cache.lookup("large"), large);
}

TEST(DiskCache, Remove) {
  TempDirectory directory;
  DiskCache cache(directory.getPath(), kLarge);
  cache.remove("a");
  ASSERT_TRUE(cache.store("a", "1"));
  ASSERT_TRUE(cache.store("b", "2"));
  cache.remove("a");
  EXPECT_FALSE(cache.lookup("a"));
  EXPECT_EQ(cache.lookup("b"), "2");
}

TEST(DiskCache, Disabled) {
  TempDirectory directory;
  std::string path = directory / "cache";
  DiskCache none(path, 0);
  EXPECT_TRUE(none.store("key", "payload"));
  EXPECT_FALSE(none.lookup("key"));
  EXPECT_FALSE(fs::exists(path));

  ASSERT_TRUE(DiskCache(path, kLarge).store("key", "payload"));
  EXPECT_FALSE(none.lookup("key"));

  DiskCache homeless("", kLarge);
  EXPECT_FALSE(homeless.lookup("key"));
  homeless.remove("key");
  Status status = homeless.store("key", "payload");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::IOError);
  EXPECT_EQ(
      status.error().message,
      "no directory for the compilation cache: there is no home directory "
      "and XDG_CACHE_HOME isn't an absolute path");
}

class DamagedEntry : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(cache.store("some key", "some payload"));
    file = onlyFile(directory.getPath());
    intact = readFile(file);
    ASSERT_EQ(intact.size(), 8 + 12 + kFraming);
  }
  /// The file is no entry: absent, removed, and the next store works.
  void expectDiscarded(const std::string &how) {
    EXPECT_FALSE(cache.lookup("some key")) << how;
    EXPECT_FALSE(fs::exists(fs::symlink_status(file))) << how;
  }

  TempDirectory directory;
  DiskCache cache{directory.getPath(), kLarge};
  fs::path file;
  std::string intact;
};

TEST_F(DamagedEntry, Truncated) {
  for (size_t size = 0; size < intact.size(); ++size) {
    writeFile(file, intact.substr(0, size));
    expectDiscarded(fmt::format("the first {} bytes", size));
  }
  writeFile(file, intact);
  EXPECT_EQ(cache.lookup("some key"), "some payload");
}

TEST_F(DamagedEntry, Lengthened) {
  writeFile(file, intact + '\0');
  expectDiscarded("one byte more");
  writeFile(file, intact + intact);
  expectDiscarded("twice");
}

TEST_F(DamagedEntry, FlippedBits) {
  for (size_t bit = 0; bit < 8 * intact.size(); ++bit) {
    std::string flipped = intact;
    flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
    writeFile(file, flipped);
    expectDiscarded(fmt::format("bit {} of byte {}", bit % 8, bit / 8));
  }
  ASSERT_TRUE(cache.store("some key", "some payload"));
  EXPECT_EQ(cache.lookup("some key"), "some payload");
}

TEST_F(DamagedEntry, Foreign) {
  writeFile(file, std::string(4096, '\0'));
  expectDiscarded("zeros");
  writeFile(file, "#!/bin/sh\necho hello\n");
  expectDiscarded("a script");
  // As large as the bound, without taking that much memory or disk.
  writeFile(file, "");
  fs::resize_file(file, kLarge);
  expectDiscarded("a hole");
}

TEST_F(DamagedEntry, OtherKey) {
  // A collision of two keys' hashes would give the same files.
  ASSERT_TRUE(cache.store("other key", "other payload"));
  fs::path other;
  for (const fs::path &each : listFiles(directory.getPath()))
    if (each != file)
      other = each;
  fs::copy_file(other, file, fs::copy_options::overwrite_existing);
  expectDiscarded("an intact entry of another key");
  EXPECT_EQ(cache.lookup("other key"), "other payload");
}

TEST_F(DamagedEntry, Link) {
  std::string target = directory / "target";
  fs::rename(file, target);
  fs::create_symlink(target, file);
  expectDiscarded("a link to an intact entry");
  EXPECT_EQ(readFile(target), intact);

  // A store replaces the link and doesn't write through it.
  writeFile(target, "precious");
  fs::create_symlink(target, file);
  ASSERT_TRUE(cache.store("some key", "some payload"));
  EXPECT_EQ(cache.lookup("some key"), "some payload");
  EXPECT_EQ(readFile(target), "precious");
}

TEST_F(DamagedEntry, Pipe) {
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  expectDiscarded("a pipe without a writer");
}

TEST_F(DamagedEntry, Directory) {
  for (bool isEmpty : {true, false}) {
    fs::remove(file);
    fs::create_directory(file);
    if (!isEmpty) {
      fs::create_directory(file / "below");
      writeFile(file / "below/text", "text");
    }
    EXPECT_FALSE(cache.lookup("some key"));
    ASSERT_TRUE(cache.store("some key", "some payload"));
    EXPECT_EQ(cache.lookup("some key"), "some payload");
    EXPECT_EQ(listFiles(directory.getPath()).size(), 1u) << "nothing is left";
  }
}

TEST(DiskCacheBound, RemovesTheOldest) {
  TempDirectory directory;
  std::string path = directory.getPath();
  uint64_t entryBytes = 2 + 1000 + kFraming;
  DiskCache cache(path, 10 * entryBytes);
  std::string payload(1000, 'p');
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(cache.store(fmt::format("k{}", i), payload));
    for (const fs::path &file : listFiles(path))
      if (readFile(file).find(fmt::format("k{}", i)) != std::string::npos)
        setAge(file, 1000 - 10 * i);
  }
  EXPECT_EQ(countBytes(path), 10 * entryBytes) << "exactly the bound is kept";
  // The oldest becomes the youngest.
  ASSERT_EQ(cache.lookup("k0"), payload);
  ASSERT_TRUE(cache.store("kx", payload));
  // Eleven were too many; nine are a tenth below the bound.
  EXPECT_EQ(countBytes(path), 9 * entryBytes);
  EXPECT_FALSE(cache.lookup("k1"));
  EXPECT_FALSE(cache.lookup("k2"));
  for (const char *kept :
       {"k0", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "kx"})
    EXPECT_EQ(cache.lookup(kept), payload) << kept;
}

TEST(DiskCacheBound, KeepsWhatWasStoredLast) {
  TempDirectory directory;
  DiskCache cache(directory.getPath(), 1000);
  std::string small(10, 's'), large(1000 - kFraming - 5, 'l');
  ASSERT_TRUE(cache.store("small", small));
  // Alone above what an eviction leaves.
  ASSERT_TRUE(cache.store("large", large));
  EXPECT_EQ(cache.lookup("large"), large);
  EXPECT_FALSE(cache.lookup("small"));
}

TEST(DiskCacheBound, EntryAboveTheBound) {
  TempDirectory directory;
  DiskCache cache(directory.getPath(), 1000);
  ASSERT_TRUE(cache.store("small", "payload"));
  Status status = cache.store("large", std::string(1000, 'l'));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(status.error().message,
            "expected a cache entry of at most 1000 bytes, got 1120");
  EXPECT_EQ(cache.lookup("small"), "payload");

  // An entry of a process with a larger bound isn't used, but not removed
  // either.
  DiskCache larger(directory.getPath(), 2000);
  ASSERT_TRUE(larger.store("large", std::string(1000, 'l')));
  EXPECT_FALSE(cache.lookup("large"));
  EXPECT_EQ(larger.lookup("large"), std::string(1000, 'l'));
  // No entry goes for it when the entries are counted.
  fs::remove(directory / "usage.journal");
  ASSERT_TRUE(cache.store("other", "payload"));
  EXPECT_EQ(cache.lookup("small"), "payload");
  EXPECT_EQ(larger.lookup("large"), std::string(1000, 'l'));
}

TEST(DiskCacheBound, LeavesOtherFilesAlone) {
  TempDirectory directory;
  DiskCache cache(directory.getPath(), 250);
  const char *others[] = {"thesis.tex",
                          "notes.tmp",
                          "manifest.entry",
                          "0123456789abcdef0123456789abcdef",
                          "0123456789ABCDEF0123456789ABCDEF.entry",
                          "0123456789abcdef0123456789abcdef0.entry"};
  for (const char *name : others) {
    writeFile(directory / name, std::string(500, 'x'));
    setAge(directory / name, 100000);
  }
  ASSERT_TRUE(cache.store("a", std::string(50, 'a')));
  ASSERT_TRUE(cache.store("b", std::string(50, 'b')));
  EXPECT_FALSE(cache.lookup("a"));
  EXPECT_TRUE(cache.lookup("b"));
  for (const char *name : others)
    EXPECT_TRUE(fs::exists(directory / name)) << name;
}

/// Temporary files of killed processes go at once, if no process has the file
/// open.
TEST(DiskCacheBound, RemovesStaleTemporaries) {
  TempDirectory directory;
  DiskCache cache(directory.getPath(), kLarge);
  ASSERT_TRUE(cache.store("key", "payload"));
  std::string dead = directory / "tmp/0123456789abcdef.1-2-3.tmp";
  std::string alive = directory / "tmp/0123456789abcdef.1-2-4.tmp";
  writeFile(dead, "half of an en");
  writeFile(alive, "half of an en");
  int writer = ::open(alive.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(writer, LOCK_EX), 0);
  setAge(alive, 3700);
  ASSERT_TRUE(cache.store("key", "payload"));
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(alive)) << "its writer is at work";
  ::close(writer);
}

/// A process died while it removed a directory that had an entry's name.
TEST(DiskCacheBound, RemovesDirectoriesPutAside) {
  TempDirectory directory;
  DiskCache cache(directory.getPath(), kLarge);
  ASSERT_TRUE(cache.store("key", "payload"));
  std::string dead = directory / "tmp/directory.1-2-3.tmp";
  std::string alive = directory / "tmp/directory.1-2-4.tmp";
  for (const std::string &path : {dead, alive}) {
    fs::create_directories(path + "/below");
    writeFile(path + "/below/text", "text");
  }
  int remover = ::open(alive.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(remover, LOCK_EX), 0);
  ASSERT_TRUE(cache.store("key", "payload"));
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(alive + "/below/text")) << "its remover is at work";
  ::close(remover);
}

/// Files of the version before: they count, and go.
TEST(DiskCacheBound, FormerVersion) {
  TempDirectory directory;
  DiskCache cache(directory.getPath(), 1000);
  std::string former = directory / "0123456789abcdef0123456789abcdef.entry";
  std::string old = directory / "0123456789abcdef0123456789abcdef.1-2-3.tmp";
  std::string fresh = directory / "0123456789abcdef0123456789abcdef.1-2-4.tmp";
  for (const std::string &file : {former, old, fresh}) {
    writeFile(file, std::string(900, 'x'));
    setAge(file, 3700);
  }
  setAge(fresh, 3500);
  ASSERT_TRUE(cache.store("key", "payload"));
  EXPECT_FALSE(fs::exists(former));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(fresh)) << "its writer may be at work";
}

/// A file that takes no room, or that no entry could be, costs no other entry.
TEST(DiskCacheBound, ImplausibleSizes) {
  for (uint64_t size : {uint64_t(90000), uint64_t(1) << 40}) {
    TempDirectory directory;
    DiskCache cache(directory.getPath(), 100000);
    for (int i = 0; i < 20; ++i)
      ASSERT_TRUE(cache.store(fmt::format("{}", i), std::string(1000, 'p')));
    std::string hole = directory / (std::string(64, '0') + ".entry");
    writeFile(hole, "");
    fs::resize_file(hole, size);
    fs::remove(directory / "usage.journal");
    for (int i = 20; i < 40; ++i)
      ASSERT_TRUE(cache.store(fmt::format("{}", i), std::string(1000, 'p')));
    for (int i = 0; i < 40; ++i)
      EXPECT_TRUE(cache.lookup(fmt::format("{}", i))) << i << " of " << size;
  }
}

//===----------------------------------------------------------------------===//
// The sum of all sizes
//===----------------------------------------------------------------------===//

uint64_t sumJournal(const std::string &directory) {
  int64_t sum = 0;
  std::istringstream records(readFile(directory + "/usage.journal"));
  for (std::string record; std::getline(records, record);)
    sum += std::stoll(record, nullptr, 16);
  return static_cast<uint64_t>(sum);
}

TEST(DiskCacheJournal, FollowsStores) {
  TempDirectory directory;
  std::string path = directory.getPath();
  DiskCache cache(path, kLarge);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(cache.store(fmt::format("{}", i % 7), std::string(i, 'p')));
    EXPECT_EQ(sumJournal(path), countBytes(path)) << i;
  }
}

/// The cache trusts its journal, so that it needn't read a large directory for
/// each store, but not for ever.
TEST(DiskCacheJournal, CorrectsItself) {
  TempDirectory directory;
  std::string path = directory.getPath(), journal = path + "/usage.journal";
  DiskCache cache(path, kLarge);
  ASSERT_TRUE(cache.store("a", "1"));
  for (std::string damaged :
       {std::string(), std::string("+000000000000"), std::string(18, 'x'),
        std::string("+00000000000000\n0\n"), std::string("+7fffffffffffffff\n"),
        // Less than nothing, and a sum that would be 0 with overflow.
        std::string("-0000000000001000\n"),
        std::string("+4000000000000000\n+4000000000000000\n"
                    "+4000000000000000\n+4000000000000000\n"),
        std::string(1 << 20, '0')}) {
    writeFile(journal, damaged);
    ASSERT_TRUE(cache.store("a", "1"));
    ASSERT_TRUE(cache.store("b", "2"));
    if (!damaged.empty()) // nothing is said of what was there before
      EXPECT_EQ(sumJournal(path), countBytes(path)) << damaged.substr(0, 20);
  }
  fs::remove(journal);
  fs::create_symlink("/dev/null", journal);
  ASSERT_TRUE(cache.store("a", "1"));
  EXPECT_EQ(sumJournal(path), countBytes(path));
  // Too much and too little.
  for (const char *wrong : {"+0000ffffffffffff\n", "+0000000000000000\n"}) {
    writeFile(journal, wrong);
    int opened = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 1100; ++i)
      UsageJournal(opened, -1).append(0);
    ::close(opened);
    ASSERT_TRUE(cache.store("a", "1"));
    EXPECT_EQ(sumJournal(path), countBytes(path)) << wrong;
  }
}

TEST(DiskCacheJournal, DirectoryInItsPlace) {
  for (bool isEmpty : {true, false}) {
    TempDirectory directory;
    std::string path = directory.getPath(), journal = path + "/usage.journal";
    DiskCache cache(path, kLarge);
    fs::create_directories(isEmpty ? journal : journal + "/below");
    ASSERT_TRUE(cache.store("a", "1"));
    ASSERT_TRUE(fs::is_regular_file(journal));
    ASSERT_TRUE(cache.store("b", "2"));
    EXPECT_EQ(sumJournal(path), countBytes(path));
    EXPECT_EQ(listFiles(path).size(), 2u) << "nothing is left";
  }
}

TEST(DiskCacheJournal, ReadsTheDirectorySeldom) {
  TempDirectory directory;
  std::string path = directory.getPath();
  DiskCache cache(path, kLarge);
  ASSERT_TRUE(cache.store("first", ""));
  // Only a count would see it, and remove it.
  std::string old = directory / "0123456789abcdef0123456789abcdef.1-2-3.tmp";
  writeFile(old, "");
  setAge(old, 3700);
  size_t counts = 0;
  int opened = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(UsageJournal(opened, -1).append(0), countBytes(path));
  ::close(opened);
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(cache.store("key", std::string(i % 5, 'p')));
    if (!fs::exists(old)) {
      ++counts;
      writeFile(old, "");
      setAge(old, 3700);
    }
  }
  EXPECT_EQ(counts, 1u);
  EXPECT_EQ(sumJournal(path), countBytes(path));
}

} // namespace
