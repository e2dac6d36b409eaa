//===- FileSizeLimit.h - files that may grow no further ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A write beyond `ulimit -f` sends a signal that ends the process. Without the
// signal the write fails with EFBIG, and the tool reports that.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_PROCESS_FILESIZELIMIT_H
#define CAROUSEL_TOOLS_SUPPORT_PROCESS_FILESIZELIMIT_H

#include <csignal>

namespace carousel {

/// This must be called before threads start. Blocks the signal instead of
/// ignoring it, because LLVM sets handlers of its own later.
inline void blockFileSizeSignal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

} // namespace carousel

#endif // CAROUSEL_TOOLS_SUPPORT_PROCESS_FILESIZELIMIT_H
