//===- Mutate.h - lists and prints mutants ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists mutants, or makes and prints them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_MUTATE_MUTATE_H
#define CAROUSEL_TOOLS_MUTATE_MUTATE_H

#include "MutateOptions.h"

#include "llvm/Support/Error.h"

namespace carousel::mutate {

/// Does what the options say with a module that was parsed from a file.
llvm::Error run(mlir::ModuleOp module, const Options &options);

} // namespace carousel::mutate

#endif // CAROUSEL_TOOLS_MUTATE_MUTATE_H
