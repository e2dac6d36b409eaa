//===- EventOrder.h - what happens before what ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks of classes of threads and asynchronous operations, and the
// accesses to each word of shared memory. docs/Proof.md, Order.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_PROOF_EVENTORDER_H
#define CAROUSEL_ANALYSIS_PROOF_EVENTORDER_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace carousel::proof {

inline constexpr int32_t kWarpSize = 32;

/// Events before a point: epochs of classes, and operations that have completed
/// on a barrier.
struct Clock {
  llvm::SmallVector<uint32_t, 8> epochs; ///< by class: none: 0
  llvm::BitVector done;                  ///< by operation

  uint32_t getEpoch(unsigned owner) const {
    return owner < epochs.size() ? epochs[owner] : 0;
  }
  void setEpoch(unsigned owner, uint32_t epoch) {
    if (owner >= epochs.size())
      epochs.resize(owner + 1, 0);
    epochs[owner] = std::max(epochs[owner], epoch);
  }
  static bool test(const llvm::BitVector &bits, unsigned number) {
    return number < bits.size() && bits.test(number);
  }
  static void set(llvm::BitVector &bits, unsigned number) {
    if (number >= bits.size())
      bits.resize(number + 1);
    bits.set(number);
  }
  void join(const Clock &other);
};

/// Events that a thread knows of, and those that the asynchronous proxy sees.
struct Knowledge {
  Clock known, proxied;

  void join(const Knowledge &other) {
    known.join(other.known);
    proxied.join(other.proxied);
  }
};

/// An access to a word, by threads of a class or by an operation.
struct Access {
  /// A thread, or kWarp less the warp's number for several of a warp, or
  /// kSeveral.
  int32_t thread = 0;
  uint32_t owner = 0; ///< the class, or the operation
  uint32_t epoch = 0;
  unsigned line = 0;
  uint64_t instance = 0; ///< another one each time that the line is executed
  uint8_t mask = 0xf;    ///< bytes
  bool isAsync = false, isAtomic = false, isWrite = false;
  bool isMaybe = false; ///< it may not be executed
  bool isSame = false;  ///< all threads write one number

  static constexpr int32_t kSeveral = -1, kWarp = -2;

  bool isOfOneInstruction(const Access &other) const {
    return owner == other.owner && isAsync == other.isAsync &&
           line == other.line && instance == other.instance;
  }
};

/// An asynchronous operation of some threads, each of which has a part of it.
struct Operation {
  unsigned line = 0;
  /// Waits of threads for their own parts: completely, or for what these read.
  struct End {
    unsigned owner = 0; ///< the class
    uint32_t epoch = 0;
    llvm::BitVector members;
    bool isOfRead = false;
  };
  llvm::SmallVector<End, 1> ends;
};

/// By class: the epoch up to which lanes of a warp know one another.
using WarpEpochs = llvm::SmallVector<std::pair<unsigned, uint32_t>, 2>;

/// Who asks whether an access happened before.
struct Observer {
  const Knowledge &knowledge;
  const WarpEpochs &warpEpochs;
  const std::vector<Operation> &operations;
  int32_t thread = 0;
  bool isAsync = false; ///< of the asynchronous proxy
};

/// Whether an earlier access is ordered before the observer's next one.
bool isOrdered(const Access &earlier, const Observer &observer);

/// Returns the earlier access that isn't ordered, or null. Notes the new one.
class SharedWords {
public:
  explicit SharedWords(uint64_t bytes) : words((bytes + 3) / 4) {}

  uint64_t getBytes() const { return words.size() * 4; }
  /// A conflicting access to `[begin, end)` that isn't ordered before; nullptr
  /// if there is none.
  const Access *access(uint64_t begin, uint64_t end, Access access,
                       const Observer &observer);
  /// The one write that has the bytes of a word, by a thread; null for others.
  const Access *findWriter(uint64_t begin) const;
  template <typename Function> void forEachAccess(Function call) const {
    for (size_t word = 0; word < words.size(); ++word)
      for (const auto *list : {&words[word].writes, &words[word].reads})
        for (const Access &own : *list)
          call(word, own);
  }
  /// The byte of that conflict.
  uint64_t getFaultAt() const { return faultAt; }

private:
  struct Word {
    llvm::SmallVector<Access, 1> writes, reads;
  };
  std::vector<Word> words;
  Access fault;
  uint64_t faultAt = 0;
};

} // namespace carousel::proof

#endif // CAROUSEL_ANALYSIS_PROOF_EVENTORDER_H
