//===- ArgumentsTest.cpp - values that a command line gives ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes, scalars, tensors and whole command lines, good and bad.
//
//===----------------------------------------------------------------------===//

#include "../../../tools/support/Tensors/Arguments.h"

#include "TestPackages.h"

#include <gtest/gtest.h>

using namespace carousel::tools;
using carousel::runtime::ArgumentInfo;
using carousel::runtime::KernelInfo;

namespace {

TEST(Layout, Reads) {
  struct Case {
    const char *text;
    std::vector<int64_t> extents, strides;
    uint64_t elements, storage;
    bool dense;
  };
  for (const Case &c : {
           Case{"[]", {}, {}, 1, 1, true},
           Case{"4096", {4096}, {1}, 4096, 4096, true},
           Case{"2x3x4", {2, 3, 4}, {12, 4, 1}, 24, 24, true},
           Case{"0", {0}, {1}, 0, 0, true},
           Case{"5x0", {5, 0}, {1, 1}, 0, 0, true},
           Case{"64x128@136x1", {64, 128}, {136, 1}, 8192, 8696, false},
           Case{"2x3@1x2", {2, 3}, {1, 2}, 6, 6, true},
           Case{"4x3@0x1", {4, 3}, {0, 1}, 12, 3, false},
           Case{"1x3@0x1", {1, 3}, {0, 1}, 3, 3, true},
           Case{"2x2@0x2", {2, 2}, {0, 2}, 4, 3, false},
           Case{"1152921504606846976",
                {1152921504606846976},
                {1},
                1152921504606846976,
                1152921504606846976,
                true},
       }) {
    auto layout = parseLayout(c.text);
    ASSERT_TRUE(layout) << c.text << ": " << layout.error().message;
    EXPECT_EQ(layout->extents, c.extents) << c.text;
    EXPECT_EQ(layout->strides, c.strides) << c.text;
    EXPECT_EQ(layout->elements, c.elements) << c.text;
    EXPECT_EQ(layout->storage, c.storage) << c.text;
    EXPECT_EQ(layout->isDense(), c.dense) << c.text;
  }
}

TEST(Layout, Refuses) {
  const char *const kForm =
      "expected a shape like 4096, 64x128, 64x128@136x1 or [], got ";
  struct Case {
    const char *text;
    std::string message;
  };
  for (const Case &c : {
           Case{"", std::string(kForm) + "''"},
           Case{"x", std::string(kForm) + "'x'"},
           Case{"4x", std::string(kForm) + "'4x'"},
           Case{"4,5", std::string(kForm) + "'4,5'"},
           Case{"4x5@", std::string(kForm) + "'4x5@'"},
           Case{"4 x5", std::string(kForm) + "'4 x5'"},
           Case{"99999999999999999999",
                std::string(kForm) + "'99999999999999999999'"},
           Case{"-4", "expected extents of 0 or more, got -4"},
           Case{"4x5@-5x1", "expected strides of 0 or more, got -5"},
           Case{"4x5@5", "expected as many strides as extents, 2, got 1"},
           Case{"1x1x1x1x1x1x1x1x1", "expected at most 8 dimensions, got 9"},
           Case{"1152921504606846977",
                "expected a tensor of at most 2^60 elements, got the shape "
                "1152921504606846977"},
           Case{"4x5@9223372036854775807x1",
                "expected a tensor of at most 2^60 elements, got the shape "
                "4x5"},
           Case{"4294967296x4294967296x0",
                "expected a tensor of at most 2^60 elements, got the shape "
                "4294967296x4294967296x0"},
       }) {
    auto layout = parseLayout(c.text);
    ASSERT_FALSE(layout) << c.text;
    EXPECT_EQ(layout.error().message, c.message);
  }
}

TEST(Scalars, Read) {
  struct Case {
    ElementType type;
    const char *text;
    uint64_t bits;
  };
  for (const Case &c : {
           Case{ElementType::I1, "true", 1},
           Case{ElementType::I1, "0", 0},
           Case{ElementType::I8, "127", 127},
           Case{ElementType::I8, "-128", 0xFFFFFFFFFFFFFF80},
           Case{ElementType::I16, "0x7fff", 0x7FFF},
           Case{ElementType::I32, "+5", 5},
           Case{ElementType::I32, "-0x80000000", 0xFFFFFFFF80000000},
           Case{ElementType::I64, "9223372036854775807", INT64_MAX},
           Case{ElementType::Index, "-9223372036854775808", 0x8000000000000000},
           Case{ElementType::F32, "1.5", 0x3FC00000},
           Case{ElementType::F32, "-inf", 0xFF800000},
           Case{ElementType::F32, "+1e0", 0x3F800000},
           Case{ElementType::F64, "0.1", 0x3FB999999999999A},
           Case{ElementType::F16, "65504", 0x7BFF},
           Case{ElementType::BF16, "3", 0x4040},
           Case{ElementType::F8E4M3FN, "448", 0x7E},
           Case{ElementType::F8E8M0FNU, "0.25", 125},
       }) {
    auto bits = parseScalar(c.text, c.type);
    ASSERT_TRUE(bits) << c.text << ": " << bits.error().message;
    EXPECT_EQ(*bits, c.bits) << c.text;
  }
}

TEST(Scalars, Refused) {
  struct Case {
    ElementType type;
    const char *text, *message;
  };
  for (const Case &c : {
           Case{ElementType::I1, "2", "expected true, false, 0 or 1, got '2'"},
           Case{ElementType::I8, "128",
                "expected an integer from -128 to 127, got 128"},
           Case{ElementType::I8, "-129",
                "expected an integer from -128 to 127, got -129"},
           Case{ElementType::Index, "99999999999999999999",
                "expected an integer from -9223372036854775808 to "
                "9223372036854775807, got 99999999999999999999"},
           Case{ElementType::I32, "1.5", "expected an integer, got '1.5'"},
           Case{ElementType::I32, "", "expected an integer, got ''"},
           Case{ElementType::I32, "--5", "expected an integer, got '--5'"},
           Case{ElementType::I32, "0x", "expected an integer, got '0x'"},
           Case{ElementType::I32, "5 ", "expected an integer, got '5 '"},
           Case{ElementType::F32, "abc", "expected a number, got 'abc'"},
           Case{ElementType::F32, "1.5f", "expected a number, got '1.5f'"},
           Case{ElementType::F32, "1e39",
                "expected a number that f32 can hold, got 1e39"},
           Case{ElementType::F64, "1e999",
                "expected a number that f64 can hold, got 1e999"},
           Case{ElementType::F16, "65520",
                "expected a number that f16 can hold, got 65520"},
           Case{ElementType::F8E4M3FN, "inf",
                "expected a number that f8E4M3FN can hold, got inf"},
           Case{ElementType::F8E8M0FNU, "3",
                "expected a number that f8E8M0FNU can hold, got 3"},
       }) {
    auto bits = parseScalar(c.text, c.type);
    ASSERT_FALSE(bits) << c.text;
    EXPECT_EQ(bits.error().message, c.message);
  }
}

TEST(Tensors, Read) {
  using Kind = TensorValue::Kind;
  struct Case {
    const char *text;
    Kind kind;
    uint64_t elements, seed, count = 0;
  };
  for (const Case &c : {
           Case{"empty:4x4", Kind::Empty, 16, 0},
           Case{"zeros:[]", Kind::Zeros, 1, 0},
           Case{"iota:0", Kind::Iota, 0, 0},
           Case{"iota:6x2:13", Kind::Iota, 12, 0, 13},
           Case{"random:8", Kind::Random, 8, 0},
           Case{"random:8:18446744073709551615", Kind::Random, 8, UINT64_MAX},
       }) {
    auto value = parseTensor(c.text, ElementType::F32);
    ASSERT_TRUE(value) << c.text << ": " << value.error().message;
    EXPECT_EQ(value->kind, c.kind);
    EXPECT_EQ(value->layout.elements, c.elements);
    EXPECT_EQ(value->seed, c.seed);
    EXPECT_EQ(value->count, c.count);
  }
}

TEST(Tensors, Refused) {
  struct Case {
    const char *text;
    TensorUse use;
    const char *message;
  };
  for (const Case &c : {
           Case{"12", TensorUse::Argument,
                "expected a .npy file, empty:SHAPE, zeros:SHAPE, "
                "random:SHAPE[:SEED], iota:SHAPE[:COUNT], like:NAME or "
                "same:NAME, got "
                "'12'"},
           Case{"empty", TensorUse::Argument,
                "expected a .npy file, empty:SHAPE, zeros:SHAPE, "
                "random:SHAPE[:SEED], iota:SHAPE[:COUNT], like:NAME or "
                "same:NAME, got "
                "'empty'"},
           Case{"empty:4", TensorUse::Expected,
                "expected a .npy file, zeros:SHAPE, random:SHAPE[:SEED] or "
                "iota:SHAPE[:COUNT], got 'empty:4'"},
           Case{"like:x", TensorUse::Expected,
                "expected a .npy file, zeros:SHAPE, random:SHAPE[:SEED] or "
                "iota:SHAPE[:COUNT], got 'like:x'"},
           Case{"zeros:4:1", TensorUse::Argument,
                "expected a shape like 4096, 64x128, 64x128@136x1 or [], got "
                "'4:1'"},
           Case{"random:4:", TensorUse::Argument,
                "expected a seed from 0 to 2^64 - 1, got ''"},
           Case{"random:4:-1", TensorUse::Argument,
                "expected a seed from 0 to 2^64 - 1, got '-1'"},
           Case{"iota:4:0", TensorUse::Argument,
                "expected a count of integers from 1 to 16777216, got '0'"},
           Case{"iota:4:16777217", TensorUse::Argument,
                "expected a count of integers from 1 to 16777216, got "
                "'16777217'"},
           Case{"./none.npy", TensorUse::Argument,
                "./none.npy: cannot open: No such file or directory"},
       }) {
    auto value = parseTensor(c.text, ElementType::F32, c.use);
    ASSERT_FALSE(value) << c.text;
    EXPECT_EQ(value.error().message, c.message);
  }
}

/// k(tensor<?xf32> x (in), tensor<?xf32> y (out), index n).
KernelInfo makeKernel() {
  KernelInfo kernel;
  kernel.name = "k";
  for (const char *name : {"x", "y"}) {
    ArgumentInfo argument;
    argument.name = name;
    argument.extents = {ArgumentInfo::kDynamic};
    argument.access = kernel.arguments.empty() ? ArgumentInfo::Access::In
                                               : ArgumentInfo::Access::Out;
    kernel.arguments.push_back(argument);
  }
  ArgumentInfo n;
  n.name = "n";
  n.kind = ArgumentInfo::Kind::Scalar;
  n.access = ArgumentInfo::Access::In;
  n.element = ElementType::Index;
  kernel.arguments.push_back(n);
  return kernel;
}

TEST(Arguments, InTheOrderOfTheKernel) {
  auto values =
      parseArguments(makeKernel(), {"n=12", "y=like:x", "x=iota:3x4@8x1"});
  ASSERT_TRUE(values) << values.error().message;
  ASSERT_EQ(values->size(), 3u);
  EXPECT_EQ((*values)[0].tensor.kind, TensorValue::Kind::Iota);
  EXPECT_EQ((*values)[1].tensor.kind, TensorValue::Kind::Empty);
  EXPECT_EQ((*values)[1].tensor.layout.strides, (std::vector<int64_t>{8, 1}));
  EXPECT_EQ((*values)[2].scalar, 12u);
}

TEST(Arguments, Refused) {
  struct Case {
    std::vector<std::string> options;
    const char *message;
  };
  for (const Case &c : {
           Case{{},
                "expected a value for tensor<?xf32> x (in), got none; give "
                "--arg x=FILE.npy"},
           Case{{"x=iota:4"},
                "expected a value for tensor<?xf32> y (out), got "
                "none; give --arg y=empty:SHAPE"},
           Case{{"x=iota:4", "y=like:x"},
                "expected a value for index n, got "
                "none; give --arg n=NUMBER"},
           Case{{"x"}, "expected --arg NAME=VALUE, got 'x'"},
           Case{{"x="}, "expected --arg NAME=VALUE, got 'x='"},
           Case{{"=x"}, "expected --arg NAME=VALUE, got '=x'"},
           Case{{"z=4"}, "expected an argument of k (x, y, n), got 'z'"},
           Case{{"n=4", "n=5"}, "expected one value for n, got '4' and '5'"},
           Case{{"x=iota:4", "y=empty:4", "n=four"},
                "n: expected an integer, got 'four'"},
           Case{{"x=iota:q", "y=empty:4", "n=4"},
                "x: expected a shape like 4096, 64x128, 64x128@136x1 or [], "
                "got 'q'"},
           Case{{"x=iota:4", "y=like:z", "n=4"},
                "y: expected like: with another tensor of k, got 'z'"},
           Case{{"x=iota:4", "y=like:n", "n=4"},
                "y: expected like: with another tensor of k, got 'n'"},
           Case{{"x=iota:4", "y=like:y", "n=4"},
                "y: expected like: or same: to end at a tensor with a shape, "
                "got a circle"},
           Case{{"x=like:y", "y=like:x", "n=4"},
                "x: expected like: or same: to end at a tensor with a shape, "
                "got a circle"},
           Case{{"x=iota:4", "y=same:n", "n=4"},
                "y: expected same: with another tensor of k, got 'n'"},
       }) {
    auto values = parseArguments(makeKernel(), c.options);
    ASSERT_FALSE(values) << c.message;
    EXPECT_EQ(values.error().message, c.message);
  }
}

} // namespace
