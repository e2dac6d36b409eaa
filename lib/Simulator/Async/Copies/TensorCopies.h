//===- TensorCopies.h - issue of tensor copies ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Issues tensor copies. The issue fetches the descriptor and computes the box;
// the bytes follow later. Coordinates and offsets are in the order of the op,
// outermost first.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_TENSORCOPIES_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_TENSORCOPIES_H

#include "../Tensors/TensorMaps.h"
#include "CopyIssue.h"

namespace carousel::sim {

class TensorCopies {
public:
  TensorCopies(const CopyIssue &issue, TensorMaps &maps)
      : issue(issue), maps(maps) {}

  void load(const TensorMap *map, llvm::ArrayRef<int32_t> coordinates,
            TensorLoadMode mode, llvm::ArrayRef<int16_t> offsets, void *shared,
            void *barrier, std::optional<uint16_t> multicast = {});
  void store(const TensorMap *map, llvm::ArrayRef<int32_t> coordinates,
             TensorStoreMode mode, const void *shared);
  void reduce(ReduceKind kind, const TensorMap *map,
              llvm::ArrayRef<int32_t> coordinates, TensorStoreMode mode,
              const void *shared);
  void prefetch(const TensorMap *map, llvm::ArrayRef<int32_t> coordinates,
                TensorLoadMode mode, llvm::ArrayRef<int16_t> offsets);

private:
  /// Sets the map and the box.
  void setBox(AsyncOperation &operation, const TensorMap *map,
              llvm::ArrayRef<int32_t> coordinates, BoxMode mode,
              llvm::ArrayRef<int16_t> offsets, bool isWrite);
  BoxMode getLoadMode(llvm::StringRef name, TensorLoadMode mode);
  AsyncOperation &createStore(llvm::StringLiteral name, const TensorMap *map,
                              llvm::ArrayRef<int32_t> coordinates,
                              TensorStoreMode mode, const void *shared);

  CopyIssue issue;
  TensorMaps &maps;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_TENSORCOPIES_H
