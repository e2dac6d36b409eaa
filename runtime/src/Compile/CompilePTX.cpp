//===- CompilePTX.cpp - compiles PTX to a cubin ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses the driver's linker or nvJitLink. The first is always available but
// refuses PTX that is newer than the driver; the second is part of the toolkit.
// Neither links other inputs here.
//
//===----------------------------------------------------------------------===//

#include "Compilers.h"

#include "carousel/Runtime/Fail.h"

#include <array>
#include <fstream>

namespace carousel::runtime {
namespace {

//===----------------------------------------------------------------------===//
// The driver's linker
//===----------------------------------------------------------------------===//

/// A version of the driver's API has several builds, whose compilers differ.
/// Empty where the kernel doesn't say which is loaded.
const std::string &getDriverBuild() {
  static const std::string build = [] {
    std::string line;
    std::ifstream stream("/sys/module/nvidia/version");
    std::getline(stream, line);
    return line;
  }();
  return build;
}

Result<std::string> getLinkerVersion(Context::Impl &context) {
  return fmt::format("{} {}", context.info.driverVersion, getDriverBuild());
}

Result<Job> prepareLink(Context::Impl &context, const CompileInput &input,
                        CompileMessages &messages) {
  // The architecture is the context's device, with all its features.
  return Job();
}

/// A cuLinkCreate until the end of the scope, with its logs.
class LinkState {
public:
  explicit LinkState(const DriverTable &driver) : driver(driver) {}
  ~LinkState() {
    if (state)
      driver.cuLinkDestroy(state);
  }
  LinkState(const LinkState &) = delete;
  LinkState &operator=(const LinkState &) = delete;

  CUresult create() {
    return driver.cuLinkCreate(options.size(), options.data(), values.data(),
                               &state);
  }
  CUlinkState get() const { return state; }
  std::string getLog() const {
    std::string log = condenseLog(errors.data());
    return log.empty() ? condenseLog(infos.data()) : log;
  }

private:
  static constexpr uintptr_t kLogBytes = 8192;
  const DriverTable &driver;
  CUlinkState state = nullptr;
  // The driver keeps pointers to all of these.
  std::array<char, kLogBytes> errors = {}, infos = {};
  std::array<CUjit_option, 5> options = {
      CU_JIT_TARGET_FROM_CUCONTEXT, CU_JIT_ERROR_LOG_BUFFER,
      CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
      CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  // Sizes are passed as pointers: so the API has it.
  std::array<void *, 5> values = {
      nullptr, errors.data(), reinterpret_cast<void *>(kLogBytes - 1),
      infos.data(), reinterpret_cast<void *>(kLogBytes - 1)};
};

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

Result<Compiled> link(Context::Impl &context, const CompileInput &input,
                      const Job &job, CompileMessages &messages) {
  CurrentContext current(context);
  CAROUSEL_TRY(current.getStatus());
  const DriverTable &driver = *context.driver;
  LinkState state(driver);
  std::string source(input.text);
  void *cubin = nullptr;
  size_t bytes = 0;
  const char *call = "cuLinkCreate";
  CUresult result = state.create();
  if (result == CUDA_SUCCESS) {
    call = "cuLinkAddData";
    // PTX ends with a NUL, which counts.
    result = driver.cuLinkAddData(
        state.get(), CU_JIT_INPUT_PTX, const_cast<char *>(source.c_str()),
        source.size() + 1, input.image.file.c_str(), 0, nullptr, nullptr);
  }
  if (result == CUDA_SUCCESS) {
    call = "cuLinkComplete";
    result = driver.cuLinkComplete(state.get(), &cubin, &bytes);
  }
  if (result != CUDA_SUCCESS) {
    Status status = context.check(result, call);
    if (status.error().code != ErrorCode::DriverError)
      return tl::make_unexpected(status.error());
    std::string log = state.getLog();
    return fail(classify(result, !log.empty()), "{}",
                log.empty() ? status.error().message : log);
  }
  if (!cubin || bytes == 0)
    return fail(ErrorCode::CompileError, "expected a cubin, got 0 bytes");
  return Compiled{std::string(static_cast<const char *>(cubin), bytes), {}};
}

//===----------------------------------------------------------------------===//
// nvJitLink
//===----------------------------------------------------------------------===//

Result<std::string> getJitLinkVersion(Context::Impl &context) {
  return getNvJitLinkVersion(*context.libraries);
}

Result<Job> prepareJitLink(Context::Impl &context, const CompileInput &input,
                           CompileMessages &messages) {
  Job job;
  job.parts.push_back("-arch=" + input.arch);
  return job;
}

Result<Compiled> jitLink(Context::Impl &context, const CompileInput &input,
                         const Job &job, CompileMessages &messages) {
  return runNvJitLink(*context.libraries,
                      {{LinkInput::Kind::PTX, input.text, input.image.file}},
                      job.parts);
}

} // namespace

const Compiler kDriverLinker = {"the driver's compiler", getLinkerVersion,
                                prepareLink, link};
const Compiler kNvJitLink = {"nvJitLink", getJitLinkVersion, prepareJitLink,
                             jitLink};

} // namespace carousel::runtime
