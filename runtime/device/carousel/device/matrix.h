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
// elements of `a` says k, 8 or 16.
#define CAROUSEL_MMA_K8(ELEMENT, NAME)                                         \
  CAROUSEL_DEVICE vec<float, 4> mma_sync(const vec<ELEMENT, 4> &a,             \
                                         const vec<ELEMENT, 2> &b,             \
                                         const vec<float, 4> &c) {             \
    auto rows = detail::to_registers<2>(a);                                    \
    auto columns = detail::to_registers<1>(b);                                 \
    vec<float, 4> d;                                                           \
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32." NAME "." NAME ".f32 " \
                 "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"        \
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])              \
                 : "r"(rows[0]), "r"(rows[1]), "r"(columns[0]), "f"(c[0]),     \
                   "f"(c[1]), "f"(c[2]), "f"(c[3]));                           \
    return d;                                                                  \
  }
#define CAROUSEL_MMA_K16(ELEMENT, NAME)                                        \
  CAROUSEL_DEVICE vec<float, 4> mma_sync(const vec<ELEMENT, 8> &a,             \
                                         const vec<ELEMENT, 4> &b,             \
                                         const vec<float, 4> &c) {             \
    auto rows = detail::to_registers<4>(a);                                    \
    auto columns = detail::to_registers<2>(b);                                 \
    vec<float, 4> d;                                                           \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." NAME "." NAME        \
                 ".f32 "                                                       \
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "              \
                 "{%10, %11, %12, %13};"                                       \
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])              \
                 : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]),     \
                   "r"(columns[0]), "r"(columns[1]), "f"(c[0]), "f"(c[1]),     \
                   "f"(c[2]), "f"(c[3]));                                      \
    return d;                                                                  \
  }
CAROUSEL_MMA_K8(f16, "f16")
CAROUSEL_MMA_K8(bf16, "bf16")
CAROUSEL_MMA_K16(f16, "f16")
CAROUSEL_MMA_K16(bf16, "bf16")
#undef CAROUSEL_MMA_K8
#undef CAROUSEL_MMA_K16

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
