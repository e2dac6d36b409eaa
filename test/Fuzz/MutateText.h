//===- MutateText.h - other extents, numbers, types and words ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes of a module's text that types have to agree on: an extent or an
// element type changes in one place or in all, so that many mutants parse.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_FUZZ_MUTATETEXT_H
#define CAROUSEL_TEST_FUZZ_MUTATETEXT_H

#include "Draw.h"

#include <string>

namespace carousel::fuzz {

/// Makes one change; may give the same text.
std::string mutateText(const std::string &text, Draw &draw);

} // namespace carousel::fuzz

#endif // CAROUSEL_TEST_FUZZ_MUTATETEXT_H
