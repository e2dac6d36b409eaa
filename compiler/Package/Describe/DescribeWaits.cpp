//===- DescribeWaits.cpp - the waits of a module --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes the waits for the runtime's messages. A kernel whose wait exceeds
// its bound records only the number of the wait.
//
//===----------------------------------------------------------------------===//

#include "DescribeNames.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Package/DescribePackage.h"

#include <map>

using namespace mlir;
using namespace carousel;

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
    description.barrier = makeLine(label.getBarrier());
    description.role = label.getRole();
    description.phase = wait.getPhase();
    if (auto place = wait.getLoc()->findInstanceOf<FileLineColLoc>())
      description.location = formatLine(place);
    waits.emplace(description.number, std::move(description));
  });
  std::vector<WaitDescription> sorted;
  for (auto &[number, description] : waits)
    sorted.push_back(std::move(description));
  return sorted;
}
