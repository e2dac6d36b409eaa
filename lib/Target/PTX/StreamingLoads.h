//===- StreamingLoads.h - loads that leave L1 alone -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's NVPTX has no form for nontemporal loads.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_TARGET_PTX_STREAMINGLOADS_H
#define CAROUSEL_LIB_TARGET_PTX_STREAMINGLOADS_H

namespace llvm {
class Module;
} // namespace llvm

namespace carousel {

/// Makes nontemporal loads of global memory, of 2 to 16 bytes, ld.global with
/// L1::no_allocate (PTX ISA: ld). Their data is read once, and would evict what
/// is read again.
void lowerStreamingLoads(llvm::Module &module);

} // namespace carousel

#endif // CAROUSEL_LIB_TARGET_PTX_STREAMINGLOADS_H
