//===- CompileCUDA.cpp - compiles CUDA C++ at run time --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs NVRTC behind the disk cache. A cache entry also has the log, so that a
// hit reports the warnings again.
//
//===----------------------------------------------------------------------===//

#include "Cache/CacheDirectory.h"
#include "CompileCached.h"
#include "Context/ContextImpl.h"
#include "Package/Images.h"
#include "Support/Hash.h"
#include "Support/Process.h"

#include "carousel/Runtime/Fail.h"

#include <charconv>

namespace carousel::runtime {

//===----------------------------------------------------------------------===//
// Entries of the cache
//===----------------------------------------------------------------------===//

void appendToKey(std::string &key, std::string_view label,
                 std::string_view value) {
  key += fmt::format("{} {} {}\n", label, value.size(), value);
}

void appendToKey(std::string &key, std::string_view label,
                 const CUDASource &source) {
  appendToKey(key, label, source.name);
  key += fmt::format("text {} {}\n", source.text.size(),
                     hashContents(source.text));
}

std::string pack(const Compiled &compiled) {
  return fmt::format("{}\n{}{}", compiled.log.size(), compiled.log,
                     compiled.code);
}

std::optional<Compiled> unpack(std::string_view payload) {
  size_t bytes = 0;
  const char *end = payload.data() + payload.size();
  auto [at, error] = std::from_chars(payload.data(), end, bytes);
  if (error != std::errc() || at == end || *at != '\n')
    return std::nullopt;
  payload.remove_prefix(static_cast<size_t>(at + 1 - payload.data()));
  if (bytes > payload.size())
    return std::nullopt;
  return Compiled{std::string(payload.substr(bytes)),
                  std::string(payload.substr(0, bytes))};
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

std::vector<std::string> describeInput(const CompilerInput &input) {
  std::vector<std::string> parts = input.options;
  parts.push_back("directory " + input.directory);
  auto add = [&](std::string_view label, const CUDASource &source) {
    std::string part;
    appendToKey(part, label, source);
    parts.push_back(std::move(part));
  };
  for (const CUDASource &header : input.headers)
    add("header", header);
  add("source", input.source);
  return parts;
}

Result<Compiled> compileCached(Libraries &libraries, const DiskCache &cache,
                               const CompilerInput &input, CodeKind kind,
                               CompileMessages *messages) {
  if (!input.isCacheable)
    return runNVRTC(libraries, input, kind, messages);
  CAROUSEL_TRY_ASSIGN(std::string version, getNVRTCVersion(libraries));
  std::string key =
      fmt::format("carousel code 2\nkind {}\n", static_cast<int>(kind));
  appendToKey(key, "NVRTC", version);
  for (const std::string &part : describeInput(input))
    appendToKey(key, "part", part);

  if (std::optional<std::string> payload = cache.lookup(key))
    if (std::optional<Compiled> cached = unpack(*payload)) {
      if (messages) {
        CompileMessages said =
            readNVRTCLog(cached->log, input.source, input.headers);
        messages->insert(messages->end(), said.begin(), said.end());
      }
      return std::move(*cached);
    }
  Result<Compiled> compiled = runNVRTC(libraries, input, kind, messages);
  // Without a cache it only takes longer the next time.
  if (compiled)
    (void)cache.store(key, pack(*compiled));
  return compiled;
}

/// Compiles with the rules of the public functions.
static Result<CompiledCode>
compile(Libraries &libraries, const DiskCache &cache, const CUDASource &source,
        const CompileOptions &options, CompileMessages *messages) {
  if (!isChip(options.chip))
    return fail(ErrorCode::InvalidArgument,
                "expected a chip to compile for, as 'sm_90a', got '{}'",
                options.chip);
  if (options.kind < CodeKind::Cubin || options.kind > CodeKind::LTOIR)
    return fail(ErrorCode::InvalidArgument,
                "expected a kind of code from 1 to 3, got {}",
                static_cast<int>(options.kind));
  // NVRTC calls a program without a name by one of its own.
  CUDASource named = source;
  if (named.name.empty())
    named.name = "source.cu";
  CAROUSEL_TRY_ASSIGN(CompilerInput input,
                      prepareNVRTC(libraries, named, options.chip, options.kind,
                                   options, messages));
  Result<Compiled> compiled =
      compileCached(libraries, cache, input, options.kind, messages);
  if (compiled || compiled.error().code != ErrorCode::NoLibrary)
    compiled = prefixError(std::move(compiled), "NVRTC failed");
  CAROUSEL_TRY(compiled);
  return CompiledCode{options.kind, options.chip, std::move(compiled->code)};
}

Result<CompiledCode> compileCUDA(const CUDASource &source,
                                 const CompileOptions &options,
                                 std::vector<CompileMessage> *messages,
                                 const ContextOptions &context) noexcept {
  CAROUSEL_TRY(checkProcess());
  Libraries libraries(context.libraries);
  CAROUSEL_TRY_ASSIGN(CacheOptions cacheOptions, readCacheOptions(context));
  DiskCache cache(cacheOptions.directory, cacheOptions.maxBytes);
  return compile(libraries, cache, source, options, messages);
}

Result<CompiledCode>
compileCUDA(const Context &context, const CUDASource &source,
            const CompileOptions &options,
            std::vector<CompileMessage> *messages) noexcept {
  CAROUSEL_TRY(checkProcess());
  Context::Impl &impl = context.getImpl();
  CompileOptions complete = options;
  if (complete.chip.empty())
    complete.chip = getChip(impl.info.computeCapability);
  return compile(*impl.libraries, impl.cache, source, complete, messages);
}

} // namespace carousel::runtime
