//===- ParameterDescription.cpp - --parameters ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ParameterDescription.h. Types are text for MLIR's parser, which checks
// them.
//
//===----------------------------------------------------------------------===//

#include "ParameterDescription.h"

#include "carousel/Runtime/Fail.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

using namespace carousel;
using namespace carousel::simtool;
using llvm::StringRef;
using runtime::ErrorCode;
using runtime::fail;

namespace {

/// An argument of the gpu.func, in order.
struct Named {
  std::string name, type;
  /// Of a tensor map: the memref that it is of.
  std::string source;
};

class Description {
public:
  runtime::Status addParameter(StringRef part);
  runtime::Result<ParameterDescription> finish(const std::string &kernel,
                                               bool startsInOrder);

private:
  runtime::Status addMember(StringRef part, bool isInStruct);
  runtime::Status add(StringRef name, StringRef type, std::string source = {});
  runtime::Result<std::string> encode(const Named &map);

  std::vector<Named> arguments;
  sim::PTXParameters members;
};

} // namespace

/// The first place of `what` outside of brackets.
static size_t findOutside(StringRef text, StringRef what) {
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (depth == 0 && text.substr(at).starts_with(what))
      return at;
    depth += StringRef("<[({").contains(text[at]);
    depth -= StringRef(">])}").contains(text[at]);
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

static auto failAt(StringRef part) {
  return fail(ErrorCode::InvalidArgument,
              "expected --parameters as NAME: TYPE, ..., got '{}'", part.str());
}

runtime::Status Description::add(StringRef name, StringRef type,
                                 std::string source) {
  bool isName = !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '_';
  });
  if (!isName || type.empty())
    return failAt((name + ": " + type).str());
  arguments.push_back({name.str(), type.str(), std::move(source)});
  return {};
}

runtime::Status Description::addMember(StringRef part, bool isInStruct) {
  auto [name, type] = part.split(':');
  name = name.trim();
  type = type.trim();
  if (type.empty())
    return failAt(part);
  size_t of = findOutside(type, " of ");
  members.back().push_back(unsigned(arguments.size()));
  if (of == StringRef::npos)
    return add(name, type);
  if (isInStruct)
    return fail(ErrorCode::InvalidArgument,
                "expected structs of memrefs and numbers in --parameters, got "
                "the tensor map '{}'",
                name.str());
  auto [source, sourceType] = type.drop_front(of + 4).split(':');
  CAROUSEL_TRY(add(name, type.take_front(of).trim(), source.trim().str()));
  if (sourceType.empty())
    return {};
  return add(source.trim(), sourceType.trim());
}

runtime::Status Description::addParameter(StringRef part) {
  members.emplace_back();
  auto [name, type] = part.split(':');
  type = type.trim();
  if (!type.consume_front("{"))
    return addMember(part, /*isInStruct=*/false);
  if (!type.consume_back("}"))
    return failAt(part);
  for (StringRef member : splitList(type))
    CAROUSEL_TRY(addMember(member, /*isInStruct=*/true));
  return {};
}

/// carousel.encode numbers the arguments that aren't maps.
runtime::Result<std::string> Description::encode(const Named &map) {
  unsigned number = 0;
  for (const Named &argument : arguments) {
    if (argument.name == map.source && argument.source.empty())
      return fmt::format("carousel.encode = #carousel.encode<argument = {}>",
                         number);
    number += argument.source.empty();
  }
  return fail(ErrorCode::InvalidArgument,
              "expected the tensor map '{}' in --parameters to be of memory in "
              "the list, got '{}'",
              map.name, map.source);
}

runtime::Result<ParameterDescription>
Description::finish(const std::string &kernel, bool startsInOrder) {
  std::string list;
  for (const auto &[number, argument] : llvm::enumerate(arguments)) {
    std::string attribute = fmt::format(
        "carousel.argument = #carousel.argument<\"{}\">", argument.name);
    if (!argument.source.empty()) {
      auto encoded = encode(argument);
      if (!encoded)
        return tl::make_unexpected(encoded.error());
      attribute = *encoded;
    }
    list += fmt::format("{}%arg{}: {} {{{}}}", number == 0 ? "" : ", ", number,
                        argument.type, attribute);
  }
  return ParameterDescription{
      fmt::format("gpu.module @ptx {{\n  gpu.func @\"{}\"({}) kernel{} {{\n    "
                  "gpu.return\n  }}\n}}\n",
                  kernel, list,
                  startsInOrder ? " attributes {carousel.starts_in_order}"
                                : ""),
      std::move(members)};
}

runtime::Result<ParameterDescription>
simtool::describeParameters(const std::string &kernel,
                            std::string_view parameters, bool startsInOrder) {
  Description description;
  for (StringRef part : splitList(parameters))
    CAROUSEL_TRY(description.addParameter(part));
  return description.finish(kernel, startsInOrder);
}
