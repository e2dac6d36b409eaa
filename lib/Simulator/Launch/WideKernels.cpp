//===- WideKernels.cpp - block programs for wide extents ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See WideKernels.h.
//
//===----------------------------------------------------------------------===//

#include "WideKernels.h"

#include "../Compile/KernelModule.h"

#include "carousel/Dialect/Transforms/CoveredVectors.h"
#include "carousel/Dialect/Transforms/InlineBodies.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;
using llvm::formatv;

WideKernels::WideKernels(gpu::GPUFuncOp kernel, BlockProgramAttr program)
    : program(program), module(ModuleOp::create(kernel.getLoc())) {
  auto home = kernel->getParentOfType<gpu::GPUModuleOp>();
  name = (home.getName() + "::" + kernel.getName()).str();
  OpBuilder::atBlockEnd(module->getBody()).clone(*home);
}

static constexpr int64_t kMostElements = int64_t(1) << 20; // C210

std::string WideKernels::explainMost(int64_t extent) const {
  return formatv("expected {0} for which vectors have at most {1} elements, "
                 "got more than {2}",
                 program.getCovers(), kMostElements, extent);
}

const CompiledKernel *
WideKernels::find(int64_t extent, std::string &reason,
                  llvm::function_ref<void(const CompiledKernel &)> prepare) {
  // The vectors that cover it would have more elements by themselves.
  if (extent > kMostElements) {
    reason = explainMost(kMostElements);
    return nullptr;
  }
  std::lock_guard<std::mutex> lock(mutex);
  int64_t width = llvm::PowerOf2Ceil(extent);
  auto [kernel, isNew] = kernels.try_emplace(width);
  Wide &wide = kernel->second;
  if (isNew)
    wide.kernel = compile(width, wide.reason);
  if (isNew && wide.kernel)
    prepare(*wide.kernel);
  if (!wide.kernel && wide.reason.empty())
    wide.reason = formatv("expected vectors of a width that the simulated "
                          "machine can compile, got {0}",
                          width);
  reason = wide.reason;
  return wide.kernel.get();
}

/// The extents of vectors, and their most elements.
static int64_t collectExtents(gpu::GPUFuncOp kernel,
                              std::set<int64_t> &extents) {
  int64_t most = 0;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto vector = dyn_cast<VectorType>(type)) {
        extents.insert(vector.getShape().begin(), vector.getShape().end());
        most = std::max(most, vector.getNumElements());
      }
  });
  return most;
}

std::unique_ptr<CompiledKernel> WideKernels::compile(int64_t extent,
                                                     std::string &reason) {
  OwningOpRef<ModuleOp> copy = module->clone();
  for (auto home : copy->getOps<gpu::GPUModuleOp>())
    if (failed(inlineFunctions(home)))
      return nullptr;
  FailureOr<gpu::GPUFuncOp> kernel = findKernel(*copy, name);
  if (failed(kernel))
    return nullptr;
  if (std::optional<FixedWidth> fixed =
          findFixedWidth(*kernel, program.getWidth())) {
    reason = formatv("expected {0} of at most {1}, the width of the vectors, "
                     "got more: {2}",
                     program.getCovers(), program.getWidth(), fixed->reason);
    return nullptr;
  }
  // Vectors of the new width are to be the only ones.
  std::set<int64_t> extents;
  collectExtents(*kernel, extents);
  int64_t width = extent;
  while (extents.count(width))
    width *= 2;
  resizeVectors(*kernel, program.getWidth(), width);
  if (collectExtents(*kernel, extents) > kMostElements) {
    reason = explainMost(extent / 2);
    return nullptr;
  }
  (*kernel)->setAttr(CarouselDialect::kBlockProgram,
                     BlockProgramAttr::get(kernel->getContext(), width,
                                           program.getCovers(),
                                           program.getPrograms(), /*keeps=*/0));
  auto compiled = CompiledKernel::compile(*copy, name);
  return succeeded(compiled) ? std::move(*compiled) : nullptr;
}
