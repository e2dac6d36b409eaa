//===- ArgumentText.cpp - arguments as MLIR -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace carousel;
using namespace carousel::simtool;
using runtime::ArgumentInfo;
using runtime::Expression;

std::string simtool::quote(std::string_view text) {
  std::string quoted = "\"";
  llvm::raw_string_ostream os(quoted);
  llvm::printEscapedString(text, os);
  os << '"';
  return quoted;
}

std::string simtool::toText(const Expression &expression) {
  using Op = Expression::Op;
  std::vector<std::string> stack;
  for (const Expression::Node &node : expression.nodes) {
    auto binary = [&](const char *form) {
      std::string right = std::move(stack.back());
      stack.pop_back();
      stack.back() = fmt::format(fmt::runtime(form), stack.back(), right);
    };
    switch (node.op) {
    case Op::Constant:
      stack.push_back(std::to_string(node.value));
      break;
    case Op::Extent:
      stack.push_back(fmt::format("extent({}, {})", node.argument, node.dim));
      break;
    case Op::Stride:
      stack.push_back(fmt::format("stride({}, {})", node.argument, node.dim));
      break;
    case Op::Scalar:
      stack.push_back(fmt::format("scalar({})", node.argument));
      break;
    case Op::SMs:
      stack.push_back("sms");
      break;
    case Op::Resident:
      stack.push_back("resident");
      break;
    case Op::Add:
      binary("({} + {})");
      break;
    case Op::Sub:
      binary("({} - {})");
      break;
    case Op::Mul:
      binary("({} * {})");
      break;
    case Op::FloorDiv:
      binary("floordiv({}, {})");
      break;
    case Op::CeilDiv:
      binary("ceildiv({}, {})");
      break;
    case Op::Mod:
      binary("mod({}, {})");
      break;
    case Op::Min:
      binary("min({}, {})");
      break;
    case Op::Max:
      binary("max({}, {})");
      break;
    }
  }
  return stack.empty() ? "0" : stack.back();
}

/// "?" for an extent or a stride that isn't known.
static std::string toExtent(int64_t extent) {
  return extent == ArgumentInfo::kDynamic ? "?" : std::to_string(extent);
}

std::string simtool::getArgumentType(const ArgumentInfo &argument,
                                     const std::vector<bool> &passed) {
  std::string element = toString(argument.element);
  if (argument.kind == ArgumentInfo::Kind::Scalar)
    return element;
  std::string extents;
  for (auto [dim, extent] : llvm::enumerate(argument.workspaceExtents)) {
    int64_t known =
        extent.nodes.size() == 1 ? extent.nodes[0].value : int64_t(0);
    extents += toExtent(passed[dim] ? ArgumentInfo::kDynamic : known) + "x";
  }
  if (argument.kind != ArgumentInfo::Kind::Workspace)
    for (int64_t extent : argument.extents)
      extents += toExtent(extent) + "x";
  std::string layout;
  if (!argument.contiguous)
    layout = fmt::format(", strided<[{}], offset: ?>",
                         joinText(argument.strides, toExtent));
  return fmt::format("memref<{}{}{}, #gpu.address_space<global>>", extents,
                     element, layout);
}

static const char *getSharing(const ArgumentInfo &argument) {
  switch (argument.sharing) {
  case ArgumentInfo::Sharing::Symmetric:
    return ", carousel.symmetric";
  case ArgumentInfo::Sharing::Peer:
    return ", carousel.peer";
  case ArgumentInfo::Sharing::Multicast:
    return ", carousel.multicast";
  default:
    return "";
  }
}

std::string simtool::getArgumentAttributes(const ArgumentInfo &argument,
                                           const std::vector<bool> &passed) {
  if (argument.kind == ArgumentInfo::Kind::Scalar)
    return fmt::format("carousel.argument = #carousel.argument<\"{}\", in>",
                       argument.name);
  const char *access = argument.access == ArgumentInfo::Access::In    ? "in"
                       : argument.access == ArgumentInfo::Access::Out ? "out"
                                                                      : "inout";
  std::string text = fmt::format(
      "carousel.argument = #carousel.argument<\"{}\", {}{}>", argument.name,
      access,
      argument.mayAlias ? fmt::format(", may_alias = {}", *argument.mayAlias)
                        : "");
  if (argument.kind == ArgumentInfo::Kind::Workspace) {
    std::vector<std::string> extents;
    for (auto [dim, extent] : llvm::enumerate(argument.workspaceExtents))
      if (passed[dim])
        extents.push_back(toText(extent));
    text += fmt::format(", carousel.workspace = #carousel.workspace<[{}]>",
                        llvm::join(extents, ", "));
  }
  if (argument.isParameter)
    text += ", carousel.parameter";
  return text + getSharing(argument);
}
