//===- OlderLibstdcxx.cpp - what older versions of libstdc++ lack ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GCC 12's libstdc++ has this function with a version of its own, though it
// does what it did before. With one of the library's own, the library runs with
// that of GCC 11, which RHEL 9 has. It isn't visible outside of the library.
//
//===----------------------------------------------------------------------===//

#include <condition_variable>

#include <pthread.h>

#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE >= 12 && defined(__linux__)
void std::condition_variable::wait(std::unique_lock<std::mutex> &lock) {
  pthread_cond_wait(native_handle(), lock.mutex()->native_handle());
}
#endif
