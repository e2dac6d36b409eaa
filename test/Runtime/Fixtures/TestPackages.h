//===- TestPackages.h - manifests and packages for tests --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A manifest that uses every feature, edits of it by JSON pointers, and package
// directories with the right sizes and hashes. All of it is text, so that tests
// don't depend on a JSON library.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_FIXTURES_TESTPACKAGES_H
#define CAROUSEL_TEST_RUNTIME_FIXTURES_TESTPACKAGES_H

#include <map>
#include <string>
#include <string_view>

namespace carousel::runtime::test {

/// A new directory, removed with everything in it at the end of the scope.
class TempDirectory {
public:
  TempDirectory();
  ~TempDirectory();
  TempDirectory(const TempDirectory &) = delete;
  TempDirectory &operator=(const TempDirectory &) = delete;

  const std::string &getPath() const { return path; }
  /// A path inside.
  std::string operator/(std::string_view name) const;

private:
  std::string path;
};

/// Two modules: "copies" (copies.sm_90a.cubin, copies.sm_90a.ptx) and "simple"
/// (simple.sm_80.ptx, simple.sm_80.cu). Four kernels:
/// - "copy": tensor<?xf32> x (in), tensor<?xf32> y (out). Variants, most
///   preferred first:
///   - "copy_bulk" in "copies": capability(90); x and y aligned to 16; extents
///     equal, a multiple of 4, from 4 to 2^40; grid min(ceildiv(n, 4096),
///     sms * 3), block 64, 65536 bytes of shared memory, index_bits 64;
///     parameters x, x.extent(0), y, y.extent(0);
///   - "copy_simple" in "simple": extents equal; grid ceildiv(n, 256), block
///     256, index_bits 32; the same parameters.
/// - "copy_2d": tensor<?x?xbf16, strides [?, 1]> x (in) and y (out). One
/// variant
///   "copy_ring_2d" in "copies": capability(90, 100); both extents equal; grid
///   (ceildiv(x.extent(1), 64), ceildiv(x.extent(0), 64), 1), block 128,
///   cluster 2x1x1, 32768 bytes; parameters of x and y: pointer, extents,
///   stride; then a tensor map of x and one of y (64x64 bf16, swizzle b128).
/// - "scale": tensor<?xf32> x (inout), index n, f32 factor, i32 bias. One
///   variant "scale" in "simple", index_bits 32: x.extent(0) - n at least 0;
///   grid ceildiv(n, 256), block 256; the parameters x, x.extent(0), n, factor,
///   bias.
/// - "gather": tensor<8x?x64x?xf16> x (in). One variant "gather" in "copies":
///   capability(90); one parameter, an im2col map of x; grid
///   (floordiv(x.extent(3), 64) + 1, 8, sms), block 32x2x2.
std::string makeCopyManifest();

/// The manifest with the value at `pointer` ("/kernels/0/name") set to `value`,
/// a JSON text. "-" as the last part appends to an array.
std::string setMember(std::string_view manifest, std::string_view pointer,
                      std::string_view value);
/// The manifest without the member or element at `pointer`.
std::string removeMember(std::string_view manifest, std::string_view pointer);

/// Contents for each image of a manifest: "contents of copies.sm_90a.ptx". A
/// test may replace some of them before it writes the package.
std::map<std::string, std::string> makeFiles(std::string_view manifest);

/// The manifest with `bytes` and `hash` of every image, and of the constants,
/// that have contents in `files`.
std::string fillHashes(std::string_view manifest,
                       const std::map<std::string, std::string> &files);

/// Makes `directory` (its parent must be there) and writes the files and
/// manifest.json, with fillHashes.
void writePackage(const std::string &directory, std::string_view manifest,
                  const std::map<std::string, std::string> &files);
/// The same with makeFiles.
void writePackage(const std::string &directory, std::string_view manifest);

/// Writes or replaces a file.
void writeFile(const std::string &path, std::string_view contents);

} // namespace carousel::runtime::test

#endif // CAROUSEL_TEST_RUNTIME_FIXTURES_TESTPACKAGES_H
