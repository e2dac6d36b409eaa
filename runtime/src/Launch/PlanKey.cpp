//===- PlanKey.cpp - what a program's plans depend on ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PlanKey.h.
//
//===----------------------------------------------------------------------===//

#include "PlanKey.h"

#include <algorithm>
#include <map>

namespace carousel::runtime {

static void readScalars(const Expression &expression,
                        std::vector<bool> &scalars) {
  for (const Expression::Node &node : expression.nodes)
    if (node.op == Expression::Op::Scalar)
      scalars[node.argument] = true;
}

static void readScalars(const std::vector<Expression> &list,
                        std::vector<bool> &scalars) {
  for (const Expression &expression : list)
    readScalars(expression, scalars);
}

/// Powers of two, so that one alignment serves all guards.
void PlanKeyMaker::readGuard(const Guard &guard, std::vector<bool> &scalars) {
  if (guard.kind == Guard::Kind::Aligned)
    alignment = std::max(alignment, static_cast<uint64_t>(guard.least));
  readScalars(guard.value, scalars);
  readScalars(guard.other, scalars);
}

/// Those on which more depends than what the kernel gets.
std::vector<bool> PlanKeyMaker::findScalars(const KernelInfo &kernel) {
  std::vector<bool> scalars(kernel.arguments.size());
  for (const ArgumentInfo &argument : kernel.arguments)
    readScalars(argument.workspaceExtents, scalars);
  bool isNarrow = false;
  for (const VariantInfo &variant : kernel.variants) {
    isNarrow |= variant.indexBits == 32;
    for (const Guard &guard : variant.guards)
      readGuard(guard, scalars);
    for (const Expression &blocks : variant.grid)
      readScalars(blocks, scalars);
    if (variant.cost)
      readScalars(*variant.cost, scalars);
    for (const TensorMapInfo &map : variant.tensorMaps) {
      readScalars(map.extents, scalars);
      readScalars(map.strides, scalars);
      readScalars(map.offset, scalars);
    }
  }
  if (!kernel.tuned.empty())
    for (const TunedValue &value : kernel.getTunedValues())
      scalars[value.argument] = true;
  // A variant with narrow indices takes only those that fit.
  for (size_t i = 0; isNarrow && i < scalars.size(); ++i)
    if (kernel.arguments[i].element == ElementType::Index)
      scalars[i] = true;
  return scalars;
}

PlanKeyMaker::PlanKeyMaker(const Manifest &manifest, const ProgramInfo &program)
    : program(&program), isRead(program.arguments.size()),
      // The driver's rules and the library's algorithms ask for no more.
      alignment(rules::kWorkspaceAlignment) {
  for (const CheckInfo &check : program.checks)
    readGuard(check.guard, isRead);
  for (const ArgumentInfo &argument : program.arguments)
    readScalars(argument.workspaceExtents, isRead);
  std::map<uint32_t, std::vector<bool>> kernels;
  for (const StepInfo &step : program.steps) {
    const std::vector<bool> *ofKernel = nullptr;
    if (step.kind == StepInfo::Kind::Launch) {
      auto [found, isNew] = kernels.try_emplace(step.kernel);
      if (isNew)
        found->second = findScalars(manifest.kernels[step.kernel]);
      ofKernel = &found->second;
    }
    for (size_t i = 0; i < step.operands.size(); ++i) {
      const OperandInfo &operand = step.operands[i];
      readScalars(operand.offset, isRead);
      readScalars(operand.extents, isRead);
      readScalars(operand.strides, isRead);
      readScalars(operand.value, isRead);
      if (operand.kind == OperandInfo::Kind::Scalar && ofKernel &&
          (*ofKernel)[i])
        isRead[operand.number] = true;
    }
  }
}

PlanKey PlanKeyMaker::make(const std::vector<BoundArgument> &bound) const {
  PlanKey key;
  for (size_t i = 0; i < bound.size(); ++i) {
    const ArgumentInfo &argument = program->arguments[i];
    if (argument.kind == ArgumentInfo::Kind::Scalar) {
      if (isRead[i])
        key.push_back(bound[i].scalar);
      continue;
    }
    key.push_back(static_cast<int64_t>(bound[i].data % alignment));
    size_t rank = argument.extents.size();
    key.insert(key.end(), bound[i].extents, bound[i].extents + rank);
    key.insert(key.end(), bound[i].strides, bound[i].strides + rank);
  }
  return key;
}

} // namespace carousel::runtime
