//===- Plan.cpp - tensors to write and to compare -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every error names the option or the argument and what was given.
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "carousel/Runtime/Fail.h"

using namespace carousel;
using namespace carousel::tools;
using runtime::ErrorCode;
using runtime::fail;
using runtime::SignatureInfo;

static Result<Output> parseOutput(const SignatureInfo &kernel,
                                  const std::string &option,
                                  const char *optionName, bool workspaces) {
  CAROUSEL_TRY_ASSIGN(auto assignment, parseAssignment(option, optionName));
  using Kind = runtime::ArgumentInfo::Kind;
  for (size_t i = 0; i < kernel.arguments.size(); ++i)
    if (kernel.arguments[i].name == assignment.name &&
        (kernel.arguments[i].kind == Kind::Tensor ||
         (workspaces && kernel.arguments[i].kind == Kind::Workspace))) {
      Output output;
      output.argument = i;
      output.text = std::move(assignment.value);
      return output;
    }
  return fail(ErrorCode::InvalidArgument,
              "expected {} with a tensor of {}, got '{}'", optionName,
              kernel.name, assignment.name);
}

Result<Plan> tools::makePlan(const SignatureInfo &kernel,
                             const TensorOptions &options) {
  CAROUSEL_TRY_ASSIGN(auto values, parseArguments(kernel, options.arguments));
  CAROUSEL_TRY(checkArguments(kernel, values));
  bool workspaces = options.multiprocessors.has_value();
  if (workspaces)
    CAROUSEL_TRY(addWorkspaces(kernel, *options.multiprocessors, values));
  Plan plan;
  plan.values = std::move(values);
  for (const std::string &option : options.outputs) {
    CAROUSEL_TRY_ASSIGN(auto output,
                        parseOutput(kernel, option, "--out", workspaces));
    for (const Output &other : plan.files)
      if (other.text == output.text)
        return fail(ErrorCode::InvalidArgument,
                    "expected --out with a file for each tensor, got {} twice",
                    other.text);
    CAROUSEL_TRY(checkWritable(output.text));
    plan.files.push_back(std::move(output));
  }
  for (const std::string &option : options.expectations) {
    CAROUSEL_TRY_ASSIGN(auto output,
                        parseOutput(kernel, option, "--expect", workspaces));
    const runtime::ArgumentInfo &argument = kernel.arguments[output.argument];
    CAROUSEL_TRY_ASSIGN(output.expected,
                        prefixError(parseTensor(output.text, argument.element,
                                                TensorUse::Expected),
                                    "--expect {}", argument.name));
    const Layout &layout = plan.values[output.argument].tensor.layout;
    if (output.expected.layout.extents != layout.extents)
      return fail(ErrorCode::InvalidArgument,
                  "--expect {}: expected the shape {}, got {}", argument.name,
                  formatShape(layout.extents),
                  formatShape(output.expected.layout.extents));
    plan.expectations.push_back(std::move(output));
  }
  return plan;
}

Result<HostBuffer> tools::makeExpected(const runtime::ArgumentInfo &argument,
                                       const Output &output,
                                       ProgressMode mode) {
  bool file = output.expected.kind == TensorValue::Kind::File;
  Progress progress(mode, (file ? "loading " : "generating ") + output.text,
                    output.expected.layout.elements *
                        runtime::getBytes(argument.element),
                    ProgressUnit::Bytes);
  return prefixError(makeContents(output.expected, argument.element, progress),
                     "--expect {}", argument.name);
}

ComparisonReport
tools::compareOutput(const runtime::ArgumentInfo &argument,
                     const Output &output, const Layout &layout,
                     const std::byte *got, const HostBuffer &expected,
                     const Tolerance &tolerance, ProgressMode mode) {
  Progress progress(mode, "comparing " + argument.name, layout.elements,
                    ProgressUnit::Count);
  ComparisonReport comparison;
  comparison.argument = argument.name;
  comparison.expected = output.text;
  comparison.element = argument.element;
  comparison.comparison =
      compare(argument.element, layout, got, output.expected.layout,
              expected.getData(), tolerance, progress);
  return comparison;
}

Status tools::writeOutput(const runtime::ArgumentInfo &argument,
                          const Output &output, const Layout &layout,
                          const std::byte *data, ProgressMode mode) {
  Progress progress(mode, "writing " + output.text,
                    layout.elements * runtime::getBytes(argument.element),
                    ProgressUnit::Bytes);
  return writeNpy(output.text, argument.element, layout, data, progress);
}
