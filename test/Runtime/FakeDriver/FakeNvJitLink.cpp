//===- FakeNvJitLink.cpp - nvJitLink without a linker ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The header's inline functions would take the names that are exported here.
#define NVJITLINK_NO_INLINE
#include "FakeNvJitLink.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

struct nvJitLink {
  std::vector<std::string> options;
  std::string ptx, cubin, log;
};

namespace carousel::fake::nvjitlink {
namespace {

using Lock = std::lock_guard<std::mutex>;

struct State {
  std::mutex mutex;
  unsigned major = 13, minor = 0;
  std::map<std::string, nvJitLinkResult, std::less<>> failures;
  std::string log;
  std::vector<Link> links;
  std::set<nvJitLinkHandle> handles;

  static State &get() {
    static State *state = new State();
    return *state;
  }

  /// The error that a function was told to return; `handle` gets a log then.
  nvJitLinkResult fail(const char *function, nvJitLinkHandle handle = nullptr) {
    Lock lock(mutex);
    auto found = failures.find(std::string_view(function));
    if (found == failures.end())
      return NVJITLINK_SUCCESS;
    nvJitLinkResult error = found->second;
    failures.erase(found);
    if (handle)
      handle->log = log;
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
  state.links.clear();
}

void setVersion(unsigned major, unsigned minor) {
  State &state = State::get();
  Lock lock(state.mutex);
  state.major = major;
  state.minor = minor;
}

void failNext(std::string_view function, nvJitLinkResult error) {
  State &state = State::get();
  Lock lock(state.mutex);
  state.failures[std::string(function)] = error;
}

void setLog(std::string log) {
  State &state = State::get();
  Lock lock(state.mutex);
  state.log = std::move(log);
}

std::vector<Link> getLinks() {
  State &state = State::get();
  Lock lock(state.mutex);
  return state.links;
}

unsigned countHandles() {
  State &state = State::get();
  Lock lock(state.mutex);
  return state.handles.size();
}

} // namespace carousel::fake::nvjitlink

using namespace carousel::fake::nvjitlink;

#define FAKE_ENTER(function, handle)                                           \
  if (nvJitLinkResult error = State::get().fail(#function, handle);            \
      error != NVJITLINK_SUCCESS)                                              \
  return error

static std::string getChip(const std::vector<std::string> &options) {
  for (const std::string &option : options)
    if (option.rfind("-arch=", 0) == 0)
      return option.substr(6);
  return "";
}

extern "C" {

nvJitLinkResult nvJitLinkVersion(unsigned *major, unsigned *minor) {
  FAKE_ENTER(nvJitLinkVersion, nullptr);
  State &state = State::get();
  Lock lock(state.mutex);
  *major = state.major;
  *minor = state.minor;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t optionCount,
                                const char **options) {
  FAKE_ENTER(nvJitLinkCreate, nullptr);
  if (!handle)
    return NVJITLINK_ERROR_NULL_INPUT;
  std::vector<std::string> list(options, options + optionCount);
  if (getChip(list).empty())
    return NVJITLINK_ERROR_MISSING_ARCH;
  *handle = new nvJitLink{std::move(list), "", "", ""};
  State &state = State::get();
  Lock lock(state.mutex);
  state.handles.insert(*handle);
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *handle) {
  FAKE_ENTER(nvJitLinkDestroy, nullptr);
  State &state = State::get();
  Lock lock(state.mutex);
  if (!handle || state.handles.erase(*handle) == 0)
    return NVJITLINK_ERROR_INVALID_INPUT;
  delete *handle;
  *handle = nullptr;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle handle,
                                 nvJitLinkInputType type, const void *data,
                                 size_t size, const char *name) {
  State &state = State::get();
  nvJitLinkResult error = state.fail("nvJitLinkAddData", handle);
  bool isPTX = type == NVJITLINK_INPUT_PTX;
  std::string ptx(static_cast<const char *>(data), size);
  while (!ptx.empty() && ptx.back() == '\0')
    ptx.pop_back();
  Lock lock(state.mutex);
  state.links.push_back({name ? name : "", ptx, handle->options, type});
  if (error != NVJITLINK_SUCCESS)
    return error;
  if (type == NVJITLINK_INPUT_LTOIR) {
    if (std::find(handle->options.begin(), handle->options.end(), "-lto") ==
            handle->options.end() ||
        ptx.rfind("FAKELTO ", 0) != 0)
      return NVJITLINK_ERROR_INVALID_INPUT;
  } else if (!isPTX) {
    return NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
  }
  if (isPTX && ptx.find(".version") == std::string::npos) {
    handle->log = !state.log.empty()
                      ? state.log
                      : "ptxas fatal   : Missing .version directive at start "
                        "of file";
    return NVJITLINK_ERROR_PTX_COMPILE;
  }
  handle->ptx += ptx;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle handle) {
  FAKE_ENTER(nvJitLinkComplete, handle);
  if (handle->ptx.empty())
    return NVJITLINK_ERROR_INVALID_INPUT;
  constexpr std::string_view kNeeds = "needs ";
  for (size_t at = handle->ptx.find(kNeeds); at != std::string::npos;
       at = handle->ptx.find(kNeeds, at + 1)) {
    size_t begin = at + kNeeds.size();
    std::string name =
        handle->ptx.substr(begin, handle->ptx.find('\n', begin) - begin);
    if (handle->ptx.find(name + "(") != std::string::npos)
      continue;
    handle->log = "error   : Undefined reference to '" + name +
                  "' in 'some input'\nERROR 9: finish\n";
    return NVJITLINK_ERROR_FINALIZE;
  }
  {
    State &state = State::get();
    Lock lock(state.mutex);
    handle->log = state.log;
  }
  handle->cubin =
      "FAKECUBIN " + getChip(handle->options) + " nvjitlink\n" + handle->ptx;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle,
                                            size_t *size) {
  FAKE_ENTER(nvJitLinkGetLinkedCubinSize, handle);
  *size = handle->cubin.empty() ? 0 : handle->cubin.size() + 1;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *cubin) {
  FAKE_ENTER(nvJitLinkGetLinkedCubin, handle);
  if (handle->cubin.empty())
    return NVJITLINK_ERROR_INVALID_INPUT;
  std::memcpy(cubin, handle->cubin.c_str(), handle->cubin.size() + 1);
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t *size) {
  FAKE_ENTER(nvJitLinkGetErrorLogSize, nullptr);
  *size = handle->log.empty() ? 0 : handle->log.size() + 1;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle handle, char *log) {
  FAKE_ENTER(nvJitLinkGetErrorLog, nullptr);
  std::memcpy(log, handle->log.c_str(), handle->log.size() + 1);
  return NVJITLINK_SUCCESS;
}

} // extern "C"
