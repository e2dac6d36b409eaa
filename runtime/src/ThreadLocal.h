//===- ThreadLocal.h - objects that each thread has ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handlers of exit() and destructors of other objects may call the library when
// the thread's objects are gone already. They get new ones then, which nothing
// frees.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_THREADLOCAL_H
#define CAROUSEL_RUNTIME_SRC_THREADLOCAL_H

#include <utility>

namespace carousel::runtime {

/// The calling thread's T of this tag.
template <typename T, typename Tag = T> T &getOfThread() {
  static thread_local T *object = nullptr;
  if (object)
    return *object;
  struct Owner {
    ~Owner() { delete std::exchange(object, nullptr); }
  };
  static thread_local Owner owner; // once for each thread
  object = new T();
  return *object;
}

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_THREADLOCAL_H
