//===- SharedArguments.h - the arguments of several kernels -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that run one after the other share arguments by name: arguments of
// the same name are the same memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SIM_SHAREDARGUMENTS_H
#define CAROUSEL_TOOLS_SIM_SHAREDARGUMENTS_H

#include "carousel/Runtime/Manifest.h"

namespace carousel::simtool {

/// Adds the arguments of `kernel` that callers pass and that `all` doesn't
/// have. Returns which of `all` each of them is; an error where one of the same
/// name is another kind of thing.
runtime::Result<std::vector<size_t>>
addArguments(runtime::SignatureInfo &all, const runtime::SignatureInfo &kernel);

/// Adds the kernel's workspaces, once `all` has all other arguments, and
/// appends which of `all` they are. An error where another argument has the
/// name, unless `known` has it: those of the same kernel in an earlier launch.
runtime::Status addWorkspaces(runtime::SignatureInfo &all,
                              const runtime::SignatureInfo &kernel,
                              const std::vector<size_t> &known,
                              std::vector<size_t> &places);

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_SHAREDARGUMENTS_H
