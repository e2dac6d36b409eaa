//===- LaunchVerifiers.cpp - launches compared with their kernels ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the places of the dialect's attributes, and that they match the
// signature of the kernel: C111, C116 to C118, C207, C311 and C312 of
// docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "../Ops/OpRules.h"
#include "KernelRules.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/ClusterKernels.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Dialect/IR/KernelDecisions.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Attributes of kernels
//===----------------------------------------------------------------------===//

/// The extent of a dimension; 1 if it is absent.
template <typename Integer>
static int64_t getExtent(ArrayRef<Integer> extents, size_t dim) {
  return dim < extents.size() ? extents[dim] : 1;
}

/// C118: a launch doesn't contradict the sizes for which the kernel is
/// compiled.
static LogicalResult verifyKnownSizes(gpu::GPUFuncOp kernel,
                                      LaunchAttr launch) {
  auto verify = [&](ArrayRef<int64_t> extents, DenseI32ArrayAttr known,
                    StringRef what) -> LogicalResult {
    for (size_t dim = 0; known && dim < 3; ++dim)
      if (getExtent(extents, dim) != getExtent(known.asArrayRef(), dim))
        return kernel.emitError("expected ")
               << what << " dimension " << dim << " of carousel.launch to be "
               << getExtent(known.asArrayRef(), dim) << " as in known_" << what
               << "_size, got " << getExtent(extents, dim);
    return success();
  };
  // A grid that isn't constant can't contradict.
  SmallVector<int64_t> grid;
  DenseI32ArrayAttr knownGrid = kernel.getKnownGridSizeAttr();
  for (auto [dim, expr] : llvm::enumerate(launch.getGrid()))
    grid.push_back(expr.getKind() == ExprKind::Constant || !knownGrid
                       ? expr.getValue()
                       : getExtent(knownGrid.asArrayRef(), dim));
  if (failed(
          verify(launch.getBlock(), kernel.getKnownBlockSizeAttr(), "block")) ||
      failed(verify(launch.getCluster(), kernel.getKnownClusterSizeAttr(),
                    "cluster")))
    return failure();
  return verify(grid, knownGrid, "grid");
}

static LogicalResult verifyLaunch(gpu::GPUFuncOp kernel, LaunchAttr launch) {
  // C111
  if (launch.getBlock().empty() &&
      !kernel->hasAttr(CarouselDialect::kBlockProgram))
    return kernel.emitError("expected a block in ")
           << CarouselDialect::kLaunch
           << " of a kernel that isn't at the block phase, got none";
  ExprVerifier verifier(kernel, CarouselDialect::kLaunch);
  for (ExprAttr extent : launch.getGrid())
    if (failed(verifier.verify(extent)))
      return failure();
  return verifyKnownSizes(kernel, launch);
}

static LogicalResult verifyVariant(gpu::GPUFuncOp kernel, VariantAttr variant) {
  ExprVerifier verifier(kernel, CarouselDialect::kVariant);
  for (GuardAttr guard : variant.getGuards())
    if (failed(verifier.verify(guard)))
      return failure();
  return variant.getCost() ? verifier.verify(variant.getCost()) : success();
}

/// C116: the attribute that --carousel-expand-kernel-abi leaves for later
/// passes.
static LogicalResult verifyTensorMapParameters(Operation *op,
                                               NamedAttribute attr) {
  SmallVector<Type> inputs;
  if (auto type = op->getAttrOfType<TypeAttr>("function_type")) {
    if (auto function = dyn_cast<FunctionType>(type.getValue()))
      llvm::append_range(inputs, function.getInputs());
    else if (auto function = dyn_cast<LLVM::LLVMFunctionType>(type.getValue()))
      llvm::append_range(inputs, function.getParams());
  }
  auto positions = dyn_cast<DenseI32ArrayAttr>(attr.getValue());
  auto isPointer = [&](int32_t position) {
    return position >= 0 && static_cast<size_t>(position) < inputs.size() &&
           isa<LLVM::LLVMPointerType>(inputs[position]);
  };
  if (positions && llvm::all_of(positions.asArrayRef(), isPointer))
    return success();
  return op->emitError("expected ")
         << attr.getName().strref()
         << " to give positions of a function's pointers, got "
         << attr.getValue();
}

// C208
static LogicalResult verifyParts(gpu::GPUFuncOp kernel, NamedAttribute attr) {
  auto parts = dyn_cast<IntegerAttr>(attr.getValue());
  if (parts && parts.getType().isInteger(64) && parts.getInt() >= 1 &&
      parts.getInt() <= rules::kMaxClusterSize &&
      llvm::isPowerOf2_64(parts.getInt()) &&
      kernel->hasAttr(CarouselDialect::kBlockProgram))
    return success();
  return kernel.emitError("expected carousel.parts to be a power of two up to ")
         << rules::kMaxClusterSize
         << " of i64, on a kernel at the block phase, got " << attr.getValue();
}

/// C116, C312
static LogicalResult verifyDecisions(Operation *op, NamedAttribute attr) {
  std::string error;
  if (getKernel(op) ? succeeded(parseDecisions(attr.getValue(), error))
                    : succeeded(parseGraphDecisions(attr.getValue(), error)))
    return success();
  return op->emitError("expected ") << kDecisionsAttr << " with " << error;
}

static LogicalResult verifyBlockProgram(gpu::GPUFuncOp kernel,
                                        BlockProgramAttr program) {
  ExprVerifier verifier(kernel, CarouselDialect::kBlockProgram);
  // C208
  int64_t ctas = 1;
  if (auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch))
    for (int64_t extent : launch.getCluster())
      ctas *= extent;
  if (program.getKeeps() != 0 &&
      program.getKeeps() % (ctas * program.getWidth()) != 0)
    return kernel.emitError("expected to keep a multiple of the width ")
           << program.getWidth() << " in each of " << ctas
           << " CTAs of a cluster, got " << program.getKeeps() << " in all";
  return program.getCovers() ? verifier.verify(program.getCovers()) : success();
}

/// C207, as far as the op shows it.
static LogicalResult verifyLayout(Operation *op, LayoutAttr layout) {
  auto vector = op->getNumResults() == 1
                    ? dyn_cast<VectorType>(op->getResult(0).getType())
                    : VectorType();
  if (!vector)
    return op->emitError("expected ")
           << CarouselDialect::kLayout
           << " on an op with one vector result, got '" << op->getName() << "'";
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  if (!kernel || !kernel->hasAttr(CarouselDialect::kBlockProgram))
    return op->emitError("expected ")
           << CarouselDialect::kLayout << " in a kernel with "
           << CarouselDialect::kBlockProgram << ", got it outside";
  if (layout.getRank() != 0 && layout.getRank() != vector.getRank())
    return op->emitError("expected bases of ")
           << vector.getRank() << " coordinates for " << vector << ", got "
           << layout.getRank();
  return success();
}

// C223
static LogicalResult verifyProgram(func::FuncOp program, NamedAttribute attr) {
  if (!isa<UnitAttr>(attr.getValue()))
    return program.emitError("expected carousel.program without a value, got ")
           << attr.getValue();
  FunctionType type = program.getFunctionType();
  if (type.getNumResults() != 0)
    return program.emitError("expected a program without results, got ")
           << type;
  for (Type argument : type.getInputs()) {
    bool isBuffer = isa<MemRefType>(argument) &&
                    (!cast<MemRefType>(argument).getMemorySpace() ||
                     isGlobalMemRef(argument));
    if (!isBuffer && !argument.isIntOrIndexOrFloat())
      return program.emitError("expected arguments of a program that are "
                               "memrefs in global memory or numbers, got ")
             << argument;
  }
  return success();
}

// C311
static LogicalResult verifyFamily(Operation *op, NamedAttribute attr) {
  if (!isa<LaunchKernelOp>(op))
    return refuseAttribute(op, attr, op->getName().getStringRef());
  auto name = dyn_cast<StringAttr>(attr.getValue());
  if (name && !name.empty() && llvm::all_of(name.getValue(), llvm::isPrint))
    return success();
  return op->emitError("expected ")
         << kFamilyAttr << " with a name of printable characters, got "
         << attr.getValue();
}

/// C349, C358: an attribute without a value, on one of these ops.
static LogicalResult verifyUnit(Operation *op, NamedAttribute attr,
                                ArrayRef<StringRef> ops) {
  StringRef name = op->getName().getStringRef();
  if (!llvm::is_contained(ops, name))
    return refuseAttribute(op, attr, name);
  if (isa<UnitAttr>(attr.getValue()))
    return success();
  return op->emitError("expected ")
         << attr.getName().strref() << " without a value, got "
         << attr.getValue();
}

// C362
static LogicalResult verifyRecomputed(Operation *op, NamedAttribute attr) {
  StringRef name = op->getName().getStringRef();
  if (name != "linalg.generic")
    return refuseAttribute(op, attr, name);
  auto number = dyn_cast<IntegerAttr>(attr.getValue());
  if (number && number.getType().isInteger(64) && number.getInt() >= 0)
    return success();
  return op->emitError("expected ")
         << kRecomputedAttr << " with the number of a copy, of i64, got "
         << attr.getValue();
}

LogicalResult CarouselDialect::verifyOperationAttribute(Operation *op,
                                                        NamedAttribute attr) {
  if (attr.getName() == kTensorMapParameters)
    return verifyTensorMapParameters(op, attr);
  if (attr.getName() == kPipeline)
    return verifyPipeline(op, attr);
  if (attr.getName() == kLayout) {
    auto layout = getAttributeValue<LayoutAttr>(op, attr);
    return success(layout && succeeded(verifyLayout(op, layout)));
  }
  if (attr.getName() == kFamilyAttr)
    return verifyFamily(op, attr);
  if (attr.getName() == kUnreadTilesAttr)
    return verifyUnit(op, attr, {"linalg.generic"});
  if (attr.getName() == kRecomputedAttr)
    return verifyRecomputed(op, attr);
  if (attr.getName() == kAtLoadAttr)
    return verifyUnit(op, attr,
                      {LaunchKernelOp::getOperationName(),
                       LibraryMatmulOp::getOperationName(), "linalg.fill",
                       "linalg.copy", "memref.copy"});
  if (auto func = dyn_cast<func::FuncOp>(op);
      func && attr.getName() == kProgram)
    return verifyProgram(func, attr);
  gpu::GPUFuncOp kernel = getKernel(op);
  if (attr.getName() == kDecisionsAttr &&
      (kernel || isa<func::FuncOp, ModuleOp>(op)))
    return verifyDecisions(op, attr);
  bool isLaunch = attr.getName() == kLaunch;
  bool isUnit = attr.getName() == kCoresident ||
                attr.getName() == kStartsInOrder ||
                attr.getName() == kForProgramsAttr;
  bool isProgram = attr.getName() == kBlockProgram;
  bool isParts = attr.getName() == kPartsAttr;
  if (!kernel || (!isLaunch && !isUnit && !isProgram && !isParts &&
                  attr.getName() != kVariant)) {
    bool isFunction = isa<gpu::GPUFuncOp>(op) && !kernel;
    return refuseAttribute(op, attr,
                           isFunction ? StringRef("a device function")
                                      : op->getName().getStringRef());
  }
  if (isUnit) {
    if (isa<UnitAttr>(attr.getValue()))
      return success();
    return op->emitError("expected ")
           << attr.getName().strref() << " without a value, got "
           << attr.getValue();
  }
  if (isParts)
    return verifyParts(kernel, attr);
  if (isLaunch) {
    auto launch = getAttributeValue<LaunchAttr>(op, attr);
    return success(launch && (!hasSignature(kernel) ||
                              succeeded(verifyLaunch(kernel, launch))));
  }
  if (isProgram) {
    auto program = getAttributeValue<BlockProgramAttr>(op, attr);
    return success(program && (!hasSignature(kernel) ||
                               succeeded(verifyBlockProgram(kernel, program))));
  }
  auto variant = getAttributeValue<VariantAttr>(op, attr);
  return success(variant && (!hasSignature(kernel) ||
                             succeeded(verifyVariant(kernel, variant))));
}
