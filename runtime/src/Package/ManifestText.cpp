//===- ManifestText.cpp - prints expressions and guards -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Manifest.h. Expressions have as few parentheses as possible.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Manifest.h"

#include "Support/Capability.h"

#include "carousel/Runtime/Fail.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace carousel::runtime {

namespace {
/// How tightly a text holds together.
enum class Binding { Sum, Product, Whole };

struct Text {
  std::string text;
  Binding binding = Binding::Whole;

  std::string within(Binding around) const {
    return binding < around ? "(" + text + ")" : text;
  }
};

Text makeInfix(const Text &left, const Text &right, char op, Binding binding) {
  // The right operand: a - (b - c) isn't (a - b) - c; a + (b + c) may overflow
  // elsewhere than (a + b) + c.
  Binding tighter = static_cast<Binding>(static_cast<int>(binding) + 1);
  return {
      fmt::format("{} {} {}", left.within(binding), op, right.within(tighter)),
      binding};
}

Text makeCall(const char *name, const Text &left, const Text &right) {
  return {fmt::format("{}({}, {})", name, left.text, right.text)};
}

Text makeText(const Expression::Node &node, const Text &left,
              const Text &right) {
  using Op = Expression::Op;
  switch (node.op) {
  case Op::Add:
    return makeInfix(left, right, '+', Binding::Sum);
  case Op::Sub:
    return makeInfix(left, right, '-', Binding::Sum);
  case Op::Mul:
    return makeInfix(left, right, '*', Binding::Product);
  case Op::FloorDiv:
    return makeCall("floordiv", left, right);
  case Op::CeilDiv:
    return makeCall("ceildiv", left, right);
  case Op::Mod:
    return makeCall("mod", left, right);
  case Op::Min:
    return makeCall("min", left, right);
  default:
    return makeCall("max", left, right);
  }
}

Text makeText(const Expression::Node &node, const SignatureInfo &signature) {
  using Op = Expression::Op;
  switch (node.op) {
  case Op::Constant:
    return {fmt::format("{}", node.value)};
  case Op::SMs:
    return {"sms"};
  case Op::Resident:
    return {"resident"};
  case Op::Scalar:
    return {signature.arguments[node.argument].name};
  default:
    return {fmt::format("{}.{}({})", signature.arguments[node.argument].name,
                        node.op == Op::Extent ? "extent" : "stride", node.dim)};
  }
}

std::string dimText(int64_t extent) {
  return extent == ArgumentInfo::kDynamic ? "?" : std::to_string(extent);
}
} // namespace

std::string toString(const Expression &expression,
                     const SignatureInfo &signature) noexcept {
  std::vector<Text> stack;
  for (const Expression::Node &node : expression.nodes) {
    if (node.op < Expression::Op::Add) {
      stack.push_back(makeText(node, signature));
      continue;
    }
    Text right = std::move(stack.back());
    stack.pop_back();
    Text made = makeText(node, stack.back(), right);
    // No message shows more, and a variant may have many long guards.
    made.text = clip(std::move(made.text), kMaxMessageBytes);
    stack.back() = std::move(made);
  }
  return stack.empty() ? "" : std::move(stack.back().text);
}

std::string toString(const Guard &guard,
                     const SignatureInfo &signature) noexcept {
  switch (guard.kind) {
  case Guard::Kind::Capability:
    if (guard.most == INT64_MAX)
      return fmt::format("compute capability is {} or later",
                         describeCapability(guard.least));
    return fmt::format("compute capability is from {} to {}",
                       describeCapability(guard.least),
                       describeCapability(guard.most));
  case Guard::Kind::Aligned:
    return fmt::format("{} is aligned to {} bytes",
                       signature.arguments[guard.argument].name, guard.least);
  case Guard::Kind::Divisible:
    return fmt::format("{} is a multiple of {}",
                       toString(guard.value, signature), guard.least);
  case Guard::Kind::Range:
    return fmt::format("{} is from {} to {}", toString(guard.value, signature),
                       guard.least, guard.most);
  case Guard::Kind::Equal:
    return fmt::format("{} and {} are equal", toString(guard.value, signature),
                       toString(guard.other, signature));
  }
  return {};
}

std::string toString(const ExternInfo &function) noexcept {
  auto spell = [](ExternInfo::Type type) {
    constexpr const char *kNames[] = {"bool",          "signed char", "short",
                                      "int",           "long long",   "__half",
                                      "__nv_bfloat16", "float",       "double",
                                      "void *",        "..."};
    return kNames[static_cast<int>(type)];
  };
  std::vector<const char *> parameters;
  for (ExternInfo::Type type : function.parameters)
    parameters.push_back(spell(type));
  return fmt::format("extern \"C\" __device__ {} {}({})",
                     function.result ? spell(*function.result) : "void",
                     function.name, fmt::join(parameters, ", "));
}

std::string toString(const ArgumentInfo &argument) noexcept {
  if (argument.kind == ArgumentInfo::Kind::Workspace) {
    std::string type;
    for (int64_t extent : argument.extents)
      type += dimText(extent) + "x";
    return fmt::format("workspace<{}{}> {}", type, toString(argument.element),
                       argument.name);
  }
  if (argument.kind == ArgumentInfo::Kind::Scalar)
    return fmt::format("{} {}", toString(argument.element), argument.name);
  std::string type;
  for (int64_t extent : argument.extents)
    type += dimText(extent) + "x";
  type += toString(argument.element);
  if (!argument.contiguous) {
    std::vector<std::string> strides;
    for (int64_t stride : argument.strides)
      strides.push_back(dimText(stride));
    type += fmt::format(", strides [{}]", fmt::join(strides, ", "));
  }
  constexpr const char *kAccesses[] = {"in", "out", "inout"};
  constexpr const char *kSharings[] = {"", ", symmetric", ", peer",
                                       ", multicast"};
  return fmt::format("tensor<{}> {} ({}{}{})", type, argument.name,
                     kAccesses[static_cast<int>(argument.access)],
                     argument.isParameter ? ", parameter" : "",
                     kSharings[static_cast<int>(argument.sharing)]);
}

std::string toString(const ArgumentInfo &argument,
                     const SignatureInfo &signature) noexcept {
  if (argument.kind != ArgumentInfo::Kind::Workspace)
    return toString(argument);
  std::vector<std::string> extents;
  for (const Expression &extent : argument.workspaceExtents)
    extents.push_back(toString(extent, signature));
  return fmt::format("workspace<[{}] x {}> {}", fmt::join(extents, ", "),
                     toString(argument.element), argument.name);
}

const char *toString(StepInfo::Kind kind) noexcept {
  switch (kind) {
  case StepInfo::Kind::Launch:
    return "launch";
  case StepInfo::Kind::Fill:
    return "fill";
  case StepInfo::Kind::Copy:
    return "copy";
  case StepInfo::Kind::Matmul:
    return "matmul";
  }
  return "unknown";
}

} // namespace carousel::runtime
