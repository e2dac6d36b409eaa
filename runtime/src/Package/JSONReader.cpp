//===- JSONReader.cpp - checked reads of a manifest's JSON ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lexer and the grammar are nlohmann's, used through events. Its own tree
// would keep the last of equal members, and would abort on a wrong access.
//
//===----------------------------------------------------------------------===//

#include "JSONReader.h"

#include "carousel/Support/Printable.h"

// Events need no exceptions; what would throw nevertheless aborts.
#define JSON_NOEXCEPTION
#include <nlohmann/json.hpp>

#include <algorithm>

namespace carousel::runtime {

/// Receives the parser's events; a handler that returns false ends the parse.
class JSONBuilder {
public:
  using Kind = JSONDocument::Kind;

  explicit JSONBuilder(std::string_view text) : text(text) {}

  bool null() { return add(Kind::Null); }
  bool boolean(bool value) { return add(value ? Kind::True : Kind::False); }
  bool number_integer(int64_t value) { return add(Kind::Integer, value); }
  bool number_unsigned(uint64_t value) {
    if (value <= INT64_MAX)
      return add(Kind::Integer, static_cast<int64_t>(value));
    return addText(Kind::Number, std::to_string(value));
  }
  bool number_float(double, const std::string &literal) {
    return addText(Kind::Number, literal);
  }
  bool string(std::string &value) { return addText(Kind::String, value); }
  bool key(std::string &value) { return addText(Kind::String, value); }
  bool binary(nlohmann::json::binary_t &) { return false; } // not in JSON

  bool start_array(size_t) { return open(Kind::Array); }
  bool start_object(size_t) { return open(Kind::Object); }
  bool end_array() { return close(); }
  bool end_object() { return checkMembers(unfinished.back()) && close(); }

  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &error) {
    constexpr int kNumberOverflow = 406;
    std::string_view reason = error.what();
    if (position > text.size())
      return fail(text.size(), "an early end");
    if (error.id == kNumberOverflow)
      return fail(position, "a number out of range");
    if (reason.find("ill-formed UTF-8") != std::string_view::npos)
      return fail(position, "ill-formed UTF-8");
    return fail(position, "a syntax error");
  }

  /// Says where the text is wrong and ends the parse.
  bool fail(size_t position, std::string_view what) {
    std::string_view read = text.substr(0, position);
    auto line = 1 + std::count(read.begin(), read.end(), '\n');
    size_t lineStart = read.rfind('\n') + 1; // npos + 1 is 0
    return refuse(fmt::format("expected JSON, got {} at line {}, column {}",
                              what, line, read.size() - lineStart));
  }

  Result<JSONDocument> finish(bool accepted) {
    if (!accepted)
      return tl::make_unexpected(std::move(*error));
    return std::move(document);
  }

private:
  bool refuse(const std::string &message) {
    error.emplace(ErrorCode::InvalidPackage, message);
    return false;
  }
  bool add(Kind kind, int64_t payload = 0, uint32_t size = 0) {
    // Counts keys too; close() corrects that.
    if (!unfinished.empty())
      ++document.nodes[unfinished.back()].size;
    document.nodes.push_back({kind, size, payload});
    return true;
  }
  bool addText(Kind kind, const std::string &value) {
    int64_t start = static_cast<int64_t>(document.strings.size());
    document.strings += value;
    return add(kind, start, static_cast<uint32_t>(value.size()));
  }

  bool open(Kind kind) {
    if (unfinished.size() == kMaxJSONDepth) {
      return refuse(fmt::format("expected JSON with at most {} levels, got "
                                "more",
                                kMaxJSONDepth));
    }
    add(kind);
    unfinished.push_back(document.nodes.size() - 1);
    return true;
  }
  bool close() {
    JSONDocument::Node &node = document.nodes[unfinished.back()];
    node.payload = static_cast<int64_t>(document.nodes.size());
    if (node.kind == Kind::Object)
      node.size /= 2;
    unfinished.pop_back();
    return true;
  }

  /// Whether no two members of an object have the same name.
  bool checkMembers(size_t object) {
    const std::vector<JSONDocument::Node> &nodes = document.nodes;
    names.clear();
    for (size_t index = object + 1; index < nodes.size();) {
      names.push_back(std::string_view(document.strings)
                          .substr(static_cast<size_t>(nodes[index].payload),
                                  nodes[index].size));
      const JSONDocument::Node &value = nodes[++index];
      bool nested = value.kind == Kind::Array || value.kind == Kind::Object;
      index = nested ? static_cast<size_t>(value.payload) : index + 1;
    }
    std::sort(names.begin(), names.end());
    auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end())
      return true;
    return refuse(fmt::format("expected members of different names in an "
                              "object, got {} twice",
                              quote(*twice)));
  }

  std::string_view text;
  JSONDocument document;
  std::vector<size_t> unfinished; ///< arrays and objects that aren't complete
  std::vector<std::string_view> names;
  std::optional<Error> error;
};

Result<JSONDocument> JSONDocument::parse(std::string_view text) {
  JSONBuilder builder(text);
  // The parser would take a null character for the end of the text.
  size_t null = text.find('\0');
  if (null != std::string_view::npos)
    return builder.finish(builder.fail(null + 1, "a null character"));
  return builder.finish(
      nlohmann::json::sax_parse(text.begin(), text.end(), &builder));
}

JSONValue JSONDocument::getRoot() const { return {this, 0}; }

std::string_view JSONValue::getText() const {
  return std::string_view(document->strings)
      .substr(static_cast<size_t>(node().payload), node().size);
}

size_t JSONValue::next() const {
  return node().kind == Kind::Array || node().kind == Kind::Object
             ? static_cast<size_t>(node().payload)
             : index + 1;
}

std::optional<bool> JSONValue::getBool() const {
  if (node().kind != Kind::True && node().kind != Kind::False)
    return std::nullopt;
  return node().kind == Kind::True;
}

std::optional<int64_t> JSONValue::getInteger() const {
  if (node().kind != Kind::Integer)
    return std::nullopt;
  return node().payload;
}

std::optional<std::string_view> JSONValue::getString() const {
  if (node().kind != Kind::String)
    return std::nullopt;
  return getText();
}

std::optional<JSONArray> JSONValue::getArray() const {
  if (node().kind != Kind::Array)
    return std::nullopt;
  return JSONArray(*this);
}

std::optional<JSONObject> JSONValue::getObject() const {
  if (node().kind != Kind::Object)
    return std::nullopt;
  return JSONObject(*this);
}

std::optional<JSONValue> JSONObject::find(std::string_view member) const {
  const JSONDocument *document = value.document;
  for (size_t key = value.index + 1; key != value.next();) {
    JSONValue found(document, key + 1);
    if (JSONValue(document, key).getText() == member)
      return found;
    key = found.next();
  }
  return std::nullopt;
}

std::string JSONValue::describe() const {
  switch (node().kind) {
  case Kind::Null:
    return "null";
  case Kind::True:
    return "true";
  case Kind::False:
    return "false";
  case Kind::Integer:
    return std::to_string(node().payload);
  case Kind::Number: {
    std::string_view literal = getText();
    constexpr size_t kMaxShown = 40;
    return literal.size() <= kMaxShown
               ? std::string(literal)
               : std::string(literal.substr(0, kMaxShown)) + "...";
  }
  case Kind::String:
    return quote(getText());
  case Kind::Array:
    return fmt::format("a list of {}", node().size);
  case Kind::Object:
    return "an object";
  }
  return {};
}

std::string quote(std::string_view text) {
  constexpr size_t kMaxShown = 100;
  std::string_view shown = getStart(text, kMaxShown);
  return fmt::format("'{}{}'", escapeControls(shown),
                     shown.size() < text.size() ? "..." : "");
}

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
