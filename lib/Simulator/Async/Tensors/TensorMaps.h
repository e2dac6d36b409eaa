//===- TensorMaps.h - tensor maps in memory ---------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Holds the state of descriptors in memory. A descriptor that the host wrote,
// or that is a kernel parameter, may be used as it is. If the device changed
// it, two fences must follow. The thread that changed it releases it to the
// tensormap proxy. Another thread acquires it, and the user must know of that
// acquire.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_TENSORMAPS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_TENSORMAPS_H

#include "../Ordering/Fences.h"
#include "SimTensorMap.h"

namespace carousel::sim {

class TensorMaps {
public:
  TensorMaps(AsyncContext &context, Fences &fences)
      : context(context), fences(fences) {}

  /// `dim` counts from the innermost dimension. `value` is encoded as in PTX
  /// (the rank minus one).
  void replace(TensorMap *map, TensorMapField field, uint32_t dim,
               uint64_t value);
  /// The threads of a warp execute it together, and one of them copies.
  void copyFence(const TensorMap *source, TensorMap *destination,
                 MemScope scope);
  void fenceRelease(MemScope scope);
  void fenceAcquire(const TensorMap *map, MemScope scope);

  /// Reads a descriptor for an operation; ends the run if no copy can use it.
  void fetch(const TensorMap *map, llvm::StringRef name, TensorMap &copy);
  /// Forgets the descriptors in the CTA's shared memory.
  void ctaExit(const AsyncCTA &cta);

private:
  /// A descriptor in memory that the device wrote.
  struct State {
    Epoch written;
    Who writer;
    /// The epoch of the release fence, or of the copy with a fence, that
    /// covered it; the zero epoch before that.
    Epoch released;
    /// Threads' acquires of this version.
    llvm::SmallVector<Epoch, 2> acquired;
  };

  bool access(const TensorMap *map, AccessKind kind);

  AsyncContext &context;
  Fences &fences;
  llvm::DenseMap<const void *, State> states;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_TENSORMAPS_H
