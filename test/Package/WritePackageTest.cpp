//===- WritePackageTest.cpp - packages appear as a whole ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the files that one writer writes, replaces and refuses, and those that
// remain if system calls fail or are missing.
//
//===----------------------------------------------------------------------===//

#include "WritePackageFixture.h"

#include <sys/stat.h>

using namespace carousel;
using namespace carousel::test;
namespace fs = std::filesystem;

namespace {

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
  calls.fsyncCount = 0;
  ASSERT_EQ(write(path, 1), "");
  EXPECT_EQ(calls.fsyncCount, 4 + 2);
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

// A directory that only looks like a package at first sight isn't lost.
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
    calls.fsyncsUntilFailure = call;
    std::string message = write(path, 2);
    EXPECT_NE(message.find("can't flush '"), std::string::npos) << message;
    EXPECT_NE(message.find("': No space left on device"), std::string::npos)
        << message;
    EXPECT_EQ(readVersion(path), 1);
    EXPECT_EQ(list(temporary.path), std::vector<std::string>({"pkg"}));
  }
  calls.fsyncsUntilFailure = -1;
  EXPECT_EQ(write(path, 2), "");
}

TEST_F(WritePackageTest, NeedsExchangeOnlyToReplace) {
  for (int code : {EINVAL, ENOSYS, EOPNOTSUPP}) {
    fs::remove_all(path);
    calls.exchangeError = code;
    ASSERT_EQ(write(path, 1), "");
    EXPECT_EQ(write(path, 2),
              "expected a file system that can exchange directories to "
              "replace '" +
                  path + "', got one that can't; remove '" + path + "' first");
    EXPECT_EQ(readVersion(path), 1);
  }
  calls.exchangeError = EACCES;
  EXPECT_EQ(write(path, 2), "can't replace '" + path + "': Permission denied");
  EXPECT_EQ(readVersion(path), 1);
  EXPECT_EQ(list(temporary.path), std::vector<std::string>({"pkg"}));
}

// Between the check and the exchange somebody else comes in.
TEST_F(WritePackageTest, GivesBackWhatIsNoPackage) {
  ASSERT_EQ(write(path, 1), "");
  calls.beforeExchange = [&] {
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
  calls.beforeExchange = [&] { fs::remove_all(path); };
  EXPECT_EQ(write(path, 2), "");
  EXPECT_EQ(readVersion(path), 2);
  EXPECT_EQ(list(temporary.path), std::vector<std::string>({"pkg"}));
}

// Another writer replaces the package while it is looked at, and empties the
// directory that was opened.
TEST_F(WritePackageTest, LooksAgainWhereThePackageWasReplaced) {
  ASSERT_EQ(write(path, 1), "");
  bool replaced = false;
  calls.afterFirstEntry = [&] {
    EXPECT_EQ(write(path, 2), "");
    replaced = true;
  };
  EXPECT_EQ(write(path, 3), "");
  EXPECT_TRUE(replaced);
  EXPECT_EQ(readVersion(path), 3);
  EXPECT_EQ(list(temporary.path), std::vector<std::string>({"pkg"}));
}

} // namespace
