//===- wgmma.h - asynchronous products of a warpgroup -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frame of wgmma.mma_async: the descriptors of matrices in shared memory,
// and the order of accesses of registers and products. The 128 threads of a
// warpgroup call these together. The instruction has a text of its own for each
// number of columns; printed kernels define those that they use.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_WGMMA_H
#define CAROUSEL_DEVICE_WGMMA_H

#include <carousel/device/vector.h>

namespace carousel {

namespace detail {

/// The same registers. The compiler takes each of them for changed here, so
/// that it moves no access of them from one side to the other.
template <typename Element, int Count>
CAROUSEL_DEVICE vec<Element, Count>
pin_registers(vec<Element, Count> registers) {
  static_assert(same<Element, float> || same<Element, uint32_t>,
                "expected registers: a vector of float or uint32_t");
#pragma unroll
  for (int i = 0; i < Count; ++i)
    if constexpr (same<Element, float>)
      asm volatile("" : "+f"(registers[i]) : : "memory");
    else
      asm volatile("" : "+r"(registers[i]) : : "memory");
  return registers;
}

template <typename First, typename... Rest>
CAROUSEL_DEVICE results<First, Rest...> pin_each(const First &first,
                                                 const Rest &...rest) {
  if constexpr (sizeof...(Rest) == 0)
    return {pin_registers(first)};
  else
    return {pin_registers(first), pin_each(rest...)};
}

} // namespace detail

/// Describes the matrix that begins `pieces` pieces of 16 bytes after
/// `pointer`, which is in shared memory. `Bits` is the descriptor of the
/// address 0: the leading and the stride offset and the swizzle, in the fields
/// that the PTX ISA gives them (wgmma, Matrix Descriptor Format). A sum of a
/// base and constants costs one addition for each constant.
template <uint64_t Bits>
CAROUSEL_DEVICE uint64_t wgmma_descriptor(const void *pointer,
                                          uint32_t pieces = 0) {
  static_assert((Bits & 0x3fff) == 0, "expected the bits of the address 0");
  uint32_t low = detail::to_shared(pointer) >> 4 & 0x3fff;
  low += static_cast<uint32_t>(Bits) + pieces;
  return static_cast<uint64_t>(Bits >> 32 << 32) | low;
}

/// Lets products access registers after this thread's accesses of them. The
/// arguments are registers that other instructions have written: float for
/// sums of f32, uint32_t for all others, see bit_cast. Products access what the
/// call returns: the vector, or carousel::results of several.
/// PTX: wgmma.fence.sync.aligned; sm_90a
template <int SM = target::sm> CAROUSEL_DEVICE void wgmma_fence() {
  static_assert(target::on<SM>::has_family(90, 80), "wgmma needs sm_90a");
  asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}
template <typename Element, int Count>
CAROUSEL_DEVICE vec<Element, Count>
wgmma_fence(const vec<Element, Count> &vector) {
  auto registers = detail::pin_registers(vector);
  wgmma_fence();
  return registers;
}
template <typename First, typename Second, typename... Others>
CAROUSEL_DEVICE results<First, Second, Others...>
wgmma_fence(const First &first, const Second &second, const Others &...others) {
  auto registers = detail::pin_each(first, second, others...);
  wgmma_fence();
  return registers;
}

/// The same registers of a first factor, after an instruction that writes one
/// of them. Renews factors that a loop keeps: see wgmma.fence's `renews`.
template <int SM = target::sm>
CAROUSEL_DEVICE vec<uint32_t, 4> wgmma_renew(vec<uint32_t, 4> factor) {
  static_assert(target::on<SM>::has_family(90, 80), "wgmma needs sm_90a");
  asm volatile("{ .reg .b32 none; mov.u32 none, %%smid; shr.u32 none, none, "
               "20; xor.b32 %0, %0, none; }"
               : "+r"(factor[0])
               :
               : "memory");
  return factor;
}

/// The same sums, after instructions that write each register of them. Renews
/// sums that a branch loads: see wgmma.fence's `renews_sums`.
template <int Count, int SM = target::sm>
CAROUSEL_DEVICE vec<float, Count> wgmma_renew_sums(vec<float, Count> sums) {
  static_assert(target::on<SM>::has_family(90, 80), "wgmma needs sm_90a");
  uint32_t none;
  asm volatile("{ mov.u32 %0, %%smid; shr.u32 %0, %0, 20; }" : "=r"(none));
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("xor.b32 %0, %0, %1;" : "+f"(sums[i]) : "r"(none) : "memory");
  return sums;
}

/// Closes the group of the products since the last commit.
/// PTX: wgmma.commit_group.sync.aligned; sm_90a
template <int SM = target::sm> CAROUSEL_DEVICE void wgmma_commit() {
  static_assert(target::on<SM>::has_family(90, 80), "wgmma needs sm_90a");
  asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}

/// Waits until at most the `Pending` newest groups of this warpgroup are in
/// flight. The arguments are registers that no product in flight accesses. What
/// the call returns are their values.
/// PTX: wgmma.wait_group.sync.aligned pending; sm_90a
template <int Pending> CAROUSEL_DEVICE void wgmma_wait() {
  static_assert(Pending >= 0 && Pending <= 7, "expected 0 to 7 groups");
  static_assert(target::on<Pending>::has_family(90, 80), "wgmma needs sm_90a");
  asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(Pending) : "memory");
}
template <int Pending, typename Element, int Count>
CAROUSEL_DEVICE vec<Element, Count>
wgmma_wait(const vec<Element, Count> &vector) {
  wgmma_wait<Pending>();
  return detail::pin_registers(vector);
}
template <int Pending, typename First, typename Second, typename... Others>
CAROUSEL_DEVICE results<First, Second, Others...>
wgmma_wait(const First &first, const Second &second, const Others &...others) {
  wgmma_wait<Pending>();
  return detail::pin_each(first, second, others...);
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_WGMMA_H
