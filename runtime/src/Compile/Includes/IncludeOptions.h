//===- IncludeOptions.h - NVRTC's options that name files -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a list of NVRTC's options. Returns the directories that it searches,
// the headers that come before the text, and whether any option may read or
// write other files.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_INCLUDEOPTIONS_H
#define CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_INCLUDEOPTIONS_H

#include <string>
#include <vector>

namespace carousel::runtime {

struct IncludeOptions {
  std::vector<std::string> directories;
  std::vector<std::string> preIncludes;
  /// All the others.
  std::vector<std::string> rest;
  /// Whether it is known of all of `rest` that they read and write no file.
  bool areKnown = true;
  /// Whether the code has the working directory in it, as line information has.
  bool hasPaths = false;
};

IncludeOptions readIncludeOptions(const std::vector<std::string> &options);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_INCLUDEOPTIONS_H
