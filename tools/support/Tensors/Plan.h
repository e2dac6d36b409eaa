//===- Plan.h - tensors to write and to compare -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of --arg, --out and --expect for one kernel. They are checked
// before a run and carried out after it. carousel-run and carousel-sim share
// these options.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_TENSORS_PLAN_H
#define CAROUSEL_TOOLS_SUPPORT_TENSORS_PLAN_H

#include "Arguments.h"
#include "OutputReport.h"

namespace carousel::tools {

/// An output to compare or to write.
struct Output {
  size_t argument = 0;
  std::string text; ///< of the option
  TensorValue expected;
};

/// The meaning of a command line for a kernel.
struct Plan {
  std::vector<ArgumentValue> values;
  std::vector<Output> files, expectations;
};

/// Lists of NAME=VALUE as the options give them.
struct TensorOptions {
  const std::vector<std::string> &arguments, &outputs, &expectations;
  /// The multiprocessors of the device whose memory the workspaces are in, if
  /// that is the tool's: they have values then, and are outputs.
  std::optional<int64_t> multiprocessors = std::nullopt;
};

Result<Plan> makePlan(const runtime::SignatureInfo &kernel,
                      const TensorOptions &options);

/// The contents that `output` is to have.
Result<HostBuffer> makeExpected(const runtime::ArgumentInfo &argument,
                                const Output &output, ProgressMode mode);

/// Compares the tensor `got` with what makeExpected gave.
ComparisonReport compareOutput(const runtime::ArgumentInfo &argument,
                               const Output &output, const Layout &layout,
                               const std::byte *got, const HostBuffer &expected,
                               const Tolerance &tolerance, ProgressMode mode);

Status writeOutput(const runtime::ArgumentInfo &argument, const Output &output,
                   const Layout &layout, const std::byte *data,
                   ProgressMode mode);

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_TENSORS_PLAN_H
