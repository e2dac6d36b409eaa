//===- Reduce.h - the arithmetic of asynchronous reductions -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.reduce.async.bulk and red.async, element by element, bit for bit.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_REDUCE_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_REDUCE_H

#include "SimTensorMap.h"

#include <optional>

namespace carousel::sim {

unsigned getElementBytes(ReduceType type);

/// True if the hardware has the kind for the type (C45).
bool isReduction(ReduceKind kind, ReduceType type, bool inSharedMemory);

/// The type of a tensor reduction, by the map's element (C68); none if there is
/// none.
std::optional<ReduceType> getReduceType(ReduceKind kind, TensorElement element);

/// destination[i] = kind(destination[i], source[i]). `bytes` is a multiple of
/// the element's; no alignment is needed. Additions round to nearest even;
/// those of f32 flush subnormal inputs and results to zero unless their type
/// says otherwise, those of f16, bf16 and f64 don't. An H200 does the same.
void reduce(ReduceKind kind, ReduceType type, void *destination,
            const void *source, uint64_t bytes);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_REDUCE_H
