//===- GroupShape.cpp - the dimensions that ops of a kernel share ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupShape.h. Rules are in the order in which they are easy to explain to
// someone who wonders why two ops are two kernels.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/GroupShape.h"

#include "ReducedReads.h"

#include "carousel/Analysis/Graph/OrderOfSums.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace carousel;
using llvm::ArrayRef;
using llvm::BitVector;

bool OpGroup::contains(unsigned op) const {
  return llvm::binary_search(ops, op);
}

bool OpGroup::scans(const GraphProblem &problem) const {
  return llvm::any_of(ops, [&](unsigned op) {
    return problem.ops[op].kind == GraphOpKind::Scan;
  });
}

std::optional<size_t> OpGroup::findSort(const GraphProblem &problem) const {
  const unsigned *sort = llvm::find_if(ops, [&](unsigned op) {
    return problem.ops[op].kind == GraphOpKind::Sort;
  });
  return sort == ops.end() ? std::nullopt
                           : std::optional<size_t>(sort - ops.begin());
}

std::optional<size_t> OpGroup::findWriter(const GraphProblem &problem,
                                          unsigned tensor) const {
  std::optional<unsigned> writer = problem.findWriter(tensor);
  if (!writer || !contains(*writer))
    return std::nullopt;
  return llvm::lower_bound(ops, *writer) - ops.begin();
}

bool GroupShape::hasDim(size_t at, const GraphAccess &access,
                        unsigned dim) const {
  return llvm::any_of(access.loops, [&](std::optional<unsigned> loop) {
    return loop && loops[at][*loop] == dim;
  });
}

namespace {

/// Computes the shape of one group, or says which rule it breaks.
class ShapeBuilder {
public:
  ShapeBuilder(const GraphProblem &problem, const OpGroup &group)
      : problem(problem), group(group) {
    unsigned count = 0;
    for (unsigned op : group.ops) {
      firstLoop.push_back(count);
      count += problem.ops[op].loops.size();
    }
    classes.grow(count);
  }

  GroupShapeResult run() {
    GroupShapeResult result;
    if (!checkHost() || !checkUpdates() || !checkTensors() || !joinLoops() ||
        !findDims()) {
      result.refusal = result.streamMiss.reason = refusal;
      return result;
    }
    if (!checkReductions() || !checkScans() || !checkResults() ||
        !chooseFamily()) {
      result.refusal = refusal;
      shape.stream =
          findOnlineReduction(problem, group, shape, result.streamMiss);
      if (!shape.stream)
        return result;
      shape.family = shape.stream->hasOneTile ? ScheduleFamily::Contraction
                                              : ScheduleFamily::Stream;
      shape.hasSeveralPasses = false;
    }
    result.shape = shape;
    return result;
  }

private:
  const GraphOp &getOp(size_t position) const {
    return problem.ops[group.ops[position]];
  }

  bool refuse(const llvm::Twine &reason) {
    refusal = reason.str();
    return false;
  }

  /// Only a part of the iterations of an update are executed.
  bool checkUpdates() {
    for (unsigned op : group.ops)
      if (problem.ops[op].update && group.ops.size() > 1)
        return refuse("'" + problem.ops[op].name +
                      "' changes a few elements in place, in a kernel of its "
                      "own");
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Dimensions
  //===--------------------------------------------------------------------===//

  /// All accesses of one op to a tensor, of `accesses`.
  static llvm::SmallVector<const GraphAccess *>
  findAccesses(ArrayRef<GraphAccess> accesses, unsigned tensor) {
    llvm::SmallVector<const GraphAccess *> found;
    for (const GraphAccess &access : accesses)
      if (access.tensor == tensor)
        found.push_back(&access);
    return found;
  }

  bool joinAccesses(unsigned tensor, size_t firstOp,
                    ArrayRef<const GraphAccess *> first, size_t secondOp,
                    ArrayRef<const GraphAccess *> second) {
    for (const GraphAccess *a : first)
      for (const GraphAccess *b : second) {
        if (!a->isRegular() || !b->isRegular())
          return refuse("elements of " + describe(tensor) +
                        " are read in another order than they are written");
        for (auto [x, y] : llvm::zip_equal(a->loops, b->loops))
          classes.join(firstLoop[firstOp] + *x, firstLoop[secondOp] + *y);
      }
    return true;
  }

  bool checkHost() {
    for (unsigned op : group.ops)
      if (problem.ops[op].kind == GraphOpKind::Host && group.ops.size() != 1)
        return refuse("'" + problem.ops[op].name + "' isn't part of kernels");
    return true;
  }

  /// Each tensor is several parameters, of which a kernel has 4 KiB.
  bool checkTensors() {
    constexpr size_t kMostTensors = 64;
    llvm::SmallDenseSet<unsigned> tensors;
    for (unsigned op : group.ops)
      for (ArrayRef<GraphAccess> accesses :
           {ArrayRef(problem.ops[op].reads), ArrayRef(problem.ops[op].writes)})
        for (const GraphAccess &access : accesses)
          tensors.insert(access.tensor);
    if (group.ops.size() == 1 || tensors.size() <= kMostTensors)
      return true;
    size_t inside = llvm::count_if(tensors, [&](unsigned tensor) {
      std::optional<unsigned> writer = problem.findWriter(tensor);
      return writer && group.contains(*writer) &&
             !leavesGroup(problem, group, tensor);
    });
    return tensors.size() - inside <= kMostTensors ||
           refuse("a kernel has at most " + llvm::Twine(kMostTensors) +
                  " tensors in memory");
  }

  bool joinLoops() {
    llvm::DenseMap<unsigned, llvm::SmallSetVector<unsigned, 4>> readers;
    for (auto [at, op] : llvm::enumerate(group.ops))
      for (const GraphAccess &read : problem.ops[op].reads)
        readers[read.tensor].insert(at);
    for (auto [at, op] : llvm::enumerate(group.ops))
      for (const GraphAccess &write : problem.ops[op].writes)
        for (unsigned reader : readers.lookup(write.tensor))
          if (!joinAccesses(write.tensor, at, &write, reader,
                            findAccesses(getOp(reader).reads, write.tensor)))
            return false;
    for (const SharedRead &shared : group.sharedReads) {
      size_t first =
          llvm::lower_bound(group.ops, shared.first) - group.ops.begin();
      size_t second =
          llvm::lower_bound(group.ops, shared.second) - group.ops.begin();
      if (!joinAccesses(shared.tensor, first,
                        findAccesses(getOp(first).reads, shared.tensor), second,
                        findAccesses(getOp(second).reads, shared.tensor)))
        return false;
    }
    return true;
  }

  bool findDims() {
    classes.compress();
    shape.dims.resize(classes.getNumClasses());
    for (auto [at, op] : llvm::enumerate(group.ops)) {
      llvm::SmallVector<unsigned> dims;
      for (auto [loop, info] : llvm::enumerate(problem.ops[op].loops)) {
        unsigned dim = classes[firstLoop[at] + loop];
        if (llvm::is_contained(dims, dim))
          return refuse("'" + problem.ops[op].name +
                        "' would go along one dimension twice");
        dims.push_back(dim);
        GroupDim &known = shape.dims[dim];
        if (info.extent != kUnknownExtent)
          known.extent = info.extent;
        known.isReduced |= info.isReduction || info.isScanned;
        known.isScanned |= info.isScanned;
      }
      shape.loops.push_back(dims);
    }
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Rules
  //===--------------------------------------------------------------------===//

  /// Whether all dimensions of programs are among `dims`.
  bool hasAllKept(ArrayRef<unsigned> dims) const {
    for (auto [dim, info] : llvm::enumerate(shape.dims))
      if (!info.isReduced && !llvm::is_contained(dims, dim))
        return false;
    return true;
  }

  bool checkReductions() {
    for (auto [at, number] : llvm::enumerate(group.ops)) {
      const GraphOp &op = problem.ops[number];
      if (!op.reduces())
        continue;
      for (auto [loop, info] : llvm::enumerate(op.loops))
        if (const GroupDim &dim = shape.dims[shape.loops[at][loop]];
            !info.isReduction && dim.isReduced && !dim.isScanned)
          return refuse("'" + op.name +
                        "' keeps a dimension that another op reduces");
      // Its sums would be added once for each element of the other loop.
      for (auto [dim, info] : llvm::enumerate(shape.dims))
        if (info.isReduced && !llvm::is_contained(shape.loops[at], dim))
          return refuse("'" + op.name +
                        "' lacks a dimension that another op reduces");
      if (!hasAllKept(shape.loops[at]))
        return refuse("each program would compute '" + op.name + "' again");
    }
    return true;
  }

  /// A loop goes along what scans go along, once and in order.
  bool checkScans() {
    const GraphOp *first = nullptr;
    unsigned along = 0;
    for (auto [at, number] : llvm::enumerate(group.ops)) {
      const GraphOp &op = problem.ops[number];
      if (op.kind != GraphOpKind::Scan)
        continue;
      unsigned dim = shape.loops[at][llvm::find_if(op.loops,
                                                   [](const GraphLoop &loop) {
                                                     return loop.isScanned;
                                                   }) -
                                     op.loops.begin()];
      if (first && dim != along)
        return refuse("'" + op.name + "' and '" + first->name +
                      "' scan different dimensions");
      if (!hasAllKept(shape.loops[at]))
        return refuse("each program would compute '" + op.name + "' again");
      first = &op;
      along = dim;
    }
    return !first || checkSumsOfScans();
  }

  /// An iteration reduces what it scans, all of which its vectors have.
  bool checkSumsOfScans() {
    constexpr int64_t kMostReduced = 64;
    bool reduces = false, isIrregular = false;
    for (auto [at, number] : llvm::enumerate(group.ops)) {
      const GraphOp &op = problem.ops[number];
      isIrregular |= op.kind == GraphOpKind::Irregular;
      if (!op.reduces())
        continue;
      reduces = true;
      for (auto [loop, info] : llvm::enumerate(op.loops))
        if (info.isReduction && shape.dims[shape.loops[at][loop]].isScanned)
          return refuse("'" + op.name +
                        "' reduces a dimension that another op scans");
      if (op.kind != GraphOpKind::Reduction)
        return refuse("'" + op.name + "' reduces in a kernel that scans");
    }
    if (!reduces)
      return true;
    if (isIrregular)
      return refuse("a kernel that scans and reduces has no irregular op");
    int64_t elements = 1;
    for (const GroupDim &dim : shape.dims)
      if (dim.isReduced && !dim.isScanned)
        elements *= dim.extent == kUnknownExtent
                        ? kMostReduced + 1
                        : llvm::PowerOf2Ceil(dim.extent);
    return elements <= kMostReduced ||
           refuse("ops reduce more than " + llvm::Twine(kMostReduced) +
                  " elements of a scan at once");
  }

  bool checkResults() {
    for (auto [at, number] : llvm::enumerate(group.ops))
      for (const GraphAccess &write : problem.ops[number].writes) {
        if (!leavesGroup(problem, group, write.tensor))
          continue;
        llvm::SmallVector<unsigned> dims;
        for (std::optional<unsigned> loop : write.loops)
          if (loop)
            dims.push_back(shape.loops[at][*loop]);
        if (!hasAllKept(dims))
          return refuse("several programs would write " +
                        describe(write.tensor));
      }
    return true;
  }

  /// Whether each op needs the result of a reduction of the group.
  BitVector findAfterReductions() const {
    BitVector after(group.ops.size());
    for (auto [at, number] : llvm::enumerate(group.ops))
      for (auto [before, writer] :
           llvm::enumerate(ArrayRef(group.ops).take_front(at)))
        if (after[before] || problem.ops[writer].reduces())
          for (const GraphAccess &write : problem.ops[writer].writes)
            if (!findAccesses(problem.ops[number].reads, write.tensor).empty())
              after.set(at);
    return after;
  }

  bool isAlongReduced(size_t at) const {
    return llvm::any_of(shape.loops[at], [&](unsigned dim) {
      return shape.dims[dim].isReduced;
    });
  }

  /// Whether loops over the reduced dimensions would be needed one after
  /// another.
  bool needsSeveralPasses() const {
    BitVector after = findAfterReductions();
    for (unsigned at : after.set_bits())
      if (isAlongReduced(at))
        return true;
    return false;
  }

  bool chooseFamily() {
    // Iterations reduce what they scan.
    bool scans = group.scans(problem);
    shape.hasSeveralPasses = !scans && needsSeveralPasses();
    unsigned reductions = 0, irregular = 0, products = 0;
    for (unsigned op : group.ops) {
      reductions += problem.ops[op].reduces();
      irregular += problem.ops[op].kind == GraphOpKind::Irregular;
      products += problem.ops[op].isProduct();
    }
    if (reductions > 1 && group.findSort(problem))
      return refuse("a kernel that sorts has no further reduction");
    bool isPair = irregular == 0 && products == 2 && reductions == 2;
    if (isPair && !checkPair())
      return false;
    if (!isPair && (irregular + products > 1 ||
                    (irregular + products == 1 && reductions > 1)))
      return refuse("a kernel has one product or irregular op, and no further "
                    "reduction beside it");
    if (irregular == 1) {
      shape.family = ScheduleFamily::Loops;
      return checkLoops();
    }
    if (products != 0) {
      shape.family = ScheduleFamily::Contraction;
      return checkLoops() && checkFactors() && checkImages();
    }
    if (reductions == 0 || scans) {
      shape.family = !scans ? ScheduleFamily::Elementwise
                     : isLargestReadReducedInside(problem, group, shape)
                         ? ScheduleFamily::Row
                         : ScheduleFamily::Column;
      return true;
    }
    bool hasStencil = llvm::any_of(group.ops, [&](unsigned op) {
      return problem.ops[op].kind == GraphOpKind::Stencil;
    });
    if (hasStencil && reductions > 1 && !haveSamePixels())
      return refuse("a kernel with a convolution has no further reduction");
    shape.family =
        hasStencil || !isLargestReadReducedInside(problem, group, shape)
            ? ScheduleFamily::Column
            : ScheduleFamily::Row;
    return shape.family == ScheduleFamily::Row ? checkPrograms()
                                               : checkLoops() && checkImages();
  }

  /// Whether all that a group reduces are sums along the same pixels of one
  /// image, as those for the elements of a kernel are.
  bool haveSamePixels() const {
    const GraphOp *first = nullptr;
    int64_t count = 0;
    for (unsigned number : group.ops) {
      const GraphOp &op = problem.ops[number];
      if (!op.reduces())
        continue;
      if (!first)
        first = &op;
      ++count;
      for (unsigned read : {0, 1})
        if (op.kind != GraphOpKind::Stencil || !op.isWgrad() ||
            op.reads[read].tensor != first->reads[read].tensor)
          return false;
    }
    return count <= sums::kMostSums;
  }

  /// The dimensions of the group that an access of one of its ops goes along.
  BitVector findDims(size_t at, const GraphAccess &access) const {
    BitVector dims(shape.dims.size());
    for (std::optional<unsigned> loop : access.loops)
      if (loop)
        dims.set(shape.loops[at][*loop]);
    return dims;
  }

  /// Whether an op of the group needs the results of both ops.
  bool doMeet(size_t first, size_t second) const {
    llvm::SmallVector<unsigned> needs(group.ops.size());
    needs[first] = 1;
    needs[second] = 2;
    for (auto [at, number] : llvm::enumerate(group.ops))
      for (size_t before = 0; before != at; ++before)
        for (const GraphAccess &write : problem.ops[group.ops[before]].writes)
          if (!findAccesses(problem.ops[number].reads, write.tensor).empty())
            needs[at] |= needs[before];
    return llvm::is_contained(needs, 3u);
  }

  /// Two products of one factor, as a gate has them: programs read that once,
  /// and have the sums of both.
  bool checkPair() {
    constexpr int64_t kMostBytes = 2;
    llvm::SmallVector<size_t, 2> at;
    for (auto [position, number] : llvm::enumerate(group.ops))
      if (problem.ops[number].isProduct())
        at.push_back(position);
    const GraphOp &first = getOp(at[0]), &second = getOp(at[1]);
    auto name = [&] {
      return "'" + first.name + "' and '" + second.name + "'";
    };
    if (first.kind != GraphOpKind::Contraction ||
        second.kind != GraphOpKind::Contraction)
      return refuse("a kernel with a convolution has no product beside it");
    bool isShared = false;
    for (unsigned own : {0, 1})
      for (unsigned other : {0, 1})
        isShared |= first.reads[own].tensor == second.reads[other].tensor &&
                    findDims(at[0], first.reads[own]) ==
                        findDims(at[1], second.reads[other]) &&
                    findDims(at[0], first.reads[1 - own]) ==
                        findDims(at[1], second.reads[1 - other]);
    if (!isShared)
      return refuse(name() + " have no factor in common");
    if (!doMeet(at[0], at[1]))
      return refuse("no op reads the results of " + name());
    for (const GraphOp *op : {&first, &second})
      for (const GraphAccess &read : llvm::ArrayRef(op->reads).take_front(2)) {
        if (isWrittenInside(read.tensor))
          return refuse("threads would have the sums of " + name() +
                        ", and compute a factor beside them");
        int64_t bytes = problem.tensors[read.tensor].elementBytes;
        if (bytes > kMostBytes)
          return refuse("threads would have the sums of " + name() +
                        ", whose factors have more than " +
                        llvm::Twine(kMostBytes) +
                        " bytes: " + llvm::Twine(bytes));
      }
    return true;
  }

  /// Rows of which there are few are no work for a whole device.
  bool checkPrograms() {
    constexpr int64_t kFewPrograms = 32, kLongRow = 65536;
    int64_t programs = 1, elements = 1;
    for (const GroupDim &dim : shape.dims)
      (dim.isReduced ? elements : programs) *=
          dim.extent == kUnknownExtent ? kAssumedExtent : dim.extent;
    bool isUnknown = llvm::any_of(shape.dims, [](const GroupDim &dim) {
      return dim.isReduced && dim.extent == kUnknownExtent;
    });
    return !shape.hasSeveralPasses || programs >= kFewPrograms ||
           (!isUnknown && elements < kLongRow) ||
           refuse("only " + llvm::Twine(programs) +
                  " programs would compute all of it");
  }

  bool checkLoops() {
    return !shape.hasSeveralPasses ||
           refuse("reductions that follow one another would each need a loop");
  }

  /// The ops that compute an element of a factor, together.
  struct FactorChain {
    int64_t work = 0;
    llvm::SmallSetVector<unsigned, 4> tensors; ///< in memory
  };

  /// Checks ops on the way into a product, which are computed again for each
  /// tile of the result. Weights of few bits are worth more work than what
  /// takes no fewer bytes in memory.
  bool checkFactors() {
    constexpr int64_t kMostWork = 4, kMostWorkOfFewBytes = 16;
    llvm::SmallDenseMap<unsigned, FactorChain> chains; // by result
    for (auto [at, number] : llvm::enumerate(group.ops)) {
      const GraphOp &op = problem.ops[number];
      if (op.hasDataLoop)
        return refuse("a whole tile of the product would go on as long as an "
                      "element of '" +
                      op.name + "' needs its loop");
      if (op.isProduct())
        continue;
      FactorChain chain;
      chain.work = op.work;
      for (const GraphAccess &read : op.reads) {
        auto inner = chains.find(read.tensor);
        if (inner == chains.end()) {
          chain.tensors.insert(read.tensor);
          continue;
        }
        chain.work += inner->second.work;
        chain.tensors.insert_range(inner->second.tensors);
      }
      for (const GraphAccess &write : op.writes)
        chains[write.tensor] = chain;
      if (!isAlongReduced(at))
        continue; // behind the product, or a number for a row
      bool areFew = readsFewBytes(chain, op);
      if (chain.work > (areFew ? kMostWorkOfFewBytes : kMostWork) ||
          (!areFew && isForManyTiles(at)))
        return refuse("each tile of the product would compute '" + op.name +
                      "' again");
      for (const GraphAccess &write : op.writes)
        if (leavesGroup(problem, group, write.tensor))
          return refuse("several programs would write " +
                        describe(write.tensor));
      for (const GraphAccess &read : op.reads)
        if (read.table && isWrittenInside(*read.table))
          return refuse("producers find the rows of '" + op.name +
                        "' by a table in memory");
      if (isForConvolution(op) && transposes(op))
        return refuse("each tile of the product would transpose what '" +
                      op.name + "' reads again");
    }
    return true;
  }

  /// Whether tensor cores multiply an op's result in so many tiles that a
  /// kernel of its own costs less. Products take about half as long again if
  /// threads compute a factor on the way. To write a factor to memory and read
  /// it again takes as long as half of a product with 600 columns.
  bool isForManyTiles(size_t at) const {
    constexpr int64_t kMostElsewhere = 512;
    int64_t elsewhere = 1;
    for (auto [dim, info] : llvm::enumerate(shape.dims))
      if (!info.isReduced && info.extent != kUnknownExtent &&
          !llvm::is_contained(shape.loops[at], dim))
        elsewhere = std::min(elsewhere * info.extent, 2 * kMostElsewhere);
    return elsewhere > kMostElsewhere &&
           llvm::none_of(group.ops, [&](unsigned other) {
             const GraphOp &product = problem.ops[other];
             return product.isProduct() &&
                    (product.kind != GraphOpKind::Contraction ||
                     problem.isByThreads(product));
           });
  }

  /// Whether a chain reads fewer bytes than its last op writes.
  bool readsFewBytes(const FactorChain &chain, const GraphOp &op) const {
    int64_t bytes = 0;
    for (unsigned tensor : chain.tensors)
      bytes += problem.tensors[tensor].getBytes();
    return bytes < problem.tensors[op.writes.front().tensor].getBytes();
  }

  bool isForConvolution(const GraphOp &op) const {
    return llvm::any_of(group.ops, [&](unsigned other) {
      const GraphOp &user = problem.ops[other];
      return user.kind == GraphOpKind::Convolution &&
             !findAccesses(user.reads, op.writes.front().tensor).empty();
    });
  }

  /// Whether elements that are read as neighbours aren't written as such.
  static bool transposes(const GraphOp &op) {
    return llvm::any_of(op.reads, [&](const GraphAccess &read) {
      const auto &written = op.writes.front().loops;
      return !read.loops.empty() && !written.empty() &&
             read.loops.back() != written.back() &&
             llvm::is_contained(read.loops, written.back());
    });
  }

  /// Windows with strides see a tensor in parts that others don't have.
  bool checkImages() {
    auto hasStride = [](const GraphWindow &window) {
      return window.stride != 1;
    };
    for (unsigned number : group.ops) {
      const GraphOp &op = problem.ops[number];
      if (!op.hasImage() ||
          (llvm::none_of(op.reads.front().windows, hasStride) &&
           !op.reads.front().hasGroups))
        continue;
      unsigned image = op.reads.front().tensor;
      for (unsigned other : group.ops)
        for (const GraphAccess &read : problem.ops[other].reads)
          if (read.tensor == image && !read.hasSameSteps(op.reads.front()))
            return refuse("'" + op.name + "' reads " + describe(image) +
                          " in steps, and another op without");
    }
    return true;
  }

  bool isWrittenInside(unsigned tensor) const {
    std::optional<unsigned> writer = problem.findWriter(tensor);
    return writer && group.contains(*writer);
  }

  std::string describe(unsigned tensor) const {
    std::optional<unsigned> writer = problem.findWriter(tensor);
    return writer ? "the result of '" + problem.ops[*writer].name + "'"
                  : "an argument";
  }

  const GraphProblem &problem;
  const OpGroup &group;
  llvm::SmallVector<unsigned> firstLoop; ///< by op: of all loops of the group
  llvm::IntEqClasses classes;
  GroupShape shape;
  std::string refusal;
};

} // namespace

GroupShapeResult carousel::computeGroupShape(const GraphProblem &problem,
                                             const OpGroup &group) {
  return ShapeBuilder(problem, group).run();
}
