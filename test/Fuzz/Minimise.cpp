//===- Minimise.cpp - the lines that a fault needs ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Minimise.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace carousel::fuzz;

std::string
carousel::fuzz::minimise(const std::string &text, unsigned tries,
                         llvm::function_ref<bool(const std::string &)> fails) {
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  for (size_t size = lines.size() / 2; size > 0; size /= 2)
    for (size_t at = lines.size(); at > 0 && tries > 0; --tries) {
      size_t begin = at > size ? at - size : 0;
      llvm::SmallVector<llvm::StringRef> fewer(lines);
      fewer.erase(fewer.begin() + begin, fewer.begin() + at);
      if (fails(llvm::join(fewer, "\n")))
        lines = fewer;
      at = begin;
    }
  return llvm::join(lines, "\n");
}
