//===- DescribeNames.cpp - names and lines in a manifest ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DescribeNames.h.
//
//===----------------------------------------------------------------------===//

#include "DescribeNames.h"

#include "carousel/Package/DescribePackage.h"
#include "carousel/Support/Printable.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace carousel;

LogicalResult carousel::verifyName(Operation *op, StringRef name,
                                   StringRef what) {
  if (name.size() > kMaxNameBytes)
    return op->emitError("expected ") << what << " of at most " << kMaxNameBytes
                                      << " bytes, got " << name.size();
  if (name.empty() || !isPrintable(std::string_view(name)))
    return op->emitError("expected ")
           << what << " of printable characters in UTF-8, got '"
           << escapeControls(name) << "'";
  return success();
}

std::string carousel::makeLine(StringRef text) {
  return std::string(getStart(escapeControls(text), kMaxNameBytes));
}

std::string carousel::formatLine(FileLineColLoc place) {
  return makeLine((llvm::sys::path::filename(place.getFilename()) + ":" +
                   Twine(place.getLine()))
                      .str());
}
