//===- LaunchShape.h - grid, block and residency of a launch ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_LAUNCH_LAUNCHSHAPE_H
#define CAROUSEL_LIB_SIMULATOR_LAUNCH_LAUNCHSHAPE_H

#include "../Compile/KernelModule.h"
#include "../Grid/Grid.h"
#include "LaunchArguments.h"

namespace carousel::sim {

struct LaunchShape {
  GridShape grid;
  uint64_t dynamicSharedBytes = 0;

  /// Computes the shape from the options, or from carousel.launch. Returns an
  /// empty string, or an error of one line. Shared memory over the chip's limit
  /// is a finding instead. `isCoresident`: all CTAs must be resident at once.
  /// `isBlockProgram`: a CTA has one thread, whatever the launch states.
  /// `launch` has a cluster only if CTAs of the kernel form one.
  std::string compute(LaunchAttr launch, bool isCoresident, bool isBlockProgram,
                      const StaticMemory &layout, LaunchArguments &arguments,
                      const RunOptions &options, FindingLog &log);
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_LAUNCH_LAUNCHSHAPE_H
