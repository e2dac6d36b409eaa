//===- FieldReader.cpp - checked reads of JSON values ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FieldReader.h.
//
//===----------------------------------------------------------------------===//

#include "FieldReader.h"

#include "carousel/Support/Printable.h"

namespace carousel::runtime {

std::string Field::getPath() const {
  if (!parent)
    return "";
  std::string path = parent->getPath();
  if (member.empty())
    return fmt::format("{}[{}]", path, element);
  return path.empty() ? std::string(member)
                      : fmt::format("{}.{}", path, member);
}

void FieldReader::setError(ErrorCode code, const Field &field,
                           const std::string &message) {
  std::string path = field.getPath();
  error.emplace(code, path.empty() ? message : path + ": " + message);
}

Field FieldReader::get(const Field &object, std::string_view member) {
  std::optional<Field> found = find(object, member);
  if (!found && !hasFailed())
    fail(object, "expected a member '{}', got none", member);
  return found.value_or(Field{{}, &object, member});
}

std::optional<Field> FieldReader::find(const Field &object,
                                       std::string_view member) {
  std::optional<JSONObject> members = object.value.getObject();
  if (!members) {
    fail(object, "expected an object, got {}", object.value.describe());
    return std::nullopt;
  }
  std::optional<JSONValue> value = members->find(member);
  if (!value || hasFailed())
    return std::nullopt;
  return Field{*value, &object, member};
}

int64_t FieldReader::readInteger(const Field &field, int64_t least,
                                 int64_t most) {
  if (std::optional<int64_t> value = field.value.getInteger();
      value && *value >= least && *value <= most)
    return *value;
  std::string got = field.value.describe();
  if (most != INT64_MAX)
    fail(field, "expected an integer from {} to {}, got {}", least, most, got);
  else if (least != INT64_MIN)
    fail(field, "expected an integer of at least {}, got {}", least, got);
  else
    fail(field, "expected an integer of 64 bits, got {}", got);
  return least;
}

bool FieldReader::readBool(const Field &field) {
  std::optional<bool> value = field.value.getBool();
  if (!value)
    fail(field, "expected true or false, got {}", field.value.describe());
  return value.value_or(false);
}

std::string_view FieldReader::readString(const Field &field) {
  std::optional<std::string_view> text = field.value.getString();
  if (!text)
    fail(field, "expected a string, got {}", field.value.describe());
  return text.value_or("");
}

void FieldReader::checkLength(const Field &field, std::string_view name) {
  if (name.size() > kMaxNameBytes)
    fail(field, "expected a name of at most {} bytes, got {}", kMaxNameBytes,
         name.size());
}

std::string FieldReader::readName(const Field &field) {
  std::string_view name = readString(field);
  if (name.empty() || !isPrintable(name))
    fail(field, "expected a name of printable characters, got {}",
         field.value.describe());
  checkLength(field, name);
  return std::string(name);
}

} // namespace carousel::runtime
