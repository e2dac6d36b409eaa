//===- ModuleCode.cpp - compiles the images of a package ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries a module's images, best first, and the compilers for each, until the
// cache or the driver accepts a cubin. Records why the others failed.
//
//===----------------------------------------------------------------------===//

#include "ModuleCode.h"

#include "Compile/CompileCached.h"
#include "Compile/Compilers.h"
#include "Support/Capability.h"

#include "carousel/Runtime/Fail.h"

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

/// Takes a cubin. CompileError: not this one; any other error ends the search.
using Accept = std::function<Status(const std::string &cubin)>;

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
  /// What NVRTC said of it.
  CompileMessages takeMessages() { return std::move(messages); }

private:
  /// What became of one image with one compiler.
  enum class Outcome { Accepted, NextImage, NextCompiler };

  Status checkExterns() const;
  Error explainNoImage() const;
  Result<Outcome> tryImage(size_t image);
  Result<Outcome> tryCubin(size_t image);
  Result<Outcome> tryCompiler(size_t image, const Compiler &compiler);
  /// Accepted, NextImage where the cubin was refused, or the error that ends
  /// the search. A refusal is noted as that of `what`, unless it is empty.
  Result<Outcome> offer(const Image &image, const std::string &cubin,
                        std::string_view what);
  /// What an error of a compiler means for the search.
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
    return tryCompiler(image, kSourceLinker);
  switch (kind) {
  case Image::Kind::Cubin:
    return tryCubin(image);
  case Image::Kind::PTX: {
    Result<Outcome> outcome = tryCompiler(image, kDriverLinker);
    if (outcome && *outcome == Outcome::NextCompiler)
      outcome = tryCompiler(image, kNvJitLink);
    return outcome;
  }
  case Image::Kind::CUDA:
    return tryCompiler(image, kNVRTC);
  }
  return Outcome::NextImage;
}

Result<Search::Outcome> Search::tryCubin(size_t image) {
  return offer(module.images[image],
               std::string(package.getContents(index, image)),
               "the driver refused it");
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
                                      const std::string &cubin,
                                      std::string_view what) {
  Status status = accept(cubin);
  if (status)
    return Outcome::Accepted;
  if (status.error().code != ErrorCode::CompileError)
    return tl::make_unexpected(status.error());
  if (!what.empty())
    note(image, what, status.error());
  return Outcome::NextImage;
}

void Search::note(const Image &image, std::string_view what,
                  const Error &error) {
  failures.push_back(
      fmt::format("{}: {}: {}", image.file, what, error.message));
  onlyLibrariesMissing &= error.code == ErrorCode::NoLibrary;
}

} // namespace

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

Result<std::string> getCubin(Context::Impl &context, const Package &package,
                             uint32_t module, std::string_view function,
                             const LoadOptions &options) {
  std::string taken;
  Accept accept = [&](const std::string &cubin) -> Status {
    taken = cubin;
    return {};
  };
  ModuleImages images(package.getManifest().modules[module],
                      context.info.computeCapability, options.via);
  Search search(context, package, module, images, function, options, accept);
  CAROUSEL_TRY(search.run());
  return taken;
}

Result<ModuleCode> loadModule(Context::Impl &context, const Package &package,
                              uint32_t module, const ModuleImages &images,
                              std::string_view function,
                              const LoadOptions &options) {
  CUmodule loaded = nullptr;
  Accept accept = [&](const std::string &cubin) -> Status {
    CurrentContext current(context);
    CAROUSEL_TRY(current.getStatus());
    CUresult result = context.driver->cuModuleLoadData(&loaded, cubin.c_str());
    Status status = context.check(result, "cuModuleLoadData");
    if (!status && refusesImage(result))
      return fail(ErrorCode::CompileError, "{}", status.error().message);
    return status;
  };
  Search search(context, package, module, images, function, options, accept);
  CAROUSEL_TRY(search.run());
  return ModuleCode{loaded, search.getTaken().function.empty(),
                    search.takeMessages()};
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
