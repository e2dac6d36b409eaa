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
#include "mlir/IR/Operation.h"
#include "mlir/IR/Threading.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>
#include <mutex>
#include <set>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Code of earlier compilations
//===----------------------------------------------------------------------===//

// The compiler is the files that hold its code and LLVM's: a
// developer's build has the version of the one before.

std::string carousel::describeFile(const Twine &path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return "none";
  return llvm::formatv(
      "{0} {1} {2} {3}", path.str(), status.getSize(),
      status.getLastModificationTime().time_since_epoch().count(),
      status.getUniqueID().getFile());
}

/// The program or library with this function.
static std::string describeLibrary(const void *function) {
  Dl_info info = {};
  if (!dladdr(function, &info) || !info.dli_fname)
    return "none";
  // A program's own name may be relative to another directory.
  std::string self = llvm::sys::fs::getMainExecutable(info.dli_fname, nullptr);
  return describeFile(llvm::sys::fs::exists(info.dli_fname) ? info.dli_fname
                                                            : self.c_str());
}

/// The op, with all that its code depends on and no locations. Empty for one
/// whose text lacks the elements of constants.
static std::string describeOp(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, OpPrintingFlags().printGenericOpForm().useLocalScope());
  return text.find("dense_resource<") == std::string::npos ? text : "";
}

std::string carousel::makeCodeKey(ArrayRef<StringRef> texts) {
  static const std::string compiler =
      describeLibrary(reinterpret_cast<const void *>(&makeCodeKey)) + "\n" +
      describeLibrary(reinterpret_cast<const void *>(&llvm::outs));
  std::string all = compiler;
  for (StringRef text : texts)
    all += llvm::formatv("\n{0} {1}", text.size(), text).str();
  return "carousel compiler " + hashContents(all);
}

void carousel::keepCode(const CodeStore &store, StringRef key, StringRef code,
                        Location loc) {
  if (std::string error = store.keep(key, code); !error.empty())
    emitRemark(loc) << "the code isn't kept for later compilations: " << error;
}

//===----------------------------------------------------------------------===//
// Compile kernels in parallel
//===----------------------------------------------------------------------===//

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
    // An engine for remarks would get them in any order.
    if (module.getContext()->getRemarkEngine())
      return;
    for (OwningOpRef<gpu::GPUModuleOp> &part : splitKernels(module)) {
      auto inner = ModuleOp::create(module.getLoc());
      holder->push_back(inner);
      modules.push_back(part.release());
      inner.push_back(modules.back());
    }
  }

  /// Whether there are any, and the pipeline succeeds on each.
  bool lower(PassManagers &managers, const NamedPipeline &pipeline) {
    auto build = [&](OpPassManager &pm) {
      pipeline.build(pm.nest<ModuleOp>());
    };
    return !modules.empty() && tryWork([&] {
      return managers.run(
          {pipeline.name + ", parts", build, pipeline.verification}, *holder);
    });
  }

  /// Whether the work succeeds. Its diagnostics are kept.
  bool tryWork(llvm::function_ref<LogicalResult()> work) {
    ScopedDiagnosticHandler handler(holder->getContext(),
                                    [&](Diagnostic &diagnostic) {
                                      std::scoped_lock lock(mutex);
                                      kept.push_back(std::move(diagnostic));
                                    });
    return succeeded(work());
  }

  /// Shows what was kept. Parts have copies of the functions that they share,
  /// so that they may say the same.
  void report() {
    std::set<Said> said;
    for (Diagnostic &diagnostic : kept)
      if (said.insert(getKey(diagnostic)).second)
        holder->getContext()->getDiagEngine().emit(std::move(diagnostic));
  }

  /// Does the work as a whole after it has failed on parts. Passes stop at the
  /// first error, so this says which one that is, and again what the parts have
  /// said. What it doesn't say again is another thread's of the same context,
  /// or of no consequence: the whole may succeed.
  LogicalResult doAsWhole(llvm::function_ref<LogicalResult()> work) {
    std::set<Said> said;
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
    llvm::erase_if(kept, [&](Diagnostic &diagnostic) {
      return said.count(getKey(diagnostic)) != 0;
    });
    // A compilation that succeeds has no errors.
    if (succeeded(result))
      for (Diagnostic &diagnostic : kept)
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          diagnostic = makeRemark(diagnostic);
    report();
    return result;
  }

  /// Null for parts that were found.
  ArrayRef<gpu::GPUModuleOp> getModules() { return modules; }

  /// Leaves out what was made before. Returns the keys of all parts; an empty
  /// one for a part that can't be kept.
  std::vector<std::string> find(const CodeStore &store, StringRef pipeline,
                                StringRef cudaRoot,
                                std::vector<std::string> &texts);
  bool hasSaid() const { return !kept.empty(); }

private:
  /// A diagnostic's location and text, with those of its notes.
  using Said = std::vector<std::pair<const void *, std::string>>;

  static Said getKey(Diagnostic &diagnostic) {
    Said key;
    auto add = [&](Diagnostic &part) {
      key.emplace_back(part.getLocation().getAsOpaquePointer(), part.str());
    };
    add(diagnostic);
    llvm::for_each(diagnostic.getNotes(), add);
    return key;
  }

  static Diagnostic makeRemark(Diagnostic &diagnostic) {
    Diagnostic remark(diagnostic.getLocation(), DiagnosticSeverity::Remark);
    remark << diagnostic.str();
    for (Diagnostic &note : diagnostic.getNotes())
      remark.attachNote(note.getLocation()) << note.str();
    return remark;
  }

  OwningOpRef<ModuleOp> holder;
  SmallVector<gpu::GPUModuleOp> modules;
  std::mutex mutex;
  std::vector<Diagnostic> kept;
};

} // namespace

std::vector<std::string> Parts::find(const CodeStore &store, StringRef pipeline,
                                     StringRef cudaRoot,
                                     std::vector<std::string> &texts) {
  std::string math = describeFile(cudaRoot + "/nvvm/libdevice/libdevice.10.bc");
  std::vector<std::string> keys(modules.size());
  parallelFor(holder->getContext(), 0, modules.size(), [&](size_t index) {
    std::string text = describeOp(modules[index]);
    if (text.empty())
      return;
    keys[index] = makeCodeKey({"ptx", pipeline, math, text});
    texts[index] = store.find(keys[index]).value_or("");
  });
  for (auto [module, text] : llvm::zip_equal(modules, texts))
    if (!text.empty()) {
      module->getParentOp()->erase();
      module = {};
    }
  return keys;
}

LogicalResult carousel::lowerKernels(ModuleOp holder, PassManagers &managers,
                                     const NamedPipeline &pipeline) {
  Parts parts(getModule(holder));
  if (parts.lower(managers, pipeline) &&
      succeeded(joinKernels(getModule(holder), parts.getModules()))) {
    parts.report();
    return success();
  }
  return parts.doAsWhole([&] { return managers.run(pipeline, holder); });
}

/// The text of each module, of the context's threads.
static LogicalResult emitAll(ArrayRef<gpu::GPUModuleOp> modules,
                             const EmitPTXOptions &options,
                             std::vector<std::string> &texts) {
  const auto *first = llvm::find_if(modules, [](auto part) { return !!part; });
  if (first == modules.end())
    return success();
  MLIRContext *context = (*first)->getContext();
  ParallelDiagnosticHandler ordered(context);
  return failableParallelForEachN(
      context, 0, modules.size(), [&](size_t index) -> LogicalResult {
        if (!modules[index])
          return success();
        if (options.isCancelled && options.isCancelled())
          return failure();
        ordered.setOrderIDForThread(index);
        FailureOr<std::string> text = emitPTX(modules[index], options);
        ordered.eraseOrderIDForThread();
        if (failed(text))
          return failure();
        texts[index] = std::move(*text);
        return success();
      });
}

FailureOr<std::string> carousel::emitKernels(ModuleOp holder,
                                             PassManagers &managers,
                                             const NamedPipeline &pipeline,
                                             const EmitPTXOptions &options,
                                             const CodeStore &store) {
  Parts parts(getModule(holder));
  std::vector<std::string> texts(parts.getModules().size()), keys;
  if (store)
    keys = parts.find(store, pipeline.name, options.cudaRoot, texts);
  if (parts.lower(managers, pipeline)) {
    bool emitted = parts.tryWork(
        [&] { return emitAll(parts.getModules(), options, texts); });
    if (std::optional<std::string> merged;
        emitted && (merged = mergePTX(texts))) {
      // Code with diagnostics isn't kept, so that each compilation reports
      // them.
      if (store && !parts.hasSaid())
        parallelFor(holder.getContext(), 0, texts.size(), [&](size_t index) {
          if (parts.getModules()[index] && !keys[index].empty())
            keepCode(store, keys[index], texts[index], holder.getLoc());
        });
      parts.report();
      return std::move(*merged);
    }
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
