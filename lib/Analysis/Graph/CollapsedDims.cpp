//===- CollapsedDims.cpp - dimensions of a group that are one -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CollapsedDims.h.
//
//===----------------------------------------------------------------------===//

#include "CollapsedDims.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace carousel;
using llvm::SmallVector;

namespace {

class DimCollapser {
public:
  DimCollapser(const GraphProblem &problem, const OpGroup &group,
               const GroupShape &shape)
      : problem(problem), group(group), shape(shape) {}

  CollapsedDims run() {
    findAccesses();
    separate();
    collapse();
    return std::move(result);
  }

private:
  bool isWrittenInside(unsigned tensor) const {
    std::optional<unsigned> writer = problem.findWriter(tensor);
    return writer && group.contains(*writer);
  }

  void findAccesses() {
    for (auto [at, number] : llvm::enumerate(group.ops)) {
      const GraphOp &op = problem.ops[number];
      auto note = [&, dims = shape.loops[at]](const GraphAccess &access,
                                              bool isWrite) {
        const GraphTensor &tensor = problem.tensors[access.tensor];
        DimAccess found;
        found.tensor = access.tensor;
        for (std::optional<unsigned> loop : access.loops)
          found.dims.push_back(loop ? std::optional(dims[*loop])
                                    : std::nullopt);
        found.bytes = tensor.getBytes();
        found.elementBytes = tensor.elementBytes;
        found.isWrite = isWrite;
        result.accesses.push_back(found);
      };
      for (const GraphAccess &read : op.reads)
        if (!isWrittenInside(read.tensor))
          note(read, false);
      for (const GraphAccess &write : op.writes)
        if (leavesGroup(problem, group, write.tensor))
          note(write, true);
    }
  }

  //===--------------------------------------------------------------------===//
  // Dimensions that are one
  //===--------------------------------------------------------------------===//

  bool canCollapse(unsigned outer, unsigned inner) {
    std::pair dims(outer, inner);
    auto [known, isNew] = areOne.try_emplace(dims);
    if (isNew)
      known->second = areOneDim(outer, inner);
    return known->second && !llvm::is_contained(apart, dims);
  }

  /// Whether all ops and accesses go along both, one after the other.
  bool areOneDim(unsigned outer, unsigned inner) const {
    if (shape.dims[outer].isReduced != shape.dims[inner].isReduced ||
        shape.dims[outer].isScanned != shape.dims[inner].isScanned)
      return false;
    for (auto [at, number] : llvm::enumerate(group.ops)) {
      const GraphOp &op = problem.ops[number];
      bool hasOuter = llvm::is_contained(shape.loops[at], outer);
      if (hasOuter != llvm::is_contained(shape.loops[at], inner) ||
          (hasOuter && (op.kind == GraphOpKind::Irregular || op.hasImage())))
        return false;
      for (auto [loop, dim] : llvm::enumerate(shape.loops[at]))
        if ((dim == outer || dim == inner) && op.loops[loop].usesIndex)
          return false;
    }
    bool isKnown = shape.dims[outer].extent != kUnknownExtent &&
                   shape.dims[inner].extent != kUnknownExtent;
    for (const DimAccess &access : result.accesses) {
      const auto *at = llvm::find(access.dims, std::optional(outer));
      const auto *next = llvm::find(access.dims, std::optional(inner));
      bool hasOuter = at != access.dims.end();
      isKnown |= hasOuter;
      if (hasOuter != (next != access.dims.end()) ||
          (hasOuter && next != at + 1))
        return false;
      const auto &gaps = problem.tensors[access.tensor].gaps;
      if (hasOuter && !gaps.empty() && gaps[at - access.dims.begin()])
        return false;
    }
    // Extents that no tensor in memory has are numbers, one for each dimension.
    return isKnown;
  }

  bool canCollapse(const DimAccess &access, size_t at) {
    return access.dims[at] && access.dims[at + 1] &&
           canCollapse(*access.dims[at], *access.dims[at + 1]);
  }

  /// A tensor has one shape in the kernel: what one of its accesses goes along
  /// apart, or at computed indices, all do.
  void separate() {
    llvm::MapVector<unsigned, SmallVector<const DimAccess *, 1>> accessesOf;
    for (const DimAccess &access : result.accesses) {
      auto &own = accessesOf[access.tensor];
      if (llvm::none_of(own, [&](const DimAccess *other) {
            return other->dims == access.dims;
          }))
        own.push_back(&access);
    }
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (const auto &own : llvm::make_second_range(accessesOf))
        for (const DimAccess *access : own)
          for (size_t at = 0; at + 1 < access->dims.size(); ++at)
            if (canCollapse(*access, at) &&
                llvm::any_of(own, [&](const DimAccess *other) {
                  return !canCollapse(*other, at);
                })) {
              apart.push_back({*access->dims[at], *access->dims[at + 1]});
              isChanged = true;
            }
    }
  }

  /// Dimensions in the order of the largest tensor, with neighbours collapsed.
  void collapse() {
    SmallVector<const DimAccess *> bySize;
    for (const DimAccess &access : result.accesses)
      bySize.push_back(&access);
    // Results first: programs that are near each other write what is. What is
    // reduced isn't part of them.
    bool areReadsFirst = llvm::any_of(
        shape.dims, [](const GroupDim &dim) { return dim.isReduced; });
    if (shape.family == ScheduleFamily::Contraction ||
        shape.family == ScheduleFamily::Stream)
      areReadsFirst = false;
    llvm::sort(bySize, [&](const DimAccess *a, const DimAccess *b) {
      return std::tuple(a->isWrite == areReadsFirst, -a->bytes, a) <
             std::tuple(b->isWrite == areReadsFirst, -b->bytes, b);
    });
    SmallVector<unsigned> order;
    auto add = [&](unsigned dim) {
      if (!llvm::is_contained(order, dim))
        order.push_back(dim);
    };
    for (const DimAccess *access : bySize)
      for (std::optional<unsigned> dim : access->dims)
        if (dim)
          add(*dim);
    for (unsigned dim = 0; dim < shape.dims.size(); ++dim)
      add(dim);
    for (unsigned dim : order) {
      if (!result.dims.empty() &&
          canCollapse(result.dims.back().dims.back(), dim)) {
        ScheduledDim &last = result.dims.back();
        last.dims.push_back(dim);
        last.extent = last.extent == kUnknownExtent ||
                              shape.dims[dim].extent == kUnknownExtent
                          ? kUnknownExtent
                          : last.extent * shape.dims[dim].extent;
        continue;
      }
      ScheduledDim next;
      next.dims = {dim};
      next.extent = shape.dims[dim].extent;
      next.isReduced = shape.dims[dim].isReduced;
      result.dims.push_back(next);
    }
  }

  const GraphProblem &problem;
  const OpGroup &group;
  const GroupShape &shape;
  /// Known answers: groups have many accesses along few dimensions.
  llvm::DenseMap<std::pair<unsigned, unsigned>, bool> areOne;
  /// Dimensions of the group that are neighbours, but not one.
  SmallVector<std::pair<unsigned, unsigned>> apart;
  CollapsedDims result;
};

} // namespace

CollapsedDims carousel::collapseDims(const GraphProblem &problem,
                                     const OpGroup &group,
                                     const GroupShape &shape) {
  return DimCollapser(problem, group, shape).run();
}

bool carousel::areNeighbours(const GraphProblem &problem,
                             llvm::ArrayRef<DimAccess> accesses, unsigned outer,
                             unsigned inner) {
  auto hasBoth = [&](const DimAccess &access) {
    return llvm::is_contained(access.dims, std::optional(outer)) &&
           llvm::is_contained(access.dims, std::optional(inner));
  };
  return llvm::all_of(accesses, [&](const DimAccess &access) {
    if (!hasBoth(access))
      return llvm::none_of(accesses, [&](const DimAccess &other) {
        return other.tensor == access.tensor && hasBoth(other);
      });
    const auto *at = llvm::find(access.dims, std::optional(outer));
    // A tensor has one shape for all that read it.
    for (const DimAccess &other : accesses)
      if (other.tensor == access.tensor &&
          llvm::find(other.dims, std::optional(outer)) - other.dims.begin() !=
              at - access.dims.begin())
        return false;
    const auto &gaps = problem.tensors[access.tensor].gaps;
    return at + 1 != access.dims.end() && at[1] == std::optional(inner) &&
           (gaps.empty() || !gaps[at - access.dims.begin()]);
  });
}
