//===- StoreTimesTest.cpp - measured times in packages --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../tools/carousel-tune/StoreTimes.h"

#include "TestPackages.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <fcntl.h>

using namespace carousel::tune;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

TunedEntry makeEntry(int64_t n, int64_t nanoseconds,
                     const std::string &device = "Fake GPU") {
  return {device,
          {n, n},
          {{"copy_simple", nanoseconds}, {"copy_bulk", nanoseconds + 1}}};
}

/// `text` with `from`, which is there once, replaced.
std::string replace(std::string text, const std::string &from,
                    const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// Two kernels, with lines, blanks, escapes and members that no reader knows.
const std::string kLines = R"( {
  "format": "carousel-package",
  "version": 3,
  "producer": "a \"test\" of [brackets] and }, 1e400: \u00e9",
  "modules": [{"name": "m", "images": []}],
  "unknown":   {"number": 1.50, "list": [ ]},
  "kernels": [
    {"name": "other", "arguments": [],
     "variants": [{"function": "f", "module": "m", "chips": ["sm_80"],
       "guards": [], "index_bits": 64, "parameters": [], "tensor_maps": [],
       "grid": [1, 1, 1], "block": [1, 1, 1], "cluster": [1, 1, 1],
       "dynamic_shared": 0}]},
    {
      "note": "\\",
      "name": "copy",
      "arguments": [],
      "variants": [
        {"function": "copy_bulk", "module": "m", "chips": ["sm_80"],
         "guards": [], "index_bits": 64, "parameters": [], "tensor_maps": [],
         "grid": [1, 1, 1], "block": [1, 1, 1], "cluster": [1, 1, 1],
         "dynamic_shared": 0, "cost": 5}
      ]
    }
  ],
  "more": null
}
)";

TunedEntry makeShortEntry(const std::string &device, int64_t nanoseconds) {
  return {device, {}, {{"copy_bulk", nanoseconds}}};
}

/// The same text for equal manifests.
std::string format(const std::string &manifest) {
  return setMember(manifest, "/more", "null");
}

TEST(AddEntry, KeepsAllElse) {
  const std::string first = R"({"device":"A","values":[],"times":[)"
                            R"({"function":"copy_bulk","ns":7}]})";
  const std::string tuned = "/kernels/1/tuned";
  std::string one = addEntry(kLines, "copy", makeShortEntry("A", 7));
  EXPECT_EQ(format(one), setMember(kLines, tuned, "[" + first + "]"));
  ASSERT_TRUE(parseManifest(one));
  // Others come after it; the same one is replaced in its place.
  std::string second = replace(first, "\"A\"", "\"B\"");
  std::string two = addEntry(one, "copy", makeShortEntry("B", 7));
  EXPECT_EQ(format(two),
            setMember(kLines, tuned, "[" + first + "," + second + "]"));
  std::string again = addEntry(two, "copy", makeShortEntry("A", 123));
  EXPECT_EQ(format(again),
            setMember(kLines, tuned,
                      "[" + replace(first, "7", "123") + "," + second + "]"));
  Result<Manifest> manifest = parseManifest(again);
  ASSERT_TRUE(manifest) << manifest.error().message;
  ASSERT_EQ(manifest->kernels[1].tuned.size(), 2u);
  EXPECT_EQ(manifest->kernels[1].tuned[0].times[0].nanoseconds, 123);
  EXPECT_TRUE(manifest->kernels[0].tuned.empty());
}

TEST(AddEntry, OtherValues) {
  std::string manifest = makeCopyManifest();
  manifest = addEntry(manifest, "copy", makeEntry(4096, 10));
  manifest = addEntry(manifest, "copy", makeEntry(8192, 20));
  manifest = addEntry(manifest, "copy", makeEntry(4096, 30, "Other GPU"));
  manifest = addEntry(manifest, "copy", makeEntry(8192, 40));
  Result<Manifest> parsed = parseManifest(manifest);
  ASSERT_TRUE(parsed) << parsed.error().message;
  const std::vector<TunedInfo> &tuned = parsed->kernels[0].tuned;
  ASSERT_EQ(tuned.size(), 3u);
  EXPECT_EQ(tuned[0].times[0].nanoseconds, 10);
  EXPECT_EQ(tuned[0].times[0].variant, 1u);
  EXPECT_EQ(tuned[1].values, (std::vector<int64_t>{8192, 8192}));
  EXPECT_EQ(tuned[1].times[0].nanoseconds, 40);
  EXPECT_EQ(tuned[2].device, "Other GPU");
}

TEST(AddEntry, Texts) {
  std::string manifest = makeCopyManifest();
  // A device with a quote in its name.
  std::string quoted = addEntry(manifest, "copy", makeEntry(8, 1, "A \"B\""));
  Result<Manifest> parsed = parseManifest(quoted);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->kernels[0].tuned[0].device, "A \"B\"");
  // Into an empty list, whose key is spelled with an escape.
  std::string escaped = replace(setMember(manifest, "/kernels/0/tuned", "[]"),
                                "\"tuned\"", "\"tun\\u0065d\"");
  EXPECT_EQ(format(addEntry(escaped, "copy", makeEntry(8, 1))),
            format(addEntry(manifest, "copy", makeEntry(8, 1))));
}

TEST(HaveSameCode, OnlyTimesDiffer) {
  std::string manifest = makeCopyManifest();
  std::string tuned = addEntry(manifest, "copy", makeEntry(8, 1));
  EXPECT_TRUE(haveSameCode(manifest, manifest));
  EXPECT_TRUE(haveSameCode(manifest, tuned));
  EXPECT_TRUE(haveSameCode(tuned, addEntry(tuned, "copy", makeEntry(9, 1))));
  EXPECT_FALSE(haveSameCode(
      manifest, setMember(manifest, "/modules/0/images/0/bytes", "7")));
  EXPECT_FALSE(haveSameCode(
      tuned, setMember(manifest, "/kernels/0/variants/0/cost", "7")));
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

class StoreEntry : public testing::Test {
protected:
  void SetUp() override {
    writePackage(package, makeCopyManifest());
    measured = Package::open(package)->getManifestText();
  }
  /// The tuned entries of "copy", as a reader finds them.
  std::vector<TunedInfo> read() {
    Result<Package> opened = Package::open(package);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened->getManifest().kernels[0].tuned;
  }
  size_t countFiles() {
    size_t count = 0;
    for ([[maybe_unused]] const auto &entry :
         std::filesystem::directory_iterator(package))
      ++count;
    return count;
  }

  TempDirectory directory;
  std::string package = directory / "copies.pkg";
  std::string measured;
};

TEST_F(StoreEntry, Stores) {
  size_t files = countFiles();
  ASSERT_TRUE(storeEntry(package, measured, "copy", makeEntry(8, 1)));
  // The text that was measured has no times yet.
  ASSERT_TRUE(storeEntry(package + "/", measured, "copy", makeEntry(9, 2)));
  ASSERT_EQ(read().size(), 2u);
  EXPECT_EQ(read()[1].times[0].nanoseconds, 2);
  EXPECT_EQ(countFiles(), files);
}

TEST_F(StoreEntry, AnotherPackageByNow) {
  writeFile(package + "/manifest.json",
            setMember(measured, "/producer", "\"another\""));
  Status status = storeEntry(package, measured, "copy", makeEntry(8, 1));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::IOError);
  EXPECT_EQ(status.error().message,
            package + ": expected the package that was measured, got another "
                      "one; measure again");
  EXPECT_TRUE(read().empty());
}

TEST_F(StoreEntry, EntriesThatNoReaderTakes) {
  TunedEntry entry = makeEntry(8, 1);
  entry.times[0].function = "gone";
  Status status = storeEntry(package, measured, "copy", entry);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            package + ": cannot store: kernels[0].tuned[0].times[0].function: "
                      "expected the function of a variant, got 'gone'");
  EXPECT_TRUE(read().empty());
}

TEST_F(StoreEntry, NoManifest) {
  std::filesystem::remove(package + "/manifest.json");
  Status status = storeEntry(package, measured, "copy", makeEntry(8, 1));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "expected a package, got '" + package +
                                        "', which has no manifest.json");
}

/// None of several writers loses what another one stores.
TEST_F(StoreEntry, Several) {
  constexpr int kThreads = 4, kEntries = 8;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kEntries; ++i)
        EXPECT_TRUE(storeEntry(package, measured, "copy",
                               makeEntry(thread * kEntries + i, 1)));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(read().size(), size_t(kThreads * kEntries));
}

/// A writer that puts another package in place meanwhile gets no manifest of
/// the one that was measured.
TEST_F(StoreEntry, ReplacedMeanwhile) {
  std::string other = package + ".other";
  std::filesystem::copy(package, other);
  std::string others = setMember(measured, "/producer", "\"another\"");
  writeFile(other + "/manifest.json", others);
  writeFile(other + "/other", "");
  std::atomic<bool> done = false;
  std::thread writer([&] {
    while (!done)
      EXPECT_EQ(renameat2(AT_FDCWD, package.c_str(), AT_FDCWD, other.c_str(),
                          RENAME_EXCHANGE),
                0);
  });
  for (int i = 0; i < 200; ++i)
    (void)storeEntry(package, measured, "copy", makeEntry(i, 1));
  done = true;
  writer.join();
  for (const std::string &path : {package, other}) {
    bool isOther = std::filesystem::exists(path + "/other");
    auto opened = Package::open(path);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_TRUE(
        haveSameCode(opened->getManifestText(), isOther ? others : measured));
  }
}

} // namespace
