//===- DiskCacheTrustTest.cpp - owners and rights of a cache's files ------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Directories, entries, parents and links that belong to other users, or that
// others can write to. Cases with other users need root, and are skipped
// otherwise.
//
//===----------------------------------------------------------------------===//

#include "Cache/CacheDirectory.h"
#include "DiskCacheTest.h"

#include <fmt/format.h>

using namespace carousel::runtime;
using namespace carousel::runtime::test;
namespace fs = std::filesystem;

namespace {

constexpr uid_t kOther = 12345;

class DiskCacheTrust : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(cache.store("key", "payload"));
    entry = onlyFile(path);
  }
  void give(const fs::path &file) {
    ASSERT_EQ(::lchown(file.c_str(), kOther, kOther), 0) << file;
  }
  /// Neither read nor written, with the reason said once.
  void expectDistrusted(const std::string &reason) {
    std::string before = fs::exists(entry) ? readFile(entry) : "";
    testing::internal::CaptureStderr();
    EXPECT_FALSE(cache.lookup("key"));
    EXPECT_FALSE(cache.lookup("key"));
    Status status = cache.store("key", "altered");
    std::string said = testing::internal::GetCapturedStderr();
    ASSERT_FALSE(status);
    EXPECT_EQ(
        status.error().message,
        fmt::format("the compilation cache '{}' isn't used: {}", path, reason));
    EXPECT_EQ(said, "carousel: " + status.error().message + "\n");
    EXPECT_EQ(fs::exists(entry) ? readFile(entry) : "", before);
  }

  TempDirectory directory;
  std::string parent = directory / "parent";
  std::string path = parent + "/cache";
  DiskCache cache{path, kLarge};
  fs::path entry;
};

#define SKIP_UNLESS_ROOT()                                                     \
  if (::geteuid() != 0)                                                        \
  GTEST_SKIP() << "only root can give files away"

TEST_F(DiskCacheTrust, Modes) {
  mode_t former = ::umask(0);
  ASSERT_TRUE(cache.store("another", "payload"));
  ::umask(former);
  for (const auto &file : fs::recursive_directory_iterator(parent))
    EXPECT_EQ(fs::status(file).permissions(),
              file.is_directory() ? fs::perms(0700) : fs::perms(0600))
        << file;
}

TEST_F(DiskCacheTrust, DirectoryOfAnother) {
  SKIP_UNLESS_ROOT();
  give(path);
  expectDistrusted(fmt::format("expected '{}' to belong to user 0, got user {}",
                               path, kOther));
}

TEST_F(DiskCacheTrust, ParentOfAnother) {
  SKIP_UNLESS_ROOT();
  give(parent);
  expectDistrusted(fmt::format("expected '{}' to belong to user 0, got user {}",
                               parent, kOther));
}

TEST_F(DiskCacheTrust, DirectoriesThatOthersCanWriteTo) {
  for (int mode : {0720, 0702, 0777, 01777}) {
    fs::permissions(path, fs::perms(mode));
    expectDistrusted(fmt::format("expected '{}' to be writable by its owner "
                                 "only, got mode {:o}",
                                 path, mode));
  }
  fs::permissions(path, fs::perms(0755));
  EXPECT_EQ(cache.lookup("key"), "payload");
  for (int mode : {0775, 0777}) {
    fs::permissions(parent, fs::perms(mode));
    expectDistrusted(fmt::format("expected '{}' to be writable by its owner "
                                 "only, got mode {:o}",
                                 parent, mode));
  }
  // As /tmp: what is ours stays ours.
  fs::permissions(parent, fs::perms(01777));
  EXPECT_EQ(cache.lookup("key"), "payload");
  EXPECT_TRUE(cache.store("key", "payload"));
}

/// Files lie in "tmp" before they are renamed into place.
TEST_F(DiskCacheTrust, Temporaries) {
  std::string temporaries = path + "/tmp";
  auto expectRefused = [&] {
    Status status = cache.store("key", "altered");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message,
              fmt::format("can't make a file in the cache directory '{}': "
                          "can't make or open the directory 'tmp' of the "
                          "cache: others can write to it",
                          path));
    EXPECT_EQ(cache.lookup("key"), "payload");
  };
  for (int mode : {0720, 0702}) {
    fs::permissions(temporaries, fs::perms(mode));
    expectRefused();
  }
  fs::permissions(temporaries, fs::perms(0700));
  ASSERT_TRUE(cache.store("key", "payload"));
  SKIP_UNLESS_ROOT();
  give(temporaries);
  expectRefused();
}

TEST_F(DiskCacheTrust, Entries) {
  std::string intact = readFile(entry);
  for (int mode : {0620, 0602}) {
    fs::permissions(entry, fs::perms(mode));
    testing::internal::CaptureStderr();
    EXPECT_FALSE(cache.lookup("key"));
    EXPECT_NE(testing::internal::GetCapturedStderr().find(fmt::format(
                  "the cache entry '{}' isn't used", entry.string())),
              std::string::npos);
    ASSERT_TRUE(cache.store("key", "payload"));
    EXPECT_EQ(cache.lookup("key"), "payload");
  }
  SKIP_UNLESS_ROOT();
  give(entry);
  EXPECT_FALSE(cache.lookup("key"));
  ASSERT_TRUE(cache.store("key", "payload"));
  EXPECT_EQ(cache.lookup("key"), "payload");
}

/// Links of the user and of root are followed, wherever they lead to.
TEST_F(DiskCacheTrust, Links) {
  std::string link = directory / "link";
  fs::create_symlink("parent", link);
  DiskCache linked(link + "/./../link/cache", kLarge);
  EXPECT_EQ(linked.lookup("key"), "payload");
  EXPECT_TRUE(linked.store("key", "payload"));
  fs::remove(link);
  fs::create_symlink(parent, link);
  EXPECT_EQ(linked.lookup("key"), "payload");
  fs::remove(link);
  fs::create_symlink("link", link);
  EXPECT_FALSE(linked.lookup("key"));
  EXPECT_NE(linked.store("key", "payload")
                .error()
                .message.find("Too many levels of symbolic links"),
            std::string::npos);
  SKIP_UNLESS_ROOT();
  fs::remove(link);
  fs::create_symlink("parent", link);
  give(link);
  EXPECT_FALSE(linked.lookup("key"));
  EXPECT_EQ(linked.store("key", "payload").error().message,
            fmt::format("the compilation cache '{}/./../link/cache' isn't "
                        "used: expected '{}' to belong to user 0, got user {}",
                        link, link, kOther));
}

/// Another user leaves files where this one's cache will be.
TEST_F(DiskCacheTrust, MadeByAnotherBefore) {
  SKIP_UNLESS_ROOT();
  std::string home = directory / "tmp";
  fs::create_directory(home);
  fs::permissions(home, fs::perms(01777));
  std::string theirs = home + "/.cache/carousel";
  fs::create_directories(theirs);
  fs::copy(entry, theirs + "/" + entry.filename().string());
  for (const auto &file : fs::recursive_directory_iterator(home))
    give(file);
  DiskCache other(theirs, kLarge);
  EXPECT_FALSE(other.lookup("key"));
  EXPECT_FALSE(other.store("key", "payload"));
  // With a directory of ours below one of theirs.
  ASSERT_EQ(::chown(theirs.c_str(), 0, 0), 0);
  EXPECT_FALSE(other.lookup("key"));
}

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

/// In a child: the environment belongs to the whole process.
struct Environment {
  std::vector<std::pair<const char *, const char *>> variables;
  ContextOptions options;
  std::string expected; ///< "directory bytes", or the error
};

TEST(CacheOptions, Environment) {
  const char *names[] = {"XDG_CACHE_HOME", "HOME", "CAROUSEL_CACHE_DIR",
                         "CAROUSEL_CACHE_MAX_BYTES", "CAROUSEL_CACHE_DISABLE"};
  ContextOptions set, off;
  set.cacheDirectory = "/set";
  set.cacheBytes = 5;
  off.cacheBytes = 0;
  const Environment cases[] = {
      {{{"XDG_CACHE_HOME", "/x/cache"}, {"HOME", "/home/a"}},
       {},
       "/x/cache/carousel 1073741824"},
      {{{"XDG_CACHE_HOME", "relative"}, {"HOME", "/home/a"}},
       {},
       "/home/a/.cache/carousel 1073741824"},
      {{{"HOME", "/home/a"}}, {}, "/home/a/.cache/carousel 1073741824"},
      {{{"CAROUSEL_CACHE_DIR", "/c"}, {"XDG_CACHE_HOME", "/x"}},
       {},
       "/c 1073741824"},
      {{{"CAROUSEL_CACHE_DIR", ""}, {"HOME", "/home/a"}},
       {},
       "/home/a/.cache/carousel 1073741824"},
      {{{"CAROUSEL_CACHE_DIR", "c"}},
       {},
       "CAROUSEL_CACHE_DIR: expected an absolute path, got 'c'"},
      {{{"CAROUSEL_CACHE_DIR", "/c"}, {"CAROUSEL_CACHE_MAX_BYTES", "4096"}},
       {},
       "/c 4096"},
      {{{"CAROUSEL_CACHE_DIR", "/c"}, {"CAROUSEL_CACHE_MAX_BYTES", "0"}},
       {},
       " 0"},
      {{{"CAROUSEL_CACHE_DIR", "/c"},
        {"CAROUSEL_CACHE_MAX_BYTES", "4096"},
        {"CAROUSEL_CACHE_DISABLE", "1"}},
       {},
       " 0"},
      {{{"CAROUSEL_CACHE_DIR", "/c"}, {"CAROUSEL_CACHE_DISABLE", "0"}},
       {},
       "/c 1073741824"},
      {{{"CAROUSEL_CACHE_DISABLE", "yes"}},
       {},
       "CAROUSEL_CACHE_DISABLE: expected 0 or 1, got 'yes'"},
      {{{"CAROUSEL_CACHE_MAX_BYTES", "1G"}},
       {},
       "CAROUSEL_CACHE_MAX_BYTES: expected a number of bytes below 2^64, got "
       "'1G'"},
      {{{"CAROUSEL_CACHE_MAX_BYTES", "18446744073709551616"}},
       {},
       "CAROUSEL_CACHE_MAX_BYTES: expected a number of bytes below 2^64, got "
       "'18446744073709551616'"},
      {{{"CAROUSEL_CACHE_MAX_BYTES", "-1"}},
       {},
       "CAROUSEL_CACHE_MAX_BYTES: expected a number of bytes below 2^64, got "
       "'-1'"},
      // The program's variables count; those of its user then aren't read.
      {{{"CAROUSEL_CACHE_DIR", "c"},
        {"CAROUSEL_CACHE_MAX_BYTES", "1G"},
        {"CAROUSEL_CACHE_DISABLE", "1"}},
       set,
       "/set 5"},
      {{{"CAROUSEL_CACHE_DIR", "c"}}, off, " 0"},
  };
  for (const Environment &each : cases)
    EXPECT_EXITED_WITH_0(waitFor(startProcess([&] {
      for (const char *name : names)
        ::unsetenv(name);
      for (auto [name, value] : each.variables)
        ::setenv(name, value, 1);
      Result<CacheOptions> read = readCacheOptions(each.options);
      std::string got =
          read ? fmt::format("{} {}", read->directory, read->maxBytes)
               : read.error().message;
      if (got != each.expected)
        fmt::print(stderr, "expected '{}', got '{}'\n", each.expected, got);
      return got == each.expected ? 0 : 1;
    })));
}

} // namespace
