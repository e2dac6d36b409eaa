//===- MutateOptions.h - the command line of carousel-mutate ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain values, checked as far as possible without the module.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_MUTATE_MUTATEOPTIONS_H
#define CAROUSEL_TOOLS_MUTATE_MUTATEOPTIONS_H

#include "Mutants.h"

namespace carousel::mutate {

struct Options {
  std::string input;  ///< "-": stdin
  std::string mutant; ///< a number or a name; empty: none
  std::string all;    ///< a directory; empty: none
  std::string output;
  bool list = false;
  MutantFilter filter;
  /// What is wrong with the command line; else empty.
  std::string error;
};

Options parseOptions(int argc, char **argv);

} // namespace carousel::mutate

#endif // CAROUSEL_TOOLS_MUTATE_MUTATEOPTIONS_H
