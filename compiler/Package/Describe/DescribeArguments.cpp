//===- DescribeArguments.cpp - arguments in a manifest --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DescribeArguments.h.
//
//===----------------------------------------------------------------------===//

#include "DescribeArguments.h"

#include "DescribeNames.h"

using namespace mlir;
using namespace carousel;

/// docs/Package.md, Element.
static bool isElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() &&
           llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type,
             Float8E4M3FNType, Float8E5M2Type, Float8E8M0FNUType>(type);
}

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

LogicalResult carousel::verifyElement(Operation *op, StringRef argument,
                                      MemRefType type) {
  if (isElement(type.getElementType()))
    return success();
  return op->emitError("expected elements of argument '")
         << argument << "' that a package can describe, got "
         << type.getElementType();
}

static LogicalResult describeTensor(Operation *op, MemRefType type,
                                    ArgumentDescription &argument) {
  if (type.getMemorySpace() && !isGlobalMemRef(type))
    return op->emitError("expected argument '")
           << argument.name << "' to be in global memory, got " << type;
  if (failed(verifyElement(op, argument.name, type)))
    return failure();
  if (type.getRank() > kMaxArgumentRank)
    return op->emitError("expected a rank of at most ")
           << kMaxArgumentRank << " of argument '" << argument.name << "', got "
           << type.getRank();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return op->emitError("expected a strided layout of argument '")
           << argument.name << "', got " << type;
  argument.kind = ArgumentDescription::Kind::Tensor;
  argument.element = toText(type.getElementType());
  argument.extents = type.getShape().vec();
  if (!type.getLayout().isIdentity())
    argument.strides = std::vector<int64_t>(strides.begin(), strides.end());
  return success();
}

/// Its extents in full; its strides follow from them (C187).
static void describeWorkspace(WorkspaceAttr workspace, MemRefType type,
                              ArgumentDescription &argument) {
  argument.kind = ArgumentDescription::Kind::Workspace;
  argument.extents.clear();
  argument.strides.reset();
  ArrayRef<ExprAttr> given = workspace.getExtents();
  for (int64_t extent : type.getShape()) {
    if (!ShapedType::isDynamic(extent)) {
      argument.workspaceExtents.push_back(
          ExprAttr::get(type.getContext(), ExprKind::Constant, extent,
                        /*argument=*/0, ExprAttr(), ExprAttr()));
      continue;
    }
    argument.workspaceExtents.push_back(given.front());
    given = given.drop_front();
  }
}

FailureOr<ArgumentDescription>
carousel::describeArgument(Operation *op, const KernelArgument &source) {
  if (failed(verifyName(op, source.name, "an argument's name")))
    return failure();
  ArgumentDescription argument;
  argument.name = source.name;
  argument.access = source.access;
  argument.mayAlias = source.mayAlias;
  argument.sharing = source.sharing;
  if (auto memref = dyn_cast<MemRefType>(source.type)) {
    if (failed(describeTensor(op, memref, argument)))
      return failure();
    if (source.workspace)
      describeWorkspace(source.workspace, memref, argument);
    return argument;
  }
  if (!isa<IndexType>(source.type) && !isElement(source.type))
    return op->emitError("expected argument '")
           << argument.name
           << "' to be a memref, an index or a number that a package can "
              "describe, got "
           << source.type;
  argument.element = toText(source.type);
  return argument;
}
