//===- Bind.h - checks arguments against a signature ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks everything that doesn't depend on the variant: the number of
// arguments, types, extents, strides and addresses. Allocates no memory unless
// there is an error.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_BIND_BIND_H
#define CAROUSEL_RUNTIME_SRC_BIND_BIND_H

#include "Evaluate.h"

#include "carousel/Runtime/Context.h"

namespace carousel::runtime {

/// Checks `count` arguments against those that the kernel's callers pass and
/// writes one BoundArgument each to `bound`, which has place for all of the
/// kernel's. Strides of
/// contiguous tensors are those that follow from the extents. Integers come out
/// sign-extended, an i1 as 0 or 1, other scalars as their bits.
Status bindArguments(const SignatureInfo &signature, const Argument *arguments,
                     size_t count, BoundArgument *bound);

/// Checks that arguments that may alias are the same tensor, or have no element
/// in common. All of `bound` that callers pass fit their arguments.
Status checkAliases(const SignatureInfo &signature, const BoundArgument *bound);

/// Checks that arguments in the memory of several GPUs are in parts of live
/// symmetric buffers: this rank's, or a peer's. A context has a rank if a Comm
/// was made with it. Takes no lock while no buffer is made or freed.
Status checkSymmetric(const SignatureInfo &signature,
                      const BoundArgument *bound, const Context::Impl &context);

/// Whether no access depends on some strides that aren't 0.
bool hasLooseStrides(const SignatureInfo &signature,
                     const BoundArgument *bound);
/// Makes these 0, which every alignment and every tensor map is fine with.
void useLooseStrides(const SignatureInfo &signature, BoundArgument *bound);

/// The address that stands for a workspace which isn't there yet: as well
/// aligned as what the driver allocates (CUDA C++ programming guide, Device
/// memory accesses), and no better.
inline constexpr uint64_t kNoWorkspace = rules::kWorkspaceAlignment;

/// Computes extents, strides and bytes of the kernel's workspaces from the
/// arguments that are bound; their address is kNoWorkspace.
Status bindWorkspaces(const SignatureInfo &signature, int64_t multiprocessors,
                      BoundArgument *bound);

/// Whether all extents, strides and linear offsets are below 2^31, and indices
/// fit 32 bits: what a variant with 32-bit indices needs. With `loosens`,
/// strides that no access depends on are 0.
bool fitsIndex32(const SignatureInfo &signature, const BoundArgument *bound,
                 bool loosens = false);

/// The first value that doesn't fit: "expected x.extent(0) to fit 32-bit
/// indices, got 4294967296".
std::string explainIndex32(const SignatureInfo &signature,
                           const BoundArgument *bound);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_BIND_BIND_H
