//===- VerifyCalls.h - calls with the types of their callees ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM accepts a call whose type isn't that of the function, and the NVPTX back
// end makes an indirect call of it, whose results are wrong. Private.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_TARGET_PTX_VERIFYCALLS_H
#define CAROUSEL_LIB_TARGET_PTX_VERIFYCALLS_H

#include <optional>
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace carousel {

/// A call whose type isn't its callee's.
struct BadCall {
  std::string caller, callee, wanted, found;
};

/// The first one of a module that libraries are linked to.
std::optional<BadCall> findBadCall(const llvm::Module &module);

} // namespace carousel

#endif // CAROUSEL_LIB_TARGET_PTX_VERIFYCALLS_H
