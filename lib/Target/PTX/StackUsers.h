//===- StackUsers.h - functions that need a stack ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread's stack is in memory, so that a vector which the back end puts there
// costs as much as a spill. Private.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_TARGET_PTX_STACKUSERS_H
#define CAROUSEL_LIB_TARGET_PTX_STACKUSERS_H

#include "llvm/ADT/StringSet.h"

namespace llvm {
class Module;
} // namespace llvm

namespace carousel {

/// The functions that ask for a stack, or call one that does: they allocate, or
/// take elements of vectors at positions that only the run knows. The module is
/// as it was translated, with its libraries.
llvm::StringSet<> findStackUsers(const llvm::Module &module);

} // namespace carousel

#endif // CAROUSEL_LIB_TARGET_PTX_STACKUSERS_H
