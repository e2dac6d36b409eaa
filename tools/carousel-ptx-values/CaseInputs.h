//===- CaseInputs.h - operands that are hard --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws operands of a type: zeros, extremes, subnormals, infinities, NaNs,
// values half way between two of a narrower type, and random ones.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_CAROUSEL_PTX_VALUES_CASEINPUTS_H
#define CAROUSEL_TOOLS_CAROUSEL_PTX_VALUES_CASEINPUTS_H

#include "carousel/PTX/PTXTypes.h"

#include "llvm/ADT/ArrayRef.h"

#include <random>
#include <vector>

namespace carousel::ptx {

using Generator = std::mt19937_64;

/// One value of a type.
uint64_t drawValue(Type type, Generator &random);

/// The operands of `count` threads, of these types. Some are equal or differ in
/// their sign, so that sums cancel.
std::vector<uint64_t> drawOperands(llvm::ArrayRef<Type> types, unsigned count,
                                   Generator &random);

} // namespace carousel::ptx

#endif // CAROUSEL_TOOLS_CAROUSEL_PTX_VALUES_CASEINPUTS_H
