//===- CompileContext.h - what compile benchmarks share ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_BENCHMARKS_COMPILECONTEXT_H
#define CAROUSEL_BENCHMARKS_COMPILECONTEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace carousel::benchmarks {

/// The threads that a context's passes run on: all cores, or the thread that
/// asks.
enum class Threads { Many, One };

/// With every dialect loaded; one for all benchmarks of a kind.
mlir::MLIRContext &getContext(Threads threads = Threads::Many);

/// Null, with a diagnostic, if the text can't be parsed.
mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text,
                                        Threads threads = Threads::Many);

/// A benchmark for each kernel file of examples/tile.
void registerExamples();

} // namespace carousel::benchmarks

#endif // CAROUSEL_BENCHMARKS_COMPILECONTEXT_H
