//===- JSONReader.h - reads untrusted JSON ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a JSON text into a flat tree. Refuses duplicate members and deep
// nesting, which JSON permits and manifests don't need. It doesn't recurse, and
// its memory is a small multiple of the text's size.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_PACKAGE_JSONREADER_H
#define CAROUSEL_RUNTIME_SRC_PACKAGE_JSONREADER_H

#include "carousel/Runtime/Error.h"

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

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_PACKAGE_JSONREADER_H
