//===- CounterAccess.cpp - the host's access to counters ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CounterAccess.h. The thread is made by the first read, which comes after
// a fault only.
//
//===----------------------------------------------------------------------===//

#include "CounterAccess.h"

#include "Support/Process.h"

#include <csignal>

namespace carousel::runtime {

CUstreamBatchMemOpParams makeWrite(CUdeviceptr address, uint64_t value) {
  CUstreamBatchMemOpParams operation = {};
  operation.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
  operation.writeValue.address = address;
  operation.writeValue.value64 = value;
  return operation;
}

CounterAccess::~CounterAccess() {
  if (isForkedFromUser()) {
    (void)reader.release();
    return;
  }
  if (reader && reader->thread.joinable()) {
    {
      std::lock_guard<std::mutex> lock(reader->mutex);
      reader->isEnding = true;
    }
    reader->changed.notify_all();
    reader->thread.join();
  }
  CurrentContext current(*context);
  if (!current.getStatus())
    return;
  const DriverTable &driver = *context->driver;
  RelaxedCapture relaxed(driver);
  for (CUstream stream : {writing, reading})
    if (stream) {
      (void)driver.cuStreamSynchronize(stream);
      driver.cuStreamDestroy(stream);
    }
  if (done)
    driver.cuMemFreeHost(done);
}

Status CounterAccess::open() {
  const DriverTable &driver = *context->driver;
  RelaxedCapture relaxed(driver);
  reader = std::make_unique<Reader>();
  int least = 0, greatest = 0;
  CAROUSEL_TRY(
      context->check(driver.cuCtxGetStreamPriorityRange(&least, &greatest),
                     "cuCtxGetStreamPriorityRange"));
  for (CUstream *stream : {&writing, &reading})
    CAROUSEL_TRY(context->check(driver.cuStreamCreateWithPriority(
                                    stream, CU_STREAM_NON_BLOCKING, greatest),
                                "cuStreamCreateWithPriority"));
  void *memory = nullptr;
  CAROUSEL_TRY(context->check(driver.cuMemHostAlloc(&memory, 2 * sizeof(Word),
                                                    CU_MEMHOSTALLOC_DEVICEMAP),
                              "cuMemHostAlloc"));
  done = new (memory) Word(0);
  target = new (done + 1) Word(0);
  return context->check(
      driver.cuMemHostGetDevicePointer(&doneAddress, memory, 0),
      "cuMemHostGetDevicePointer");
}

std::optional<uint64_t> CounterAccess::copy(uint64_t address) {
  CurrentContext current(*context);
  const DriverTable &driver = *context->driver;
  if (!current.getStatus() ||
      driver.cuMemcpyDtoHAsync(target, address, sizeof(Word), reading) !=
          CUDA_SUCCESS ||
      driver.cuStreamSynchronize(reading) != CUDA_SUCCESS)
    return std::nullopt;
  return target->load();
}

void CounterAccess::runReader() {
  std::unique_lock<std::mutex> lock(reader->mutex);
  while (true) {
    reader->changed.wait(
        lock, [&] { return reader->isEnding || reader->address.has_value(); });
    if (!reader->address)
      return;
    uint64_t address = *std::exchange(reader->address, std::nullopt);
    lock.unlock();
    std::optional<uint64_t> value = copy(address);
    lock.lock();
    reader->value = value;
    reader->isBusy = false;
    reader->changed.notify_all();
  }
}

std::optional<uint64_t> CounterAccess::read(uint64_t address) {
  std::unique_lock<std::mutex> lock(reader->mutex);
  if (reader->isBusy) // the one before it hasn't ended
    return std::nullopt;
  if (!reader->thread.joinable()) {
    sigset_t all, old;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &old); // for the program's threads
    reader->thread = std::thread([this] { runReader(); });
    ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
  }
  reader->address = address;
  reader->isBusy = true;
  reader->changed.notify_all();
  if (!reader->changed.wait_for(lock, kPatience,
                                [&] { return !reader->isBusy; }))
    return std::nullopt;
  return reader->value;
}

bool CounterAccess::write(uint64_t address, uint64_t value) {
  CUstreamBatchMemOpParams operations[] = {makeWrite(address, value),
                                           makeWrite(doneAddress, writes + 1)};
  if (context->driver->cuStreamBatchMemOp(writing, 2, operations, 0) !=
      CUDA_SUCCESS)
    return false;
  ++writes;
  auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!isWritten() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::microseconds(5));
  return true;
}

bool CounterAccess::isWritten() const {
  return done->load(std::memory_order_acquire) >= writes;
}

Status CounterAccess::clear(uint64_t address, uint64_t bytes) {
  const DriverTable &driver = *context->driver;
  CAROUSEL_TRY(context->check(
      driver.cuMemsetD8Async(address, 0, bytes, writing), "cuMemsetD8Async"));
  return context->check(driver.cuStreamSynchronize(writing),
                        "cuStreamSynchronize");
}

void CounterAccess::drain() {
  (void)context->driver->cuStreamSynchronize(writing);
  std::unique_lock<std::mutex> lock(reader->mutex);
  reader->changed.wait(lock, [&] { return !reader->isBusy; });
}

} // namespace carousel::runtime
