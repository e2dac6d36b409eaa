//===- NarrowVectors.cpp - programs of other widths -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See NarrowVectors.h.
//
//===----------------------------------------------------------------------===//

#include "NarrowVectors.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

void carousel::narrowVectors(gpu::GPUFuncOp kernel, int64_t from, int64_t to) {
  if (from == to)
    return;
  auto narrowType = [&](VectorType type) {
    SmallVector<int64_t> shape(type.getShape());
    for (int64_t &extent : shape)
      if (extent == from)
        extent = to;
    return VectorType::get(shape, type.getElementType());
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](VectorType type) { return narrowType(type); });
  replacer.addReplacement(
      [&](SplatElementsAttr attr) -> std::optional<Attribute> {
        auto type = dyn_cast<VectorType>(attr.getType());
        if (!type)
          return std::nullopt;
        return DenseElementsAttr::get(narrowType(type),
                                      attr.getSplatValue<Attribute>());
      });
  replacer.recursivelyReplaceElementsIn(kernel, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}
