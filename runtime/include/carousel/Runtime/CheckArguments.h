//===- CheckArguments.h - arguments without a device ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch would say of its arguments and make of its workspaces, for
// programs that launch later or elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_CHECKARGUMENTS_H
#define CAROUSEL_RUNTIME_CHECKARGUMENTS_H

#include "carousel/Runtime/Manifest.h"

namespace carousel::runtime {

/// Checks what a launch would before it chooses a variant: the number of
/// arguments, their types, extents, strides and addresses.
Status checkArguments(const KernelInfo &kernel, const Argument *arguments,
                      size_t count) noexcept;

/// The extents of the kernel's workspaces, in their order, that a launch with
/// these arguments would compute on a device of so many multiprocessors.
Result<std::vector<std::vector<int64_t>>>
computeWorkspaceExtents(const KernelInfo &kernel, const Argument *arguments,
                        size_t count, int64_t multiprocessors) noexcept;

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_CHECKARGUMENTS_H
