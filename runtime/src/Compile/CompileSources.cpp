//===- CompileSources.cpp - compiles CUDA C++ with device sources ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVRTC compiles a module's CUDA C++ to a cubin. If the module calls functions
// that the caller defines, NVRTC compiles these to LTO-IR, and nvJitLink links
// them with the module. CUDA C++ of the module is then LTO-IR, too, and calls
// are inlined. PTX of the module is linked as it is, and its calls stay.
//
//===----------------------------------------------------------------------===//

#include "CompileCached.h"
#include "Compilers.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>

namespace carousel::runtime {
namespace {

//===----------------------------------------------------------------------===//
// NVRTC alone
//===----------------------------------------------------------------------===//

CUDASource getSource(const CompileInput &input) {
  return {input.image.file, std::string(input.text)};
}

/// Adds what is compiled, and what the result depends on.
void addInput(Job &job, CompilerInput input) {
  for (std::string &part : describeInput(input))
    job.parts.push_back(std::move(part));
  job.isCacheable &= input.isCacheable;
  job.inputs.push_back(std::move(input));
}

Result<std::string> getVersion(Context::Impl &context) {
  return getNVRTCVersion(*context.libraries);
}

Result<Job> prepare(Context::Impl &context, const CompileInput &input,
                    CompileMessages &messages) {
  CAROUSEL_TRY_ASSIGN(CompilerInput text,
                      prepareNVRTC(*context.libraries, getSource(input),
                                   input.arch, CodeKind::Cubin,
                                   input.options.cuda, &messages));
  Job job;
  addInput(job, std::move(text));
  return job;
}

Result<Compiled> compile(Context::Impl &context, const CompileInput &input,
                         const Job &job, CompileMessages &messages) {
  return runNVRTC(*context.libraries, job.inputs.front(), CodeKind::Cubin,
                  &messages);
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
  CAROUSEL_TRY_ASSIGN(std::string compiler,
                      getNVRTCVersion(*context.libraries));
  CAROUSEL_TRY_ASSIGN(std::string linker,
                      getNvJitLinkVersion(*context.libraries));
  return fmt::format("{}, {}", compiler, linker);
}

Result<Job> prepareLink(Context::Impl &context, const CompileInput &input,
                        CompileMessages &messages) {
  auto prepareOne = [&](const CUDASource &source, const CUDAOptions &options) {
    return prepareNVRTC(*context.libraries, source, input.arch, CodeKind::LTOIR,
                        options, &messages);
  };
  Job job;
  job.parts = getLinkOptions(input);
  CUDAOptions options = getSourceOptions(input);
  for (const CUDASource &source : input.options.deviceSources) {
    Result<CompilerInput> text = prepareOne(source, options);
    if (!text)
      return fail(text.error().code == ErrorCode::CompileError
                      ? ErrorCode::InvalidArgument
                      : text.error().code,
                  "{}", text.error().message);
    addInput(job, std::move(*text));
  }
  if (input.image.kind == Image::Kind::PTX)
    return job;
  CAROUSEL_TRY_ASSIGN(CompilerInput text,
                      prepareOne(getSource(input), input.options.cuda));
  addInput(job, std::move(text));
  return job;
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
    // The linker says the first of PTX, and the second of LTO-IR alone.
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
                      const Job &job, CompileMessages &messages) {
  size_t sources = input.options.deviceSources.size();
  // The linker points into these.
  std::vector<Compiled> objects;
  for (const CompilerInput &text : job.inputs) {
    Result<Compiled> object = compileCached(*context.libraries, context.cache,
                                            text, CodeKind::LTOIR, &messages);
    if (!object && object.error().code == ErrorCode::CompileError &&
        objects.size() < sources)
      return fail(ErrorCode::InvalidArgument, "NVRTC failed: {}",
                  object.error().message);
    CAROUSEL_TRY(object);
    objects.push_back(std::move(*object));
  }

  std::vector<LinkInput> inputs;
  if (input.image.kind == Image::Kind::PTX)
    inputs.push_back({LinkInput::Kind::PTX, input.text, input.image.file});
  for (size_t i = 0; i < objects.size(); ++i)
    inputs.push_back(
        {LinkInput::Kind::LTOIR, objects[i].code,
         i < sources ? input.options.deviceSources[i].name : input.image.file});
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

const Compiler kNVRTC = {"NVRTC", getVersion, prepare, compile};
const Compiler kSourceLinker = {"nvJitLink", getLinkerVersion, prepareLink,
                                link};

} // namespace carousel::runtime
