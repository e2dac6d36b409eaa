//===- Package.h - an opened package ----------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manifest and the images of a package directory, in memory. It needs no
// GPU and no driver. It is immutable, so threads may share it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_PACKAGE_H
#define CAROUSEL_RUNTIME_PACKAGE_H

#include "carousel/Runtime/Manifest.h"

#include <functional>
#include <memory>
#include <string>

namespace carousel::runtime {

class Package {
public:
  /// Reads the manifest and every image of the directory, and checks their
  /// sizes and hashes. The file of constants is opened, and its size checked.
  /// If another process replaces the package meanwhile, this reads the old or
  /// the new one, never parts of both.
  static Result<Package> open(const std::string &directory) noexcept;

  const Manifest &getManifest() const noexcept;
  /// The text that it was read from.
  const std::string &getManifestText() const noexcept;
  /// The kernel of the manifest with this name; null if there is none. The
  /// time doesn't depend on the number of kernels.
  const KernelInfo *findKernel(std::string_view name) const noexcept;
  /// The program of the manifest with this name; null if there is none.
  const ProgramInfo *findProgram(std::string_view name) const noexcept;
  /// Calls `use` with the bytes of getManifest().constants, part after part and
  /// each with its offset, and checks their hash in the end: what was used is
  /// good only if there is no error. Needs memory for one part only.
  Status readConstants(
      const std::function<Status(uint64_t offset, std::string_view part)> &use)
      const noexcept;
  const std::string &getDirectory() const noexcept;
  /// The bytes of an image of getManifest().modules[module].
  std::string_view getContents(uint32_t module, size_t image) const noexcept;

private:
  struct Impl;
  explicit Package(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_PACKAGE_H
