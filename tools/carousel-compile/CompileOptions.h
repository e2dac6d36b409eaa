//===- CompileOptions.h - the command line of carousel-compile --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options and their help texts.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_COMPILE_COMPILEOPTIONS_H
#define CAROUSEL_TOOLS_COMPILE_COMPILEOPTIONS_H

#include "carousel/Package/CompilePackage.h"

namespace carousel {

struct CompileToolOptions {
  std::string input;
  std::string output;
  bool quiet;
  enum class Explain { No, Text, JSON, SVG } explain = Explain::No;
  CompilePackageOptions compile;
  bool hasOthers = false; ///< options of LLVM's, which may change the code
  std::string error;      ///< what is wrong with the command line, or empty
};

/// Prints help and ends the program where that is asked for.
CompileToolOptions parseCompileToolOptions(int argc, char **argv);

} // namespace carousel

#endif // CAROUSEL_TOOLS_COMPILE_COMPILEOPTIONS_H
