//===- CublasLtTest.cpp - our view of cuBLASLt and its header -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context/CublasLt.h"

#include "gtest/gtest.h"

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>

using namespace carousel::runtime;

static_assert(lt::kSuccess == CUBLAS_STATUS_SUCCESS &&
              lt::kAllocFailed == CUBLAS_STATUS_ALLOC_FAILED &&
              lt::kNotSupported == CUBLAS_STATUS_NOT_SUPPORTED);
static_assert(int(lt::kF32) == CUDA_R_32F && int(lt::kF16) == CUDA_R_16F &&
              int(lt::kBF16) == CUDA_R_16BF);
static_assert(int(lt::kCompute32F) == CUBLAS_COMPUTE_32F &&
              int(lt::kCompute32FFastTF32) == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(int(lt::kPlain) == CUBLAS_OP_N &&
              int(lt::kTransposed) == CUBLAS_OP_T);
static_assert(int(lt::kTransposeA) == CUBLASLT_MATMUL_DESC_TRANSA &&
              int(lt::kTransposeB) == CUBLASLT_MATMUL_DESC_TRANSB &&
              int(lt::kEpilogue) == CUBLASLT_MATMUL_DESC_EPILOGUE &&
              int(lt::kBiasPointer) == CUBLASLT_MATMUL_DESC_BIAS_POINTER &&
              int(lt::kBiasType) == CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
static_assert(int(lt::kNoEpilogue) == CUBLASLT_EPILOGUE_DEFAULT &&
              int(lt::kRelu) == CUBLASLT_EPILOGUE_RELU &&
              int(lt::kBias) == CUBLASLT_EPILOGUE_BIAS &&
              int(lt::kGelu) == CUBLASLT_EPILOGUE_GELU &&
              (lt::kRelu | lt::kBias) == CUBLASLT_EPILOGUE_RELU_BIAS &&
              (lt::kGelu | lt::kBias) == CUBLASLT_EPILOGUE_GELU_BIAS);
static_assert(int(lt::kBatchCount) == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT &&
              int(lt::kBatchStride) ==
                  CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
static_assert(
    int(lt::kScratchBytes) == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES &&
    int(lt::kReductionSchemes) == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK &&
    int(lt::kAlignmentA) == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES &&
    int(lt::kAlignmentB) == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES &&
    int(lt::kAlignmentC) == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES &&
    int(lt::kAlignmentD) == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
static_assert(int(lt::kUndivided) == CUBLASLT_REDUCTION_SCHEME_NONE &&
              int(lt::kInComputeType) ==
                  CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
static_assert(sizeof(lt::Heuristic) ==
                  sizeof(cublasLtMatmulHeuristicResult_t) &&
              offsetof(lt::Heuristic, scratchBytes) ==
                  offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize) &&
              offsetof(lt::Heuristic, state) ==
                  offsetof(cublasLtMatmulHeuristicResult_t, state) &&
              sizeof(lt::Algorithm) == sizeof(cublasLtMatmulAlgo_t));

/// Functions of ours and the header's: as many parameters, of the same sizes.
template <typename... Ours, typename... Theirs, typename R, typename S>
constexpr bool agree(R (*)(Ours...), S (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) == sizeof...(Theirs))
    return sizeof(R) == sizeof(S) && ((sizeof(Ours) == sizeof(Theirs)) && ...);
  return false;
}

TEST(CublasLt, FunctionsAreThoseOfTheHeader) {
#define CAROUSEL_CUBLASLT_SYMBOL(name)                                         \
  static_assert(agree(static_cast<lt::name *>(nullptr),                        \
                      static_cast<decltype(&::name)>(nullptr)));
#include "Context/Symbols.def"
}

#else

TEST(CublasLt, FunctionsAreThoseOfTheHeader) {
  GTEST_SKIP() << "no cublasLt.h beside cuda.h";
}

#endif
