//===- thread.h - registers, shuffles, atomics ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that CUDA C++ has no name for, or by another meaning: where a
// thread is, what it gets from others of its warp, and what it changes
// atomically. Atomics are relaxed, at gpu scope, as CUDA's.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_PARTS_THREAD_H
#define CAROUSEL_DEVICE_PARTS_THREAD_H

#include <carousel/device/float16.h>
#include <carousel/device/vector.h>

namespace carousel {

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// PTX: %laneid; sm_80
CAROUSEL_DEVICE uint32_t lane_id() {
  uint32_t value;
  asm("mov.u32 %0, %%laneid;" : "=r"(value));
  return value;
}

// x, y and z for 0, 1 and 2.
#define CAROUSEL_REGISTER(NAME, TEXT)                                          \
  template <int Dimension> CAROUSEL_DEVICE uint32_t NAME() {                   \
    static_assert(Dimension >= 0 && Dimension <= 2, "expected 0, 1 or 2");     \
    static_assert(target::on<Dimension>::has(90, 78), "clusters need sm_90");  \
    uint32_t value;                                                            \
    if constexpr (Dimension == 0)                                              \
      asm("mov.u32 %0, %%" TEXT ".x;" : "=r"(value));                          \
    else if constexpr (Dimension == 1)                                         \
      asm("mov.u32 %0, %%" TEXT ".y;" : "=r"(value));                          \
    else                                                                       \
      asm("mov.u32 %0, %%" TEXT ".z;" : "=r"(value));                          \
    return value;                                                              \
  }

/// The number of this cluster in the grid. PTX: %clusterid; sm_90
CAROUSEL_REGISTER(cluster_id, "clusterid")
/// The number of clusters in the grid. PTX: %nclusterid; sm_90
CAROUSEL_REGISTER(cluster_grid_dim, "nclusterid")
/// The number of CTAs in the cluster. PTX: %cluster_nctaid; sm_90
CAROUSEL_REGISTER(cluster_dim_blocks, "cluster_nctaid")
/// The number of this CTA in the cluster. PTX: %cluster_ctaid; sm_90
CAROUSEL_REGISTER(cluster_block_id, "cluster_ctaid")

#undef CAROUSEL_REGISTER

//===----------------------------------------------------------------------===//
// Shuffles of a part of a warp
//===----------------------------------------------------------------------===//

/// A value of another lane, and whether there is such a lane.
template <typename Value> struct shuffled {
  Value value;
  bool valid;
};

// The first `width` lanes take part.
#define CAROUSEL_SHUFFLE(NAME, MODE, CLAMP)                                    \
  template <typename Value>                                                    \
  CAROUSEL_DEVICE shuffled<Value> NAME(Value value, uint32_t lane,             \
                                       uint32_t width) {                       \
    static_assert(sizeof(Value) == 4, "expected 32 bits");                     \
    const uint32_t members = 0xffffffffu >> (32 - width), clamp = CLAMP;       \
    uint32_t word, valid;                                                      \
    asm volatile("{\n\t.reg .pred valid;\n\tshfl.sync." MODE                   \
                 ".b32 %0|valid, %2, %3, %4, %5;\n\tselp.u32 %1, 1, 0, "       \
                 "valid;\n\t}"                                                 \
                 : "=r"(word), "=r"(valid)                                     \
                 : "r"(bit_cast<uint32_t>(value)), "r"(lane), "r"(clamp),      \
                   "r"(members));                                              \
    return {bit_cast<Value>(word), valid != 0};                                \
  }

/// PTX: shfl.sync.bfly.b32; sm_80
CAROUSEL_SHUFFLE(shuffle_xor, "bfly", width - 1)
/// PTX: shfl.sync.idx.b32; sm_80
CAROUSEL_SHUFFLE(shuffle_idx, "idx", width - 1)
/// PTX: shfl.sync.down.b32; sm_80
CAROUSEL_SHUFFLE(shuffle_down, "down", width - 1)
/// PTX: shfl.sync.up.b32; sm_80
CAROUSEL_SHUFFLE(shuffle_up, "up", 32 - width)

#undef CAROUSEL_SHUFFLE

template <typename Value>
CAROUSEL_DEVICE Value shuffled_value(const shuffled<Value> &pair) {
  return pair.value;
}
template <typename Value>
CAROUSEL_DEVICE bool shuffled_valid(const shuffled<Value> &pair) {
  return pair.valid;
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

namespace detail {

// CUDA's functions are of other types of the same width.
CAROUSEL_DEVICE unsigned *atomic(uint32_t *p) { return p; }
CAROUSEL_DEVICE unsigned long long *atomic(uint64_t *p) {
  return reinterpret_cast<unsigned long long *>(p);
}
CAROUSEL_DEVICE int *atomic_signed(uint32_t *p) {
  return reinterpret_cast<int *>(p);
}
CAROUSEL_DEVICE long long *atomic_signed(uint64_t *p) {
  return reinterpret_cast<long long *>(p);
}

/// The word that was there, replaced by `next` if it was `seen`.
template <typename Word>
CAROUSEL_DEVICE Word compare_and_swap(void *at, Word seen, Word next) {
  return static_cast<Word>(
      atomicCAS(atomic(reinterpret_cast<Word *>(at)), seen, next));
}

/// The word for the first attempt: relaxed, as the attempts are.
template <typename Word> CAROUSEL_DEVICE Word look(const void *at) {
  return *static_cast<const volatile Word *>(at);
}

/// Swaps a part of a word, whose other bits stay: CUDA has no function for all
/// of these.
template <typename Part>
CAROUSEL_DEVICE Part compare_and_swap_part(void *at, Part seen, Part next) {
  const unsigned long long address = reinterpret_cast<unsigned long long>(at);
  void *const word = reinterpret_cast<void *>(address & ~3ull);
  const uint32_t shift = static_cast<uint32_t>(address & 3) * 8;
  const uint32_t mask = static_cast<uint32_t>(static_cast<Part>(~0)) << shift;
  uint32_t whole = look<uint32_t>(word);
  while (static_cast<Part>(whole >> shift) == seen) {
    const uint32_t found = compare_and_swap(
        word, whole, (whole & ~mask) | (static_cast<uint32_t>(next) << shift));
    if (found == whole)
      return seen;
    whole = found;
  }
  return static_cast<Part>(whole >> shift);
}

CAROUSEL_DEVICE uint8_t compare_and_swap(void *at, uint8_t seen, uint8_t next) {
  return compare_and_swap_part(at, seen, next);
}
CAROUSEL_DEVICE uint16_t compare_and_swap(void *at, uint16_t seen,
                                          uint16_t next) {
  return compare_and_swap_part(at, seen, next);
}

/// The integer with the bits of a number.
template <int Bytes> struct bits_of;
template <> struct bits_of<1> {
  using type = uint8_t;
};
template <> struct bits_of<2> {
  using type = uint16_t;
};
template <> struct bits_of<4> {
  using type = uint32_t;
};
template <> struct bits_of<8> {
  using type = uint64_t;
};

/// Does by compare-and-swap what CUDA has no function for.
template <typename Number, typename Function>
CAROUSEL_DEVICE Number replace(Number *at, Function function) {
  using Bits = typename bits_of<sizeof(Number)>::type;
  Bits seen = look<Bits>(at), expected;
  do {
    expected = seen;
    seen = compare_and_swap(
        at, expected, bit_cast<Bits>(function(bit_cast<Number>(expected))));
  } while (seen != expected);
  return bit_cast<Number>(seen);
}

template <typename Number>
CAROUSEL_DEVICE Number exchange(Number *at, Number next) {
  static_assert(sizeof(Number) == 4 || sizeof(Number) == 8,
                "expected 32 or 64 bits");
  if constexpr (sizeof(Number) == 4)
    return bit_cast<Number>(static_cast<uint32_t>(atomicExch(
        atomic(reinterpret_cast<uint32_t *>(at)), bit_cast<uint32_t>(next))));
  else
    return bit_cast<Number>(static_cast<uint64_t>(atomicExch(
        atomic(reinterpret_cast<uint64_t *>(at)), bit_cast<uint64_t>(next))));
}

template <typename Type> struct given {
  using type = Type;
};

} // namespace detail

/// The number there is, for the first attempt of a compare-and-swap.
template <typename Number>
CAROUSEL_DEVICE Number atomic_look(const Number *at) {
  return bit_cast<Number>(
      detail::look<typename detail::bits_of<sizeof(Number)>::type>(at));
}

/// Replaces a number that has the bits `seen` by `next`; gives the number that
/// was there.
template <typename Number>
CAROUSEL_DEVICE Number atomic_compare_and_swap(
    Number *at, typename detail::bits_of<sizeof(Number)>::type seen,
    typename detail::given<Number>::type next) {
  using Bits = typename detail::bits_of<sizeof(Number)>::type;
  return bit_cast<Number>(
      detail::compare_and_swap(at, seen, bit_cast<Bits>(next)));
}

// Each gives the value before the change.
#define CAROUSEL_ATOMIC(NAME, EXPRESSION)                                      \
  template <typename Number>                                                   \
  CAROUSEL_DEVICE Number NAME(Number *at,                                      \
                              typename detail::given<Number>::type b) {        \
    return static_cast<Number>(EXPRESSION);                                    \
  }
// How CUDA's overloads want the operand.
#define CAROUSEL_WORD static_cast<decltype(*detail::atomic(at) + 0)>(b)
#define CAROUSEL_SIGNED static_cast<decltype(*detail::atomic_signed(at) + 0)>(b)

CAROUSEL_ATOMIC(atomic_addf, atomicAdd(at, b))
CAROUSEL_ATOMIC(atomic_addi, atomicAdd(detail::atomic(at), CAROUSEL_WORD))
CAROUSEL_ATOMIC(atomic_andi, atomicAnd(detail::atomic(at), CAROUSEL_WORD))
CAROUSEL_ATOMIC(atomic_ori, atomicOr(detail::atomic(at), CAROUSEL_WORD))
CAROUSEL_ATOMIC(atomic_xori, atomicXor(detail::atomic(at), CAROUSEL_WORD))
CAROUSEL_ATOMIC(atomic_minu, atomicMin(detail::atomic(at), CAROUSEL_WORD))
CAROUSEL_ATOMIC(atomic_maxu, atomicMax(detail::atomic(at), CAROUSEL_WORD))
CAROUSEL_ATOMIC(atomic_mins,
                atomicMin(detail::atomic_signed(at), CAROUSEL_SIGNED))
CAROUSEL_ATOMIC(atomic_maxs,
                atomicMax(detail::atomic_signed(at), CAROUSEL_SIGNED))
CAROUSEL_ATOMIC(atomic_assign, detail::exchange(at, b))
CAROUSEL_ATOMIC(atomic_maximumf,
                detail::replace(at, [b](Number a) { return maximum(a, b); }))
CAROUSEL_ATOMIC(atomic_minimumf,
                detail::replace(at, [b](Number a) { return minimum(a, b); }))
CAROUSEL_ATOMIC(atomic_maxnumf,
                detail::replace(at, [b](Number a) { return maxnum(a, b); }))
CAROUSEL_ATOMIC(atomic_minnumf,
                detail::replace(at, [b](Number a) { return minnum(a, b); }))

#undef CAROUSEL_SIGNED
#undef CAROUSEL_WORD
#undef CAROUSEL_ATOMIC

/// PTX: atom.add.noftz.f16; sm_80
CAROUSEL_DEVICE f16 atomic_addf(f16 *at, f16 b) {
  f16 old;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;"
               : "=h"(old.bits)
               : "l"(at), "h"(b.bits)
               : "memory");
  return old;
}

/// PTX: atom.add.noftz.bf16; sm_90. Before, a loop around a compare-and-swap.
CAROUSEL_DEVICE bf16 atomic_addf(bf16 *at, bf16 b) {
#if CAROUSEL_SM >= 90
  bf16 old;
  asm volatile("atom.add.noftz.bf16 %0, [%1], %2;"
               : "=h"(old.bits)
               : "l"(at), "h"(b.bits)
               : "memory");
  return old;
#else
  return detail::replace(at, [b](bf16 a) { return a + b; });
#endif
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_PARTS_THREAD_H
