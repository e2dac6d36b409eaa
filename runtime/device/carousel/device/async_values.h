//===- async_values.h - st.async and red.async ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asynchronous stores and reductions of single values: to another CTA's shared
// memory, where they complete on an mbarrier of the same CTA, and to global
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_ASYNC_VALUES_H
#define CAROUSEL_DEVICE_ASYNC_VALUES_H

#include <carousel/device/parts/reductions.h>

namespace carousel {

namespace detail {

/// The elements of a value.
template <typename Value> struct value_class {
  enum : int { lanes = 1 };
  using element = Value;
};
template <typename Element, int Lanes> struct value_class<vec<Element, Lanes>> {
  enum : int { lanes = Lanes };
  using element = Element;
};
template <typename One, typename Other> struct is_same {
  enum : bool { value = false };
};
template <typename One> struct is_same<One, One> {
  enum : bool { value = true };
};

/// The integer as which a reduction takes its value.
template <bool Wide> struct integer_of_width {
  using type = uint32_t;
};
template <> struct integer_of_width<true> {
  using type = uint64_t;
};
template <reduce_type Type>
using integer_of = typename integer_of_width<Type == reduce_type::u64 ||
                                             Type == reduce_type::s64 ||
                                             Type == reduce_type::b64>::type;

/// The bits of a value, in the integer that a register holds.
template <typename To, typename From>
CAROUSEL_DEVICE To get_bits(const From &value) {
  static_assert(sizeof(To) == sizeof(From), "expected as many bits");
  To bits;
  memcpy(&bits, &value, sizeof(To));
  return bits;
}

} // namespace detail

//===----------------------------------------------------------------------===//
// To another CTA
//===----------------------------------------------------------------------===//

#define CAROUSEL_STORE(TYPE, VALUES, ...)                                      \
  asm volatile(                                                                \
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes" TYPE        \
      " [%0], " VALUES ", [%1];"                                               \
      :                                                                        \
      : "r"(detail::to_cluster(destination)),                                  \
        "r"(detail::to_cluster(barrier)), __VA_ARGS__                          \
      : "memory")
#define CAROUSEL_LANES(TYPE, CONSTRAINT, LANE)                                 \
  if constexpr (lanes == 1)                                                    \
    CAROUSEL_STORE("." TYPE, "%2", CONSTRAINT(LANE(0)));                       \
  else if constexpr (lanes == 2)                                               \
    CAROUSEL_STORE(".v2." TYPE, "{%2, %3}", CONSTRAINT(LANE(0)),               \
                   CONSTRAINT(LANE(1)));                                       \
  else if constexpr (sizeof(element) == 4)                                     \
    CAROUSEL_STORE(".v4." TYPE, "{%2, %3, %4, %5}", CONSTRAINT(LANE(0)),       \
                   CONSTRAINT(LANE(1)), CONSTRAINT(LANE(2)),                   \
                   CONSTRAINT(LANE(3)));

/// Stores a value of 4 or 8 bytes, or a vec of 2 or 4 (of 2 if of 8 bytes), to
/// the cluster's window; its bytes lower the barrier's pending ones.
/// PTX: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes{, .v2, .v4}
///      .{b32, b64, f32, f64} [destination], value, [barrier]; sm_90, PTX 8.1
template <typename Value>
CAROUSEL_DEVICE void st_async(const Value &value, void *destination,
                              mbarrier *barrier) {
  using element = typename detail::value_class<Value>::element;
  constexpr int lanes = detail::value_class<Value>::lanes;
  static_assert(sizeof(element) == 4 || sizeof(element) == 8,
                "expected elements of 4 or 8 bytes");
  static_assert(lanes == 1 || lanes == 2 ||
                    (lanes == 4 && sizeof(element) == 4),
                "expected a value of at most 16 bytes");
  static_assert(target::on<sizeof(Value)>::has(90, 81),
                "st.async needs sm_90 and PTX 8.1");
  element lane[lanes];
  memcpy(lane, &value, sizeof(lane));
  if constexpr (detail::is_same<element, float>::value) {
#define CAROUSEL_LANE(N) lane[N]
    CAROUSEL_LANES("f32", "f", CAROUSEL_LANE)
  } else if constexpr (detail::is_same<element, double>::value) {
    CAROUSEL_LANES("f64", "d", CAROUSEL_LANE)
#undef CAROUSEL_LANE
  } else if constexpr (sizeof(element) == 4) {
#define CAROUSEL_LANE(N) detail::get_bits<uint32_t>(lane[N])
    CAROUSEL_LANES("b32", "r", CAROUSEL_LANE)
#undef CAROUSEL_LANE
  } else {
#define CAROUSEL_LANE(N) detail::get_bits<uint64_t>(lane[N])
    CAROUSEL_LANES("b64", "l", CAROUSEL_LANE)
#undef CAROUSEL_LANE
  }
}

#undef CAROUSEL_LANES
#undef CAROUSEL_STORE

#define CAROUSEL_REDUCE(REDUCTION, CONSTRAINT)                                 \
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::"          \
               "complete_tx::bytes" REDUCTION " [%0], %2, [%1];"               \
               :                                                               \
               : "r"(detail::to_cluster(destination)),                         \
                 "r"(detail::to_cluster(barrier)), CONSTRAINT(value)           \
               : "memory")
#define CAROUSEL_FORM(REDUCTION) CAROUSEL_REDUCE(REDUCTION, "r")

/// Makes a value in the cluster's window Kind(it, value), relaxed at cluster
/// scope; its bytes lower the barrier's pending ones. One thread issues it.
/// Kinds and types: those of bulk_reduce_cluster.
/// PTX: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes
///      .kind.type [destination], value, [barrier]; sm_90, PTX 8.1
template <reduce Kind, reduce_type Type>
CAROUSEL_DEVICE void red_async(detail::integer_of<Type> value,
                               void *destination, mbarrier *barrier) {
  static_assert(target::on<Kind>::has(90, 81),
                "red.async needs sm_90 and PTX 8.1");
  if constexpr (Kind == reduce::add && Type == reduce_type::u64) {
    CAROUSEL_REDUCE(".add.u64", "l");
  } else {
    CAROUSEL_CLUSTER_REDUCTIONS(CAROUSEL_FORM)
  }
}

#undef CAROUSEL_FORM
#undef CAROUSEL_REDUCE

//===----------------------------------------------------------------------===//
// To global memory
//===----------------------------------------------------------------------===//

// The orders that both have. FORM makes a statement of one.
#define CAROUSEL_RELEASES(FORM)                                                \
  static_assert(Scope == scope::gpu || Scope == scope::sys,                    \
                "expected scope::gpu or scope::sys");                          \
  static_assert(target::on<Scope>::has(100, 87),                               \
                "async accesses of global memory need sm_100 and PTX 8.7");    \
  if constexpr (MMIO && Scope == scope::gpu)                                   \
    FORM(".mmio.release.gpu");                                                 \
  else if constexpr (MMIO)                                                     \
    FORM(".mmio.release.sys");                                                 \
  else if constexpr (Scope == scope::gpu)                                      \
    FORM(".release.gpu");                                                      \
  else                                                                         \
    FORM(".release.sys");

#define CAROUSEL_STORE(ORDER, TYPE, CONSTRAINT)                                \
  asm volatile("st.async" ORDER ".global." TYPE " [%0], %1;"                   \
               :                                                               \
               : "l"(detail::to_global(destination)), CONSTRAINT(bits)         \
               : "memory")
// Only a register of 8 bits will do, and there is no constraint for one.
#define CAROUSEL_BYTE(ORDER)                                                   \
  asm volatile("{\n\t.reg .b8 byte;\n\tcvt.u8.u16 byte, %1;\n\t"               \
               "st.async" ORDER ".global.b8 [%0], byte;\n\t}"                  \
               :                                                               \
               : "l"(detail::to_global(destination)),                          \
                 "h"(static_cast<uint16_t>(bits))                              \
               : "memory")
#define CAROUSEL_HALF(ORDER) CAROUSEL_STORE(ORDER, "b16", "h")
#define CAROUSEL_WORD(ORDER) CAROUSEL_STORE(ORDER, "b32", "r")
#define CAROUSEL_LONG(ORDER) CAROUSEL_STORE(ORDER, "b64", "l")
#define CAROUSEL_FLOAT(ORDER) CAROUSEL_STORE(ORDER, "f32", "f")
#define CAROUSEL_DOUBLE(ORDER) CAROUSEL_STORE(ORDER, "f64", "d")

namespace detail {

template <scope Scope, bool MMIO, typename Value>
CAROUSEL_DEVICE void st_async_global(const Value &value, void *destination) {
  static_assert(sizeof(Value) == 1 || sizeof(Value) == 2 ||
                    sizeof(Value) == 4 || sizeof(Value) == 8,
                "expected a value of 1, 2, 4 or 8 bytes");
  if constexpr (is_same<Value, float>::value) {
    const float bits = value;
    CAROUSEL_RELEASES(CAROUSEL_FLOAT)
  } else if constexpr (is_same<Value, double>::value) {
    const double bits = value;
    CAROUSEL_RELEASES(CAROUSEL_DOUBLE)
  } else if constexpr (sizeof(Value) == 1) {
    const auto bits = get_bits<uint8_t>(value);
    CAROUSEL_RELEASES(CAROUSEL_BYTE)
  } else if constexpr (sizeof(Value) == 2) {
    const auto bits = get_bits<uint16_t>(value);
    CAROUSEL_RELEASES(CAROUSEL_HALF)
  } else if constexpr (sizeof(Value) == 4) {
    const auto bits = get_bits<uint32_t>(value);
    CAROUSEL_RELEASES(CAROUSEL_WORD)
  } else {
    const auto bits = get_bits<uint64_t>(value);
    CAROUSEL_RELEASES(CAROUSEL_LONG)
  }
}

} // namespace detail

#undef CAROUSEL_DOUBLE
#undef CAROUSEL_FLOAT
#undef CAROUSEL_LONG
#undef CAROUSEL_WORD
#undef CAROUSEL_HALF
#undef CAROUSEL_BYTE
#undef CAROUSEL_STORE

/// Stores a value of 1 to 8 bytes to global memory, after everything that this
/// thread did before, at `Scope`, gpu or sys.
/// PTX: st.async.release.{gpu, sys}.global.{b8, b16, b32, b64, f32, f64}
///      [destination], value; sm_100, PTX 8.7
template <scope Scope, typename Value>
CAROUSEL_DEVICE void st_async_global(const Value &value, void *destination) {
  detail::st_async_global<Scope, false>(value, destination);
}

/// As above; the number of accesses is kept.
/// PTX: st.async.mmio.release.{gpu, sys}.global.... [destination], value
template <scope Scope, typename Value>
CAROUSEL_DEVICE void st_async_global_mmio(const Value &value,
                                          void *destination) {
  detail::st_async_global<Scope, true>(value, destination);
}

#define CAROUSEL_ADD(ORDER, TYPE, CONSTRAINT)                                  \
  asm volatile("red.async" ORDER ".global.add." TYPE " [%0], %1;"              \
               :                                                               \
               : "l"(detail::to_global(destination)), CONSTRAINT(value)        \
               : "memory")
#define CAROUSEL_U32(ORDER) CAROUSEL_ADD(ORDER, "u32", "r")
#define CAROUSEL_S32(ORDER) CAROUSEL_ADD(ORDER, "s32", "r")
#define CAROUSEL_U64(ORDER) CAROUSEL_ADD(ORDER, "u64", "l")
#define CAROUSEL_S64(ORDER) CAROUSEL_ADD(ORDER, "s64", "l")

namespace detail {

template <reduce_type Type, scope Scope, bool MMIO>
CAROUSEL_DEVICE void red_async_global(integer_of<Type> value,
                                      void *destination) {
  static_assert(Type == reduce_type::u32 || Type == reduce_type::s32 ||
                    Type == reduce_type::u64 || Type == reduce_type::s64,
                "expected u32, s32, u64 or s64");
  if constexpr (Type == reduce_type::u32) {
    CAROUSEL_RELEASES(CAROUSEL_U32)
  } else if constexpr (Type == reduce_type::s32) {
    CAROUSEL_RELEASES(CAROUSEL_S32)
  } else if constexpr (Type == reduce_type::u64) {
    CAROUSEL_RELEASES(CAROUSEL_U64)
  } else {
    CAROUSEL_RELEASES(CAROUSEL_S64)
  }
}

} // namespace detail

#undef CAROUSEL_S64
#undef CAROUSEL_U64
#undef CAROUSEL_S32
#undef CAROUSEL_U32
#undef CAROUSEL_ADD
#undef CAROUSEL_RELEASES

/// Adds a value in global memory, after everything that this thread did before,
/// at `Scope`, gpu or sys.
/// PTX: red.async.release.{gpu, sys}.global.add.{u32, s32, u64, s64}
///      [destination], value; sm_100, PTX 8.7
template <reduce_type Type, scope Scope>
CAROUSEL_DEVICE void red_async_global(detail::integer_of<Type> value,
                                      void *destination) {
  detail::red_async_global<Type, Scope, false>(value, destination);
}

/// As above; the number of accesses is kept.
/// PTX: red.async.mmio.release.{gpu, sys}.global.add.... [destination], value
template <reduce_type Type, scope Scope>
CAROUSEL_DEVICE void red_async_global_mmio(detail::integer_of<Type> value,
                                           void *destination) {
  detail::red_async_global<Type, Scope, true>(value, destination);
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_ASYNC_VALUES_H
