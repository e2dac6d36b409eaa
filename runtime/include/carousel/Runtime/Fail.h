//===- Fail.h - errors from format strings ---*- C++ -*-===//
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

/// The text, or as much of its start as `most` bytes hold together with a word
/// on how much is left out. `most` is at least 64.
std::string clip(std::string text, size_t most);
/// The text as a message: one line that only shows, not too long. What becomes
/// an Error needn't go through this.
std::string makeMessage(std::string_view text);

/// "a, b, c", for a message: of a list that is too long for one, its start and
/// how many more there are. `toText` is called for what is shown only.
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

/// An error to return: `return fail(ErrorCode::NotFound, "no kernel '{}'",
/// name);`
template <typename... Arguments>
tl::unexpected<Error> fail(ErrorCode code,
                           fmt::format_string<Arguments...> format,
                           Arguments &&...arguments) {
  return tl::make_unexpected(
      Error(code, fmt::format(format, std::forward<Arguments>(arguments)...)));
}

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_FAIL_H
