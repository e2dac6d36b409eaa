//===- NpyTest.cpp - .npy files -------------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files: what is written reads back, for every element type and layout; files
// of the wrong size are refused.
//
//===----------------------------------------------------------------------===//

#include "NpyFiles.h"
#include "TestPackages.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <sys/stat.h>

using namespace carousel::tools;
using namespace carousel::tools::test;
using carousel::runtime::test::TempDirectory;
using carousel::runtime::test::writeFile;

namespace {

constexpr ElementType kTypes[] = {
    ElementType::I1,       ElementType::I8,     ElementType::I16,
    ElementType::I32,      ElementType::I64,    ElementType::F16,
    ElementType::BF16,     ElementType::F32,    ElementType::F64,
    ElementType::F8E4M3FN, ElementType::F8E5M2, ElementType::F8E8M0FNU};

std::string readFile(const std::string &path) {
  std::string text;
  if (FILE *file = fopen(path.c_str(), "rb")) {
    char piece[4096];
    for (size_t got; (got = fread(piece, 1, sizeof(piece), file)) > 0;)
      text.append(piece, got);
    fclose(file);
  }
  return text;
}

/// Bytes that differ from place to place; 0 and 1 for booleans.
std::string makeBytes(ElementType type, uint64_t elements) {
  std::string bytes(elements * carousel::runtime::getBytes(type), '\0');
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(type == ElementType::I1 ? i % 3 == 0 : i * 37);
  return bytes;
}

const std::byte *asBytes(const std::string &text) {
  return reinterpret_cast<const std::byte *>(text.data());
}

std::string getText(const HostBuffer &buffer) {
  return {reinterpret_cast<const char *>(buffer.getData()), buffer.getBytes()};
}

class NpyTypes : public testing::TestWithParam<ElementType> {};

INSTANTIATE_TEST_SUITE_P(Types, NpyTypes, testing::ValuesIn(kTypes),
                         [](const auto &info) {
                           return std::string(toString(info.param));
                         });

TEST_P(NpyTypes, RoundTrip) {
  TempDirectory directory;
  Quiet progress;
  for (const char *shape :
       {"[]", "0", "1", "7", "3x5", "0x4", "2x3x4x5", "1x1x1x1x1x1x1x2"}) {
    auto layout = parseLayout(shape);
    ASSERT_TRUE(layout);
    std::string bytes = makeBytes(GetParam(), layout->elements);
    std::string path = directory / "a.npy";
    Status written =
        writeNpy(path, GetParam(), *layout, asBytes(bytes), progress);
    ASSERT_TRUE(written) << written.error().message;
    auto file = NpyFile::open(path, GetParam());
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->getLayout().extents, layout->extents);
    EXPECT_TRUE(file->getLayout().isRowMajor());
    auto contents = file->read(progress);
    ASSERT_TRUE(contents) << contents.error().message;
    EXPECT_EQ(getText(*contents), bytes) << shape;
  }
}

TEST(Npy, WritesWhatNumPyWrites) {
  TempDirectory directory;
  Quiet progress;
  std::string bytes(24, 'x');
  ASSERT_TRUE(writeNpy(directory / "a.npy", ElementType::F32,
                       *parseLayout("2x3"), asBytes(bytes), progress));
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  header.resize(117, ' ');
  EXPECT_EQ(readFile(directory / "a.npy"), makeStart(header + "\n") + bytes);
}

TEST(Npy, FortranOrder) {
  TempDirectory directory;
  Quiet progress;
  std::string bytes = makeBytes(ElementType::I16, 6);
  writeFile(directory / "f.npy",
            makeStart("{'descr': '<i2', 'fortran_order': True, "
                      "'shape': (2, 3)}") +
                bytes);
  auto file = NpyFile::open(directory / "f.npy", ElementType::I16);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->getLayout().strides, (std::vector<int64_t>{1, 2}));
  auto contents = file->read(progress);
  ASSERT_TRUE(contents);
  EXPECT_EQ(getText(*contents), bytes);
  // Written back in the same order.
  ASSERT_TRUE(writeNpy(directory / "g.npy", ElementType::I16, file->getLayout(),
                       asBytes(bytes), progress));
  std::string written = readFile(directory / "g.npy");
  EXPECT_NE(written.find("'fortran_order': True, 'shape': (2, 3)"),
            std::string::npos);
  EXPECT_EQ(written.substr(written.size() - bytes.size()), bytes);
}

TEST(Npy, FortranOrderOfOneRowIsRowMajor) {
  TempDirectory directory;
  writeFile(directory / "f.npy",
            makeStart("{'descr': '|i1', 'fortran_order': True, "
                      "'shape': (1, 3)}") +
                "abc");
  auto file = NpyFile::open(directory / "f.npy", ElementType::I8);
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->getLayout().isRowMajor());
}

TEST(Npy, GapsAreLeftOut) {
  TempDirectory directory;
  Quiet progress;
  std::string bytes = "abcd....efgh....ijkl";
  ASSERT_TRUE(writeNpy(directory / "a.npy", ElementType::I16,
                       *parseLayout("3x2@4x1"), asBytes(bytes), progress));
  auto file = NpyFile::open(directory / "a.npy", ElementType::I16);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->getLayout().extents, (std::vector<int64_t>{3, 2}));
  auto contents = file->read(progress);
  ASSERT_TRUE(contents);
  EXPECT_EQ(getText(*contents), "abcdefghijkl");
}

TEST(Npy, BadFiles) {
  TempDirectory directory;
  const std::string f4 = "{'descr': '<f4', 'fortran_order': False, 'shape': ";
  struct Case {
    std::string contents;
    const char *message;
  };
  for (const Case &c : {
           Case{makeStart(f4 + "(4,)}") + std::string(15, 'x'),
                "expected 16 bytes of data for the shape 4, got 15"},
           Case{makeStart(f4 + "(4,)}") + std::string(17, 'x'),
                "expected 16 bytes of data for the shape 4, got 17"},
           Case{makeStart(f4 + "(4,)}"),
                "expected 16 bytes of data for the shape 4, got 0"},
           Case{makeStart(f4 + "()}"),
                "expected 4 bytes of data for the shape [], got 0"},
           Case{makeStart(f4 + "(0,)}") + "x",
                "expected 0 bytes of data for the shape 0, got 1"},
           // 2^62 elements of 4 bytes are 0 bytes in 64 bits.
           Case{makeStart(f4 + "(4611686018427387904,)}"),
                "expected a tensor of at most 2^60 elements, got the shape "
                "4611686018427387904"},
           Case{makeStart(f4 + "(4294967296, 4294967296)}"),
                "expected a tensor of at most 2^60 elements, got the shape "
                "4294967296x4294967296"},
           Case{makeStart(f4 + "(0, 4294967296, 4294967296)}"),
                "expected a tensor of at most 2^60 elements, got the shape "
                "0x4294967296x4294967296"},
           Case{makeStart("{'descr': '>f4', 'fortran_order': False, "
                          "'shape': ()}") +
                    "xxxx",
                "expected little-endian data, got '>f4'"},
           Case{"", "expected an .npy file, got one that doesn't start with "
                    "\\x93NUMPY"},
       }) {
    std::string path = directory / "a.npy";
    writeFile(path, c.contents);
    auto file = NpyFile::open(path, ElementType::F32);
    ASSERT_FALSE(file) << c.message;
    EXPECT_EQ(file.error().message, path + ": " + c.message);
  }
}

TEST(Npy, BadPaths) {
  TempDirectory directory;
  std::string pipe =
      directory / "pipe.npy"; // opening must not wait for a writer
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  struct Case {
    std::string path;
    const char *message;
  };
  for (const Case &c :
       {Case{directory / "none.npy", "cannot open: No such file or directory"},
        Case{directory.getPath(), "expected a regular file, got a directory"},
        Case{pipe, "expected a regular file, got a pipe or device"}}) {
    auto file = NpyFile::open(c.path, ElementType::F32);
    ASSERT_FALSE(file) << c.path;
    EXPECT_EQ(file.error().message, c.path + ": " + c.message);
  }
}

TEST(Npy, Writable) {
  TempDirectory directory;
  EXPECT_TRUE(checkWritable(directory / "new.npy"));
  EXPECT_TRUE(checkWritable("new.npy"));
  EXPECT_TRUE(checkWritable("/dev/null"));
  Status status = checkWritable(directory / "none/new.npy");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            (directory / "none/new.npy") +
                ": cannot write: No such file or directory");
  status = checkWritable(directory.getPath());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            directory.getPath() +
                ": expected the name of a file, got a directory");
}

TEST(Npy, CutWhileOpen) {
  TempDirectory directory;
  Quiet progress;
  std::string path = directory / "a.npy";
  std::string bytes(64, 'x');
  ASSERT_TRUE(writeNpy(path, ElementType::I8, *parseLayout("64"),
                       asBytes(bytes), progress));
  auto file = NpyFile::open(path, ElementType::I8);
  ASSERT_TRUE(file);
  std::filesystem::resize_file(path, 128 + 10);
  auto contents = file->read(progress);
  ASSERT_FALSE(contents);
  EXPECT_EQ(contents.error().message,
            path + ": expected 64 bytes of data, got a file that was cut to "
                   "10 while it was read");
}

TEST(Npy, BooleansAre0And1) {
  TempDirectory directory;
  Quiet progress;
  std::string path = directory / "a.npy";
  writeFile(path, makeStart("{'descr': '|b1', 'fortran_order': False, "
                            "'shape': (4,)}") +
                      std::string("\0\1\2\0", 4));
  auto file = NpyFile::open(path, ElementType::I1);
  ASSERT_TRUE(file);
  auto contents = file->read(progress);
  ASSERT_FALSE(contents);
  EXPECT_EQ(contents.error().message,
            path + ": expected bool data to be 0 or 1, got 2 at byte 2");
}

TEST(Npy, ReplacesAFileAsAWhole) {
  TempDirectory directory;
  Quiet progress;
  std::string path = directory / "a.npy";
  writeFile(path, "older");
  std::string bytes(4, 'x');
  ASSERT_TRUE(writeNpy(path, ElementType::F32, *parseLayout("1"),
                       asBytes(bytes), progress));
  EXPECT_EQ(readFile(path).size(), 128u + 4u);
  size_t files = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator(directory.getPath())) {
    (void)entry;
    ++files;
  }
  EXPECT_EQ(files, 1u); // no temporary file stays

  Status status = writeNpy(directory / "none/a.npy", ElementType::F32,
                           *parseLayout("1"), asBytes(bytes), progress);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            (directory / "none/a.npy") +
                ": cannot write: No such file or directory");
  // A device isn't replaced.
  EXPECT_TRUE(writeNpy("/dev/null", ElementType::F32, *parseLayout("1"),
                       asBytes(bytes), progress));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  status = writeNpy("/dev/full", ElementType::F32, *parseLayout("1"),
                    asBytes(bytes), progress);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "/dev/full: cannot write: No space left on device");
}

} // namespace
