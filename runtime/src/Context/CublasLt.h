//===- CublasLt.h - what the runtime uses of cuBLASLt -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types and numbers of cuBLASLt's binary interface, as its manual (cuBLAS,
// "Using the cuBLASLt API") gives them for CUDA 12.0 and later. Its headers
// aren't part of the packages that have cuda.h, so the runtime builds without
// them. CublasLtTest.cpp compares this with the header where there is one.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_CONTEXT_CUBLASLT_H
#define CAROUSEL_RUNTIME_SRC_CONTEXT_CUBLASLT_H

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace carousel::runtime::lt {

using Status = int; ///< cublasStatus_t; 0 is success
constexpr Status kSuccess = 0, kAllocFailed = 3, kNotSupported = 15;

// Descriptors are pointers to memory that only the library looks into.
struct OpaqueHandle;
struct OpaqueMatmul;
struct OpaqueLayout;
struct OpaquePreference;
using Handle = OpaqueHandle *;
using Matmul = OpaqueMatmul *;
using Layout = OpaqueLayout *;
using Preference = OpaquePreference *;

enum DataType : int { kF32 = 0, kF16 = 2, kBF16 = 14 };
enum ComputeType : int { kCompute32F = 68, kCompute32FFastTF32 = 77 };
enum Operation : int32_t { kPlain = 0, kTransposed = 1 };

enum MatmulAttribute : int {
  kTransposeA = 3,
  kTransposeB = 4,
  kEpilogue = 7,
  kBiasPointer = 8,
  kBiasType = 26,
};
/// Bits of what comes after a sum: one function, and a bias before it.
enum Epilogue : uint32_t { kNoEpilogue = 1, kRelu = 2, kBias = 4, kGelu = 32 };
enum LayoutAttribute : int { kBatchCount = 5, kBatchStride = 6 };
enum PreferenceAttribute : int {
  kScratchBytes = 1,
  kReductionSchemes = 3,
  kAlignmentA = 5,
  kAlignmentB = 6,
  kAlignmentC = 7,
  kAlignmentD = 8,
};
/// How parts of a divided sum are added: not, or in f32 in an order that is
/// always the same.
enum ReductionScheme : uint32_t { kUndivided = 0, kInComputeType = 2 };

struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  size_t scratchBytes;
  Status state;
  float waves;
  int reserved[4];
};

// The functions, by the names of their symbols.
using cublasLtGetVersion = size_t();
using cublasLtGetStatusName = const char *(Status);
using cublasLtCreate = Status(Handle *);
using cublasLtDestroy = Status(Handle);
using cublasLtMatmulDescCreate = Status(Matmul *, ComputeType, DataType);
using cublasLtMatmulDescDestroy = Status(Matmul);
using cublasLtMatmulDescSetAttribute = Status(Matmul, MatmulAttribute,
                                              const void *, size_t);
using cublasLtMatrixLayoutCreate = Status(Layout *, DataType, uint64_t rows,
                                          uint64_t columns, int64_t leading);
using cublasLtMatrixLayoutDestroy = Status(Layout);
using cublasLtMatrixLayoutSetAttribute = Status(Layout, LayoutAttribute,
                                                const void *, size_t);
using cublasLtMatmulPreferenceCreate = Status(Preference *);
using cublasLtMatmulPreferenceDestroy = Status(Preference);
using cublasLtMatmulPreferenceSetAttribute = Status(Preference,
                                                    PreferenceAttribute,
                                                    const void *, size_t);
using cublasLtMatmulAlgoGetHeuristic = Status(Handle, Matmul, Layout a,
                                              Layout b, Layout c, Layout d,
                                              Preference, int wanted,
                                              Heuristic *, int *found);
using cublasLtMatmul = Status(Handle, Matmul, const void *alpha, const void *a,
                              Layout, const void *b, Layout, const void *beta,
                              const void *c, Layout, void *d, Layout,
                              const Algorithm *, void *scratch, size_t bytes,
                              CUstream);

} // namespace carousel::runtime::lt

#endif // CAROUSEL_RUNTIME_SRC_CONTEXT_CUBLASLT_H
