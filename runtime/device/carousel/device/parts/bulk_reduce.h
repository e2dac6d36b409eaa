//===- bulk_reduce.h - cp.reduce.async.bulk ---------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions of consecutive elements, in the async proxy. One thread issues
// each: a second issue counts twice. Sizes and addresses are multiples of 16
// bytes. Those to global memory complete in a bulk group (group.h), others on
// an mbarrier.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_PARTS_BULK_REDUCE_H
#define CAROUSEL_DEVICE_PARTS_BULK_REDUCE_H

#include <carousel/device/parts/reductions.h>

namespace carousel {

#define CAROUSEL_FORM(REDUCTION)                                               \
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group" REDUCTION  \
               " [%0], [%1], %2;"                                              \
               :                                                               \
               : "l"(detail::to_global(destination)),                          \
                 "r"(detail::to_shared(source)), "r"(size)                     \
               : "memory")

/// Makes each element of the destination Kind(destination, source), atomically
/// and relaxed at gpu scope, as part of the bulk group that this thread commits
/// next. Kinds and types:
///   add  u32 s32 u64 f16 bf16 f32 f64; of f16 and bf16 keep subnormals
///   min, max  u32 s32 u64 s64 f16 bf16
///   inc, dec  u32
///   and_, or_, xor_  b32 b64
/// PTX: cp.reduce.async.bulk.global.shared::cta.bulk_group.kind.type
///      [destination], [source], size; sm_90
template <reduce Kind, reduce_type Type>
CAROUSEL_DEVICE void bulk_reduce(const void *source, void *destination,
                                 uint32_t size) {
  static_assert(target::on<Kind>::has(90, 80),
                "cp.reduce.async.bulk needs sm_90");
  CAROUSEL_GLOBAL_REDUCTIONS(CAROUSEL_FORM)
}

#undef CAROUSEL_FORM
#define CAROUSEL_FORM(REDUCTION)                                               \
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group"            \
               ".L2::cache_hint" REDUCTION " [%0], [%1], %2, %3;"              \
               :                                                               \
               : "l"(detail::to_global(destination)),                          \
                 "r"(detail::to_shared(source)), "r"(size), "l"(policy)        \
               : "memory")

/// PTX: cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint
///      .kind.type [destination], [source], size, policy; sm_90
template <reduce Kind, reduce_type Type>
CAROUSEL_DEVICE void bulk_reduce(const void *source, void *destination,
                                 uint32_t size, uint64_t policy) {
  static_assert(target::on<Kind>::has(90, 80),
                "cp.reduce.async.bulk needs sm_90");
  CAROUSEL_GLOBAL_REDUCTIONS(CAROUSEL_FORM)
}

#undef CAROUSEL_FORM
#define CAROUSEL_FORM(REDUCTION)                                               \
  asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::"   \
               "complete_tx::bytes" REDUCTION " [%0], [%1], %2, [%3];"         \
               :                                                               \
               : "r"(detail::to_cluster(destination)),                         \
                 "r"(detail::to_shared(source)), "r"(size),                    \
                 "r"(detail::to_cluster(barrier))                              \
               : "memory")

/// As bulk_reduce, into the shared memory of another CTA, whose barrier's
/// pending bytes it lowers. Kinds and types:
///   add  u32 s32 u64
///   min, max  u32 s32
///   inc, dec  u32
///   and_, or_, xor_  b32
/// PTX: cp.reduce.async.bulk.shared::cluster.shared::cta
///      .mbarrier::complete_tx::bytes.kind.type [destination], [source], size,
///      [barrier]; sm_90
template <reduce Kind, reduce_type Type>
CAROUSEL_DEVICE void bulk_reduce_cluster(const void *source, void *destination,
                                         uint32_t size, mbarrier *barrier) {
  static_assert(target::on<Kind>::has(90, 80),
                "cp.reduce.async.bulk needs sm_90");
  CAROUSEL_CLUSTER_REDUCTIONS(CAROUSEL_FORM)
}

#undef CAROUSEL_FORM

} // namespace carousel

#endif // CAROUSEL_DEVICE_PARTS_BULK_REDUCE_H
