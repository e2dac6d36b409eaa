//===- CheckArguments.h - arguments without a device ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks arguments and computes the extents of workspaces as a launch does, for
// programs that launch later or elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_CHECKARGUMENTS_H
#define CAROUSEL_RUNTIME_CHECKARGUMENTS_H

#include "carousel/Runtime/Manifest.h"

namespace carousel::runtime {

/// Checks what a launch checks before it chooses a variant: the number of
/// arguments, their types, extents, strides and addresses.
Status checkArguments(const SignatureInfo &signature, const Argument *arguments,
                      size_t count) noexcept;

/// The extents of the kernel's workspaces, in order, as a launch with these
/// arguments computes them on a device with `multiprocessors` multiprocessors.
Result<std::vector<std::vector<int64_t>>>
computeWorkspaceExtents(const SignatureInfo &signature,
                        const Argument *arguments, size_t count,
                        int64_t multiprocessors) noexcept;

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_CHECKARGUMENTS_H
