//===- Images.h - chooses images of a module for a device -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the rules of docs/Package.md on chips and kinds of images.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_PACKAGE_IMAGES_H
#define CAROUSEL_RUNTIME_SRC_PACKAGE_IMAGES_H

#include "carousel/Runtime/Kernel.h"

#include <map>

namespace carousel::runtime {

/// Whether a text is the name of a chip: "sm_90a".
bool isChip(std::string_view text);
/// Returns the chip of a device, with the features that only it has: "sm_90a",
/// "sm_86".
std::string getChip(int computeCapability);

/// Whether code of this kind for `chip` ("sm_90a") runs on a device.
bool runsOn(std::string_view chip, Image::Kind kind, int computeCapability);

/// Returns the architecture to compile an image for, so that it runs on the
/// device. The suffix of its chip is kept: without it the compiler refuses the
/// features that the image was written for.
std::string getArchitecture(const Image &image, int computeCapability);

/// The images of a module for one device and one way, ranked once, so that no
/// variant has to look at those of the others. The module must stay.
class ModuleImages {
public:
  ModuleImages(const ModuleInfo &module, int computeCapability,
               LoadOptions::Via via = LoadOptions::Via::Any);

  /// Whether there is none of this way, for whatever chip.
  bool empty() const { return !any; }
  /// Those that the device can use, best first: cubins, then PTX, then CUDA
  /// C++; the newest chip first within each. Those that hold `function`: all,
  /// if it is empty.
  std::vector<size_t> rank(std::string_view function = {}) const;
  /// All that there are, of any way: "sm_90a (cubin, ptx), sm_100a (ptx)".
  const std::string &getDescription() const { return description; }

private:
  /// Places in `ranked`, ascending.
  using Places = std::vector<size_t>;

  bool any = false;
  std::vector<size_t> ranked; ///< images
  Places whole;               ///< those that hold all functions
  std::map<std::string_view, Places> single;
  std::string description;
};

/// The word of a manifest: "ptx".
const char *toString(Image::Kind kind);
/// "PTX"; "any code" where it doesn't matter.
const char *toString(LoadOptions::Via via);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_PACKAGE_IMAGES_H
