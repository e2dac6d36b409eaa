//===- Hash.cpp - content hashes ---===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Hash.h.
//
//===----------------------------------------------------------------------===//

#include "Hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace carousel::runtime {

std::string hashContents(std::string_view bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  XXH128_canonical_t canonical; // big-endian
  XXH128_canonicalFromHash(&canonical, hash);
  std::string text;
  text.reserve(2 * sizeof(canonical.digest));
  for (unsigned char byte : canonical.digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

} // namespace carousel::runtime
