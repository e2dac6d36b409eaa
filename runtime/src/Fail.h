//===- Fail.h - errors from format strings ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_FAIL_H
#define CAROUSEL_RUNTIME_SRC_FAIL_H

#include "carousel/Runtime/Error.h"

#include <fmt/format.h>

namespace carousel::runtime {

/// A message is one line, whatever a caller's text brings into it.
inline std::string makeLine(std::string text) {
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  return text;
}

/// An error to return: `return fail(ErrorCode::NotFound, "no kernel '{}'",
/// name);`
template <typename... Arguments>
tl::unexpected<Error> fail(ErrorCode code,
                           fmt::format_string<Arguments...> format,
                           Arguments &&...arguments) {
  return tl::make_unexpected(Error{
      code,
      makeLine(fmt::format(format, std::forward<Arguments>(arguments)...))});
}

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_FAIL_H
