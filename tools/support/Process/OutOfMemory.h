//===- OutOfMemory.h - reports that memory ran out --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tools are built without exceptions. If memory runs out, they report it
// and exit.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_PROCESS_OUTOFMEMORY_H
#define CAROUSEL_TOOLS_SUPPORT_PROCESS_OUTOFMEMORY_H

#include <cerrno>
#include <cstring>
#include <new>

#include <unistd.h>

namespace carousel {

/// Takes no memory, and runs no destructors, which might.
[[noreturn]] inline void reportOutOfMemory() {
  const char *tool = program_invocation_short_name;
  constexpr const char *kMessage =
      ": error: expected memory for this input, got less; smaller shapes and "
      "grids, or fewer threads, take less\n";
  (void)!::write(STDERR_FILENO, tool, std::strlen(tool));
  (void)!::write(STDERR_FILENO, kMessage, std::strlen(kMessage));
  constexpr int kExit = 2;
  ::_exit(kExit);
}

/// Installs the handler of operator new. LLVM has a handler of its own.
inline void installOutOfMemoryHandler() {
  std::set_new_handler([] { reportOutOfMemory(); });
}

} // namespace carousel

#endif // CAROUSEL_TOOLS_SUPPORT_PROCESS_OUTOFMEMORY_H
