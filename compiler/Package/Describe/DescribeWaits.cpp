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

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Package/DescribePackage.h"
#include "llvm/Support/JSON.h"
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

/// A name as a manifest has it: short, and without control characters, line
/// separators and changes of direction.
static std::string makeLine(std::string text) {
  std::string line;
  StringRef rest = text;
  while (!rest.empty()) {
    size_t bytes = 1;
    unsigned char first = rest[0];
    bool isPlain = first >= 0x20 && first < 0x7f;
    if (first >= 0x80) { // UTF-8: its other bytes are 10xxxxxx
      while (bytes < rest.size() && (rest[bytes] & 0xc0) == 0x80)
        ++bytes;
      StringRef character = rest.take_front(bytes);
      isPlain = llvm::json::isUTF8(character) &&
                !(character >= "\u0080" && character < "\u00a0") &&
                !(character >= "\u2028" && character <= "\u202e") &&
                !(character >= "\u2066" && character <= "\u2069");
    }
    StringRef shown = isPlain ? rest.take_front(bytes) : "?";
    if (line.size() + shown.size() > kMaxNameBytes)
      break;
    line += shown;
    rest = rest.drop_front(bytes);
  }
  return line;
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
