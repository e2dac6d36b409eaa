//===- FakeDriver.cpp - control of the fake libcuda -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state, the functions of FakeDriver.h, and the first steps of every
// function of the driver: record the call, fail if the test asks for it, look
// up the context.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

size_t CUgraph_st::getNumber(CUgraphNode node) const {
  return size_t(std::distance(
      nodes.begin(),
      std::find_if(nodes.begin(), nodes.end(),
                   [&](const CUgraphNode_st &own) { return &own == node; })));
}

namespace carousel::fake {

using Lock = std::lock_guard<std::mutex>;

State &State::get() {
  // Leaked: the program under test may call the driver while it exits.
  static State *state = [] {
    auto *made = new State();
    for (int i = 0; i < kMaxDevices; ++i)
      made->contexts[i].device = i;
    return made;
  }();
  return *state;
}

namespace {

/// A thread's stack of contexts. Forgotten when reset() starts a generation.
struct ContextStack {
  uint64_t generation = 0;
  unsigned depth = 0;
  CUcontext entries[64];

  static ContextStack &get() {
    static thread_local ContextStack stack;
    uint64_t now = State::get().generation.load(std::memory_order_relaxed);
    if (stack.generation != now) {
      stack.generation = now;
      stack.depth = 0;
    }
    return stack;
  }
};

} // namespace

CUcontext currentContext() {
  ContextStack &stack = ContextStack::get();
  return stack.depth == 0 ? nullptr : stack.entries[stack.depth - 1];
}

bool pushContext(CUcontext context) {
  ContextStack &stack = ContextStack::get();
  if (stack.depth == std::size(stack.entries))
    return false;
  stack.entries[stack.depth++] = context;
  return true;
}

CUcontext popContext() {
  ContextStack &stack = ContextStack::get();
  return stack.depth == 0 ? nullptr : stack.entries[--stack.depth];
}

CUresult enter(const char *function, Needs needs) {
  State &state = State::get();
  if (state.recording) {
    Lock lock(state.mutex);
    state.calls.push_back({function, std::this_thread::get_id()});
  }
  if (state.deinitialized && needs != Needs::Nothing)
    return CUDA_ERROR_DEINITIALIZED;
  if (state.anyFailure) {
    Lock lock(state.mutex);
    auto found = state.failures.find(std::string_view(function));
    if (found != state.failures.end() && !found->second.empty()) {
      Failure &next = found->second.front();
      if (next.skip > 0) {
        --next.skip;
      } else {
        CUresult error = next.error;
        if (--next.count == 0)
          found->second.erase(found->second.begin());
        return error;
      }
    }
  }
  if (needs == Needs::Nothing)
    return CUDA_SUCCESS;
  if (!state.initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (needs == Needs::Driver)
    return CUDA_SUCCESS;
  CUcontext context = currentContext();
  if (!context)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!context->active)
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return context->error;
}

CUstreamCaptureMode &getCaptureMode() {
  static thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

CUresult refuseWhileCapturing(State &state) {
  if (!state.anyCapture || getCaptureMode() == CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_SUCCESS;
  Lock lock(state.mutex);
  CUresult result = CUDA_SUCCESS;
  for (auto &[stream, status] : state.capturing)
    if (status == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
      status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
      result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  return result;
}

void releaseMemory(State &state, CUcontext context) {
  for (auto it = state.memory.begin(); it != state.memory.end();) {
    if (context && it->second.context != context) {
      ++it;
      continue;
    }
    std::free(reinterpret_cast<void *>(it->first));
    state.allocated -= it->second.bytes;
    it = state.memory.erase(it);
  }
}

void reset() {
  destroyGraphs();
  State &state = State::get();
  Lock lock(state.mutex);
  releaseMemory(state, nullptr);
  releaseRanges(state);
  for (CUctx_st &context : state.contexts) {
    context.retains = 0;
    context.active = false;
    context.error = CUDA_SUCCESS;
  }
  state.devices = {Device()};
  state.failures.clear();
  state.functions.clear();
  state.missing.clear();
  state.globalBytes.clear();
  state.capturing.clear();
  state.launchMilliseconds = {0.01f};
  state.compileLog.clear();
  state.driverVersion = 13000;
  state.recording = true;
  state.deinitialized = state.isBlocking = false;
  state.anyFailure = state.anyFunction = state.anyCapture = false;
  state.calls.clear();
  state.launches.clear();
  state.encodes.clear();
  state.compilations.clear();
  state.images.clear();
  state.launchCount = 0;
  state.initialized = false;
  state.globals.clear();
  for (const auto &[memory, flags] : state.hostMemory)
    if (state.registered.count(memory) == 0)
      std::free(memory);
  state.hostMemory.clear();
  state.registered.clear();
  state.modules.clear();
  state.kernels.clear();
  for (CUevent event : state.events)
    delete event;
  state.events.clear();
  state.clock = 0;
  ++state.generation;
}

void setDevices(std::vector<Device> devices) {
  State &state = State::get();
  Lock lock(state.mutex);
  if (devices.size() > kMaxDevices)
    devices.resize(kMaxDevices);
  state.devices = std::move(devices);
}

void setDriverVersion(int version) { State::get().driverVersion = version; }

void failNext(std::string_view function, CUresult error, unsigned skip,
              unsigned count) {
  if (count == 0)
    return;
  State &state = State::get();
  Lock lock(state.mutex);
  state.failures[std::string(function)].push_back({skip, count, error});
  state.anyFailure = true;
}

void poison(CUresult error, int device) {
  State::get().contexts[device].error = error;
}

void setDeinitialized(bool deinitialized) {
  State::get().deinitialized = deinitialized;
}

//===----------------------------------------------------------------------===//
// Settings of functions
//===----------------------------------------------------------------------===//

template <typename Change>
static void changeFunction(std::string_view function, Change change) {
  State &state = State::get();
  Lock lock(state.mutex);
  change(state.functions[std::string(function)]);
  state.anyFunction = true;
}

void setKernelError(std::string_view function, CUresult error) {
  changeFunction(function, [&](FunctionSettings &f) { f.error = error; });
}

void setParameterSizes(std::string_view function, std::vector<size_t> sizes) {
  changeFunction(function, [&](FunctionSettings &f) {
    f.parameterSizes = std::move(sizes);
  });
}

void setFunctionAttribute(std::string_view function,
                          CUfunction_attribute attribute, int value) {
  changeFunction(function,
                 [&](FunctionSettings &f) { f.attributes[attribute] = value; });
}

void setKernel(std::string_view function, HostKernel kernel) {
  changeFunction(function,
                 [&](FunctionSettings &f) { f.kernel = std::move(kernel); });
}

template <typename T> static T read(void **parameters, size_t index) {
  T value;
  std::memcpy(&value, parameters[index], sizeof(T));
  return value;
}

/// Installs a copy of floats whose extents are of type Index.
template <typename Index> static void installCopy(const char *function) {
  setParameterSizes(function, {8, sizeof(Index), 8, sizeof(Index)});
  setKernel(function, [](const Launch &, void **parameters) {
    int64_t count =
        std::min(read<Index>(parameters, 1), read<Index>(parameters, 3));
    if (count > 0)
      std::memmove(read<void *>(parameters, 2), read<void *>(parameters, 0),
                   sizeof(float) * count);
  });
}

/// Three pairs of bytes and their numbers, then the number of CTAs.
static void installTransport(const char *function) {
  setParameterSizes(function, std::vector<size_t>(13, 8));
  setKernel(function, [](const Launch &, void **parameters) {
    for (size_t i = 0; i < 12; i += 4)
      if (auto bytes = read<size_t>(parameters, i + 1))
        std::memcpy(read<void *>(parameters, i + 2),
                    read<void *>(parameters, i), bytes);
  });
}

/// The same of words that begin `shift` bytes after the first address.
static void installShifted(const char *function) {
  std::vector<size_t> sizes(14, 8);
  sizes[12] = 4;
  setParameterSizes(function, sizes);
  setKernel(function, [](const Launch &, void **parameters) {
    auto count = read<size_t>(parameters, 3);
    if (count > 0)
      std::memcpy(read<char *>(parameters, 2),
                  read<char *>(parameters, 0) + read<int32_t>(parameters, 12),
                  4 * count);
    for (size_t i = 4; i < 12; i += 4)
      if (auto bytes = read<size_t>(parameters, i + 1))
        std::memcpy(read<void *>(parameters, i + 2),
                    read<void *>(parameters, i), bytes);
  });
}

void installKernels() {
  installShifted("copy_shifted");
  installShifted("copy_shifted_tma");
  installTransport("copy_bytes");
  installTransport("copy_bytes_tma");
  installCopy<int64_t>("copy_1d");
  installCopy<int64_t>("copy_bulk");
  installCopy<int32_t>("copy_simple");
  setParameterSizes("scale", {8, 8, 4});
  setKernel("scale", [](const Launch &, void **parameters) {
    auto *x = read<float *>(parameters, 0);
    float factor = read<float>(parameters, 2);
    for (int64_t i = 0, n = read<int64_t>(parameters, 1); i < n; ++i)
      x[i] *= factor;
  });
}

void setMissingFunctions(std::vector<std::string> names) {
  State &state = State::get();
  Lock lock(state.mutex);
  state.missing.clear();
  state.missing.insert(names.begin(), names.end());
}

void setCompileLog(std::string log) {
  State &state = State::get();
  Lock lock(state.mutex);
  state.compileLog = std::move(log);
}

CUstream makeStream() {
  State &state = State::get();
  Lock lock(state.mutex);
  CUstream stream = &state.streams.emplace_back();
  stream->id = ++state.lastStreamId;
  return stream;
}

void replaceStream(CUstream stream) {
  State &state = State::get();
  Lock lock(state.mutex);
  stream->id = ++state.lastStreamId;
}

void setOccupancy(std::string_view function, int blocks) {
  changeFunction(function, [&](FunctionSettings &f) { f.occupancy = blocks; });
}

void setCapturing(CUstream stream, CUstreamCaptureStatus status) {
  State &state = State::get();
  Lock lock(state.mutex);
  if (status == CU_STREAM_CAPTURE_STATUS_ACTIVE &&
      state.capturing.count(stream) == 0)
    state.recorded[stream] = &state.graphs.emplace_back();
  if (status == CU_STREAM_CAPTURE_STATUS_NONE)
    state.capturing.erase(stream);
  else
    state.capturing[stream] = status;
  state.anyCapture = !state.capturing.empty();
}

void noteNode(State &state, CUstream stream) {
  if (state.capturing.count(stream) == 0)
    return;
  CUgraph_st &graph = *state.recorded[stream];
  CUgraphNode_st node;
  for (CUgraphNode earlier : graph.last)
    node.dependencies.push_back(graph.getNumber(earlier));
  std::sort(node.dependencies.begin(), node.dependencies.end());
  graph.nodes.push_back(std::move(node));
  graph.last = {&graph.nodes.back()};
}

void releaseObject(CUuserObject object, unsigned count) {
  object->references -= count;
  if (object->references > 0)
    return;
  object->destroy(object->data);
  delete object;
}

void destroyGraphs() {
  State &state = State::get();
  Lock lock(state.mutex);
  for (const CUgraph_st &graph : state.graphs)
    for (CUuserObject object : graph.objects)
      releaseObject(object, 1);
  state.graphs.clear();
  state.recorded.clear();
  state.capturedOperations.clear();
}

void setBlocking(bool on) { State::get().isBlocking = on; }

void setLaunchMilliseconds(std::vector<float> durations) {
  State &state = State::get();
  Lock lock(state.mutex);
  state.launchMilliseconds = std::move(durations);
}

void setRecording(bool on) { State::get().recording = on; }

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

template <typename T> static std::vector<T> copy(std::vector<T> State::*list) {
  State &state = State::get();
  Lock lock(state.mutex);
  return state.*list;
}

std::vector<Call> getCalls() { return copy(&State::calls); }
std::vector<Launch> getLaunches() { return copy(&State::launches); }
std::vector<std::string> getImages() { return copy(&State::images); }
std::vector<Compilation> getCompilations() {
  return copy(&State::compilations);
}
std::vector<Encode> getEncodes() { return copy(&State::encodes); }
uint64_t countLaunches() { return State::get().launchCount; }

unsigned countCalls(std::string_view function) {
  State &state = State::get();
  Lock lock(state.mutex);
  return std::count_if(
      state.calls.begin(), state.calls.end(),
      [&](const Call &call) { return call.function == function; });
}

void clearCalls() {
  State &state = State::get();
  Lock lock(state.mutex);
  state.calls.clear();
  state.launches.clear();
  state.encodes.clear();
  state.compilations.clear();
  state.images.clear();
}

uint64_t getAllocatedBytes() {
  State &state = State::get();
  Lock lock(state.mutex);
  return state.allocated;
}

unsigned countAllocations() {
  State &state = State::get();
  Lock lock(state.mutex);
  return state.memory.size();
}

unsigned countLoadedModules() {
  State &state = State::get();
  Lock lock(state.mutex);
  return std::count_if(
      state.modules.begin(), state.modules.end(),
      [](const CUmod_st &module) { return bool(module.loaded); });
}

unsigned countRetains(int device) {
  State &state = State::get();
  Lock lock(state.mutex);
  return state.contexts[device].retains;
}

} // namespace carousel::fake
