//===- SharedArguments.cpp - the arguments of several kernels -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Merges the descriptions of an argument: an extent that either kernel gives,
// and read and written if one kernel reads and another writes.
//
//===----------------------------------------------------------------------===//

#include "SharedArguments.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>

using namespace carousel;
using namespace carousel::simtool;
using runtime::ArgumentInfo;
using runtime::ErrorCode;
using runtime::fail;
using runtime::Result;
using runtime::SignatureInfo;

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

Result<std::vector<size_t>> simtool::addArguments(SignatureInfo &all,
                                                  const SignatureInfo &kernel) {
  std::vector<size_t> places;
  for (size_t i = 0; i < kernel.countPassed(); ++i) {
    const ArgumentInfo &argument = kernel.arguments[i];
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

runtime::Status simtool::addWorkspaces(SignatureInfo &all,
                                       const SignatureInfo &kernel,
                                       const std::vector<size_t> &known,
                                       std::vector<size_t> &places) {
  for (size_t i = kernel.countPassed(); i < kernel.arguments.size(); ++i) {
    if (i < known.size()) {
      places.push_back(known[i]);
      continue;
    }
    ArgumentInfo workspace = kernel.arguments[i];
    for (const ArgumentInfo &other : all.arguments)
      if (other.name == workspace.name)
        return fail(ErrorCode::InvalidArgument,
                    "expected {} of {} to have a name of its own, since it is "
                    "a workspace, got that of {}",
                    workspace.name, kernel.name, toString(other));
    // Expressions count the kernel's arguments.
    for (runtime::Expression &extent : workspace.workspaceExtents)
      for (runtime::Expression::Node &node : extent.nodes)
        if (node.op == runtime::Expression::Op::Extent ||
            node.op == runtime::Expression::Op::Stride ||
            node.op == runtime::Expression::Op::Scalar)
          node.argument = static_cast<uint16_t>(places[node.argument]);
    places.push_back(all.arguments.size());
    all.arguments.push_back(std::move(workspace));
  }
  return {};
}
