//===- DescribeWaits.cpp - the waits of a module --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime says of a wait that took too long: a kernel writes down the
// number only.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Package/Manifest.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace mlir;
using namespace carousel;

/// "saxpy.mlir:14", without folders: a package is the same wherever it is made.
static std::string getPlace(Location location) {
  auto file = location->findInstanceOf<FileLineColLoc>();
  if (!file)
    return "";
  return (llvm::sys::path::filename(file.getFilename()) + ":" +
          Twine(file.getLine()))
      .str();
}

/// A name as a manifest has it.
static std::string makeLine(std::string text) {
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  return text;
}

std::vector<WaitDescription> carousel::describeWaits(gpu::GPUModuleOp module) {
  std::map<uint32_t, WaitDescription> waits;
  module.walk([&](LabelledWaitOpInterface wait) {
    WaitLabelAttr label = wait.getLabelAttr();
    if (!label || !label.getNumber())
      return;
    WaitDescription description;
    description.number = *label.getNumber();
    if (auto function = wait->getParentOfType<FunctionOpInterface>())
      description.function = function.getName().str();
    description.barrier = makeLine(label.getBarrier().str());
    description.role = label.getRole();
    description.phase = wait.getPhase();
    description.location = makeLine(getPlace(wait.getLoc()));
    waits.emplace(description.number, std::move(description));
  });
  std::vector<WaitDescription> sorted;
  for (auto &[number, description] : waits)
    sorted.push_back(std::move(description));
  return sorted;
}
