//===- RunOptions.h - the command line of carousel-run ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_RUN_RUNOPTIONS_H
#define CAROUSEL_TOOLS_RUN_RUNOPTIONS_H

#include "../support/Tensors/Compare.h"
#include "Bench.h"

#include "carousel/Runtime/Kernel.h"

namespace carousel::run {

using namespace tools;

struct Options {
  std::string package;
  std::string kernel;  ///< empty: the only one, if there is no program
  std::string program; ///< empty: the only one, unless a kernel is given
  std::string variant; ///< empty: the first whose guards hold
  runtime::LoadOptions::Via via = runtime::LoadOptions::Via::Any;
  std::vector<std::string> sources; ///< files of CUDA C++ to link in
  bool fastMath = false, lineInfo = false;
  std::vector<std::string> arguments, outputs, expectations; ///< NAME=VALUE
  /// Bytes from an aligned address to the first element of each tensor.
  uint64_t misalignment = 0;
  Tolerance tolerance;
  /// Pass memory of one GPU for arguments in symmetric buffers.
  bool plainSymmetric = false;
  bool explain = false;
  bool bench = false;
  BenchOptions benchmark;
  std::optional<uint64_t> bytes; ///< instead of those of the arguments
  int device = 0;
  std::string cacheDirectory;
  bool json = false, quiet = false;

  /// Whether anything but the name of the package is given: then a kernel or
  /// program is run or explained, otherwise all are listed.
  bool namesSubject() const {
    bool loads = via != runtime::LoadOptions::Via::Any || !sources.empty() ||
                 fastMath || lineInfo;
    return loads || !kernel.empty() || !program.empty() || !variant.empty() ||
           !arguments.empty() || !outputs.empty() || !expectations.empty() ||
           bench;
  }
};

/// How the program ends.
enum class Exit : int {
  Success = 0,
  Mismatch = 1, ///< an output isn't what --expect says
  Usage = 2,    ///< the command line, or a value or file that it names
  Failure = 3,  ///< the package, the driver, the device, the file system
};

} // namespace carousel::run

#endif // CAROUSEL_TOOLS_RUN_RUNOPTIONS_H
