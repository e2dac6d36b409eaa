//===- SharedArguments.h - the arguments of several kernels -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that run one after the other take their arguments by name: what has
// one name in two of them is the same memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SIM_SHAREDARGUMENTS_H
#define CAROUSEL_TOOLS_SIM_SHAREDARGUMENTS_H

#include "carousel/Runtime/Manifest.h"

namespace carousel::simtool {

/// Adds the arguments of `kernel` that `all` doesn't have. Returns which of
/// `all` each argument of the kernel is; an error where one of the same name is
/// another kind of thing.
runtime::Result<std::vector<size_t>>
addArguments(runtime::KernelInfo &all, const runtime::KernelInfo &kernel);

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_SHAREDARGUMENTS_H
