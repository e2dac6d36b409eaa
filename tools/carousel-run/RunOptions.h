//===- RunOptions.h - the command line of carousel-run ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_RUN_RUNOPTIONS_H
#define CAROUSEL_TOOLS_RUN_RUNOPTIONS_H

#include "../support/Launch/LaunchOptions.h"
#include "../support/Tensors/Compare.h"

namespace carousel::run {

using namespace tools;

struct Options : LaunchOptions {
  std::string program; ///< empty: the only one, unless a kernel is given
  std::string variant; ///< empty: the one that a launch chooses
  std::vector<std::string> outputs, expectations; ///< NAME=VALUE
  /// Bytes from an aligned address to the first element of each tensor.
  uint64_t misalignment = 0;
  Tolerance tolerance;
  bool explain = false;
  bool bench = false;
  bool loadsParameters = false;  ///< before the run
  std::optional<uint64_t> bytes; ///< instead of those of the arguments

  /// Whether anything but the name of the package is given: then a kernel or
  /// program is run or explained, otherwise all are listed.
  bool namesSubject() const {
    bool loads = via != runtime::LoadOptions::Via::Any || !sources.empty() ||
                 fastMath || lineInfo;
    return loads || !kernel.empty() || !program.empty() || !variant.empty() ||
           !arguments.empty() || !outputs.empty() || !expectations.empty() ||
           bench || loadsParameters;
  }
};

} // namespace carousel::run

#endif // CAROUSEL_TOOLS_RUN_RUNOPTIONS_H
