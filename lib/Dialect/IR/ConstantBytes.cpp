//===- ConstantBytes.cpp - constants as they lie in memory ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ConstantBytes.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/ConstantBytes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

static int64_t getByteWidth(Type element) {
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
             : 0;
}

std::optional<std::string> carousel::getConstantBytes(Attribute elements) {
  auto typed = dyn_cast_or_null<ElementsAttr>(elements);
  int64_t width = typed ? getByteWidth(typed.getElementType()) : 0;
  if (width == 0)
    return std::nullopt;
  uint64_t bytes = typed.getNumElements() * width;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    // Whether bits of i1 are packed there, nothing says.
    if (!blob || typed.getElementType().isInteger(1) ||
        blob->getData().size() != bytes)
      return std::nullopt;
    return std::string(blob->getData().begin(), blob->getData().end());
  }
  auto dense = dyn_cast<DenseIntOrFPElementsAttr>(elements);
  if (!dense)
    return std::nullopt;
  std::string contents;
  contents.reserve(bytes);
  if (dense.getElementType().isInteger(1)) {
    for (bool bit : dense.getValues<bool>())
      contents.push_back(bit ? 1 : 0);
    return contents;
  }
  StringRef raw(dense.getRawData().data(), dense.getRawData().size());
  int64_t copies = dense.isSplat() ? dense.getNumElements() : 1;
  for (int64_t i = 0; i < copies; ++i)
    contents += raw;
  return contents;
}

std::optional<std::string> carousel::getConstantBytes(memref::GlobalOp global) {
  if (!global.getConstant() || !global.getInitialValue())
    return std::nullopt;
  return getConstantBytes(*global.getInitialValue());
}
