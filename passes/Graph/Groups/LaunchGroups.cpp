//===- LaunchGroups.cpp - calls of groups as launches ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LaunchGroups.h.
//
//===----------------------------------------------------------------------===//

#include "LaunchGroups.h"

#include "../Reading/ExtentChecks.h"
#include "../Reading/ExtentFactors.h"
#include "GroupSignature.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

#include <numeric>

using namespace mlir;
using namespace carousel;
using bufferization::MaterializeInDestinationOp;

/// Whether dimensions of a tensor are one of the kernel's memref.
static bool isCollapsed(const KernelOperand &operand) {
  return llvm::any_of(operand.dims, [](const ReassociationIndices &dims) {
    return dims.size() != 1;
  });
}

static bool isSlice(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (isa<tensor::ExtractSliceOp, MaterializeInDestinationOp>(op))
      return true;
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
            op))
      return false;
    tensor = op->getOperand(0);
  }
  return false;
}

/// Elements at indices that are computed are found by their numbers in memory.
static bool isGathered(const GroupProgram &program, Value tensor) {
  unsigned number = program.graph.tensorNumbers.lookup(tensor);
  for (const GraphOp &op : program.graph.problem.ops)
    for (const GraphAccess &read : op.reads)
      if (read.tensor == number && !read.isRegular())
        return true;
  return false;
}

/// Whether what is one dimension of the kernel's memref is one of the slices.
static bool hasGaps(const GroupProgram &program, Value tensor) {
  auto number = program.graph.tensorNumbers.find(tensor);
  return number != program.graph.tensorNumbers.end() &&
         !program.graph.problem.tensors[number->second].gaps.empty();
}

/// The memory that a result of a call has (PitchedRows.h), or null.
static Value findMemory(Value result) {
  if (!result.hasOneUse())
    return {};
  auto put = dyn_cast<MaterializeInDestinationOp>(*result.getUsers().begin());
  if (!put ||
      !put.getDest().getDefiningOp()->isBeforeInBlock(result.getDefiningOp()))
    return {};
  return put.getDest();
}

void carousel::findGaps(GroupProgram &program, ArrayRef<func::CallOp> calls) {
  auto note = [&](Value own, Value passed) {
    auto number = program.graph.tensorNumbers.find(own);
    if (number == program.graph.tensorNumbers.end())
      return;
    GraphTensor &tensor = program.graph.problem.tensors[number->second];
    SmallVector<bool> gaps = findGaps(passed);
    tensor.gaps.resize(std::max(tensor.gaps.size(), gaps.size()));
    for (auto [dim, isGap] : llvm::enumerate(gaps))
      tensor.gaps[dim] = tensor.gaps[dim] || isGap;
    tensor.rowAlignment =
        std::gcd(tensor.rowAlignment, findRowAlignment(passed));
  };
  Operation *end = program.func.getBody().front().getTerminator();
  for (func::CallOp call : calls) {
    for (auto [own, passed] :
         llvm::zip_equal(program.func.getArguments(), call.getOperands()))
      note(own, passed);
    for (auto [own, result] :
         llvm::zip_equal(end->getOperands(), call.getResults()))
      if (Value memory = findMemory(result))
        note(own, memory);
  }
}

/// Whether a result is put between elements of others, alone: the kernel can
/// write it there.
static bool isPutBetween(Value result) {
  if (!result.hasOneUse())
    return false;
  auto insert = dyn_cast<tensor::InsertSliceOp>(*result.getUsers().begin());
  if (!insert || insert.getSource() != result ||
      insert.getSourceType().getRank() != insert.getType().getRank())
    return false;
  bool isBehindOthers = false;
  for (auto [dim, size, step] :
       llvm::enumerate(insert.getMixedSizes(), insert.getMixedStrides())) {
    bool isOne = isOneInteger(size);
    if ((!isOne && !isOneInteger(step)) ||
        (isBehindOthers &&
         !(factorizeExtent(size) == factorizeExtent(insert.getDest(), dim))))
      return true;
    isBehindOthers |= !isOne;
  }
  return false;
}

void carousel::findSlices(GroupProgram &program,
                          MutableArrayRef<KernelOperand> operands,
                          ArrayRef<func::CallOp> calls) {
  unsigned results = 0;
  for (KernelOperand &operand : operands) {
    if (operand.isResult) {
      unsigned result = results++;
      operand.isSlice = llvm::any_of(calls, [&](func::CallOp call) {
        Value returned = call.getResult(result);
        return findMemory(returned) ||
               (!isCollapsed(operand) && isPutBetween(returned));
      });
    }
    auto argument = dyn_cast<BlockArgument>(operand.value);
    if (operand.isResult || !argument || isGathered(program, argument) ||
        (isCollapsed(operand) && !hasGaps(program, argument)))
      continue;
    for (func::CallOp call : calls)
      operand.isSlice |= isSlice(call.getOperand(argument.getArgNumber()));
  }
}

/// A number that the group computes, or is passed, where it is called.
static Value getNumber(OpBuilder &builder, func::CallOp call, Value number) {
  IRMapping mapping;
  auto isComputed = [](Value value) { return !isa<BlockArgument>(value); };
  walkOperands(number, isComputed, [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      mapping.map(value, call.getOperand(argument.getArgNumber()));
    else if (!mapping.contains(value))
      builder.clone(*value.getDefiningOp(), mapping);
    return WalkResult::advance();
  });
  return mapping.lookup(number);
}

/// The extents of a result of the group, in terms of a call's operands.
static SmallVector<OpFoldResult> getSizes(OpBuilder &builder, func::CallOp call,
                                          Value result) {
  // What the result is written to.
  while (auto op = result.getDefiningOp<linalg::LinalgOp>())
    result = op.getTiedOpOperand(cast<OpResult>(result))->get();
  Location loc = call.getLoc();
  if (auto argument = dyn_cast<BlockArgument>(result))
    return tensor::getMixedSizes(builder, loc,
                                 call.getOperand(argument.getArgNumber()));
  auto empty = result.getDefiningOp<tensor::EmptyOp>();
  SmallVector<OpFoldResult> sizes = empty.getMixedSizes();
  for (OpFoldResult &size : sizes)
    if (auto value = dyn_cast<Value>(size))
      size = getNumber(builder, call, value);
  return sizes;
}

/// The extents of the kernel's memref.
static SmallVector<OpFoldResult> collapseSizes(OpBuilder &builder, Location loc,
                                               ArrayRef<OpFoldResult> sizes,
                                               const KernelOperand &operand) {
  SmallVector<OpFoldResult> collapsed;
  for (const ReassociationIndices &dims : operand.dims) {
    AffineExpr product = builder.getAffineConstantExpr(1);
    SmallVector<OpFoldResult> factors;
    for (int64_t dim : dims) {
      product = product * builder.getAffineSymbolExpr(factors.size());
      factors.push_back(sizes[dim]);
    }
    collapsed.push_back(
        affine::makeComposedFoldedAffineApply(builder, loc, product, factors));
  }
  return collapsed;
}

/// The elements of each remainder of an index by a window's stride.
static Value expandStrides(OpBuilder &builder, Location loc, Value tensor,
                           const KernelOperand &operand) {
  ViewShapes shapes = getViewShapes(operand);
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, extents] : llvm::enumerate(shapes.expansions))
    for (int64_t extent : extents) {
      int64_t size = shapes.expanded[extent];
      sizes.push_back(ShapedType::isDynamic(size)
                          ? tensor::getMixedSize(builder, loc, tensor, dim)
                          : OpFoldResult(builder.getIndexAttr(size)));
    }
  auto type = cast<RankedTensorType>(tensor.getType());
  Value expanded =
      tensor::ExpandShapeOp::create(builder, loc, type.clone(shapes.expanded),
                                    tensor, shapes.expansions, sizes);
  if (shapes.collapses.size() == shapes.expanded.size())
    return expanded;
  return tensor::CollapseShapeOp::create(builder, loc, expanded,
                                         shapes.collapses);
}

/// Loops of a kernel end at the extent of one tensor, and the others have to
/// have as many elements.
static void checkExtents(OpBuilder &builder, func::CallOp call,
                         const GroupProgram &program) {
  ExtentChecks checks(builder, call.getLoc(), "in @" + call.getCallee().str());
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
  for (auto [op, node] : llvm::enumerate(program.graph.problem.ops))
    for (const GraphAccess &read : node.reads) {
      auto argument =
          dyn_cast<BlockArgument>(program.graph.tensors[read.tensor]);
      if (!argument)
        continue;
      Value passed = call.getOperand(argument.getArgNumber());
      for (auto [dim, loop] : llvm::enumerate(read.loops))
        if (loop && seen.insert({passed, dim}).second)
          checks.add(program.shape.loops[op][*loop], passed, dim);
    }
}

/// Where the ops came from that are one kernel now: a package says so of each
/// launch.
static Location getSources(OpBuilder &builder, const GroupProgram &program) {
  SmallVector<Location> sources;
  for (Operation *op : program.graph.ops)
    sources.push_back(op->getLoc());
  return builder.getFusedLoc(sources);
}

LaunchKernelOp carousel::launchGroup(func::CallOp call, GroupProgram &program,
                                     ArrayRef<KernelOperand> operands,
                                     gpu::GPUFuncOp kernel) {
  OpBuilder builder(call);
  Location loc = call.getLoc();
  auto collapse = [&](Value tensor, const KernelOperand &operand) -> Value {
    if (!operand.strides.empty())
      return expandStrides(builder, loc, tensor, operand);
    if (!isCollapsed(operand))
      return tensor;
    return tensor::CollapseShapeOp::create(builder, loc, tensor, operand.dims);
  };
  checkExtents(builder, call, program);
  SmallVector<Value> inputs, outputs;
  SmallVector<SmallVector<OpFoldResult>> sizes;
  for (const KernelOperand &operand : operands) {
    if (!operand.isResult) {
      Value passed = getNumber(builder, call, operand.value);
      inputs.push_back(collapse(passed, operand));
      continue;
    }
    sizes.push_back(getSizes(builder, call, operand.value));
    Value memory = findMemory(call.getResult(outputs.size()));
    outputs.push_back(
        memory ? collapse(memory, operand)
               : tensor::EmptyOp::create(
                     builder, loc,
                     collapseSizes(builder, loc, sizes.back(), operand),
                     getElementTypeOrSelf(operand.value)));
  }
  auto symbol = SymbolRefAttr::get(
      kernel->getParentOfType<gpu::GPUModuleOp>().getSymNameAttr(),
      {FlatSymbolRefAttr::get(kernel.getNameAttr())});
  auto launch = LaunchKernelOp::create(builder, getSources(builder, program),
                                       TypeRange(ValueRange(outputs)), symbol,
                                       inputs, outputs);
  launch->setAttr(kFamilyAttr,
                  builder.getStringAttr(stringify(program.schedule.family)));
  unsigned next = 0;
  for (const KernelOperand &operand : operands) {
    if (!operand.isResult)
      continue;
    Value result = launch->getResult(next);
    if (isCollapsed(operand))
      result =
          tensor::ExpandShapeOp::create(builder, loc, operand.value.getType(),
                                        result, operand.dims, sizes[next]);
    // Extents of the caller may be constants.
    Value returned = call.getResult(next++);
    if (result.getType() != returned.getType())
      result = tensor::CastOp::create(builder, loc, returned.getType(), result);
    returned.replaceAllUsesWith(result);
  }
  call.erase();
  return launch;
}
