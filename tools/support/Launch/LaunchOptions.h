//===- LaunchOptions.h - options of programs that launch kernels *- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options that carousel-run and carousel-tune have in common.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_LAUNCH_LAUNCHOPTIONS_H
#define CAROUSEL_TOOLS_SUPPORT_LAUNCH_LAUNCHOPTIONS_H

#include "Bench.h"

#include "carousel/Runtime/Kernel.h"

namespace carousel::tools {

struct LaunchOptions {
  std::string package;
  std::string kernel; ///< empty: the only one
  runtime::LoadOptions::Via via = runtime::LoadOptions::Via::Any;
  std::vector<std::string> sources; ///< files of CUDA C++ to link in
  bool fastMath = false, lineInfo = false;
  std::vector<std::string> arguments; ///< NAME=VALUE
  /// Pass memory of one GPU for arguments in symmetric buffers.
  bool plainSymmetric = false;
  BenchOptions benchmark;
  int device = 0;
  std::string cacheDirectory;
  bool json = false, quiet = false;
};

/// How a program ends.
enum class Exit : int {
  Success = 0,
  Mismatch = 1, ///< an output isn't what --expect says
  Usage = 2,    ///< the command line, or a value or file that it names
  Failure = 3,  ///< the package, the driver, the device, the file system
};

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_LAUNCH_LAUNCHOPTIONS_H
