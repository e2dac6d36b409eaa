//===- LoadedModule.h - the code of a module on a device --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread loads a module when a function of it is first needed. All kernels
// of the package in the same context share it, and the last of them unloads it.
// It chooses the image of the module that the device runs best. The driver
// takes a cubin, and compiles PTX, as a whole program. NVRTC compiles
// CUDA C++. nvJitLink compiles PTX that is newer than the driver, and links the
// device sources that a module needs; as parts of programs, for which ptxas
// ignores setmaxnreg, so that kernels whose producer warps give registers away
// spill.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LOAD_LOADEDMODULE_H
#define CAROUSEL_RUNTIME_SRC_LOAD_LOADEDMODULE_H

#include "Context/ContextImpl.h"
#include "Context/WaitRecord.h"
#include "Package/Images.h"

#include "carousel/Runtime/Kernel.h"

#include <map>
#include <mutex>

namespace carousel::runtime {

/// Loads a cubin, or PTX, which the driver compiles, into the context, which
/// need not be current. Errors as Compiler::compile's.
Result<CUmodule> loadCode(Context::Impl &context, const std::string &code);

/// Code that the driver has.
struct ModuleCode {
  CUmodule loaded = nullptr;
  std::string code;                     ///< the cubin or PTX that it took
  bool isWhole = true;                  ///< it has all functions of the module
  std::vector<CompileMessage> messages; ///< what compilers said of it
};

/// The code of a module, with `function` or, if that is empty, any, loaded into
/// the context, which need not be current. A cached cubin that the driver
/// refuses is removed and compiled anew; where a new one or an image of the
/// package is refused or can't be compiled, the next image is tried. The error
/// names them all. An error that isn't about the image (out of memory, an
/// earlier launch that failed) is returned at once. Holds no lock while it
/// compiles. The caller unloads the module.
Result<ModuleCode> loadModule(Context::Impl &context, const Package &package,
                              uint32_t module, const ModuleImages &images,
                              std::string_view function,
                              const LoadOptions &options);

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
