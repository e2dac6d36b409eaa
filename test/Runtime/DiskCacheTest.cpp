//===- DiskCacheTest.cpp - what the cache keeps and what it refuses -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Round trips, every way in which a file can be damaged, and the bound.
//
//===----------------------------------------------------------------------===//

#include "DiskCacheTest.h"

#include <fmt/format.h>

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

TEST(DiskCache, DefaultDirectory) {
  // In a child: the environment belongs to the whole process.
  EXPECT_EXITED_WITH_0(waitFor(startProcess([] {
    ::setenv("XDG_CACHE_HOME", "/x/cache", 1);
    ::setenv("HOME", "/home/someone", 1);
    if (DiskCache::getDefaultDirectory() != "/x/cache/carousel")
      return 1;
    ::setenv("XDG_CACHE_HOME", "relative", 1);
    if (DiskCache::getDefaultDirectory() != "/home/someone/.cache/carousel")
      return 2;
    ::unsetenv("XDG_CACHE_HOME");
    if (DiskCache::getDefaultDirectory() != "/home/someone/.cache/carousel")
      return 3;
    ::unsetenv("HOME"); // the user database
    std::string fallback = DiskCache::getDefaultDirectory();
    if (!fallback.empty() && fallback[0] != '/')
      return 4;
    return 0;
  })));
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
  // What a collision of two keys' hashes would give.
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
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_FALSE(cache.lookup("some key"));
  Status status = cache.store("some key", "some payload");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            fmt::format("can't write the cache entry '{}': Is a directory",
                        file.string()));
  EXPECT_EQ(listFiles(directory.getPath()).size(), 1u) << "no file is left";
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
            "expected a cache entry of at most 1000 bytes, got 1088");
  EXPECT_EQ(cache.lookup("small"), "payload");

  // Of a process with a larger bound: not used, but not removed either.
  DiskCache larger(directory.getPath(), 2000);
  ASSERT_TRUE(larger.store("large", std::string(1000, 'l')));
  EXPECT_FALSE(cache.lookup("large"));
  EXPECT_EQ(larger.lookup("large"), std::string(1000, 'l'));
}

TEST(DiskCacheBound, LeavesOtherFilesAlone) {
  TempDirectory directory;
  DiskCache cache(directory.getPath(), 200);
  const char *others[] = {"thesis.tex", "notes.tmp", "manifest.entry",
                          "0123456789abcdef0123456789abcdef",
                          "0123456789ABCDEF0123456789ABCDEF.entry"};
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

TEST(DiskCacheBound, RemovesStaleTemporaries) {
  TempDirectory directory;
  DiskCache cache(directory.getPath(), kLarge);
  std::string old = directory / "0123456789abcdef0123456789abcdef.1-2-3.tmp";
  std::string fresh = directory / "0123456789abcdef0123456789abcdef.1-2-4.tmp";
  writeFile(old, "half of an en");
  writeFile(fresh, "half of an en");
  setAge(old, 3700);
  setAge(fresh, 3500);
  ASSERT_TRUE(cache.store("key", "payload"));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(fresh)) << "its writer may be at work";
}

} // namespace
