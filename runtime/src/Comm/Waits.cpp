//===- Waits.cpp - bounded waits of streams -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mutex is held while a wait is ended. It isn't held during a call of the
// driver that may last until a wait ends. The thread that reads device memory
// is made by the first read, which comes after a fault only.
//
//===----------------------------------------------------------------------===//

#include "Waits.h"

#include "Support/Process.h"

#include <algorithm>
#include <csignal>
#include <cstring>

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
}

/// The context must be current.
Status Waits::allocateSlots() {
  const DriverTable &driver = *context->driver;
  RelaxedCapture relaxed(driver);
  void *memory = nullptr;
  size_t bytes = kSlotsOfBlock * sizeof(Word);
  CAROUSEL_TRY(context->check(
      driver.cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_DEVICEMAP),
      "cuMemHostAlloc"));
  CUdeviceptr device = 0;
  Status status =
      context->check(driver.cuMemHostGetDevicePointer(&device, memory, 0),
                     "cuMemHostGetDevicePointer");
  std::memset(memory, 0, bytes);
  auto *words = static_cast<Word *>(memory);
  std::lock_guard<std::mutex> lock(mutex);
  blocks.push_back(memory);
  for (size_t i = 0; status && i < kSlotsOfBlock; ++i)
    unused.push_back({words + i, device + i * sizeof(Word)});
  return status;
}

/// The context must be current.
Result<Waits::Slot> Waits::takeSlot() {
  while (true) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (unused.empty())
        lookAtAll();
      if (!unused.empty()) {
        Slot slot = unused.back();
        unused.pop_back();
        slot.word->store(Queued);
        return slot;
      }
    }
    CAROUSEL_TRY(allocateSlots());
  }
}

Result<Waits::GoneFlag> Waits::watchGraph(CUstream stream) {
  const DriverTable &driver = *context->driver;
  if (!driver.cuStreamGetCaptureInfo || !driver.cuUserObjectCreate ||
      !driver.cuUserObjectRelease || !driver.cuGraphRetainUserObject)
    return GoneFlag();
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  CUgraph graph = nullptr;
  CAROUSEL_TRY(context->check(
      driver.cuStreamGetCaptureInfo(stream, &capture, nullptr, &graph, nullptr,
                                    nullptr, nullptr),
      "cuStreamGetCaptureInfo"));
  if (capture != CU_STREAM_CAPTURE_STATUS_ACTIVE) // its wait fails
    return GoneFlag();
  auto flag = std::make_shared<std::atomic<bool>>(false);
  auto *owned = new GoneFlag(flag);
  // The driver calls it from a thread of its own, after the last run.
  CUhostFn note = [](void *data) {
    std::unique_ptr<GoneFlag> gone(static_cast<GoneFlag *>(data));
    (*gone)->store(true);
  };
  CUuserObject object = nullptr;
  if (Status status = context->check(
          driver.cuUserObjectCreate(&object, owned, note, 1,
                                    CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
          "cuUserObjectCreate");
      !status) {
    delete owned;
    return tl::make_unexpected(std::move(status.error()));
  }
  Status status =
      context->check(driver.cuGraphRetainUserObject(graph, object, 1,
                                                    CU_GRAPH_USER_OBJECT_MOVE),
                     "cuGraphRetainUserObject");
  if (status)
    return flag;
  driver.cuUserObjectRelease(object, 1);
  return tl::make_unexpected(std::move(status.error()));
}

Status Waits::enqueue(const Wait &wait, CUstream stream,
                      const std::function<void()> &wake) {
  CAROUSEL_TRY_ASSIGN(bool isCaptured, context->isCapturing(stream));
  Pending pending;
  pending.wait = wait;
  pending.stream = stream;
  pending.isCaptured = isCaptured;
  if (isCaptured) {
    CAROUSEL_TRY_ASSIGN(pending.isGone, watchGraph(stream));
  }
  CAROUSEL_TRY_ASSIGN(Slot slot, takeSlot());
  pending.slot = slot;
  std::list<Pending>::iterator entry;
  {
    std::lock_guard<std::mutex> lock(mutex);
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

/// A counter that satisfies no wait, whose difference to any value is negative:
/// one that couldn't be read before a wait was ended, until the next signal.
static constexpr uint64_t kUnknown = uint64_t(3) << 62;

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
  if (wait.kind == Wait::Kind::Signal && counter && *counter != kUnknown)
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
  faults.keep(pending.stream, pending.isCaptured,
              describe(pending, counter, other));
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

/// Notes which other waits for a counter ended before its release.
void Waits::notePassed(const Pending &pending) {
  for (Pending &other : list) {
    if (other.wait.address != pending.wait.address || &other == &pending)
      continue;
    // A graph may wait again meanwhile.
    uint64_t state = Done;
    if (other.isCaptured)
      other.slot.word->compare_exchange_strong(state, Queued);
    else
      other.isPassed = other.slot.word->load() == Done;
  }
}

/// Returns what a counter that is `now` would be if it hadn't been released: a
/// wait that isn't exact leaves room for what is added to it meanwhile.
std::optional<uint64_t> Waits::getOwn(const Released &counter, uint64_t now) {
  uint64_t added = now - counter.value;
  if (counter.isExact ? added != 0 : added >= uint64_t(1) << 61)
    return now;
  return counter.before ? std::optional(*counter.before + added) : std::nullopt;
}

/// Ends a wait by the value that it waits for, and keeps its error. The other
/// waits for the counter pass, too, and get faults of their own.
void Waits::release(Pending &pending, std::optional<uint64_t> before) {
  const Wait &wait = pending.wait;
  auto known =
      std::find_if(released.begin(), released.end(), [&](const Released &one) {
        return one.address == wait.address;
      });
  if (known == released.end() && !wait.abort)
    notePassed(pending);
  uint64_t value = wait.isEqual ? wait.value : SymmetricBuffer::kMaxSignal + 1;
  // A signal that came since the read is kept, and looked at again.
  if (wait.word && !wait.word->compare_exchange_strong(*before, value))
    return;
  if (!pending.isFaulted)
    fault(pending, before, nullptr);
  if (wait.abort)
    return wait.abort();
  Released counter = {wait.address, value, wait.word, before, wait.timeout};
  counter.isExact = wait.isEqual;
  if (known != released.end()) {
    counter.before = before ? getOwn(*known, *before) : known->before;
    *known = counter;
  } else if (!wait.after) { // otherwise its stream sets the counter
    released.push_back(counter);
  }
  faultOthers(counter);
  if (!wait.word)
    counters.write(wait.address, value);
}

std::optional<uint64_t> Waits::read(uint64_t address,
                                    const std::atomic<uint64_t> *word) {
  return word ? word->load() : counters.read(address);
}

bool Waits::giveBack(Released &counter, uint64_t now) {
  uint64_t own = getOwn(counter, now).value_or(kUnknown);
  if (counter.word) {
    while (own != now && !counter.word->compare_exchange_weak(now, own))
      own = getOwn(counter, now).value_or(kUnknown);
    return true;
  }
  if (own == now)
    return true;
  counter.isGivenBack = counters.write(counter.address, own);
  return counter.isGivenBack && counters.isWritten();
}

/// Sets released counters back when their waits have ended, so that later waits
/// don't pass. A signal that arrives between the read and the write is lost,
/// unless the host reaches the counter: the next wait for it ends by its
/// timeout. Until the write is done, waits that pass get faults.
void Waits::restore() {
  for (auto it = released.begin(); it != released.end();) {
    bool isNeeded =
        std::any_of(list.begin(), list.end(), [&](const Pending &pending) {
          return pending.isFaulted && pending.wait.address == it->address;
        });
    if (isNeeded || !counters.isWritten()) {
      ++it;
      continue;
    }
    if (!it->isGivenBack) {
      faultOthers(*it); // those that began since
      std::optional<uint64_t> now = read(it->address, it->word);
      if (!now || !giveBack(*it, *now)) {
        ++it;
        continue;
      }
    }
    for (Pending &other : list)
      if (isEndedBy(*it, other) && other.slot.word->load() == Done)
        fault(other, it->before, &*it);
    it = released.erase(it);
  }
}

/// False where the entry isn't needed any more.
bool Waits::look(Pending &pending) {
  // Read before the state: what the graph did comes before its end.
  bool isGone = pending.isGone && pending.isGone->load();
  uint64_t state = pending.slot.word->load(std::memory_order_acquire);
  if (state == Done) {
    for (const Released &counter : released)
      if (isEndedBy(counter, pending))
        fault(pending, counter.before, &counter);
    pending.isFaulted = false;
    return pending.isCaptured && !isGone;
  }
  if (state == Queued)
    return !isGone;
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
  bool isLost = peers.getState(pending.wait.from) != PeerState::Alive ||
                (pending.wait.getFault && !pending.wait.getFault().empty());
  if (!isLost && now - pending.start < pending.wait.timeout)
    return true;
  std::optional<uint64_t> counter;
  if (pending.wait.kind != Wait::Kind::NCCL) {
    counter = read(pending.wait.address, pending.wait.word);
    // A second write may come after the stream has gone on.
    if (!counter && pending.isFaulted)
      return true;
  }
  if (isSatisfied(pending.wait, counter))
    return true; // it ends by itself
  // It may have ended, and reset the counter, before the read.
  if (pending.slot.word->load(std::memory_order_acquire) != Seen)
    return true;
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
  return !list.empty() || !released.empty();
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
  std::unique_lock<std::mutex> lock(mutex);
  for (auto it = list.begin(); it != list.end();) {
    bool isInside = it->wait.address - address < bytes;
    it = isInside ? list.erase(it) : std::next(it);
  }
  auto isInside = [&](const Released &counter) {
    return counter.address - address < bytes;
  };
  released.erase(std::remove_if(released.begin(), released.end(), isInside),
                 released.end());
  lock.unlock();
  counters.drain();
}

Status Waits::takeFault(const CUstream *stream) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!released.empty()) { // a wait may have passed by it just now
    CurrentContext current(*context);
    if (current.getStatus())
      lookAtAll();
  }
  return faults.take(stream);
}

} // namespace carousel::runtime
