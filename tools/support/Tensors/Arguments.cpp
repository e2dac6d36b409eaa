//===- Arguments.cpp - values of NAME=VALUE options -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads NAME=VALUE options. Every error names the argument and the value given.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "carousel/Runtime/CheckArguments.h"
#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace carousel;
using namespace carousel::tools;
using runtime::ArgumentInfo;
using runtime::ErrorCode;
using runtime::fail;

Result<Assignment> tools::parseAssignment(std::string_view text,
                                          const char *option) {
  size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 ||
      equals + 1 == text.size())
    return fail(ErrorCode::InvalidArgument, "expected {} NAME=VALUE, got '{}'",
                option, text);
  return Assignment{std::string(text.substr(0, equals)),
                    std::string(text.substr(equals + 1))};
}

static Result<uint64_t> parseInteger(std::string_view text, ElementType type) {
  if (type == ElementType::I1) {
    if (text == "true" || text == "1")
      return 1;
    if (text == "false" || text == "0")
      return 0;
    return fail(ErrorCode::InvalidArgument,
                "expected true, false, 0 or 1, got '{}'", text);
  }
  std::string_view digits = text;
  bool negative = !digits.empty() && digits[0] == '-';
  if (negative || (!digits.empty() && digits[0] == '+'))
    digits.remove_prefix(1);
  bool hex = digits.substr(0, 2) == "0x";
  if (hex)
    digits.remove_prefix(2);
  uint64_t magnitude = 0;
  auto [end, error] = std::from_chars(
      digits.data(), digits.data() + digits.size(), magnitude, hex ? 16 : 10);
  if (digits.empty() || end != digits.data() + digits.size() ||
      error == std::errc::invalid_argument)
    return fail(ErrorCode::InvalidArgument, "expected an integer, got '{}'",
                text);
  uint64_t limit = uint64_t(1) << (8 * runtime::getBytes(type) - 1);
  if (error != std::errc() || magnitude > limit - (negative ? 0 : 1))
    return fail(ErrorCode::InvalidArgument,
                "expected an integer from -{} to {}, got {}", limit, limit - 1,
                text);
  return negative ? 0 - magnitude : magnitude;
}

Result<uint64_t> tools::parseScalar(std::string_view text, ElementType type) {
  if (isInteger(type))
    return parseInteger(text, type);
  double value = 0;
  std::string_view digits = text;
  if (!digits.empty() && digits[0] == '+')
    digits.remove_prefix(1);
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || end != digits.data() + digits.size() ||
      error == std::errc::invalid_argument)
    return fail(ErrorCode::InvalidArgument, "expected a number, got '{}'",
                text);
  uint64_t bits = fromDouble(type, value);
  double held = toDouble(type, bits);
  bool lost =
      error != std::errc() || (std::isfinite(value) && !std::isfinite(held)) ||
      (std::isinf(value) && std::isnan(held)) ||
      (type == ElementType::F8E8M0FNU && std::isfinite(value) && held != value);
  if (lost)
    return fail(ErrorCode::InvalidArgument,
                "expected a number that {} can hold, got {}", toString(type),
                text);
  return bits;
}

/// Whether the text is a number of 64 bits, and nothing else.
static bool parseWhole(std::string_view text, uint64_t &number) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc() &&
         end == text.data() + text.size();
}

Result<TensorValue> tools::parseTensor(std::string_view text, ElementType type,
                                       TensorUse use) {
  TensorValue value;
  size_t colon = text.find(':');
  std::string_view word = text.substr(0, colon);
  using Kind = TensorValue::Kind;
  bool known = true;
  if (word == "empty" && use == TensorUse::Argument)
    value.kind = Kind::Empty;
  else if (word == "zeros")
    value.kind = Kind::Zeros;
  else if (word == "random")
    value.kind = Kind::Random;
  else if (word == "iota")
    value.kind = Kind::Iota;
  else
    known = false;
  if (known && colon != std::string_view::npos) {
    std::string_view shape = text.substr(colon + 1);
    if (size_t second = shape.find(':'); second != std::string_view::npos) {
      std::string_view number = shape.substr(second + 1);
      if (value.kind == Kind::Random) {
        if (!parseWhole(number, value.seed))
          return fail(ErrorCode::InvalidArgument,
                      "expected a seed from 0 to 2^64 - 1, got '{}'", number);
        shape = shape.substr(0, second);
      } else if (value.kind == Kind::Iota) {
        uint64_t most = getIotaCount(type);
        if (!parseWhole(number, value.count) || value.count == 0 ||
            (most != 0 && value.count > most))
          return fail(ErrorCode::InvalidArgument,
                      "expected a count of integers from 1 to {}, got '{}'",
                      most == 0 ? UINT64_MAX : most, number);
        shape = shape.substr(0, second);
      }
    }
    CAROUSEL_TRY_ASSIGN(value.layout, parseLayout(shape));
    return value;
  }
  constexpr std::string_view kSuffix = ".npy";
  bool isFile = text.size() > kSuffix.size() &&
                text.substr(text.size() - kSuffix.size()) == kSuffix;
  if (!isFile && text.find('/') == std::string_view::npos)
    return fail(ErrorCode::InvalidArgument,
                "expected a .npy file, {}zeros:SHAPE, random:SHAPE[:SEED]{}, "
                "got '{}'",
                use == TensorUse::Argument ? "empty:SHAPE, " : "",
                use == TensorUse::Argument
                    ? ", iota:SHAPE[:COUNT], like:NAME or "
                      "same:NAME"
                    : " or iota:SHAPE[:COUNT]",
                text);
  CAROUSEL_TRY_ASSIGN(auto file, NpyFile::open(std::string(text), type));
  value.kind = Kind::File;
  value.layout = file.getLayout();
  value.file = std::move(file);
  return value;
}

static size_t findArgument(const runtime::SignatureInfo &kernel,
                           std::string_view name) {
  size_t i = 0, count = kernel.countPassed();
  while (i < count && kernel.arguments[i].name != name)
    ++i;
  return i;
}

static std::string listArguments(const runtime::SignatureInfo &kernel) {
  std::string list;
  for (size_t i = 0; i < kernel.countPassed(); ++i)
    list +=
        fmt::format("{}{}", list.empty() ? "" : ", ", kernel.arguments[i].name);
  return list.empty() ? "none" : list;
}

Result<std::vector<ArgumentValue>>
tools::parseArguments(const runtime::SignatureInfo &kernel,
                      const std::vector<std::string> &options) {
  size_t count = kernel.countPassed();
  std::vector<std::optional<std::string>> texts(count);
  for (const std::string &option : options) {
    CAROUSEL_TRY_ASSIGN(auto assignment, parseAssignment(option, "--arg"));
    size_t i = findArgument(kernel, assignment.name);
    if (i == count)
      return fail(ErrorCode::InvalidArgument,
                  "expected an argument of {} ({}), got '{}'", kernel.name,
                  listArguments(kernel), assignment.name);
    if (texts[i])
      return fail(ErrorCode::InvalidArgument,
                  "expected one value for {}, got '{}' and '{}'",
                  assignment.name, *texts[i], assignment.value);
    texts[i] = std::move(assignment.value);
  }

  std::vector<ArgumentValue> values(kernel.arguments.size());
  std::vector<size_t> same(count, count); // like:NAME, same:NAME
  std::vector<bool> hasMemory(count, true);
  for (size_t i = 0; i < count; ++i) {
    const ArgumentInfo &argument = kernel.arguments[i];
    if (!texts[i])
      return fail(ErrorCode::InvalidArgument,
                  "expected a value for {}, got none; give --arg {}={}",
                  toString(argument), argument.name,
                  argument.kind == ArgumentInfo::Kind::Scalar    ? "NUMBER"
                  : argument.access == ArgumentInfo::Access::Out ? "empty:SHAPE"
                                                                 : "FILE.npy");
    if (argument.kind == ArgumentInfo::Kind::Scalar) {
      CAROUSEL_TRY_ASSIGN(values[i].scalar,
                          prefixError(parseScalar(*texts[i], argument.element),
                                      "{}", argument.name));
      continue;
    }
    std::string_view word = std::string_view(*texts[i]).substr(0, 5);
    if (word == "like:" || word == "same:") {
      std::string name = texts[i]->substr(word.size());
      same[i] = findArgument(kernel, name);
      if (same[i] == count ||
          kernel.arguments[same[i]].kind != ArgumentInfo::Kind::Tensor)
        return fail(ErrorCode::InvalidArgument,
                    "{}: expected {} with another tensor of {}, got '{}'",
                    argument.name, word, kernel.name, name);
      hasMemory[i] = word == "like:";
      if (!hasMemory[i] &&
          kernel.arguments[same[i]].element != argument.element)
        return fail(ErrorCode::InvalidArgument,
                    "{}: expected same: with a tensor of {}, got '{}'",
                    argument.name, toString(argument.element), name);
      continue;
    }
    CAROUSEL_TRY_ASSIGN(values[i].tensor,
                        prefixError(parseTensor(*texts[i], argument.element),
                                    "{}", argument.name));
  }
  for (size_t i = 0; i < count; ++i) {
    size_t from = i, memory = i;
    for (size_t steps = 0; same[from] != count; from = same[from]) {
      if (!hasMemory[from] && memory == from)
        memory = same[from];
      if (++steps > count)
        return fail(ErrorCode::InvalidArgument,
                    "{}: expected like: or same: to end at a tensor with a "
                    "shape, got a circle",
                    kernel.arguments[i].name);
    }
    if (from != i)
      values[i].tensor.layout = values[from].tensor.layout;
    if (memory != i)
      values[i].sameAs = memory;
  }
  return values;
}

std::vector<runtime::Argument>
tools::makeArguments(const runtime::SignatureInfo &kernel,
                     const std::vector<ArgumentValue> &values,
                     const std::vector<uint64_t> &addresses) {
  using runtime::Argument;
  std::vector<Argument> arguments;
  for (size_t i = 0; i < kernel.countPassed(); ++i) {
    const ArgumentInfo &info = kernel.arguments[i];
    if (info.kind == ArgumentInfo::Kind::Scalar) {
      uint64_t bits = values[i].scalar;
      arguments.push_back(info.element == ElementType::Index
                              ? Argument::index(static_cast<int64_t>(bits))
                              : Argument::scalar(info.element, bits));
      continue;
    }
    const Layout &layout = values[i].tensor.layout;
    arguments.push_back(Argument::tensor(
        info.element, addresses[i],
        static_cast<uint32_t>(layout.extents.size()), layout.extents.data(),
        layout.isRowMajor() ? nullptr : layout.strides.data()));
  }
  return arguments;
}

/// The arguments, at addresses as good as any that a device gives out.
static std::vector<runtime::Argument>
makeUnplacedArguments(const runtime::SignatureInfo &kernel,
                      const std::vector<ArgumentValue> &values) {
  constexpr uint64_t kAddress = 4096, kFarthest = uint64_t(1) << 62;
  std::vector<uint64_t> addresses(values.size(), kAddress);
  // Those that may alias have memory of their own, too.
  uint64_t next = kAddress;
  for (size_t i = 0; i < kernel.countPassed(); ++i) {
    const ArgumentInfo &info = kernel.arguments[i];
    if (info.kind != ArgumentInfo::Kind::Tensor || next >= kFarthest)
      continue;
    addresses[i] = next;
    uint64_t storage = values[i].tensor.layout.storage;
    if (storage < kFarthest / kAddress)
      next +=
          (storage * runtime::getBytes(info.element) / kAddress + 1) * kAddress;
    else
      next = kFarthest;
  }
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].sameAs)
      addresses[i] = addresses[*values[i].sameAs];
  return makeArguments(kernel, values, addresses);
}

Status tools::checkArguments(const runtime::SignatureInfo &kernel,
                             const std::vector<ArgumentValue> &values) {
  auto arguments = makeUnplacedArguments(kernel, values);
  return runtime::checkArguments(kernel, arguments.data(), arguments.size());
}

Status tools::addWorkspaces(const runtime::SignatureInfo &kernel,
                            int64_t multiprocessors,
                            std::vector<ArgumentValue> &values) {
  auto arguments = makeUnplacedArguments(kernel, values);
  CAROUSEL_TRY_ASSIGN(auto extents, runtime::computeWorkspaceExtents(
                                        kernel, arguments.data(),
                                        arguments.size(), multiprocessors));
  for (size_t i = kernel.countPassed(); i < kernel.arguments.size(); ++i) {
    CAROUSEL_TRY_ASSIGN(values[i].tensor.layout,
                        prefixError(Layout::rowMajor(std::move(
                                        extents[i - kernel.countPassed()])),
                                    "{}", kernel.arguments[i].name));
    values[i].tensor.kind = TensorValue::Kind::Zeros;
  }
  return {};
}
