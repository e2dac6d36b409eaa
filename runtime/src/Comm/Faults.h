//===- Faults.h - errors of waits until somebody asks -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nobody may ever ask for a stream's errors, so only its first are kept. The
// last of these counts what came after it. Captured waits are like those of one
// stream, as any stream may run their graphs.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMM_FAULTS_H
#define CAROUSEL_RUNTIME_SRC_COMM_FAULTS_H

#include "carousel/Runtime/Fail.h"

#include <cuda.h>

#include <cstdint>
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

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMM_FAULTS_H
