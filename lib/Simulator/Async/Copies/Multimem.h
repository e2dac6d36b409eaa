//===- Multimem.h - writes of vectors by one thread -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A store or a reduction of the running thread to a multicast address is one
// write to each GPU's part. Other threads may run between two of them. A
// reduction of a vector to another address is one write.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_MULTIMEM_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_MULTIMEM_H

#include "../AsyncContext.h"
#include "../Tensors/SimTensorMap.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace carousel::sim {

class Multimem {
public:
  explicit Multimem(AsyncContext &context) : context(context) {}

  /// `step` counts a step of the running thread.
  void store(const void *value, uint32_t bytes, char *address,
             llvm::function_ref<void()> step);
  void reduce(ReduceKind kind, ReduceType type, const void *value,
              uint32_t bytes, char *address, llvm::function_ref<void()> step);

  /// Reduces to an address of one GPU, with gpu scope.
  void reduceOnce(ReduceKind kind, ReduceType type, const void *value,
                  uint32_t bytes, char *address);

private:
  void verifyAlignment(llvm::StringRef name, uint32_t bytes, char *address);
  /// Calls `write` for the address in each part.
  void forEachPart(llvm::StringRef name, uint32_t bytes, char *address,
                   llvm::function_ref<void()> step,
                   llvm::function_ref<void(char *)> write);

  AsyncContext &context;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_MULTIMEM_H
