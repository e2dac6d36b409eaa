//===- JSONReader.h - checked reads of a manifest's JSON --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a JSON text into a flat tree. Refuses duplicate members and deep
// nesting, which JSON permits and manifests don't need. It doesn't recurse, and
// its memory is a small multiple of the text's size. Reads of the values of a
// manifest keep the first violation with its path. After that, they return
// harmless values and lists are empty, so that callers need no checks of their
// own.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_PACKAGE_JSONREADER_H
#define CAROUSEL_RUNTIME_SRC_PACKAGE_JSONREADER_H

#include "Spelling.h"

#include "carousel/Runtime/Error.h"
#include "carousel/Runtime/Fail.h"
#include "carousel/Runtime/Manifest.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carousel::runtime {

/// The most arrays and objects in each other. The longest expression needs half
/// of this.
inline constexpr size_t kMaxJSONDepth = 256;

class JSONArray;
class JSONObject;
class JSONValue;

/// Values in the order of the text, each followed by its elements; an object's
/// are its keys and values in turn.
class JSONDocument {
public:
  static Result<JSONDocument> parse(std::string_view text);

  /// Must not outlive the document, nor stay when that is moved.
  JSONValue getRoot() const;

private:
  friend class JSONArray;
  friend class JSONBuilder;
  friend class JSONObject;
  friend class JSONValue;
  enum class Kind : uint8_t {
    Null,
    True,
    False,
    Integer,
    Number, ///< with a fraction or an exponent, or beyond 64 bits
    String,
    Array,
    Object,
  };
  struct Node {
    Kind kind;
    uint32_t size = 0; ///< elements, members, bytes of text
    /// Integer: the value. String, Number: where its text starts. Array,
    /// Object: the index of the value that comes after it.
    int64_t payload = 0;
  };
  std::vector<Node> nodes;
  std::string strings;
};

/// One value of a document, of any kind. What only values of one kind have,
/// such as members, is had from what a conversion gives: it gives nothing for
/// values of other kinds, so that none can be taken for one of them.
class JSONValue {
public:
  /// A null of no document.
  JSONValue() = default;

  bool isNull() const { return node().kind == Kind::Null; }
  std::optional<bool> getBool() const;
  std::optional<int64_t> getInteger() const;
  std::optional<std::string_view> getString() const;
  std::optional<JSONArray> getArray() const;
  std::optional<JSONObject> getObject() const;

  /// Describes it for a message, on one line: "5", "'text'", "a list of 3".
  std::string describe() const;

private:
  friend class JSONArray;
  friend class JSONDocument;
  friend class JSONObject;
  using Kind = JSONDocument::Kind;

  JSONValue(const JSONDocument *document, size_t index)
      : document(document), index(index) {}
  const JSONDocument::Node &node() const {
    static constexpr JSONDocument::Node kNull = {Kind::Null};
    return document ? document->nodes[index] : kNull;
  }
  std::string_view getText() const; ///< String, Number
  /// The index of the value that comes after it.
  size_t next() const;

  const JSONDocument *document = nullptr;
  size_t index = 0;
};

/// A value that is an array.
class JSONArray {
public:
  size_t size() const { return value.node().size; }

  /// Elements, first to last.
  class Iterator {
  public:
    JSONValue operator*() const { return value; }
    Iterator &operator++() {
      value.index = value.next();
      return *this;
    }
    bool operator!=(const Iterator &other) const {
      return value.index != other.value.index;
    }

  private:
    friend class JSONArray;
    explicit Iterator(JSONValue value) : value(value) {}
    JSONValue value;
  };
  Iterator begin() const { return Iterator({value.document, value.index + 1}); }
  Iterator end() const { return Iterator({value.document, value.next()}); }

private:
  friend class JSONValue;
  explicit JSONArray(JSONValue value) : value(value) {}
  JSONValue value;
};

/// A value that is an object.
class JSONObject {
public:
  std::optional<JSONValue> find(std::string_view member) const;

private:
  friend class JSONValue;
  explicit JSONObject(JSONValue value) : value(value) {}
  JSONValue value;
};

/// 'text', shortened and with control characters escaped, so that it fits a
/// line.
std::string quote(std::string_view text);

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

#endif // CAROUSEL_RUNTIME_SRC_PACKAGE_JSONREADER_H
