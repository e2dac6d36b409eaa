//===- DescribeKernels.cpp - descriptions of kernels in a manifest --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the kernels of a module at the machine phase into the structs of a
// manifest, and groups them by the kernel that they serve. The dialect has
// verified the attributes; this file checks the additional rules of packages.
//
//===----------------------------------------------------------------------===//

#include "DescribeArguments.h"
#include "DescribeNames.h"

#include "carousel/Analysis/SharedMemory/SharedMemoryUse.h"
#include "carousel/Package/DescribePackage.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace carousel;

GuardAttr VariantDescription::findExcludingGuard(unsigned sm) const {
  for (GuardAttr guard : guards)
    if (guard.getKind() == GuardKind::Capability &&
        (sm < guard.getLeast() || sm > guard.getMost()))
      return guard;
  return {};
}

static ExprAttr makeExpr(MLIRContext *context, ExprKind kind, int64_t value,
                         int64_t argument = 0) {
  return ExprAttr::get(context, kind, value, argument, ExprAttr(), ExprAttr());
}

static FailureOr<std::vector<ArgumentDescription>>
describeArguments(gpu::GPUFuncOp func) {
  std::vector<ArgumentDescription> arguments;
  for (const KernelArgument &source : getKernelArguments(func)) {
    FailureOr<ArgumentDescription> argument = describeArgument(func, source);
    if (failed(argument))
      return failure();
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

/// With all expressions: those that carousel.encode leaves out are those of the
/// argument itself, which the dialect has found fit (C120).
static FailureOr<TensorMapDescription> describeTensorMap(gpu::GPUFuncOp func,
                                                         unsigned position) {
  auto encode =
      func.getArgAttrOfType<EncodeAttr>(position, CarouselDialect::kEncode);
  if (!encode)
    return func.emitError("expected carousel.encode on kernel argument ")
           << position << ", a tensor map, to put the kernel into a package";
  MLIRContext *context = func.getContext();
  TensorMapDescription map;
  map.argument = encode.getArgument();
  map.type = cast<TensorMapType>(func.getFunctionType().getInput(position));
  map.extents = encode.getExtents().vec();
  map.strides = encode.getStrides().vec();
  map.offset = encode.getOffset();
  if (!map.offset)
    map.offset = makeExpr(context, ExprKind::Constant, 0);

  int64_t rank = map.type.getRank();
  for (int64_t dim = map.extents.size(); dim < rank; ++dim)
    map.extents.push_back(
        makeExpr(context, ExprKind::Extent, dim, map.argument));
  KernelArgument source = getKernelArguments(func)[map.argument];
  auto memref = cast<MemRefType>(source.type);
  // Others have no width.
  if (failed(verifyElement(func, source.name, memref)))
    return failure();
  for (int64_t dim = map.strides.size(); dim + 1 < rank; ++dim) {
    // An i1 takes a byte.
    int64_t bytes = llvm::divideCeil(memref.getElementTypeBitWidth(), 8);
    map.strides.push_back(
        ExprAttr::get(context, ExprKind::Mul, /*value=*/0, /*argument=*/0,
                      makeExpr(context, ExprKind::Stride, dim, map.argument),
                      makeExpr(context, ExprKind::Constant, bytes)));
  }
  return map;
}

/// The parameters of the ABI, and the tensor maps among them.
static LogicalResult describeParameters(gpu::GPUFuncOp func,
                                        VariantDescription &variant) {
  FailureOr<SmallVector<KernelParameter>> parameters =
      getKernelParameters(func);
  if (failed(parameters))
    return failure();
  llvm::DenseMap<unsigned, unsigned> numbers;
  for (auto [number, position] : llvm::enumerate(getArgumentPositions(func)))
    numbers[position] = number;
  for (const KernelParameter &parameter : *parameters) {
    ParameterDescription description = {
        parameter.kind, numbers.lookup(parameter.position), parameter.dim};
    if (parameter.kind == KernelParameter::Kind::TensorMap) {
      FailureOr<TensorMapDescription> map =
          describeTensorMap(func, parameter.position);
      if (failed(map))
        return failure();
      description.number = variant.tensorMaps.size();
      variant.tensorMaps.push_back(std::move(*map));
    }
    variant.parameters.push_back(description);
  }
  return success();
}

static std::array<int64_t, 3> padWithOne(ArrayRef<int64_t> sizes) {
  std::array<int64_t, 3> padded = {1, 1, 1};
  llvm::copy(sizes, padded.begin());
  return padded;
}

static FailureOr<VariantDescription> describeVariant(gpu::GPUFuncOp func,
                                                     unsigned indexBits) {
  auto launch = func->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  if (!launch)
    return func.emitError("expected carousel.launch on a kernel to put it into "
                          "a package");
  VariantDescription variant;
  variant.function = func;
  variant.functionName = func.getName().str();
  variant.moduleName = func->getParentOfType<gpu::GPUModuleOp>().getName();
  if (auto attr = func->getAttrOfType<VariantAttr>(CarouselDialect::kVariant)) {
    variant.guards = attr.getGuards().vec();
    variant.cost = attr.getCost();
  }
  variant.indexBits = indexBits;
  if (failed(describeParameters(func, variant)))
    return failure();
  variant.grid.fill(makeExpr(func.getContext(), ExprKind::Constant, 1));
  llvm::copy(launch.getGrid(), variant.grid.begin());
  variant.block = padWithOne(launch.getBlock());
  variant.cluster = padWithOne(launch.getCluster());
  variant.dynamicShared = launch.getShared();
  variant.isCooperative = func->hasAttr(CarouselDialect::kCoresident);
  SymbolTableCollection tables;
  SharedMemoryUse use = computeSharedMemoryUse(func, tables);
  variant.staticShared =
      use.hasDynamic ? padStaticShared(use.staticBytes) : use.staticBytes;
  if (recordsDecisions(func))
    variant.decisions = getDecisions(func);
  return variant;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Names of modules become names of files.
static LogicalResult verifyModuleName(gpu::GPUModuleOp module) {
  constexpr size_t kMaxLength = 200;
  auto isSafe = [](char c) {
    return llvm::isAlnum(c) || llvm::is_contained({'_', '-', '.', '$'}, c);
  };
  StringRef name = module.getName();
  if (!name.empty() && name.size() <= kMaxLength && name[0] != '.' &&
      name[0] != '-' && llvm::all_of(name, isSafe))
    return success();
  return emitError(module.getLoc())
         << "expected a gpu.module's name of at most " << kMaxLength
         << " letters, digits, _, $, - and . that begins with neither - nor ., "
            "to name files by it, got '"
         << name << "'";
}

static LogicalResult verifyNames(gpu::GPUFuncOp func) {
  return success(
      succeeded(verifyName(func, func.getName(), "a function's name")) &&
      succeeded(verifyName(func, getKernelName(func), "a kernel's name")));
}

/// The kernels of all gpu.modules, which stand at the top.
static FailureOr<SmallVector<gpu::GPUFuncOp>> findKernels(ModuleOp module) {
  SmallVector<gpu::GPUFuncOp> kernels;
  WalkResult result = module.walk([&](gpu::GPUModuleOp gpuModule) {
    // The lowering wouldn't reach it.
    if (gpuModule->getParentOp() != module) {
      emitError(gpuModule.getLoc())
          << "expected gpu.modules at the top of the module only";
      return WalkResult::interrupt();
    }
    size_t before = kernels.size();
    for (auto func : gpuModule.getOps<gpu::GPUFuncOp>()) {
      if (!func.isKernel())
        continue;
      if (failed(verifyNames(func)))
        return WalkResult::interrupt();
      kernels.push_back(func);
    }
    if (kernels.size() > before && failed(verifyModuleName(gpuModule)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return kernels;
}

/// A function without carousel.variant must be the only one of its kernel, so
/// that equal names don't become variants by accident.
static LogicalResult verifyStandsAlone(gpu::GPUFuncOp first,
                                       gpu::GPUFuncOp second) {
  for (auto [func, other] :
       {std::pair(first, second), std::pair(second, first)}) {
    if (func->hasAttr(CarouselDialect::kVariant))
      continue;
    InFlightDiagnostic error = func.emitError("expected carousel.variant, "
                                              "since another function serves "
                                              "kernel '");
    error << getKernelName(func) << "' too";
    error.attachNote(other.getLoc()) << "the other function";
    return error;
  }
  return success();
}

/// A variant after one without guards is never chosen, unless both have costs.
static void warnIfShadowed(KernelDescription &kernel, gpu::GPUFuncOp func) {
  auto open = llvm::find_if(kernel.variants, [](const auto &variant) {
    return variant.guards.empty() && !variant.cost;
  });
  if (open == kernel.variants.end())
    return;
  InFlightDiagnostic warning = func.emitWarning("a variant of kernel '");
  warning << kernel.name << "' that is never chosen";
  warning.attachNote(open->function.getLoc())
      << "this one comes before it and has no guards";
}

FailureOr<std::vector<KernelDescription>>
carousel::describeKernels(ModuleOp module, unsigned indexBits) {
  if (indexBits != 32 && indexBits != 64)
    return emitError(module.getLoc())
           << "expected an index of 32 or 64 bits, got " << indexBits;
  FailureOr<SmallVector<gpu::GPUFuncOp>> funcs = findKernels(module);
  if (failed(funcs) || failed(verifyVariants(*funcs)))
    return failure();
  llvm::MapVector<StringRef, KernelDescription> kernels;
  for (gpu::GPUFuncOp func : *funcs) {
    FailureOr<VariantDescription> variant = describeVariant(func, indexBits);
    if (failed(variant))
      return failure();
    KernelDescription &kernel = kernels[getKernelName(func)];
    if (kernel.variants.empty()) {
      FailureOr<std::vector<ArgumentDescription>> arguments =
          describeArguments(func);
      if (failed(arguments))
        return failure();
      kernel.name = getKernelName(func).str();
      kernel.arguments = std::move(*arguments);
    } else if (failed(
                   verifyStandsAlone(kernel.variants.front().function, func))) {
      return failure();
    }
    warnIfShadowed(kernel, func);
    kernel.variants.push_back(std::move(*variant));
  }
  std::vector<KernelDescription> list;
  for (auto &entry : kernels)
    list.push_back(std::move(entry.second));
  return list;
}
