//===- KernelParts.cpp - kernels that are compiled at once ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See KernelParts.h.
//
//===----------------------------------------------------------------------===//

#include "KernelParts.h"

#include "carousel/Target/MergePTX.h"
#include "carousel/Target/SplitKernels.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Threading.h"

using namespace mlir;
using namespace carousel;

static gpu::GPUModuleOp getModule(ModuleOp holder) {
  return *holder.getOps<gpu::GPUModuleOp>().begin();
}

static LogicalResult run(ModuleOp holder, BuildPipeline build) {
  PassManager pm(holder.getContext());
  build(pm);
  pm.enableVerifier(false); // its phases are verified
  return pm.run(holder);
}

namespace {

/// The parts of a module, each in a builtin module of its own, so that all can
/// have its name.
class Parts {
public:
  explicit Parts(gpu::GPUModuleOp module)
      : holder(ModuleOp::create(module.getLoc())) {
    // What an engine for remarks gets would be in any order.
    if (module.getContext()->getRemarkEngine())
      return;
    for (OwningOpRef<gpu::GPUModuleOp> &part : splitKernels(module)) {
      auto inner = ModuleOp::create(module.getLoc());
      holder->push_back(inner);
      modules.push_back(part.release());
      inner.push_back(modules.back());
    }
  }

  /// Whether there are any, and the pipeline has nothing to say of them.
  bool lower(BuildPipeline build) {
    return !modules.empty() && isQuiet([&] {
      return run(*holder,
                 [&](OpPassManager &pm) { build(pm.nest<ModuleOp>()); });
    });
  }

  /// Whether the work succeeds without a diagnostic; none is shown.
  bool isQuiet(llvm::function_ref<LogicalResult()> work) {
    std::atomic<bool> spoke = false;
    ScopedDiagnosticHandler handler(holder->getContext(),
                                    [&](Diagnostic &) { spoke = true; });
    return succeeded(work()) && !spoke;
  }

  ArrayRef<gpu::GPUModuleOp> getModules() { return modules; }

private:
  OwningOpRef<ModuleOp> holder;
  SmallVector<gpu::GPUModuleOp> modules;
};

} // namespace

LogicalResult carousel::lowerKernels(ModuleOp holder, BuildPipeline build) {
  Parts parts(getModule(holder));
  if (parts.lower(build) &&
      succeeded(joinKernels(getModule(holder), parts.getModules())))
    return success();
  return run(holder, build);
}

FailureOr<std::string> carousel::emitKernels(ModuleOp holder,
                                             BuildPipeline build,
                                             const EmitPTXOptions &options) {
  Parts parts(getModule(holder));
  if (parts.lower(build)) {
    ArrayRef<gpu::GPUModuleOp> modules = parts.getModules();
    std::vector<std::string> texts(modules.size());
    bool emitted = parts.isQuiet([&] {
      return failableParallelForEachN(holder.getContext(), 0, modules.size(),
                                      [&](size_t index) -> LogicalResult {
                                        FailureOr<std::string> text =
                                            emitPTX(modules[index], options);
                                        if (failed(text))
                                          return failure();
                                        texts[index] = std::move(*text);
                                        return success();
                                      });
    });
    if (std::optional<std::string> merged;
        emitted && (merged = mergePTX(texts)))
      return std::move(*merged);
  }
  if (failed(run(holder, build)))
    return failure();
  return emitPTX(getModule(holder), options);
}
