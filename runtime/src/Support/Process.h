//===- Process.h - checks whether CUDA works in this process ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A child of fork() has one thread, and every lock that another thread of its
// parent held stays locked. NVIDIA's libraries don't work in it if the parent
// had used them. So each entry point of the runtime checks this first, without
// a lock.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_SUPPORT_PROCESS_H
#define CAROUSEL_RUNTIME_SRC_SUPPORT_PROCESS_H

#include "carousel/Runtime/Error.h"

namespace carousel::runtime {

/// Whether this process was forked after its parent had used a library of
/// NVIDIA's. Children of such a process are no better.
bool isForkedFromUser();

/// ContextLost where isForkedFromUser().
Status checkProcess();

/// Comes before the first use of a library, and before any lock that is held
/// during one. An error where checkProcess() has one.
Status beginUse();

/// Tests call this that fork where others may have used a library.
void forgetUse();

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_SUPPORT_PROCESS_H
