//===- MergePTX.h - one PTX text of several ---------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts texts of LLVM's NVPTX back end together that were made of copies of one
// module, each with some of its functions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_MERGEPTX_H
#define CAROUSEL_TARGET_MERGEPTX_H

#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace carousel {

/// The text that LLVM would have made of all functions together, or nothing
/// where two texts differ in what they have in common, or hold debug
/// information.
std::optional<std::string> mergePTX(llvm::ArrayRef<std::string> texts);

} // namespace carousel

#endif // CAROUSEL_TARGET_MERGEPTX_H
