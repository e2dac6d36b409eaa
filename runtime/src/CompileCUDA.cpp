//===- CompileCUDA.cpp - CUDA C++ to cubin --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVRTC, straight to a cubin of the device's architecture. Kernels are
// extern "C" and include nothing, so it needs no names and no headers.
//
//===----------------------------------------------------------------------===//

#include "Compilers.h"
#include "Fail.h"

namespace carousel::runtime {
namespace {

Result<std::string> getVersion(Context::Impl &context) {
  Result<const NVRTCTable *> table = context.libraries->getNVRTC();
  if (!table)
    return tl::make_unexpected(table.error());
  int major = 0, minor = 0;
  if (nvrtcResult result = (*table)->nvrtcVersion(&major, &minor);
      result != NVRTC_SUCCESS)
    return fail(ErrorCode::NoLibrary, "nvrtcVersion failed: {}",
                (*table)->nvrtcGetErrorString(result));
  return fmt::format("{}.{}", major, minor);
}

std::vector<std::string> getOptions(const std::string &arch) {
  return {"--gpu-architecture=" + arch, "--std=c++17"};
}

Result<std::string> compile(Context::Impl &context, const std::string &source,
                            const std::string &file,
                            const std::vector<std::string> &options) {
  Result<const NVRTCTable *> loaded = context.libraries->getNVRTC();
  if (!loaded)
    return tl::make_unexpected(loaded.error());
  const NVRTCTable &table = **loaded;

  std::vector<const char *> arguments;
  for (const std::string &option : options)
    arguments.push_back(option.c_str());
  nvrtcProgram program = nullptr;
  const char *call = "nvrtcCreateProgram";
  nvrtcResult result = table.nvrtcCreateProgram(
      &program, source.c_str(), file.c_str(), 0, nullptr, nullptr);
  if (result != NVRTC_SUCCESS)
    program = nullptr;
  if (result == NVRTC_SUCCESS) {
    call = "nvrtcCompileProgram";
    result = table.nvrtcCompileProgram(
        program, static_cast<int>(arguments.size()), arguments.data());
  }
  std::string cubin;
  size_t bytes = 0;
  if (result == NVRTC_SUCCESS) {
    call = "nvrtcGetCUBINSize";
    result = table.nvrtcGetCUBINSize(program, &bytes);
  }
  if (result == NVRTC_SUCCESS) {
    call = "nvrtcGetCUBIN";
    cubin.resize(bytes);
    result = table.nvrtcGetCUBIN(program, cubin.data());
  }

  std::string log;
  if (result != NVRTC_SUCCESS && program &&
      table.nvrtcGetProgramLogSize(program, &bytes) == NVRTC_SUCCESS) {
    log.resize(bytes);
    if (table.nvrtcGetProgramLog(program, log.data()) != NVRTC_SUCCESS)
      log.clear();
    log = condenseLog(log);
  }
  if (program)
    table.nvrtcDestroyProgram(&program);
  if (result != NVRTC_SUCCESS) {
    if (log.empty())
      log =
          fmt::format("{} failed: {}", call, table.nvrtcGetErrorString(result));
    return fail(ErrorCode::CompileError, "{}", log);
  }
  if (cubin.empty())
    return fail(ErrorCode::CompileError, "expected a cubin, got 0 bytes");
  return cubin;
}

} // namespace

const Compiler kNVRTC = {"NVRTC", getVersion, getOptions, compile};

} // namespace carousel::runtime
