//===- StubLibrary.cpp - a library that lacks most functions --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Has the first function of each of the libraries only, to test the
// loader's errors for a library that is too old or a different one.
//
//===----------------------------------------------------------------------===//

#include <cstddef>

extern "C" {
int cuInit(unsigned flags) { return 0; }
int nvrtcVersion(int *major, int *minor) { return 0; }
int nvJitLinkVersion(unsigned *major, unsigned *minor) { return 0; }
size_t cublasLtGetVersion() { return 0; }
}
