//===- ThreadLocal.h - one object for each thread ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exit handlers and destructors of static objects may call the library after
// the thread's objects are destroyed. They get new objects, which are never
// freed.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_SUPPORT_THREADLOCAL_H
#define CAROUSEL_RUNTIME_SRC_SUPPORT_THREADLOCAL_H

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

#endif // CAROUSEL_RUNTIME_SRC_SUPPORT_THREADLOCAL_H
