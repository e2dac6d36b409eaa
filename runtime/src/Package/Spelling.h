//===- Spelling.h - spellings of enums in a manifest ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of an enum's values and names, for conversion in both directions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_PACKAGE_SPELLING_H
#define CAROUSEL_RUNTIME_SRC_PACKAGE_SPELLING_H

#include <cstddef>

namespace carousel::runtime {

template <typename Enum> struct Spelling {
  Enum value;
  const char *text;
};

/// How `value` is spelled; "unknown" where the table doesn't have it.
template <typename Enum, size_t count>
const char *getText(const Spelling<Enum> (&spellings)[count], Enum value) {
  for (const Spelling<Enum> &spelling : spellings)
    if (spelling.value == value)
      return spelling.text;
  return "unknown";
}

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_PACKAGE_SPELLING_H
