//===- Fail.h - errors from format strings ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_FAIL_H
#define CAROUSEL_RUNTIME_FAIL_H

#include "carousel/Runtime/Error.h"

#include <fmt/format.h>

namespace carousel::runtime {

/// The text if it has at most `most` bytes. Otherwise the start of the text and
/// the number of bytes left out, in `most` bytes. `most` is at least 64.
std::string clip(std::string text, size_t most);
/// The text as a message: one line of limited length, with control characters
/// escaped. Error does this to its own text.
std::string makeMessage(std::string_view text);

/// "a, b, c", for a message. A list that is too long is cut, and the number of
/// elements left out follows. `toText` is called for shown elements only.
template <typename List, typename ToText>
std::string join(const List &list, std::string_view separator, ToText toText) {
  constexpr size_t kMaxShown = kMaxMessageBytes / 2;
  std::string text;
  size_t left = std::size(list);
  for (const auto &element : list) {
    if (text.size() > kMaxShown)
      return fmt::format("{}{}and {} more", clip(std::move(text), kMaxShown),
                         separator, left);
    if (!text.empty())
      text += separator;
    text += toText(element);
    --left;
  }
  return text;
}

/// Makes an error to return:
/// `return fail(ErrorCode::NotFound, "no kernel '{}'", name);`
template <typename... Arguments>
tl::unexpected<Error> fail(ErrorCode code,
                           fmt::format_string<Arguments...> format,
                           Arguments &&...arguments) {
  return tl::make_unexpected(
      Error(code, fmt::format(format, std::forward<Arguments>(arguments)...)));
}

/// The result; its error's message gets the formatted text and ": " before it.
/// `prefixError(checkOwnUser(), "session")`
template <typename T, typename... Arguments>
Result<T> prefixError(Result<T> result, fmt::format_string<Arguments...> format,
                      Arguments &&...arguments) {
  if (!result)
    return fail(result.error().code, "{}: {}",
                fmt::format(format, std::forward<Arguments>(arguments)...),
                result.error().message);
  return result;
}

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_FAIL_H
