//===- vector_reduce.h - reductions of several elements ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Additions of one thread to neighbouring elements of global memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_VECTOR_REDUCE_H
#define CAROUSEL_DEVICE_VECTOR_REDUCE_H

#include <carousel/device/types.h>

namespace carousel {

#define CAROUSEL_LANES(TYPE, REGISTER, CONSTRAINT)                             \
  {                                                                            \
    REGISTER lane[sizeof(Value) / sizeof(REGISTER)];                           \
    memcpy(lane, &value, sizeof(lane));                                        \
    if constexpr (sizeof(Value) == 8)                                          \
      asm volatile("red.relaxed.gpu.global.add" TYPE " [%0], {%1, %2};"        \
                   :                                                           \
                   : "l"(detail::to_global(destination)), CONSTRAINT(lane[0]), \
                     CONSTRAINT(lane[1])                                       \
                   : "memory");                                                \
    else                                                                       \
      asm volatile(                                                            \
          "red.relaxed.gpu.global.add" TYPE " [%0], {%1, %2, %3, %4};"         \
          :                                                                    \
          : "l"(detail::to_global(destination)), CONSTRAINT(lane[0]),          \
            CONSTRAINT(lane[1]), CONSTRAINT(lane[2]), CONSTRAINT(lane[3])      \
          : "memory");                                                         \
  }

/// Adds the lanes of a value of 8 or 16 bytes to elements of f16, bf16 or
/// f32, each atomically and relaxed at gpu scope.
/// PTX: red.relaxed.gpu.global.add{.noftz}{.v2, .v4}{.f32, .f16x2, .bf16x2}
///      [destination], value; sm_90, PTX 8.1
template <reduce Kind, reduce_type Type, typename Value>
CAROUSEL_DEVICE void vector_reduce(const Value &value, void *destination) {
  static_assert(target::on<Kind>::has(90, 81),
                "red of vectors needs sm_90 and PTX 8.1");
  static_assert(Kind == reduce::add, "expected an addition");
  static_assert(sizeof(Value) == 8 || sizeof(Value) == 16,
                "expected a value of 8 or 16 bytes");
  constexpr int size = int(sizeof(Value));
  if constexpr (Type == reduce_type::f32 && size == 8)
    CAROUSEL_LANES(".v2.f32", float, "f")
  else if constexpr (Type == reduce_type::f32)
    CAROUSEL_LANES(".v4.f32", float, "f")
  else if constexpr (Type == reduce_type::f16 && size == 8)
    CAROUSEL_LANES(".noftz.v2.f16x2", uint32_t, "r")
  else if constexpr (Type == reduce_type::f16)
    CAROUSEL_LANES(".noftz.v4.f16x2", uint32_t, "r")
  else if constexpr (Type == reduce_type::bf16 && size == 8)
    CAROUSEL_LANES(".noftz.v2.bf16x2", uint32_t, "r")
  else if constexpr (Type == reduce_type::bf16)
    CAROUSEL_LANES(".noftz.v4.bf16x2", uint32_t, "r")
  else
    static_assert(target::on<Kind, Type>::never,
                  "expected lanes of f16, bf16 or f32");
}

#undef CAROUSEL_LANES

} // namespace carousel

#endif // CAROUSEL_DEVICE_VECTOR_REDUCE_H
