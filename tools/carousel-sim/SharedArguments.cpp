//===- SharedArguments.cpp - the arguments of several kernels -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joins what kernels say of an argument: the extents that either gives, read
// and written if one does so each.
//
//===----------------------------------------------------------------------===//

#include "SharedArguments.h"

#include "Fail.h"

#include <algorithm>

using namespace carousel;
using namespace carousel::simtool;
using runtime::ArgumentInfo;
using runtime::ErrorCode;
using runtime::fail;
using runtime::KernelInfo;
using runtime::Result;

/// False where both are known and differ.
static bool join(std::vector<int64_t> &sizes,
                 const std::vector<int64_t> &others) {
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim] == ArgumentInfo::kDynamic)
      sizes[dim] = others[dim];
    else if (others[dim] != ArgumentInfo::kDynamic && others[dim] != sizes[dim])
      return false;
  }
  return true;
}

static bool join(ArgumentInfo &argument, const ArgumentInfo &other) {
  if (argument.kind != other.kind || argument.element != other.element ||
      argument.extents.size() != other.extents.size() ||
      argument.contiguous != other.contiguous ||
      !join(argument.extents, other.extents) ||
      !join(argument.strides, other.strides))
    return false;
  if (argument.access != other.access)
    argument.access = ArgumentInfo::Access::InOut;
  return true;
}

Result<std::vector<size_t>> simtool::addArguments(KernelInfo &all,
                                                  const KernelInfo &kernel) {
  std::vector<size_t> places;
  for (const ArgumentInfo &argument : kernel.arguments) {
    auto known = std::find_if(
        all.arguments.begin(), all.arguments.end(),
        [&](const ArgumentInfo &other) { return other.name == argument.name; });
    places.push_back(size_t(known - all.arguments.begin()));
    if (known == all.arguments.end())
      all.arguments.push_back(argument);
    else if (ArgumentInfo before = *known; !join(*known, argument))
      return fail(ErrorCode::InvalidArgument,
                  "expected {} of {} to be as it is of the kernels before, {}, "
                  "got {}",
                  argument.name, kernel.name, toString(before),
                  toString(argument));
  }
  return places;
}
