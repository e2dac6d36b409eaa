//===- matrix.h - matrix instructions of a warp -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ldmatrix and mma.sync: all lanes of a warp call these together. Fragments are
// vectors of a lane's elements, register by register, in the layout of the PTX
// ISA (Warp-level matrix instructions).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_MATRIX_H
#define CAROUSEL_DEVICE_MATRIX_H

#include <carousel/device/float16.h>
#include <carousel/device/vector.h>

namespace carousel {

namespace detail {

/// The registers of 32 bits that a fragment is.
template <int Registers, typename Fragment>
CAROUSEL_DEVICE vec<uint32_t, Registers> to_registers(const Fragment &value) {
  static_assert(sizeof(Fragment) == Registers * sizeof(uint32_t),
                "expected a fragment of whole registers");
  vec<uint32_t, Registers> registers;
  memcpy(registers.lane, value.lane, sizeof(Fragment));
  return registers;
}

} // namespace detail

/// `Tiles` (1, 2 or 4) matrices of 8 rows of 16 bytes in shared memory, as
/// fragments: `ldmatrix<4, false>(row)`. Lane 8i + r has the address of row r
/// of matrix i, a multiple of 16; others are ignored. Transposed, of elements
/// of 16 bits, a lane gets two of a column instead of a row.
template <int Tiles, bool Transpose, typename Element>
CAROUSEL_DEVICE vec<Element, Tiles * 4 / static_cast<int>(sizeof(Element))>
ldmatrix(const Element *row) {
  static_assert(Tiles == 1 || Tiles == 2 || Tiles == 4,
                "expected 1, 2 or 4 matrices");
  static_assert(!Transpose || sizeof(Element) == 2,
                "expected elements of 16 bits to transpose");
  uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  vec<uint32_t, Tiles> loaded;
  if constexpr (Tiles == 4 && Transpose)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(loaded[0]), "=r"(loaded[1]), "=r"(loaded[2]),
                   "=r"(loaded[3])
                 : "r"(address)
                 : "memory");
  else if constexpr (Tiles == 4)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(loaded[0]), "=r"(loaded[1]), "=r"(loaded[2]),
                   "=r"(loaded[3])
                 : "r"(address)
                 : "memory");
  else if constexpr (Tiles == 2 && Transpose)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 "
                 "{%0, %1}, [%2];"
                 : "=r"(loaded[0]), "=r"(loaded[1])
                 : "r"(address)
                 : "memory");
  else if constexpr (Tiles == 2)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(loaded[0]), "=r"(loaded[1])
                 : "r"(address)
                 : "memory");
  else if constexpr (Transpose)
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(loaded[0])
                 : "r"(address)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(loaded[0])
                 : "r"(address)
                 : "memory");
  vec<Element, Tiles * 4 / static_cast<int>(sizeof(Element))> result;
  memcpy(result.lane, loaded.lane, sizeof(result));
  return result;
}

// a * b + c for fragments of matrices of 16 rows and 8 columns; the number of
// elements of `a` says k: a row has one or two pieces of 16 bytes. Bytes are
// signed, and their sums wrap. The last 13 bits of f32 are ignored (tf32).
#define CAROUSEL_MMA_PIECE(ELEMENT, K, TYPES, SUM, REGISTER)                   \
  CAROUSEL_DEVICE vec<SUM, 4> mma_sync(const vec<ELEMENT, K / 2> &a,           \
                                       const vec<ELEMENT, K / 4> &b,           \
                                       const vec<SUM, 4> &c) {                 \
    auto rows = detail::to_registers<2>(a);                                    \
    auto columns = detail::to_registers<1>(b);                                 \
    vec<SUM, 4> d;                                                             \
    asm volatile("mma.sync.aligned.m16n8k" #K ".row.col." TYPES " "            \
                 "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"        \
                 : "=" REGISTER(d[0]), "=" REGISTER(d[1]), "=" REGISTER(d[2]), \
                   "=" REGISTER(d[3])                                          \
                 : "r"(rows[0]), "r"(rows[1]), "r"(columns[0]),                \
                   REGISTER(c[0]), REGISTER(c[1]), REGISTER(c[2]),             \
                   REGISTER(c[3]));                                            \
    return d;                                                                  \
  }
#define CAROUSEL_MMA_PIECES(ELEMENT, K, TYPES, SUM, REGISTER)                  \
  CAROUSEL_DEVICE vec<SUM, 4> mma_sync(const vec<ELEMENT, K / 2> &a,           \
                                       const vec<ELEMENT, K / 4> &b,           \
                                       const vec<SUM, 4> &c) {                 \
    auto rows = detail::to_registers<4>(a);                                    \
    auto columns = detail::to_registers<2>(b);                                 \
    vec<SUM, 4> d;                                                             \
    asm volatile("mma.sync.aligned.m16n8k" #K ".row.col." TYPES " "            \
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "              \
                 "{%10, %11, %12, %13};"                                       \
                 : "=" REGISTER(d[0]), "=" REGISTER(d[1]), "=" REGISTER(d[2]), \
                   "=" REGISTER(d[3])                                          \
                 : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]),     \
                   "r"(columns[0]), "r"(columns[1]), REGISTER(c[0]),           \
                   REGISTER(c[1]), REGISTER(c[2]), REGISTER(c[3]));            \
    return d;                                                                  \
  }
CAROUSEL_MMA_PIECE(f16, 8, "f32.f16.f16.f32", float, "f")
CAROUSEL_MMA_PIECES(f16, 16, "f32.f16.f16.f32", float, "f")
CAROUSEL_MMA_PIECE(bf16, 8, "f32.bf16.bf16.f32", float, "f")
CAROUSEL_MMA_PIECES(bf16, 16, "f32.bf16.bf16.f32", float, "f")
CAROUSEL_MMA_PIECE(uint8_t, 16, "s32.s8.s8.s32", uint32_t, "r")
CAROUSEL_MMA_PIECES(uint8_t, 32, "s32.s8.s8.s32", uint32_t, "r")
CAROUSEL_MMA_PIECE(float, 4, "f32.tf32.tf32.f32", float, "f")
CAROUSEL_MMA_PIECES(float, 8, "f32.tf32.tf32.f32", float, "f")
#undef CAROUSEL_MMA_PIECE
#undef CAROUSEL_MMA_PIECES

// The same with sums of f16.
CAROUSEL_DEVICE vec<f16, 4> mma_sync(const vec<f16, 4> &a, const vec<f16, 2> &b,
                                     const vec<f16, 4> &c) {
  auto rows = detail::to_registers<2>(a), sums = detail::to_registers<2>(c);
  auto columns = detail::to_registers<1>(b);
  vec<uint32_t, 2> d;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 "
               "{%0, %1}, {%2, %3}, {%4}, {%5, %6};"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(rows[0]), "r"(rows[1]), "r"(columns[0]), "r"(sums[0]),
                 "r"(sums[1]));
  vec<f16, 4> result;
  memcpy(result.lane, d.lane, sizeof(result));
  return result;
}
CAROUSEL_DEVICE vec<f16, 4> mma_sync(const vec<f16, 8> &a, const vec<f16, 4> &b,
                                     const vec<f16, 4> &c) {
  auto rows = detail::to_registers<4>(a);
  auto columns = detail::to_registers<2>(b), sums = detail::to_registers<2>(c);
  vec<uint32_t, 2> d;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
               "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]),
                 "r"(columns[0]), "r"(columns[1]), "r"(sums[0]), "r"(sums[1]));
  vec<f16, 4> result;
  memcpy(result.lane, d.lane, sizeof(result));
  return result;
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_MATRIX_H
