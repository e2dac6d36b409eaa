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
  auto assignment = parseAssignment(option, optionName);
  if (!assignment)
    return tl::make_unexpected(assignment.error());
  using Kind = runtime::ArgumentInfo::Kind;
  for (size_t i = 0; i < kernel.arguments.size(); ++i)
    if (kernel.arguments[i].name == assignment->name &&
        (kernel.arguments[i].kind == Kind::Tensor ||
         (workspaces && kernel.arguments[i].kind == Kind::Workspace))) {
      Output output;
      output.argument = i;
      output.text = std::move(assignment->value);
      return output;
    }
  return fail(ErrorCode::InvalidArgument,
              "expected {} with a tensor of {}, got '{}'", optionName,
              kernel.name, assignment->name);
}

Result<Plan> tools::makePlan(const SignatureInfo &kernel,
                             const TensorOptions &options) {
  auto values = parseArguments(kernel, options.arguments);
  if (!values)
    return tl::make_unexpected(values.error());
  if (Status status = checkArguments(kernel, *values); !status)
    return tl::make_unexpected(status.error());
  bool workspaces = options.multiprocessors.has_value();
  if (workspaces)
    if (Status status =
            addWorkspaces(kernel, *options.multiprocessors, *values);
        !status)
      return tl::make_unexpected(status.error());
  Plan plan;
  plan.values = std::move(*values);
  for (const std::string &option : options.outputs) {
    auto output = parseOutput(kernel, option, "--out", workspaces);
    if (!output)
      return tl::make_unexpected(output.error());
    for (const Output &other : plan.files)
      if (other.text == output->text)
        return fail(ErrorCode::InvalidArgument,
                    "expected --out with a file for each tensor, got {} twice",
                    other.text);
    if (Status status = checkWritable(output->text); !status)
      return tl::make_unexpected(status.error());
    plan.files.push_back(std::move(*output));
  }
  for (const std::string &option : options.expectations) {
    auto output = parseOutput(kernel, option, "--expect", workspaces);
    if (!output)
      return tl::make_unexpected(output.error());
    const runtime::ArgumentInfo &argument = kernel.arguments[output->argument];
    auto expected =
        parseTensor(output->text, argument.element, TensorUse::Expected);
    if (!expected)
      return fail(expected.error().code, "--expect {}: {}", argument.name,
                  expected.error().message);
    const Layout &layout = plan.values[output->argument].tensor.layout;
    if (expected->layout.extents != layout.extents)
      return fail(ErrorCode::InvalidArgument,
                  "--expect {}: expected the shape {}, got {}", argument.name,
                  formatShape(layout.extents),
                  formatShape(expected->layout.extents));
    output->expected = std::move(*expected);
    plan.expectations.push_back(std::move(*output));
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
  auto made = makeContents(output.expected, argument.element, progress);
  if (!made)
    return fail(made.error().code, "--expect {}: {}", argument.name,
                made.error().message);
  return made;
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
