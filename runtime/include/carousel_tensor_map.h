//===- carousel_tensor_map.h - tensor maps in C -----------------*- C -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Encodes tensor maps for kernels that the library doesn't know. A part of
// carousel_runtime.h, which includes it and whose rules hold.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TENSOR_MAP_H
#define CAROUSEL_TENSOR_MAP_H

#include "carousel_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

// Lists are outermost first. Enumerators have the driver's numbers.
typedef struct carousel_tensor_map_format {
  size_t size;        // sizeof(carousel_tensor_map_format)
  int32_t element;    // CUtensorMapDataType
  int32_t mode;       // 0: tile, 1: im2col, 2: im2col_w, 3: im2col_w_128
  int32_t interleave; // CUtensorMapInterleave
  int32_t swizzle;    // CUtensorMapSwizzle
  int32_t promotion;  // CUtensorMapL2promotion
  int32_t fill;       // CUtensorMapFloatOOBfill
  uint32_t rank;      // 1 to 5
  int64_t box[5];     // tile: `rank`; im2col: pixels, channels
  int64_t element_strides[5]; // `rank`
  int64_t lower[3], upper[3]; // im2col: rank - 2; im2col_w: 1
} carousel_tensor_map_format;

typedef struct carousel_tensor_map_source {
  size_t size;        // sizeof(carousel_tensor_map_source)
  uint64_t address;   // of the tensor on the device
  int64_t extents[5]; // `rank` of the format, in elements of the map
  int64_t strides[4]; // one fewer, in bytes
} carousel_tensor_map_source;

// Checks the driver's rules, then writes the 128 bytes of a CUtensorMap. `name`
// is the tensor's name in messages, or null. Launches of packages encode their
// maps themselves.
CAROUSEL_RUNTIME_API carousel_status carousel_tensor_map_encode(
    const carousel_context *context, const carousel_tensor_map_format *format,
    const carousel_tensor_map_source *source, const char *name,
    void *map) CAROUSEL_RUNTIME_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif // CAROUSEL_TENSOR_MAP_H
