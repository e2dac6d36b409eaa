//===- Seeds.h - the modules that mutants are made of -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the modules of files and folders: the parts of lit tests, too.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_FUZZ_SEEDS_H
#define CAROUSEL_TEST_FUZZ_SEEDS_H

#include "mlir/Support/LLVM.h"

#include <string>
#include <vector>

namespace carousel::fuzz {

struct Seed {
  std::string file;
  std::string text; ///< without comments
};

/// The parts between "// -----" or "#---" of each .mlir file, sorted by file.
std::vector<Seed> readSeeds(mlir::ArrayRef<std::string> paths);

} // namespace carousel::fuzz

#endif // CAROUSEL_TEST_FUZZ_SEEDS_H
