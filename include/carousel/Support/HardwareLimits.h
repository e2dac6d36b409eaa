//===- HardwareLimits.h - limits that hold on every SM ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers that the compiler's verifiers, the runtime and the simulated
// machine compare with, each with its source. Plain C++.
// carousel/Target/TargetInfo.h has the limits that differ between SMs.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_SUPPORT_HARDWARELIMITS_H
#define CAROUSEL_SUPPORT_HARDWARELIMITS_H

#include <cstdint>

namespace carousel::rules {

// PTX ISA, Size and alignment of mbarrier object; Contents of the mbarrier
// object.
inline constexpr int64_t kMbarrierBytes = 8;
inline constexpr int64_t kMbarrierAlignment = 8;
inline constexpr int64_t kMaxArrivals = (1 << 20) - 1;
inline constexpr int64_t kMaxTransactionBytes = (1 << 20) - 1;

// PTX ISA, cp.async.bulk: size and both addresses.
inline constexpr int64_t kBulkGranule = 16;
// PTX ISA, cp.async.bulk, cp.async.bulk.tensor and Async proxy: the first chip
// with bulk and tensor copies, and the PTX version.
inline constexpr unsigned kBulkSM = 90;
inline constexpr unsigned kBulkPTX = 80;

// PTX ISA, cp.async: cp-size, and .level::prefetch_size.
inline constexpr int64_t kCpAsyncSizes[] = {4, 8, 16};
inline constexpr int64_t kCpAsyncBypassSize = 16;
inline constexpr int64_t kCpAsyncPrefetchSizes[] = {64, 128, 256};

// CUDA driver API, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col.
inline constexpr int64_t kMaxTensorRank = 5;
inline constexpr int64_t kMinIm2ColRank = 3;
inline constexpr int64_t kMaxBoxExtent = 256;
inline constexpr int64_t kMaxElementStride = 8;
inline constexpr int64_t kInnerBoxGranule = 16;
inline constexpr int64_t kMaxIm2ColPixels = 1024;
inline constexpr int64_t kIm2ColW128Pixels = 128;
inline constexpr int64_t kMaxIm2ColChannels = 256;
inline constexpr int64_t kGlobalStrideGranule = 16;
/// The granule with interleave of 32 bytes, and with padded elements of 4 or 6
/// bits.
inline constexpr int64_t kWideGlobalGranule = 32;
inline constexpr int64_t kMaxGlobalStride = (int64_t(1) << 40) - 1;
inline constexpr int64_t kMaxGlobalExtent = int64_t(1) << 32;
inline constexpr int64_t kMinInterleavedRank = 3;
/// The inner box extent for padded elements. The tensor's inner extent is a
/// multiple of it.
inline constexpr int64_t kPaddedBoxExtent = 128;
// Undocumented: the driver rejects larger addresses.
inline constexpr uint64_t kGlobalAddressLimit = uint64_t(1) << 57;
inline constexpr int64_t kMaxBoxBytes = 228 * 1024;

// PTX ISA, Tensor-map. The driver requires an alignment of 64 up to CUDA 12,
// and of 128 from CUDA 13 on.
inline constexpr int64_t kTensorMapBytes = 128;
inline constexpr int64_t kTensorMapAlignment = 128;

// docs/Package.md: the alignment of the runtime's allocations, which the driver
// guarantees (CUDA C++ programming guide, Device memory accesses).
inline constexpr int64_t kWorkspaceAlignment = 256;

// PTX ISA, Swizzling modes: the tile of an unswizzled copy, and repeats of the
// pattern.
inline constexpr int64_t kSharedTileAlignment = 128;
inline constexpr int64_t kSwizzle32Alignment = 256;
inline constexpr int64_t kSwizzle64Alignment = 512;
inline constexpr int64_t kSwizzle128Alignment = 1024;

// PTX ISA, gather4 and scatter4: rows per copy.
inline constexpr int64_t kGatherRows = 4;

// CUDA C++ Programming Guide, technical specifications per compute capability.
inline constexpr int64_t kRegistersPerBlock = 65536;
// PTX ISA, setmaxnreg.
inline constexpr int64_t kMinRegisters = 24;
inline constexpr int64_t kMaxRegisters = 256;
inline constexpr int64_t kRegisterStep = 8;

// PTX ISA, bar and barrier.
inline constexpr int64_t kNamedBarriers = 16;
inline constexpr int64_t kWarpSize = 32;
/// The size and the alignment of a row that ldmatrix reads.
inline constexpr int64_t kMatrixRowBytes = 16;
inline constexpr int64_t kWarpgroupSize = 128;
inline constexpr int64_t kMaxThreadsPerBlock = 1024;

// CUDA programming guide, Compute capabilities: limits of grids and blocks on
// every SM, and of clusters on every SM that has them.
inline constexpr int64_t kMaxGridX = (int64_t(1) << 31) - 1;
inline constexpr int64_t kMaxGridYZ = (1 << 16) - 1;
inline constexpr int64_t kMaxBlockZ = 64;
inline constexpr int64_t kMaxClusterSize = 8;

// PTX ISA, Kernel Function Parameters, with PTX 8.1 and sm_70 on.
inline constexpr int64_t kMaxParameterBytes = 32764;

// PTX ISA, Alignment: the largest alignment of a shared variable here.
inline constexpr int64_t kMaxDeclaredAlignment = 1 << 16;

// CUDA programming guide, Compute capabilities: static shared memory per block,
// every SM.
inline constexpr int64_t kMaxStaticSharedBytes = 48 * 1024;

} // namespace carousel::rules

#endif // CAROUSEL_SUPPORT_HARDWARELIMITS_H
