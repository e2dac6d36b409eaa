//===- NpyHeaderTest.cpp - headers of .npy files --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Headers that NumPy writes, headers that nobody should, and the types that
// hold each kind of element.
//
//===----------------------------------------------------------------------===//

#include "NpyFiles.h"

#include <gtest/gtest.h>

using namespace carousel::tools;
using namespace carousel::tools::test;

namespace {

TEST(NpyHeader, Versions) {
  std::string text =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n";
  for (int version : {1, 2, 3}) {
    auto header = parseNpyHeader(makeStart(text, version) + "data");
    ASSERT_TRUE(header) << header.error().message;
    EXPECT_EQ(header->descr, "<f4");
    EXPECT_FALSE(header->fortranOrder);
    EXPECT_EQ(header->shape, (std::vector<int64_t>{3, 4}));
    EXPECT_EQ(header->dataOffset, (version == 1 ? 10 : 12) + text.size());
  }
}

TEST(NpyHeader, Spellings) {
  struct Case {
    const char *text;
    std::vector<int64_t> shape;
    bool fortranOrder;
  };
  for (const Case &c : {
           Case{"{'descr': '<f4', 'fortran_order': False, 'shape': ()}",
                {},
                false},
           Case{"{'descr': '<f4', 'fortran_order': True, 'shape': (0,)}",
                {0},
                true},
           Case{"{\"shape\":(1,2,3),\"descr\":\"<f4\",\"fortran_order\":True}",
                {1, 2, 3},
                true},
           Case{"{'descr': '<f4', 'fortran_order': False, 'shape': (5L, 6L)}",
                {5, 6},
                false},
           Case{"{'descr': '<f4', 'fortran_order': False, 'shape': (5, 6,), }"
                "        \n",
                {5, 6},
                false},
           Case{"{ 'descr' : '<f4' , 'fortran_order' : False , "
                "'shape' : ( 9223372036854775807 , ) }",
                {INT64_MAX},
                false},
       }) {
    auto header = parseNpyHeader(makeStart(c.text));
    ASSERT_TRUE(header) << c.text << ": " << header.error().message;
    EXPECT_EQ(header->shape, c.shape);
    EXPECT_EQ(header->fortranOrder, c.fortranOrder);
  }
}

TEST(NpyHeader, BadText) {
  struct Case {
    const char *text, *message;
  };
  for (const Case &c : {
           Case{"", "expected a dict as the header, got ''"},
           Case{"(1, 2)", "expected a dict as the header, got '(1, 2)'"},
           Case{"{", "expected 'descr', 'fortran_order' or 'shape' and a "
                     "value, got ''"},
           Case{"{descr: 1}", "expected 'descr', 'fortran_order' or 'shape' "
                              "and a value, got 'descr: 1}'"},
           Case{"{}", "expected the header to have 'descr', got none"},
           Case{"{'descr': '<f4'}",
                "expected the header to have 'fortran_order', got none"},
           Case{"{'descr': '<f4', 'fortran_order': True}",
                "expected the header to have 'shape', got none"},
           Case{"{'descr': '<f4', 'descr': '<f4'}",
                "expected 'descr' once in the header, got it twice"},
           Case{"{'descr': [('a', '<f4')], 'fortran_order': False}",
                "expected an array of a simple type, got a structured one"},
           Case{"{'descr': 4}", "expected 'descr' to be a string, got '4}'"},
           Case{"{'descr': '<f4}",
                "expected 'descr' to be a string, got ''<f4}'"},
           Case{"{'descr': '<f\\x34'}",
                "expected 'descr' to be a string, got ''<f\\x34'}'"},
           Case{"{'fortran_order': 0}",
                "expected 'fortran_order' to be True or False, got '0}'"},
           Case{"{'extra': 1}", "expected 'descr', 'fortran_order' and 'shape' "
                                "in the header, got 'extra'"},
           Case{"{'shape': 3}", "expected 'shape' to be a tuple, got '3}'"},
           Case{"{'shape': (3)}", "expected 'shape' to be a tuple, got (3)"},
           Case{"{'shape': (-1,)}", "expected 'shape' to hold integers from 0 "
                                    "to 2^63 - 1, got ',)}'"},
           Case{"{'shape': (9223372036854775808,)}",
                "expected 'shape' to hold integers from 0 to 2^63 - 1, got "
                "'9223372036854775808,)}'"},
           Case{"{'shape': (1 2)}", "expected 'shape' to hold integers from 0 "
                                    "to 2^63 - 1, got '2)}'"},
           Case{"{'shape': (1,,2)}", "expected 'shape' to hold integers from 0 "
                                     "to 2^63 - 1, got ',2)}'"},
           Case{"{'shape': (1,1,1,1,1,1,1,1,1)}",
                "expected at most 8 dimensions, got more"},
           Case{"{'shape': (1,", "expected 'shape' to hold integers from 0 to "
                                 "2^63 - 1, got ''"},
           Case{"{'shape': (1,) 'descr': '<f4'}",
                "expected ',' or '}' after the value of 'shape', got "
                "''descr': '<f4'}'"},
           Case{"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x\n",
                "expected nothing after the header's dict, got 'x?'"},
       }) {
    auto header = parseNpyHeader(makeStart(c.text));
    ASSERT_FALSE(header) << c.text;
    EXPECT_EQ(header.error().message, c.message) << c.text;
  }
}

TEST(NpyHeader, BadStart) {
  std::string good =
      makeStart("{'descr': '<f4', 'fortran_order': False, 'shape': ()}");
  struct Case {
    std::string start;
    const char *message;
  };
  std::string version4 = good, minor = good, huge("\x93NUMPY\x02\0", 8);
  version4[6] = 4;
  minor[7] = 1;
  huge += "\xFF\xFF\xFF\x7F";
  for (const Case &c :
       {Case{"", "expected an .npy file, got one that doesn't start with "
                 "\\x93NUMPY"},
        Case{"PK\x03\x04", "expected an .npy file, got one that doesn't start "
                           "with \\x93NUMPY"},
        Case{good.substr(0, 5), "expected an .npy file, got one that doesn't "
                                "start with \\x93NUMPY"},
        Case{good.substr(0, 7),
             "expected an .npy header, got a file of 7 bytes"},
        Case{good.substr(0, 9),
             "expected an .npy header, got a file of 9 bytes"},
        Case{version4, "expected .npy format 1.0, 2.0 or 3.0, got 4.0"},
        Case{minor, "expected .npy format 1.0, 2.0 or 3.0, got 1.1"},
        Case{huge, "expected a header of at most 65536 bytes, got 2147483647"},
        Case{good.substr(0, 20), "expected a header of 53 bytes, got a file "
                                 "that ends after 10"}}) {
    auto header = parseNpyHeader(c.start);
    ASSERT_FALSE(header) << c.message;
    EXPECT_EQ(header.error().message, c.message);
  }
}

/// No prefix and no edit of one byte of a good header may do more than fail.
TEST(NpyHeader, DamageIsNeverACrash) {
  std::string good = makeStart(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n");
  for (size_t at = 0; at < good.size(); ++at) {
    EXPECT_FALSE(parseNpyHeader(good.substr(0, at))) << at;
    for (int value = 0; value < 256; ++value) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(value);
      if (auto header = parseNpyHeader(damaged)) {
        EXPECT_LE(header->dataOffset, damaged.size());
      } else {
        EXPECT_EQ(header.error().message.find('\n'), std::string::npos);
      }
    }
  }
}

TEST(NpyType, Accepted) {
  struct Case {
    ElementType type;
    std::vector<const char *> descrs;
  };
  for (const Case &c : {
           Case{ElementType::I1, {"|b1", "<b1"}},
           Case{ElementType::I8, {"|i1", "|u1", "<i1", ">u1"}},
           Case{ElementType::I16, {"<i2", "<u2"}},
           Case{ElementType::I32, {"<i4", "<u4"}},
           Case{ElementType::I64, {"<i8", "<u8"}},
           Case{ElementType::F16, {"<f2"}},
           Case{ElementType::BF16, {"<u2", "<V2", "|V2", "bfloat16"}},
           Case{ElementType::F32, {"<f4"}},
           Case{ElementType::F64, {"<f8"}},
           Case{ElementType::F8E4M3FN, {"|u1", "|V1", "<V1", "float8_e4m3fn"}},
           Case{ElementType::F8E5M2, {"|u1", "|V1", "<f1", "float8_e5m2"}},
           Case{ElementType::F8E8M0FNU, {"|u1", "|V1", "float8_e8m0fnu"}},
       }) {
    for (const char *descr : c.descrs)
      EXPECT_TRUE(checkNpyType(descr, c.type)) << descr;
    EXPECT_TRUE(checkNpyType(getNpyType(c.type), c.type));
  }
}

TEST(NpyType, Refused) {
  struct Case {
    ElementType type;
    const char *descr, *message;
  };
  for (const Case &c : {
           Case{ElementType::F32, ">f4",
                "expected little-endian data, got '>f4'"},
           Case{ElementType::BF16, ">V2",
                "expected little-endian data, got '>V2'"},
           Case{ElementType::F32, "<f8",
                "expected f32 data as '<f4', got '<f8'"},
           Case{ElementType::F32, "|f4",
                "expected f32 data as '<f4', got '|f4'"},
           Case{ElementType::F32, "f4", "expected f32 data as '<f4', got 'f4'"},
           Case{ElementType::F32, "", "expected f32 data as '<f4', got ''"},
           Case{ElementType::F32, "<", "expected f32 data as '<f4', got '<'"},
           Case{ElementType::I32, "<f4",
                "expected i32 data as '<i4' or '<u4', got '<f4'"},
           Case{ElementType::I1, "|u1", "expected i1 data as '|b1', got '|u1'"},
           Case{ElementType::BF16, "<f2",
                "expected bf16 data as '<u2', '|V2' or 'bfloat16', got '<f2'"},
           Case{ElementType::F8E4M3FN, "|i1",
                "expected f8E4M3FN data as '|u1', '|V1' or 'float8_e4m3fn', "
                "got '|i1'"},
           Case{ElementType::F64, "|O", "expected f64 data as '<f8', got '|O'"},
           Case{ElementType::F64, "<c16",
                "expected f64 data as '<f8', got '<c16'"},
       }) {
    Status status = checkNpyType(c.descr, c.type);
    ASSERT_FALSE(status) << c.descr;
    EXPECT_EQ(status.error().message, c.message);
  }
}

} // namespace
