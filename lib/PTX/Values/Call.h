//===- Call.h - functions of typed values as functions of words -*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family writes what an instruction computes as a function of typed values;
// `value<f>` is its Evaluate, and `lanes<f, n>` does it to each part of a
// register. `select` picks one of a template's instances by an instruction's
// modifiers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_PTX_VALUES_CALL_H
#define CAROUSEL_LIB_PTX_VALUES_CALL_H

#include "Rounding.h"

#include "carousel/PTX/Values.h"

#include <tuple>
#include <utility>

namespace carousel::ptx {

/// A result that is sign-extended or zero-extended to 64 bits, by its type.
template <typename T> struct Extended {
  T value;
};

template <typename T> T fromBits(uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>)
    return bits & 1;
  else if constexpr (std::is_integral_v<T>)
    return T(bits);
  else
    return T{typename T::Bits(bits)};
}

template <typename T> uint64_t toBits(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value;
  else if constexpr (std::is_integral_v<T>)
    return std::make_unsigned_t<T>(value);
  else
    return value.bits;
}
template <typename T> uint64_t toBits(Extended<T> value) {
  return uint64_t(value.value);
}

template <typename T> void store(uint64_t *results, T value) {
  results[0] = toBits(value);
}
template <typename... T> void store(uint64_t *results, std::tuple<T...> value) {
  std::apply([&](T... each) { ((*results++ = toBits(each)), ...); }, value);
}

/// The adaptor of one function.
template <auto F> struct Call;
template <typename R, typename... A, R (*F)(A...)> struct Call<F> {
  static void evaluate(const uint64_t *operands, uint64_t *results) {
    apply(operands, results, std::index_sequence_for<A...>());
  }

  /// Applies a function to each of N parts of the operands; each type has the
  /// width of a part.
  template <unsigned N>
  static void evaluateLanes(const uint64_t *operands, uint64_t *results) {
    uint64_t word = 0;
    for (unsigned lane = 0; lane < N; ++lane) {
      constexpr unsigned width = sizeof(R) * 8;
      uint64_t part =
          applyLane(operands, lane, std::index_sequence_for<A...>());
      word |= part << (lane * width);
    }
    results[0] = word;
  }

private:
  template <size_t... I>
  static void apply(const uint64_t *operands, uint64_t *results,
                    std::index_sequence<I...>) {
    store(results, F(fromBits<A>(operands[I])...));
  }
  template <size_t... I>
  static uint64_t applyLane(const uint64_t *operands, unsigned lane,
                            std::index_sequence<I...>) {
    return toBits(F(fromBits<A>(operands[I] >> (lane * sizeof(A) * 8))...));
  }
};

template <auto F> constexpr Evaluate value = &Call<F>::evaluate;
template <auto F, unsigned N>
constexpr Evaluate lanes = &Call<F>::template evaluateLanes<N>;

/// A choice between constants, of which `value` is one, or none.
template <auto... Values> struct Axis {
  std::tuple_element_t<0, std::tuple<decltype(Values)...>> value;
};

template <typename... Constants> struct Chosen {};
template <auto Value>
using Constant = std::integral_constant<decltype(Value), Value>;

template <typename Make, typename... Constants>
Evaluate selectNext(const Make &make, Chosen<Constants...>) {
  return make(Constants()...);
}
template <typename Make, typename... Constants, auto... Values,
          typename... Rest>
Evaluate selectNext(const Make &make, Chosen<Constants...>,
                    Axis<Values...> axis, Rest... rest) {
  Evaluate found = nullptr;
  (void)((axis.value == Values &&
          (found = selectNext(make, Chosen<Constants..., Constant<Values>>(),
                              rest...),
           true)) ||
         ...);
  return found;
}

/// Calls `make` with a constant for each axis. Returns nullptr where an axis
/// has another value than its constants.
template <typename Make, typename... Axes>
Evaluate select(const Make &make, Axes... axes) {
  return selectNext(make, Chosen<>(), axes...);
}

/// Whether an instruction has a modifier.
inline Axis<false, true> flag(const Instruction &instruction, Word word) {
  return {instruction.has(word)};
}

/// Its modifier for rounding; without one it is to the nearest.
inline Axis<Rounding::Nearest, Rounding::Zero, Rounding::Down, Rounding::Up>
roundingAxis(const Instruction &instruction) {
  if (instruction.has(Word::Rz) || instruction.has(Word::Rzi))
    return {Rounding::Zero};
  if (instruction.has(Word::Rm) || instruction.has(Word::Rmi))
    return {Rounding::Down};
  if (instruction.has(Word::Rp) || instruction.has(Word::Rpi))
    return {Rounding::Up};
  return {Rounding::Nearest};
}

/// The type that a modifier's slot names, such as T.
inline Type typeOfSlot(const Instruction &instruction, char slot) {
  return *typeOf(*instruction.getModifier(slot));
}

/// The holder of a value of a type, or of an element of a packed type.
template <Type T> struct Host;
template <Type T> using HostOf = typename Host<T>::Held;
#define CAROUSEL_HOST(type, held, number)                                      \
  template <> struct Host<Type::type> {                                        \
    using Held = held;                                                         \
    static constexpr unsigned count = number;                                  \
  };
CAROUSEL_HOST(Pred, bool, 1)
CAROUSEL_HOST(B16, uint16_t, 1)
CAROUSEL_HOST(B32, uint32_t, 1)
CAROUSEL_HOST(B64, uint64_t, 1)
CAROUSEL_HOST(U8, uint8_t, 1)
CAROUSEL_HOST(U16, uint16_t, 1)
CAROUSEL_HOST(U32, uint32_t, 1)
CAROUSEL_HOST(U64, uint64_t, 1)
CAROUSEL_HOST(S8, int8_t, 1)
CAROUSEL_HOST(S16, int16_t, 1)
CAROUSEL_HOST(S32, int32_t, 1)
CAROUSEL_HOST(S64, int64_t, 1)
CAROUSEL_HOST(U16x2, uint16_t, 2)
CAROUSEL_HOST(S16x2, int16_t, 2)
CAROUSEL_HOST(U8x4, uint8_t, 4)
CAROUSEL_HOST(S8x4, int8_t, 4)
CAROUSEL_HOST(F16, carousel::ptx::F16, 1)
CAROUSEL_HOST(F32, carousel::ptx::F32, 1)
CAROUSEL_HOST(F64, carousel::ptx::F64, 1)
CAROUSEL_HOST(F16x2, carousel::ptx::F16, 2)
CAROUSEL_HOST(F32x2, carousel::ptx::F32, 2)
CAROUSEL_HOST(BF16, carousel::ptx::BF16, 1)
CAROUSEL_HOST(BF16x2, carousel::ptx::BF16, 2)
#undef CAROUSEL_HOST

/// A function of elements, for a type of one or several.
template <Type T, auto F> constexpr Evaluate each = lanes<F, Host<T>::count>;

/// The types of integers: one in a register, and several.
using IntegerAxis =
    Axis<Type::U16, Type::U32, Type::U64, Type::S16, Type::S32, Type::S64,
         Type::U16x2, Type::S16x2, Type::U8x4, Type::S8x4>;

} // namespace carousel::ptx

#endif // CAROUSEL_LIB_PTX_VALUES_CALL_H
