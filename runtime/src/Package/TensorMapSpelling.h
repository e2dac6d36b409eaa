//===- TensorMapSpelling.h - names of tensor map formats --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of TensorMapFormat's enumerators in manifests and messages.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_PACKAGE_TENSORMAPSPELLING_H
#define CAROUSEL_RUNTIME_SRC_PACKAGE_TENSORMAPSPELLING_H

#include "Spelling.h"

#include "carousel/Runtime/Manifest.h"

namespace carousel::runtime {

inline constexpr Spelling<TensorMapFormat::Element> kTensorMapElements[] = {
    {TensorMapFormat::Element::U8, "u8"},
    {TensorMapFormat::Element::U16, "u16"},
    {TensorMapFormat::Element::U32, "u32"},
    {TensorMapFormat::Element::S32, "s32"},
    {TensorMapFormat::Element::U64, "u64"},
    {TensorMapFormat::Element::S64, "s64"},
    {TensorMapFormat::Element::F16, "f16"},
    {TensorMapFormat::Element::F32, "f32"},
    {TensorMapFormat::Element::F64, "f64"},
    {TensorMapFormat::Element::BF16, "bf16"},
    {TensorMapFormat::Element::F32FTZ, "f32_ftz"},
    {TensorMapFormat::Element::TF32, "tf32"},
    {TensorMapFormat::Element::TF32FTZ, "tf32_ftz"},
    {TensorMapFormat::Element::B4x16, "b4x16"},
    {TensorMapFormat::Element::B4x16P64, "b4x16_p64"},
    {TensorMapFormat::Element::B6x16P32, "b6x16_p32"}};

inline constexpr Spelling<TensorMapFormat::Mode> kTensorMapModes[] = {
    {TensorMapFormat::Mode::Tile, "tile"},
    {TensorMapFormat::Mode::Im2Col, "im2col"},
    {TensorMapFormat::Mode::Im2ColW, "im2col_w"},
    {TensorMapFormat::Mode::Im2ColW128, "im2col_w_128"}};

inline constexpr Spelling<TensorMapFormat::Interleave> kTensorMapInterleaves[] =
    {{TensorMapFormat::Interleave::None, "none"},
     {TensorMapFormat::Interleave::B16, "b16"},
     {TensorMapFormat::Interleave::B32, "b32"}};

inline constexpr Spelling<TensorMapFormat::Swizzle> kTensorMapSwizzles[] = {
    {TensorMapFormat::Swizzle::None, "none"},
    {TensorMapFormat::Swizzle::B32, "b32"},
    {TensorMapFormat::Swizzle::B64, "b64"},
    {TensorMapFormat::Swizzle::B128, "b128"},
    {TensorMapFormat::Swizzle::B128Atom32, "b128_atom_32b"},
    {TensorMapFormat::Swizzle::B128Atom32Flip8, "b128_atom_32b_flip_8b"},
    {TensorMapFormat::Swizzle::B128Atom64, "b128_atom_64b"}};

inline constexpr Spelling<TensorMapFormat::Promotion> kTensorMapPromotions[] = {
    {TensorMapFormat::Promotion::None, "none"},
    {TensorMapFormat::Promotion::B64, "b64"},
    {TensorMapFormat::Promotion::B128, "b128"},
    {TensorMapFormat::Promotion::B256, "b256"}};

inline constexpr Spelling<TensorMapFormat::Fill> kTensorMapFills[] = {
    {TensorMapFormat::Fill::Zero, "zero"}, {TensorMapFormat::Fill::NaN, "nan"}};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_PACKAGE_TENSORMAPSPELLING_H
