//===- MergePTX.h - merge PTX texts -----------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Merges PTX texts from LLVM's NVPTX back end that were made from copies of one
// module, each with some of its functions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_MERGEPTX_H
#define CAROUSEL_TARGET_MERGEPTX_H

#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace carousel {

/// The text that LLVM would have made of all functions together. nullopt if two
/// texts differ in their common parts, or have debug information.
std::optional<std::string> mergePTX(llvm::ArrayRef<std::string> texts);

} // namespace carousel

#endif // CAROUSEL_TARGET_MERGEPTX_H
