//===- WaitLabelAttr.cpp - #carousel.wait_label ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace carousel;

LogicalResult
WaitLabelAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      StringRef barrier, WaitRole, std::optional<uint32_t>) {
  auto isControl = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  };
  // C176
  if (barrier.empty() || llvm::any_of(barrier, isControl))
    return emitError() << "expected a barrier's name that is neither empty nor "
                          "has control characters, got '"
                       << barrier << "'";
  return success();
}
