//===- types.h - enumerations, objects in memory, addresses -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types that the other headers share. The enumerations have the names and the
// cases of the dialect's attributes, with an underscore where C++ has the word.
// The pointers that functions take are generic; here they become addresses of
// the state space that an instruction wants.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_TYPES_H
#define CAROUSEL_DEVICE_TYPES_H

#include <carousel/device/parts/target.h>

namespace carousel {

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

// NVRTC has no <cstdint>. These are the types that it has elsewhere.
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned;
#ifdef _WIN32
using int64_t = long long;
using uint64_t = unsigned long long;
#else
using int64_t = long;
using uint64_t = unsigned long;
#endif

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

/// The threads that observe an operation.
enum class scope { cta, cluster, gpu, sys };
enum class semantics { relaxed, acquire, release, acq_rel, sc };
/// The proxies that a fence orders with the generic one.
enum class proxy {
  alias,
  async,
  async_global,
  async_shared_cta,
  async_shared_cluster
};
/// Where the memory lies that a generic pointer points to: `shared` is the
/// CTA's own window, `cluster` that of all CTAs of the cluster.
enum class space { generic, global, shared, cluster, local, param, constant };

enum class reduce { add, min, max, inc, dec, and_, or_, xor_ };
enum class reduce_type { u32, s32, u64, s64, b32, b64, f16, bf16, f32, f64 };
enum class load_mode { tile, gather4, im2col, im2col_w, im2col_w_128 };
enum class store_mode { tile, scatter4, im2col_no_offs };
/// The cache levels of cp.async: all, or L2 only.
enum class cp_async_cache { ca, cg };
/// The part that a wait for bulk groups observes: all, or reads of sources.
enum class group_wait { complete, read };
enum class evict { evict_normal, evict_first, evict_last, evict_unchanged };
enum class prefetch_level {
  l1,
  l2,
  l2_evict_last,
  l2_evict_normal,
  uniform_l1
};
enum class register_change { inc, dec };
enum class tensor_map_field {
  global_address,
  rank,
  box_dim,
  global_dim,
  global_stride,
  element_stride,
  elemtype,
  interleave_layout,
  swizzle_mode,
  swizzle_atomicity,
  fill_mode
};

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// An mbarrier object in shared memory; opaque.
struct alignas(8) mbarrier {
  uint64_t bits;
};

/// The result of an arrive: the phase that it belongs to.
struct mbarrier_state {
  uint64_t bits;
};

/// The descriptor of tensor copies, laid out as the driver's CUtensorMap.
/// A kernel takes it as `const __grid_constant__ carousel::tensor_map map`.
struct alignas(128) tensor_map {
  uint64_t words[16];
};

/// The CTAs of the cluster that a load goes to, a bit each.
struct multicast {
  uint16_t ctas;
};
/// The bytes of each 16 that a store writes, a bit each.
struct byte_mask {
  uint16_t bytes;
};
/// The bytes of a cp.async that come from its source; the others are zero.
struct valid {
  uint32_t bytes;
};
/// Makes a cp.async write zeros.
struct ignore {
  bool source;
};

/// See vector.h.
template <typename Element, int Lanes> struct vec;

/// The results of a function with several.
template <typename First, typename... Rest> struct results {
  First first;
  results<Rest...> rest;
};
template <typename First> struct results<First> {
  First first;
};

/// The result of that number.
template <int Number, typename... Types>
CAROUSEL_DEVICE auto result(const results<Types...> &all) {
  if constexpr (Number == 0)
    return all.first;
  else
    return result<Number - 1>(all.rest);
}

namespace detail {

/// The pairs that vec computes two lanes at a time with; float16.h has some.
template <typename Element> struct pairs_of {
  enum : bool { exist = false };
};

} // namespace detail

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

namespace detail {

/// An address of the CTA's window, which is one of the cluster's window too.
CAROUSEL_DEVICE uint32_t to_shared(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

/// An address of the cluster's window.
CAROUSEL_DEVICE uint32_t to_cluster(const void *pointer) {
  uint64_t address;
  asm("cvta.to.shared::cluster.u64 %0, %1;" : "=l"(address) : "l"(pointer));
  return static_cast<uint32_t>(address);
}

CAROUSEL_DEVICE uint64_t to_global(const void *pointer) {
  return __cvta_generic_to_global(pointer);
}

/// The address of a barrier or a tile in `Where`.
template <space Where> CAROUSEL_DEVICE uint32_t to_window(const void *pointer) {
  static_assert(Where == space::shared || Where == space::cluster,
                "expected space::shared or space::cluster");
  if constexpr (Where == space::cluster)
    return to_cluster(pointer);
  else
    return to_shared(pointer);
}

} // namespace detail
} // namespace carousel

#endif // CAROUSEL_DEVICE_TYPES_H
