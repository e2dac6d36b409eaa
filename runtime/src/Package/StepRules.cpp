//===- StepRules.cpp - what steps of programs may work on -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StepRules.h. No number of a package is multiplied or added without a
// check.
//
//===----------------------------------------------------------------------===//

#include "StepRules.h"

#include "carousel/Support/TensorOverlap.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace carousel::runtime {

bool StepView::isEmpty() const {
  return std::find(extents.begin(), extents.end(), 0) != extents.end();
}

static std::optional<int64_t> getConstant(const Expression &expression) {
  if (expression.nodes.size() != 1 ||
      expression.nodes[0].op != Expression::Op::Constant)
    return std::nullopt;
  return expression.nodes[0].value;
}

std::optional<StepView> getConstantView(const OperandInfo &operand) {
  StepView view;
  view.elementBytes = static_cast<int64_t>(getBytes(operand.element));
  for (auto [from, to] : {std::pair(&operand.extents, &view.extents),
                          std::pair(&operand.strides, &view.strides)})
    for (const Expression &expression : *from) {
      std::optional<int64_t> value = getConstant(expression);
      if (!value)
        return std::nullopt;
      to->push_back(*value);
    }
  std::optional<int64_t> offset = getConstant(operand.offset);
  if (!offset)
    return std::nullopt;
  view.offset = *offset;
  return view;
}

/// The bytes that the elements of a view take, those between them included;
/// nothing if there are 2^63 or more, or a stride is negative. No extent is 0
/// or negative.
static std::optional<int64_t> getSpan(const std::vector<int64_t> &extents,
                                      const std::vector<int64_t> &strides,
                                      int64_t elementBytes) {
  int64_t count = 1;
  for (size_t dim = 0; dim < extents.size(); ++dim) {
    int64_t length;
    // No access depends on the stride of a dimension with one element.
    if (extents[dim] == 1)
      continue;
    if (strides[dim] < 0 ||
        __builtin_mul_overflow(extents[dim] - 1, strides[dim], &length) ||
        __builtin_add_overflow(count, length, &count))
      return std::nullopt;
  }
  if (__builtin_mul_overflow(count, elementBytes, &count))
    return std::nullopt;
  return count;
}

std::optional<int64_t> getConstantReach(const OperandInfo &operand,
                                        const ProgramInfo &program) {
  if (operand.kind == OperandInfo::Kind::Constant)
    return static_cast<int64_t>(program.constants[operand.number].bytes);
  const ArgumentInfo &info = program.arguments[operand.number];
  std::vector<int64_t> strides = info.strides;
  auto isDynamic = [](int64_t value) {
    return value == ArgumentInfo::kDynamic;
  };
  if (std::any_of(info.extents.begin(), info.extents.end(), isDynamic) ||
      std::any_of(strides.begin(), strides.end(), isDynamic))
    return std::nullopt;
  if (std::find(info.extents.begin(), info.extents.end(), 0) !=
      info.extents.end())
    return 0;
  if (info.contiguous) {
    strides.resize(info.extents.size());
    int64_t stride = 1;
    for (size_t dim = strides.size(); dim-- > 0;) {
      strides[dim] = stride;
      // No argument has so many elements; the launch says so.
      if (__builtin_mul_overflow(stride, info.extents[dim], &stride))
        return std::nullopt;
    }
  }
  return getSpan(info.extents, strides,
                 static_cast<int64_t>(getBytes(info.element)));
}

std::optional<std::string> explainView(const StepView &view,
                                       const OperandInfo &operand,
                                       const ProgramInfo &program,
                                       std::optional<int64_t> reach) {
  for (int64_t extent : view.extents)
    if (extent < 0)
      return fmt::format("expected a step on extents that are not negative, "
                         "got {}",
                         extent);
  if (view.isEmpty())
    return std::nullopt;
  std::optional<int64_t> span =
      getSpan(view.extents, view.strides, view.elementBytes);
  int64_t end = 0;
  if (span && view.offset >= 0 &&
      !__builtin_add_overflow(*span, view.offset, &end) &&
      (!reach || end <= *reach))
    return std::nullopt;
  return fmt::format("expected a step within {} bytes of {}, got {} bytes from "
                     "{} on",
                     reach ? std::to_string(*reach) : "the",
                     describeBase(operand, program), span.value_or(INT64_MAX),
                     view.offset);
}

std::optional<std::string> explainScratch(const StepView &view) {
  if (view.extents[0] <= 1 || view.strides[0] == 1)
    return std::nullopt;
  return fmt::format("expected memory for a library with the stride 1, got {}",
                     view.strides[0]);
}

std::optional<std::string> explainAlignment(const StepView &view,
                                            const OperandInfo &operand,
                                            const ProgramInfo &program,
                                            uint64_t address,
                                            uint64_t granule) {
  uint64_t bytes = std::min(granule, static_cast<uint64_t>(view.elementBytes));
  if (view.isEmpty() || address % bytes == 0)
    return std::nullopt;
  return fmt::format("expected a step on {} at a multiple of {} bytes, got "
                     "byte {} of {}",
                     toString(operand.element), bytes, view.offset,
                     describeBase(operand, program));
}

bool isNested(const StepView &view) {
  if (view.isEmpty())
    return true;
  std::vector<std::pair<int64_t, int64_t>> dims; // stride and extent
  for (size_t dim = 0; dim < view.extents.size(); ++dim)
    if (view.extents[dim] > 1)
      dims.push_back({view.strides[dim], view.extents[dim]});
  std::sort(dims.begin(), dims.end());
  int64_t last = 0; // element of the smaller dimensions
  for (auto [stride, extent] : dims) {
    if (stride <= last)
      return false;
    last += (extent - 1) * stride; // part of a span
  }
  return true;
}

std::string explainNotNested(const StepView &view) {
  return fmt::format("expected a target whose strides each step over all "
                     "elements of the smaller ones, got the extents {} and the "
                     "strides {}",
                     fmt::join(view.extents, "x"),
                     fmt::join(view.strides, ", "));
}

static TensorMemory getMemory(const StepView &view, uint64_t address) {
  return {address, view.extents.data(), view.strides.data(),
          view.extents.size(), view.elementBytes};
}

bool mayShareElements(const StepView &lhs, uint64_t lhsAddress,
                      const StepView &rhs, uint64_t rhsAddress) {
  return mayShareElements(getMemory(lhs, lhsAddress),
                          getMemory(rhs, rhsAddress));
}

bool isSame(const StepView &lhs, uint64_t lhsAddress, const StepView &rhs,
            uint64_t rhsAddress) {
  return isSameTensor(getMemory(lhs, lhsAddress), getMemory(rhs, rhsAddress));
}

std::string explainSharing(const std::string &base) {
  return fmt::format("expected a step that writes no element of {} that it "
                     "also uses, got views that overlap",
                     base);
}

std::string describeBase(const OperandInfo &operand,
                         const ProgramInfo &program) {
  return operand.kind == OperandInfo::Kind::Constant
             ? fmt::format("constant {}", operand.number)
             : program.arguments[operand.number].name;
}

} // namespace carousel::runtime
