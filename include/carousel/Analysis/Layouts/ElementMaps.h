//===- ElementMaps.h - layouts through maps of elements ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps elements of a result to those of operands that they are computed from,
// over bits of coordinates, and to layouts: DistributionOpInterface.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_LAYOUTS_ELEMENTMAPS_H
#define CAROUSEL_ANALYSIS_LAYOUTS_ELEMENTMAPS_H

#include "carousel/Analysis/Layouts/LinearLayout.h"
#include "carousel/Dialect/IR/DistributionOpInterface.h"

namespace carousel {

/// A map of coordinates that is linear over their bits, but for a constant.
class ElementMap {
public:
  /// nullopt if the map isn't, or leaves the extents of `to`.
  static std::optional<ElementMap> of(mlir::AffineMap map,
                                      llvm::ArrayRef<unsigned> from,
                                      llvm::ArrayRef<unsigned> to);

  llvm::SmallVector<uint32_t> apply(llvm::ArrayRef<uint32_t> coordinates) const;
  /// Without the constant.
  llvm::SmallVector<uint32_t>
  applyLinear(llvm::ArrayRef<uint32_t> coordinates) const;
  llvm::ArrayRef<uint32_t> getConstant() const { return constant; }

  bool hasSameBits(const ElementMap &other) const {
    return columns == other.columns;
  }

private:
  /// The elements that each bit of each dimension changes.
  llvm::SmallVector<llvm::SmallVector<llvm::SmallVector<uint32_t>>> columns;
  llvm::SmallVector<uint32_t> constant;
};

/// The map of a source of the op; nullopt if it isn't linear over bits.
std::optional<ElementMap> findElementMap(mlir::Operation *op,
                                         const ElementSource &source);
/// The maps of all sources in a vector, which differ in constants only; nullopt
/// if they don't.
std::optional<llvm::SmallVector<ElementMap, 2>>
findElementMaps(mlir::OpOperand &operand);

/// The layout of the operand in which each thread has the elements that it
/// needs for those of the result in `result`, and no others.
LinearLayout getSourceLayout(llvm::ArrayRef<ElementMap> maps,
                             const LinearLayout &result,
                             llvm::ArrayRef<unsigned> extentBits);
/// With elements that are nowhere in further registers.
LinearLayout withAllElements(const LinearLayout &layout);
/// The layout of a result of whose elements each thread has as many sources as
/// possible; nullopt if the operand's layout says too little.
std::optional<LinearLayout>
getLayoutOfSource(llvm::ArrayRef<ElementMap> maps, const LinearLayout &operand,
                  llvm::ArrayRef<unsigned> extentBits);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_LAYOUTS_ELEMENTMAPS_H
