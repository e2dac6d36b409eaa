//===- ArgumentText.h - arguments as MLIR -----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions, arguments and their attributes, as the parser of the dialect
// reads them: for kernels and for programs.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SIM_ARGUMENTTEXT_H
#define CAROUSEL_TOOLS_SIM_ARGUMENTTEXT_H

#include "carousel/Runtime/Manifest.h"

namespace carousel::simtool {

template <typename Range, typename Print>
std::string joinText(const Range &range, Print print) {
  std::string text;
  for (const auto &element : range)
    text += (text.empty() ? "" : ", ") + print(element);
  return text;
}

/// A string of MLIR. Names of kernels, modules and programs may have any
/// printable characters, quotes and backslashes, too.
std::string quote(std::string_view text);

std::string toText(const runtime::Expression &expression);

/// The type and the attributes of an argument. Of a workspace, `passed` says
/// which extents the type doesn't state.
std::string getArgumentType(const runtime::ArgumentInfo &argument,
                            const std::vector<bool> &passed);
std::string getArgumentAttributes(const runtime::ArgumentInfo &argument,
                                  const std::vector<bool> &passed);

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_ARGUMENTTEXT_H
