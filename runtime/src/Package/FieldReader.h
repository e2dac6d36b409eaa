//===- FieldReader.h - checked reads of JSON values -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads values of the types that a manifest has. It keeps the first violation
// with its path. After that, reads return harmless values and lists are empty,
// so that callers need no checks of their own.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_PACKAGE_FIELDREADER_H
#define CAROUSEL_RUNTIME_SRC_PACKAGE_FIELDREADER_H

#include "JSONReader.h"
#include "Spelling.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Runtime/Manifest.h"

#include <optional>

namespace carousel::runtime {

/// A value and the way to it. Points at the fields around it, which are locals
/// of the calls further up.
struct Field {
  JSONValue value;
  const Field *parent = nullptr;
  std::string_view member = {}; ///< its name, in an object
  size_t element = 0;           ///< its number, in a list

  /// "kernels[0].name"
  std::string getPath() const;
};

class FieldReader {
public:
  bool hasFailed() const { return error.has_value(); }
  Error takeError() { return std::move(*error); }

  /// "PATH: " and the message; only the first one counts.
  template <typename... Arguments>
  void fail(const Field &field, fmt::format_string<Arguments...> format,
            Arguments &&...arguments) {
    if (!error)
      setError(ErrorCode::InvalidPackage, field,
               fmt::format(format, std::forward<Arguments>(arguments)...));
  }
  void setError(ErrorCode code, const Field &field, const std::string &message);

  /// A member that must be there.
  Field get(const Field &object, std::string_view member);
  /// A member that may be absent, of what must be an object.
  std::optional<Field> find(const Field &object, std::string_view member);

  /// Calls `read` with each element.
  template <typename Read> void forEach(const Field &list, Read read) {
    std::optional<JSONArray> elements = list.value.getArray();
    if (!elements)
      return fail(list, "expected a list, got {}", list.value.describe());
    size_t index = 0;
    for (JSONValue value : *elements) {
      if (hasFailed())
        return;
      read(Field{value, &list, {}, index++});
    }
  }
  /// The same for a list that must have this length.
  template <typename Read>
  void forEach(const Field &list, size_t length, Read read) {
    std::optional<JSONArray> elements = list.value.getArray();
    if (elements && elements->size() != length)
      return fail(list, "expected a list of {}, got {}", length,
                  elements->size());
    forEach(list, read);
  }

  int64_t readInteger(const Field &field, int64_t least, int64_t most);
  bool readBool(const Field &field);
  std::string_view readString(const Field &field);
  /// A string that is not empty, has no control characters, and isn't too long.
  std::string readName(const Field &field);
  void checkLength(const Field &field, std::string_view name);

  template <typename Enum, size_t count>
  Enum readEnum(const Field &field, const Spelling<Enum> (&spellings)[count]) {
    if (std::optional<std::string_view> text = field.value.getString())
      for (const Spelling<Enum> &spelling : spellings)
        if (*text == spelling.text)
          return spelling.value;
    std::string expected;
    for (size_t i = 0; i < count; ++i)
      expected += fmt::format("{}'{}'",
                              i == 0           ? ""
                              : i + 1 == count ? " or "
                                               : ", ",
                              spellings[i].text);
    fail(field, "expected {}, got {}", expected, field.value.describe());
    return spellings[0].value;
  }

private:
  std::optional<Error> error;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_PACKAGE_FIELDREADER_H
