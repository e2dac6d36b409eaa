//===- StreamIds.cpp - numbers of streams ---------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StreamIds.h.
//
//===----------------------------------------------------------------------===//

#include "StreamIds.h"

#include <atomic>
#include <cuda.h>

namespace carousel::runtime {

/// CU_STREAM_PER_THREAD is the handle of a stream of each thread.
uint64_t StreamIds::getKey(Stream stream) {
  if (stream != CU_STREAM_PER_THREAD)
    return reinterpret_cast<uint64_t>(stream);
  static std::atomic<uint64_t> threads = 0;
  static thread_local uint64_t thread = threads++;
  return ~thread;
}

void StreamIds::note(Stream stream, uint64_t id) {
  struct Noted {
    const StreamIds *ids;
    uint64_t key, id;
  };
  static thread_local Noted last = {nullptr, 0, 0};
  uint64_t key = getKey(stream);
  if (last.ids == this && last.key == key && last.id == id)
    return;
  last = {this, key, id};
  std::lock_guard<std::mutex> lock(mutex);
  ids[key] = id;
}

std::optional<uint64_t> StreamIds::find(Stream stream) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = ids.find(getKey(stream));
  if (found == ids.end())
    return std::nullopt;
  return found->second;
}

} // namespace carousel::runtime
