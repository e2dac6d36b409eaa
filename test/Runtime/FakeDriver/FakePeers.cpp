//===- FakePeers.cpp - several devices, and waits of streams --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams run at once, so a stream that waits for a value holds up the thread
// that enqueues the wait, until another thread or process writes the value.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <cstring>
#include <thread>

using namespace carousel::fake;
using Lock = std::lock_guard<std::mutex>;

void carousel::fake::setPeerAccess(int device, int peer, bool can) {
  State &state = State::get();
  Lock lock(state.mutex);
  if (can)
    state.noAccess.erase({device, peer});
  else
    state.noAccess.insert({device, peer});
}

void carousel::fake::setNVLink(int device, int peer) {
  State &state = State::get();
  Lock lock(state.mutex);
  state.nvLinks.insert({device, peer});
  state.nvLinks.insert({peer, device});
}

extern "C" {

CUresult CUDAAPI cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  FAKE_ENTER(cuDeviceGetUuid, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  if (!findDevice(state, device))
    return CUDA_ERROR_INVALID_DEVICE;
  std::memset(uuid->bytes, 0, sizeof(uuid->bytes));
  std::memcpy(uuid->bytes, "fake", 4);
  uuid->bytes[4] = static_cast<char>(device);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceCanAccessPeer(int *can, CUdevice device,
                                       CUdevice peer) {
  FAKE_ENTER(cuDeviceCanAccessPeer, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  if (!findDevice(state, device) || !findDevice(state, peer))
    return CUDA_ERROR_INVALID_DEVICE;
  *can = device != peer && state.noAccess.count({device, peer}) == 0;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetP2PAttribute(int *value,
                                         CUdevice_P2PAttribute attribute,
                                         CUdevice device, CUdevice peer) {
  FAKE_ENTER(cuDeviceGetP2PAttribute, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  if (!findDevice(state, device) || !findDevice(state, peer) || device == peer)
    return CUDA_ERROR_INVALID_DEVICE;
  if (attribute != CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED)
    return CUDA_ERROR_INVALID_VALUE;
  *value = state.nvLinks.count({device, peer}) != 0;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuPointerGetAttribute(void *value,
                                       CUpointer_attribute attribute,
                                       CUdeviceptr address) {
  FAKE_ENTER(cuPointerGetAttribute, Needs::Context);
  State &state = State::get();
  Lock lock(state.mutex);
  if (attribute != CU_POINTER_ATTRIBUTE_MEMORY_TYPE ||
      !isInside(state, address, 1))
    return CUDA_ERROR_INVALID_VALUE;
  *static_cast<unsigned *>(value) = CU_MEMORYTYPE_DEVICE;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSynchronize() {
  FAKE_ENTER(cuCtxSynchronize, Needs::Context);
  return refuseWhileCapturing(State::get());
}

CUresult CUDAAPI cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  FAKE_ENTER(cuCtxGetStreamPriorityRange, Needs::Context);
  *least = 0;
  *greatest = -5;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *stream, unsigned flags,
                                            int priority) {
  FAKE_ENTER(cuStreamCreateWithPriority, Needs::Context);
  *stream = makeStream();
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamWaitEvent(CUstream stream, CUevent event,
                                   unsigned flags) {
  FAKE_ENTER(cuStreamWaitEvent, Needs::Context);
  State &state = State::get();
  Lock lock(state.mutex);
  return state.events.count(event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/// Words of the host's memory that the device reaches count, too.
static bool isWord(State &state, CUdeviceptr address) {
  if (address % 8 != 0)
    return false;
  if (isInside(state, address, 8))
    return true;
  for (const auto &[memory, flags] : state.hostMemory)
    if (address - reinterpret_cast<CUdeviceptr>(memory) < 65536)
      return true; // its size isn't known
  return false;
}

static bool holds(uint64_t value, uint64_t wanted, unsigned flags) {
  switch (flags & 3) {
  case CU_STREAM_WAIT_VALUE_GEQ:
    return static_cast<int64_t>(value - wanted) >= 0;
  case CU_STREAM_WAIT_VALUE_EQ:
    return value == wanted;
  default:
    return true;
  }
}

CUresult CUDAAPI cuStreamBatchMemOp(CUstream stream, unsigned count,
                                    CUstreamBatchMemOpParams *operations,
                                    unsigned flags) {
  FAKE_ENTER(cuStreamBatchMemOp, Needs::Context);
  waitForLoad();
  State &state = State::get();
  {
    Lock lock(state.mutex);
    if (!stream && !state.capturing.empty())
      return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    for (unsigned i = 0; i < count; ++i) {
      auto type = operations[i].operation;
      if ((type != CU_STREAM_MEM_OP_WAIT_VALUE_64 &&
           type != CU_STREAM_MEM_OP_WRITE_VALUE_64) ||
          !isWord(state, operations[i].waitValue.address))
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (auto capture = state.capturing.find(stream);
        capture != state.capturing.end()) {
      state.capturedOperations.emplace_back(operations, operations + count);
      return CUDA_SUCCESS;
    }
  }
  runMemoryOperations(operations, count);
  return CUDA_SUCCESS;
}

} // extern "C"

void carousel::fake::runMemoryOperations(
    const CUstreamBatchMemOpParams *operations, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const auto &wait = operations[i].waitValue;
    auto *word = reinterpret_cast<uint64_t *>(wait.address);
    if (wait.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64) {
      __atomic_store_n(word, operations[i].writeValue.value64,
                       __ATOMIC_SEQ_CST);
      continue;
    }
    ++State::get().waitingStreams;
    while (!holds(__atomic_load_n(word, __ATOMIC_SEQ_CST), wait.value64,
                  wait.flags))
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    --State::get().waitingStreams;
  }
}

void carousel::fake::waitForStreams() {
  State &state = State::get();
  if (!state.isBlocking)
    return;
  Lock lock(state.contextLock);
  while (state.waitingStreams > 0)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
}

void carousel::fake::waitForContext() {
  State &state = State::get();
  if (state.isBlocking)
    Lock lock(state.contextLock);
}

void carousel::fake::waitForStreamsAndLoad() {
  State &state = State::get();
  if (!state.isBlocking)
    return;
  Lock lock(state.loadLock);
  waitForStreams();
}

void carousel::fake::waitForLoad() {
  State &state = State::get();
  if (state.isBlocking)
    Lock lock(state.loadLock);
}

void carousel::fake::replayMemoryOperations() {
  State &state = State::get();
  std::vector<std::vector<CUstreamBatchMemOpParams>> list;
  {
    Lock lock(state.mutex);
    list = state.capturedOperations;
  }
  for (const auto &operations : list)
    runMemoryOperations(operations.data(), operations.size());
}

std::vector<std::string> carousel::fake::getMulticasts() {
  State &state = State::get();
  Lock lock(state.mutex);
  return state.multicasts;
}
