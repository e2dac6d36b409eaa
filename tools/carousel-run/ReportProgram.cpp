//===- ReportProgram.cpp - steps of programs as text ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Report.h.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "carousel/Runtime/Fail.h"

using namespace carousel;
using namespace carousel::run;
using runtime::OperandInfo;
using runtime::ProgramInfo;
using runtime::StepInfo;

static std::string formatView(const OperandInfo &operand,
                              const ProgramInfo &program) {
  std::string text = operand.kind == OperandInfo::Kind::Constant
                         ? fmt::format("constant {}", operand.number)
                         : program.arguments[operand.number].name;
  std::string offset = toString(operand.offset, program);
  if (offset != "0")
    text += fmt::format(" from byte {}", offset);
  text += ": ";
  for (const runtime::Expression &extent : operand.extents)
    text += toString(extent, program) + " x ";
  return text + toString(operand.element);
}

static std::string format(const OperandInfo &operand,
                          const ProgramInfo &program) {
  switch (operand.kind) {
  case OperandInfo::Kind::Scalar:
    return program.arguments[operand.number].name;
  case OperandInfo::Kind::Number:
    return toString(operand.value, program);
  case OperandInfo::Kind::Bits:
    return fmt::format("{} with the bits {:#x}", toString(operand.element),
                       operand.bits);
  default:
    return formatView(operand, program);
  }
}

std::string run::formatText(const ProgramInfo &program,
                            const runtime::Manifest &manifest,
                            const runtime::PreparedProgram *prepared) {
  std::string text = formatSignature(program);
  const char *label = "checks";
  for (const runtime::CheckInfo &check : program.checks) {
    text += fmt::format("  {:<12}{}\n", label, toString(check.guard, program));
    label = "";
  }
  text += "  steps, in their order\n";
  size_t number = 0;
  for (const StepInfo &step : program.steps) {
    bool isLaunch = step.kind == StepInfo::Kind::Launch;
    text +=
        fmt::format("  {}. {}", ++number,
                    isLaunch ? "launch " + manifest.kernels[step.kernel].name
                             : toString(step.kind));
    text += step.family.empty() ? "" : fmt::format(" ({})", step.family);
    text += step.isAtLoad ? ", at load\n" : "\n";
    if (!step.sources.empty())
      text +=
          fmt::format("    {:<10}{}\n", "from", fmt::join(step.sources, ", "));
    const char *operandLabel = "operands";
    for (const OperandInfo &operand : step.operands) {
      text +=
          fmt::format("    {:<10}{}\n", operandLabel, format(operand, program));
      operandLabel = "";
    }
  }
  if (!prepared)
    return text;
  text += fmt::format("  on this device, with {} bytes of workspace\n",
                      prepared->getWorkspaceBytes());
  for (const runtime::Launch &launch : prepared->getLaunches())
    text += fmt::format("    {}, grid {}\n", launch.getVariant().function,
                        fmt::join(launch.getGrid(), " x "));
  return text;
}
