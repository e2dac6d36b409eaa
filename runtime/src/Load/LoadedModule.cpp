//===- LoadedModule.cpp - the code of a module on a device ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries a module's images, best first, and the compilers for each, until the
// driver takes the code. Records why the others failed. Compares the driver's
// information about a function with the manifest: with other parameters than it
// declares, a kernel would read invalid memory.
//
//===----------------------------------------------------------------------===//

#include "LoadedModule.h"

#include "Compile/CompileCached.h"
#include "Compile/Compilers.h"
#include "Package/ParameterBytes.h"
#include "Support/Capability.h"

#include "carousel/Runtime/Fail.h"

#include <array>
#include <functional>
#include <tuple>

namespace carousel::runtime {

namespace {

/// The warnings of a compilation that the cache spared.
CompileMessages readLog(std::string_view log, const CompileInput &input) {
  CompileMessages messages =
      readNVRTCLog(log, {input.image.file, std::string(input.text)},
                   input.options.cuda.headers);
  for (const CUDASource &source : input.options.deviceSources)
    addFunctions(messages, source);
  return messages;
}

/// Takes a cubin or PTX. Errors as Compiler::compile's.
using Accept = std::function<Status(const std::string &code)>;

class Search {
public:
  Search(Context::Impl &context, const Package &package, uint32_t module,
         const ModuleImages &images, std::string_view function,
         const LoadOptions &options, const Accept &accept)
      : context(context), package(package), index(module), images(images),
        function(function), module(package.getManifest().modules[module]),
        options(options), accept(accept) {}

  Status run();
  /// The image that was taken.
  const Image &getTaken() const { return module.images[taken]; }
  /// The compilers' messages about it.
  CompileMessages takeMessages() { return std::move(messages); }

private:
  /// The outcome of one image with one compiler.
  enum class Outcome { Accepted, NextImage, NextCompiler };

  Status checkExterns() const;
  Error explainNoImage() const;
  Result<Outcome> tryImage(size_t image);
  Result<Outcome> tryCompiler(size_t image, const Compiler &compiler);
  /// By nvJitLink, which compiles PTX as a part of a program.
  Result<Outcome> tryLinker(size_t image, const Compiler &linker);
  /// Has the driver take the code. A refusal is noted as that of `what`, unless
  /// it is empty.
  Result<Outcome> offer(const Image &image, const std::string &code,
                        std::string_view what);
  /// Decides how the search goes on after an error of a compiler or the driver.
  Result<Outcome> explain(const Image &image, std::string_view what,
                          const Error &error);
  void note(const Image &image, std::string_view what, const Error &error);

  Context::Impl &context;
  const Package &package;
  uint32_t index;
  const ModuleImages &images;
  std::string_view function;
  const ModuleInfo &module;
  const LoadOptions &options;
  const Accept &accept;
  size_t taken = 0;
  CompileMessages messages;
  std::vector<std::string> failures;
  bool onlyLibrariesMissing = true;
};

Status Search::run() {
  CAROUSEL_TRY(checkExterns());
  int capability = context.info.computeCapability;
  std::vector<size_t> ranked = images.rank(function);
  if (ranked.empty())
    return tl::make_unexpected(explainNoImage());
  for (size_t image : ranked) {
    messages.clear();
    taken = image;
    CAROUSEL_TRY_ASSIGN(Outcome outcome, tryImage(image));
    if (outcome == Outcome::Accepted)
      return {};
  }
  return fail(
      onlyLibrariesMissing ? ErrorCode::NoLibrary : ErrorCode::CompileError,
      "module '{}' has no image that works on compute capability {}: {}",
      module.name, describeCapability(capability),
      join(failures, "; ", [](const std::string &text) { return text; }));
}

/// A module that calls undefined functions needs device sources.
Status Search::checkExterns() const {
  if (module.externs.empty() || !options.deviceSources.empty())
    return {};
  return fail(ErrorCode::InvalidArgument,
              "module '{}' calls what it doesn't define: expected device "
              "sources with {}, got none",
              module.name,
              join(module.externs, ", ", [](const ExternInfo &function) {
                return toString(function);
              }));
}

Error Search::explainNoImage() const {
  std::string here = describeCapability(context.info.computeCapability);
  if (options.via == LoadOptions::Via::Any)
    return {ErrorCode::CompileError,
            fmt::format("module '{}' has no image for compute capability {}; "
                        "it has {}",
                        module.name, here, images.getDescription())};
  return {ErrorCode::CompileError,
          fmt::format("module '{}' has no {} for compute capability {}, which "
                      "alone was asked for; it has {}",
                      module.name, toString(options.via), here,
                      images.getDescription())};
}

Result<Search::Outcome> Search::tryImage(size_t image) {
  Image::Kind kind = module.images[image].kind;
  if (!module.externs.empty() && kind != Image::Kind::Cubin)
    return tryLinker(image, kSourceLinker);
  if (kind == Image::Kind::CUDA)
    return tryCompiler(image, kNVRTC);
  bool isPTX = kind == Image::Kind::PTX;
  Result<Outcome> outcome = offer(
      module.images[image], std::string(package.getContents(index, image)),
      isPTX ? "the driver's compiler failed" : "the driver refused it");
  if (isPTX && outcome && *outcome == Outcome::NextCompiler)
    return tryLinker(image, kNvJitLink);
  return outcome;
}

Result<Search::Outcome> Search::tryLinker(size_t number,
                                          const Compiler &linker) {
  Result<Outcome> outcome = tryCompiler(number, linker);
  const Image &image = module.images[number];
  if (outcome && *outcome == Outcome::Accepted &&
      image.kind == Image::Kind::PTX &&
      package.getContents(index, number).find("setmaxnreg") !=
          std::string_view::npos) {
    CompileMessage warning;
    warning.severity = CompileMessage::Severity::Warning;
    warning.file = image.file;
    warning.text = "nvJitLink ignores setmaxnreg, so that kernels with "
                   "producer warps may spill registers";
    messages.push_back(std::move(warning));
  }
  return outcome;
}

Result<Search::Outcome> Search::tryCompiler(size_t number,
                                            const Compiler &compiler) {
  const Image &image = module.images[number];
  Result<std::string> version = compiler.getVersion(context);
  if (!version) {
    note(image, fmt::format("{} can't be used", compiler.title),
         version.error());
    return Outcome::NextCompiler;
  }
  CompileInput input = {package.getContents(index, number), module, image,
                        getArchitecture(image, context.info.computeCapability),
                        options};
  Result<Job> job = compiler.prepare(context, input, messages);
  if (!job)
    return explain(image, "refused", job.error());
  std::string key = makeCacheKey(context.info, image, compiler, *version,
                                 input.arch, job->parts);

  if (std::optional<std::string> payload =
          job->isCacheable ? context.cache.lookup(key) : std::nullopt) {
    if (std::optional<Compiled> cached = unpack(*payload)) {
      Result<Outcome> outcome = offer(image, cached->code, {});
      if (outcome && *outcome == Outcome::Accepted)
        messages = readLog(cached->log, input);
      if (!outcome || *outcome == Outcome::Accepted)
        return outcome;
    }
    context.cache.remove(key);
  }
  Result<Compiled> cubin = compiler.compile(context, input, *job, messages);
  if (!cubin)
    return explain(image, fmt::format("{} failed", compiler.title),
                   cubin.error());
  Result<Outcome> outcome = offer(
      image, cubin->code,
      fmt::format("the driver refused what {} made of it", compiler.title));
  // Without a cache it only takes longer the next time.
  if (job->isCacheable && outcome && *outcome == Outcome::Accepted)
    (void)context.cache.store(key, pack(*cubin));
  return outcome;
}

Result<Search::Outcome>
Search::explain(const Image &image, std::string_view what, const Error &error) {
  switch (error.code) {
  case ErrorCode::CompileError:
    note(image, what, error);
    return Outcome::NextImage;
  case ErrorCode::UnsupportedVersion:
  case ErrorCode::NoLibrary:
    note(image, what, error);
    return Outcome::NextCompiler;
  case ErrorCode::InvalidArgument: // of a device source
    return fail(ErrorCode::CompileError, "module '{}': {}", module.name,
                error.message);
  default: // nothing else would do better
    return tl::make_unexpected(error);
  }
}

Result<Search::Outcome> Search::offer(const Image &image,
                                      const std::string &code,
                                      std::string_view what) {
  Status status = accept(code);
  if (status)
    return Outcome::Accepted;
  return explain(image, what, status.error());
}

void Search::note(const Image &image, std::string_view what,
                  const Error &error) {
  if (what.empty())
    return;
  failures.push_back(
      fmt::format("{}: {}: {}", image.file, what, error.message));
  onlyLibrariesMissing &= error.code == ErrorCode::NoLibrary;
}

/// The messages of the driver's compiler while it loads PTX.
class LoadLog {
public:
  unsigned size() const { return options.size(); }
  CUjit_option *getOptions() { return options.data(); }
  void **getValues() { return values.data(); }
  std::string getText() const {
    std::string log = condenseLog(errors.data());
    return log.empty() ? condenseLog(infos.data()) : log;
  }

private:
  static constexpr uintptr_t kBytes = 8192;
  std::array<char, kBytes> errors = {}, infos = {};
  std::array<CUjit_option, 4> options = {
      CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
      CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  // Sizes are passed as pointers: so the API has it.
  std::array<void *, 4> values = {
      errors.data(), reinterpret_cast<void *>(kBytes - 1), infos.data(),
      reinterpret_cast<void *>(kBytes - 1)};
};

/// Whether the driver says that an image is at fault, and nothing else is.
bool refusesImage(CUresult result) {
  switch (result) {
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
  case CUDA_ERROR_INVALID_SOURCE:
    return true;
  default:
    return false;
  }
}

/// Classifies an error for which the driver has no class. The driver says why
/// it can't take a text; without that, the text isn't at fault.
ErrorCode classify(CUresult result, bool hasLog) {
  switch (result) {
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    return ErrorCode::UnsupportedVersion;
  case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
  case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    return ErrorCode::NoLibrary;
  default:
    return hasLog || refusesImage(result) ? ErrorCode::CompileError
                                          : ErrorCode::DriverError;
  }
}

} // namespace

Result<CUmodule> loadCode(Context::Impl &context, const std::string &code) {
  CurrentContext current(context);
  CAROUSEL_TRY(current.getStatus());
  LoadLog log;
  CUmodule loaded = nullptr;
  CUresult result = context.driver->cuModuleLoadDataEx(
      &loaded, code.c_str(), log.size(), log.getOptions(), log.getValues());
  Status status = context.check(result, "cuModuleLoadDataEx");
  if (status)
    return loaded;
  if (status.error().code != ErrorCode::DriverError)
    return tl::make_unexpected(status.error());
  std::string text = log.getText();
  return fail(classify(result, !text.empty()), "{}",
              text.empty() ? status.error().message : text);
}

Result<ModuleCode> loadModule(Context::Impl &context, const Package &package,
                              uint32_t module, const ModuleImages &images,
                              std::string_view function,
                              const LoadOptions &options) {
  ModuleCode taken;
  Accept accept = [&](const std::string &code) -> Status {
    CAROUSEL_TRY_ASSIGN(taken.loaded, loadCode(context, code));
    taken.code = code;
    return {};
  };
  Search search(context, package, module, images, function, options, accept);
  CAROUSEL_TRY(search.run());
  taken.isWhole = search.getTaken().function.empty();
  taken.messages = search.takeMessages();
  return taken;
}

std::string makeCacheKey(const DeviceInfo &device, const Image &image,
                         const Compiler &compiler, const std::string &version,
                         const std::string &arch,
                         const std::vector<std::string> &parts) {
  std::string key = fmt::format(
      "carousel cubin 3\nimage {} {} bytes {}\ncompute capability {}\n"
      "architecture {}\ndriver {}\n",
      toString(image.kind), image.bytes, image.hash, device.computeCapability,
      arch, device.driverVersion);
  appendToKey(key, "compiler", compiler.title);
  appendToKey(key, "version", version);
  for (const std::string &part : parts)
    appendToKey(key, "part", part);
  appendToKey(key, "file", image.file);
  return key;
}

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
