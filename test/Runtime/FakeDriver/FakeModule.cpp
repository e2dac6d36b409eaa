//===- FakeModule.cpp - modules, functions, launches ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module is its context and nothing else; it has every function. A launch is
// checked against the limits of a device, recorded, and passed to the test's
// host function.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

using namespace carousel::fake;
using Lock = std::lock_guard<std::mutex>;

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Whether code for "sm_90a ..." runs on the device. True without a chip.
static bool chipAllows(std::string_view text, const Device &device) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  if (text.substr(0, 3) != "sm_")
    return true;
  int chip = 0;
  size_t i = 3;
  for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]));
       ++i)
    chip = 10 * chip + (text[i] - '0');
  int here = 10 * device.major + device.minor;
  if (i < text.size() && text[i] == 'a')
    return chip == here;
  return chip / 10 == here / 10 && chip <= here;
}

static bool isPTX(const void *image) {
  const char *bytes = static_cast<const char *>(image);
  return bytes && (bytes[0] == '.' || std::strncmp(bytes, "//", 2) == 0);
}

/// Reads the kind of an image; fails if it is none.
static CUresult readImage(const Device &device, const void *image,
                          std::string &text) {
  if (!image)
    return CUDA_ERROR_INVALID_VALUE;
  const char *bytes = static_cast<const char *>(image);
  if (std::strncmp(bytes, "\177ELF", 4) == 0) {
    text = "ELF";
    return CUDA_SUCCESS;
  }
  if (std::strncmp(bytes, kCubinMagic, std::strlen(kCubinMagic)) == 0) {
    text = bytes;
    return chipAllows(bytes + std::strlen(kCubinMagic), device)
               ? CUDA_SUCCESS
               : CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  if (isPTX(image)) {
    text = bytes;
    return text.find(".version") != std::string::npos ? CUDA_SUCCESS
                                                      : CUDA_ERROR_INVALID_PTX;
  }
  return CUDA_ERROR_INVALID_IMAGE;
}

/// Writes the log into the caller's buffer and its length into the option, as
/// the driver does. The lock must be held.
static void writeLog(State &state, std::string_view ownLog,
                     std::map<CUjit_option, void **> &options) {
  std::string_view log = state.compileLog.empty() ? ownLog : state.compileLog;
  auto buffer = options.find(CU_JIT_ERROR_LOG_BUFFER);
  auto size = options.find(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  if (buffer == options.end() || size == options.end())
    return;
  uintptr_t room = reinterpret_cast<uintptr_t>(*size->second);
  if (room == 0)
    return;
  uintptr_t length = std::min<uintptr_t>(log.size(), room - 1);
  std::memcpy(*buffer->second, log.data(), length);
  static_cast<char *>(*buffer->second)[length] = '\0';
  *size->second = reinterpret_cast<void *>(length);
}

extern "C" {

CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *module, const void *image,
                                    unsigned count, CUjit_option *options,
                                    void **values) {
  if (!module || (count > 0 && (!options || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  std::map<CUjit_option, void **> given;
  for (unsigned i = 0; i < count; ++i)
    given[options[i]] = &values[i];
  State &state = State::get();
  if (isPTX(image)) {
    Compilation record;
    record.ptx = static_cast<const char *>(image);
    for (const auto &[option, value] : given)
      record.options[option] = reinterpret_cast<uint64_t>(*value);
    Lock lock(state.mutex);
    state.compilations.push_back(std::move(record));
  }
  auto fail = [&](CUresult error) {
    if (isPTX(image)) {
      Lock lock(state.mutex);
      writeLog(state,
               error == CUDA_ERROR_INVALID_PTX
                   ? "ptxas fatal   : Missing .version directive at start of "
                     "file"
                   : "",
               given);
    }
    return error;
  };
  if (CUresult error = enter("cuModuleLoadDataEx", Needs::Context);
      error != CUDA_SUCCESS)
    return fail(error);
  waitForStreamsAndLoad();
  if (CUresult error = refuseWhileCapturing(state); error != CUDA_SUCCESS)
    return error;
  CUcontext context = currentContext();
  std::string text;
  CUresult result = readImage(state.devices[context->device], image, text);
  if (result != CUDA_SUCCESS)
    return fail(result);
  Lock lock(state.mutex);
  state.images.push_back(std::move(text));
  *module = &state.modules.emplace_back();
  (*module)->context = context;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuModuleUnload(CUmodule module) {
  FAKE_ENTER(cuModuleUnload, Needs::Context);
  State &state = State::get();
  if (CUresult error = refuseWhileCapturing(state); error != CUDA_SUCCESS)
    return error;
  if (!module || !module->loaded.exchange(false))
    return CUDA_ERROR_INVALID_HANDLE;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuModuleGetFunction(CUfunction *function, CUmodule module,
                                     const char *name) {
  FAKE_ENTER(cuModuleGetFunction, Needs::Context);
  State &state = State::get();
  Lock lock(state.mutex);
  if (!module || !module->loaded)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!name || !*name)
    return CUDA_ERROR_INVALID_VALUE;
  if (state.missing.count(std::string_view(name)))
    return CUDA_ERROR_NOT_FOUND;
  *function = &state.kernels.emplace_back();
  (*function)->name = name;
  (*function)->module = module;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Static shared memory of a function. The lock must be held.
static int getStaticShared(State &state, CUfunction function) {
  auto settings = state.functions.find(function->name);
  if (settings == state.functions.end())
    return 0;
  auto found =
      settings->second.attributes.find(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  return found == settings->second.attributes.end() ? 0 : found->second;
}

CUresult CUDAAPI cuFuncSetAttribute(CUfunction function,
                                    CUfunction_attribute attribute, int value) {
  FAKE_ENTER(cuFuncSetAttribute, Needs::Context);
  State &state = State::get();
  Lock lock(state.mutex);
  if (!function || !function->module->loaded)
    return CUDA_ERROR_INVALID_HANDLE;
  const Device &device = state.devices[function->module->context->device];
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    if (value < 0 ||
        value > device.sharedPerBlockOptin - getStaticShared(state, function))
      return CUDA_ERROR_INVALID_VALUE;
    function->maxDynamicShared = value;
    break;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    function->nonPortableCluster = value != 0;
    break;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    break;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  function->attributes[attribute] = value;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                                    CUfunction function) {
  FAKE_ENTER(cuFuncGetAttribute, Needs::Context);
  State &state = State::get();
  Lock lock(state.mutex);
  if (!function || !function->module->loaded)
    return CUDA_ERROR_INVALID_HANDLE;
  auto set = function->attributes.find(attribute);
  if (set != function->attributes.end()) {
    *value = set->second;
    return CUDA_SUCCESS;
  }
  auto settings = state.functions.find(function->name);
  if (settings != state.functions.end()) {
    auto found = settings->second.attributes.find(attribute);
    if (found != settings->second.attributes.end()) {
      *value = found->second;
      return CUDA_SUCCESS;
    }
  }
  const Device &device = state.devices[function->module->context->device];
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = 1024;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = 32;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    *value = 10 * device.major + device.minor;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = function->maxDynamicShared;
    return CUDA_SUCCESS;
  default:
    if (attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX)
      return CUDA_ERROR_INVALID_VALUE;
    *value = 0;
    return CUDA_SUCCESS;
  }
}

#ifndef CAROUSEL_FAKE_OLD_DRIVER
CUresult CUDAAPI cuFuncGetParamInfo(CUfunction function, size_t index,
                                    size_t *offset, size_t *bytes) {
  FAKE_ENTER(cuFuncGetParamInfo, Needs::Context);
  State &state = State::get();
  Lock lock(state.mutex);
  if (!function || !function->module->loaded)
    return CUDA_ERROR_INVALID_HANDLE;
  auto settings = state.functions.find(function->name);
  if (settings == state.functions.end() ||
      settings->second.parameterSizes.empty())
    return CUDA_ERROR_NOT_SUPPORTED; // nobody said what they are
  const std::vector<size_t> &sizes = settings->second.parameterSizes;
  if (index >= sizes.size())
    return CUDA_ERROR_INVALID_VALUE;
  *offset = 0;
  for (size_t i = 0; i <= index; ++i) {
    size_t alignment = std::clamp<size_t>(sizes[i], 1, 64);
    *offset = (*offset + alignment - 1) / alignment * alignment;
    if (i < index)
      *offset += sizes[i];
  }
  if (bytes)
    *bytes = sizes[index];
  return CUDA_SUCCESS;
}
#endif

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The limits of compute capability 9.0; no memory, no lock.
static CUresult checkLaunch(const CUlaunchConfig &config, CUfunction function,
                            const std::array<unsigned, 3> &cluster) {
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!function->module->loaded ||
      function->module->context != currentContext())
    return CUDA_ERROR_INVALID_HANDLE;
  if (config.gridDimX == 0 || config.gridDimX > 0x7fffffffu ||
      config.gridDimY == 0 || config.gridDimY > 65535 || config.gridDimZ == 0 ||
      config.gridDimZ > 65535)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t threads = uint64_t(config.blockDimX) * config.blockDimY;
  if (config.blockDimX > 1024 || config.blockDimY > 1024 ||
      config.blockDimZ > 64 || threads * config.blockDimZ == 0 ||
      threads * config.blockDimZ > 1024)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t blocks = uint64_t(cluster[0]) * cluster[1] * cluster[2];
  if (blocks == 0 || config.gridDimX % cluster[0] != 0 ||
      config.gridDimY % cluster[1] != 0 || config.gridDimZ % cluster[2] != 0 ||
      blocks > (function->nonPortableCluster ? 16 : 8))
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  if (config.sharedMemBytes >
      static_cast<unsigned>(function->maxDynamicShared.load()))
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

/// Blocks of a function that a multiprocessor holds at once.
static int getOccupancy(State &state, CUfunction function) {
  if (!state.anyFunction) // launches that nobody prepared take no lock
    return FunctionSettings().occupancy;
  Lock lock(state.mutex);
  auto settings = state.functions.find(function->name);
  return settings == state.functions.end() ? FunctionSettings().occupancy
                                           : settings->second.occupancy;
}

CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, CUfunction function, int threads, size_t dynamicShared) {
  FAKE_ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor, Needs::Context);
  if (!function || !function->module->loaded)
    return CUDA_ERROR_INVALID_HANDLE;
  if (threads <= 0 ||
      dynamicShared > static_cast<size_t>(function->maxDynamicShared.load()))
    return CUDA_ERROR_INVALID_VALUE;
  *blocks = getOccupancy(State::get(), function);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuOccupancyMaxActiveClusters(int *clusters,
                                              CUfunction function,
                                              const CUlaunchConfig *config) {
  FAKE_ENTER(cuOccupancyMaxActiveClusters, Needs::Context);
  if (!function || !function->module->loaded)
    return CUDA_ERROR_INVALID_HANDLE;
  unsigned blocks = 0;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto &dim = config->attrs[i].value.clusterDim;
      blocks = dim.x * dim.y * dim.z;
    }
  if (blocks == 0)
    return CUDA_ERROR_INVALID_VALUE;
  State &state = State::get();
  int device = function->module->context->device;
  *clusters = getOccupancy(state, function) *
              state.devices[device].multiprocessors / int(blocks);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig *config,
                                  CUfunction function, void **parameters,
                                  void **extra) {
  FAKE_ENTER(cuLaunchKernelEx, Needs::Context);
  State &state = State::get();
  std::array<unsigned, 3> cluster = {1, 1, 1};
  bool hasCluster = false, cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
      cooperative = config->attrs[i].value.cooperative != 0;
    else if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto &dim = config->attrs[i].value.clusterDim;
      cluster = {dim.x, dim.y, dim.z};
      hasCluster = true;
    }
  if (CUresult error = checkLaunch(*config, function, cluster);
      error != CUDA_SUCCESS)
    return error;
  if (extra)
    return CUDA_ERROR_INVALID_VALUE; // the fake knows parameters only
  if (cooperative) {
    uint64_t blocks =
        uint64_t(config->gridDimX) * config->gridDimY * config->gridDimZ;
    if (blocks > uint64_t(getOccupancy(state, function)) *
                     state.devices[currentContext()->device].multiprocessors)
      return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  }
  ++state.launchCount;
  if (!state.recording && !state.anyFunction && !state.anyCapture)
    return CUDA_SUCCESS;

  Launch launch;
  launch.function = function->name;
  launch.context = currentContext();
  launch.stream = config->hStream;
  launch.grid = {config->gridDimX, config->gridDimY, config->gridDimZ};
  launch.block = {config->blockDimX, config->blockDimY, config->blockDimZ};
  launch.cluster = cluster;
  launch.hasCluster = hasCluster;
  launch.cooperative = cooperative;
  launch.dynamicShared = config->sharedMemBytes;
  HostKernel kernel;
  CUresult later = CUDA_SUCCESS;
  {
    Lock lock(state.mutex);
    if (!launch.stream && !state.capturing.empty())
      return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    auto capture = state.capturing.find(launch.stream);
    if (capture != state.capturing.end()) {
      if (capture->second == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
      launch.captured = true;
      noteNode(state, launch.stream);
    }
    auto found = state.functions.find(function->name);
    if (found != state.functions.end()) {
      const FunctionSettings &settings = found->second;
      if (!settings.parameterSizes.empty() && !parameters)
        return CUDA_ERROR_INVALID_VALUE;
      for (size_t i = 0; i < settings.parameterSizes.size(); ++i) {
        auto *bytes = static_cast<const uint8_t *>(parameters[i]);
        launch.parameters.emplace_back(bytes,
                                       bytes + settings.parameterSizes[i]);
      }
      if (!launch.captured) {
        kernel = settings.kernel;
        later = settings.error;
      }
    }
    if (!launch.captured && !state.launchMilliseconds.empty())
      state.clock += state.launchMilliseconds[(state.launchCount - 1) %
                                              state.launchMilliseconds.size()];
    if (state.recording)
      state.launches.push_back(launch);
  }
  // Not under the lock: a host function may call the driver.
  if (kernel)
    kernel(launch, parameters);
  if (later != CUDA_SUCCESS)
    launch.context->error = later;
  return CUDA_SUCCESS;
}

} // extern "C"
