//===- DefineWrites.h - kernels without undefined writes --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes LLVM IR in which poison is some value wherever it would reach memory,
// an address or a branch. A write that LLVM removes of it, too, never happens
// or changes nothing; one that stays was removed for undefined behaviour.
// Private.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_TARGET_PTX_DEFINEWRITES_H
#define CAROUSEL_LIB_TARGET_PTX_DEFINEWRITES_H

namespace llvm {
class Module;
} // namespace llvm

namespace carousel {

/// Before any optimisation, which then knows nothing of conditions. What global
/// memory and a launch's arguments hold counts as defined.
void defineWrites(llvm::Module &module);

/// After an optimisation, and before another one: all conditions but those that
/// have turned out to be poison are known again.
void showConditions(llvm::Module &module);

} // namespace carousel

#endif // CAROUSEL_LIB_TARGET_PTX_DEFINEWRITES_H
