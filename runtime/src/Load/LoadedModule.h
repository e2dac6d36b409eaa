//===- LoadedModule.h - a module of a package on a device -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread loads a module when a function of it is first needed. All kernels
// of the package in the same context share it, and the last of them unloads it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LOAD_LOADEDMODULE_H
#define CAROUSEL_RUNTIME_SRC_LOAD_LOADEDMODULE_H

#include "Context/WaitRecord.h"
#include "Package/Images.h"

#include "carousel/Runtime/Kernel.h"

#include <map>
#include <mutex>

namespace carousel::runtime {

/// How modules are loaded, and a text that only equal options have.
struct KeyedOptions {
  explicit KeyedOptions(LoadOptions options);
  LoadOptions options;
  std::string key;
};

class LoadedModule {
public:
  using Options = std::shared_ptr<const KeyedOptions>;

  /// The one of this context, package and equal options. Loads nothing.
  static std::shared_ptr<LoadedModule> get(const Context &context,
                                           const Package &package,
                                           uint32_t module,
                                           const Options &options);

  LoadedModule(Context context, Package package, uint32_t module,
               Options options);
  ~LoadedModule();
  LoadedModule(const LoadedModule &) = delete;
  LoadedModule &operator=(const LoadedModule &) = delete;

  /// The function, ready to be launched as the variant says. Compiles and loads
  /// the module if that hasn't happened; other threads wait meanwhile. A
  /// failure is tried again by the next call.
  Result<CUfunction> getFunction(const KernelInfo &kernel,
                                 const VariantInfo &variant);

  const ModuleImages &getImages() const { return images; }

  /// The compilers' messages when it was loaded.
  std::vector<CompileMessage> getMessages();

private:
  /// One piece of the module's code.
  struct Code {
    CUmodule loaded = nullptr;
    std::shared_ptr<WaitRecord> waits; ///< null: no wait has a bound
  };

  Result<CUmodule> load(const std::string &function);
  Result<CUfunction> find(const std::string &name);
  Status checkLimits(CUfunction function, const VariantInfo &variant);
  Status checkParameters(CUfunction function, const KernelInfo &kernel,
                         const VariantInfo &variant);
  Status setAttributes(CUfunction function, const VariantInfo &variant);

  Context context;
  Package package;
  uint32_t index;
  Options options;
  ModuleImages images;
  std::mutex mutex; ///< of the load
  /// The code of each function; that with an empty name has them all.
  std::map<std::string, Code> codes;
  std::vector<CompileMessage> messages;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LOAD_LOADEDMODULE_H
