//===- CompileSources.cpp - CUDA C++ of packages and of their users -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module's CUDA C++ alone goes through NVRTC to a cubin. Where a module calls
// functions that its user supplies, these become LTO-IR, and nvJitLink links
// them with the module: CUDA C++ as LTO-IR too, so that calls are inlined; PTX
// as it is, so that they stay calls.
//
//===----------------------------------------------------------------------===//

#include "CompileCached.h"
#include "Compilers.h"
#include "Fail.h"

#include <algorithm>

namespace carousel::runtime {
namespace {

//===----------------------------------------------------------------------===//
// NVRTC alone
//===----------------------------------------------------------------------===//

CUDASource getSource(const CompileInput &input) {
  return {input.image.file, std::string(input.text)};
}

/// Whatever the texts that are included say.
void appendHeaders(std::vector<std::string> &list,
                   const std::vector<CUDASource> &headers) {
  for (const CUDASource &header : headers) {
    std::string key;
    appendToKey(key, "header", header);
    list.push_back(std::move(key));
  }
}

Result<std::string> getVersion(Context::Impl &context) {
  return getNVRTCVersion(*context.libraries);
}

std::vector<std::string> getOptions(const CompileInput &input) {
  std::vector<std::string> list =
      getNVRTCOptions(input.arch, CodeKind::Cubin, input.options.cuda);
  appendHeaders(list, input.options.cuda.headers);
  return list;
}

Result<Compiled> compile(Context::Impl &context, const CompileInput &input,
                         CompileMessages &messages) {
  const CUDAOptions &options = input.options.cuda;
  return runNVRTC(*context.libraries, getSource(input), CodeKind::Cubin,
                  getNVRTCOptions(input.arch, CodeKind::Cubin, options),
                  options.headers, &messages);
}

//===----------------------------------------------------------------------===//
// With device sources
//===----------------------------------------------------------------------===//

constexpr const char *kExternsHeader = "carousel/externs.h";

/// Declarations of what the module calls, for its user's sources: a definition
/// of another type doesn't compile, and `extern "C"` may be left out. Only
/// where the type leaves no choice, as between int and unsigned.
std::string declareExterns(const ModuleInfo &module) {
  auto isPlain = [](ExternInfo::Type type) {
    return type == ExternInfo::Type::F32 || type == ExternInfo::Type::F64;
  };
  std::string text;
  for (const ExternInfo &function : module.externs)
    if ((!function.result || isPlain(*function.result)) &&
        std::all_of(function.parameters.begin(), function.parameters.end(),
                    isPlain))
      text += toString(function) + ";\n";
  return text;
}

CUDAOptions getSourceOptions(const CompileInput &input) {
  CUDAOptions options = input.options.cuda;
  std::string text = declareExterns(input.module);
  if (text.empty())
    return options;
  options.headers.insert(options.headers.begin(), {kExternsHeader, text});
  options.more.push_back(std::string("--pre-include=") + kExternsHeader);
  return options;
}

std::vector<std::string> getLinkOptions(const CompileInput &input) {
  const CUDAOptions &cuda = input.options.cuda;
  std::vector<std::string> list = {"-arch=" + input.arch, "-lto"};
  // LTO-IR has none of what NVRTC was told about arithmetic.
  if (cuda.fastMath)
    list.insert(list.end(),
                {"-ftz=1", "-prec-div=0", "-prec-sqrt=0", "-fma=1"});
  else
    list.emplace_back("-fma=0");
  if (cuda.lineInfo)
    list.emplace_back("-lineinfo");
  return list;
}

Result<std::string> getLinkerVersion(Context::Impl &context) {
  Result<std::string> compiler = getNVRTCVersion(*context.libraries);
  if (!compiler)
    return compiler;
  Result<std::string> linker = getNvJitLinkVersion(*context.libraries);
  if (!linker)
    return linker;
  return fmt::format("{}, {}", *compiler, *linker);
}

std::vector<std::string> getLinkerOptions(const CompileInput &input) {
  CUDAOptions options = getSourceOptions(input);
  std::vector<std::string> list =
      getNVRTCOptions(input.arch, CodeKind::LTOIR, options);
  for (std::string &option : getLinkOptions(input))
    list.push_back(std::move(option));
  appendHeaders(list, options.headers);
  for (const CUDASource &source : input.options.deviceSources) {
    std::string key;
    appendToKey(key, "source", source);
    list.push_back(std::move(key));
  }
  return list;
}

/// Where the sources lack what the module calls, or have it with another type,
/// which is a fault of theirs.
std::optional<Error> blameSources(const CompileInput &input,
                                  const Error &error) {
  auto says = [&](const char *what, const std::string &name) {
    return error.message.find(fmt::format("{} '{}'", what, name)) !=
           std::string::npos;
  };
  std::string missing, names;
  bool hasOtherType = false;
  for (const ExternInfo &function : input.module.externs) {
    // Of PTX, of LTO-IR alone.
    bool isUndefined = says("Undefined reference to", function.name) ||
                       says("Unresolved extern function", function.name);
    bool differs = says("Prototype doesn't match for", function.name);
    hasOtherType |= differs;
    if (isUndefined || differs)
      missing += (missing.empty() ? "" : ", ") + toString(function);
  }
  for (const CUDASource &source : input.options.deviceSources)
    names += (names.empty() ? "" : ", ") + source.name;
  if (missing.empty())
    return std::nullopt;
  return Error{ErrorCode::InvalidArgument,
               fmt::format("expected a device source that defines {}, got {}{}",
                           missing, names,
                           hasOtherType ? ", where it has another type" : "")};
}

Result<Compiled> link(Context::Impl &context, const CompileInput &input,
                      CompileMessages &messages) {
  auto compileOne = [&](const CUDASource &source, const CUDAOptions &options) {
    return compileCached(*context.libraries, context.cache, source, input.arch,
                         CodeKind::LTOIR, options, &messages);
  };
  // The linker points into these.
  std::vector<Compiled> objects;
  CUDAOptions options = getSourceOptions(input);
  for (const CUDASource &source : input.options.deviceSources) {
    Result<Compiled> object = compileOne(source, options);
    if (!object && object.error().code == ErrorCode::CompileError)
      return fail(ErrorCode::InvalidArgument, "NVRTC failed: {}",
                  object.error().message);
    if (!object)
      return object;
    objects.push_back(std::move(*object));
  }
  bool isPTX = input.image.kind == Image::Kind::PTX;
  if (!isPTX) {
    Result<Compiled> object = compileOne(getSource(input), input.options.cuda);
    if (!object)
      return object;
    objects.push_back(std::move(*object));
  }

  std::vector<LinkInput> inputs;
  if (isPTX)
    inputs.push_back({LinkInput::Kind::PTX, input.text, input.image.file});
  for (size_t i = 0; i < objects.size(); ++i)
    inputs.push_back({LinkInput::Kind::LTOIR, objects[i].code,
                      i < input.options.deviceSources.size()
                          ? input.options.deviceSources[i].name
                          : input.image.file});
  Result<Compiled> linked =
      runNvJitLink(*context.libraries, inputs, getLinkOptions(input));
  if (!linked) {
    std::optional<Error> error = blameSources(input, linked.error());
    return error ? tl::make_unexpected(std::move(*error)) : linked;
  }
  for (const Compiled &object : objects)
    linked->log += object.log;
  return linked;
}

} // namespace

const Compiler kNVRTC = {"NVRTC", getVersion, getOptions, compile};
const Compiler kSourceLinker = {"nvJitLink", getLinkerVersion, getLinkerOptions,
                                link};

} // namespace carousel::runtime
