//===- NVRTC.cpp - one run of NVRTC ---------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a cubin, NVRTC runs ptxas, whose errors name lines of a PTX text that
// users don't see. After such an error, this code asks NVRTC for the PTX with
// line information, and reports the lines of CUDA C++.
//
//===----------------------------------------------------------------------===//

#include "NVRTC.h"

#include "Includes/DeviceHeaders.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>

namespace carousel::runtime {
namespace {

constexpr const char *kLineInfo = "--generate-line-info";
constexpr const char *kArchitecture = "--gpu-architecture=";

/// The directory with cuda_fp16.h and others that belongs to a library: of a
/// toolkit, a Debian package, or Python packages. Empty if there is none.
std::string findToolkitHeaders(const NVRTCTable &table) {
  namespace fs = std::filesystem;
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(table.nvrtcVersion), &info) ||
      !info.dli_fname)
    return {};
  std::error_code error;
  fs::path library = fs::canonical(info.dli_fname, error);
  if (error)
    return {};
  fs::path directory = library.parent_path();
  for (const char *relative :
       {"../include", "../../include", "../../cuda_runtime/include"}) {
    fs::path candidate = fs::canonical(directory / relative, error);
    if (!error && fs::exists(candidate / "cuda_fp16.h", error))
      return candidate.string();
  }
  return {};
}

/// An nvrtcProgram until the end of the scope.
class Compilation {
public:
  explicit Compilation(const NVRTCTable &table) : table(table) {}
  ~Compilation() {
    if (program)
      table.nvrtcDestroyProgram(&program);
  }
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;

  /// Null, or the call that failed.
  const char *run(const CompilerInput &input,
                  const std::vector<std::string> &options);
  const char *get(CodeKind kind, std::string &code);
  std::string getLog() const;
  const char *getReason() const { return table.nvrtcGetErrorString(result); }
  bool isOutOfMemory() const { return result == NVRTC_ERROR_OUT_OF_MEMORY; }

private:
  using GetSize = decltype(NVRTCTable::nvrtcGetCUBINSize);
  using GetBytes = decltype(NVRTCTable::nvrtcGetCUBIN);
  const char *get(GetSize getSize, const char *sizeName, GetBytes getBytes,
                  const char *bytesName, std::string &code);

  const NVRTCTable &table;
  nvrtcProgram program = nullptr;
  nvrtcResult result = NVRTC_SUCCESS;
};

const char *Compilation::run(const CompilerInput &input,
                             const std::vector<std::string> &options) {
  // The first of a name is taken: the caller's, before those in this library.
  std::vector<const char *> texts, names;
  auto add = [&](const char *name, const char *text) {
    bool isNew = std::none_of(names.begin(), names.end(),
                              [&](std::string_view n) { return n == name; });
    if (!isNew)
      return;
    names.push_back(name);
    texts.push_back(text);
  };
  for (const CUDASource &header : input.headers)
    add(header.name.c_str(), header.text.c_str());
  // Literals, so that a null follows.
  for (const DeviceHeader &header : getDeviceHeaders())
    add(header.name.data(), header.text.data());
  result = table.nvrtcCreateProgram(
      &program, input.source.text.c_str(), input.source.name.c_str(),
      static_cast<int>(texts.size()), texts.data(), names.data());
  if (result != NVRTC_SUCCESS) {
    program = nullptr;
    return "nvrtcCreateProgram";
  }
  std::vector<const char *> arguments;
  for (const std::string &option : options)
    arguments.push_back(option.c_str());
  result = table.nvrtcCompileProgram(
      program, static_cast<int>(arguments.size()), arguments.data());
  return result == NVRTC_SUCCESS ? nullptr : "nvrtcCompileProgram";
}

const char *Compilation::get(GetSize getSize, const char *sizeName,
                             GetBytes getBytes, const char *bytesName,
                             std::string &code) {
  size_t bytes = 0;
  result = getSize(program, &bytes);
  if (result != NVRTC_SUCCESS)
    return sizeName;
  code.resize(bytes);
  result = getBytes(program, code.data());
  return result == NVRTC_SUCCESS ? nullptr : bytesName;
}

const char *Compilation::get(CodeKind kind, std::string &code) {
  const char *failed = nullptr;
  switch (kind) {
  case CodeKind::Cubin:
    return get(table.nvrtcGetCUBINSize, "nvrtcGetCUBINSize",
               table.nvrtcGetCUBIN, "nvrtcGetCUBIN", code);
  case CodeKind::PTX:
    failed = get(table.nvrtcGetPTXSize, "nvrtcGetPTXSize", table.nvrtcGetPTX,
                 "nvrtcGetPTX", code);
    // The code comes with the null at its end.
    while (!code.empty() && code.back() == '\0')
      code.pop_back();
    return failed;
  case CodeKind::LTOIR:
    return get(table.nvrtcGetLTOIRSize, "nvrtcGetLTOIRSize",
               table.nvrtcGetLTOIR, "nvrtcGetLTOIR", code);
  }
  return "";
}

std::string Compilation::getLog() const {
  size_t bytes = 0;
  std::string log;
  if (!program ||
      table.nvrtcGetProgramLogSize(program, &bytes) != NVRTC_SUCCESS)
    return log;
  log.resize(bytes);
  if (table.nvrtcGetProgramLog(program, log.data()) != NVRTC_SUCCESS)
    log.clear();
  while (!log.empty() && log.back() == '\0')
    log.pop_back();
  return log;
}

std::vector<std::string> getFileNames(const CUDASource &source,
                                      const std::vector<CUDASource> &headers) {
  std::vector<std::string> files = {source.name};
  for (const CUDASource &header : headers)
    files.push_back(header.name);
  for (const DeviceHeader &header : getDeviceHeaders())
    files.emplace_back(header.name);
  return files;
}

/// Whether ptxas failed at a line of its input.
bool failedInPTX(const CompileMessages &messages) {
  return std::any_of(messages.begin(), messages.end(),
                     [](const CompileMessage &message) {
                       return message.file == kPTXText && message.line != 0;
                     });
}

/// Puts the errors of ptxas where they come from, at the price of compiling
/// twice more. Leaves them where that doesn't work.
void trace(const NVRTCTable &table, const CompilerInput &input,
           CompileMessages &messages) {
  std::vector<std::string> traced = input.options;
  if (std::find(traced.begin(), traced.end(), kLineInfo) == traced.end()) {
    // Line information is lines in the PTX: the others move.
    traced.emplace_back(kLineInfo);
    Compilation again(table);
    if (!again.run(input, traced))
      return;
    CompileMessages numbered =
        readNVRTCLog(again.getLog(), input.source, input.headers);
    if (numbered.size() != messages.size())
      return;
    messages = std::move(numbered);
  }
  for (std::string &option : traced)
    if (std::string prefix = std::string(kArchitecture) + "sm_";
        option.compare(0, prefix.size(), prefix) == 0)
      option = std::string(kArchitecture) + "compute_" +
               option.substr(prefix.size());
  Compilation text(table);
  std::string ptx;
  if (text.run(input, traced) || text.get(CodeKind::PTX, ptx))
    return;
  std::error_code error;
  traceToSource(messages, ptx, std::filesystem::current_path(error).string());
}

/// The options for a chip, in their order.
std::vector<std::string> getOptions(const std::string &chip, CodeKind kind,
                                    const CUDAOptions &options) {
  // A virtual architecture: PTX, and no cubin.
  std::string arch = chip;
  if (kind == CodeKind::PTX && chip.compare(0, 3, "sm_") == 0)
    arch = "compute_" + chip.substr(3);
  std::vector<std::string> list = {kArchitecture + arch, "--std=c++17"};
  list.emplace_back(options.fastMath ? "--use_fast_math" : "--fmad=false");
  if (options.lineInfo)
    list.emplace_back(kLineInfo);
  if (kind == CodeKind::LTOIR)
    list.emplace_back("--dlink-time-opt");
  list.insert(list.end(), options.more.begin(), options.more.end());
  return list;
}

/// NVRTC reads C strings: the rest would be dropped without a word.
Status checkNulls(const CUDASource &source) {
  if (source.text.find('\0') != std::string::npos ||
      source.name.find('\0') != std::string::npos)
    return fail(ErrorCode::CompileError,
                "expected text without null characters, got one at byte {}",
                source.text.find('\0'));
  return {};
}

} // namespace

Result<std::string> getNVRTCVersion(Libraries &libraries) {
  CAROUSEL_TRY_ASSIGN(const auto *table, libraries.getNVRTC());
  int major = 0, minor = 0;
  if (nvrtcResult result = table->nvrtcVersion(&major, &minor);
      result != NVRTC_SUCCESS)
    return fail(ErrorCode::NoLibrary, "nvrtcVersion failed: {}",
                table->nvrtcGetErrorString(result));
  return fmt::format("{}.{} headers {}", major, minor, getDeviceHeadersHash());
}

Result<CompilerInput> prepareNVRTC(Libraries &libraries,
                                   const CUDASource &source,
                                   const std::string &chip, CodeKind kind,
                                   const CUDAOptions &options,
                                   CompileMessages *messages) {
  CAROUSEL_TRY_ASSIGN(const auto *table, libraries.getNVRTC());
  CAROUSEL_TRY(checkNulls(source));
  for (const CUDASource &header : options.headers)
    CAROUSEL_TRY(checkNulls(header));
  return gatherInput(source, options.headers, getOptions(chip, kind, options),
                     findToolkitHeaders(*table), messages);
}

CompileMessages readNVRTCLog(std::string_view log, const CUDASource &source,
                             const std::vector<CUDASource> &headers) {
  CompileMessages messages = parseLog(log, getFileNames(source, headers));
  addFunctions(messages, source);
  return messages;
}

Result<Compiled> runNVRTC(Libraries &libraries, const CompilerInput &input,
                          CodeKind kind, CompileMessages *messages) {
  CAROUSEL_TRY_ASSIGN(const auto *table, libraries.getNVRTC());
  Compilation compilation(*table);
  Compiled compiled;
  const char *failed = compilation.run(input, input.options);
  bool hasErrors = failed != nullptr;
  if (!failed)
    failed = compilation.get(kind, compiled.code);
  compiled.log = compilation.getLog();
  CompileMessages said =
      readNVRTCLog(compiled.log, input.source, input.headers);
  if (hasErrors && failedInPTX(said))
    trace(*table, input, said);
  if (messages)
    messages->insert(messages->end(), said.begin(), said.end());
  if (failed) {
    std::string text = hasErrors ? summarizeErrors(said, compiled.log) : "";
    if (text.empty())
      text = fmt::format("{} failed: {}", failed, compilation.getReason());
    return fail(compilation.isOutOfMemory() ? ErrorCode::OutOfMemory
                                            : ErrorCode::CompileError,
                "{}", text);
  }
  if (compiled.code.empty())
    return fail(ErrorCode::CompileError,
                "expected code from NVRTC, got 0 bytes");
  return compiled;
}

} // namespace carousel::runtime
