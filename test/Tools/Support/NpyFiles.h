//===- NpyFiles.h - .npy files for tests ------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_TOOLS_SUPPORT_NPYFILES_H
#define CAROUSEL_TEST_TOOLS_SUPPORT_NPYFILES_H

#include "../../../tools/support/Tensors/Npy.h"

namespace carousel::tools::test {

/// Magic, version, length and a header of this text.
inline std::string makeStart(std::string_view text, int version = 1) {
  std::string start("\x93NUMPY", 6);
  start += static_cast<char>(version);
  start += '\0';
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte)
    start += static_cast<char>(text.size() >> (8 * byte));
  return start + std::string(text);
}

/// A Progress that shows nothing.
struct Quiet : Progress {
  Quiet() : Progress(ProgressMode::Off, "") {}
};

} // namespace carousel::tools::test

#endif // CAROUSEL_TEST_TOOLS_SUPPORT_NPYFILES_H
