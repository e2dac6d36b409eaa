//===- Module.cpp - compiled code without a manifest ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module of the driver, and the functions that callers have launched.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Module.h"

#include "KernelImpl.h"
#include "Load/LoadedModule.h"

#include "carousel/Runtime/Fail.h"

#include <map>
#include <mutex>

namespace carousel::runtime {

struct Module::Impl {
  explicit Impl(const Context &context) : context(context) {}
  ~Impl();

  /// The function of this name and what the context calls it.
  struct Function {
    CUfunction function = nullptr;
    const char *name = nullptr;
    uint32_t dynamicShared = 48 << 10; ///< allowed without opting in
  };
  Status load(const std::string &image);
  Result<Function> find(const std::string &name,
                        const LaunchShape &shape) const;

  Context context;
  CUmodule module = nullptr;
  mutable std::mutex mutex;
  mutable std::map<std::string, Function, std::less<>> functions;
};

Module::Impl::~Impl() {
  if (!module)
    return;
  // A failure can't be reported.
  CurrentContext current(context.getImpl());
  if (!current.getStatus())
    return;
  RelaxedCapture relaxed(*context.getImpl().driver);
  (void)context.getImpl().driver->cuModuleUnload(module);
}

Status Module::Impl::load(const std::string &image) {
  Context::Impl &impl = context.getImpl();
  CurrentContext current(impl);
  CAROUSEL_TRY(current.getStatus());
  RelaxedCapture relaxed(*impl.driver);
  CAROUSEL_TRY_ASSIGN(module, loadCode(impl, image));
  return {};
}

Result<Module::Impl::Function>
Module::Impl::find(const std::string &name, const LaunchShape &shape) const {
  Context::Impl &impl = context.getImpl();
  std::lock_guard<std::mutex> lock(mutex);
  auto found = functions.find(name);
  if (found == functions.end()) {
    Function function;
    CUresult result = impl.driver->cuModuleGetFunction(&function.function,
                                                       module, name.c_str());
    if (result == CUDA_ERROR_NOT_FOUND)
      return fail(ErrorCode::NotFound,
                  "expected a kernel '{}' in the module, got none; is it "
                  "extern \"C\" __global__?",
                  name);
    CAROUSEL_TRY(impl.check(result, "cuModuleGetFunction"));
    function.name = impl.keepName(name);
    found = functions.emplace(name, function).first;
  }
  Function &function = found->second;
  if (shape.dynamicShared > function.dynamicShared) {
    CUresult result = impl.driver->cuFuncSetAttribute(
        function.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        static_cast<int>(shape.dynamicShared));
    CAROUSEL_TRY(
        prefixError(impl.check(result, "cuFuncSetAttribute"), "{}", name));
    function.dynamicShared = shape.dynamicShared;
  }
  return function;
}

Module::Module(std::shared_ptr<const Impl> impl) : impl(std::move(impl)) {}

Result<Module> Module::load(const Context &context,
                            const CompiledCode &code) noexcept {
  if (code.kind == CodeKind::LTOIR)
    return fail(ErrorCode::InvalidArgument,
                "expected a cubin or PTX to load, got LTO-IR, which only "
                "nvJitLink takes");
  auto impl = std::make_shared<Impl>(context);
  CAROUSEL_TRY(impl->load(code.bytes));
  return Module(std::move(impl));
}

Result<Module> Module::compile(const Context &context, const CUDASource &source,
                               const CompileOptions &options,
                               std::vector<CompileMessage> *messages) noexcept {
  CAROUSEL_TRY_ASSIGN(CompiledCode code,
                      compileCUDA(context, source, options, messages));
  return load(context, code);
}

Status Module::launch(const std::string &kernel, const LaunchShape &shape,
                      void *const *parameters, Stream stream) const noexcept {
  Context::Impl &context = impl->context.getImpl();
  CurrentContext current(context);
  CAROUSEL_TRY(current.getStatus());
  CAROUSEL_TRY_ASSIGN(Impl::Function function, impl->find(kernel, shape));
  // The driver copies the parameters and changes nothing in them.
  return startFunction(context, function.name, function.function, shape,
                       const_cast<void **>(parameters), stream);
}

} // namespace carousel::runtime
