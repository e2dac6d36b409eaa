//===- CheckArguments.cpp - checks arguments without a device -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/CheckArguments.h"

#include "Bind.h"

namespace carousel::runtime {

static Result<std::vector<BoundArgument>>
bind(const SignatureInfo &signature, const Argument *arguments, size_t count) {
  std::vector<BoundArgument> bound(signature.arguments.size());
  CAROUSEL_TRY(bindArguments(signature, arguments, count, bound.data()));
  return bound;
}

Status checkArguments(const SignatureInfo &signature, const Argument *arguments,
                      size_t count) noexcept {
  CAROUSEL_TRY(bind(signature, arguments, count));
  return {};
}

Result<std::vector<std::vector<int64_t>>>
computeWorkspaceExtents(const SignatureInfo &signature,
                        const Argument *arguments, size_t count,
                        int64_t multiprocessors) noexcept {
  CAROUSEL_TRY_ASSIGN(auto bound, bind(signature, arguments, count));
  CAROUSEL_TRY(bindWorkspaces(signature, multiprocessors, bound.data()));
  std::vector<std::vector<int64_t>> extents;
  for (size_t i = signature.countPassed(); i < signature.arguments.size();
       ++i) {
    const int64_t *first = bound[i].extents;
    extents.emplace_back(first, first + signature.arguments[i].extents.size());
  }
  return extents;
}

} // namespace carousel::runtime
