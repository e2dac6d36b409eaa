//===- ByteMover.h - the bytes of an operation ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves pieces from the source to the operation's own copy, in the order of the
// tile, and from there to the destination. Every access goes through Memory, in
// ranges that are as long as contiguity allows.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ENGINE_BYTEMOVER_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ENGINE_BYTEMOVER_H

#include "AsyncOperation.h"

namespace carousel::sim {

class ByteMover {
public:
  explicit ByteMover(AsyncContext &context)
      : memory(context.memory), schedule(context.schedule) {}

  void read(AsyncOperation &operation, const Pieces &pieces);
  void write(AsyncOperation &operation, const Pieces &pieces);

private:
  AccessResult access(AsyncOperation &operation, const void *address,
                      uint64_t size, bool isWrite);
  void readRange(AsyncOperation &operation, const char *address, uint64_t size,
                 char *to);
  void writeRange(AsyncOperation &operation, char *address, uint64_t size,
                  const char *from);

  Memory &memory;
  Schedule &schedule;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ENGINE_BYTEMOVER_H
