//===- NpyHeader.cpp - the header of NumPy's file format ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header's text is the literal of a Python dict with three known members:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
// This reads that much of Python and no more.
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <charconv>
#include <optional>

using namespace carousel;
using namespace carousel::tools;
using runtime::ErrorCode;
using runtime::fail;

static constexpr std::string_view kMagic = "\x93NUMPY";

namespace {

class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : rest(text) {}

  Result<NpyHeader> read() {
    if (!take('{'))
      return fail(ErrorCode::InvalidArgument,
                  "expected a dict as the header, got '{}'", show());
    while (!take('}')) {
      auto key = readString();
      if (!key || !take(':'))
        return fail(ErrorCode::InvalidArgument,
                    "expected 'descr', 'fortran_order' or 'shape' and a value, "
                    "got '{}'",
                    show());
      CAROUSEL_TRY(readMember(*key));
      if (take(','))
        continue;
      if (take('}'))
        break;
      return fail(ErrorCode::InvalidArgument,
                  "expected ',' or '}}' after the value of '{}', got '{}'",
                  *key, show());
    }
    skipSpace();
    if (!rest.empty())
      return fail(ErrorCode::InvalidArgument,
                  "expected nothing after the header's dict, got '{}'", show());
    for (auto [present, name] : {std::pair{descr.has_value(), "descr"},
                                 {fortranOrder.has_value(), "fortran_order"},
                                 {shape.has_value(), "shape"}})
      if (!present)
        return fail(ErrorCode::InvalidArgument,
                    "expected the header to have '{}', got none", name);
    return NpyHeader{std::move(*descr), *fortranOrder, std::move(*shape), 0};
  }

private:
  Status readMember(const std::string &key) {
    bool twice = (key == "descr" && descr) ||
                 (key == "fortran_order" && fortranOrder) ||
                 (key == "shape" && shape);
    if (twice)
      return fail(ErrorCode::InvalidArgument,
                  "expected '{}' once in the header, got it twice", key);
    if (key == "descr") {
      skipSpace();
      if (!rest.empty() && (rest[0] == '[' || rest[0] == '('))
        return fail(ErrorCode::InvalidArgument,
                    "expected an array of a simple type, got a structured one");
      if (descr = readString(); !descr)
        return fail(ErrorCode::InvalidArgument,
                    "expected 'descr' to be a string, got '{}'", show());
      return {};
    }
    if (key == "fortran_order") {
      if (takeWord("True"))
        fortranOrder = true;
      else if (takeWord("False"))
        fortranOrder = false;
      else
        return fail(ErrorCode::InvalidArgument,
                    "expected 'fortran_order' to be True or False, got '{}'",
                    show());
      return {};
    }
    if (key == "shape")
      return readShape();
    return fail(ErrorCode::InvalidArgument,
                "expected 'descr', 'fortran_order' and 'shape' in the header, "
                "got '{}'",
                key);
  }

  Status readShape() {
    if (!take('('))
      return fail(ErrorCode::InvalidArgument,
                  "expected 'shape' to be a tuple, got '{}'", show());
    std::vector<int64_t> extents;
    bool comma = true;
    while (!take(')')) {
      auto extent = comma ? readInteger() : std::nullopt;
      if (!extent || *extent < 0)
        return fail(ErrorCode::InvalidArgument,
                    "expected 'shape' to hold integers from 0 to 2^63 - 1, got "
                    "'{}'",
                    show());
      if (extents.size() == runtime::kMaxRank)
        return fail(ErrorCode::InvalidArgument,
                    "expected at most {} dimensions, got more",
                    +runtime::kMaxRank);
      extents.push_back(*extent);
      comma = take(',');
    }
    if (extents.size() == 1 && !comma)
      return fail(ErrorCode::InvalidArgument,
                  "expected 'shape' to be a tuple, got ({})", extents[0]);
    shape = std::move(extents);
    return {};
  }

  void skipSpace() {
    size_t begin = rest.find_first_not_of(" \t\r\n");
    rest.remove_prefix(std::min(begin, rest.size()));
  }
  bool take(char wanted) {
    skipSpace();
    if (rest.empty() || rest[0] != wanted)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (rest.substr(0, word.size()) != word)
      return false;
    rest.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string> readString() {
    skipSpace();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return std::nullopt;
    size_t end = rest.find(rest[0], 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string value(rest.substr(1, end - 1));
    // None of the known strings has an escape or anything unprintable.
    if (std::any_of(value.begin(), value.end(),
                    [](char c) { return c < ' ' || c > '~' || c == '\\'; }))
      return std::nullopt;
    rest.remove_prefix(end + 1);
    return value;
  }
  std::optional<int64_t> readInteger() {
    skipSpace();
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc())
      return std::nullopt;
    rest.remove_prefix(end - rest.data());
    if (!rest.empty() && rest[0] == 'L') // Python 2's long integers
      rest.remove_prefix(1);
    return value;
  }

  /// Shows the next characters, for a message of one line.
  std::string show() const {
    std::string text(rest.substr(0, 24));
    for (char &c : text)
      if (c < ' ' || c > '~')
        c = '?';
    return text;
  }

  std::string_view rest;
  std::optional<std::string> descr;
  std::optional<bool> fortranOrder;
  std::optional<std::vector<int64_t>> shape;
};

} // namespace

Result<NpyHeader> tools::parseNpyHeader(std::string_view start) {
  if (start.substr(0, kMagic.size()) != kMagic)
    return fail(ErrorCode::InvalidArgument,
                "expected an .npy file, got one that doesn't start with "
                "\\x93NUMPY");
  if (start.size() < 8)
    return fail(ErrorCode::InvalidArgument,
                "expected an .npy header, got a file of {} bytes",
                start.size());
  unsigned major = static_cast<uint8_t>(start[6]);
  unsigned minor = static_cast<uint8_t>(start[7]);
  if (major < 1 || major > 3 || minor != 0)
    return fail(ErrorCode::InvalidArgument,
                "expected .npy format 1.0, 2.0 or 3.0, got {}.{}", major,
                minor);
  size_t lengthBytes = major == 1 ? 2 : 4;
  size_t textOffset = 8 + lengthBytes;
  if (start.size() < textOffset)
    return fail(ErrorCode::InvalidArgument,
                "expected an .npy header, got a file of {} bytes",
                start.size());
  uint64_t length = loadBits(start.data() + 8, lengthBytes);
  if (length > kMaxNpyHeader)
    return fail(ErrorCode::InvalidArgument,
                "expected a header of at most {} bytes, got {}", +kMaxNpyHeader,
                length);
  if (start.size() - textOffset < length)
    return fail(ErrorCode::InvalidArgument,
                "expected a header of {} bytes, got a file that ends after {}",
                length, start.size() - textOffset);
  auto header = HeaderReader(start.substr(textOffset, length)).read();
  if (header)
    header->dataOffset = textOffset + length;
  return header;
}

const char *tools::getNpyType(ElementType type) {
  switch (type) {
  case ElementType::I1:
    return "|b1";
  case ElementType::I8:
    return "|i1";
  case ElementType::I16:
    return "<i2";
  case ElementType::I32:
    return "<i4";
  case ElementType::I64:
  case ElementType::Index:
    return "<i8";
  case ElementType::F16:
    return "<f2";
  case ElementType::BF16:
    return "<u2";
  case ElementType::F32:
    return "<f4";
  case ElementType::F64:
    return "<f8";
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
  case ElementType::F8E8M0FNU:
    return "|u1";
  }
  return "";
}

/// The types that hold elements of `type`, without their byte order, the one
/// that is written first.
static std::vector<std::string_view> getAcceptedTypes(ElementType type) {
  switch (type) {
  case ElementType::I1:
    return {"b1"};
  case ElementType::I8:
    return {"i1", "u1"};
  case ElementType::I16:
    return {"i2", "u2"};
  case ElementType::I32:
    return {"i4", "u4"};
  case ElementType::I64:
  case ElementType::Index:
    return {"i8", "u8"};
  case ElementType::F16:
    return {"f2"};
  case ElementType::BF16:
    return {"u2", "V2", "bfloat16"};
  case ElementType::F32:
    return {"f4"};
  case ElementType::F64:
    return {"f8"};
  case ElementType::F8E4M3FN:
    return {"u1", "V1", "float8_e4m3fn"};
  case ElementType::F8E5M2: // ml_dtypes calls this one f1
    return {"u1", "V1", "f1", "float8_e5m2"};
  case ElementType::F8E8M0FNU:
    return {"u1", "V1", "float8_e8m0fnu"};
  }
  return {};
}

Status tools::checkNpyType(std::string_view descr, ElementType type) {
  std::string_view bare = descr;
  char order = '|';
  if (!bare.empty() &&
      std::string_view("<>|=").find(bare[0]) != std::string_view::npos) {
    order = bare[0];
    bare.remove_prefix(1);
  }
  auto accepted = getAcceptedTypes(type);
  bool fits =
      std::find(accepted.begin(), accepted.end(), bare) != accepted.end();
  bool oneByte = runtime::getBytes(type) == 1;
  if (fits && order == '>' && !oneByte)
    return fail(ErrorCode::InvalidArgument,
                "expected little-endian data, got '{}'", descr);
  bool named = bare.size() > 2;
  if (fits && (oneByte || named || order == '<' || bare[0] == 'V'))
    return {};
  std::string list;
  for (size_t i = 0; i < accepted.size(); ++i)
    list += fmt::format("{}'{}{}'",
                        i == 0                     ? ""
                        : i + 1 == accepted.size() ? " or "
                                                   : ", ",
                        accepted[i].size() > 2             ? ""
                        : oneByte || accepted[i][0] == 'V' ? "|"
                                                           : "<",
                        accepted[i]);
  return fail(ErrorCode::InvalidArgument, "expected {} data as {}, got '{}'",
              toString(type), list, descr);
}
