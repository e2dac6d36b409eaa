//===- Occupation.h - one compilation in a context --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilations of one MLIR context exclude each other.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_OCCUPATION_H
#define CAROUSEL_COMPILER_PACKAGE_OCCUPATION_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/DenseSet.h"

#include <mutex>

namespace carousel {

/// That a compilation runs in a context. There is one at a time: pass managers
/// load dialects into the context when they start, and its threads, which do
/// work of any pass manager, would mix up what they say.
class Occupation {
public:
  explicit Occupation(mlir::MLIRContext *context) : context(context) {
    std::scoped_lock lock(mutex);
    won = contexts.insert(context).second;
  }
  ~Occupation() {
    std::scoped_lock lock(mutex);
    if (won)
      contexts.erase(context);
  }
  Occupation(const Occupation &) = delete;
  Occupation &operator=(const Occupation &) = delete;

  explicit operator bool() const { return won; }

private:
  static inline std::mutex mutex;
  static inline llvm::DenseSet<mlir::MLIRContext *> contexts; // those occupied

  mlir::MLIRContext *context;
  bool won;
};

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_OCCUPATION_H
