//===- SimOptions.h - the command line of carousel-sim ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain values, because the command line is read without MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SIM_SIMOPTIONS_H
#define CAROUSEL_TOOLS_SIM_SIMOPTIONS_H

#include "../support/Tensors/Compare.h"
#include "Expectations.h"

#include <array>

namespace carousel::simtool {

/// How the program ends.
enum class Exit : int {
  Success = 0,
  Failure = 1, ///< findings, or an output that isn't what was expected
  Usage = 2,   ///< the command line, the module, or a value or file is wrong
};

using Dims = std::array<uint32_t, 3>;

struct Options {
  std::string input;             ///< "-": stdin; a file or a package
  std::vector<std::string> code; ///< files of PTX
  std::string parameters;
  /// Facts of a file of PTX without a description.
  bool startsInOrder = false, isCoresident = false;
  std::string kernel;
  std::string program;           ///< instead of kernels; empty: none
  std::vector<std::string> then; ///< kernels that run after it
  bool dependent = false;        ///< those as programmatic dependent launches
  std::vector<std::string> arguments, outputs, expectations; ///< NAME=VALUE
  tools::Tolerance tolerance;
  std::string reference;

  std::vector<std::string> policies = {"random"};
  uint64_t seed = 0;
  uint64_t schedules = 1; ///< seeds for each policy
  unsigned jobs = 0;      ///< 0: as many as there are cores
  Expectations findings;

  /// Files; empty: none.
  std::string record, replay, trace;
  uint32_t tracedCTAs = 8;

  std::optional<Dims> grid, block, cluster;
  std::optional<uint64_t> sharedBytes;
  uint32_t multiprocessors = 132, resident = 0;
  std::string chip = "sm_90a";
  uint32_t gpus = 1;
  std::vector<std::string> peers;      ///< NAME=OTHER
  std::vector<std::string> multicasts; ///< NAME=OTHER
  std::optional<uint32_t> stopGPU;
  uint32_t stopWithin = 1000;
  bool strict = false;
  bool loadsParameters = false;
  uint64_t stepLimit = uint64_t(1) << 32;
  unsigned findingLimit = 64;
  bool bankConflicts = false;
  /// A schedule with more excess wavefronts fails.
  std::optional<uint64_t> bankConflictLimit;

  bool json = false, quiet = false, listKernels = false, listFindings = false;
};

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_SIMOPTIONS_H
