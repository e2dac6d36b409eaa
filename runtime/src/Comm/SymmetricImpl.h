//===- SymmetricImpl.h - memory that ranks share ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where each rank's memory and counters are mapped. A part is the memory, then
// at a multiple of 128 bytes the counters: of each rank in turn, all that this
// rank writes. Words of 64 bits that the host reads and writes without the
// driver let it end a wait for one whatever the driver does; a GPU reaches them
// over PCIe.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMM_SYMMETRICIMPL_H
#define CAROUSEL_RUNTIME_SRC_COMM_SYMMETRICIMPL_H

#include "CommImpl.h"
#include "Context/ContextImpl.h"
#include "Context/SymmetricRanges.h"
#include "Support/FileDescriptor.h"

#include <atomic>

namespace carousel::runtime {

class HostWords {
public:
  using Word = std::atomic<uint64_t>;
  static_assert(sizeof(Word) == sizeof(uint64_t));

  /// New words of 0 that all contexts of the process reach, and a descriptor
  /// for other processes. The context must be current, here and below.
  static Result<std::shared_ptr<HostWords>>
  create(const std::shared_ptr<Context::Impl> &context, uint64_t count,
         std::shared_ptr<FileDescriptor> &file);
  /// Imports at least `count` words that another process created.
  static Result<std::shared_ptr<HostWords>>
  import(const std::shared_ptr<Context::Impl> &context, int file,
         uint64_t count);
  ~HostWords();
  HostWords(const HostWords &) = delete;
  HostWords &operator=(const HostWords &) = delete;

  Word *get(uint64_t index) const { return words + index; }
  /// Where the device of a context finds the first word.
  Result<uint64_t> getAddress(const Context::Impl &device) const;

private:
  explicit HostWords(std::shared_ptr<Context::Impl> context)
      : context(std::move(context)) {}
  Status map(int file, uint64_t count);

  std::shared_ptr<Context::Impl> context;
  Word *words = nullptr;
  size_t bytes = 0;
  bool isRegistered = false;
};

struct MulticastPart;

/// The names of arguments in the two directions of a copy.
struct Side {
  bool isOut; ///< from this rank to another one
  const char *rank, *memory;
};
inline constexpr Side kOut = {true, "to", "source"};
inline constexpr Side kIn = {false, "from", "target"};

struct SymmetricBuffer::Impl {
  Impl(Comm::Impl &group, std::shared_ptr<Comm::Impl> owner)
      : owner(std::move(owner)), group(group) {}
  ~Impl();
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  /// Null for the buffer that the group itself owns.
  std::shared_ptr<Comm::Impl> owner;
  Comm::Impl &group;
  uint64_t bytes = 0;
  uint32_t signals = 0;                      ///< of each pair of ranks
  std::vector<uint64_t> addresses, counters; ///< by rank
  /// The mappings of all ranks; those of a process are shared by its ranks.
  std::vector<std::shared_ptr<Mapping>> mappings;
  /// The counters, where they are words of the host.
  std::vector<std::shared_ptr<HostWords>> words;

  std::shared_ptr<MulticastPart> multicast;
  /// Tells launches where the parts are, as long as the buffer lives.
  RegisteredRanges ranges;

  uint64_t getCounter(int at, int from, uint32_t signal) const {
    return counters[at] +
           (static_cast<uint64_t>(from) * signals + signal) * sizeof(uint64_t);
  }
  /// This rank's counter, where the host reaches it; else null.
  HostWords::Word *getWord(int from, uint32_t signal) const;
  Status checkRange(uint64_t offset, uint64_t count) const;
  Status checkSignal(uint32_t signal, uint64_t value) const;
  /// All checks of arguments that a transfer with a rank needs.
  Status checkTransfer(int rank, const char *argument, uint64_t offset,
                       uint64_t local, const char *localName,
                       uint64_t count) const;
  /// The copy of a put or a get, once its arguments are checked.
  Result<Copy> makeCopy(const Side &side, int rank, uint64_t offset,
                        uint64_t local, uint64_t bytes) const;
  Result<std::string> explain(const Side &side, int rank, uint64_t offset,
                              uint64_t local, uint64_t bytes, Stream stream,
                              const TransferOptions &options) const;
  /// A put or a get; `isSignalled`: a signal follows.
  Status copy(const Side &side, int rank, uint64_t offset, uint64_t local,
              uint64_t bytes, Stream stream, const TransferOptions &options,
              bool isSignalled = false) const;
  Status setSignal(int to, uint32_t signal, uint64_t value,
                   Stream stream) const;
  /// Once all addresses are known. A multicast address is no part.
  void registerRanges();
};

/// One rank's side of a collective allocation. All ranks make each step before
/// any makes the next; ranks of one thread take turns.
class Allocation {
public:
  Allocation(Comm::Impl &group, std::shared_ptr<Comm::Impl> owner,
             uint64_t bytes, const SymmetricOptions &options);
  /// Allocates, and offers the memory to the others.
  void offer();
  /// Maps what the others offer, and tells them whether it worked.
  void map();
  /// Whether this rank itself failed so far, before finish().
  bool hasFailed() const { return isOrigin; }
  /// Learns whether it worked everywhere.
  Result<std::shared_ptr<SymmetricBuffer::Impl>> finish();

private:
  Status allocateOwn(Message &message);
  /// The counters as words of the host.
  Status allocateWords();
  Status mapOther(int peer);
  /// Takes the message of the other's words, which comes in any case.
  Status mapWords(int peer);
  /// The words of all counters that a rank has.
  uint64_t countWords() const;
  bool hasHostSignals() const;
  void note(Status other);

  Comm::Impl &group;
  std::shared_ptr<SymmetricBuffer::Impl> buffer;
  Status status;
  bool isOrigin = false; ///< this rank failed by itself
  bool isLost = false;   ///< another rank doesn't take part
  uint64_t sequence;
  uint64_t mappedBytes = 0;
  std::shared_ptr<FileDescriptor> wordsFile; ///< until it is sent
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMM_SYMMETRICIMPL_H
