//===- multimem.h - stores to multicast addresses ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores and reductions of one thread to a multicast address, which stands for
// the parts of all GPUs. Both are generic. A fence_proxy<proxy::alias> stands
// between them and the signal to a GPU, which accesses its part by another
// address.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_MULTIMEM_H
#define CAROUSEL_DEVICE_MULTIMEM_H

#include <carousel/device/types.h>

namespace carousel {

/// Stores a value of 4, 8 or 16 bytes to all parts. There are no vectors of
/// bits, so 16 bytes are four floats, whose bits stay.
/// PTX: multimem.st.weak.global{.b32, .b64, .v4.f32} [destination], value;
///      sm_90, PTX 8.1
template <typename Value>
CAROUSEL_DEVICE void multimem_store(const Value &value, void *destination) {
  static_assert(sizeof(Value) == 4 || sizeof(Value) == 8 || sizeof(Value) == 16,
                "expected a value of 4, 8 or 16 bytes");
  static_assert(target::on<sizeof(Value)>::has(90, 81),
                "multimem.st needs sm_90 and PTX 8.1");
  if constexpr (sizeof(Value) == 4) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    asm volatile("multimem.st.weak.global.b32 [%0], %1;"
                 :
                 : "l"(detail::to_global(destination)), "r"(bits)
                 : "memory");
  } else if constexpr (sizeof(Value) == 8) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    asm volatile("multimem.st.weak.global.b64 [%0], %1;"
                 :
                 : "l"(detail::to_global(destination)), "l"(bits)
                 : "memory");
  } else {
    float lane[4];
    memcpy(lane, &value, sizeof(lane));
    asm volatile("multimem.st.weak.global.v4.f32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(detail::to_global(destination)), "f"(lane[0]),
                   "f"(lane[1]), "f"(lane[2]), "f"(lane[3])
                 : "memory");
  }
}

// REDUCTION has one, two or four registers of this C++ type.
#define CAROUSEL_ONE(REDUCTION, REGISTER, CONSTRAINT)                          \
  {                                                                            \
    static_assert(sizeof(Value) == sizeof(REGISTER),                           \
                  "expected one value of the reduction's type");               \
    REGISTER bits;                                                             \
    memcpy(&bits, &value, sizeof(bits));                                       \
    asm volatile("multimem.red.relaxed.sys.global" REDUCTION " [%0], %1;"      \
                 :                                                             \
                 : "l"(detail::to_global(destination)), CONSTRAINT(bits)       \
                 : "memory");                                                  \
  }
#define CAROUSEL_LANES(OP, TYPE, REGISTER, CONSTRAINT)                         \
  {                                                                            \
    static_assert(sizeof(Value) == 4 || sizeof(Value) == 8 ||                  \
                      sizeof(Value) == 16,                                     \
                  "expected a value of 4, 8 or 16 bytes");                     \
    REGISTER lane[sizeof(Value) / sizeof(REGISTER)];                           \
    memcpy(lane, &value, sizeof(lane));                                        \
    if constexpr (sizeof(Value) == 4)                                          \
      asm volatile("multimem.red.relaxed.sys.global" OP TYPE " [%0], %1;"      \
                   :                                                           \
                   : "l"(detail::to_global(destination)), CONSTRAINT(lane[0])  \
                   : "memory");                                                \
    else if constexpr (sizeof(Value) == 8)                                     \
      asm volatile("multimem.red.relaxed.sys.global" OP ".v2" TYPE             \
                   " [%0], {%1, %2};"                                          \
                   :                                                           \
                   : "l"(detail::to_global(destination)), CONSTRAINT(lane[0]), \
                     CONSTRAINT(lane[1])                                       \
                   : "memory");                                                \
    else                                                                       \
      asm volatile("multimem.red.relaxed.sys.global" OP ".v4" TYPE             \
                   " [%0], {%1, %2, %3, %4};"                                  \
                   :                                                           \
                   : "l"(detail::to_global(destination)), CONSTRAINT(lane[0]), \
                     CONSTRAINT(lane[1]), CONSTRAINT(lane[2]),                 \
                     CONSTRAINT(lane[3])                                       \
                   : "memory");                                                \
  }
#define CAROUSEL_FORM(KIND, TYPE, REDUCTION, REGISTER, CONSTRAINT)             \
  if constexpr (Kind == reduce::KIND && Type == reduce_type::TYPE)             \
    CAROUSEL_ONE(REDUCTION, REGISTER, CONSTRAINT)                              \
  else

/// Makes each element of all parts Kind(element, lane), atomically and relaxed
/// at system scope. Kinds and types:
///   add  u32 s32 u64 f64; f32, f16 and bf16, of which a value may have several
///   min, max  u32 s32 u64 s64
///   and_, or_, xor_  b32 b64
/// PTX: multimem.red.relaxed.sys.global.kind{, .v2, .v4}.type [destination],
///      value; sm_90, PTX 8.1
template <reduce Kind, reduce_type Type, typename Value>
CAROUSEL_DEVICE void multimem_reduce(const Value &value, void *destination) {
  static_assert(target::on<Kind>::has(90, 81),
                "multimem.red needs sm_90 and PTX 8.1");
  if constexpr (Kind == reduce::add && Type == reduce_type::f32)
    CAROUSEL_LANES(".add", ".f32", float, "f")
  else if constexpr (Kind == reduce::add && Type == reduce_type::f16)
    CAROUSEL_LANES(".add", ".f16x2", uint32_t, "r")
  else if constexpr (Kind == reduce::add && Type == reduce_type::bf16)
    CAROUSEL_LANES(".add", ".bf16x2", uint32_t, "r")
  else
    CAROUSEL_FORM(add, u32, ".add.u32", uint32_t, "r")
  CAROUSEL_FORM(add, s32, ".add.s32", uint32_t, "r")
  CAROUSEL_FORM(add, u64, ".add.u64", uint64_t, "l")
  CAROUSEL_FORM(add, f64, ".add.f64", double, "d")
  CAROUSEL_FORM(min, u32, ".min.u32", uint32_t, "r")
  CAROUSEL_FORM(min, s32, ".min.s32", uint32_t, "r")
  CAROUSEL_FORM(min, u64, ".min.u64", uint64_t, "l")
  CAROUSEL_FORM(min, s64, ".min.s64", uint64_t, "l")
  CAROUSEL_FORM(max, u32, ".max.u32", uint32_t, "r")
  CAROUSEL_FORM(max, s32, ".max.s32", uint32_t, "r")
  CAROUSEL_FORM(max, u64, ".max.u64", uint64_t, "l")
  CAROUSEL_FORM(max, s64, ".max.s64", uint64_t, "l")
  CAROUSEL_FORM(and_, b32, ".and.b32", uint32_t, "r")
  CAROUSEL_FORM(and_, b64, ".and.b64", uint64_t, "l")
  CAROUSEL_FORM(or_, b32, ".or.b32", uint32_t, "r")
  CAROUSEL_FORM(or_, b64, ".or.b64", uint64_t, "l")
  CAROUSEL_FORM(xor_, b32, ".xor.b32", uint32_t, "r")
  CAROUSEL_FORM(xor_, b64, ".xor.b64", uint64_t, "l")
  static_assert(target::on<Kind, Type>::never,
                "PTX has no such reduction there, see the list of kinds and "
                "types");
}

#undef CAROUSEL_FORM
#undef CAROUSEL_LANES
#undef CAROUSEL_ONE

} // namespace carousel

#endif // CAROUSEL_DEVICE_MULTIMEM_H
