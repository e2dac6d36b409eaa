//===- GraphProblem.cpp - structured ops as nodes with loops --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GraphProblem.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/GraphProblem.h"

#include "llvm/ADT/STLExtras.h"

using namespace carousel;

int64_t carousel::assumeExtent(int64_t extent) {
  return extent == kUnknownExtent ? kAssumedExtent : extent;
}

int64_t GraphTensor::getBytes() const {
  int64_t bytes = elementBytes;
  for (int64_t extent : extents)
    bytes *= assumeExtent(extent);
  return bytes;
}

bool GraphAccess::isRegular() const {
  for (auto [dim, loop] : llvm::enumerate(loops))
    if (!loop ||
        llvm::is_contained(llvm::ArrayRef(loops).take_front(dim), loop))
      return false;
  return true;
}

const GraphWindow *GraphAccess::findWindow(unsigned dim) const {
  const GraphWindow *found = llvm::find_if(
      windows, [&](const GraphWindow &window) { return window.dim == dim; });
  return found == windows.end() ? nullptr : found;
}

bool GraphAccess::has(unsigned loop) const {
  return llvm::is_contained(loops, std::optional(loop)) ||
         llvm::any_of(windows, [&](const GraphWindow &window) {
           return window.along == loop || window.tap == loop;
         });
}

bool GraphAccess::hasSameSteps(const GraphAccess &other) const {
  return hasGroups == other.hasGroups &&
         llvm::equal(windows, other.windows,
                     [](const GraphWindow &own, const GraphWindow &others) {
                       return own.dim == others.dim &&
                              own.stride == others.stride;
                     });
}

bool GraphOp::reduces() const {
  return llvm::any_of(loops,
                      [](const GraphLoop &loop) { return loop.isReduction; });
}

bool GraphOp::isWgrad() const {
  if (kind == GraphOpKind::Stencil)
    return llvm::any_of(reads.front().windows, [&](const GraphWindow &window) {
      return window.along && loops[*window.along].isReduction;
    });
  return kind == GraphOpKind::Convolution &&
         !loops[*reads.front().loops.back()].isReduction;
}

unsigned GraphOp::getOwnChannels() const {
  assert(kind == GraphOpKind::Convolution);
  for (std::optional<unsigned> loop : reads[1].loops)
    if (!loops[*loop].isReduction && !reads.front().has(*loop))
      return *loop;
  llvm_unreachable("convolutions have channels");
}

int64_t GraphOp::getIterations() const {
  int64_t iterations = 1;
  for (auto [number, loop] : llvm::enumerate(loops)) {
    if (places == number)
      continue;
    iterations *= update && update->loop == number ? update->count
                                                   : assumeExtent(loop.extent);
  }
  return iterations;
}

int64_t GraphOp::getBytes(const GraphTensor &tensor) const {
  auto isSame = [](int64_t extent, const GraphLoop &loop) {
    return extent == loop.extent;
  };
  bool isUpdated = update && llvm::equal(tensor.extents, loops, isSame);
  return isUpdated ? getIterations() * tensor.elementBytes : tensor.getBytes();
}

void GraphProblem::addOp(GraphOp op) {
  for (const GraphAccess &write : op.writes)
    tensors[write.tensor].writer = ops.size();
  ops.push_back(std::move(op));
}

bool GraphProblem::isByThreads(const GraphOp &op) const {
  bool isRounded = usesTF32 || op.roundsFactors;
  return op.isProduct() &&
         (op.unit == ProductUnit::Threads ||
          (op.unit == ProductUnit::RoundingCores && !isRounded));
}
