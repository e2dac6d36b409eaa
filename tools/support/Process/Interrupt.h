//===- Interrupt.h - removes temporary files on signals ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tool that gets a signal while it writes removes its temporary files first.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_PROCESS_INTERRUPT_H
#define CAROUSEL_TOOLS_SUPPORT_PROCESS_INTERRUPT_H

namespace carousel {

/// While one lives, SIGINT, SIGTERM and SIGHUP are only noted. When the last
/// one ends, the process gets what was noted. Lives around what makes temporary
/// files and removes them, which asks isInterrupted() now and then. Any thread
/// may have some.
class InterruptGuard {
public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard &) = delete;
  InterruptGuard &operator=(const InterruptGuard &) = delete;

  static bool isInterrupted();
};

} // namespace carousel

#endif // CAROUSEL_TOOLS_SUPPORT_PROCESS_INTERRUPT_H
