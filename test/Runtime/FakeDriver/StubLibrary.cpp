//===- StubLibrary.cpp - a library that has almost nothing ---===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first function of each of the three libraries and no other, to test what
// the loader says of a library that is too old or another one.
//
//===----------------------------------------------------------------------===//

extern "C" {
int cuInit(unsigned flags) { return 0; }
int nvrtcVersion(int *major, int *minor) { return 0; }
int nvJitLinkVersion(unsigned *major, unsigned *minor) { return 0; }
}
