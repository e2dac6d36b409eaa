//===- reductions.h - the reductions of bulk and single values --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kinds of reductions that PTX has, by type, as chains of `if constexpr` in
// functions with the template parameters Kind and Type. FORM makes a statement
// of what the instruction is called by, ".add.u32".
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_PARTS_REDUCTIONS_H
#define CAROUSEL_DEVICE_PARTS_REDUCTIONS_H

#include <carousel/device/types.h>

#define CAROUSEL_REDUCTION(FORM, KIND, TYPE, TEXT)                             \
  if constexpr (Kind == reduce::KIND && Type == reduce_type::TYPE)             \
    FORM(TEXT);                                                                \
  else

#define CAROUSEL_NO_REDUCTION                                                  \
  static_assert(target::on<Kind, Type>::never,                                 \
                "PTX has no such reduction there, see the list of kinds and "  \
                "types")

/// To global memory and to the cluster's window.
#define CAROUSEL_COMMON_REDUCTIONS(FORM)                                       \
  CAROUSEL_REDUCTION(FORM, add, u32, ".add.u32")                               \
  CAROUSEL_REDUCTION(FORM, add, s32, ".add.s32")                               \
  CAROUSEL_REDUCTION(FORM, add, u64, ".add.u64")                               \
  CAROUSEL_REDUCTION(FORM, min, u32, ".min.u32")                               \
  CAROUSEL_REDUCTION(FORM, min, s32, ".min.s32")                               \
  CAROUSEL_REDUCTION(FORM, max, u32, ".max.u32")                               \
  CAROUSEL_REDUCTION(FORM, max, s32, ".max.s32")                               \
  CAROUSEL_REDUCTION(FORM, inc, u32, ".inc.u32")                               \
  CAROUSEL_REDUCTION(FORM, dec, u32, ".dec.u32")                               \
  CAROUSEL_REDUCTION(FORM, and_, b32, ".and.b32")                              \
  CAROUSEL_REDUCTION(FORM, or_, b32, ".or.b32")                                \
  CAROUSEL_REDUCTION(FORM, xor_, b32, ".xor.b32")

#define CAROUSEL_CLUSTER_REDUCTIONS(FORM)                                      \
  CAROUSEL_COMMON_REDUCTIONS(FORM)                                             \
  CAROUSEL_NO_REDUCTION;

#define CAROUSEL_GLOBAL_REDUCTIONS(FORM)                                       \
  CAROUSEL_COMMON_REDUCTIONS(FORM)                                             \
  CAROUSEL_REDUCTION(FORM, add, f16, ".add.noftz.f16")                         \
  CAROUSEL_REDUCTION(FORM, add, bf16, ".add.noftz.bf16")                       \
  CAROUSEL_REDUCTION(FORM, add, f32, ".add.f32")                               \
  CAROUSEL_REDUCTION(FORM, add, f64, ".add.f64")                               \
  CAROUSEL_REDUCTION(FORM, min, u64, ".min.u64")                               \
  CAROUSEL_REDUCTION(FORM, min, s64, ".min.s64")                               \
  CAROUSEL_REDUCTION(FORM, min, f16, ".min.f16")                               \
  CAROUSEL_REDUCTION(FORM, min, bf16, ".min.bf16")                             \
  CAROUSEL_REDUCTION(FORM, max, u64, ".max.u64")                               \
  CAROUSEL_REDUCTION(FORM, max, s64, ".max.s64")                               \
  CAROUSEL_REDUCTION(FORM, max, f16, ".max.f16")                               \
  CAROUSEL_REDUCTION(FORM, max, bf16, ".max.bf16")                             \
  CAROUSEL_REDUCTION(FORM, and_, b64, ".and.b64")                              \
  CAROUSEL_REDUCTION(FORM, or_, b64, ".or.b64")                                \
  CAROUSEL_REDUCTION(FORM, xor_, b64, ".xor.b64")                              \
  CAROUSEL_NO_REDUCTION;

#endif // CAROUSEL_DEVICE_PARTS_REDUCTIONS_H
