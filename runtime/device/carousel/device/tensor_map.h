//===- tensor_map.h - descriptors of tensors --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes of tensor maps themselves: prefetches, the replacement of
// fields, and the copy to global memory that releases. A descriptor that the
// device has changed is acquired with fence_tensor_map_acquire before its use.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_TENSOR_MAP_H
#define CAROUSEL_DEVICE_TENSOR_MAP_H

#include <carousel/device/types.h>

namespace carousel {

/// The descriptor that `maps` points to, which lies in global memory. Nothing
/// is read.
CAROUSEL_DEVICE const tensor_map *tensor_map_get(const tensor_map *maps) {
  return maps;
}

/// Brings a descriptor into the descriptor cache; a hint. `Space` says where it
/// is known to be: a kernel parameter (space::param), constant memory
/// (space::constant), or anywhere (space::generic).
/// PTX: prefetch{, .param, .const}.tensormap [map]; sm_90
template <space Space = space::generic>
CAROUSEL_DEVICE void tensor_map_prefetch(const void *map) {
  static_assert(Space == space::generic || Space == space::param ||
                    Space == space::constant,
                "expected space::generic, space::param or space::constant");
  static_assert(target::on<Space>::has(90, 80),
                "prefetch.tensormap needs sm_90");
  if constexpr (Space == space::param)
    asm volatile("prefetch.param.tensormap [%0];"
                 :
                 : "l"(__cvta_generic_to_grid_constant(map))
                 : "memory");
  else if constexpr (Space == space::constant)
    asm volatile("prefetch.const.tensormap [%0];"
                 :
                 : "l"(__cvta_generic_to_constant(map))
                 : "memory");
  else
    asm volatile("prefetch.tensormap [%0];" : : "l"(map) : "memory");
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

namespace detail {

template <tensor_map_field Field, space Space>
CAROUSEL_DEVICE void check_replace() {
  static_assert(Space == space::global || Space == space::shared,
                "expected space::global or space::shared");
  static_assert(target::on<Field>::has_specific(90, 83),
                "tensormap.replace needs sm_90a, sm_100a or sm_120a and PTX "
                "8.3");
}

/// The address of a descriptor in the space that holds it.
template <space Space> CAROUSEL_DEVICE uint64_t to_map(const void *map) {
  if constexpr (Space == space::shared)
    return __cvta_generic_to_shared(map);
  else
    return to_global(map);
}

} // namespace detail

// One replacement, in either space.
#define CAROUSEL_REPLACE(FIELD, TYPE, TAIL, ...)                               \
  {                                                                            \
    if constexpr (Space == space::shared)                                      \
      asm volatile("tensormap.replace.tile." FIELD ".shared::cta.b1024." TYPE  \
                   " [%0], " TAIL ";"                                          \
                   :                                                           \
                   : "l"(detail::to_map<Space>(map)), __VA_ARGS__              \
                   : "memory");                                                \
    else                                                                       \
      asm volatile("tensormap.replace.tile." FIELD ".global.b1024." TYPE       \
                   " [%0], " TAIL ";"                                          \
                   :                                                           \
                   : "l"(detail::to_map<Space>(map)), __VA_ARGS__              \
                   : "memory");                                                \
  }

/// Replaces `global_address` (64 bits) or `rank`, the rank minus one.
/// PTX: tensormap.replace.tile.{global_address, rank}.{global, shared::cta}
///      .b1024.{b64, b32} [map], value; sm_90a, sm_100a, sm_120a, PTX 8.3
template <tensor_map_field Field, space Space>
CAROUSEL_DEVICE void tensor_map_replace(tensor_map *map, uint64_t value) {
  detail::check_replace<Field, Space>();
  static_assert(Field == tensor_map_field::global_address ||
                    Field == tensor_map_field::rank,
                "expected a dimension or a literal with this field");
  if constexpr (Field == tensor_map_field::global_address)
    CAROUSEL_REPLACE("global_address", "b64", "%1", "l"(value))
  else
    CAROUSEL_REPLACE("rank", "b32", "%1", "r"(static_cast<uint32_t>(value)))
}

/// Replaces the entry of dimension `Dim`, counted from the innermost, of
/// `box_dim`, `global_dim`, `element_stride` (32 bits) or `global_stride` (64
/// bits).
/// PTX: tensormap.replace.tile.field.{global, shared::cta}.b1024.{b32, b64}
///      [map], dim, value; sm_90a, sm_100a, sm_120a, PTX 8.3
template <tensor_map_field Field, int Dim, space Space>
CAROUSEL_DEVICE void tensor_map_replace(tensor_map *map, uint64_t value) {
  detail::check_replace<Field, Space>();
  static_assert(Field == tensor_map_field::box_dim ||
                    Field == tensor_map_field::global_dim ||
                    Field == tensor_map_field::global_stride ||
                    Field == tensor_map_field::element_stride,
                "expected a field with dimensions");
  static_assert(Dim >= 0 && Dim <= 4, "expected a dimension from 0 to 4");
  if constexpr (Field == tensor_map_field::box_dim)
    CAROUSEL_REPLACE("box_dim", "b32", "%1, %2", "n"(Dim),
                     "r"(static_cast<uint32_t>(value)))
  else if constexpr (Field == tensor_map_field::global_dim)
    CAROUSEL_REPLACE("global_dim", "b32", "%1, %2", "n"(Dim),
                     "r"(static_cast<uint32_t>(value)))
  else if constexpr (Field == tensor_map_field::element_stride)
    CAROUSEL_REPLACE("element_stride", "b32", "%1, %2", "n"(Dim),
                     "r"(static_cast<uint32_t>(value)))
  else
    CAROUSEL_REPLACE("global_stride", "b64", "%1, %2", "n"(Dim), "l"(value))
}

/// Replaces `elemtype`, `interleave_layout`, `swizzle_mode`,
/// `swizzle_atomicity` or `fill_mode` by a literal, encoded as the PTX ISA says
/// at tensormap.replace.
/// PTX: tensormap.replace.tile.field.{global, shared::cta}.b1024.b32 [map],
///      literal; sm_90a, sm_100a, sm_120a, PTX 8.3; swizzle_atomicity: sm_100a,
///      sm_120a, PTX 8.6; elemtype of 13 to 15: sm_100a, sm_120a, PTX 8.7;
///      swizzle_mode of 4: sm_103a, PTX 8.8
template <tensor_map_field Field, int Literal, space Space>
CAROUSEL_DEVICE void tensor_map_replace(tensor_map *map) {
  detail::check_replace<Field, Space>();
  static_assert(Literal >= 0 &&
                    Literal <
                        (Field == tensor_map_field::elemtype            ? 16
                         : Field == tensor_map_field::interleave_layout ? 3
                         : Field == tensor_map_field::swizzle_mode      ? 5
                         : Field == tensor_map_field::swizzle_atomicity ? 4
                         : Field == tensor_map_field::fill_mode         ? 2
                                                                        : 0),
                "expected a field with literals, and one of its literals");
  static_assert(Field != tensor_map_field::elemtype || Literal < 13 ||
                    target::on<Field>::has_specific(100, 87),
                "elements of 4 and 6 bits need sm_100a or sm_120a and PTX 8.7");
  static_assert(
      Field != tensor_map_field::swizzle_mode || Literal < 4 ||
          CAROUSEL_SM == 0 ||
          (CAROUSEL_SM == 103 && target::on<Field>::has_specific(103, 88)),
      "swizzle_mode 4 needs sm_103a and PTX 8.8");
  static_assert(Field != tensor_map_field::swizzle_atomicity ||
                    target::on<Field>::has_specific(100, 86),
                "swizzle_atomicity needs sm_100a or sm_120a and PTX 8.6");
  if constexpr (Field == tensor_map_field::elemtype)
    CAROUSEL_REPLACE("elemtype", "b32", "%1", "n"(Literal))
  else if constexpr (Field == tensor_map_field::interleave_layout)
    CAROUSEL_REPLACE("interleave_layout", "b32", "%1", "n"(Literal))
  else if constexpr (Field == tensor_map_field::swizzle_mode)
    CAROUSEL_REPLACE("swizzle_mode", "b32", "%1", "n"(Literal))
  else if constexpr (Field == tensor_map_field::swizzle_atomicity)
    CAROUSEL_REPLACE("swizzle_atomicity", "b32", "%1", "n"(Literal))
  else
    CAROUSEL_REPLACE("fill_mode", "b32", "%1", "n"(Literal))
}

#undef CAROUSEL_REPLACE

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Copies a descriptor from shared to global memory, and releases it for a
/// later fence_tensor_map_acquire. All threads of a warp execute it together.
/// PTX: bar.warp.sync -1; tensormap.cp_fenceproxy.global.shared::cta
///      .tensormap::generic.release.{cta, cluster, gpu, sys}.sync.aligned
///      [destination], [source], 128; sm_90, PTX 8.3
template <scope Scope>
CAROUSEL_DEVICE void tensor_map_copy_fence(const tensor_map *source,
                                           tensor_map *destination) {
  static_assert(target::on<Scope>::has(90, 83),
                "tensormap.cp_fenceproxy needs sm_90 and PTX 8.3");
#define CAROUSEL_COPY(SCOPE)                                                   \
  asm volatile(                                                                \
      "tensormap.cp_fenceproxy.global.shared::cta."                            \
      "tensormap::generic.release." SCOPE ".sync.aligned [%0], [%1], 128;"     \
      :                                                                        \
      : "l"(detail::to_global(destination)), "r"(detail::to_shared(source))    \
      : "memory")
  __syncwarp();
  if constexpr (Scope == scope::cta)
    CAROUSEL_COPY("cta");
  else if constexpr (Scope == scope::cluster)
    CAROUSEL_COPY("cluster");
  else if constexpr (Scope == scope::gpu)
    CAROUSEL_COPY("gpu");
  else
    CAROUSEL_COPY("sys");
#undef CAROUSEL_COPY
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_TENSOR_MAP_H
