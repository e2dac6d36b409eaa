//===- RoundElements.h - elements that loads change -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What loads make of elements of f32: whole ones, in place.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_ROUNDELEMENTS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_ROUNDELEMENTS_H

#include <cstdint>

namespace carousel::sim {

/// Zeros of the same sign for subnormal numbers.
void flushSubnormals(char *bytes, uint64_t size);

/// The nearest numbers of tf32, ties to even. All NaNs become the one that
/// tensor copies write (measured on an H100).
void roundToTF32(char *bytes, uint64_t size);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_ROUNDELEMENTS_H
