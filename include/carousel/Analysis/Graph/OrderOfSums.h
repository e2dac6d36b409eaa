//===- OrderOfSums.h - numbers that fix the order of additions --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction that programs divide has as many parts, and a part as many
// elements, on all GPUs. So results have the same bits wherever they are
// computed. These numbers suit large GPUs, and follow no ChipModel.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_GRAPH_ORDEROFSUMS_H
#define CAROUSEL_ANALYSIS_GRAPH_ORDEROFSUMS_H

#include <cstdint>
#include <limits>

namespace carousel::sums {

/// Programs that keep a large device busy: two for each of 132 SMs.
inline constexpr int64_t kWantedPrograms = 264;
/// The same of programs that fill an SM each: products of wide tiles.
inline constexpr int64_t kWantedWidePrograms = 132;
/// The sides of these tiles, and the elements that they sum over at a time.
inline constexpr int64_t kWideTile = 128;
inline constexpr int64_t kProductStep = 64;
/// Sums along the same pixels that a program has, at most: threads have all.
inline constexpr int64_t kMostSums = 9;
/// Elements of a row that a program takes at a time.
inline constexpr int64_t kRowTile = 4096;
/// Iterations of a part, at least: fewer don't make up for the combination.
inline constexpr int64_t kLeastIterations = 4;
inline constexpr int64_t kLeastProductIterations = 8;
/// Tiles of products are large, and one program combines those of all parts.
inline constexpr int64_t kMostProductParts = 16;
/// Where extents are known at the launch only, a second kernel has to be worth
/// its code.
inline constexpr int64_t kLeastProductParts = 4;
/// Tiles of an online reduction that a part has, at least, and parts of a
/// program, at most. One program reads what all of its parts have left, a
/// number of 4 bytes each.
inline constexpr int64_t kLeastKVIterations = 4;
inline constexpr int64_t kMostKVSplits = 64;
inline constexpr int64_t kMostPartialElements = 1 << 18;
/// Rows of an online reduction that are few, as the queries of decoding that
/// share keys are. A request then has the same parts, and so the same bits,
/// alone and in any batch: as many as keep a device busy with eight programs,
/// or more of so many keys.
inline constexpr int64_t kMostDecodeRows = 64;
inline constexpr int64_t kDecodeParts = 16;
inline constexpr int64_t kMostKeysOfPart = 8192;
/// As many programs as there may be: parts follow from what they divide alone.
inline constexpr int64_t kAnyPrograms = std::numeric_limits<int64_t>::max();
/// The sides of a product's tiles, where there are few of them.
inline constexpr int64_t kNarrowTile = 64;
/// Rows of a product that are few, and the CTAs of a cluster that share its
/// sums then. More of them start in two rounds, which takes longer.
inline constexpr int64_t kFewRows = 16;
inline constexpr int64_t kFewRowsParts = 2;
/// Elements of parts that are combined at a time: of several parts, or of one.
inline constexpr int64_t kCombinedElements = 8192;

} // namespace carousel::sums

#endif // CAROUSEL_ANALYSIS_GRAPH_ORDEROFSUMS_H
