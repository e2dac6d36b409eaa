//===- target.h - what the device code is compiled for ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The SM and the PTX version that this compilation is for, as constants that
// static assertions can ask. nvcc's host pass has no SM: there every question
// is answered with yes, since the device pass asks it again.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_PARTS_TARGET_H
#define CAROUSEL_DEVICE_PARTS_TARGET_H

#ifndef __CUDACC__
#error "carousel/device is CUDA C++: compile it with nvcc or NVRTC"
#endif
#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)
#error "carousel/device needs C++17: pass -std=c++17"
#endif
#if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ < 12
#error "carousel/device needs CUDA 12.0 or later"
#endif

/// Every function of these headers is one: without a call there is no code.
#define CAROUSEL_DEVICE __device__ __forceinline__

/// A constant that nvcc's host pass knows as well.
#define CAROUSEL_CONSTANT __host__ __device__ constexpr

/// The SM, 90 for sm_90 and sm_90a; 0 in nvcc's host pass.
#ifdef __CUDA_ARCH__
#define CAROUSEL_SM (__CUDA_ARCH__ / 10)
#else
#define CAROUSEL_SM 0
#endif

/// Whether the code is for one SM or family only, as sm_90a or sm_100f.
#if defined(__CUDA_ARCH_SPECIFIC__) ||                                         \
    defined(__CUDA_ARCH_FAMILY_SPECIFIC__) ||                                  \
    defined(__CUDA_ARCH_FEAT_SM90_ALL) ||                                      \
    defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL)
#define CAROUSEL_SM_SPECIFIC 1
#else
#define CAROUSEL_SM_SPECIFIC 0
#endif

/// The PTX version that the compiler writes, 86 for 8.6.
#if !defined(__CUDACC_VER_MAJOR__)
#define CAROUSEL_PTX 80
#elif __CUDACC_VER_MAJOR__ >= 13
#define CAROUSEL_PTX                                                           \
  (90 + (__CUDACC_VER_MAJOR__ - 13) * 10 + __CUDACC_VER_MINOR__)
#elif __CUDACC_VER_MINOR__ >= 6
#define CAROUSEL_PTX (79 + __CUDACC_VER_MINOR__)
#else
#define CAROUSEL_PTX (80 + __CUDACC_VER_MINOR__)
#endif

namespace carousel {
namespace target {

constexpr int sm = CAROUSEL_SM;
constexpr int ptx = CAROUSEL_PTX;
constexpr bool is_specific = CAROUSEL_SM_SPECIFIC;

/// The target's abilities, asked from a template so that only a use can fail:
/// the answer formally depends on `Anything`.
template <auto... Anything> struct on {
  static constexpr bool never = sizeof...(Anything) > 1000;
  static CAROUSEL_CONSTANT int needed(int least) {
    return least + 0 * sizeof...(Anything);
  }
  /// `least` or a later SM, and PTX `version`.
  static CAROUSEL_CONSTANT bool has(int least, int version) {
    return sm == 0 || (sm >= needed(least) && ptx >= version);
  }
  /// Code for one SM or family, of sm_90a or later.
  static CAROUSEL_CONSTANT bool has_specific(int least, int version) {
    return sm == 0 || (has(least, version) && is_specific);
  }
  /// Code for the family of sm_`first`: sm_100a, sm_103a.
  static CAROUSEL_CONSTANT bool has_family(int first, int version) {
    return sm == 0 || (has_specific(first, version) && sm < first + 10);
  }
};

} // namespace target
} // namespace carousel

#endif // CAROUSEL_DEVICE_PARTS_TARGET_H
