//===- PassCancellation.h - an early end of passes --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's pass managers have no way to end early. Each pass is an action of the
// context, though, whose handler may leave it out. So a cancelled pipeline ends
// once the passes that run have ended, and its result is of no use.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PACKAGE_PASSCANCELLATION_H
#define CAROUSEL_PACKAGE_PASSCANCELLATION_H

#include "mlir/IR/MLIRContext.h"

#include <functional>

namespace carousel {

/// While it lives, the context's passes are left out once `isCancelled` returns
/// true. Threads of the context call it. If it is empty, all passes run.
class PassCancellation {
public:
  PassCancellation(mlir::MLIRContext *context,
                   std::function<bool()> isCancelled);
  ~PassCancellation();
  PassCancellation(const PassCancellation &) = delete;
  PassCancellation &operator=(const PassCancellation &) = delete;

private:
  mlir::MLIRContext *context;
};

} // namespace carousel

#endif // CAROUSEL_PACKAGE_PASSCANCELLATION_H
