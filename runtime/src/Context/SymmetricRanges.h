//===- SymmetricRanges.h - where symmetric buffers are mapped ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mapped parts of all live symmetric buffers of the process. Buffers add
// theirs, and launches look them up. A thread keeps a copy of the list, and
// compares one number with the list's to see whether it is still right. So a
// lookup takes no lock unless buffers came or went since the thread's last one.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_CONTEXT_SYMMETRICRANGES_H
#define CAROUSEL_RUNTIME_SRC_CONTEXT_SYMMETRICRANGES_H

#include "carousel/Runtime/Context.h"

#include <cuda.h>

#include <vector>

namespace carousel::runtime {

/// A rank's part of a buffer, or its counters, as another rank or it itself
/// maps them.
struct SymmetricRange {
  uint64_t begin = 0, end = 0;
  CUcontext context = nullptr;          ///< of the rank that maps it
  const Context::Impl *owner = nullptr; ///< the same; never followed
  int rank = 0;                         ///< whose part it is
  bool isOwn = false;                   ///< of the rank that maps it
  bool isPeer = false;      ///< of another rank; where there is none, of itself
  bool isMulticast = false; ///< an address of all parts; neither of the above
};

/// Adds ranges, and removes them when it is destroyed. Movable.
class RegisteredRanges {
public:
  RegisteredRanges() = default;
  explicit RegisteredRanges(std::vector<SymmetricRange> ranges);
  RegisteredRanges(RegisteredRanges &&other) noexcept;
  RegisteredRanges &operator=(RegisteredRanges &&other) noexcept;
  ~RegisteredRanges() { reset(); }
  void reset();

private:
  uint64_t number = 0; ///< 0: none
};

/// The ranges that have an address and go on furthest; their end is 0 where
/// there is none.
struct FoundRanges {
  SymmetricRange own, peer, multicast;
};
/// `owner`: the object that stands for the context. If a rank was made with it,
/// ranges of ranks with other objects for the same driver context don't count.
FoundRanges findSymmetricRanges(CUcontext context, const Context::Impl *owner,
                                uint64_t address);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_CONTEXT_SYMMETRICRANGES_H
