//===- PackageTest.cpp - opening package directories ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the files that are read, the messages for those that are refused, and
// that a package that is replaced during a read comes out whole.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Package.h"

#include "TestPackages.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {
class PackageTest : public testing::Test {
protected:
  PackageTest() : path(temp / "copy.pkg") {}

  void expectError(const std::string &directory, const std::string &message,
                   ErrorCode code = ErrorCode::InvalidPackage) {
    Result<Package> package = Package::open(directory);
    ASSERT_FALSE(package);
    EXPECT_EQ(package.error().message, message);
    EXPECT_EQ(package.error().code, code);
  }

  /// For tests that wait for two threads to have met often enough.
  bool isLate() const {
    return std::chrono::steady_clock::now() - start > std::chrono::seconds(60);
  }

  TempDirectory temp;
  std::string path;

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

TEST_F(PackageTest, Opens) {
  writePackage(path, makeCopyManifest());
  Result<Package> package = Package::open(path);
  ASSERT_TRUE(package) << package.error().message;
  EXPECT_EQ(package->getDirectory(), path);
  EXPECT_EQ(package->getManifest().kernels.size(), 4u);
  EXPECT_EQ(package->getContents(0, 0), "contents of copies.sm_90a.cubin");
  EXPECT_EQ(package->getContents(1, 1), "contents of simple.sm_80.cu");
}

TEST_F(PackageTest, StaysAfterTheDirectoryIsGone) {
  writePackage(path, makeCopyManifest());
  Result<Package> package = Package::open(path);
  ASSERT_TRUE(package) << package.error().message;
  std::filesystem::remove_all(path);
  Package copy = *package;
  EXPECT_EQ(copy.getContents(0, 1), "contents of copies.sm_90a.ptx");
}

TEST_F(PackageTest, EmptyAndBinaryImages) {
  std::string manifest = makeCopyManifest();
  std::map<std::string, std::string> files = makeFiles(manifest);
  files["copies.sm_90a.ptx"] = "";
  std::string binary("\0\x7f"
                     "ELF\0",
                     6);
  files["copies.sm_90a.cubin"] = binary;
  writePackage(path, manifest, files);
  Result<Package> package = Package::open(path);
  ASSERT_TRUE(package) << package.error().message;
  EXPECT_EQ(package->getContents(0, 0), binary);
  EXPECT_EQ(package->getContents(0, 1), "");
}

TEST_F(PackageTest, FollowsALinkToThePackage) {
  writePackage(path, makeCopyManifest());
  std::filesystem::create_directory_symlink(path, temp / "link");
  EXPECT_TRUE(Package::open(temp / "link"));
}

TEST_F(PackageTest, NoDirectory) {
  expectError(path,
              "expected a package directory, got '" + path +
                  "', which isn't there",
              ErrorCode::NotFound);
  expectError("", "expected a package directory, got '', which isn't there",
              ErrorCode::NotFound);
  expectError(std::string("/\0x", 3),
              "expected a path without null characters, got '/'",
              ErrorCode::InvalidArgument);
  writeFile(path, "a file");
  expectError(path, "expected a package directory, got '" + path +
                        "', which is no directory");
}

TEST_F(PackageTest, DirectoryThatCannotBeOpened) {
  // A link to itself; permissions don't stop a test that runs as root.
  std::filesystem::create_directory_symlink("copy.pkg", path);
  expectError(path,
              "expected a package directory, got '" + path +
                  "', which can't be opened: Too many levels of symbolic links",
              ErrorCode::IOError);
}

TEST_F(PackageTest, NoManifest) {
  std::filesystem::create_directory(path);
  expectError(path, "expected a package, got '" + path +
                        "', which has no manifest.json");
}

TEST_F(PackageTest, BadManifest) {
  writePackage(path, makeCopyManifest());
  writeFile(path + "/manifest.json",
            setMember(makeCopyManifest(), "/kernels/0/variants", "[]"));
  expectError(path, path + "/manifest.json: kernels[0].variants: expected at "
                           "least one variant, got none");
  writeFile(path + "/manifest.json",
            setMember(makeCopyManifest(), "/version", "4"));
  expectError(path,
              path + "/manifest.json: version: expected a package of version 3 "
                     "or older, got 4; update the runtime",
              ErrorCode::UnsupportedVersion);
  writeFile(path + "/manifest.json", "");
  expectError(path, path + "/manifest.json: expected JSON, got an early end at "
                           "line 1, column 0");
}

TEST_F(PackageTest, ManifestTooLarge) {
  writePackage(path, makeCopyManifest());
  ASSERT_EQ(truncate((path + "/manifest.json").c_str(), 16777217), 0);
  expectError(path, path + "/manifest.json: expected at most 16777216 bytes, "
                           "got 16777217");
}

TEST_F(PackageTest, MissingImage) {
  writePackage(path, makeCopyManifest());
  std::filesystem::remove(path + "/simple.sm_80.cu");
  expectError(path, path + "/simple.sm_80.cu: expected the file that the "
                           "manifest names, got none");
}

TEST_F(PackageTest, WrongSize) {
  writePackage(path, makeCopyManifest());
  writeFile(path + "/copies.sm_90a.ptx", "torn");
  expectError(path, path + "/copies.sm_90a.ptx: expected 29 bytes, got 4");
}

TEST_F(PackageTest, WrongContents) {
  writePackage(path, makeCopyManifest(),
               {{"copies.sm_90a.cubin", ""},
                {"copies.sm_90a.ptx", "abc"},
                {"simple.sm_80.ptx", ""},
                {"simple.sm_80.cu", ""}});
  writeFile(path + "/copies.sm_90a.ptx", "abd");
  expectError(
      path,
      path +
          "/copies.sm_90a.ptx: expected contents with the "
          "hash "
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad, "
          "got "
          "a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9");
}

TEST_F(PackageTest, ImagesThatAreNoFiles) {
  writePackage(path, makeCopyManifest());
  std::string image = path + "/copies.sm_90a.ptx";
  std::string message = image + ": expected a regular file, got something else";

  // A link, even to the right contents: it may lead out of the package.
  std::filesystem::rename(image, temp / "outside");
  std::filesystem::create_symlink(temp / "outside", image);
  expectError(path, message);

  std::filesystem::remove(image);
  std::filesystem::create_directory(image);
  expectError(path, message);

  std::filesystem::remove(image);
  ASSERT_EQ(mkfifo(image.c_str(), 0600), 0); // a reader would wait for a writer
  expectError(path, message);

  std::filesystem::remove(image);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  ASSERT_LT(image.size(), sizeof(address.sun_path));
  image.copy(address.sun_path, image.size());
  int socketFile = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(
      bind(socketFile, reinterpret_cast<sockaddr *>(&address), sizeof(address)),
      0);
  expectError(path, message);
  close(socketFile);
}

TEST_F(PackageTest, ManifestThatIsNoFile) {
  writePackage(path, makeCopyManifest());
  std::filesystem::remove(path + "/manifest.json");
  ASSERT_EQ(mkfifo((path + "/manifest.json").c_str(), 0600), 0);
  expectError(path, path + "/manifest.json: expected a regular file, got "
                           "something else");
}

TEST_F(PackageTest, LeavesNoDescriptorsOpen) {
  auto count = [] {
    auto files = std::filesystem::directory_iterator("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  writePackage(path, makeCopyManifest());
  auto before = count();
  EXPECT_TRUE(Package::open(path));
  writeFile(path + "/copies.sm_90a.ptx", "torn");
  EXPECT_FALSE(Package::open(path));
  EXPECT_EQ(count(), before);
}

/// Puts one generation of a package after the other in place, as the compiler
/// does: written beside it, exchanged, the older one removed.
class Writer {
public:
  explicit Writer(const TempDirectory &temp) : temp(temp) { write(path()); }

  std::string path() const { return temp / "current.pkg"; }

  void replace() {
    ++generation;
    std::string sibling = temp / "next.pkg";
    write(sibling);
    ASSERT_EQ(renameat2(AT_FDCWD, sibling.c_str(), AT_FDCWD, path().c_str(),
                        RENAME_EXCHANGE),
              0);
    std::error_code error;
    std::filesystem::remove_all(sibling, error);
    ASSERT_FALSE(error) << error.message();
  }

private:
  void write(const std::string &directory) {
    std::string number = std::to_string(generation);
    std::string manifest =
        setMember(makeCopyManifest(), "/producer", "\"" + number + "\"");
    std::map<std::string, std::string> files = makeFiles(manifest);
    for (auto &[name, contents] : files)
      contents = number; // of another size now and then
    writePackage(directory, manifest, files);
  }

  const TempDirectory &temp;
  unsigned generation = 0;
};

TEST_F(PackageTest, ReplacedWhileRead) {
  Writer writer(temp);
  std::atomic<bool> stop = false;
  std::thread thread([&] {
    while (!stop && !HasFailure())
      writer.replace();
  });
  unsigned generations = 0;
  std::string last;
  while (generations < 150 && !HasFailure() && !isLate()) {
    Result<Package> package = Package::open(writer.path());
    if (!package) {
      ADD_FAILURE() << package.error().message;
      break;
    }
    std::string producer = package->getManifest().producer;
    for (uint32_t module : {0, 1})
      for (size_t image : {0, 1})
        EXPECT_EQ(package->getContents(module, image), producer);
    generations += producer != last;
    last = producer;
  }
  stop = true;
  thread.join();
  EXPECT_GE(generations, 150u);
}

TEST_F(PackageTest, MovedAwayWhileRead) {
  // Not that a file of it is missing: the package is.
  std::string message =
      "expected a package directory, got '" + path + "', which isn't there";
  std::atomic<bool> stop = false;
  std::thread thread([&] {
    while (!stop) {
      writePackage(temp / "next", makeCopyManifest());
      rename((temp / "next").c_str(), path.c_str());
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      rename(path.c_str(), (temp / "old").c_str());
      std::filesystem::remove_all(temp / "old");
    }
  });
  unsigned found = 0, missing = 0;
  while ((found < 1000 || missing < 1000) && !isLate()) {
    Result<Package> package = Package::open(path);
    ++(package ? found : missing);
    if (!package) {
      EXPECT_EQ(package.error().message, message);
    }
  }
  stop = true;
  thread.join();
  EXPECT_GE(found, 1000u);
  EXPECT_GE(missing, 1000u);
}
} // namespace
