//===- FakeCublasLt.h - control of the fake cuBLASLt ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared object with the functions of cuBLASLt that the runtime uses. A test
// links to it and tells the runtime to load the same file
// (CAROUSEL_FAKE_CUBLASLT). It multiplies on the host, in the fake driver's
// memory, and refuses what the real one does: leading dimensions that are less
// than the rows, and addresses that are less aligned than was promised.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_FAKECUBLASLT_H
#define CAROUSEL_TEST_RUNTIME_FAKECUBLASLT_H

#include "Context/CublasLt.h"

#include <string_view>
#include <vector>

namespace carousel::fake::cublaslt {

/// Back to the state of a fresh process.
void reset();
/// The next call of `function` ("cublasLtMatmul") returns `status`.
void failNext(std::string_view function, runtime::lt::Status status);
/// From now on no algorithm is found.
void refuseAll();

/// Sets the result of cublasLtGetVersion.
void setVersion(size_t version);

struct Call {
  int64_t m = 0, n = 0, k = 0, batches = 1;
  uint32_t epilogue = runtime::lt::kNoEpilogue;
  const void *bias = nullptr;
  bool hasResidual = false;
  bool transposeA = false, transposeB = false, tf32 = false;
  const void *scratch = nullptr;
  size_t scratchBytes = 0;
  CUstream stream = nullptr;
};
/// One for each cublasLtMatmul.
std::vector<Call> getCalls();
/// Handles and descriptors that were created and not destroyed.
unsigned countObjects();

} // namespace carousel::fake::cublaslt

#endif // CAROUSEL_TEST_RUNTIME_FAKECUBLASLT_H
