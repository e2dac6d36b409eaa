//===- Reduce.h - arithmetic of copies --------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of cp.reduce.async.bulk and red.async, and the rounding of f32
// elements that are loaded as tf32, bit-exact for each element.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_REDUCE_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_REDUCE_H

#include "SimTensorMap.h"

#include <cstdint>
#include <optional>

namespace carousel::sim {

/// Zeros of the same sign for subnormal numbers.
void flushSubnormals(char *bytes, uint64_t size);

/// The nearest numbers of tf32, ties to even. All NaNs become the one that
/// tensor copies write (measured on an H100).
void roundToTF32(char *bytes, uint64_t size);

unsigned getElementBytes(ReduceType type);

/// True if the hardware has the kind for the type (C45).
bool isReduction(ReduceKind kind, ReduceType type, bool inSharedMemory);

/// The type of a tensor reduction for the map's element (C68); nullopt if there
/// is none.
std::optional<ReduceType> getReduceType(ReduceKind kind, TensorElement element);

/// destination[i] = kind(destination[i], source[i]). `bytes` is a multiple of
/// the element's size; no alignment is needed. Additions round to nearest even.
/// Those of F32FTZ flush subnormal inputs and results to zero, others keep
/// them. An H200 gives the same results.
void reduce(ReduceKind kind, ReduceType type, void *destination,
            const void *source, uint64_t bytes);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_REDUCE_H
