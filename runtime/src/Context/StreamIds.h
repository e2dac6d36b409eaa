//===- StreamIds.h - numbers of streams -------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver numbers streams, and gives no number twice. It doesn't tell the
// number of a stream that records a graph, and invalidates the graph if asked.
// Then the number counts that was told last for the stream's handle.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_CONTEXT_STREAMIDS_H
#define CAROUSEL_RUNTIME_SRC_CONTEXT_STREAMIDS_H

#include "carousel/Runtime/Types.h"

#include <map>
#include <mutex>
#include <optional>

namespace carousel::runtime {

class StreamIds {
public:
  /// Notes what the driver said. Takes no lock where the thread noted the same
  /// before.
  void note(Stream stream, uint64_t id);
  std::optional<uint64_t> find(Stream stream) const;

private:
  static uint64_t getKey(Stream stream);

  mutable std::mutex mutex;
  std::map<uint64_t, uint64_t> ids; ///< by handle
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_CONTEXT_STREAMIDS_H
