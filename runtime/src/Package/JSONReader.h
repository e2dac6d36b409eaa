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

class JSONValue;

/// Values in the order of the text, each followed by its elements; an object's
/// are its keys and values in turn.
class JSONDocument {
public:
  static Result<JSONDocument> parse(std::string_view text);

  /// Must not outlive the document, nor stay when that is moved.
  JSONValue getRoot() const;

private:
  friend class JSONValue;
  friend class JSONBuilder;
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

/// One value of a document. The accessors of a kind want a value of that kind.
class JSONValue {
public:
  using Kind = JSONDocument::Kind;

  /// A null of no document.
  JSONValue() = default;

  bool isNull() const { return node().kind == Kind::Null; }
  bool isBool() const {
    return node().kind == Kind::True || node().kind == Kind::False;
  }
  bool isInteger() const { return node().kind == Kind::Integer; }
  bool isString() const { return node().kind == Kind::String; }
  bool isArray() const { return node().kind == Kind::Array; }
  bool isObject() const { return node().kind == Kind::Object; }

  bool getBool() const { return node().kind == Kind::True; }
  int64_t getInteger() const { return node().payload; }
  std::string_view getString() const;
  /// Of an array or object.
  size_t size() const { return node().size; }
  std::optional<JSONValue> find(std::string_view member) const;

  /// For a message, on one line: "5", "'text'", "a list of 3".
  std::string describe() const;

  /// Elements of an array, first to last.
  class Iterator {
  public:
    Iterator(const JSONDocument *document, size_t index)
        : document(document), index(index) {}
    JSONValue operator*() const { return {document, index}; }
    Iterator &operator++() {
      index = JSONValue(document, index).next();
      return *this;
    }
    bool operator!=(const Iterator &other) const {
      return index != other.index;
    }

  private:
    const JSONDocument *document;
    size_t index;
  };
  Iterator begin() const { return {document, index + 1}; }
  Iterator end() const { return {document, next()}; }

private:
  friend class JSONDocument;
  JSONValue(const JSONDocument *document, size_t index)
      : document(document), index(index) {}
  const JSONDocument::Node &node() const {
    static constexpr JSONDocument::Node kNull = {Kind::Null};
    return document ? document->nodes[index] : kNull;
  }
  size_t next() const;

  const JSONDocument *document = nullptr;
  size_t index = 0;
};

/// 'text', shortened and with control characters escaped, so that it fits a
/// line.
std::string quote(std::string_view text);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_PACKAGE_JSONREADER_H
