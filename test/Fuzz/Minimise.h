//===- Minimise.h - the lines that a fault needs ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_FUZZ_MINIMISE_H
#define CAROUSEL_TEST_FUZZ_MINIMISE_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace carousel::fuzz {

/// Removes lines as long as `fails`, with at most `tries` calls.
std::string minimise(const std::string &text, unsigned tries,
                     llvm::function_ref<bool(const std::string &)> fails);

} // namespace carousel::fuzz

#endif // CAROUSEL_TEST_FUZZ_MINIMISE_H
