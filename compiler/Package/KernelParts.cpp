//===- KernelParts.cpp - compile kernels in parallel ----------------------===//
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

#include <mutex>
#include <set>

using namespace mlir;
using namespace carousel;

static gpu::GPUModuleOp getModule(ModuleOp holder) {
  return *holder.getOps<gpu::GPUModuleOp>().begin();
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
  bool lower(PassManagers &managers, const NamedPipeline &pipeline) {
    auto build = [&](OpPassManager &pm) {
      pipeline.build(pm.nest<ModuleOp>());
    };
    return !modules.empty() && isQuiet([&] {
      return managers.run(
          {pipeline.name + ", parts", build, pipeline.verification}, *holder);
    });
  }

  /// Whether the work succeeds without a diagnostic. None is shown yet: not
  /// even by its thread can one be known for this work's, since MLIR's workers
  /// do the tasks of others while they wait.
  bool isQuiet(llvm::function_ref<LogicalResult()> work) {
    LogicalResult result = success();
    {
      ScopedDiagnosticHandler handler(holder->getContext(),
                                      [&](Diagnostic &diagnostic) {
                                        std::scoped_lock lock(mutex);
                                        kept.push_back(std::move(diagnostic));
                                      });
      result = work();
    }
    return succeeded(result) && kept.empty(); // complete by now
  }

  /// Does the work as a whole, which says again what the parts have said. What
  /// it doesn't say again is another thread's of the same context.
  LogicalResult doAsWhole(llvm::function_ref<LogicalResult()> work) {
    std::set<std::pair<void *, std::string>> said;
    auto getKey = [](Diagnostic &diagnostic) {
      return std::make_pair(
          const_cast<void *>(diagnostic.getLocation().getAsOpaquePointer()),
          diagnostic.str());
    };
    LogicalResult result = success();
    {
      ScopedDiagnosticHandler handler(
          holder->getContext(), [&](Diagnostic &diagnostic) -> LogicalResult {
            std::scoped_lock lock(mutex);
            said.insert(getKey(diagnostic));
            return failure(); // others handle it
          });
      result = work();
    }
    for (Diagnostic &diagnostic : kept)
      if (!said.count(getKey(diagnostic)))
        holder->getContext()->getDiagEngine().emit(std::move(diagnostic));
    return result;
  }

  ArrayRef<gpu::GPUModuleOp> getModules() { return modules; }

private:
  OwningOpRef<ModuleOp> holder;
  SmallVector<gpu::GPUModuleOp> modules;
  std::mutex mutex;
  std::vector<Diagnostic> kept;
};

} // namespace

LogicalResult carousel::lowerKernels(ModuleOp holder, PassManagers &managers,
                                     const NamedPipeline &pipeline) {
  Parts parts(getModule(holder));
  if (parts.lower(managers, pipeline) &&
      succeeded(joinKernels(getModule(holder), parts.getModules())))
    return success();
  return parts.doAsWhole([&] { return managers.run(pipeline, holder); });
}

FailureOr<std::string> carousel::emitKernels(ModuleOp holder,
                                             PassManagers &managers,
                                             const NamedPipeline &pipeline,
                                             const EmitPTXOptions &options) {
  Parts parts(getModule(holder));
  if (parts.lower(managers, pipeline)) {
    ArrayRef<gpu::GPUModuleOp> modules = parts.getModules();
    std::vector<std::string> texts(modules.size());
    bool emitted = parts.isQuiet([&] {
      return failableParallelForEachN(
          holder.getContext(), 0, modules.size(),
          [&](size_t index) -> LogicalResult {
            if (options.isCancelled && options.isCancelled())
              return failure();
            FailureOr<std::string> text = emitPTX(modules[index], options);
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
  FailureOr<std::string> ptx = failure();
  (void)parts.doAsWhole([&]() -> LogicalResult {
    if (failed(managers.run(pipeline, holder)))
      return failure();
    ptx = emitPTX(getModule(holder), options);
    return ptx;
  });
  return ptx;
}
