//===- Hash.cpp - content hashes ------------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SHA-256 with the names of FIPS 180-4. On x86 processors with the SHA
// extensions, one instruction computes two rounds.
//
//===----------------------------------------------------------------------===//

#include "Hash.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace carousel::runtime {
namespace {

constexpr size_t kBlockBytes = 64;
using State = std::array<uint32_t, 8>;

/// Section 4.2.2.
alignas(16) constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// Section 5.3.3.
constexpr State kInitial = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

uint32_t rotateRight(uint32_t word, int bits) {
  return word >> bits | word << (32 - bits);
}

/// Section 6.2.2.
void addBlocks(State &state, const unsigned char *block, size_t count) {
  for (; count != 0; --count, block += kBlockBytes) {
    uint32_t w[64];
    for (int t = 0; t < 16; ++t)
      w[t] = uint32_t(block[4 * t]) << 24 | uint32_t(block[4 * t + 1]) << 16 |
             uint32_t(block[4 * t + 2]) << 8 | block[4 * t + 3];
    for (int t = 16; t < 64; ++t) {
      uint32_t sigma0 = rotateRight(w[t - 15], 7) ^ rotateRight(w[t - 15], 18) ^
                        w[t - 15] >> 3;
      uint32_t sigma1 = rotateRight(w[t - 2], 17) ^ rotateRight(w[t - 2], 19) ^
                        w[t - 2] >> 10;
      w[t] = sigma1 + w[t - 7] + sigma0 + w[t - 16];
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (int t = 0; t < 64; ++t) {
      uint32_t sum1 =
          rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
      uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
      uint32_t sum0 =
          rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
      uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1;
      d = c, c = b, b = a, a = t1 + t2;
    }
    const uint32_t added[] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; ++i)
      state[i] += added[i];
  }
}

#if defined(__x86_64__)

bool hasSHAInstructions() {
  unsigned a, b, c, d;
  constexpr unsigned kSSSE3 = 1u << 9, kSSE41 = 1u << 19, kSHA = 1u << 29;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & kSSSE3) || !(c & kSSE41))
    return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & kSHA);
}

/// Intel's instruction reference: SHA256RNDS2 takes {C, D, G, H} and {A, B, E,
/// F}, the first word in the highest place.
__attribute__((target("sha,sse4.1,ssse3"))) void
addBlocksBySHA(State &state, const unsigned char *block, size_t count) {
  const __m128i bigEndian =
      _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i abef =
      _mm_set_epi32(int(state[0]), int(state[1]), int(state[4]), int(state[5]));
  __m128i cdgh =
      _mm_set_epi32(int(state[2]), int(state[3]), int(state[6]), int(state[7]));
  for (; count != 0; --count, block += kBlockBytes) {
    __m128i firstABEF = abef, firstCDGH = cdgh;
    __m128i w[4];
    for (int i = 0; i < 16; ++i) {
      __m128i &words = w[i % 4];
      if (i < 4) {
        words = _mm_shuffle_epi8(
            _mm_loadu_si128(reinterpret_cast<const __m128i *>(block) + i),
            bigEndian);
      } else {
        // w[i % 4] has the words 16 before, the next ones those 12 before...
        const __m128i &last = w[(i + 3) % 4];
        __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(words, w[(i + 1) % 4]),
                                    _mm_alignr_epi8(last, w[(i + 2) % 4], 4));
        words = _mm_sha256msg2_epu32(sum, last);
      }
      __m128i added = _mm_add_epi32(
          words, _mm_load_si128(reinterpret_cast<const __m128i *>(kRound) + i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, added);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(added, 0x0e));
    }
    abef = _mm_add_epi32(abef, firstABEF);
    cdgh = _mm_add_epi32(cdgh, firstCDGH);
  }
  state = {uint32_t(_mm_extract_epi32(abef, 3)),
           uint32_t(_mm_extract_epi32(abef, 2)),
           uint32_t(_mm_extract_epi32(cdgh, 3)),
           uint32_t(_mm_extract_epi32(cdgh, 2)),
           uint32_t(_mm_extract_epi32(abef, 1)),
           uint32_t(_mm_extract_epi32(abef, 0)),
           uint32_t(_mm_extract_epi32(cdgh, 1)),
           uint32_t(_mm_extract_epi32(cdgh, 0))};
}

#endif

using AddBlocks = void (*)(State &, const unsigned char *, size_t);

/// Section 5.1.1: the last bytes, a one, zeros, and the number of bits.
std::string finish(State state, const unsigned char *rest, size_t restBytes,
                   uint64_t allBytes, AddBlocks add) {
  unsigned char last[2 * kBlockBytes] = {};
  if (restBytes != 0)
    std::memcpy(last, rest, restBytes);
  last[restBytes] = 0x80;
  size_t blocks = restBytes + 9 <= kBlockBytes ? 1 : 2;
  uint64_t bits = allBytes * 8;
  for (int i = 0; i < 8; ++i)
    last[blocks * kBlockBytes - 1 - i] =
        static_cast<unsigned char>(bits >> 8 * i);
  add(state, last, blocks);

  std::string text;
  text.reserve(kHashDigits);
  for (uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4)
      text += "0123456789abcdef"[word >> shift & 15];
  return text;
}

std::string hash(std::string_view bytes, AddBlocks add) {
  State state = kInitial;
  auto *data = reinterpret_cast<const unsigned char *>(bytes.data());
  size_t whole = bytes.size() / kBlockBytes, rest = bytes.size() % kBlockBytes;
  add(state, data, whole);
  return finish(state, data + whole * kBlockBytes, rest, bytes.size(), add);
}

AddBlocks getFastest() {
#if defined(__x86_64__)
  static const AddBlocks add =
      hasSHAInstructions() ? addBlocksBySHA : addBlocks;
  return add;
#else
  return addBlocks;
#endif
}

} // namespace

std::string hashContents(std::string_view bytes) {
  return hash(bytes, getFastest());
}

ContentHasher::ContentHasher() : state(kInitial) {}

void ContentHasher::add(std::string_view bytes) {
  allBytes += bytes.size();
  if (restBytes != 0) {
    size_t taken = std::min(bytes.size(), kBlockBytes - restBytes);
    std::memcpy(rest + restBytes, bytes.data(), taken);
    restBytes += taken;
    bytes.remove_prefix(taken);
    if (restBytes < kBlockBytes)
      return;
    getFastest()(state, rest, 1);
    restBytes = 0;
  }
  auto *data = reinterpret_cast<const unsigned char *>(bytes.data());
  size_t whole = bytes.size() / kBlockBytes;
  getFastest()(state, data, whole);
  restBytes = bytes.size() % kBlockBytes;
  if (restBytes != 0)
    std::memcpy(rest, data + whole * kBlockBytes, restBytes);
}

std::string ContentHasher::finish() {
  return runtime::finish(state, rest, restBytes, allBytes, getFastest());
}

std::string hashContentsPortably(std::string_view bytes) {
  return hash(bytes, addBlocks);
}

} // namespace carousel::runtime
