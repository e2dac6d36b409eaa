//===- LoadedModule.cpp - a module of a package on a device ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads a module, and compares the driver's information about a function with
// the manifest. With other parameters than it declares, a kernel would read
// invalid memory.
//
//===----------------------------------------------------------------------===//

#include "LoadedModule.h"

#include "Compile/CompileCached.h"
#include "ModuleCode.h"
#include "Package/ParameterBytes.h"

#include "carousel/Runtime/Fail.h"

#include <map>
#include <tuple>

namespace carousel::runtime {

//===----------------------------------------------------------------------===//
// Sharing
//===----------------------------------------------------------------------===//

namespace {
/// A package is known by the address of its manifest, which lives as long as
/// the LoadedModule that holds the package; an entry that expired may be of
/// another one and isn't found.
using Key =
    std::tuple<const Context::Impl *, const Manifest *, uint32_t, std::string>;

/// Equal for equal options only.
std::string describe(const LoadOptions &options) {
  std::string text = fmt::format("{} {} {}\n", static_cast<int>(options.via),
                                 options.cuda.lineInfo, options.cuda.fastMath);
  for (const std::string &option : options.cuda.more)
    appendToKey(text, "option", option);
  for (const CUDASource &header : options.cuda.headers)
    appendToKey(text, "header", header);
  for (const CUDASource &source : options.deviceSources)
    appendToKey(text, "source", source);
  return text;
}

struct Registry {
  std::mutex mutex;
  std::map<Key, std::weak_ptr<LoadedModule>> modules;
  size_t kept = 0; ///< when expired entries were dropped

  /// Now and then, so that a module costs the same however many there are.
  void dropExpired() {
    if (modules.size() < 2 * kept + 16)
      return;
    for (auto it = modules.begin(); it != modules.end();)
      it = it->second.expired() ? modules.erase(it) : std::next(it);
    kept = modules.size();
  }

  /// Never destroyed: modules may outlive static objects.
  static Registry &get() {
    static Registry *registry = new Registry();
    return *registry;
  }
};
} // namespace

KeyedOptions::KeyedOptions(LoadOptions given)
    : options(std::move(given)), key(describe(options)) {}

std::shared_ptr<LoadedModule> LoadedModule::get(const Context &context,
                                                const Package &package,
                                                uint32_t module,
                                                const Options &options) {
  Registry &registry = Registry::get();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.dropExpired();
  Key key = {&context.getImpl(), &package.getManifest(), module, options->key};
  std::weak_ptr<LoadedModule> &entry = registry.modules[key];
  std::shared_ptr<LoadedModule> shared = entry.lock();
  if (!shared) {
    shared = std::make_shared<LoadedModule>(context, package, module, options);
    entry = shared;
  }
  return shared;
}

LoadedModule::LoadedModule(Context context, Package package, uint32_t module,
                           Options options)
    : context(std::move(context)), package(std::move(package)), index(module),
      options(std::move(options)),
      images(this->package.getManifest().modules[index],
             this->context.getDevice().computeCapability,
             this->options->options.via) {}

LoadedModule::~LoadedModule() {
  if (codes.empty())
    return;
  // A failure can't be reported: the context is broken, or the process is about
  // to end.
  CurrentContext current(context.getImpl());
  if (!current.getStatus())
    return;
  RelaxedCapture relaxed(*context.getImpl().driver);
  for (const auto &[function, code] : codes)
    (void)context.getImpl().driver->cuModuleUnload(code.loaded);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// The code with `function`, loaded if it isn't yet.
Result<CUmodule> LoadedModule::load(const std::string &function) {
  for (const std::string &name : {std::string(), function})
    if (auto code = codes.find(name); code != codes.end())
      return code->second.loaded;
  Context::Impl &impl = context.getImpl();
  CAROUSEL_TRY_ASSIGN(ModuleCode code, loadModule(impl, package, index, images,
                                                  function, options->options));
  Result<std::shared_ptr<WaitRecord>> record =
      WaitRecord::attach(context, package, index, code.loaded);
  if (!record)
    (void)impl.driver->cuModuleUnload(code.loaded);
  CAROUSEL_TRY(record);
  codes[code.isWhole ? std::string() : function] = {code.loaded,
                                                    std::move(*record)};
  messages.insert(messages.end(), code.messages.begin(), code.messages.end());
  return code.loaded;
}

Result<CUfunction> LoadedModule::find(const std::string &name) {
  Context::Impl &impl = context.getImpl();
  std::lock_guard<std::mutex> lock(mutex);
  CAROUSEL_TRY_ASSIGN(CUmodule module, load(name));
  CUfunction function = nullptr;
  CUresult result =
      impl.driver->cuModuleGetFunction(&function, module, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    return fail(ErrorCode::InvalidPackage,
                "expected a function '{}' in the module '{}', got none", name,
                package.getManifest().modules[index].name);
  CAROUSEL_TRY(impl.check(result, "cuModuleGetFunction"));
  return function;
}

Status LoadedModule::checkLimits(CUfunction function,
                                 const VariantInfo &variant) {
  Context::Impl &impl = context.getImpl();
  int threads = 0, shared = 0;
  CAROUSEL_TRY(impl.check(
      impl.driver->cuFuncGetAttribute(
          &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function),
      "cuFuncGetAttribute"));
  CAROUSEL_TRY(
      impl.check(impl.driver->cuFuncGetAttribute(
                     &shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
                 "cuFuncGetAttribute"));
  uint64_t block =
      uint64_t(variant.block[0]) * variant.block[1] * variant.block[2];
  if (block > uint64_t(threads))
    return fail(ErrorCode::InvalidPackage,
                "{}: expected at most {} threads per block, which its "
                "registers allow, got {}",
                variant.function, threads, block);
  if (uint64_t(shared) + variant.dynamicShared > impl.info.maxSharedPerBlock)
    return fail(ErrorCode::InvalidPackage,
                "{}: expected at most {} bytes of shared memory, got {} static "
                "and {} dynamic ones",
                variant.function, impl.info.maxSharedPerBlock, shared,
                variant.dynamicShared);
  return {};
}

Status LoadedModule::checkParameters(CUfunction function,
                                     const KernelInfo &kernel,
                                     const VariantInfo &variant) {
  Context::Impl &impl = context.getImpl();
  if (!impl.driver->cuFuncGetParamInfo) // came with CUDA 12.4
    return {};
  for (size_t i = 0; i <= variant.parameters.size(); ++i) {
    size_t offset = 0, bytes = 0;
    CUresult result =
        impl.driver->cuFuncGetParamInfo(function, i, &offset, &bytes);
    bool exists = result == CUDA_SUCCESS;
    if (result == CUDA_ERROR_NOT_SUPPORTED)
      return {};
    // The driver's word for "no such parameter".
    if (!exists && result != CUDA_ERROR_INVALID_VALUE)
      return impl.check(result, "cuFuncGetParamInfo");
    if (i == variant.parameters.size()) {
      if (!exists)
        return {};
      return fail(ErrorCode::InvalidPackage,
                  "{}: expected {} parameters as in the manifest, got more",
                  variant.function, i);
    }
    if (!exists)
      return fail(ErrorCode::InvalidPackage,
                  "{}: expected {} parameters as in the manifest, got {}",
                  variant.function, variant.parameters.size(), i);
    size_t wanted = getParameterBytes(kernel, variant, variant.parameters[i]);
    if (bytes != wanted)
      return fail(ErrorCode::InvalidPackage,
                  "{}: expected {} bytes in parameter {} as in the manifest, "
                  "got {}",
                  variant.function, wanted, i, bytes);
  }
  return {};
}

Status LoadedModule::setAttributes(CUfunction function,
                                   const VariantInfo &variant) {
  Context::Impl &impl = context.getImpl();
  // Above 48 KB a kernel has to opt in; below, it makes no difference.
  if (variant.dynamicShared != 0)
    CAROUSEL_TRY(impl.check(impl.driver->cuFuncSetAttribute(
                                function,
                                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                int(variant.dynamicShared)),
                            "cuFuncSetAttribute"));
  constexpr uint64_t kPortableCluster = 8; // blocks, on every device
  if (uint64_t(variant.cluster[0]) * variant.cluster[1] * variant.cluster[2] >
      kPortableCluster)
    return impl.check(
        impl.driver->cuFuncSetAttribute(
            function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
        "cuFuncSetAttribute");
  return {};
}

std::vector<CompileMessage> LoadedModule::getMessages() {
  std::lock_guard<std::mutex> lock(mutex);
  return messages;
}

Result<CUfunction> LoadedModule::getFunction(const KernelInfo &kernel,
                                             const VariantInfo &variant) {
  CurrentContext current(context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  RelaxedCapture relaxed(*context.getImpl().driver);
  CAROUSEL_TRY_ASSIGN(CUfunction function, find(variant.function));
  CAROUSEL_TRY(checkLimits(function, variant));
  CAROUSEL_TRY(checkParameters(function, kernel, variant));
  CAROUSEL_TRY(setAttributes(function, variant));
  return function;
}

} // namespace carousel::runtime
