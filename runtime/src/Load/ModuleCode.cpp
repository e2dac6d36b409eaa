//===- ModuleCode.cpp - compiles the images of a package ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries a module's images, best first, and the compilers for each, until the
// driver takes the code. Records why the others failed.
//
//===----------------------------------------------------------------------===//

#include "ModuleCode.h"

#include "Compile/CompileCached.h"
#include "Compile/Compilers.h"
#include "Support/Capability.h"

#include "carousel/Runtime/Fail.h"

#include <array>
#include <functional>

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
  /// What became of one image with one compiler.
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

} // namespace carousel::runtime
