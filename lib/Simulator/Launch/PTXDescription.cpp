//===- PTXDescription.cpp - the parameters of a kernel of PTX -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PTXDescription.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Simulator/PTXDescription.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace carousel::sim;
namespace sim = carousel::sim;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {

/// An argument of the gpu.func, in order.
struct Named {
  std::string name, type;
  /// The memref from which a tensor map is encoded.
  std::string source;
};

/// Functions return false after an error.
class Description {
public:
  explicit Description(std::string &error) : error(error) {}

  bool addParameter(StringRef part);
  bool print(StringRef kernel, ArrayRef<StringRef> attributes,
             PTXDescription &to);

private:
  bool addMember(StringRef part, bool isInStruct);
  bool add(StringRef name, StringRef type, StringRef source = {});
  bool failAt(StringRef part) {
    error =
        ("expected parameters as NAME: TYPE, ..., got '" + part + "'").str();
    return false;
  }
  std::optional<unsigned> findMemRef(StringRef name) const;

  std::string &error;
  std::vector<Named> arguments;
  PTXParameters members;
};

} // namespace

/// The first place of `what` outside of brackets.
static size_t findOutside(StringRef text, StringRef what) {
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (depth == 0 && text.substr(at).starts_with(what))
      return at;
    depth += StringRef("<[({").contains(text[at]);
    // The arrow of an affine map is none.
    bool isArrow = at != 0 && text.substr(at - 1).starts_with("->");
    depth -= !isArrow && StringRef(">])}").contains(text[at]);
  }
  return StringRef::npos;
}

/// Splits at commas outside of brackets. An empty text is an empty list.
static std::vector<StringRef> splitList(StringRef text) {
  std::vector<StringRef> parts;
  text = text.trim();
  while (!text.empty()) {
    size_t end = findOutside(text, ",");
    parts.push_back(text.take_front(end).trim());
    if (end == StringRef::npos)
      break;
    text = text.drop_front(end + 1).trim();
    if (text.empty())
      parts.push_back(text);
  }
  return parts;
}

bool Description::add(StringRef name, StringRef type, StringRef source) {
  bool isName = !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '_';
  });
  if (!isName || type.empty())
    return failAt((name + ": " + type).str());
  arguments.push_back({name.str(), type.str(), source.str()});
  return true;
}

bool Description::addMember(StringRef part, bool isInStruct) {
  auto [name, type] = part.split(':');
  name = name.trim();
  type = type.trim();
  if (type.empty())
    return failAt(part);
  size_t of = findOutside(type, " of ");
  members.back().push_back(unsigned(arguments.size()));
  if (of == StringRef::npos)
    return add(name, type);
  if (isInStruct) {
    error = ("expected structs of memrefs and numbers in parameters, got the "
             "tensor map '" +
             name + "'")
                .str();
    return false;
  }
  auto [source, sourceType] = type.drop_front(of + 4).split(':');
  source = source.trim();
  return add(name, type.take_front(of).trim(), source) &&
         (sourceType.empty() || add(source, sourceType.trim()));
}

bool Description::addParameter(StringRef part) {
  members.emplace_back();
  auto [name, type] = part.split(':');
  type = type.trim();
  if (!type.consume_front("{"))
    return addMember(part, /*isInStruct=*/false);
  if (!type.consume_back("}"))
    return failAt(part);
  return llvm::all_of(splitList(type), [&](StringRef member) {
    return addMember(member, /*isInStruct=*/true);
  });
}

/// carousel.encode numbers the arguments that aren't maps.
std::optional<unsigned> Description::findMemRef(StringRef name) const {
  unsigned number = 0;
  for (const Named &argument : arguments) {
    if (!argument.source.empty())
      continue;
    if (argument.name == name)
      return number;
    ++number;
  }
  return std::nullopt;
}

bool Description::print(StringRef kernel, ArrayRef<StringRef> attributes,
                        PTXDescription &to) {
  std::string list;
  for (const auto &[number, argument] : llvm::enumerate(arguments)) {
    std::string attribute = llvm::formatv(
        "carousel.argument = #carousel.argument<\"{0}\">", argument.name);
    if (!argument.source.empty()) {
      std::optional<unsigned> source = findMemRef(argument.source);
      if (!source) {
        error = "expected the tensor map '" + argument.name +
                "' in parameters to be of memory in the list, got '" +
                argument.source + "'";
        return false;
      }
      attribute = llvm::formatv(
          "carousel.encode = #carousel.encode<argument = {0}>", *source);
    }
    list += llvm::formatv("{0}%arg{1}: {2} {{{3}}", number == 0 ? "" : ", ",
                          number, argument.type, attribute);
  }
  to.text = "gpu.module @ptx {\n  gpu.func @\"";
  llvm::raw_string_ostream stream(to.text);
  llvm::printEscapedString(kernel, stream);
  stream << "\"(" << list << ") kernel"
         << (attributes.empty() ? "" : " attributes {")
         << llvm::join(attributes, ", ") << (attributes.empty() ? "" : "}")
         << " {\n    gpu.return\n  }\n}\n";
  to.members = std::move(members);
  return true;
}

std::optional<PTXDescription> sim::describePTX(StringRef kernel,
                                               StringRef parameters,
                                               ArrayRef<StringRef> attributes,
                                               std::string &error) {
  Description description(error);
  for (StringRef part : splitList(parameters))
    if (!description.addParameter(part))
      return std::nullopt;
  PTXDescription result;
  if (!description.print(kernel, attributes, result))
    return std::nullopt;
  return result;
}
