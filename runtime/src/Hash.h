//===- Hash.h - content hashes ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_HASH_H
#define CAROUSEL_RUNTIME_SRC_HASH_H

#include <string>
#include <string_view>

namespace carousel::runtime {

/// XXH3, 128 bits, as 32 lower-case hexadecimal digits, most significant first.
std::string hashContents(std::string_view bytes);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_HASH_H
