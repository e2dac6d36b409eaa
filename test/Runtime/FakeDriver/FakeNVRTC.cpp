//===- FakeNVRTC.cpp - NVRTC without a compiler ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeNVRTC.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

struct _nvrtcProgram {
  carousel::fake::nvrtc::Compilation input;
  std::string cubin, ptx, lto, log;
};

namespace carousel::fake::nvrtc {
namespace {

using Lock = std::lock_guard<std::mutex>;

struct State {
  std::mutex mutex;
  int major = 13, minor = 0;
  std::map<std::string, nvrtcResult, std::less<>> failures;
  std::string log;
  std::vector<Compilation> compilations;
  std::set<nvrtcProgram> programs;

  static State &get() {
    static State *state = new State();
    return *state;
  }

  /// The error that a function was told to return.
  nvrtcResult fail(const char *function) {
    Lock lock(mutex);
    auto found = failures.find(std::string_view(function));
    if (found == failures.end())
      return NVRTC_SUCCESS;
    nvrtcResult error = found->second;
    failures.erase(found);
    return error;
  }
};

} // namespace

void reset() {
  State &state = State::get();
  Lock lock(state.mutex);
  state.major = 13;
  state.minor = 0;
  state.failures.clear();
  state.log.clear();
  state.compilations.clear();
}

void setVersion(int major, int minor) {
  State &state = State::get();
  Lock lock(state.mutex);
  state.major = major;
  state.minor = minor;
}

void failNext(std::string_view function, nvrtcResult error) {
  State &state = State::get();
  Lock lock(state.mutex);
  state.failures[std::string(function)] = error;
}

void setLog(std::string log) {
  State &state = State::get();
  Lock lock(state.mutex);
  state.log = std::move(log);
}

std::vector<Compilation> getCompilations() {
  State &state = State::get();
  Lock lock(state.mutex);
  return state.compilations;
}

unsigned countPrograms() {
  State &state = State::get();
  Lock lock(state.mutex);
  return state.programs.size();
}

} // namespace carousel::fake::nvrtc

using namespace carousel::fake::nvrtc;

#define FAKE_ENTER(function)                                                   \
  if (nvrtcResult error = State::get().fail(#function);                        \
      error != NVRTC_SUCCESS)                                                  \
  return error

/// The chip of "--gpu-architecture=sm_90a" and its shorter forms; empty
/// without one.
static std::string getChip(const std::vector<std::string> &options) {
  for (size_t i = 0; i < options.size(); ++i)
    for (std::string_view flag : {"--gpu-architecture", "-arch"}) {
      std::string_view option = options[i];
      if (option == flag && i + 1 < options.size())
        return options[i + 1];
      if (option.size() > flag.size() &&
          option.substr(0, flag.size()) == flag && option[flag.size()] == '=')
        return std::string(option.substr(flag.size() + 1));
    }
  return "";
}

extern "C" {

nvrtcResult nvrtcVersion(int *major, int *minor) {
  FAKE_ENTER(nvrtcVersion);
  State &state = State::get();
  Lock lock(state.mutex);
  *major = state.major;
  *minor = state.minor;
  return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(nvrtcResult result) {
  switch (result) {
  case NVRTC_SUCCESS:
    return "NVRTC_SUCCESS";
  case NVRTC_ERROR_OUT_OF_MEMORY:
    return "NVRTC_ERROR_OUT_OF_MEMORY";
  case NVRTC_ERROR_PROGRAM_CREATION_FAILURE:
    return "NVRTC_ERROR_PROGRAM_CREATION_FAILURE";
  case NVRTC_ERROR_INVALID_INPUT:
    return "NVRTC_ERROR_INVALID_INPUT";
  case NVRTC_ERROR_INVALID_PROGRAM:
    return "NVRTC_ERROR_INVALID_PROGRAM";
  case NVRTC_ERROR_INVALID_OPTION:
    return "NVRTC_ERROR_INVALID_OPTION";
  case NVRTC_ERROR_COMPILATION:
    return "NVRTC_ERROR_COMPILATION";
  case NVRTC_ERROR_BUILTIN_OPERATION_FAILURE:
    return "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE";
  case NVRTC_ERROR_INTERNAL_ERROR:
    return "NVRTC_ERROR_INTERNAL_ERROR";
  default:
    return "NVRTC_ERROR unknown";
  }
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source,
                               const char *name, int headerCount,
                               const char *const *headers,
                               const char *const *includeNames) {
  FAKE_ENTER(nvrtcCreateProgram);
  if (!program || !source || headerCount < 0)
    return NVRTC_ERROR_INVALID_INPUT;
  *program = new _nvrtcProgram();
  (*program)->input.source = source;
  (*program)->input.name = name ? name : "default_program";
  for (int i = 0; i < headerCount; ++i) {
    (*program)->input.headers.push_back(includeNames[i]);
    (*program)->input.headerTexts.push_back(headers[i]);
  }
  State &state = State::get();
  Lock lock(state.mutex);
  state.programs.insert(*program);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program) {
  FAKE_ENTER(nvrtcDestroyProgram);
  State &state = State::get();
  Lock lock(state.mutex);
  if (!program || state.programs.erase(*program) == 0)
    return NVRTC_ERROR_INVALID_PROGRAM;
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int optionCount,
                                const char *const *options) {
  State &state = State::get();
  nvrtcResult error = state.fail("nvrtcCompileProgram");
  Compilation &input = program->input;
  input.options.assign(options, options + optionCount);
  Lock lock(state.mutex);
  state.compilations.push_back(input);
  program->log = state.log;
  if (error != NVRTC_SUCCESS)
    return error;
  if (size_t at = input.source.find("#error"); at != std::string::npos) {
    if (program->log.empty()) {
      std::string line =
          input.source.substr(at, input.source.find('\n', at) - at);
      program->log = input.name + "(1): error: " + line + "\n";
    }
    return NVRTC_ERROR_COMPILATION;
  }
  // As the real one: an architecture gives one of them.
  std::string chip = getChip(input.options);
  std::string rest = chip + " nvrtc\n" + input.source;
  const std::string kLTO = "--dlink-time-opt";
  if (std::find(input.options.begin(), input.options.end(), kLTO) !=
      input.options.end())
    program->lto = "FAKELTO " + rest;
  else if (chip.rfind("compute_", 0) == 0)
    program->ptx = "FAKEPTX " + rest;
  else
    program->cubin = "FAKECUBIN " + rest;
  return NVRTC_SUCCESS;
}

static nvrtcResult getSize(const std::string &code, size_t *size) {
  *size = code.empty() ? 0 : code.size() + 1;
  return NVRTC_SUCCESS;
}

static nvrtcResult get(const std::string &code, char *to) {
  if (code.empty())
    return NVRTC_ERROR_INVALID_PROGRAM;
  std::memcpy(to, code.c_str(), code.size() + 1);
  return NVRTC_SUCCESS;
}

#define FAKE_CODE(name, member)                                                \
  nvrtcResult nvrtcGet##name##Size(nvrtcProgram program, size_t *size) {       \
    FAKE_ENTER(nvrtcGet##name##Size);                                          \
    return getSize(program->member, size);                                     \
  }                                                                            \
  nvrtcResult nvrtcGet##name(nvrtcProgram program, char *code) {               \
    FAKE_ENTER(nvrtcGet##name);                                                \
    return get(program->member, code);                                         \
  }
FAKE_CODE(CUBIN, cubin)
FAKE_CODE(PTX, ptx)
FAKE_CODE(LTOIR, lto)

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size) {
  FAKE_ENTER(nvrtcGetProgramLogSize);
  *size = program->log.size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log) {
  FAKE_ENTER(nvrtcGetProgramLog);
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return NVRTC_SUCCESS;
}

} // extern "C"
