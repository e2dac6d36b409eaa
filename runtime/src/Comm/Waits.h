//===- Waits.h - bounded waits of streams -----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream waits by the driver's memory operations, which have no bound. So
// each wait has a slot in host memory, where the stream notes when the wait
// begins and ends. A thread looks at the slots, and ends a wait that takes too
// long, or whose peer is gone, by writing the value that it waits for. First it
// keeps the error, so that who waits for the stream finds it. A wait that a
// graph repeats is looked at until the graph is gone. Nobody may ever ask for a
// stream's errors, so only its first are kept; the last of these counts what
// came after it. Captured waits are like those of one stream, as any stream may
// run their graphs.
//
// The thread that looks must not wait for a driver that itself waits for the
// streams whose waits it is to end. While a thread frees memory or loads a
// module, copies and cuStreamSynchronize block, but memory operations of
// streams don't. So a write of device memory is such an operation, answered by
// a word in host memory; a read is a copy by a thread of its own, and may come
// to nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMM_WAITS_H
#define CAROUSEL_RUNTIME_SRC_COMM_WAITS_H

#include "Context/ContextImpl.h"
#include "Peers.h"

#include "carousel/Runtime/Fail.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cuda.h>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace carousel::runtime {

class Faults {
public:
  void keep(CUstream stream, bool isCaptured, Error error) {
    size_t kept = 0;
    Fault *last = nullptr;
    for (Fault &one : faults) {
      if (one.isCaptured != isCaptured || (!isCaptured && one.stream != stream))
        continue;
      ++kept;
      last = &one;
    }
    if (kept < kKeptOfStream)
      faults.push_back({stream, isCaptured, std::move(error)});
    else
      ++last->later;
  }

  /// The earliest error of a stream, or of any, and forgets it.
  Status take(const CUstream *stream) {
    for (auto it = faults.begin(); it != faults.end(); ++it) {
      if (stream && it->stream != *stream && !it->isCaptured)
        continue;
      Error error = std::move(it->error);
      if (it->later != 0)
        error.message += fmt::format("; {} later wait{} failed, too", it->later,
                                     it->later == 1 ? "" : "s");
      faults.erase(it);
      return tl::make_unexpected(std::move(error));
    }
    return {};
  }

private:
  static constexpr size_t kKeptOfStream = 16;

  struct Fault {
    CUstream stream;
    bool isCaptured;
    Error error;
    uint64_t later = 0; ///< how many came next that aren't kept
  };
  std::vector<Fault> faults;
};

CUstreamBatchMemOpParams makeWrite(CUdeviceptr address, uint64_t value);

/// One thread calls read() and write() at a time.
class CounterAccess {
public:
  explicit CounterAccess(std::shared_ptr<Context::Impl> context)
      : context(std::move(context)) {}
  ~CounterAccess();
  CounterAccess(const CounterAccess &) = delete;
  CounterAccess &operator=(const CounterAccess &) = delete;

  /// Makes the streams. The context must be current, here and below.
  Status open();
  /// The counter now; nothing where the driver doesn't say so within kPatience.
  std::optional<uint64_t> read(uint64_t address);
  /// Returns when the counter has the value, or after kPatience. False where
  /// the driver didn't take it.
  bool write(uint64_t address, uint64_t value);
  /// Whether all writes are done.
  bool isWritten() const;
  /// Zeroes memory, without other streams. Any thread may call it.
  Status clear(uint64_t address, uint64_t bytes);
  /// Waits until no access is under way.
  void drain();

  /// Copies of other streams may hold up a read for as long; a host under load
  /// may hold up the thread that reads.
  static constexpr std::chrono::milliseconds kPatience{1000};

private:
  using Word = std::atomic<uint64_t>;
  /// Shared with the thread that reads. A forked child leaks it: destroying a
  /// condition variable waits for those who wait for it.
  struct Reader {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<uint64_t> address; ///< asked for
    std::optional<uint64_t> value;
    bool isBusy = false, isEnding = false;
    std::thread thread;
  };
  void runReader();
  std::optional<uint64_t> copy(uint64_t address);

  std::shared_ptr<Context::Impl> context;
  /// They have the greatest priority: a stream that waits doesn't hold these up
  /// then, because streams share the GPU's queues with those of the same
  /// priority.
  CUstream writing = nullptr, reading = nullptr;
  std::unique_ptr<Reader> reader;
  /// Pinned: how many writes are done, and where a read goes.
  Word *done = nullptr, *target = nullptr;
  CUdeviceptr doneAddress = 0;
  uint64_t writes = 0;
};

/// A wait of a stream.
struct Wait {
  enum class Kind { Signal, Send, Recv, NCCL };
  Kind kind = Kind::Signal;
  int from = 0;
  uint32_t signal = 0;
  uint64_t address = 0; ///< of the counter, in this rank's memory
  std::atomic<uint64_t> *word = nullptr; ///< it, where the host reaches it
  uint64_t value = 0;
  bool isEqual = false;
  /// The value that the stream sets the counter to after the wait.
  std::optional<uint64_t> after;
  std::chrono::milliseconds timeout{0};
  /// NCCL: what is put into the stream, what went wrong (empty: nothing), and
  /// how to end it.
  std::string what;
  std::function<Status()> work;
  std::function<std::string()> getFault;
  std::function<void()> abort;
};

class Waits {
public:
  Waits(const std::shared_ptr<Context::Impl> &context, Peers &peers)
      : context(context), peers(peers), counters(context) {}
  ~Waits();
  Waits(const Waits &) = delete;
  Waits &operator=(const Waits &) = delete;

  /// Makes the streams that end waits. The context must be current.
  Status open() { return counters.open(); }
  /// Puts a wait into a stream. Calls `wake` before the driver takes it. The
  /// context must be current.
  Status enqueue(const Wait &wait, CUstream stream,
                 const std::function<void()> &wake);
  /// Ends waits whose time is over, or whose peer is gone. True while waits
  /// are pending, or counters are to be set back.
  bool tick();
  /// Zeroes memory, without other streams.
  Status clear(uint64_t address, uint64_t bytes) {
    return counters.clear(address, bytes);
  }
  /// Whether a send or recv with the peer ended by a fault.
  bool isBroken(int peer) const;
  void setBroken(int peer);
  /// Forgets the waits for counters in a range that is about to be unmapped,
  /// and waits until nothing accesses it. The context must be current.
  void forget(uint64_t address, uint64_t bytes);

  /// The earliest fault of a stream, or of any, and forgets it.
  Status takeFault(const CUstream *stream);

private:
  /// States of a slot.
  enum : uint64_t { Queued = 0, Waiting = 1, Seen = 2, Done = 3 };
  using Word = std::atomic<uint64_t>;
  static_assert(sizeof(Word) == 8);

  struct Slot {
    Word *word = nullptr;
    CUdeviceptr device = 0;
  };
  /// Whether the graphs that repeat a wait are gone.
  using GoneFlag = std::shared_ptr<std::atomic<bool>>;
  struct Pending {
    Wait wait;
    Slot slot;
    CUstream stream = nullptr;
    bool isCaptured = false, isFaulted = false;
    bool isPassed = false; ///< before its counter was released
    GoneFlag isGone;       ///< captured: null where the driver doesn't tell
    Clock::time_point since;
    std::chrono::steady_clock::time_point start;
  };

  /// A counter that has the value by which a wait was ended. Its value before
  /// is unknown where the driver didn't let it be read.
  struct Released {
    uint64_t address = 0, value = 0;
    std::atomic<uint64_t> *word = nullptr;
    std::optional<uint64_t> before;
    std::chrono::milliseconds timeout{0}; ///< of that wait
    bool isExact = false;                 ///< that wait
    bool isGivenBack = false;             ///< when the last write is done
  };

  Result<Slot> takeSlot();
  Status allocateSlots();
  /// Has the graph that a stream records tell when it is gone.
  Result<GoneFlag> watchGraph(CUstream stream);
  bool look(Pending &pending);
  /// The lock must be held, and the context current.
  void lookAtAll();
  /// `other`: the counter that another wait's end released, or null.
  Error describe(const Pending &pending, std::optional<uint64_t> counter,
                 const Released *other);
  /// Keeps the error of a wait.
  void fault(Pending &pending, std::optional<uint64_t> counter,
             const Released *other);
  static bool isEndedBy(const Released &counter, const Pending &pending);
  /// Faults of waits that have begun and pass only by a released counter.
  void faultOthers(const Released &counter);
  void notePassed(const Pending &pending);
  void release(Pending &pending, std::optional<uint64_t> before);
  static std::optional<uint64_t> getOwn(const Released &counter, uint64_t now);
  /// Reads a counter; nothing where the driver doesn't say so in time.
  std::optional<uint64_t> read(uint64_t address,
                               const std::atomic<uint64_t> *word);
  /// Gives a released counter its former value, unless it was signalled.
  /// False where that isn't done yet.
  bool giveBack(Released &counter, uint64_t now);
  void restore();

  static constexpr size_t kSlotsOfBlock = 512;

  std::shared_ptr<Context::Impl> context;
  Peers &peers;
  CounterAccess counters;
  mutable std::mutex mutex;
  std::vector<void *> blocks;
  std::vector<Slot> unused;
  std::list<Pending> list;
  Faults faults;
  std::vector<Released> released;
  std::vector<int> broken; ///< peers
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMM_WAITS_H
