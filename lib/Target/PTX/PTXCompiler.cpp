//===- PTXCompiler.cpp - nvPTXCompiler ------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXCompiler.h"

using namespace llvm;

#ifdef CAROUSEL_HAS_NVPTXCOMPILER

#include "llvm/ADT/ScopeExit.h"

#include <nvPTXCompiler.h>

Expected<std::string> carousel::findPTXCompiler() {
  unsigned major = 0, minor = 0;
  nvPTXCompilerGetVersion(&major, &minor);
  return ("nvPTXCompiler " + Twine(major) + "." + Twine(minor)).str();
}

/// Returns the library's report on functions.
static std::string getReport(nvPTXCompilerHandle compiler) {
  size_t size = 0;
  if (nvPTXCompilerGetInfoLogSize(compiler, &size) != NVPTXCOMPILE_SUCCESS)
    return "";
  std::string log(size + 1, '\0');
  if (nvPTXCompilerGetInfoLog(compiler, log.data()) != NVPTXCOMPILE_SUCCESS)
    return "";
  log.resize(StringRef(log.data()).size());
  return log;
}

/// The library's log, or the number of its result if the log is empty.
static Error getError(nvPTXCompilerHandle compiler, nvPTXCompileResult result) {
  std::string log;
  size_t size = 0;
  if (compiler &&
      nvPTXCompilerGetErrorLogSize(compiler, &size) == NVPTXCOMPILE_SUCCESS &&
      size != 0) {
    log.resize(size + 1);
    nvPTXCompilerGetErrorLog(compiler, log.data());
    log.resize(StringRef(log.data()).size());
  }
  if (StringRef(log).trim().empty())
    log = ("nvPTXCompileResult " + Twine(static_cast<int>(result))).str();
  return createStringError(log);
}

Expected<std::string> carousel::runPTXCompiler(StringRef ptx,
                                               ArrayRef<const char *> options,
                                               std::string &report) {
  nvPTXCompilerHandle compiler = nullptr;
  scope_exit destroy([&] {
    if (compiler)
      nvPTXCompilerDestroy(&compiler);
  });
  // The library reads up to a null character.
  std::string text = ptx.str();
  nvPTXCompileResult result =
      nvPTXCompilerCreate(&compiler, text.size(), text.c_str());
  if (result == NVPTXCOMPILE_SUCCESS)
    result = nvPTXCompilerCompile(compiler, options.size(), options.data());
  size_t size = 0;
  if (result == NVPTXCOMPILE_SUCCESS)
    result = nvPTXCompilerGetCompiledProgramSize(compiler, &size);
  std::string cubin(size, '\0');
  if (result == NVPTXCOMPILE_SUCCESS)
    result = nvPTXCompilerGetCompiledProgram(compiler, cubin.data());
  if (result != NVPTXCOMPILE_SUCCESS)
    return getError(compiler, result);
  report = getReport(compiler);
  return cubin;
}

#else

Expected<std::string> carousel::findPTXCompiler() {
  return createStringError("this build has no nvPTXCompiler; configure it with "
                           "NVPTXCompiler_ROOT, or take ptxas");
}

Expected<std::string>
carousel::runPTXCompiler(StringRef, ArrayRef<const char *>, std::string &) {
  return findPTXCompiler();
}

#endif
