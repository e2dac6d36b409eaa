//===- Waits.cpp - streams that wait for signals --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mutex is held while a wait is ended, so that its memory can't be unmapped
// meanwhile. It isn't held while the driver takes a wait.
//
//===----------------------------------------------------------------------===//

#include "Waits.h"

#include "Support/Process.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace carousel::runtime {

static CUstreamBatchMemOpParams makeWrite(CUdeviceptr address, uint64_t value) {
  CUstreamBatchMemOpParams operation = {};
  operation.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
  operation.writeValue.address = address;
  operation.writeValue.value64 = value;
  return operation;
}

Waits::~Waits() {
  if (isForkedFromUser())
    return;
  CurrentContext current(*context);
  if (!current.getStatus())
    return;
  const DriverTable &driver = *context->driver;
  RelaxedCapture relaxed(driver);
  // Streams may still write into slots.
  if (!blocks.empty())
    (void)driver.cuCtxSynchronize();
  for (void *block : blocks)
    driver.cuMemFreeHost(block);
  if (stream)
    driver.cuStreamDestroy(stream);
}

Status Waits::open() {
  const DriverTable &driver = *context->driver;
  RelaxedCapture relaxed(driver);
  // Of the greatest priority: a stream that waits doesn't hold it up then,
  // because streams share the GPU's queues with those of the same priority.
  int least = 0, greatest = 0;
  if (Status status =
          context->check(driver.cuCtxGetStreamPriorityRange(&least, &greatest),
                         "cuCtxGetStreamPriorityRange");
      !status)
    return status;
  return context->check(driver.cuStreamCreateWithPriority(
                            &stream, CU_STREAM_NON_BLOCKING, greatest),
                        "cuStreamCreateWithPriority");
}

/// The lock must be held, and the context current.
Result<Waits::Slot> Waits::takeSlot() {
  if (unused.empty())
    lookAtAll();
  if (unused.empty()) {
    const DriverTable &driver = *context->driver;
    RelaxedCapture relaxed(driver);
    void *memory = nullptr;
    size_t bytes = (kSlotsOfBlock + 1) * sizeof(Word);
    if (Status status = context->check(
            driver.cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_DEVICEMAP),
            "cuMemHostAlloc");
        !status)
      return tl::make_unexpected(std::move(status.error()));
    blocks.push_back(memory);
    CUdeviceptr device = 0;
    if (Status status =
            context->check(driver.cuMemHostGetDevicePointer(&device, memory, 0),
                           "cuMemHostGetDevicePointer");
        !status)
      return tl::make_unexpected(std::move(status.error()));
    std::memset(memory, 0, bytes);
    auto *words = static_cast<Word *>(memory);
    for (size_t i = 0; i < kSlotsOfBlock; ++i)
      unused.push_back({words + i, device + i * sizeof(Word)});
    scratch = reinterpret_cast<uint64_t *>(words + kSlotsOfBlock);
  }
  Slot slot = unused.back();
  unused.pop_back();
  slot.word->store(Queued);
  return slot;
}

Status Waits::enqueue(const Wait &wait, CUstream stream,
                      const std::function<void()> &wake) {
  Result<bool> isCaptured = context->isCapturing(stream);
  if (!isCaptured)
    return tl::make_unexpected(std::move(isCaptured.error()));
  std::list<Pending>::iterator entry;
  {
    std::lock_guard<std::mutex> lock(mutex);
    Result<Slot> slot = takeSlot();
    if (!slot)
      return tl::make_unexpected(std::move(slot.error()));
    Pending pending;
    pending.wait = wait;
    pending.slot = *slot;
    pending.stream = stream;
    pending.isCaptured = *isCaptured;
    entry = list.insert(list.end(), std::move(pending));
  }
  wake();
  CUstreamBatchMemOpParams operations[4] = {};
  unsigned count = 0;
  auto flush = [&]() -> Status {
    return context->check(context->driver->cuStreamBatchMemOp(
                              stream, std::exchange(count, 0), operations, 0),
                          "cuStreamBatchMemOp");
  };
  Status status;
  operations[count++] = makeWrite(entry->slot.device, Waiting);
  if (wait.work) {
    status = flush();
    if (status)
      status = wait.work();
  } else {
    auto &condition = operations[count++].waitValue;
    condition.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
    condition.address = wait.address;
    condition.value64 = wait.value;
    condition.flags =
        wait.isEqual ? CU_STREAM_WAIT_VALUE_EQ : CU_STREAM_WAIT_VALUE_GEQ;
  }
  // First the note: whoever reads a counter that was reset finds the note then.
  operations[count++] = makeWrite(entry->slot.device, Done);
  if (wait.after)
    operations[count++] = makeWrite(wait.address, *wait.after);
  if (status)
    status = flush();
  if (!status) {
    std::lock_guard<std::mutex> lock(mutex);
    list.erase(entry); // The slot isn't used again: the driver may have it.
  }
  return status;
}

/// "signal 3 of rank 1 (process 4711) to be at least 7".
static std::string describeGoal(const Wait &wait, const std::string &peer) {
  switch (wait.kind) {
  case Wait::Kind::Signal:
    return fmt::format("signal {} of {} to be {}{}", wait.signal, peer,
                       wait.isEqual ? "" : "at least ", wait.value);
  case Wait::Kind::Send:
    return fmt::format("{} to receive what was sent before", peer);
  case Wait::Kind::Recv:
    return fmt::format("{} bytes of {}", wait.value - 1, peer);
  case Wait::Kind::NCCL:
    return fmt::format("{} by NCCL with {}", wait.what, peer);
  }
  return "";
}

std::optional<uint64_t> Waits::readCounter(uint64_t address) {
  const DriverTable &driver = *context->driver;
  if (driver.cuMemcpyDtoHAsync(scratch, address, 8, stream) != CUDA_SUCCESS ||
      driver.cuStreamSynchronize(stream) != CUDA_SUCCESS)
    return std::nullopt;
  return *scratch;
}

static bool isSatisfied(const Wait &wait, std::optional<uint64_t> counter) {
  if (!counter)
    return false;
  return wait.isEqual ? *counter == wait.value
                      : static_cast<int64_t>(*counter - wait.value) >= 0;
}

Error Waits::describe(const Pending &pending, std::optional<uint64_t> counter,
                      const Released *other) {
  const Wait &wait = pending.wait;
  const char *call = wait.kind == Wait::Kind::Signal ? "wait"
                     : wait.kind == Wait::Kind::Send ? "send"
                     : wait.kind == Wait::Kind::Recv ? "recv"
                                                     : "nccl";
  Peer peer = peers.get(wait.from);
  std::string name =
      fmt::format("rank {} (process {})", wait.from, peer.process);
  std::string text =
      fmt::format("{}: rank {} waited for {} since {}", call, peers.rank,
                  describeGoal(wait, name), formatTime(pending.since));
  if (peer.state != PeerState::Alive)
    return {ErrorCode::PeerLost,
            fmt::format("{}, but {}", text, peers.describe(wait.from))};
  if (wait.kind == Wait::Kind::Recv && counter.value_or(0) != 0)
    return {ErrorCode::InvalidArgument,
            fmt::format("recv: bytes: expected the {} bytes of the recv on "
                        "rank {}, got a send of {} bytes on {}",
                        wait.value - 1, peers.rank, *counter - 1, name)};
  if (wait.getFault)
    if (std::string fault = wait.getFault(); !fault.empty())
      return {ErrorCode::PeerLost, fmt::format("{}: {}", text, fault)};
  text += other ? fmt::format(", and was ended with another wait for it, "
                              "which took longer than {} ms",
                              other->timeout.count())
                : fmt::format(", longer than {} ms", wait.timeout.count());
  if (wait.kind == Wait::Kind::Signal && counter)
    text += fmt::format("; it is {}", *counter);
  return {ErrorCode::Timeout, text};
}

/// Whether a wait passes only because a counter was released.
bool Waits::isEndedBy(const Released &counter, const Pending &pending) {
  return pending.wait.kind != Wait::Kind::NCCL && !pending.isFaulted &&
         !pending.isPassed && pending.wait.address == counter.address &&
         isSatisfied(pending.wait, counter.value) &&
         !isSatisfied(pending.wait, counter.before);
}

void Waits::fault(Pending &pending, std::optional<uint64_t> counter,
                  const Released *other) {
  bool isMessage = pending.wait.kind == Wait::Kind::Send ||
                   pending.wait.kind == Wait::Kind::Recv;
  if (isMessage)
    broken.push_back(pending.wait.from);
  if (pending.since == Clock::time_point())
    pending.since = Clock::now();
  faults.push_back(
      {pending.stream, pending.isCaptured, describe(pending, counter, other)});
  pending.isFaulted = true;
}

void Waits::faultOthers(const Released &counter) {
  for (Pending &other : list) {
    if (!isEndedBy(counter, other))
      continue;
    uint64_t state = Waiting;
    other.slot.word->compare_exchange_strong(state, Seen);
    if (state != Queued)
      fault(other, counter.before, &counter);
  }
}

/// Ends a wait by the value that it waits for. The other waits for the counter
/// pass, too, and get faults of their own.
void Waits::release(const Pending &pending, std::optional<uint64_t> before) {
  const Wait &wait = pending.wait;
  if (wait.abort)
    return wait.abort();
  uint64_t value = wait.isEqual ? wait.value : SymmetricBuffer::kMaxSignal + 1;
  Released counter = {wait.address, value, before, wait.timeout};
  auto known =
      std::find_if(released.begin(), released.end(), [&](const Released &one) {
        return one.address == wait.address;
      });
  if (known != released.end()) {
    counter.before = known->before;
    *known = counter;
  } else {
    for (Pending &other : list) {
      if (other.wait.address != wait.address || &other == &pending)
        continue;
      // What ended before isn't meant. A graph may wait again meanwhile.
      uint64_t state = Done;
      if (other.isCaptured)
        other.slot.word->compare_exchange_strong(state, Queued);
      else
        other.isPassed = other.slot.word->load() == Done;
    }
    if (!wait.after) // otherwise its stream sets the counter
      released.push_back(counter);
  }
  faultOthers(counter);
  write(wait.address, value);
}

void Waits::write(uint64_t address, uint64_t value) {
  const DriverTable &driver = *context->driver;
  CUstreamBatchMemOpParams operation = makeWrite(address, value);
  if (driver.cuStreamBatchMemOp(stream, 1, &operation, 0) == CUDA_SUCCESS)
    (void)driver.cuStreamSynchronize(stream);
}

/// Sets released counters back when their waits have ended, so that later waits
/// don't pass. A signal that arrives between the read and the write is lost:
/// the next wait for it ends by its timeout.
void Waits::restore() {
  for (auto it = released.begin(); it != released.end();) {
    bool isNeeded =
        std::any_of(list.begin(), list.end(), [&](const Pending &pending) {
          return pending.isFaulted && pending.wait.address == it->address;
        });
    if (isNeeded) {
      ++it;
      continue;
    }
    faultOthers(*it); // those that began since
    if (it->before && readCounter(it->address) == it->value)
      write(it->address, *it->before);
    for (Pending &other : list)
      if (isEndedBy(*it, other) && other.slot.word->load() == Done)
        fault(other, it->before, &*it);
    it = released.erase(it);
  }
}

/// False where the entry isn't needed any more.
bool Waits::look(Pending &pending) {
  uint64_t state = pending.slot.word->load(std::memory_order_acquire);
  if (state == Done) {
    for (const Released &counter : released)
      if (isEndedBy(counter, pending))
        fault(pending, counter.before, &counter);
    pending.isFaulted = false;
    return pending.isCaptured;
  }
  if (state == Queued)
    return true;
  auto now = std::chrono::steady_clock::now();
  // A graph may wait again at the same slot: the stream's note is answered, so
  // that the next wait's note is told from this one's.
  if (state == Waiting) {
    if (!pending.slot.word->compare_exchange_strong(state, Seen))
      return true; // it has just ended
    pending.since = Clock::now();
    pending.start = now;
    pending.isFaulted = false;
  }
  bool isGone = peers.getState(pending.wait.from) != PeerState::Alive ||
                (pending.wait.getFault && !pending.wait.getFault().empty());
  if (!isGone && now - pending.start < pending.wait.timeout)
    return true;
  std::optional<uint64_t> counter;
  if (pending.wait.kind != Wait::Kind::NCCL)
    counter = readCounter(pending.wait.address);
  if (isSatisfied(pending.wait, counter))
    return true; // it ends by itself
  // It may have ended, and reset the counter, before the read.
  if (pending.slot.word->load(std::memory_order_acquire) != Seen)
    return true;
  if (!pending.isFaulted)
    fault(pending, counter, nullptr);
  release(pending, counter);
  return true;
}

void Waits::lookAtAll() {
  for (auto it = list.begin(); it != list.end();) {
    if (look(*it)) {
      ++it;
      continue;
    }
    unused.push_back(it->slot);
    it = list.erase(it);
  }
  restore();
}

bool Waits::tick() {
  std::lock_guard<std::mutex> lock(mutex);
  if (list.empty() && released.empty())
    return false;
  CurrentContext current(*context);
  if (!current.getStatus())
    return false;
  lookAtAll();
  return !list.empty();
}

Status Waits::clear(uint64_t address, uint64_t bytes) {
  const DriverTable &driver = *context->driver;
  std::lock_guard<std::mutex> lock(mutex);
  if (Status status = context->check(
          driver.cuMemsetD8Async(address, 0, bytes, stream), "cuMemsetD8Async");
      !status)
    return status;
  return context->check(driver.cuStreamSynchronize(stream),
                        "cuStreamSynchronize");
}

bool Waits::isBroken(int peer) const {
  std::lock_guard<std::mutex> lock(mutex);
  return std::find(broken.begin(), broken.end(), peer) != broken.end();
}

void Waits::setBroken(int peer) {
  std::lock_guard<std::mutex> lock(mutex);
  broken.push_back(peer);
}

void Waits::forget(uint64_t address, uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto it = list.begin(); it != list.end();) {
    bool isInside = it->wait.address - address < bytes;
    it = isInside ? list.erase(it) : std::next(it);
  }
  auto isInside = [&](const Released &counter) {
    return counter.address - address < bytes;
  };
  released.erase(std::remove_if(released.begin(), released.end(), isInside),
                 released.end());
}

Status Waits::takeFault(const CUstream *stream) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!released.empty()) { // a wait may have passed by it just now
    CurrentContext current(*context);
    if (current.getStatus())
      lookAtAll();
  }
  for (auto it = faults.begin(); it != faults.end(); ++it) {
    if (stream && it->stream != *stream && !it->isCaptured)
      continue;
    Error error = std::move(it->error);
    faults.erase(it);
    return tl::make_unexpected(std::move(error));
  }
  return {};
}

} // namespace carousel::runtime
